"""Mistakes on the way from embeddings to scores: norms, projections, heads, positions, dot products."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.ops import attention, norms
from attncalc.pipelines.standard import stages
from attncalc.practice.mistake import COMMON, RARE, Mistake
from attncalc.practice.mistakes_after import output_width
from attncalc.practice.plan import Plan, after, before, both, computing, unchanged, with_arrays, with_options

PROJECTIONS = ("w_q", "w_k", "w_v")
BIASES = ("b_q", "b_k", "b_v")


# --- given arrays taken for each other or cut up wrongly -------------------------------------------


def _swapped(plan: Plan, first: str, second: str) -> Plan | None:
    """Two of q, k, v taken for each other: their matrices where they are projected, else the arrays themselves."""
    arrays = plan.scenario.arrays
    pair = (f"w_{first}", f"w_{second}") if plan.scenario.projected else (first, second)
    if not plan.scenario.has(*pair) or arrays[pair[0]].shape != arrays[pair[1]].shape:
        return None
    pairs = [pair, (f"b_{first}", f"b_{second}")]
    other = {x: y for pair in pairs for x, y in (pair, pair[::-1])}
    rest = {name: values for name, values in arrays.items() if name not in other}
    swapped = {name: arrays[taken] for name, taken in other.items() if taken in arrays}
    scenario = replace(plan.scenario, arrays=rest | swapped)
    return plan._replace(scenario=scenario, rows=stages(scenario, plan.shift, plan.terms))


def side_by_side(w: Values) -> Values:
    """A matrix of heads as it is written: (1, H, in, d) → (in, H·d)."""
    return np.asarray(w[0].swapaxes(0, 1).reshape(w.shape[2], -1))


def in_heads(w: Values, heads: int) -> Values:
    """A matrix as it is written, cut into heads: (in, H·d) → (1, H, in, d)."""
    return np.asarray(w.reshape(len(w), heads, -1).swapaxes(0, 1)[None])


def _transposed(plan: Plan, *names: str) -> Plan | None:
    """Matrices used as x·Wᵀ; only square ones can be."""
    arrays = {name: plan.scenario.arrays[name] for name in names if name in plan.scenario.arrays}
    whole = {name: side_by_side(w) for name, w in arrays.items()}
    if len(arrays) < len(names) or any(w.shape[0] != w.shape[1] for w in whole.values()):
        return None
    return with_arrays(plan, {name: in_heads(w.T, arrays[name].shape[1]) for name, w in whole.items()})


def _fused(plan: Plan, cut: Callable[[Values, int, int], Values]) -> Plan | None:
    """The three projections side by side as one matrix, and cut into three in another way."""
    arrays = plan.scenario.arrays
    alike = plan.scenario.has(*PROJECTIONS) and len({arrays[name].shape for name in PROJECTIONS}) == 1
    if not alike or plan.scenario.has("memory"):
        return None
    heads = plan.scenario.heads
    biases = {name: arrays[name] for name in BIASES if name in arrays}
    nothing = {name: np.full_like(bias, Decimal(0)) for bias in biases.values() for name in BIASES}
    wide = {**arrays, **nothing, **biases}  # a bias that is missing adds nothing
    cuts: dict[str, Values] = {}
    for names in (PROJECTIONS, BIASES if biases else ()):
        whole = [side_by_side(wide[name]) for name in names]
        cuts |= {n: in_heads(cut(np.concatenate(whole, axis=-1), heads, part), heads) for part, n in enumerate(names)}
    scenario = replace(plan.scenario, arrays={**arrays, **cuts})
    return plan._replace(scenario=scenario, rows=stages(scenario, plan.shift, plan.terms))


def _by_head(whole: Values, heads: int, part: int) -> Values:
    return np.asarray(whole.reshape(len(whole), heads, 3, -1)[:, :, part].reshape(len(whole), -1))


def _every_third(whole: Values, heads: int, part: int) -> Values:
    return np.asarray(whole[:, part::3])


# --- projections left out --------------------------------------------------------------------------


def _unprojected(plan: Plan, *names: str) -> Plan | None:
    """X itself, its columns shared out among the heads, in place of a projection; the widths have to agree."""
    scenario = plan.scenario
    if not scenario.has(*(f"w_{name}" for name in names if plan.has(name))) or not scenario.projected:
        return None
    changed: Plan | None = plan
    for name in (name for name in names if plan.has(name)):
        w = scenario.arrays[f"w_{name}"]
        if w.shape[2] != w.shape[1] * w.shape[3]:
            return None
        heads = int(w.shape[1])
        changed = changed and computing(
            changed, name, lambda arithmetic, scenario, x, *rest, heads=heads: attention.shared_out(x, heads)
        )
    return changed


def _without_bias(plan: Plan) -> Plan | None:
    if not any(plan.scenario.has(f"b_{name}") for name in "qkv"):
        return None
    arrays = {name: a for name, a in plan.scenario.arrays.items() if name not in ("b_q", "b_k", "b_v")}
    scenario = replace(plan.scenario, arrays=arrays)
    return plan._replace(scenario=scenario, rows=tuple(_reading_only(row, scenario) for row in plan.rows))


def _reading_only(row: Any, scenario: Scenario) -> Any:
    """A row without what it would read of arrays that are no more."""
    gone = ("b_q", "b_k", "b_v")
    return row._replace(reads=tuple(read for read in row.reads if read.slot not in gone or scenario.has(read.slot)))


# --- heads -----------------------------------------------------------------------------------------


def _resplit(plan: Plan, change: Callable[[Array], Array]) -> Plan | None:
    """Queries, keys and values cut into heads in another way."""
    if plan.scenario.heads == 1 or plan.scenario.start not in ("q", "x", "ids"):
        return None
    names = [name for name in ("q", "k", "v") if plan.has(name)]
    return both(plan, *(partial(after, name=name, change=change) for name in names))


def reshaped_heads(x: Array) -> Array:
    """(B, H, T, d) as joined, then reshaped without a transpose: a head mixes tokens."""
    return x.swapaxes(1, 2).reshape(*x.shape)


def strided_heads(x: Array) -> Array:
    """(B, H, T, d) as joined, head h taking the columns h, h + H, …"""
    batch, heads, rows, width = x.shape
    joined = x.swapaxes(1, 2).reshape(batch, rows, width, heads)
    return joined.swapaxes(2, 3).swapaxes(1, 2)


def _tiled(plan: Plan) -> Plan | None:
    """Shared key and value heads in the order A B A B."""
    heads, shared = plan.scenario.heads, plan.scenario.kv_heads
    if shared in (1, heads):
        return None

    def tiled(first: Array, second: Array) -> tuple[Array, Array]:
        return first, second[:, [head % shared for head in range(heads)]]

    changes = [partial(before, name=name, change=tiled) for name in ("scores", "context") if _calculated(plan, name)]
    return both(plan, *changes)


def _calculated(plan: Plan, name: str) -> bool:
    row = plan.row(name)
    return row is not None and not row.given


# --- norms -----------------------------------------------------------------------------------------


def _norm_prefix(plan: Plan) -> str:
    return "post_" if plan.scenario.setting("norm.where") == "post" else ""


def _norm_forgotten(plan: Plan) -> Plan | None:
    prefix = _norm_prefix(plan)
    gained = plan.has(f"{prefix}gained")
    changes = [partial(unchanged, name=f"{prefix}{name}") for name in ("normed", *(["gained"] if gained else []))]
    return both(plan, *changes)


def _sample_variance(plan: Plan) -> Plan | None:
    prefix = _norm_prefix(plan)
    name = f"{prefix}variance"
    if not plan.has(name) or (output_width(plan) if prefix else plan.scenario.sizes["d_model"]) < 2:
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, x: Array, *center: Array) -> Array:
        biased = norms.variance(x, center[0] if center else None, arithmetic)
        return biased * arithmetic.number(Decimal(x.shape[-1])) / arithmetic.number(Decimal(x.shape[-1] - 1))

    return computing(plan, name, compute)


def _without_eps(plan: Plan) -> Plan | None:
    def compute(arithmetic: Arithmetic, scenario: Scenario, x: Array, spread: Array, *center: Array) -> Array:
        return norms.normed(x, center[0] if center else None, spread, arithmetic.number(Decimal(0)), arithmetic)

    return computing(plan, f"{_norm_prefix(plan)}normed", compute)


def _norm_with(plan: Plan, key: str, now: str, then: str) -> Plan | None:
    norm = plan.scenario.option("norm")
    if not isinstance(norm, Mapping) or plan.scenario.setting(f"norm.{key}") != now:
        return None
    if not (plan.scenario.has_values if then == "post" else plan.scenario.projected or key != "where"):
        return None
    return with_options(plan, norm={**norm, key: then})


# --- positions and dot products --------------------------------------------------------------------


def _other_pairs(plan: Plan) -> Plan | None:
    rope = plan.scenario.option("rope")
    if not isinstance(rope, Mapping):
        return None
    return with_options(plan, rope={**rope, "pairs": "halves" if rope.get("pairs") == "neighbours" else "neighbours"})


def _left_out(plan: Plan, *names: str) -> Plan | None:
    present = [name for name in names if plan.has(name)]
    return both(plan, *(partial(unchanged, name=name) for name in present)) if present else None


def _key_times_query(plan: Plan) -> Plan | None:
    def compute(arithmetic: Arithmetic, scenario: Scenario, q: Array, k: Array) -> Array:
        return attention.for_each_head(k, q.shape[1]) @ q.swapaxes(-1, -2)

    return computing(plan, "scores", compute) if plan.scenario.grid[2] == plan.scenario.grid[3] else None


def _untransposed(plan: Plan) -> Plan | None:
    keys, width = plan.scenario.grid[3], plan.scenario.sizes.get("d_k")
    if keys != width or not _calculated(plan, "scores"):
        return None
    return computing(plan, "scores", lambda arithmetic, scenario, q, k: q @ attention.for_each_head(k, q.shape[1]))


def _elementwise(plan: Plan) -> Plan | None:
    queries, keys, width = *plan.scenario.grid[2:], plan.scenario.sizes.get("d_k")
    if not queries == keys == width:
        return None
    return computing(plan, "scores", lambda arithmetic, scenario, q, k: q * attention.for_each_head(k, q.shape[1]))


MISTAKES: tuple[Mistake, ...] = (
    Mistake("norm-forgotten", "normed", _norm_forgotten, COMMON),
    Mistake("norm-pre-as-post", "normed", lambda plan: _norm_with(plan, "where", "pre", "post")),
    Mistake("norm-post-as-pre", "q", lambda plan: _norm_with(plan, "where", "post", "pre")),
    Mistake("norm-sample-variance", "variance", _sample_variance),
    Mistake("norm-without-eps", "normed", _without_eps),
    Mistake("norm-rms-as-layer", "normed", lambda plan: _norm_with(plan, "kind", "rms", "layer")),
    Mistake("norm-layer-as-rms", "normed", lambda plan: _norm_with(plan, "kind", "layer", "rms")),
    Mistake("projections-skipped", "q", lambda plan: _unprojected(plan, "q", "k", "v")),
    Mistake("transposed-projections", "q", lambda plan: _transposed(plan, *PROJECTIONS), COMMON),
    Mistake("transposed-w_q", "q", lambda plan: _transposed(plan, "w_q")),
    Mistake("transposed-w_k", "k", lambda plan: _transposed(plan, "w_k")),
    Mistake("transposed-w_v", "v", lambda plan: _transposed(plan, "w_v")),
    Mistake("value-not-projected", "v", lambda plan: _unprojected(plan, "v"), COMMON),
    Mistake("projection-bias-forgotten", "q", _without_bias),
    Mistake("swapped-q-k", "q", lambda plan: _swapped(plan, "q", "k")),
    Mistake("swapped-q-v", "q", lambda plan: _swapped(plan, "q", "v")),
    Mistake("swapped-k-v", "k", lambda plan: _swapped(plan, "k", "v")),
    Mistake("fused-split-by-head", "q", lambda plan: _fused(plan, _by_head) if plan.scenario.heads > 1 else None),
    Mistake("fused-split-every-third", "q", lambda plan: _fused(plan, _every_third), RARE),
    Mistake("heads-by-reshape", "q", lambda plan: _resplit(plan, reshaped_heads), COMMON),
    Mistake("heads-strided", "q", lambda plan: _resplit(plan, strided_heads)),
    Mistake("qk-norm-forgotten", "normed_q", lambda plan: _left_out(plan, "normed_q", "normed_k")),
    Mistake("rope-forgotten", "rotated_q", lambda plan: _left_out(plan, "rotated_q", "rotated_k")),
    Mistake("rope-other-pairs", "rotated_q", _other_pairs, COMMON),
    Mistake("grouped-heads-tiled", "scores", _tiled, COMMON),
    Mistake("scores-transposed", "scores", _key_times_query, COMMON),
    Mistake("no-transpose", "scores", _untransposed),
    Mistake("elementwise-product", "scores", _elementwise),
)
"""From the norm before the projections to the dot products."""
