"""A workbook as plain records: sheets of entries and of rules on their ranges, without a library for files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from attncalc.core.figures import Literal

MOST_DECIMALS = 30
"""Decimals that a number format can have."""

FAR = 1e10

TINY = "0.0E+0"
"""For a number whose places would show only zeros."""

NOT_A_NUMBER = "#N/A"


class Entry(NamedTuple):
    """What one cell holds: a number or a text, the formula that gives it, how it looks."""

    row: int
    column: int
    value: float | str
    style: str
    formula: str = ""
    format: str = ""


class Rule(NamedTuple):
    """What the look of a range depends on: `shade` of weights, `hidden` scores, a `flag` 1 or 0, `right`, `wrong`."""

    kind: str
    first: tuple[int, int]
    last: tuple[int, int]
    test: str = ""


class Sheet(NamedTuple):
    """A sheet; `widths` are those of its columns in characters, the last one for all that follow."""

    name: str
    entries: list[Entry]
    rules: list[Rule]
    widths: tuple[int, ...]
    heights: Mapping[int, float] = MappingProxyType({})  # of rows that are higher than a line
    frozen: tuple[int, int] = (0, 0)
    hidden: bool = False
    locked: bool = False
    hidden_from: int | None = None  # the first of the columns that are not seen


def number_format(value: float, places: int, smallest: float = 0.0) -> str:
    """Fixed places; scientific from 10^10 on and below the smallest number that is not shown as zeros.

    It has one section only: of several with conditions, LibreOffice leaves out the sign.
    """
    if value and abs(value) < smallest:
        return TINY
    return f"{_fixed(places)}E+0" if abs(value) >= FAR else _fixed(places)


def _fixed(places: int) -> str:
    return "0." + "0" * min(places, MOST_DECIMALS) if places else "0"


def written_format(number: Literal) -> str:
    """The places that a number was written with."""
    mantissa, _, exponent = number.text.lower().partition("e")
    fixed = _fixed(len(mantissa.partition(".")[2]))
    return f"{fixed}E+0" if exponent else fixed
