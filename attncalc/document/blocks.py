"""The closed set of blocks between composing and rendering."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from attncalc.core.expression import Cell, Expression


class Equation(NamedTuple):
    """`left = right` in symbols."""

    left: str
    right: Expression


class Heading(NamedTuple):
    """The title of a part: a step's number and formula, or neither; `aside` stands at the far end of the line.

    `new_page` asks for a page of its own where there are pages; one that is `below` belongs to the title before it.
    """

    text: str
    number: str = ""
    formula: Equation | None = None
    aside: str = ""
    new_page: bool = False
    below: bool = False

    @property
    def is_title(self) -> bool:
        """Whether it begins a document of its own: it says more at the end of its line and stands by itself."""
        return self.aside != "" and not self.below


class Prose(NamedTuple):
    """A paragraph; `lead` is a word in front of it, such as "Reading"."""

    text: str
    lead: str = ""


class Figure(NamedTuple):
    """One cell of a matrix as text. `share` between 0 and 1 asks for a bar or shade beside the number.

    `cell` is the place of the trace that the number stands in, for formats in which it can be asked about.
    """

    text: str
    hidden: bool = False
    share: float | None = None
    cell: Cell | None = None


class Matrix(NamedTuple):
    """A table with labels on both sides; `rows_are` and `columns_are` name what the axes are."""

    caption: str
    rows_are: str
    columns_are: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Figure, ...], ...]
    numeric: bool = True
    batch: int | None = None  # the batch entry it is of, where there are several
    heads: tuple[int, ...] = ()  # the query heads that it is of or that read it, where there are several

    def corner(self, sign: str) -> str:
        """What stands above the labels of the rows: what rows and columns are, with the sign between them."""
        return f" {sign} ".join(part for part in (self.rows_are, self.columns_are) if part)


class Line(NamedTuple):
    """A derivation of one number: its cell and short label, what is put in, how exact the equality is, the result."""

    cell: str
    label: str
    tree: Expression
    relation: str
    result: str
    share: float | None = None
    comment: str = ""
    of: Cell | None = None  # the place of the trace


class Derivation(NamedTuple):
    """Lines that belong under each other, and the formula that each of them fills in."""

    lines: tuple[Line, ...]
    formula: Expression | None = None


TOGETHER = "\u00a0"
"""A blank at which no line is broken; renderers write it as a blank."""


class Branch(NamedTuple):
    """One cell of a tree: how deep it hangs, its name, how it arises (None: not said here), its number, a word more."""

    depth: int
    name: str
    tree: Expression | None
    relation: str
    result: str
    comment: str = ""
    formula: Equation | None = None


class Tree(NamedTuple):
    """Cells under the cells that are made from them."""

    branches: tuple[Branch, ...]


class Curve(NamedTuple):
    """The numbers of one curve of a plot, point by point; None where there is none to draw."""

    name: str
    numbers: tuple[float | None, ...]


class Plot(NamedTuple):
    """Curves over the values that a number takes, which say nothing that the tables do not say.

    `axis` names the number, `points` are its values as texts, `at` how far along they lie from 0 to 1, as does `own`, a
    value to mark. The curves lie between `low` and `high`, of which `lowest` and `highest` are the texts.
    """

    axis: str
    points: tuple[str, ...]
    at: tuple[float, ...]
    curves: tuple[Curve, ...]
    low: float
    high: float
    lowest: str
    highest: str
    own: float | None = None

    def pieces(self, curve: Curve) -> list[list[tuple[float, float]]]:
        """The points of a curve between its gaps, each as its shares of the width and of the height."""
        found: list[list[tuple[float, float]]] = []
        for there, points in groupby(zip(self.at, curve.numbers, strict=True), key=lambda point: point[1] is not None):
            if there:
                found.append([(x, self.share(y)) for x, y in points if y is not None])
        return found

    def share(self, number: float) -> float:
        """How high a number lies between the lowest and the highest, from 0 to 1."""
        return (number - self.low) / (self.high - self.low)


class HeatMap(NamedTuple):
    """A map of cells, each as its level of shade: None is hidden, −1 no number, the lowest is 0.

    `begins` are the numbers at which the levels from 1 on begin, as texts, and `top` is the largest; `rows` and
    `columns` are called by tokens, or by the position where each begins. `said` is the map in a sentence.
    """

    caption: str
    rows_are: str
    columns_are: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    levels: tuple[tuple[int | None, ...], ...]
    begins: tuple[str, ...]
    top: str
    said: str


class Remark(NamedTuple):
    """A note, with the code of the contract."""

    code: str
    text: str


Block = Heading | Prose | Matrix | Derivation | Tree | Plot | HeatMap | Remark


def without_remarks(blocks: Iterable[Block], quiet: bool) -> list[Block]:
    """The blocks, without notes where quiet is asked for."""
    return [block for block in blocks if not (quiet and isinstance(block, Remark))]
