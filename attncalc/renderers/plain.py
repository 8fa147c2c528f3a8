"""Plain text: one statement a line, nothing side by side, for screen readers and for `grep`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.document.blocks import TOGETHER, Block, Derivation, Heading, Matrix, Prose, Remark, Tree
from attncalc.document.view import View
from attncalc.renderers.branches import branch_text


def render(blocks: Sequence[Block], view: View) -> str:
    """The blocks as lines."""
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, view))


def _lines(block: Block, view: View) -> Iterator[str]:
    match block:
        case Heading():
            yield from _heading(block, view)
        case Prose(text, lead):
            yield view.say("with-lead", lead=lead, text=text) if lead else text
        case Remark(_, text):
            yield view.say("with-lead", lead=view.say("lead.note"), text=text)
        case Matrix():
            yield from _matrix(block, view)
        case Derivation():
            yield from _derivation(block, view)
        case Tree():
            yield from _tree(block, view)


def _heading(block: Heading, view: View) -> Iterator[str]:
    yield ""
    number = view.say("plain.step", number=block.number) if block.number else ""
    aside = view.say("in-brackets", text=block.aside) if block.aside else ""
    yield f"{number}{block.text}{aside}"
    if block.formula:
        yield view.equation(block.formula)


def _matrix(block: Matrix, view: View) -> Iterator[str]:
    """`query draw, key I: 0.62`; a table of texts says its columns by name."""
    start, hidden = f"{block.caption}, " if block.caption else "", view.say("hidden")
    named = [view.say("plain-place", axis=block.columns_are, label=column) for column in block.columns]
    for name, row in zip(block.rows, block.cells, strict=True):
        rows = start + view.say("plain-place", axis=block.rows_are, label=name)
        if block.columns_are:
            for columns, cell in zip(named, row, strict=True):
                value = hidden if cell.hidden else cell.text
                yield view.say("plain-cell", rows=rows, columns=columns, value=value)
        else:
            parts = [
                view.say("plain-place", axis=c, label=cell.text) for c, cell in zip(block.columns, row, strict=True)
            ]
            value = row[0].text if len(row) == 1 else view.say("list-comma").join(parts)
            yield view.say("plain-row", rows=rows, value=value)


def _derivation(block: Derivation, view: View) -> Iterator[str]:
    """`weights draw I = E / Σ = 6.05 / 9.83 ≈ 0.62`."""
    notation = view.notation()
    formula = f" = {notation.print(block.formula)}" if block.formula else ""
    for line in block.lines:
        comment = view.say("in-brackets", text=line.comment) if line.comment else ""
        yield f"{line.cell}{formula} = {notation.print(line.tree)} {line.relation} {line.result}{comment}"


def _tree(block: Tree, view: View) -> Iterator[str]:
    """`level 2, weights draw I = 6.05 / 9.83 ≈ 0.62`: without lines that a voice would read out."""
    several = any(branch.depth for branch in block.branches)
    for branch in block.branches:
        level = view.say("plain-level", level=branch.depth) if several else ""
        yield level + branch_text(branch, view).replace(TOGETHER, " ")
