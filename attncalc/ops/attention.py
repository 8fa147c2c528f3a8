"""Scaled dot-product attention, line by line (Vaswani et al. 2017, section 3.2).

Shapes: B batch, H heads, Tq queries, Tk keys, d width of queries and keys, dv width of values.
"""

from __future__ import annotations

from decimal import Decimal

from attncalc.core.arithmetic import MINUS_INFINITY, Arithmetic, Array
from attncalc.core.bounded import Values

ZERO = Decimal(0)


def project(x: Array, w: Array, bias: Array | None = None) -> Array:
    """x W + b: (B, 1, T, in) · (1, H, in, out) → (B, H, T, out)."""
    return x @ w if bias is None else x @ w + bias


def scores(q: Array, k: Array) -> Array:
    """Q Kᵀ: (B, H, Tq, d) · (B, H, d, Tk) → (B, H, Tq, Tk)."""
    return q @ k.swapaxes(-1, -2)


def masked(logits: Array, visible: Values, arithmetic: Arithmetic) -> Array:
    """A hidden score becomes −∞: (B, H, Tq, Tk), the mask broadcast to it."""
    return arithmetic.where(visible, logits, arithmetic.number(MINUS_INFINITY))


def exponentials(logits: Array, base: Array | None, arithmetic: Arithmetic) -> Array:
    """e^s, or base^s; a hidden score gives 0 whatever the base."""
    if base is None:
        return arithmetic.exp(logits)  # e^−∞ is 0 by itself
    return arithmetic.where(arithmetic.hidden(logits), arithmetic.number(ZERO), arithmetic.power(base, logits))


def total(terms: Array) -> Array:
    """The sum of each row: (B, H, Tq, Tk) → (B, H, Tq, 1)."""
    return terms.sum(axis=-1, keepdims=True)


def terms(weights: Array, v: Array) -> Array:
    """Each weight times its value vector: (B, H, Tq, Tk), (B, H, Tk, dv) → (B, H, Tq, Tk, dv)."""
    return weights[..., None] * v[:, :, None]


def context(weights: Array, v: Array) -> Array:
    """A V: (B, H, Tq, Tk) · (B, H, Tk, dv) → (B, H, Tq, dv)."""
    return weights @ v
