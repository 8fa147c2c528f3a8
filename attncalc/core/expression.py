"""Formulas and derivations: one small closed set of records.

A formula is made of symbols, the derivation of a cell of numbers that know where they stand. Both are printed by one
printer a notation (`attncalc.document.notation`), and a derivation can be evaluated again (`evaluate`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A place in a step, or in an array that the scenario gives (`w_q`); the place has all the array's axes."""

    name: str
    place: tuple[int, ...]
    given: bool = False  # among the given numbers, not in a step


class Expression:
    """Something that can be calculated with; the operators build an `Operation`."""

    __slots__ = ()

    def __add__(self, other: Any) -> Expression:
        return Operation("add", (self, expression(other)))

    def __sub__(self, other: Any) -> Expression:
        return Operation("subtract", (self, expression(other)))

    def __mul__(self, other: Any) -> Expression:
        return Operation("multiply", (self, expression(other)))

    def __truediv__(self, other: Any) -> Expression:
        return Operation("divide", (self, expression(other)))

    def __neg__(self) -> Expression:
        return Operation("negate", (self,))


class Symbol(Expression):
    """A letter of a formula; `latex` where it differs from the text; `whole` is the letter that this is a part of."""

    __slots__ = ("latex", "text", "whole")

    def __init__(self, text: str, latex: str = "", whole: Expression | None = None) -> None:
        self.text, self.latex, self.whole = text, latex, whole


class Number(Expression):
    """A number of a derivation and the cell it was read from; `cell` is None for a constant of the formula."""

    __slots__ = ("cell", "value")

    def __init__(self, value: Any, cell: Cell | None = None) -> None:
        self.value, self.cell = value, cell


class Operation(Expression):
    """An operation of the closed set: the keys of `FUNCTIONS` below, and those that only formulas have."""

    __slots__ = ("arguments", "kind")

    def __init__(self, kind: str, arguments: tuple[Expression, ...]) -> None:
        self.kind, self.arguments = kind, arguments


def expression(value: Any) -> Expression:
    """The value as an expression; a plain number becomes a constant."""
    return value if isinstance(value, Expression) else Number(value)


def _dot(*numbers: Any) -> Any:
    half = len(numbers) // 2
    pairs = list(zip(numbers[:half], numbers[half:], strict=True))
    total = pairs[0][0] * pairs[0][1]
    for left, right in pairs[1:]:
        total = total + left * right
    return total


def _sum(*numbers: Any) -> Any:
    total = numbers[0]
    for number in numbers[1:]:
        total = total + number
    return total


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b,
    "negate": lambda a: -a,
    "sum": _sum,
    "dot": _dot,
    "maximum": lambda *numbers: max(numbers),
}
"""The operations that need nothing but the numbers' own operators; `exp`, `power` and `sqrt` ask the arithmetic."""


AT_ZERO = {"exp": 1, "cos": 1, "sin": 0, "tanh": 0}
"""Functions whose value at 0 is the only one that is a fraction."""


def evaluate(tree: Expression, arithmetic: Any) -> Any:
    """The number a derivation gives, calculated again in an arithmetic over its own numbers."""
    if isinstance(tree, Number):
        return arithmetic.leaf(tree.value)
    if not isinstance(tree, Operation):
        raise TypeError(f"a formula has no value: {tree}")
    arguments = [evaluate(argument, arithmetic) for argument in tree.arguments]
    function = FUNCTIONS.get(tree.kind) or getattr(arithmetic, tree.kind)
    return function(*arguments)


def numbers_in(tree: Expression) -> Iterator[Number]:
    """The numbers put into a derivation, in its order."""
    return (leaf for leaf in _leaves(tree) if isinstance(leaf, Number))


def symbols_in(tree: Expression) -> Iterator[Symbol]:
    """The letters of a formula, in its order."""
    return (leaf for leaf in _leaves(tree) if isinstance(leaf, Symbol))


def _leaves(tree: Expression) -> Iterator[Expression]:
    if isinstance(tree, Operation):
        for argument in tree.arguments:
            yield from _leaves(argument)
    else:
        yield tree


def with_numbers(tree: Expression, other: Callable[[Number], Any]) -> Expression:
    """The same derivation with another value for each of its numbers, which stay at their cells."""
    if isinstance(tree, Number):
        return Number(other(tree), tree.cell)
    if isinstance(tree, Operation):
        return Operation(tree.kind, tuple(with_numbers(argument, other) for argument in tree.arguments))
    return tree


def rational(tree: Expression, shown: Callable[[Number], Fraction | None]) -> Fraction | None:
    """The exact value of what is shown, or None where it is not a fraction (a power of e, most roots)."""
    if isinstance(tree, Number):
        return shown(tree)
    if not isinstance(tree, Operation):
        return None
    parts = tree.arguments
    if tree.kind == "maximum":  # minus infinity is below every number
        parts = tuple(part for part in parts if not _is_minus_infinity(part)) or parts
    arguments = [rational(argument, shown) for argument in parts]
    if (tree.kind == "multiply" and 0 in arguments) or (tree.kind == "divide" and arguments[0] == 0 != arguments[1]):
        return Fraction(0)  # whatever the other part is
    known = [argument for argument in arguments if argument is not None]
    if len(known) < len(arguments):
        return None
    if tree.kind in FUNCTIONS:
        return None if tree.kind == "divide" and not known[1] else Fraction(FUNCTIONS[tree.kind](*known))
    return _rational_function(tree.kind, known)


def _is_minus_infinity(tree: Expression) -> bool:
    """Whether a number is, as it was calculated or as the text that is shown."""
    return isinstance(tree, Number) and str(tree.value) in ("-inf", "-Infinity")


def _rational_function(kind: str, arguments: list[Fraction]) -> Fraction | None:
    value = arguments[-1]
    if kind == "sqrt" and value >= 0:
        root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
        return root if root * root == value else None
    if kind in AT_ZERO and value == 0:
        return Fraction(AT_ZERO[kind])
    if kind == "power" and value.denominator == 1 and abs(value) < 1000:
        return arguments[0] ** int(value)
    return None
