"""The terminal: lines that wrap between terms, and tables of which no digit is lost.

Every text that may hold a token goes to Rich as `Text`, never as markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import (
    Block,
    Derivation,
    Heading,
    HeatMap,
    Line,
    Matrix,
    Plot,
    Prose,
    Remark,
    Tree,
)
from attncalc.document.view import View
from attncalc.renderers.branches import tree_lines
from attncalc.renderers.terminal_tables import NARROWEST, padded, table_lines

PROSE_WIDTH = 100
BAR_WIDTH = 16
INDENT = 4
UNBOUNDED = 100_000


class Screen(NamedTuple):
    """How wide and how colourful; without a width as wide as the content."""

    view: View
    width: int | None
    color: bool

    @property
    def room(self) -> int:
        """The columns there are."""
        return self.width or UNBOUNDED


def render(blocks: Sequence[Block], view: View, width: int | None = None, color: bool = False) -> str:
    """The blocks as lines for a terminal of that width."""
    text = Text("\n").join(_document(Screen(view, width, color), blocks))
    lines = _coloured(text) if color else f"{text.plain}\n"
    return "\n".join(line.rstrip() for line in lines.split("\n"))


def _coloured(text: Text) -> str:
    """All lines at once: one call of Rich costs far more than one line."""
    out = io.StringIO()
    console = Console(
        file=out, width=UNBOUNDED, color_system="standard", force_terminal=True, highlight=False, legacy_windows=False,
        _environ={},
    )  # fmt: skip
    console.print(text, soft_wrap=True)
    return out.getvalue()


def _document(screen: Screen, blocks: Sequence[Block]) -> Iterator[Text]:
    previous: Block | None = None
    for block in blocks:
        if _ends_a_part(previous, block):
            yield Text("")
        for piece in _pieces(screen, block):
            piece.rstrip()  # before the colour codes hide the blanks
            yield piece
        previous = block


def _ends_a_part(previous: Block | None, block: Block) -> bool:
    """Whether a reading or a note follows numbers, and a blank line should part them."""
    led = isinstance(block, Remark) or (isinstance(block, Prose) and bool(block.lead))
    return led and isinstance(previous, Matrix | Derivation | Tree | Plot | HeatMap)


def _pieces(screen: Screen, block: Block) -> Iterator[Text]:
    match block:
        case Heading():
            yield from _heading(screen, block)
        case Prose():
            yield from _prose(screen, block.text, block.lead)
        case Remark():
            yield from _prose(screen, block.text, screen.view.say("lead.note"))
        case Matrix():
            for line in table_lines(block, screen.view, screen.room - INDENT, screen.color):
                yield Text(" " * INDENT).append_text(line)
        case Derivation():
            yield from _derivation(screen, block)
        case Plot():
            from attncalc.renderers.plot import plot_lines

            lines = plot_lines(block, screen.room - INDENT, screen.view.signs.ascii)
            yield from (Text(" " * INDENT + line) for line in ("", *lines))
        case HeatMap():
            from attncalc.renderers.heat import heat_lines

            yield from [Text(""), *([Text(" " * INDENT + block.caption, style="bold")] if block.caption else [])]
            for parts in heat_lines(block, screen.view, screen.room - INDENT):
                yield Text.assemble(" " * INDENT, *parts)
        case Tree():
            for branch in tree_lines(block, screen.view, screen.room - INDENT):
                yield Text(" " * INDENT + branch.guides) + Text(branch.name, style="bold") + Text(branch.rest)


def _heading(screen: Screen, heading: Heading) -> Iterator[Text]:
    yield Text("")
    number = f"{heading.number} " if heading.number else ""
    room = max(screen.room - cell_len(number), NARROWEST)
    lines = [Text(part, style="bold") for part in wrapped(heading.text, room)]
    if heading.formula:
        formula = screen.view.equation(heading.formula)
        _beside(lines, formula, 3, broken(formula, room), room, "magenta")
    if heading.aside:
        wide = max(min(screen.room, PROSE_WIDTH), 20) - cell_len(number)
        gap = max(wide - lines[-1].cell_len - cell_len(heading.aside), 2)
        _beside(lines, heading.aside, gap, wrapped(heading.aside, room), wide, "dim")
    for index, line in enumerate(lines):
        yield Text(" " * cell_len(number)) + line if index else Text(number, style="bold cyan") + line


def _beside(lines: list[Text], text: str, gap: int, parts: Sequence[str], room: int, style: str) -> None:
    """Puts a text behind the last line where there is room, else its parts under it."""
    if lines[-1].cell_len + gap + cell_len(text) <= room:
        lines[-1] = lines[-1] + Text(" " * gap + text, style=style)
    else:
        lines += [Text(part, style=style) for part in parts]


def _prose(screen: Screen, text: str, lead: str) -> Iterator[Text]:
    """A paragraph, its lines indented; a lead stands in front of the first."""
    room = max(min(screen.room, PROSE_WIDTH), 20)
    start = f"{lead}  " if lead else ""
    indent = cell_len(start) if lead else INDENT
    indent = indent if indent < room // 2 else 2
    for number, line in enumerate(wrapped(text, room - indent)):
        first = lead and number == 0
        yield Text.assemble((padded(start, indent) if first else " " * indent, "bold" if first else ""), line)


def _derivation(screen: Screen, block: Derivation) -> Iterator[Text]:
    notation = screen.view.notation()
    printed = [_Printed(line, notation.print(line.tree)) for line in block.lines]
    label = max((cell_len(p.line.label) for p in printed), default=0)
    result = max((cell_len(p.line.result) for p in printed), default=0)
    bar = BAR_WIDTH + 1 if any(p.line.share is not None for p in printed) else 0
    room = screen.room - INDENT - (label + 2 if label else 0) - result - 3
    widest = max((cell_len(p.expression) for p in printed), default=0)
    bar = bar if widest + bar <= room else 0
    expression = min(widest, max(room - bar, 12))
    for p in printed:
        yield from _line(screen, p, label, expression, result, bar)


class _Printed(NamedTuple):
    line: Line
    expression: str


def _line(screen: Screen, printed: _Printed, label: int, expression: int, result: int, bar: int) -> Iterator[Text]:
    """A derivation; one too long for its column is broken between terms, the result after the last."""
    line = printed.line
    *before, last = broken(printed.expression, expression)
    start = " " * INDENT + (padded(line.label, label) + "  " if label else "")
    blank = " " * cell_len(start)
    for part in before:
        yield Text(start + part)
        start = blank
    text = Text(f"{start}{padded(last, expression)} {line.relation} ")
    text.append(padded(line.result, result, right=True), style="bold")
    if bar and line.share is not None:
        text.append(" " + screen.view.signs.bar * round(line.share * BAR_WIDTH), style="cyan")
    if line.comment:
        comment = screen.view.say("in-brackets", text=line.comment)
        if text.cell_len + cell_len(comment) <= screen.room:
            yield text.append(comment, style="dim")
            return
        yield text
        for part in wrapped(comment.lstrip(), max(screen.room - len(blank), NARROWEST)):
            yield Text(blank) + Text(part, style="dim")
        return
    yield text


def broken(text: str, width: int) -> list[str]:
    """The text in parts of at most that many cells, broken at blanks only; a longer word stays whole."""
    parts: list[str] = []
    for word in text.split(" "):
        if parts and cell_len(parts[-1]) + 1 + cell_len(word) <= width:
            parts[-1] += f" {word}"
        else:
            parts.append(word)
    return parts
