"""How a number becomes text: the only place where one does.

`places` decimals; scientific notation from 10^10 on, and where the places would show only zeros for a number that
is not zero (two digits then); never −0. The same rules say where the shown digits could change (`edges`), which is
what exact arithmetic has to be sure of.
"""

from __future__ import annotations

from decimal import (
    MAX_EMAX,
    MAX_PREC,
    MIN_EMIN,
    ROUND_DOWN,
    ROUND_HALF_EVEN,
    ROUND_HALF_UP,
    Context,
    Decimal,
    InvalidOperation,
)
from functools import cache
from typing import Any

ROUNDINGS = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}
BIG_POWER = 10
BIG = Decimal(10) ** BIG_POWER
PLAIN = 1e9

# Rounding a finite number is exact here whatever its length: no digit is lost before the digit that is asked for.
WIDE = Context(prec=MAX_PREC // 2, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])


NEAR = Context(prec=30_000, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
"""For differences: exact where two numbers are near each other, and quick where they are worlds apart."""

READING = Context(traps=[InvalidOperation])
"""For reading a text: what no decimal holds is an exception, whatever the caller's context traps."""


class Literal(Decimal):
    """A decimal that remembers how it was written: 0.70 stays 0.70, 1e5 stays 1e5.

    `fits` is set once it is known to be a number that a double can hold, so that a what-if need not ask again.
    """

    __slots__ = ("fits", "text")
    text: str
    fits: bool

    def __new__(cls, text: str) -> Literal:
        try:
            self = super().__new__(cls, text, READING)
        except InvalidOperation:  # an exponent beyond what a decimal can have: out of range on its own side
            sign = "-" if text.startswith("-") else ""
            tiny = "e-" in text.lower()
            self = super().__new__(cls, f"{sign}1e-1000000" if tiny else f"{sign}Infinity")
        self.text, self.fits = text, False
        return self


def as_decimal(value: Any) -> Decimal:
    """The number as a decimal; a binary one as the exact value it stores."""
    return value if isinstance(value, Decimal) else Decimal(float(value))


def round_to(value: Decimal, places: int, rounding: str) -> Decimal:
    """The value with that many decimals; infinities and NaN as they are."""
    if not value.is_finite():
        return value
    rounded = value.quantize(_unit(places), ROUNDINGS[rounding], WIDE)
    return rounded if rounded else rounded.copy_abs()  # there is no −0


SURELY_AWAY = 0.49
"""So much of a unit of the last place is shown as 0 by every rule of rounding."""


def rounds_away(value: Decimal | float, places: int, rounding: str) -> bool:
    """Whether that many decimals leave only zeros of the number, as `round_to` would."""
    size, unit = as_decimal(value).copy_abs(), _unit(places)
    if rounding == "truncate":
        return size < unit
    half = WIDE.scaleb(Decimal(5), -places - 1)
    return size < half or (rounding == "half-even" and size == half)


@cache
def _unit(places: int) -> Decimal:
    return Decimal(1).scaleb(-places, WIDE)


def figure(value: Decimal | float, places: int, rounding: str = "half-up") -> str:
    """The number as it is shown, with an ASCII minus sign."""
    if type(value) is float and _is_plain(value, places, rounding):
        return f"{value:.{places}f}"
    number = value if isinstance(value, Decimal) else Decimal(value)
    if not number.is_finite():
        return "NaN" if number.is_nan() else ("-inf" if number < 0 else "inf")
    power = number.adjusted()
    if number and power >= BIG_POWER:
        return scientific(number, places, rounding)
    rounded = round_to(number, places, rounding)
    if power == BIG_POWER - 1 and rounded.copy_abs() >= BIG:  # 9999999999.99999 with four places
        return scientific(number, places, rounding)
    if rounded.is_zero():
        return scientific(number, 1, rounding) if number else format(rounded, "f")
    return format(rounded, "f")


def _is_plain(value: float, places: int, rounding: str) -> bool:
    """Whether every rule shows a double as Python writes it, the nearest decimal, in a third of the time.

    It has a digit to show and is not large. A whole number is not rounded. Halfway between two figures another could
    only be if 2^(places + 1) of it were whole: what 10^(places + 1) has besides is a power of five, which no part of a
    double divides.
    """
    if not 10.0**-places <= abs(value) < PLAIN:
        return False
    return value.is_integer() or not (rounding == "truncate" or (value * 2.0 ** (places + 1)).is_integer())


def scientific(number: Decimal, decimals: int, rounding: str) -> str:
    """A non-zero number as 1.8112e41, with that many decimals before the e."""
    unit = number.adjusted() - decimals
    rounded = number.quantize(Decimal(1).scaleb(unit, WIDE), ROUNDINGS[rounding], WIDE)
    if rounded.adjusted() > number.adjusted():  # 9.96 became 10.0
        rounded = rounded.quantize(Decimal(1).scaleb(unit + 1, WIDE), ROUND_DOWN, WIDE)
    digits = "".join(map(str, rounded.as_tuple().digits))
    sign = "-" if rounded.is_signed() else ""
    return f"{sign}{digits[0]}{'.' if decimals else ''}{digits[1:]}e{rounded.adjusted()}"


def edges(number: Decimal, places: int, rounding: str) -> list[Decimal]:
    """The values near the number at which its shown digits change."""
    return [Decimal(0), *(edge(number, unit, rounding) for unit in _units(number.adjusted(), places))]


def _units(power: int, places: int) -> list[int]:
    """The units that a number of that power of ten, or one just below the power, may be rounded to."""
    fixed = [-places] if power <= BIG.adjusted() else []
    if power >= BIG.adjusted() - 1:
        return [*fixed, power - places, power - places - 1]
    return [*fixed, power - 1, power - 2] if power <= -places else fixed


def edge(number: Decimal, unit: int, rounding: str) -> Decimal:
    """The nearest value at which rounding to 10^unit changes: halfway between two figures, or a figure if truncated."""
    steps = WIDE.scaleb(number.copy_abs(), -unit).to_integral_value(
        ROUND_HALF_UP if rounding == "truncate" else ROUND_DOWN, WIDE
    )
    half = 0 if rounding == "truncate" else Decimal("0.5")
    return WIDE.scaleb(WIDE.add(steps, half), unit).copy_sign(number)


def plain_minus(text: str) -> str:
    """The text with the ASCII minus sign."""
    return text.replace("−", "-")
