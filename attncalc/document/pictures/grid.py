"""A table as boxes and texts: the labels on two sides, a box below each number that has a shade or is hidden."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.document.blocks import Figure, Matrix
from attncalc.document.pictures.drawing import Box, Part, Shape, Way, Words, shade_of, stacked
from attncalc.document.pictures.letters import LOOKS, height_of, width_of, written

PAD = 7
ROW = 24
WIDEST_LABEL = 96
"""A wider label over a column of narrow numbers is turned upwards."""


def grid(matrix: Matrix, least: tuple[float, float] = (0, 0)) -> Part:
    """A table, its cells at least so wide and high, under its caption."""
    table = _Grid(matrix, least).part()
    caption = [written([matrix.caption], "prose")] if matrix.caption else []
    return stacked([*caption, table], 3)


class _Grid:
    """Where the columns and rows of a table lie."""

    def __init__(self, matrix: Matrix, least: tuple[float, float]) -> None:
        self.matrix = matrix
        self.row = max(ROW, least[1])
        numbers = [max(width_of(cell.text, "number") for cell in column) for column in zip(*matrix.cells, strict=True)]
        labels = [width_of(label, "label") for label in matrix.columns]
        self.turned = any(label > max(number, WIDEST_LABEL) for label, number in zip(labels, numbers, strict=True))
        upright = [0.0 if self.turned else label for label in labels]
        columns = zip(numbers, upright, strict=True)
        self.widths = [max(*column, least[0] - 2 * PAD) + 2 * PAD for column in columns]
        self.corner = matrix.corner("\\")
        names = [width_of(self.corner, "corner"), *(width_of(label, "label") for label in matrix.rows)]
        self.left = max(names) + 2 * PAD
        self.head = max(labels) + 2 * PAD if self.turned else ROW

    def part(self) -> Part:
        """The whole table."""
        width, height = self.left + sum(self.widths), self.head + self.row * len(self.matrix.rows)
        return Part(width, height, (*self._heads(), *self._rows(), Way(((0, self.head), (width, self.head)), "rule")))

    def _columns(self) -> Iterator[tuple[float, float]]:
        """The left edge and the width of each column."""
        x = self.left
        for width in self.widths:
            yield x, width
            x += width

    def _heads(self) -> Iterator[Shape]:
        yield Words(0, self.head - 8, self.corner, "corner")
        for label, (x, width) in zip(self.matrix.columns, self._columns(), strict=True):
            if self.turned:
                middle = x + width / 2 + LOOKS["label"].size * 0.35
                yield Words(middle, self.head - PAD, label, "label", turned=True)
            else:
                yield Words(x + width - PAD, self.head - 7, label, "label", "end")

    def _rows(self) -> Iterator[Shape]:
        for number, (label, cells) in enumerate(zip(self.matrix.rows, self.matrix.cells, strict=True)):
            top = self.head + number * self.row
            yield Words(0, _baseline(top, self.row), label, "label")
            yield from self._cells(cells, top)

    def _cells(self, cells: Sequence[Figure], top: float) -> Iterator[Shape]:
        for cell, (x, width) in zip(cells, self._columns(), strict=True):
            shade = shade_of(cell.share) if cell.share is not None else None
            if cell.hidden or shade is not None:
                yield Box(x, top, width, self.row, "hidden" if cell.hidden else "shade", shade)
            yield Words(x + width - PAD, _baseline(top, self.row), cell.text, "number", "end", shade, cell.cell)


def _baseline(top: float, height: float) -> float:
    return top + height / 2 + LOOKS["number"].size * 0.35


def legend(texts: Sequence[tuple[str, str, int | None]]) -> Part:
    """Small boxes, each with what it means: text, look, shade."""
    shapes: list[Shape] = []
    x, size = 0.0, 16
    for text, look, shade in texts:
        if look:
            shapes.append(Box(x, 2, size, size, look, shade))
            x += size
        if text:
            shapes.append(Words(x + 5, 15, text, "prose"))
            x += width_of(text, "prose") + 16
    return Part(x, height_of("prose") + 4, tuple(shapes))
