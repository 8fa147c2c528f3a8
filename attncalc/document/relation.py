"""Whether a line of a derivation says `=` or `≈`."""

from __future__ import annotations

import math

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Expression, Number, Operation, rational
from attncalc.core.numbers import as_fraction
from attncalc.document.signs import Signs

LEAST = 1e-290
"""What is smaller, and not 0, is near the end of the doubles, where they have fewer digits."""


def relation(tree: Expression, put_in: Expression, result: str, signs: Signs) -> str:
    """`=` where the result is exactly what its derivation comes to with the numbers that are shown, else `≈`.

    `put_in`: the derivation with the text of every number, as `shown_tree` makes it.
    """
    if _is_hidden(tree) or result == "-inf":
        return signs.equals
    if _is_off(put_in, result):
        return signs.nearly
    exact = rational(put_in, lambda number: as_fraction(number.value))
    return signs.equals if exact is not None and exact == as_fraction(result) else signs.nearly


def _is_hidden(tree: Expression) -> bool:
    """Whether a number put in is minus infinity; what it leads to is exact."""
    if isinstance(tree, Operation):
        return tree.kind in ("exp", "power") and _is_hidden(tree.arguments[-1])
    return isinstance(tree, Number) and bool(tree.value == MINUS_INFINITY)


def _is_off(tree: Expression, result: str) -> bool:
    """Whether a sum of products, or a quotient, surely has another value than its result; False where that is open."""
    if not isinstance(tree, Operation) or tree.kind not in ("dot", "sum", "divide"):
        return False
    numbers = [_double(argument) for argument in tree.arguments]
    half = len(numbers) // 2
    if tree.kind == "divide":
        parts = [numbers[0] / numbers[1] if numbers[1] else math.nan]
    else:
        parts = [a * b for a, b in zip(numbers[:half], numbers[half:], strict=True)] if tree.kind == "dot" else numbers
    size = sum(map(abs, parts))
    off = abs(sum(parts) - float(result))
    return LEAST < size < math.inf and 1e-12 * len(parts) * size < off < math.inf


def _double(tree: Expression) -> float:
    """The double nearest a number or its root; NaN, which is never off, for anything else or with digits lost."""
    if isinstance(tree, Operation) and tree.kind == "sqrt":
        return math.sqrt(abs(_double(tree.arguments[0])))
    text = str(tree.value) if isinstance(tree, Number) else "nan"
    double = float(text)
    return math.nan if abs(double) < LEAST and text.partition("e")[0].strip("-0.") else double
