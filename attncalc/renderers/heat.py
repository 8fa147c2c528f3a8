"""A map in a terminal: a shade for each cell, so that colour is not needed, with positions on two sides."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from attncalc.core.wrapping import beginning, cells
from attncalc.document.blocks import HeatMap
from attncalc.document.view import View

Piece = tuple[str, str]
"""A text and its style."""

LONGEST = 12
"""Columns of a label at the left side."""
WIDEST = 8
"""Columns of a cell."""
FRAME, GAP = 2, 3  # columns between labels and cells; blanks between labels below, and between the parts of the legend
NOT_A_NUMBER = "?"


def gutter(labels: Sequence[str]) -> int:
    """The columns that the labels at the left side take."""
    return min(max(map(cells, labels), default=0), LONGEST)


def heat_lines(block: HeatMap, view: View, room: int) -> Iterator[list[Piece]]:
    """The lines of a map: the labels of the rows, the cells, the labels of some columns, and what the shades mean."""
    left, signs = gutter(block.rows), view.signs
    wide = _wide(block.columns, room - left - FRAME)
    side, corner, floor, mark = ("|", "+", "-", "+") if signs.ascii else ("│", "└", "─", "┬")
    yield [(f"{block.rows_are} \\ {block.columns_are}", "dim")]
    for name, row in zip(block.rows, block.levels, strict=True):
        yield [(_fitted(name, left) + f" {side}", ""), *_shaded(row, view, wide)]
    ticks = dict(_ticks(block.columns, wide))
    axis = (mark if column in ticks else floor for column in range(wide * len(block.columns)))
    yield [(" " * (left + 1) + corner + "".join(axis), "")]
    yield [(" " * (left + FRAME) + _under(ticks), "")]
    yield from _legend(block, view, room)


def _wide(columns: Sequence[str], room: int) -> int:
    """The columns of the terminal for a cell: as many as its label, else two so that it is a square, else one."""
    label = max(map(cells, columns)) + 1
    return next(wide for wide in (label, 2, 1) if wide == 1 or (wide <= WIDEST and wide * len(columns) <= room))


def _fitted(name: str, width: int) -> str:
    """A label at the right of its column; a long one keeps its beginning."""
    if cells(name) > width:
        name = beginning(name, width - 1) + "…"
    return " " * (width - cells(name)) + name


def _sign(level: int | None, view: View) -> Piece:
    if level is None:
        return view.signs.hidden, "dim"
    return (NOT_A_NUMBER, "bold") if level < 0 else (view.signs.shades[level], "cyan")


def _shaded(row: Sequence[int | None], view: View, wide: int) -> Iterator[Piece]:
    """The cells, neighbours of one style together."""
    text = style = ""
    for level in row:
        sign, its = _sign(level, view)
        if its != style and text:
            yield text, style
            text = ""
        text, style = text + sign * wide, its
    yield text, style


def _ticks(columns: Sequence[str], wide: int) -> Iterator[tuple[int, str]]:
    """The columns that have a label, with it: each so far from the one before that it can be read."""
    widest = max(map(cells, columns))
    every = next(step for step in (1, 2, 5, 10, 20, 50, 100, 10**9) if step * wide > widest)
    yield from ((number * wide, columns[number]) for number in range(0, len(columns), every))


def _under(ticks: dict[int, str]) -> str:
    line = ""
    for column, label in ticks.items():
        line += " " * (column - cells(line)) + label
    return line


def _legend(block: HeatMap, view: View, room: int) -> Iterator[list[Piece]]:
    """What each sign means, as many as there are on the map."""
    there = {level for row in block.levels for level in row}
    entries = [(_sign(level, view), _meaning(level, block, view, there)) for level in range(len(block.begins) + 1)]
    entries += [(_sign(None, view), view.say("hidden"))] if None in there else []
    entries += [(_sign(-1, view), view.say("map-nan"))] if -1 in there else []
    line: list[Piece] = []
    for (sign, style), words in entries:
        entry = f" {words}"
        used = sum(cells(text) for text, _ in line)
        if line and used + 1 + cells(entry) + GAP > room:
            yield line
            line = []
        line += [(" " * GAP if line else "", ""), (sign, style), (entry, "")]
    yield line


def _meaning(level: int, block: HeatMap, view: View, there: Collection[int | None]) -> str:
    """`below 0.01`, `from 0.01`, `from 0.4 to 0.9`."""
    if level == 0:
        return view.say("map-below", number=block.begins[0])
    if level == len(block.begins) and level in there:
        return view.say("map-to", number=block.begins[-1], top=block.top)
    return view.say("map-from", number=block.begins[level - 1])
