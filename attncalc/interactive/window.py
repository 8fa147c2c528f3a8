"""The part of a large table that fits: which rows and columns are seen, and the text of each visible cell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from attncalc.core.wrapping import beginning, cells
from attncalc.document.blocks import Figure
from attncalc.document.signs import Signs

LONGEST_LABEL = 14
MARGIN = 3  # beside a number for its marks: one cell before, two behind

CURSOR, SOURCE, CHANGED, HIDDEN, LABEL, HERE, PLAIN = "cursor", "source", "changed", "hidden", "label", "here", ""


class Table(NamedTuple):
    """A table as it is asked for, cell by cell; `marks` say of a cell that it is a source, or changed."""

    corner: str
    rows: Sequence[str]
    columns: Sequence[str]
    figure: Callable[[int, int], Figure]
    marks: Callable[[int, int], tuple[bool, bool]]
    cursor: tuple[int, int] | None
    focus: tuple[int, int]  # what has to be seen
    signs: Signs


class Piece(NamedTuple):
    """A text with one look."""

    text: str
    look: str = PLAIN


class Window(NamedTuple):
    """What is seen: the lines, the first row and column, and where each column begins and ends on the line."""

    lines: list[list[Piece]]
    top: int
    left: int
    spans: list[tuple[int, int]]
    rows: int


def window(table: Table, width: int, height: int, top: int = 0, left: int = 0) -> Window:
    """The table cut to so many cells and lines, moved from where it was no further than the focus asks."""
    row, column = table.focus
    seen_rows = max(height - 1, 1)
    top = max(min(max(top, row - seen_rows + 1), row, len(table.rows) - seen_rows), 0)
    visible = range(top, min(top + seen_rows, len(table.rows)))
    label = min(max((cells(table.rows[r]) for r in visible), default=0), LONGEST_LABEL)
    label = min(max(label, min(cells(table.corner), LONGEST_LABEL)), max(width // 3, 3))
    left, widths = _columns(table, visible, min(left, column), column, width - label - 1)
    spans, at = [], label + 1
    for size in widths:
        spans.append((at, at + size))
        at += size
    lines = [_header(table, label, left, widths)]
    lines += [_row(table, r, label, left, widths) for r in visible]
    return Window(lines, top, left, spans, len(visible))


def _columns(table: Table, rows: range, left: int, wanted: int, room: int) -> tuple[int, list[int]]:
    """The first column and the widths of those that fit, so that the wanted one is among them."""
    while True:
        widths: list[int] = []
        for column in range(left, len(table.columns)):
            size = min(_width(table, rows, column), max(room, MARGIN + 1))
            if widths and sum(widths) + size > room:
                break
            widths.append(size)
        if wanted < left + len(widths) or left >= wanted:
            return left, widths
        left += 1


def _width(table: Table, rows: range, column: int) -> int:
    texts = [min(cells(table.columns[column]), LONGEST_LABEL)]
    texts += [cells(_text(table, table.figure(row, column))) for row in rows]
    return max(texts) + MARGIN


def _text(table: Table, figure: Figure) -> str:
    """The number, after a weight a shade by its size, so that it is seen without colour too."""
    return figure.text if figure.share is None else f"{figure.text} {table.signs.shade(figure.share)}"


def _header(table: Table, label: int, left: int, widths: Sequence[int]) -> list[Piece]:
    pieces = [Piece(_filled(table.corner, label) + " ", LABEL)]
    for number, size in enumerate(widths):
        here = table.cursor is not None and table.cursor[1] == left + number
        text = _filled(table.columns[left + number], size - MARGIN, right=True)
        pieces.append(Piece(f" {text}  ", HERE if here else LABEL))
    return pieces


def _row(table: Table, row: int, label: int, left: int, widths: Sequence[int]) -> list[Piece]:
    here = table.cursor is not None and table.cursor[0] == row
    pieces = [Piece(_filled(table.rows[row], label) + " ", HERE if here else LABEL)]
    return pieces + [_cell(table, row, left + number, size) for number, size in enumerate(widths)]


def _cell(table: Table, row: int, column: int, size: int) -> Piece:
    """A number with its marks: brackets for the cursor, an arrow for a source, a star for a change."""
    figure = table.figure(row, column)
    source, changed = table.marks(row, column)
    cursor = table.cursor == (row, column)
    arrow = ">" if table.signs.ascii else "→"
    text = _filled(_text(table, figure), size - MARGIN, right=True)
    before = "[" if cursor else arrow if source else " "
    after = ("]" if cursor else " ") + ("*" if changed else " ")
    look = CURSOR if cursor else SOURCE if source else CHANGED if changed else HIDDEN if figure.hidden else PLAIN
    return Piece(f"{before}{text}{after}", look)


def _filled(text: str, width: int, right: bool = False) -> str:
    """The text in exactly that many cells: filled up, or cut with dots where it is wider than all the room there is.

    A number that is cut here stands whole below the table.
    """
    if cells(text) > width:
        text = beginning(text, max(width - 1, 0)) + ("…" if width > 0 else "")
    gap = " " * max(width - cells(text), 0)
    return gap + text if right else text + gap
