"""Plain text: one statement a line, nothing side by side, for screen readers and for `grep`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.document.blocks import Block, Derivation, Heading, Matrix, Prose, Remark
from attncalc.document.view import View


def render(blocks: Sequence[Block], view: View) -> str:
    """The blocks as lines."""
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, view))


def _lines(block: Block, view: View) -> Iterator[str]:
    match block:
        case Heading():
            yield from _heading(block, view)
        case Prose(text, lead):
            yield f"{lead}: {text}" if lead else text
        case Remark(_, text):
            yield f"{view.say('lead.note')}: {text}"
        case Matrix():
            yield from _matrix(block, view)
        case Derivation():
            yield from _derivation(block, view)


def _heading(block: Heading, view: View) -> Iterator[str]:
    yield ""
    number = view.say("plain.step", number=block.number) if block.number else ""
    aside = f" ({block.aside})" if block.aside else ""
    yield f"{number}{block.text}{aside}"
    if block.formula:
        yield f"{block.formula.left} = {view.notation().print(block.formula.right)}"


def _matrix(block: Matrix, view: View) -> Iterator[str]:
    """`query draw, key I: 0.62`; a table of texts says its columns by name."""
    start = f"{block.caption}, " if block.caption else ""
    for name, row in zip(block.rows, block.cells, strict=True):
        place = f"{start}{block.rows_are} {name}"
        if not block.columns_are:
            cells = zip(block.columns, row, strict=True)
            single = len(block.columns) == 1
            yield f"{place}: " + ", ".join(c.text if single else f"{column} {c.text}" for column, c in cells)
            continue
        for column, cell in zip(block.columns, row, strict=True):
            yield f"{place}, {block.columns_are} {column}: {view.say('hidden') if cell.hidden else cell.text}"


def _derivation(block: Derivation, view: View) -> Iterator[str]:
    """`weights draw I = E / Σ = 6.05 / 9.83 ≈ 0.62`."""
    notation = view.notation()
    formula = f" = {notation.print(block.formula)}" if block.formula else ""
    for line in block.lines:
        comment = f" ({line.comment})" if line.comment else ""
        yield f"{line.cell}{formula} = {notation.print(line.tree)} {line.relation} {line.result}{comment}"
