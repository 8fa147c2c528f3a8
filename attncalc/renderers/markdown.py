"""Markdown as GitHub reads it: pipe tables, formulas between dollar signs; tokens are text, and never marks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from attncalc.document.blocks import (
    TOGETHER,
    Block,
    Branch,
    Derivation,
    Figure,
    Heading,
    HeatMap,
    Line,
    Matrix,
    Prose,
    Remark,
    Tree,
)
from attncalc.document.latex import equation, math
from attncalc.document.view import View
from attncalc.renderers.branches import is_copy
from attncalc.renderers.heat import heat_lines

SPAN = "<span>{}</span>"
"""Around a sign that GitHub reads after the Markdown, so that it stands alone: GitHub's own way to write a dollar."""

MARKS = str.maketrans(
    {sign: f"\\{sign}" for sign in "\\`*[]|~"} | {"<": "&lt;", ">": "&gt;", "&": "&amp;", "$": SPAN.format(r"\$")}
)
"""What a reader of Markdown would obey anywhere in a line."""

UNDERSCORES = re.compile(r"_(?<!\w_)_*(?=[^\s_])")
"""Those that could begin an emphasis: not inside a word, nor a line to write on.

Like the next ones it begins with the signs that it looks for, so that nothing is asked of any other.
"""

STARTS = re.compile(r"^(?=[-+=#_])|^(\d+)(?=[.)])")
"""What means a list, a heading or a rule at the start of a line."""

LINKS = re.compile(r":(?<=[A-Za-z]:)(?=//)|\.(?<=\b[wW]{3}\.)")
"""What turns a word into a link."""

NAMED = re.compile(r"@(?=\w)|#(?<!\w#)(?=[0-9])|:(?=[0-9_+-]*[a-z][a-z0-9_+-]*:)|-(?<=\bGH-)(?=[0-9])")
"""What GitHub takes for a person, an issue or the name of a picture."""


MAP_WIDTH = 80
"""Columns of a map."""


def escaped(text: str) -> str:
    """A text with what Markdown would obey written out."""
    text = text.replace(TOGETHER, " ").replace("\n", " ").strip().translate(MARKS)
    text = UNDERSCORES.sub(lambda match: r"\_" * len(match[0]), text)
    text = NAMED.sub(lambda match: SPAN.format(match[0]), text)
    return LINKS.sub(r"\\\g<0>", text)


def render(blocks: Sequence[Block], view: View) -> str:
    """The blocks as a document; a plot says nothing that the tables do not say, and is left out."""
    first = next((block for block in blocks if isinstance(block, Heading)), None)
    pieces = ("\n".join(_lines(block, view, is_title=_is_title(block, first))) for block in blocks)
    return "\n\n".join(piece for piece in pieces if piece) + "\n"


def _is_title(block: Block, first: Heading | None) -> bool:
    """The first heading is one, and each that says more at the end of its line and stands by itself."""
    return block is first or (isinstance(block, Heading) and block.is_title)


def _lines(block: Block, view: View, is_title: bool) -> Iterator[str]:
    match block:
        case Heading():
            yield from _heading(block, view, 1 if is_title else 2)
        case Prose(text, lead):
            yield _paragraph(text, lead, view)
        case Remark(_, text):
            yield f"> {_paragraph(text, view.say('lead.note'), view)}"
        case Matrix():
            yield from _matrix(block)
        case Derivation(lines, formula):
            rows = [_derived(line, view) for line in lines]
            yield from _table(("", math(formula, view) if formula else "", ""), rows, ("---", "---", "---"))
        case HeatMap():
            yield from _map(block, view)
        case Tree(branches):
            yield from (f"{'  ' * branch.depth}- {_branch(branch, view)}" for branch in branches)


def _map(block: HeatMap, view: View) -> Iterator[str]:
    """The shades of a terminal between fences that no label can end."""
    if block.caption:
        yield from (f"**{escaped(block.caption)}**", "")
    lines = ["".join(text for text, _ in parts).rstrip() for parts in heat_lines(block, view, MAP_WIDTH)]
    fence = "`" * (3 + max(line.count("`") for line in lines))
    yield from (f"{fence}text", *lines, fence)


def _heading(block: Heading, view: View, level: int) -> Iterator[str]:
    """`## 3 Divide $A = …$`; what stands at the far end of the line goes into a line of its own."""
    formula = equation(block.formula, view) if block.formula else ""
    yield " ".join(filter(None, ("#" * level, escaped(block.number), _title(block.text), formula)))
    if block.aside:
        yield from ("", f"*{escaped(block.aside)}*")


def _started(text: str) -> str:
    """An escaped text that begins a line or an item."""
    return STARTS.sub(r"\1\\", text)


def _title(text: str) -> str:
    return escaped(text).replace("#", r"\#")


def _paragraph(text: str, lead: str, view: View) -> str:
    if not lead:
        return _started(escaped(text))
    return view.say("with-lead", lead=f"**{escaped(lead)}**", text=escaped(text))


def _matrix(block: Matrix) -> Iterator[str]:
    if block.caption:
        yield from (f"**{escaped(block.caption)}**", "")
    corner = block.corner("/")
    rows = [(escaped(n), *(_figure(cell) for cell in row)) for n, row in zip(block.rows, block.cells, strict=True)]
    aligned = "---:" if block.numeric else "---"
    yield from _table(map(escaped, (corner, *block.columns)), rows, ("---", *[aligned] * len(block.columns)))


def _figure(cell: Figure) -> str:
    return escaped(cell.text)


def _table(names: Iterable[str], rows: Sequence[Sequence[str]], rule: Sequence[str]) -> Iterator[str]:
    yield from (f"| {' | '.join(cells)} |" for cells in (tuple(names), rule, *rows))


def _derived(line: Line, view: View) -> tuple[str, str, str]:
    """Label, what is put in, and the result with the sign that leads to it."""
    return escaped(line.label), math(line.tree, view), _result(line.relation, line.result, line.comment, view)


def _result(relation: str, result: str, comment: str, view: View) -> str:
    more = view.say("in-brackets", text=comment) if comment else ""
    return escaped(" ".join(filter(None, (relation, result))) + more)


def _branch(branch: Branch, view: View) -> str:
    """A cell with its formula, the numbers put in and the result."""
    parts = [f"**{escaped(branch.name)}**"] if branch.name else []
    parts += [f"= {math(branch.formula.right, view)}"] if branch.formula else []
    parts += [f"= {math(branch.tree, view)}"] if branch.tree is not None and not is_copy(branch, view) else []
    return _started(" ".join([*parts, _result(branch.relation, branch.result, branch.comment, view)]))
