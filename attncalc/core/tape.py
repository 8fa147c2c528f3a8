"""The arithmetic that remembers: arrays that know what they were made from, so that derivatives can be read off.

A calculation runs forwards once over arrays of plain numbers, each of which keeps the arrays it was made from and, for
each of these, how a derivative goes back through the operation (its vector-Jacobian product). Then `slopes` goes
backwards once from one number and has its derivatives by all that were given: reverse accumulation (Griewank and
Walther, Evaluating Derivatives, chapter 3).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.arithmetic import Decimals, Floats
from attncalc.core.bounded import Bounded, Values

Pull = Callable[[Values], Any]
"""From the derivatives by an operation's result those by one of its arrays, before axes that were spread are summed."""


class Taped:
    """An array of plain numbers, and the arrays it was made from; `path` says where a given one stands."""

    __slots__ = ("parents", "path", "values")
    __array_ufunc__ = None  # a plain array on the left leaves the operator to this class

    def __init__(self, values: Any, *parents: tuple[Taped, Pull], path: str = "") -> None:
        self.values: Values = np.asarray(values)
        self.parents, self.path = parents, path

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.values.shape)

    def __add__(self, other: Taped) -> Taped:
        return Taped(self.values + other.values, (self, _same), (other, _same))

    def __sub__(self, other: Taped) -> Taped:
        return Taped(self.values - other.values, (self, _same), (other, _negated))

    def __neg__(self) -> Taped:
        return Taped(-self.values, (self, _negated))

    def __mul__(self, other: Taped) -> Taped:
        mine, its = self.values, other.values
        return Taped(mine * its, (self, lambda slope: times(slope, its)), (other, lambda slope: times(slope, mine)))

    def __truediv__(self, other: Taped) -> Taped:
        below = other.values
        ratio = self.values / below
        return Taped(
            ratio,
            (self, lambda slope: _over(slope, below)),
            # By the ratio, not over a square: a ratio of 1 takes off exactly what the line above adds (a key alone).
            (other, lambda slope: -_over(times(slope, ratio), below)),
        )

    def __matmul__(self, other: Taped) -> Taped:
        mine, its = self.values, other.values
        return Taped(
            mine @ its,
            (self, lambda slope: _product(slope, its.swapaxes(-1, -2))),
            (other, lambda slope: _product(slope.swapaxes(-1, -2), mine).swapaxes(-1, -2)),
        )

    def __getitem__(self, index: Any) -> Taped:
        places = np.arange(self.values.size).reshape(self.shape)[index]
        return Taped(self.values[index], (self, lambda slope: put_back(slope, places, self.shape)))

    def sum(self, axis: int, keepdims: bool = True) -> Taped:
        """The sum over an axis."""

        def spread(slope: Values) -> Values:
            return np.broadcast_to(slope if keepdims else np.expand_dims(slope, axis), self.shape)

        return Taped(self.values.sum(axis=axis, keepdims=keepdims), (self, spread))

    def swapaxes(self, first: int, second: int) -> Taped:
        """The array with two axes exchanged."""
        return Taped(self.values.swapaxes(first, second), (self, lambda slope: slope.swapaxes(first, second)))

    def reshape(self, *shape: int) -> Taped:
        """The same numbers in another shape."""
        return Taped(self.values.reshape(*shape), (self, lambda slope: slope.reshape(self.shape)))


class Tape:
    """The arithmetic of arrays that remember, over doubles or over decimals in the context at hand."""

    def __init__(self, numbers: Floats | Decimals) -> None:
        self.numbers = numbers

    def given(self, values: Values, path: str) -> Taped:
        """The given numbers, whose place is remembered."""
        return Taped(_plain(self.numbers.given(values, path)), path=path)

    def number(self, value: Decimal, path: str = "") -> Taped:
        """A single number; one with a path was given."""
        return Taped(_plain(self.numbers.number(value, path)), path=path)

    def exp(self, x: Taped) -> Taped:
        """e^x, its own derivative."""
        power = self._of("exp", x)
        return Taped(power, (x, lambda slope: times(slope, power)))

    def power(self, base: Taped, x: Taped) -> Taped:
        """base^x: by the exponent ln(base) · base^x, by the base x · base^(x − 1)."""
        power = self._of("power", base, x)
        return Taped(
            power,
            (base, lambda slope: _over(times(slope, x.values * power), base.values)),
            (x, lambda slope: times(slope, power * _logarithm(base.values))),
        )

    def sqrt(self, x: Taped) -> Taped:
        """√x: by x 1 / (2√x)."""
        root = self._of("sqrt", x)
        return Taped(root, (x, lambda slope: _over(slope, root + root)))

    def tanh(self, x: Taped) -> Taped:
        """tanh x: by x 1 − tanh² x."""
        value = self._of("tanh", x)
        return Taped(value, (x, lambda slope: times(slope, 1 - value * value)))

    def cos(self, x: Taped) -> Taped:
        """cos x: by x −sin x."""
        return Taped(self._of("cos", x), (x, lambda slope: -times(slope, self._of("sin", x))))

    def sin(self, x: Taped) -> Taped:
        """sin x: by x cos x."""
        return Taped(self._of("sin", x), (x, lambda slope: times(slope, self._of("cos", x))))

    def join(self, arrays: Sequence[Taped], axis: int) -> Taped:
        """Arrays along an axis, each of which gets its own part back."""
        ends = np.cumsum([array.shape[axis] for array in arrays])

        def part(position: int) -> Pull:
            return lambda slope: np.split(slope, ends[:-1], axis=axis)[position]

        parents = [(array, part(position)) for position, array in enumerate(arrays)]
        return Taped(np.concatenate([array.values for array in arrays], axis=axis), *parents)

    def maximum(self, x: Taped) -> Taped:
        """The row maximum; where several are largest it is the first that counts."""
        places = np.arange(x.values.size).reshape(x.shape)
        largest = np.argmax(x.values, axis=-1, keepdims=True)
        first = np.take_along_axis(places, largest, axis=-1)
        return Taped(x.values.reshape(-1)[first], (x, lambda slope: put_back(slope, first, x.shape)))

    def where(self, condition: Values, x: Taped, otherwise: Taped) -> Taped:
        """Chooses cell by cell; what was not chosen has no influence."""
        return Taped(
            np.where(condition, x.values, otherwise.values),
            (x, lambda slope: np.where(condition, slope, _zero(slope))),
            (otherwise, lambda slope: np.where(condition, _zero(slope), slope)),
        )

    def hidden(self, x: Taped) -> Values:
        """Where a number is minus infinity."""
        return self._of("hidden", x)

    def zero(self, x: Taped) -> Values:
        """Where a number is zero."""
        return self._of("zero", x)

    def not_finite(self, x: Taped) -> Values:
        """NaN or infinite."""
        return self._of("not_finite", x)

    def _of(self, name: str, *arrays: Taped) -> Values:
        """The function of that name of the arithmetic beneath, on plain numbers."""
        wrapped = (Bounded(a.values) if isinstance(self.numbers, Decimals) else a.values for a in arrays)
        return _plain(getattr(self.numbers, name)(*wrapped))


def slopes(result: Taped, index: tuple[int, ...]) -> Iterator[tuple[str, Values]]:
    """The derivatives of one number of an array by every given array it was made from, with their paths.

    An array that was read several times comes several times: what it does is the sum.
    """
    start = np.full(result.shape, _zero(result.values))
    start[index] = _zero(start) + 1
    arrays = list(_in_order(result, set()))
    found: dict[int, Values] = {id(result): start}
    for array in reversed(arrays):
        slope = found[id(array)] if array.path else found.pop(id(array))
        for parent, pull in array.parents:
            more = _summed(np.asarray(pull(slope)), parent.shape)
            found[id(parent)] = np.asarray(found[id(parent)] + more) if id(parent) in found else more
    return ((array.path, found[id(array)]) for array in arrays if array.path)


def _in_order(array: Taped, seen: set[int]) -> Iterator[Taped]:
    """What an array was made from, each before what was made from it, and then the array."""
    if id(array) not in seen:
        seen.add(id(array))
        for parent, _ in array.parents:
            yield from _in_order(parent, seen)
        yield array


def times(slope: Values, factor: Values) -> Values:
    """The product, 0 where the slope is: what has no influence stays without, be it infinite or NaN."""
    return np.where(slope == 0, slope, slope * factor)


def put_back(slope: Values, places: Values, shape: tuple[int, ...]) -> Values:
    """The slopes added up at the flat places that they were taken from."""
    whole = np.full(int(np.prod(shape)), _zero(slope))
    np.add.at(whole, np.asarray(places).reshape(-1), slope.reshape(-1))
    return whole.reshape(shape)


def _over(slope: Values, divisor: Values) -> Values:
    return np.where(slope == 0, slope, slope / divisor)


def _product(slope: Values, matrix: Values) -> Values:
    """The matrix product, in which a slope of 0 hides an infinity or NaN."""
    if (matrix - matrix == 0).all():  # finite: the difference of others is NaN
        return np.asarray(slope @ matrix)
    return np.asarray(times(slope[..., None], matrix[..., None, :, :]).sum(axis=-2))


def _same(slope: Values) -> Values:
    return slope


def _negated(slope: Values) -> Values:
    return np.asarray(-slope)


def _summed(slope: Values, shape: tuple[int, ...]) -> Values:
    """The slopes of an array that was spread over a larger one: the sum over what it was spread over."""
    extra = slope.ndim - len(shape)
    axes = tuple(axis for axis, n in enumerate((1,) * extra + shape) if n == 1 < slope.shape[axis])
    return np.asarray(slope.sum(axis=axes, keepdims=True) if axes else slope).reshape(shape)


def _logarithm(values: Values) -> Values:
    logarithm = np.frompyfunc(Decimal.ln, 1, 1) if values.dtype == object else np.log
    return np.asarray(logarithm(values))


def _zero(values: Values) -> Any:
    return Decimal(0) if values.dtype == object else np.float64(0)


def _plain(values: Any) -> Values:
    return np.asarray(values.values if isinstance(values, Bounded) else values)
