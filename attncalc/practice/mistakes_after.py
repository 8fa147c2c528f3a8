"""Mistakes after the weights: the weighted value sum, joining the heads, the output projection, the residual."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.scenario import Scenario
from attncalc.ops import attention
from attncalc.practice.mistake import COMMON, RARE, Mistake
from attncalc.practice.plan import Plan, computing, reading, with_row

# --- the weighted value sum ------------------------------------------------------------------------


def _mixing(plan: Plan, slot: str) -> Plan | None:
    """Queries or keys mixed in place of the values."""
    widths = [plan.scenario.sizes.get(name) for name in ("d_k", "d_v")]
    if widths[0] != widths[1] or not plan.has(slot):
        return None
    if slot == "q" and plan.scenario.grid[2] != plan.scenario.grid[3]:
        return None
    return reading(plan, "context", "v", slot)


def _weights_turned(plan: Plan) -> Plan | None:
    if plan.scenario.grid[2] != plan.scenario.grid[3]:
        return None
    return computing(
        plan, "context",
        lambda arithmetic, scenario, weights, v: attention.context(weights.swapaxes(-1, -2), v, arithmetic),
    )  # fmt: skip


def _weights_carried_on(plan: Plan) -> Plan | None:
    if plan.scenario.grid[3] != plan.scenario.sizes.get("d_v"):
        return None
    return computing(plan, "context", lambda arithmetic, scenario, weights, v: weights)


# --- heads -----------------------------------------------------------------------------------------


def _joining(plan: Plan, join: Callable[[Arithmetic, Array], Array]) -> Plan | None:
    return computing(plan, "joined", lambda arithmetic, scenario, out: join(arithmetic, out))


def _reshaped(arithmetic: Arithmetic, out: Array) -> Array:
    """(B, H, T, d) reshaped to (B, 1, T, H·d) without a transpose."""
    batch, heads, rows, width = out.shape
    return out.reshape(batch, 1, rows, heads * width)


def _summed(arithmetic: Arithmetic, out: Array) -> Array:
    """The sum of the heads, repeated to the width that follows."""
    total = out.sum(axis=1, keepdims=True)
    return attention.joined(total[:, [0] * out.shape[1]])


def _averaged(arithmetic: Arithmetic, out: Array) -> Array:
    return _summed(arithmetic, out) / arithmetic.number(Decimal(out.shape[1]))


def _reversed(arithmetic: Arithmetic, out: Array) -> Array:
    return attention.joined(out[:, list(range(out.shape[1]))[::-1]])


# --- the output projection -------------------------------------------------------------------------


def _output(plan: Plan, fits: bool, project: Callable[..., Array]) -> Plan | None:
    return computing(plan, "output", lambda arithmetic, scenario, *read: project(*read)) if fits else None


def _square(plan: Plan) -> bool:
    w = plan.scenario.arrays.get("w_o")
    return w is not None and w.shape[-1] == w.shape[-2]


def _turned(out: Array, w: Array, *bias: Array) -> Array:
    return attention.project(out, w.swapaxes(-1, -2), *bias)


# --- the residual ----------------------------------------------------------------------------------


def _added(plan: Plan, add: Callable[[Array, Array], Array]) -> Plan | None:
    return computing(plan, "residual", lambda arithmetic, scenario, entering, out: add(entering, out))


def _residual_of(plan: Plan, slot: str) -> Plan | None:
    """Queries or values, heads side by side, added in place of what enters the block."""
    if not plan.has(slot, "residual"):
        return None
    width = plan.scenario.sizes["d_k" if slot == "q" else "d_v"] * plan.scenario.heads
    if width != output_width(plan) or (slot == "v" and plan.scenario.grid[2] != plan.scenario.grid[3]):
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, other: Array, out: Array) -> Array:
        every = [head * other.shape[1] // scenario.heads for head in range(scenario.heads)]
        return attention.joined(other[:, every]) + out

    return with_row(
        plan, "residual",
        lambda row: row._replace(compute=compute, reads=(row.reads[0]._replace(slot=slot), *row.reads[1:])),
    )  # fmt: skip


def output_width(plan: Plan) -> int:
    """The width of a row of the output."""
    scenario = plan.scenario
    if scenario.has("w_o"):
        return int(np.shape(scenario.arrays["w_o"])[-1])
    return scenario.sizes["d_v"] * scenario.heads


def _residual_of_normed(plan: Plan) -> Plan | None:
    if plan.scenario.setting("norm.where") != "pre" or plan.scenario.has("residual"):
        return None
    return reading(plan, "residual", "entering", "hidden")


MISTAKES: tuple[Mistake, ...] = (
    Mistake("weights-times-k", "context", lambda plan: _mixing(plan, "k"), COMMON),
    Mistake("weights-times-q", "context", lambda plan: _mixing(plan, "q")),
    Mistake("weights-transposed", "context", _weights_turned),
    Mistake("weights-instead-of-context", "context", _weights_carried_on),
    Mistake("merge-by-reshape", "joined", lambda plan: _joining(plan, _reshaped), COMMON),
    Mistake("heads-averaged", "joined", lambda plan: _joining(plan, _averaged)),
    Mistake("heads-summed", "joined", lambda plan: _joining(plan, _summed)),
    Mistake("heads-reversed", "joined", lambda plan: _joining(plan, _reversed), RARE),
    Mistake(
        "output-projection-skipped", "output",
        lambda plan: _output(plan, _square(plan), lambda out, w, *bias: out), COMMON,
    ),
    Mistake("output-projection-transposed", "output", lambda plan: _output(plan, _square(plan), _turned), COMMON),
    Mistake(
        "output-bias-forgotten", "output",
        lambda plan: _output(plan, plan.scenario.has("b_o"), lambda out, w, *bias: attention.project(out, w)),
    ),
    Mistake("residual-forgotten", "residual", lambda plan: _added(plan, lambda entering, out: out), COMMON),
    Mistake("residual-doubled", "residual", lambda plan: _added(plan, lambda entering, out: entering + entering + out)),
    Mistake("residual-subtracted", "residual", lambda plan: _added(plan, lambda entering, out: entering - out)),
    Mistake("residual-of-q", "residual", lambda plan: _residual_of(plan, "q")),
    Mistake("residual-of-v", "residual", lambda plan: _residual_of(plan, "v")),
    Mistake("residual-of-normed", "residual", _residual_of_normed, COMMON),
)  # fmt: skip
"""From the weighted value sum to the residual."""
