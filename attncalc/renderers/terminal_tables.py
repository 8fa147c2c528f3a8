"""Tables for a terminal: measured first, so that no digit is lost, and in blocks of columns where they are wide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat

from rich.cells import cell_len
from rich.text import Text

from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.view import View

GAP = 3
NARROWEST = 16
"""Cells that a text has before it is broken, however narrow the screen."""
FURTHER = 4
"""How far the texts of a row are set in under its name, where they have no room beside it."""


def table_lines(block: Matrix, view: View, room: int, color: bool) -> Iterator[Text]:
    """A table, in blocks of columns where it is wider than the screen."""
    texts = [[_cell_text(cell, view) for cell in row] for row in block.cells]
    widths = [max(map(_width, (name, *(row[i] for row in texts)))) for i, name in enumerate(block.columns)]
    labels = max(map(_width, (block.corner("\\"), *block.rows)))
    beside = room - labels - GAP
    texts_only = not block.columns_are
    if texts_only and len(widths) > 1 and sum(widths) + GAP * (len(widths) - 1) > beside:
        yield from _stacked(block, room - FURTHER)
        return
    if texts_only and not block.numeric:  # a number is never cut
        widths[-1] = min(widths[-1], max(beside - sum(widths[:-1]) - GAP * (len(widths) - 1), NARROWEST))
    blocks = [(0, len(widths))] if texts_only else column_blocks(widths, beside)
    for start, stop in blocks:
        caption = _caption(block, view, start, stop, len(blocks) > 1)
        if caption:
            yield Text(caption)
        yield from _part(block, slice(start, stop), texts, widths, labels, view.signs.ascii, color)


def _stacked(block: Matrix, room: int) -> Iterator[Text]:
    """A table of texts that is too wide: each row as lines under its name."""
    for name, row in zip(block.rows, block.cells, strict=True):
        yield Text(name, style="bold")
        for column, cell in zip(block.columns, row, strict=True):
            for number, line in enumerate(wrapped(f"{column}  {cell.text}", max(room, NARROWEST))):
                yield Text(" " * (FURTHER if number == 0 else 2 * FURTHER - 1) + line)


def _caption(block: Matrix, view: View, start: int, stop: int, several: bool) -> str:
    code = "columns-of" if stop - start > 1 else "column-of"
    columns = view.say(code, first=start + 1, last=stop, all=len(block.columns)) if several else ""
    return view.say("list-comma").join(part for part in (block.caption, columns) if part)


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
    block: Matrix, part: slice, texts: Sequence[Sequence[str]], widths: Sequence[int], labels: int, ascii_only: bool,
    color: bool,
) -> Iterator[Text]:  # fmt: skip
    """One block of columns: the names of the columns, a line under them, the rows under their labels."""
    between, rule, crossing = (" | ", "-", "-+-") if ascii_only else ("   ", "─", "───")
    widths = widths[part]
    names = _aligned(block.columns[part], widths, block.numeric)
    for label, name in zip(chain([block.corner("\\")], repeat("")), names, strict=False):
        yield Text().append(padded(label, labels), "bold").append(between).append(name, "bold")
    yield Text(rule * labels + crossing + rule * (sum(widths) + GAP * (len(widths) - 1)))
    for name, row, cells in zip(block.rows, texts, block.cells, strict=True):
        first, *more = _aligned(row[part], widths, block.numeric)
        label = padded(name, labels)
        line = Text(f"{label}{between}{first}")
        if color:
            line.stylize("bold", 0, len(label))
            _dim_hidden(line, cells[part], widths, len(label) + len(between))
        yield line
        yield from (Text(" " * labels + between + rest) for rest in more)


def _dim_hidden(line: Text, cells: Sequence[Figure], widths: Sequence[int], start: int) -> None:
    """Dims what is hidden in a row that begins there."""
    for cell, width in zip(cells, widths, strict=True):
        if cell.hidden:
            line.stylize("dim", start, start + width)
        start += width + GAP


def _aligned(texts: Sequence[str], widths: Sequence[int], right: bool) -> list[str]:
    """The texts of a row, each filled up to its column; a last text that is too long goes on in further lines."""
    first = [padded(text, width, right) for text, width in zip(texts[:-1], widths[:-1], strict=True)]
    blank = [" " * width for width in widths[:-1]]
    lines = [texts[-1]] if right or _width(texts[-1]) <= widths[-1] else wrapped(texts[-1], widths[-1])
    rows = [[*(blank if number else first), padded(line, widths[-1], right)] for number, line in enumerate(lines)]
    return [(" " * GAP).join(row) for row in rows]


def _cell_text(cell: Figure, view: View) -> str:
    """The number, and after a weight a shade by its size, so that it is seen without colour too."""
    if cell.share is None:
        return f"{cell.text}  " if cell.hidden else cell.text
    return f"{cell.text} {view.signs.shade(cell.share)}"


def _width(text: str) -> int:
    """The cells that a text without control characters takes."""
    return len(text) if text.isascii() else cell_len(text)


def padded(text: str, width: int, right: bool = False) -> str:
    """The text filled up to that many cells."""
    gap = " " * max(width - _width(text), 0)
    return gap + text if right else text + gap
