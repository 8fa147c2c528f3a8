"""One number that moves: the values it takes, and what a row of numbers does meanwhile."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from attncalc.core.figures import WIDE

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
ENDLESS = Context(prec=12)
"""For a value whose digits do not end."""

FEWEST, MOST = 2, 1000


def values_between(first: Decimal, last: Decimal, count: int) -> list[Decimal]:
    """So many values at equal distances, both ends among them: exact, or to 12 digits where they do not end."""
    start, step = Fraction(first), (Fraction(last) - Fraction(first)) / (count - 1)
    return [first, *(_decimal(start + step * number) for number in range(1, count - 1)), last]


def _decimal(value: Fraction) -> Decimal:
    """The decimal of a fraction; one ends where its denominator is made of twos and fives."""
    rest, digits = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        digits = max(digits, count)
    if rest == 1:
        return Decimal(int(value * 10**digits)).scaleb(-digits, WIDE)
    return ENDLESS.divide(Decimal(value.numerator), Decimal(value.denominator))


def written(values: Sequence[Decimal]) -> list[str]:
    """The values as they are put in: with as many decimals each, or with exponents where zeros would be many."""
    short = [value.normalize(WIDE) if value else Decimal(0) for value in values]
    if any(not -20 < value.adjusted() < 20 for value in short):
        return [str(value).replace("E+", "e").replace("E", "e") for value in short]
    if any(len(value.as_tuple().digits) >= ENDLESS.prec for value in short):  # a digit more would be a wrong one
        return [format(value, "f") for value in short]
    decimals = max(max(0, -int(value.as_tuple().exponent)) for value in short)
    return [format(value.quantize(Decimal(1).scaleb(-decimals, WIDE), context=WIDE), "f") for value in short]


class Lead(NamedTuple):
    """The columns that have the largest number, and the first and the last point at which they have."""

    columns: tuple[int, ...]
    first: int
    last: int


def leads(rows: Sequence[Sequence[float]]) -> list[Lead]:
    """Who has the largest number along the points; a point at which one is NaN belongs to nobody."""
    tops = [_top(row) for row in rows]
    runs = groupby(range(len(rows)), key=lambda point: tops[point])
    return [Lead(columns, points[0], points[-1]) for columns, run in runs if (points := list(run)) and columns]


def _top(row: Sequence[float]) -> tuple[int, ...]:
    if any(math.isnan(x) for x in row):
        return ()
    return tuple(column for column, x in enumerate(row) if x == max(row))


class Move(NamedTuple):
    """A column, and the two points between which it moves furthest, in their order."""

    column: int
    first: int
    last: int
    width: float


def moves(rows: Sequence[Sequence[float]]) -> list[Move]:
    """How far each column moves, the furthest first; one that is never finite does not move."""
    found = (_move(column, [row[column] for row in rows]) for column in range(len(rows[0])))
    return sorted(found, key=lambda move: (-move.width, move.column))


def _move(column: int, numbers: Sequence[float]) -> Move:
    points = [point for point, x in enumerate(numbers) if math.isfinite(x)]
    if not points:
        return Move(column, 0, 0, 0.0)
    low, high = (choose(points, key=lambda point: numbers[point]) for choose in (min, max))
    return Move(column, min(low, high), max(low, high), numbers[high] - numbers[low])
