"""A stage run over formulas that stay right when a number changes: where it chooses cell by cell, they have an IF.

A derivation (`attncalc.derive`) says how a number came about, with what was chosen; these say what would be chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.bounded import Values
from attncalc.core.expression import Cell, Expression, Number, Operation
from attncalc.core.expressions import ExpressionArray, Expressions, expressions, leaves

Place = tuple[int, ...]

LONG = 7
"""From so many terms on, a sum of products is a product of ranges."""


class Conditions:
    """An object array of booleans, where decided, and of expressions; `possible` says whether any may come true."""

    __array_ufunc__ = None

    def __init__(self, cells: Any, possible: bool) -> None:
        self.cells, self.possible = cells, possible

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        return tuple(self.cells.shape)

    def any(self) -> bool:
        """Whether one of them may come true."""
        return self.possible

    def __invert__(self) -> Conditions:
        return Conditions(_each(_opposite, self.cells), True)

    def __and__(self, other: Any) -> Conditions:
        if isinstance(other, Conditions):
            return Conditions(_each(_both, self.cells, other.cells), self.possible and other.possible)
        return Conditions(_each(_both, self.cells, np.asarray(other, dtype=object)), self.possible and bool(other))

    def __getitem__(self, index: Any) -> Conditions:
        return Conditions(self.cells[index], self.possible)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Conditions:
        """`np.all` along the last axis, which stays with length 1."""
        if function is not np.all or options != {"axis": -1, "keepdims": True}:
            raise TypeError(f"conditions have no {function.__name__}")
        rows = np.empty((*self.shape[:-1], 1), dtype=object)
        for index in np.ndindex(self.shape[:-1]):
            rows[(*index, 0)] = _every(self.cells[index])
        return Conditions(rows, self.possible)


def _each(function: Callable[..., Any], *arrays: Any) -> Any:
    return np.asarray(np.frompyfunc(function, len(arrays), 1)(*arrays), dtype=object)


def _opposite(condition: Any) -> Any:
    return Operation("not", (condition,)) if isinstance(condition, Expression) else not condition


def _both(first: Any, second: Any) -> Any:
    if isinstance(first, Expression) and isinstance(second, Expression):
        return Operation("and", (first, second))
    decided, other = (second, first) if isinstance(first, Expression) else (first, second)
    return other if decided else False


def _every(conditions: Sequence[Any]) -> Any:
    """All of a row, as one condition over the cells of the row: `all-hidden` or `none-seen`."""
    if not all(isinstance(condition, Operation) for condition in conditions):
        return bool(all(condition is True for condition in conditions))
    inner = [condition.arguments[0] for condition in conditions]
    if conditions[0].kind == "hidden":
        return Operation("all_hidden", tuple(inner))
    return Operation("none_seen", tuple(condition.arguments[0] for condition in inner))


class Leaves(ExpressionArray):
    """Numbers of an array that is read, their expressions made when they are asked for; `@` needs few of them."""

    def __init__(self, values: Values, name: str, given: bool, start: Place, turned: bool = False) -> None:
        self.values, self.name, self.given, self.start, self.turned = values, name, given, start, turned

    @cached_property
    def cells(self) -> Any:
        """All the expressions."""
        cells = leaves(self.values, self.name, self.given, self.start).cells
        return cells.swapaxes(-1, -2) if self.turned else cells

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the array."""
        shape = self.values.shape
        return (*shape[:-2], shape[-1], shape[-2]) if self.turned else shape

    def swapaxes(self, first: int, second: int) -> ExpressionArray:
        """The array with two axes exchanged."""
        if (first, second) != (-1, -2):
            return super().swapaxes(first, second)
        return Leaves(self.values, self.name, self.given, self.start, not self.turned)

    def __matmul__(self, other: Leaves) -> ExpressionArray:
        rows, columns = self._lines(not self.turned), other._lines(other.turned)
        cells = np.empty((1, 1, len(rows), len(columns)), dtype=object)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                cells[0, 0, i, j] = Operation("dot", (row, column))
        return ExpressionArray(cells)

    def _lines(self, along_rows: bool) -> list[Line]:
        """The rows of the array as it lies, or its columns."""
        height, width = self.values.shape[-2:]
        count, length = (height, width) if along_rows else (width, height)

        def number(line: int, position: int) -> Number:
            row, column = (line, position) if along_rows else (position, line)
            place = (*self.start[:-2], self.start[-2] + row, self.start[-1] + column)
            return Number(self.values[(*[0] * (self.values.ndim - 2), row, column)], Cell(self.name, place, self.given))

        chosen = range(length) if length < LONG else (0, length - 1)
        return [Line(tuple(number(line, position) for position in chosen), length) for line in range(count)]


class Line(Expression):
    """Numbers that follow each other in a row or a column: all of them, or of many the first and the last."""

    __slots__ = ("length", "numbers")

    def __init__(self, numbers: tuple[Expression, ...], length: int) -> None:
        self.numbers, self.length = numbers, length


class LiveExpressions(Expressions):
    """The arithmetic of live formulas; `hidden_names` are the steps and arrays that may hold minus infinity."""

    def __init__(self, hidden_names: frozenset[tuple[str, bool]]) -> None:
        self.hidden_names = hidden_names

    def hidden(self, x: ExpressionArray) -> Conditions:
        """Where a number is minus infinity."""
        cells = _each(self._hidden, x.cells)
        return Conditions(cells, any(cell is not False for cell in cells.flat))

    def _hidden(self, tree: Expression) -> Any:
        return Operation("hidden", (tree,)) if self.may_hide(tree) else False

    def may_hide(self, tree: Expression) -> bool:
        """Whether it is a number of a cell that may hold minus infinity."""
        cell = tree.cell if isinstance(tree, Number) else None
        return cell is not None and self.hides(cell.name, cell.given)

    def hides(self, name: str, given: bool) -> bool:
        """Whether it is a step, or an array that is given, in which minus infinity may stand."""
        return (name, given) in self.hidden_names

    def zero(self, x: ExpressionArray) -> Conditions:
        """Where a number is zero; what may not be divided by a sheet shows as an error by itself."""
        return Conditions(_each(lambda tree: Operation("zero", (tree,)), x.cells), False)

    def not_finite(self, x: Any) -> Values:
        """Where a number that was read is NaN or infinite now."""
        if not isinstance(x, Leaves):  # a part of what was read
            return np.asarray(super().not_finite(x))
        return np.asarray(~np.isfinite(x.values.astype(np.float64)))

    def maximum(self, x: ExpressionArray) -> ExpressionArray:
        """The row maximum; of a row in which all may be hidden it is hidden then."""
        return x.reduce("maximum").map(self._maximum)

    def _maximum(self, tree: Expression) -> Expression:
        if not isinstance(tree, Operation) or not all(map(self.may_hide, tree.arguments)):
            return tree
        return Operation("choice", (Operation("all_hidden", tree.arguments), Number(MINUS_INFINITY), tree))

    def where(self, condition: Any, x: Any, otherwise: Any) -> ExpressionArray:
        """Chooses cell by cell; where that is not decided the formula does."""
        cells = condition.cells if isinstance(condition, Conditions) else np.asarray(condition, dtype=object)
        return ExpressionArray(_each(_chosen, cells, expressions(x).cells, expressions(otherwise).cells))


def _chosen(condition: Any, x: Expression, otherwise: Expression) -> Expression:
    if not isinstance(condition, Expression):
        return x if condition else otherwise
    return Operation("choice", (condition, x, _where_false(condition, otherwise)))


def _where_false(condition: Expression, tree: Expression) -> Expression:
    """The tree where a condition is false: what is chosen by the same condition inside it is decided."""
    if not isinstance(tree, Operation):
        return tree
    if tree.kind == "choice" and tree.arguments[0] is condition:
        return tree.arguments[2]
    arguments = tuple(_where_false(condition, argument) for argument in tree.arguments)
    same = all(new is old for new, old in zip(arguments, tree.arguments, strict=True))
    return tree if same else Operation(tree.kind, arguments)


def seen(values: Values, name: str, start: Place) -> Conditions:
    """The cells of a mask as conditions."""
    return Conditions(_each(lambda tree: Operation("seen", (tree,)), leaves(values, name, True, start).cells), True)
