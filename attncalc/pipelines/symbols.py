"""The letters of the formulas and how they are put together."""

from __future__ import annotations

from attncalc.core.expression import Expression, Operation, Symbol

D_K = Symbol("d_k", "d_k")
E = Symbol("e")
MINUS_INFINITY = Symbol("−∞", r"-\infty")


def transposed(matrix: Expression) -> Expression:
    """Kᵀ."""
    return Operation("transpose", (matrix,))


def product(left: Expression, right: Expression) -> Expression:
    """A matrix product, written side by side."""
    return Operation("product", (left, right))


def power(base: Expression, exponent: Expression) -> Expression:
    """base^exponent."""
    return Operation("power", (base, exponent))


def root(value: Expression) -> Expression:
    """√value."""
    return Operation("sqrt", (value,))


def row_sum(terms: Expression) -> Expression:
    """The sum over the keys."""
    return Operation("row_sum", (terms,))


def row_maximum(terms: Expression) -> Expression:
    """The maximum over the keys."""
    return Operation("row_maximum", (terms,))


def where_visible(value: Expression, otherwise: Expression) -> Expression:
    """The value where the mask lets it be seen, else the other."""
    return Operation("where_visible", (value, otherwise))


def where_itself(value: Expression, otherwise: Expression) -> Expression:
    """The value for the token itself, else the other."""
    return Operation("where_itself", (value, otherwise))


GIVEN: dict[str, Symbol] = {
    "w_q": Symbol("W_Q"),
    "w_k": Symbol("W_K"),
    "w_v": Symbol("W_V"),
    "w_o": Symbol("W_O"),
    "b_q": Symbol("b_Q"),
    "b_k": Symbol("b_K"),
    "b_v": Symbol("b_V"),
    "b_o": Symbol("b_O"),
    "memory": Symbol("Y"),
    "embedding": Symbol("Emb", r"\mathrm{Emb}"),
    "positions": Symbol("P"),
    "residual": Symbol("X"),
    "visible": Symbol("visible", r"\text{visible}"),
    "own": Symbol("I"),
}
"""The letters of given numbers that are no step of their own."""
