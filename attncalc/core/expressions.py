"""Arrays of expressions, and the arithmetic that makes a stage write its own derivation."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell, Expression, Number, Operation, expression


class Expressions:
    """The arithmetic of expressions: running a stage over it gives the derivation of a cell."""

    def given(self, values: Any, path: str) -> ExpressionArray:
        """The numbers that an operation makes for itself, as constants; what is read comes as expressions already."""
        return expressions(values)

    def number(self, value: Decimal, path: str = "") -> Expression:
        """A constant of the formula, such as d_k."""
        return Number(value, Cell(path, (), True) if path else None)

    def exp(self, x: Any) -> Any:
        """e to the power of each expression."""
        return _each("exp", x)

    def power(self, base: Expression, x: ExpressionArray) -> ExpressionArray:
        """The base to the power of each expression."""
        return x.map(lambda e: Operation("power", (base, e)))

    def sqrt(self, x: Any) -> Any:
        """The square root."""
        return _each("sqrt", x)

    def tanh(self, x: Any) -> Any:
        """The hyperbolic tangent."""
        return _each("tanh", x)

    def cos(self, x: Any) -> Any:
        """The cosine."""
        return _each("cos", x)

    def sin(self, x: Any) -> Any:
        """The sine."""
        return _each("sin", x)

    def join(self, arrays: Sequence[Any], axis: int) -> ExpressionArray:
        """Arrays along an axis."""
        return ExpressionArray(np.concatenate([expressions(array).cells for array in arrays], axis=axis))

    def maximum(self, x: ExpressionArray) -> ExpressionArray:
        """The row maximum over the row's expressions."""
        return x.reduce("maximum")

    def where(self, condition: Any, x: Any, otherwise: Any) -> ExpressionArray:
        """Chooses cell by cell; what was not chosen leaves no trace."""
        first, second = expressions(x), expressions(otherwise)
        return ExpressionArray(np.where(condition, first.cells, second.cells))

    def hidden(self, x: ExpressionArray) -> Any:
        """Where a number read from a cell is minus infinity."""
        return x.hidden

    def zero(self, x: ExpressionArray) -> Any:
        """Where a number read from a cell is zero."""
        return np.frompyfunc(lambda e: isinstance(e, Number) and e.value == 0, 1, 1)(x.cells).astype(bool)

    def not_finite(self, x: ExpressionArray) -> Any:
        """Where a number read from a cell is NaN or infinite."""
        return np.frompyfunc(lambda e: isinstance(e, Number) and not math.isfinite(e.value), 1, 1)(x.cells).astype(bool)


class ExpressionArray:
    """An object array of expressions; `@` and `sum` make one operation of a whole range."""

    __array_ufunc__ = None

    def __init__(self, cells: Any) -> None:
        self.cells = cells

    @cached_property
    def hidden(self) -> Any:
        """Where a number read from a cell is minus infinity."""
        return np.frompyfunc(_is_hidden, 1, 1)(self.cells).astype(bool)

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.cells.shape)

    def __add__(self, other: Any) -> ExpressionArray:
        return ExpressionArray(self.cells + expressions(other).cells)

    def __sub__(self, other: Any) -> ExpressionArray:
        return ExpressionArray(self.cells - expressions(other).cells)

    def __mul__(self, other: Any) -> ExpressionArray:
        return ExpressionArray(self.cells * expressions(other).cells)

    def __truediv__(self, other: Any) -> ExpressionArray:
        return ExpressionArray(self.cells / expressions(other).cells)

    def __neg__(self) -> ExpressionArray:
        return ExpressionArray(-self.cells)

    def __getitem__(self, index: Any) -> ExpressionArray:
        return ExpressionArray(self.cells[index])

    def __matmul__(self, other: Any) -> ExpressionArray:
        left, right = self.cells, expressions(other).cells.swapaxes(-1, -2)
        batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
        left = np.broadcast_to(left, batch + left.shape[-2:])
        right = np.broadcast_to(right, batch + right.shape[-2:])
        cells = np.empty((*batch, left.shape[-2], right.shape[-2]), dtype=object)
        for index in np.ndindex(cells.shape):
            cells[index] = Operation("dot", (*left[index[:-1]], *right[(*index[:-2], index[-1])]))
        return ExpressionArray(cells)

    def map(self, function: Callable[[Expression], Expression]) -> ExpressionArray:
        """A function of each expression."""
        return ExpressionArray(np.asarray(np.frompyfunc(function, 1, 1)(self.cells), dtype=object))

    def reduce(self, kind: str) -> ExpressionArray:
        """One operation over the last axis, which stays with length 1."""
        cells = np.empty((*self.shape[:-1], 1), dtype=object)
        for index in np.ndindex(self.shape[:-1]):
            cells[(*index, 0)] = Operation(kind, tuple(self.cells[index]))
        return ExpressionArray(cells)

    def sum(self, axis: int, keepdims: bool = True) -> ExpressionArray:
        """The sum over an axis as one operation; the axis stays with length 1."""
        return ExpressionArray(ExpressionArray(self.cells.swapaxes(axis, -1)).reduce("sum").cells.swapaxes(axis, -1))

    def swapaxes(self, first: int, second: int) -> ExpressionArray:
        """The array with two axes exchanged."""
        return ExpressionArray(self.cells.swapaxes(first, second))

    def reshape(self, *shape: int) -> ExpressionArray:
        """The same expressions in another shape."""
        return ExpressionArray(self.cells.reshape(*shape))


def _is_hidden(part: Expression) -> bool:
    return isinstance(part, Number) and part.value == MINUS_INFINITY


def _each(kind: str, x: Any) -> Any:
    if isinstance(x, Expression):
        return Operation(kind, (x,))
    return x.map(lambda e: Operation(kind, (e,)))


def expressions(value: Any) -> ExpressionArray:
    """The value as an array of expressions; plain numbers become constants."""
    if isinstance(value, ExpressionArray):
        return value
    cells = np.empty(np.shape(value), dtype=object)
    for index in np.ndindex(cells.shape):
        cells[index] = expression(np.asarray(value, dtype=object)[index])
    return ExpressionArray(cells)


def leaves(values: Any, name: str, given: bool, start: tuple[int, ...]) -> ExpressionArray:
    """Numbers as expressions that name their cells; `start` is where the part stands in its array."""
    places = product(*(range(first, first + length) for first, length in zip(start, values.shape, strict=True)))
    numbers = (Number(value, Cell(name, place, given)) for value, place in zip(values.flat, places, strict=True))
    return ExpressionArray(np.fromiter(numbers, dtype=object, count=values.size).reshape(values.shape))
