"""How much a calculation takes, counted from shapes, and which arithmetic that allows."""

from __future__ import annotations

import math
from typing import NamedTuple

from attncalc.core.scenario import Scenario

MICROSECONDS_ALLOWED = 200_000.0
MICROSECONDS_A_MULTIPLICATION = 0.4
MICROSECONDS_AN_EXPONENTIAL = 15.0
MICROSECONDS_A_RESULT = 15.0


class Count(NamedTuple):
    """Multiplications of the matrix products, exponentials, and the products' numbers that are no scores."""

    multiplications: int
    exponentials: int
    results: int = 0


def count(scenario: Scenario) -> Count:
    """What the scenario's matrix products and its softmax take, for all heads and batches."""
    batch, heads, queries, keys = scenario.grid
    cells = math.prod(scenario.grid)
    new = keys - scenario.sizes["past"]
    rows = {"w_q": queries, "w_k": new, "w_v": new, "w_o": queries}
    read = [name for name in rows if scenario.has(name) and (name in ("w_v", "w_o") or scenario.needs_scores)]
    matrices = {name: scenario.arrays[name] for name in read}
    multiplications = sum(batch * rows[name] * matrix.size for name, matrix in matrices.items())
    results = sum(batch * rows[name] * matrix.size // matrix.shape[2] for name, matrix in matrices.items())
    if scenario.needs_scores and scenario.start != "scores":
        multiplications += cells * scenario.sizes["d_k"]
    if scenario.has_values:
        multiplications += cells * scenario.sizes["d_v"]
        results += batch * heads * queries * scenario.sizes["d_v"]
    softmax = scenario.needs_scores and scenario.weighting == "softmax"
    return Count(multiplications, cells if softmax else 0, results)


def exact_is_quick(taken: Count) -> bool:
    """Whether exact arithmetic stays within a fifth of a second by count."""
    microseconds = (
        taken.multiplications * MICROSECONDS_A_MULTIPLICATION
        + taken.exponentials * MICROSECONDS_AN_EXPONENTIAL
        + taken.results * MICROSECONDS_A_RESULT
    )
    return microseconds <= MICROSECONDS_ALLOWED


def chosen_arithmetic(scenario: Scenario) -> str:
    """The scenario's `arithmetic`, else by hand where it says `by_hand`, else exact where that is quick."""
    if scenario.option("arithmetic") is not None:
        return str(scenario.option("arithmetic"))
    if scenario.option("by_hand") is not None:
        return "by-hand"
    return "exact" if exact_is_quick(count(scenario)) else "float64"
