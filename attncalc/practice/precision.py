"""How precisely answers say their numbers: to the digits that people write, or in a width of binary numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import WIDE
from attncalc.explore.verify import WHOLE_WEIGHT
from attncalc.practice.answered import DIGITS, NOISE
from attncalc.practice.numbers_typed import TypedNumber
from attncalc.scenario_files.json_text import each_once

MOST_SHORT = 15
"""A number with so many digits is one that a program printed."""
FEW_PLACES, FEW_DIGITS = 6, 7
"""Fewer than a program prints of a binary number that it does not round."""
MOST_ROUNDED = 10
"""The most decimals that numbers are rounded to for people to read."""


class Width(NamedTuple):
    """What shows that a program printed binary numbers of a width: so many long numbers, and all of them such.

    `digits` make a number long; `holds` is asked with the numbers as they are written and as doubles.
    """

    precision: str
    digits: int
    least: int
    holds: Callable[[Sequence[Decimal], Values], bool]


def precision_of(numbers: Sequence[TypedNumber]) -> str:
    """The width of the binary numbers that a program printed, or "digits" for numbers that people write.

    A printed float32 is a double that a float32 equals, or the shortest text of one, with too many digits to be so by
    chance.
    """
    times = Counter(map(id, numbers))
    plain = [number for number in each_once(numbers) if number.value.is_finite()]
    if any(number.unit is None for number in plain):
        return DIGITS
    decimals = [number.value for number in plain]
    digits = [len(value.as_tuple().digits) for value in decimals]
    values = np.array([float(value) for value in decimals])
    if not plain or _to_places(decimals, digits, FEW_PLACES, FEW_DIGITS):
        return DIGITS
    for width in WIDTHS:
        long = sum(times[id(number)] for number, n in zip(plain, digits, strict=True) if n >= width.digits)
        if long >= width.least and width.holds(decimals, values):
            return width.precision
    rounded = _to_places(decimals, digits, MOST_ROUNDED, MOST_SHORT)
    return "float64" if max(digits) >= MOST_SHORT and not rounded else DIGITS


def within_of_weight(number: TypedNumber | None) -> Decimal | None:
    """A weight written as 0 or 1 is right within half a percent."""
    if number is None:
        return None
    whole = number.unit is not None and number.unit >= 1 and number.value in (0, 1)
    return WHOLE_WEIGHT if whole else number.within


def within(number: TypedNumber | None) -> Decimal | None:
    """Half a unit of the last digit; of more digits than a double has, what its noise leaves."""
    if number is None:
        return None
    value = number.value
    if number.unit is None or not value.is_finite() or len(value.as_tuple().digits) < MOST_SHORT or _is_fine(value):
        return number.within
    return max(number.within, WIDE.multiply(value.copy_abs(), Decimal(NOISE["float64"])))


def _to_places(decimals: Sequence[Decimal], digits: Sequence[int], most: int, short: int) -> bool:
    """Whether numbers have the same few decimals, short ones too: they were rounded, and large ones are long."""
    places = {_decimals(value) for value in decimals}
    return len(places) == 1 and max(places) <= most and min(digits) < short


def _decimals(value: Decimal) -> int:
    return -int(value.as_tuple().exponent)


def _is_fine(value: Decimal) -> bool:
    """Whether a number has more decimals than people round to: one near 1 has then as many digits as a double."""
    return _decimals(value) > MOST_ROUNDED


def _equals(kind: Any) -> Callable[[Sequence[Decimal], Values], bool]:
    """Whether every number is one of a type."""

    def holds(decimals: Sequence[Decimal], values: Values) -> bool:
        with np.errstate(over="ignore"):
            return bool((values.astype(kind) == values).all())

    return holds


def _equals_bfloat16(decimals: Sequence[Decimal], values: Values) -> bool:
    """Whether every number is the upper half of a float32."""
    return _equals(np.float32)(decimals, values) and not (values.astype(np.float32).view(np.uint32) & 0xFFFF).any()


def _is_shortest(decimals: Sequence[Decimal], values: Values) -> bool:
    """Whether every number is what a float32 is printed as."""
    with np.errstate(over="ignore"):
        return all(Decimal(str(x)) == d for x, d in zip(values.astype(np.float32), decimals, strict=True))


WIDTHS = (
    Width("bfloat16", 7, 4, _equals_bfloat16), Width("float16", 7, 4, _equals(np.float16)),
    Width("float32", 12, 1, _equals(np.float32)), Width("float32", 8, 4, _is_shortest),
)  # fmt: skip
