"""What tells positions apart: rotary embeddings (Su et al. 2021)."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values


def rotated(x: Array, positions: Array, base: Array, neighbours: bool, arithmetic: Arithmetic) -> Array:
    """Each pair of features turned by position · base^(−2i/d): (B, H, T, d), positions (1, 1, T, 1).

    The pairs are neighbours (0, 1), (2, 3) …, or the halves (0, d/2), (1, d/2 + 1) ….
    """
    d = x.shape[-1]
    first, second = _pairs(d, neighbours)
    angles = positions * arithmetic.power(base, _exponents(d, arithmetic))
    cos, sin = arithmetic.cos(angles), arithmetic.sin(angles)
    a, b = x[..., first], x[..., second]
    turned = arithmetic.join((a * cos - b * sin, b * cos + a * sin), -1)
    return turned[..., np.argsort(np.concatenate((first, second)))]


def _pairs(d: int, neighbours: bool) -> tuple[Values, Values]:
    if neighbours:
        return np.arange(0, d, 2), np.arange(1, d, 2)
    return np.arange(d // 2), np.arange(d // 2, d)


def _exponents(d: int, arithmetic: Arithmetic) -> Array:
    """−2i/d as the arithmetic's own quotients, so that a third is as exact as the digits at hand."""
    numerators = np.array([Decimal(-2 * i) for i in range(d // 2)])
    return arithmetic.given(numerators, "") / arithmetic.number(Decimal(d))
