"""A map of cells as a picture: a square for each, positions on two sides, and below it what the shades begin at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from attncalc.document.blocks import HeatMap
from attncalc.document.pictures.drawing import Box, Part, Patches, Shape, Way, Words, moved, stacked
from attncalc.document.pictures.grid import legend
from attncalc.document.pictures.letters import LOOKS, width_of, written
from attncalc.document.view import View

SIDE, ONE_OF_SEVERAL, LARGEST, SMALLEST = 600, 480, 28, 4
"""The longer side of a map alone and of one among several, and a cell's at most and at least."""
GAP, TICK = 8, 5
STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500)
SWATCH, HIGH = 46, 14
NO_NUMBER = "formula"
"""The look of a cell that is no number."""


def weights_map(block: HeatMap, view: View, side: int = SIDE) -> Part:
    """The map under its caption, its longer side at most so long."""
    caption = [written([block.caption], "heading")] if block.caption else []
    return stacked([*caption, _Drawn(block, side).part(), _scale(block, view)], 12)


class _Drawn:
    """Where the cells lie."""

    def __init__(self, block: HeatMap, side: int) -> None:
        self.block = block
        rows, columns = len(block.rows), len(block.columns)
        self.cell = max(SMALLEST, min(LARGEST, side // max(rows, columns)))
        self.width, self.height = columns * self.cell, rows * self.cell
        self.left = max(width_of(name, "corner") for name in (*block.rows, block.rows_are)) + GAP + TICK
        widest = max(width_of(name, "corner") for name in block.columns)
        self.turned = widest + GAP > self.cell and not block.columns[-1].isdigit()
        self.top = (widest if self.turned else LOOKS["corner"].size) + GAP + TICK

    def part(self) -> Part:
        """The cells, their frame, and the positions at the left and above."""
        head = 20
        shapes = [*self._names(), *self._patches(), *self._rows(), *self._columns(), self._frame()]
        right = max(width_of(name, "corner") for name in self.block.columns)
        size = (self.left + self.width + right, head + self.top + self.height + 2)
        return Part(*size, moved(Part(*size, tuple(shapes)), 0, head))

    def _names(self) -> Iterator[Shape]:
        middle = self.left + self.width / 2
        yield Words(middle, -6, self.block.columns_are, "label", "middle")
        yield Words(0, self.top - GAP, self.block.rows_are, "label")

    def _frame(self) -> Shape:
        right, floor = self.left + self.width, self.top + self.height
        corners = ((self.left, self.top), (right, self.top), (right, floor), (self.left, floor), (self.left, self.top))
        return Way(corners, "rule")

    def _patches(self) -> Iterator[Shape]:
        """The cells of each level; the lowest is the paper."""
        found: dict[int | None, list[tuple[float, float, float, float]]] = {}
        for number, row in enumerate(self.block.levels):
            x = self.left
            for level, run in groupby(row):
                width = len(list(run)) * self.cell
                found.setdefault(level, []).append((x, self.top + number * self.cell, width, self.cell))
                x += width
        for level, boxes in sorted(found.items(), key=lambda pair: -2 if pair[0] is None else pair[0]):
            if level is None:
                yield Patches(tuple(boxes), "hidden")
            elif level:
                yield Patches(tuple(boxes), NO_NUMBER if level < 0 else "shade", None if level < 0 else level)

    def _rows(self) -> Iterator[Shape]:
        for number, name in _some(self.block.rows, (LOOKS["corner"].size + 2) / self.cell):
            y = self.top + (number + 0.5) * self.cell
            yield Words(self.left - GAP - 2, y + LOOKS["corner"].size * 0.35, name, "corner", "end")
            yield Way(((self.left - TICK, y), (self.left, y)), "rule")

    def _columns(self) -> Iterator[Shape]:
        widest = max(width_of(name, "corner") for name in self.block.columns) + GAP
        for number, name in _some(self.block.columns, (LOOKS["corner"].size if self.turned else widest) / self.cell):
            x = self.left + (number + 0.5) * self.cell
            yield Way(((x, self.top - TICK), (x, self.top)), "rule")
            if self.turned:
                yield Words(x + LOOKS["corner"].size * 0.35, self.top - GAP, name, "corner", turned=True)
            else:
                yield Words(x, self.top - GAP, name, "corner", "middle")


def _some(names: Sequence[str], least: float) -> Iterator[tuple[int, str]]:
    """Every name, or every second, fifth, tenth …: at least so many apart."""
    every = next((step for step in STEPS if step >= least), len(names))
    yield from ((number, names[number]) for number in range(0, len(names), every))


def _scale(block: HeatMap, view: View) -> Part:
    """The shades beside each other with the numbers at which they begin, then the hatching and what is no number."""
    count = len(block.begins) + 1
    shapes: list[Shape] = []
    for level in range(count):
        shapes.append(Box(level * SWATCH, 0, SWATCH, HIGH, "shade", level))
    shapes.append(Way(((0, 0), (count * SWATCH, 0), (count * SWATCH, HIGH), (0, HIGH), (0, 0)), "rule"))
    there = {level for row in block.levels for level in row}
    for level, text in enumerate((*block.begins, block.top if count - 1 in there else ""), 1):
        if text and (level % 2 or level == count):
            shapes.append(Words(level * SWATCH, HIGH + 15, text, "corner", "middle"))
    width = count * SWATCH + width_of(block.top, "corner") / 2
    more = [(view.say("hidden"), "hidden", None)] if None in there else []
    more += [(view.say("map-nan"), NO_NUMBER, None)] if -1 in there else []
    title = written([view.say("map-scale")], "prose")
    return stacked([title, Part(width, HIGH + 20, tuple(shapes)), *([legend(more)] if more else [])], 5)
