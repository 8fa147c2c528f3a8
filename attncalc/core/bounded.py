"""Arrays of decimals that know how far they may be off.

Exact arithmetic means that every digit shown is right, so each array carries a bound of its error, and the fold
calculates again with more digits where a bound leaves a shown digit open. The bounds are kept as decimal exponents
(an error of at most 10^absolute, and of at most |value|·10^relative); -inf says that the numbers are exact, which
holds as long as no operation had to round. The rules are those of running error analysis (Higham, Accuracy and
Stability of Numerical Algorithms, chapters 2 and 3), one pair of numbers for a whole array.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal, Inexact, getcontext
from typing import Any

import numpy as np

EXACT = -math.inf
UNKNOWN = math.inf

Values = np.ndarray[Any, Any]


def plus(*exponents: float) -> float:
    """An exponent that bounds the sum of the numbers with the given exponents."""
    largest = max(exponents)
    return largest if math.isinf(largest) else largest + math.log10(sum(10 ** (e - largest) for e in exponents)) + 1e-9


def size(values: Values) -> float:
    """An exponent that bounds every finite number of the array."""
    return max((x.adjusted() + 1 for x in values.flat if x and x.is_finite()), default=EXACT)


def smallest(values: Values) -> float:
    """An exponent below every number of the array; -inf where one is zero."""
    return min((x.adjusted() if x else EXACT for x in values.flat if x.is_finite()), default=0)


def rounded(operation: Callable[[], Any]) -> tuple[Values, float]:
    """The result of an operation on decimals, and the exponent of one rounding: EXACT where nothing was rounded."""
    context = getcontext()
    context.clear_flags()
    values = np.asarray(operation(), dtype=object)
    return values, 1.0 - context.prec if context.flags[Inexact] else EXACT


class Bounded:
    """An object array of Decimal with the bounds of its error; the operators are NumPy's."""

    __slots__ = ("absolute", "relative", "values")
    __array_ufunc__ = None  # a plain array on the left leaves the operator to this class

    def __init__(self, values: Values, absolute: float = EXACT, relative: float = UNKNOWN) -> None:
        self.values = values
        if absolute != EXACT and relative != EXACT:  # each bound may tighten the other
            relative = min(relative, absolute - smallest(values)) if absolute < UNKNOWN else relative
            absolute = min(absolute, relative + size(values)) if relative < UNKNOWN else absolute
        exact = EXACT in (absolute, relative)
        self.absolute, self.relative = (EXACT, EXACT) if exact else (absolute, relative)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.values.shape)

    def error(self, value: Decimal) -> Decimal:
        """How far one number of the array may be off, rounded up."""
        relative = self.relative + (value.adjusted() + 1 if value else EXACT if self.relative < UNKNOWN else 0)
        exponent = min(self.absolute, relative)
        return Decimal(0) if exponent == EXACT else Decimal((0, (1,), math.ceil(min(exponent, 10**9))))

    def __add__(self, other: Any) -> Bounded:
        return self._sum(bounded(other), np.add)

    def __sub__(self, other: Any) -> Bounded:
        return self._sum(bounded(other), np.subtract)

    def _sum(self, other: Bounded, operation: np.ufunc) -> Bounded:
        values, unit = rounded(lambda: operation(self.values, other.values))
        error = plus(self.absolute, other.absolute)
        return Bounded(values, plus(error, times(unit, size(values))), unit if error == EXACT else UNKNOWN)

    def __neg__(self) -> Bounded:
        return Bounded(-self.values, self.absolute, self.relative)

    def __mul__(self, other: Any) -> Bounded:
        other = bounded(other)
        values, unit = rounded(lambda: self.values * other.values)
        return Bounded(values, self._product(other, unit), self._factors(other, unit))

    def __truediv__(self, other: Any) -> Bounded:
        other = bounded(other)
        values, unit = rounded(lambda: self.values / other.values)
        if other.relative > -1:
            return Bounded(values, UNKNOWN)
        # The second bound serves a numerator that is zero, or has lost its relative bound.
        absolute = plus(
            times(self.absolute, -smallest(other.values)), other.relative + size(values), unit + size(values)
        )
        return Bounded(values, absolute + 0.1, self._factors(other, unit) + 0.1)

    def __matmul__(self, other: Any) -> Bounded:
        other = bounded(other)
        values, unit = rounded(lambda: self.values @ other.values)
        terms = math.log10(max(self.values.shape[-1], 1))
        absolute = terms + self._product(other, unit + terms + 0.4)
        # Where no terms of a dot product have opposite signs, nothing cancels: the sum is as good as its products.
        cancels = _signed(self.values).any() or _mixed_signs(other.values).any()
        return Bounded(values, absolute, UNKNOWN if cancels else plus(self._factors(other, unit), unit + terms + 0.1))

    def _factors(self, other: Bounded, unit: float) -> float:
        return plus(self.relative, other.relative, times(self.relative, other.relative), unit + 0.1)

    def _product(self, other: Bounded, unit: float) -> float:
        mine, its = size(self.values), size(other.values)
        errors = times(self.absolute, its), times(mine, other.absolute), times(self.absolute, other.absolute)
        return plus(*errors, times(unit, mine + its))

    def sum(self, axis: int, keepdims: bool = True) -> Bounded:
        """The sum over an axis; a sum of numbers of one sign keeps their relative error."""
        values, unit = rounded(lambda: self.values.sum(axis=axis, keepdims=keepdims))
        terms = math.log10(max(self.values.shape[axis], 1))
        absolute = terms + plus(self.absolute, times(unit, terms + size(self.values)))
        one_sign = not _signed(self.values).any()
        return Bounded(values, absolute, plus(self.relative, unit + terms + 0.1) if one_sign else UNKNOWN)

    def __getitem__(self, index: Any) -> Bounded:
        return Bounded(np.asarray(self.values[index], dtype=object), self.absolute, self.relative)

    def swapaxes(self, first: int, second: int) -> Bounded:
        """The array with two axes exchanged."""
        return Bounded(self.values.swapaxes(first, second), self.absolute, self.relative)

    def reshape(self, *shape: int) -> Bounded:
        """The same numbers in another shape."""
        return Bounded(self.values.reshape(*shape), self.absolute, self.relative)


def _signed(values: Values) -> Values:
    """Where a number is negative, as booleans."""
    return np.asarray(np.frompyfunc(lambda x: x.is_signed() and bool(x), 1, 1)(values), dtype=bool)


def _mixed_signs(matrix: Values) -> Values:
    """Which columns of a matrix have numbers of both signs."""
    positive = np.asarray(np.frompyfunc(lambda x: not x.is_signed() and bool(x), 1, 1)(matrix), dtype=bool)
    return np.asarray(positive.any(axis=-2) & _signed(matrix).any(axis=-2))


def times(first: float, second: float) -> float:
    """The exponent of a product of which a factor may be exactly zero."""
    return EXACT if EXACT in (first, second) else first + second


def bounded(value: Any) -> Bounded:
    """The value as a bounded array; a plain number or array counts as exact."""
    return value if isinstance(value, Bounded) else Bounded(np.asarray(value, dtype=object))
