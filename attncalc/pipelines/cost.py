"""How much a calculation takes, counted from shapes, and which arithmetic that allows."""

from __future__ import annotations

import math
from typing import NamedTuple

from attncalc.core.scenario import Scenario

MICROSECONDS_ALLOWED = 200_000.0
MICROSECONDS_A_MULTIPLICATION = 0.4
MICROSECONDS_AN_EXPONENTIAL = 15.0


class Count(NamedTuple):
    """Multiplications of the matrix products, and exponentials."""

    multiplications: int
    exponentials: int


def count(scenario: Scenario) -> Count:
    """What the scenario's matrix products and its softmax take, for all heads and batches."""
    batch = scenario.grid[0]
    cells = math.prod(scenario.grid)
    rows = _rows(scenario)
    multiplications = sum(batch * rows[name] * scenario.arrays[name].size for name in _matrices(scenario))
    if scenario.needs_scores and scenario.start != "scores":
        multiplications += cells * scenario.sizes["d_k"]
    if scenario.has_values:
        multiplications += cells * scenario.sizes["d_v"]
    softmax = scenario.needs_scores and scenario.weighting == "softmax"
    return Count(multiplications, cells if softmax else 0)


def results(scenario: Scenario) -> int:
    """How many numbers come out of the matrix products, scores left out."""
    batch, heads, queries, _ = scenario.grid
    rows, arrays = _rows(scenario), scenario.arrays
    projected: int = sum(batch * rows[n] * arrays[n].size // arrays[n].shape[2] for n in _matrices(scenario))
    return projected + (batch * heads * queries * scenario.sizes["d_v"] if scenario.has_values else 0)


def _rows(scenario: Scenario) -> dict[str, int]:
    """What each matrix is multiplied with, in rows."""
    queries, keys = scenario.grid[2:]
    new = keys - scenario.sizes["past"]
    return {"w_q": queries, "w_k": new, "w_v": new, "w_o": queries}


def _matrices(scenario: Scenario) -> list[str]:
    """The matrices that are read."""
    return [n for n in _rows(scenario) if scenario.has(n) and (n in ("w_v", "w_o") or scenario.needs_scores)]


def exact_is_quick(taken: Count) -> bool:
    """Whether exact arithmetic stays within a fifth of a second by count."""
    microseconds = (
        taken.multiplications * MICROSECONDS_A_MULTIPLICATION + taken.exponentials * MICROSECONDS_AN_EXPONENTIAL
    )
    return microseconds <= MICROSECONDS_ALLOWED


def chosen_arithmetic(scenario: Scenario) -> str:
    """The scenario's `arithmetic`, else by hand where it says `by_hand`, else exact where that is quick."""
    if scenario.option("arithmetic") is not None:
        return str(scenario.option("arithmetic"))
    if scenario.option("by_hand") is not None:
        return "by-hand"
    return "exact" if exact_is_quick(count(scenario)) else "float64"
