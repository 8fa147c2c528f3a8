"""How much attention over N tokens takes: scores, multiply-adds, bytes; every number a whole one, from sizes alone."""

from __future__ import annotations

from typing import NamedTuple

from attncalc.long.models import Sizes

BYTES = {"fp32": 4, "fp16": 2, "bf16": 2}
"""A number of each type, in bytes."""

UNITS = ("head", "layer", "model")
"""What a number is for: one query head of one layer, all heads of one layer, all layers."""


class Product(NamedTuple):
    """The matrix products of a step in one layer: so many of (rows × inner) · (inner × columns)."""

    step: str
    heads: int
    rows: int
    inner: int
    columns: int

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The shapes of the two factors and of the result."""
        return (self.rows, self.inner), (self.inner, self.columns), (self.rows, self.columns)

    @property
    def multiply_adds(self) -> int:
        """One for each entry of the result and each term of its sum."""
        return self.heads * self.rows * self.inner * self.columns


def products(sizes: Sizes, tokens: int) -> tuple[Product, ...]:
    """The matrix products of one layer, in the order of the steps (Vaswani et al. 2017, section 3.2)."""
    read, width = sizes.kv_heads * sizes.d_k, sizes.heads * sizes.d_k
    return (
        Product("q", 1, tokens, sizes.d_model, width),
        Product("k", 1, tokens, sizes.d_model, read),
        Product("v", 1, tokens, sizes.d_model, read),
        Product("scores", sizes.heads, tokens, sizes.d_k, tokens),
        Product("context", sizes.heads, tokens, tokens, sizes.d_k),
        Product("output", 1, tokens, width, sizes.d_model),
    )


def times(sizes: Sizes, unit: str) -> int:
    """How many query heads a unit has."""
    return {"head": 1, "layer": sizes.heads, "model": sizes.heads * sizes.layers}[unit]


def scores(sizes: Sizes, tokens: int, unit: str) -> int:
    """The scores of a unit: N² a head, and as many weights and exponentials; a causal mask hides nearly half."""
    return tokens * tokens * times(sizes, unit)


def score_bytes(sizes: Sizes, tokens: int, unit: str, type: str) -> int:
    """The bytes of the scores of a unit, where all are kept; the weights take the same again."""
    return scores(sizes, tokens, unit) * BYTES[type]


def cache_bytes(sizes: Sizes, tokens: int, unit: str, type: str) -> int:
    """The bytes of the keys and values that a unit keeps for the next tokens: 2 · N · d_k a kv head."""
    heads = {"head": 1, "layer": sizes.kv_heads, "model": sizes.kv_heads * sizes.layers}[unit]
    return 2 * tokens * sizes.d_k * heads * BYTES[type]
