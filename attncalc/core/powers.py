"""Powers of decimals with many digits, where the decimals of Python would take seconds for each."""

from __future__ import annotations

from decimal import Context, Decimal, Inexact, getcontext
from typing import Any

MANY = 300
"""From so many digits on binary numbers are quicker; with fewer Python's own exponentials are."""

SPARE = 20
"""More digits than are asked for: one rounding decides about the result, and that is the last."""

BITS = 3.33
LARGE = 8
"""The largest power of ten of an exponent; of a larger one the result leaves all range soon."""


def exponential(x: Decimal) -> Decimal:
    """e^x in the context at hand, off by no more than one rounding and a hair."""
    if not _worth_it(x):
        return x.exp()
    from mpmath import libmp

    return _as_decimal(libmp.mpf_exp(_binary(x), _bits()))


def power(base: Decimal, x: Decimal) -> Decimal:
    """base^x in the context at hand, exact where it can be."""
    if not _worth_it(x) or x == x.to_integral_value():
        return base**x
    from mpmath import libmp

    bits = _bits()
    return _as_decimal(libmp.mpf_exp(libmp.mpf_mul(libmp.mpf_log(_binary(base), bits), _binary(x), bits), bits))


def _worth_it(x: Decimal) -> bool:
    return getcontext().prec >= MANY and bool(x) and x.is_finite() and x.adjusted() <= LARGE


def _bits() -> int:
    """An error of the exponent is as many times as large in the power as the exponent is."""
    return int((getcontext().prec + SPARE + LARGE + 2) * BITS) + 1


def _binary(x: Decimal) -> Any:
    from mpmath import libmp

    return libmp.from_rational(*x.as_integer_ratio(), _bits())


def _as_decimal(number: Any) -> Decimal:
    """The decimal nearest a binary number, marked as rounded."""
    _, mantissa, exponent, _ = number
    own = getcontext()
    wide = Context(own.prec + SPARE, Emax=own.Emax, Emin=own.Emin, traps=[])
    result = own.plus(wide.multiply(Decimal(int(mantissa)), wide.power(Decimal(2), Decimal(int(exponent)))))
    own.flags[Inexact] = True
    return result
