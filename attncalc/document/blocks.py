"""The closed set of blocks between composing and rendering."""

from __future__ import annotations

from typing import NamedTuple

from attncalc.core.expression import Expression


class Equation(NamedTuple):
    """`left = right` in symbols."""

    left: str
    right: Expression


class Heading(NamedTuple):
    """The title of a part: a step's number and formula, or neither; `aside` stands at the far end of the line."""

    text: str
    number: str = ""
    formula: Equation | None = None
    aside: str = ""


class Prose(NamedTuple):
    """A paragraph; `lead` is a word in front of it, such as "Reading"."""

    text: str
    lead: str = ""


class Figure(NamedTuple):
    """One cell of a matrix as text. `share` between 0 and 1 asks for a bar or shade beside the number."""

    text: str
    hidden: bool = False
    share: float | None = None


class Matrix(NamedTuple):
    """A table with labels on both sides; `rows_are` and `columns_are` name what the axes are."""

    caption: str
    rows_are: str
    columns_are: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Figure, ...], ...]
    numeric: bool = True


class Line(NamedTuple):
    """A derivation of one number: its cell and short label, what is put in, how exact the equality is, the result."""

    cell: str
    label: str
    tree: Expression
    relation: str
    result: str
    share: float | None = None
    comment: str = ""


class Derivation(NamedTuple):
    """Lines that belong under each other, and the formula that each of them fills in."""

    lines: tuple[Line, ...]
    formula: Expression | None = None


class Remark(NamedTuple):
    """A note, with the code of the contract."""

    code: str
    text: str


Block = Heading | Prose | Matrix | Derivation | Remark
