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


def row_maximum(terms: Expression, *more: Expression) -> Expression:
    """The maximum over the keys, and over what else counts."""
    return Operation("row_maximum", (terms, *more))


def softcap(score: Expression, cap: Expression) -> Expression:
    """tanh(score / cap) · cap."""
    return Operation("multiply", (Operation("tanh", (score / cap,)), cap))


def feature_mean(terms: Expression) -> Expression:
    """The mean over the features."""
    return Operation("feature_mean", (terms,))


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
    "past.k": Symbol("K_past", r"K_{\mathrm{past}}"),
    "past.v": Symbol("V_past", r"V_{\mathrm{past}}"),
    "qk_norm.q_gain": Symbol("g"),
    "qk_norm.k_gain": Symbol("g"),
    "norm.gain": Symbol("γ", r"\gamma"),
    "norm.bias": Symbol("β", r"\beta"),
    "bias": Symbol("bias", r"\mathrm{bias}"),
    "alibi": Symbol("m"),
    "slope_exponents": Symbol("m"),
    "distance": Symbol("|i − j|", r"\left|i - j\right|"),
    "sink": Symbol("s"),
    "query_positions": Symbol("i"),
    "key_positions": Symbol("j"),
    "embedding": Symbol("Emb", r"\mathrm{Emb}"),
    "positions": Symbol("P"),
    "residual": Symbol("X"),
    "visible": Symbol("visible"),
    "own": Symbol("I"),
}
"""The letters of given numbers that are no step of their own."""
