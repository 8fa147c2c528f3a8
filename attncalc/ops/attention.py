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
    """Q Kᵀ: (B, H, Tq, d) · (B, H, d, Tk) → (B, H, Tq, Tk); grouped key heads are repeated."""
    return q @ for_each_head(k, q.shape[1]).swapaxes(-1, -2)


def for_each_head(k: Array, heads: int) -> Array:
    """Keys or values for every query head: query head h reads kv head h // (heads / kv_heads)."""
    if k.shape[1] in (1, heads):
        return k
    return k[:, [head * k.shape[1] // heads for head in range(heads)]]


def masked(logits: Array, visible: Values, arithmetic: Arithmetic) -> Array:
    """A hidden score becomes −∞: (B, H, Tq, Tk), the mask broadcast to it."""
    return arithmetic.where(visible, logits, arithmetic.number(MINUS_INFINITY))


def capped(logits: Array, cap: Array, arithmetic: Arithmetic) -> Array:
    """cap · tanh(s / cap); a hidden score stays −∞."""
    hidden = arithmetic.hidden(logits)
    visible = arithmetic.where(hidden, arithmetic.number(ZERO), logits)
    return arithmetic.where(hidden, logits, arithmetic.tanh(visible / cap) * cap)


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
    return weights[..., None] * for_each_head(v, weights.shape[1])[:, :, None]


def context(weights: Array, v: Array, arithmetic: Arithmetic) -> Array:
    """A V: (B, H, Tq, Tk) · (B, H, Tk, dv) → (B, H, Tq, dv).

    A NaN or an infinity among the values counts only where its weight is not 0: what is hidden does not leak.
    """
    if not arithmetic.not_finite(v).any():
        return weights @ for_each_head(v, weights.shape[1])
    products = arithmetic.where(arithmetic.zero(weights)[..., None], arithmetic.number(ZERO), terms(weights, v))
    return products.sum(axis=-2, keepdims=True)[..., 0, :]


def shared_out(x: Array, heads: int) -> Array:
    """The columns shared out among the heads: (B, 1, T, H·d) → (B, H, T, d)."""
    batch, _, rows, width = x.shape
    return x.reshape(batch, rows, heads, width // heads).swapaxes(1, 2) if heads > 1 else x


def joined(out: Array) -> Array:
    """The heads side by side: (B, H, Tq, dv) → (B, 1, Tq, H·dv)."""
    batch, heads, queries, width = out.shape
    return out.swapaxes(1, 2).reshape(batch, 1, queries, heads * width)
