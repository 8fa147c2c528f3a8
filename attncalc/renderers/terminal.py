"""The terminal: tables that are measured first, so that no digit is lost, and lines that wrap between terms.

Every text that may hold a token goes to Rich as `Text`, never as markup.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import NamedTuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import (
    Block,
    Derivation,
    Figure,
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

PROSE_WIDTH = 100
BAR_WIDTH = 16
INDENT = 4
GAP = 3
NARROWEST = 16
UNBOUNDED = 100_000


class Screen(NamedTuple):
    """How wide and how colourful; without a width as wide as the content."""

    view: View
    width: int | None
    console: Console

    @property
    def room(self) -> int:
        """The columns there are."""
        return self.width or UNBOUNDED


def render(blocks: Sequence[Block], view: View, width: int | None = None, color: bool = False) -> str:
    """The blocks as lines for a terminal of that width."""
    out = io.StringIO()
    console = Console(
        file=out, width=UNBOUNDED, color_system="standard" if color else None, force_terminal=color, highlight=False,
        legacy_windows=False, _environ={},
    )  # fmt: skip
    text = Text("\n").join(_document(Screen(view, width, console), blocks))
    if color:  # all lines at once: one call of Rich costs far more than one line
        console.print(text, soft_wrap=True)
    return "\n".join(line.rstrip() for line in (out.getvalue() if color else f"{text.plain}\n").split("\n"))


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
            yield from _matrix(screen, block)
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
            for line in tree_lines(block, screen.view, screen.room - INDENT):
                yield Text(" " * INDENT + line.guides) + Text(line.name, style="bold") + Text(line.rest)


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


def padded(text: str, width: int, right: bool = False) -> str:
    """The text filled up to that many cells."""
    gap = " " * max(width - cell_len(text), 0)
    return gap + text if right else text + gap


def _matrix(screen: Screen, block: Matrix) -> Iterator[Text]:
    """A table, in blocks of columns where it is wider than the screen."""
    texts = [[_cell_text(screen, cell) for cell in row] for row in block.cells]
    widths = [max(map(cell_len, (name, *(row[i] for row in texts)))) for i, name in enumerate(block.columns)]
    labels = max(map(cell_len, (block.corner("\\"), *block.rows)))
    room = screen.room - INDENT - labels - GAP
    texts_only = not block.columns_are
    if texts_only and len(widths) > 1 and sum(widths) + GAP * (len(widths) - 1) > room:
        yield from _stacked(block, screen.room - 2 * INDENT)
        return
    if texts_only and not block.numeric:  # a number is never cut
        widths[-1] = min(widths[-1], max(room - sum(widths[:-1]) - GAP * (len(widths) - 1), NARROWEST))
    blocks = [(0, len(widths))] if texts_only else column_blocks(widths, room)
    for start, stop in blocks:
        caption = _caption(screen, block, start, stop, len(blocks) > 1)
        if caption:
            yield Text(" " * INDENT + caption)
        part = [row[start:stop] for row in texts]
        yield from _part(screen, block, part, slice(start, stop), widths[start:stop], labels)


def _stacked(block: Matrix, room: int) -> Iterator[Text]:
    """A table of texts that is too wide: each row as lines under its name."""
    for name, row in zip(block.rows, block.cells, strict=True):
        yield Text(" " * INDENT) + Text(name, style="bold")
        for column, cell in zip(block.columns, row, strict=True):
            for number, line in enumerate(wrapped(f"{column}  {cell.text}", max(room, NARROWEST))):
                yield Text(" " * (2 * INDENT if number == 0 else 3 * INDENT - 1) + line)


def _caption(screen: Screen, block: Matrix, start: int, stop: int, several: bool) -> str:
    code = "columns-of" if stop - start > 1 else "column-of"
    columns = screen.view.say(code, first=start + 1, last=stop, all=len(block.columns)) if several else ""
    return screen.view.say("list-comma").join(part for part in (block.caption, columns) if part)


def column_blocks(widths: Sequence[int], room: int) -> list[tuple[int, int]]:
    """The runs of columns that fit the room, three cells between columns; at least one column each."""
    blocks: list[tuple[int, int]] = []
    start, used = 0, 0
    for position, width in enumerate(widths):
        if position > start and used + width + GAP > room:
            blocks.append((start, position))
            start, used = position, 0
        used += width + GAP
    return [*blocks, (start, len(widths))]


def _part(
    screen: Screen, block: Matrix, texts: Sequence[Sequence[str]], part: slice, widths: Sequence[int], labels: int
) -> Iterator[Text]:  # fmt: skip
    """One block of columns: the names of the columns, a line under them, the rows under their labels."""
    between, rule, crossing = (" | ", "-", "-+-") if screen.view.signs.ascii else ("   ", "─", "───")
    start, blank = " " * INDENT, " " * labels
    names = _aligned(block.columns[part], widths, block.numeric)
    for label, line in zip(chain([block.corner("\\")], repeat("")), names, strict=False):
        yield Text(start).append(padded(label, labels), "bold").append(between).append(line, "bold")
    yield Text(start + rule * labels + crossing + rule * (sum(widths) + GAP * (len(widths) - 1)))
    for name, row, cells in zip(block.rows, texts, block.cells, strict=True):
        first, *more = _aligned(row, widths, block.numeric)
        body = Text(first)
        if screen.console.color_system:
            _dim_hidden(body, cells[part], widths)
        yield Text(start).append(padded(name, labels), "bold").append(between).append_text(body)
        yield from (Text(start + blank + between + line) for line in more)


def _dim_hidden(body: Text, cells: Sequence[Figure], widths: Sequence[int]) -> None:
    start = 0
    for cell, width in zip(cells, widths, strict=True):
        if cell.hidden:
            body.stylize("dim", start, start + width)
        start += width + GAP


def _aligned(texts: Sequence[str], widths: Sequence[int], right: bool) -> list[str]:
    """The texts of a row, each filled up to its column; a last text that is too long goes on in further lines."""
    first = [padded(text, width, right) for text, width in zip(texts[:-1], widths[:-1], strict=True)]
    blank = [" " * width for width in widths[:-1]]
    lines = [texts[-1]] if right or cell_len(texts[-1]) <= widths[-1] else wrapped(texts[-1], widths[-1])
    rows = [[*(blank if number else first), padded(line, widths[-1], right)] for number, line in enumerate(lines)]
    return [(" " * GAP).join(row) for row in rows]


def _cell_text(screen: Screen, cell: Figure) -> str:
    """The number, and after a weight a shade by its size, so that it is seen without colour too."""
    if cell.share is None:
        return f"{cell.text}  " if cell.hidden else cell.text
    return f"{cell.text} {screen.view.signs.shade(cell.share)}"
