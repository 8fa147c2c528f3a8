"""Layer norm (Ba et al. 2016) and RMS norm (Zhang and Sennrich 2019), line by line.

Shapes: x is (B, H, T, d); means and variances are (B, H, T, 1); gain and bias (1, 1, 1, d).
"""

from __future__ import annotations

from decimal import Decimal

from attncalc.core.arithmetic import Arithmetic, Array


def mean(x: Array, arithmetic: Arithmetic) -> Array:
    """The mean over the features."""
    return x.sum(axis=-1, keepdims=True) / arithmetic.number(Decimal(x.shape[-1]))


def variance(x: Array, center: Array | None, arithmetic: Arithmetic) -> Array:
    """The biased variance; without a centre the mean of the squares, as RMS norm takes it."""
    difference = x if center is None else x - center
    return mean(difference * difference, arithmetic)


def normed(x: Array, center: Array | None, spread: Array, eps: Array, arithmetic: Arithmetic) -> Array:
    """(x − mean) / √(variance + eps)."""
    difference = x if center is None else x - center
    return difference / arithmetic.sqrt(spread + eps)


def rms(x: Array, eps: Array, gain: Array | None, arithmetic: Arithmetic) -> Array:
    """x / √(mean of squares + eps), times the gain."""
    result = normed(x, None, variance(x, None, arithmetic), eps, arithmetic)
    return result if gain is None else result * gain
