"""The kinds of number a calculation can be done in: one code path, several arithmetics.

The functions of `attncalc.ops` use the operators of the arrays they are given and, for the rest, one of these.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal, getcontext
from typing import Any, Protocol

import numpy as np

from attncalc.core.bounded import EXACT, UNKNOWN, Bounded, Values, bounded, plus, rounded, size
from attncalc.core.certain import Undecided
from attncalc.core.figures import as_decimal
from attncalc.core.powers import exponential, power

Array = Any
"""A NumPy float array, a `Bounded` array of decimals, or an array of expressions."""

MINUS_INFINITY = Decimal("-Infinity")


class Arithmetic(Protocol):
    """What a calculation needs besides the operators of its arrays."""

    def given(self, values: Values, path: str) -> Array:
        """The given numbers (decimals, or floats from a file) as an array of this kind; `path` names their place."""

    def number(self, value: Decimal, path: str = "") -> Array:
        """A single number."""

    def exp(self, x: Array) -> Array:
        """e to the power of each number."""

    def power(self, base: Array, x: Array) -> Array:
        """The base to the power of each number."""

    def sqrt(self, x: Array) -> Array:
        """The square root of each number."""

    def tanh(self, x: Array) -> Array:
        """The hyperbolic tangent of each number."""

    def cos(self, x: Array) -> Array:
        """The cosine of each number."""

    def sin(self, x: Array) -> Array:
        """The sine of each number."""

    def join(self, arrays: Sequence[Array], axis: int) -> Array:
        """Arrays put one after another along an axis."""

    def maximum(self, x: Array) -> Array:
        """The largest number along the last axis, which stays with length 1."""

    def where(self, condition: Values, x: Array, otherwise: Array) -> Array:
        """`x` where the condition holds, else the other."""

    def hidden(self, x: Array) -> Values:
        """Where a number is minus infinity, as booleans."""

    def zero(self, x: Array) -> Values:
        """Where a number is zero, as booleans."""

    def not_finite(self, x: Array) -> Values:
        """Where a number is NaN or infinite, as booleans."""


class Decimals:
    """Decimals with error bounds: the numbers behind exact arithmetic and, step by step, behind by-hand.

    With `last`, there will be no further run with more digits: what the digits at hand cannot tell from zero is zero.
    `powers` are the exponentials that were taken, inside steps too: they say how far apart numbers lie.
    """

    def __init__(self, last: bool = False, powers: list[Bounded] | None = None) -> None:
        self.last = last
        self.powers = [] if powers is None else powers

    def given(self, values: Values, path: str) -> Bounded:
        """The numbers as written; a double counts as the exact value it stores."""
        if values.dtype == object:
            return Bounded(values)
        return Bounded(np.frompyfunc(as_decimal, 1, 1)(values))

    def number(self, value: Decimal, path: str = "") -> Bounded:
        """A single exact number."""
        return bounded(value)

    def exp(self, x: Bounded) -> Bounded:
        """e^x; an absolute error in the exponent is a relative error of the power."""
        values, unit = rounded(lambda: np.frompyfunc(exponential, 1, 1)(x.values))
        return self._kept(Bounded(values, UNKNOWN, plus(x.absolute + 0.1, unit) if x.absolute < -1 else UNKNOWN))

    def power(self, base: Bounded, x: Bounded) -> Bounded:
        """base^x, for an exact base."""
        values, unit = rounded(lambda: np.frompyfunc(power, 2, 1)(base.values, x.values))
        error = x.absolute + math.log10(max(abs(math.log(base.values.item())), 1e-300)) + 0.1
        return self._kept(Bounded(values, UNKNOWN, plus(error, unit + 0.5) if error < -1 else UNKNOWN))

    def _kept(self, powers: Bounded) -> Bounded:
        self.powers.append(powers)
        return powers

    def sqrt(self, x: Bounded) -> Bounded:
        """The root, correctly rounded."""
        values, unit = rounded(lambda: np.frompyfunc(Decimal.sqrt, 1, 1)(x.values))
        return Bounded(values, UNKNOWN, plus(x.relative, unit))

    def tanh(self, x: Bounded) -> Bounded:
        """±(1 − e^−2|x|) / (1 + e^−2|x|), whose bounds follow from those of its parts: no part is larger than 2."""
        below = np.asarray(x.values < 0, dtype=bool)
        power = self.exp(self.where(below, x, -x) * Decimal(2))
        result = bounded(Decimal(1)) - power
        result = result / (power + Decimal(1))
        return self.where(below, -result, result)

    def cos(self, x: Bounded) -> Bounded:
        """Moves by no more than its argument."""
        return self._circular("cos", x)

    def sin(self, x: Bounded) -> Bounded:
        """Moves by no more than its argument."""
        return self._circular("sin", x)

    def _circular(self, name: str, x: Bounded) -> Bounded:
        from mpmath import libmp  # loaded only where positions are rotated

        digits = getcontext().prec
        bits = libmp.dps_to_prec(digits + 10 + math.ceil(min(max(size(x.values), 0), 400)))
        function = getattr(libmp, f"mpf_{name}")
        exact = {"cos": Decimal(1), "sin": Decimal(0)}[name]

        def one(value: Decimal) -> Decimal:
            angle = libmp.from_str(str(value), bits, "n")
            return exact if not value else Decimal(libmp.to_str(function(angle, bits, "n"), digits + 5))

        values = np.asarray(np.frompyfunc(one, 1, 1)(x.values), dtype=object)
        return Bounded(values, EXACT if all(v == exact for v in values.flat) else plus(x.absolute, 1.0 - digits))

    def join(self, arrays: Sequence[Bounded], axis: int) -> Bounded:
        """As uncertain as the most uncertain part."""
        parts = [bounded(array) for array in arrays]
        values = np.concatenate([part.values for part in parts], axis=axis)
        return Bounded(values, max(part.absolute for part in parts), max(part.relative for part in parts))

    def maximum(self, x: Bounded) -> Bounded:
        """The row maximum, as uncertain as its row."""
        return Bounded(np.max(x.values, axis=-1, keepdims=True), x.absolute, x.relative)

    def where(self, condition: Values, x: Array, otherwise: Array) -> Bounded:
        """Chooses cell by cell."""
        x, otherwise = bounded(x), bounded(otherwise)
        values = np.where(condition, x.values, otherwise.values)
        return Bounded(values, max(x.absolute, otherwise.absolute), max(x.relative, otherwise.relative))

    def hidden(self, x: Bounded) -> Values:
        """Minus infinity is exact, so this is certain."""
        return np.asarray(x.values == MINUS_INFINITY, dtype=bool)

    def zero(self, x: Bounded) -> Values:
        """Zero or not; what the digits at hand cannot tell is asked again with more."""
        zeros = np.frompyfunc(lambda value: value.is_finite() and value.copy_abs() <= x.error(value), 1, 1)(x.values)
        zeros = np.asarray(zeros, dtype=bool)
        if not self.last and any(x.error(value) for value in x.values[zeros]):  # what is 0 here may be a small number
            raise Undecided
        return zeros

    def not_finite(self, x: Bounded) -> Values:
        """NaN or infinite."""
        return np.asarray(np.frompyfunc(lambda value: not value.is_finite(), 1, 1)(x.values), dtype=bool)


class Floats:
    """NumPy's binary floating point as it is, in one width."""

    def __init__(self, kind: str) -> None:
        self.dtype = np.dtype(kind)

    def given(self, values: Values, path: str) -> Values:
        """The nearest numbers of this width."""
        if values.dtype == self.dtype:
            return values
        return np.asarray(values, dtype=np.float64).astype(self.dtype)

    def number(self, value: Decimal, path: str = "") -> Any:
        """The nearest number of this width."""
        return self.dtype.type(float(value))

    def exp(self, x: Values) -> Values:
        """e^x."""
        return np.asarray(np.exp(x))

    def power(self, base: Any, x: Values) -> Values:
        """base^x."""
        return np.asarray(np.power(base, x))

    def sqrt(self, x: Values) -> Any:
        """The square root."""
        return np.sqrt(x)

    def tanh(self, x: Values) -> Values:
        """The hyperbolic tangent."""
        return np.asarray(np.tanh(x))

    def cos(self, x: Values) -> Values:
        """The cosine."""
        return np.asarray(np.cos(x))

    def sin(self, x: Values) -> Values:
        """The sine."""
        return np.asarray(np.sin(x))

    def join(self, arrays: Sequence[Values], axis: int) -> Values:
        """Arrays along an axis."""
        return np.concatenate(arrays, axis=axis)

    def maximum(self, x: Values) -> Values:
        """The row maximum."""
        return np.asarray(np.max(x, axis=-1, keepdims=True))

    def where(self, condition: Values, x: Any, otherwise: Any) -> Values:
        """Chooses cell by cell."""
        return np.asarray(np.where(condition, x, otherwise))

    def hidden(self, x: Values) -> Values:
        """Where a number is minus infinity."""
        return np.asarray(np.isneginf(x))

    def zero(self, x: Values) -> Values:
        """Where a number is zero."""
        return np.asarray(x == 0)

    def not_finite(self, x: Values) -> Values:
        """NaN or infinite."""
        return np.asarray(~np.isfinite(x))
