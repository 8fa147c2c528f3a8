"""How a row of scores becomes a row of weights, and what a row that sees nothing becomes."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values

ZERO, ONE, NAN = Decimal(0), Decimal(1), Decimal("NaN")


def divisor(arithmetic: Arithmetic, width: int | None, scale: str, temperature: Decimal) -> Array | None:
    """√d_k·T and its kin, or None where nothing divides."""
    found = None
    if width is not None:  # only a named scale has one
        number = arithmetic.number(Decimal(width), scale.removeprefix("sqrt_"))
        found = arithmetic.sqrt(number) if scale.startswith("sqrt_") else number
    if temperature == 1:
        return found
    factor = arithmetic.number(temperature, "temperature")
    return factor if found is None else found * factor


def row_maximum(logits: Array, sink: Array | None, arithmetic: Arithmetic) -> Array:
    """The largest score of each row, the sink's included: (B, H, Tq, Tk) → (B, H, Tq, 1).

    A row that sees nothing keeps −∞ unless there is a sink.
    """
    if sink is None:
        return arithmetic.maximum(logits)
    spread = arithmetic.where(np.ones((*logits.shape[:-1], 1), dtype=bool), sink, sink)
    return arithmetic.maximum(arithmetic.join((logits, spread), -1))


def shifted(logits: Array, maximum: Array, arithmetic: Arithmetic) -> Array:
    """Each score less its row's maximum: the largest becomes 0. A hidden score stays hidden."""
    hidden = arithmetic.hidden(logits)
    return arithmetic.where(hidden, logits, logits - maximum)


def one_where(condition: Values, arithmetic: Arithmetic) -> Array:
    """1 where the condition holds, else 0."""
    return arithmetic.where(condition, arithmetic.number(ONE), arithmetic.number(ZERO))


def shares(terms: Array, total: Array, empty: Values, arithmetic: Arithmetic) -> Array:
    """Each term over its row's total; an empty row, whose total is 0, is divided by 1 and filled afterwards."""
    return terms / arithmetic.where(empty, arithmetic.number(ONE), total)


def filled(weights: Array, empty: Values, policy: str, keys: int, arithmetic: Arithmetic) -> Array:
    """The weights, a row that sees nothing filled by the policy: 0, NaN, or equal weights over all keys."""
    if policy == "uniform":
        filling = arithmetic.number(ONE) / arithmetic.number(Decimal(keys))
    else:
        filling = arithmetic.number(NAN if policy == "nan" else ZERO)
    return arithmetic.where(empty, filling, weights) if empty.any() else weights


def without_hidden(logits: Array, arithmetic: Arithmetic) -> Array:
    """The scores with 0 where one is hidden, so that a hidden key gets weight 0."""
    return arithmetic.where(arithmetic.hidden(logits), arithmetic.number(ZERO), logits)
