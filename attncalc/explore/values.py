"""The values that a number takes between two ends, as decimals and as they are typed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction

from attncalc.core.figures import WIDE
from attncalc.errors import UsageError, shortened

NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
ENDLESS = Context(prec=12)
"""For a value whose digits do not end."""

FEWEST, MOST = 2, 1000
MOST_DIGITS, LARGEST = 100, 400


def decimal_of(text: str, place: str) -> Decimal:
    """A decimal number as it was typed, of a size that some arithmetic here can have; else a UsageError."""
    if not NUMBER.fullmatch(text):
        raise UsageError.of("sweep-number", place, found=shortened(text))
    value = Decimal(text)
    if len(value.as_tuple().digits) > MOST_DIGITS:
        raise UsageError.of("too-many-digits", place, digits=len(value.as_tuple().digits), most=MOST_DIGITS)
    if value and abs(value.adjusted()) > LARGEST:
        code = "number-too-large" if value.adjusted() > 0 else "number-too-small"
        raise UsageError.of(code, place, found=shortened(text))
    return value


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


def as_typed(values: Sequence[Decimal]) -> list[str]:
    """The values as they are put in: with as many decimals each, or with exponents where zeros would be many."""
    short = [value.normalize(WIDE) if value else Decimal(0) for value in values]
    if any(not -20 < value.adjusted() < 20 for value in short):
        return [str(value).replace("E+", "e").replace("E", "e") for value in short]
    if any(len(value.as_tuple().digits) >= ENDLESS.prec for value in short):  # a digit more would be a wrong one
        return [format(value, "f") for value in short]
    decimals = max(max(0, -int(value.as_tuple().exponent)) for value in short)
    return [format(value.quantize(Decimal(1).scaleb(-decimals, WIDE), context=WIDE), "f") for value in short]
