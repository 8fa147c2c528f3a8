"""What comes before the scores, for one token of a long context: its row of x alone makes its row of q, k and v."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.long.loading import Long
from attncalc.long.stages import of_cells, steps
from attncalc.long.tables import Table
from attncalc.scenario_files.defaults import PROJECTIONS

KEPT = (*PROJECTIONS, "b_q", "b_k", "b_v", "norm", "qk_norm", "rope")
"""The arrays that a row of q, k or v is made with."""

GONE = ("mask", "bias", "alibi", "sink", "residual", "w_o", "b_o", "expect", "query", "query_tokens", "tokens",
        "softcap", "algorithm", "block")  # fmt: skip
"""The keys that a token alone has nothing to do with."""


class Made(NamedTuple):
    """A step of which every row is made from the row of one token: its name, and whether its rows are keys."""

    name: str
    keys: bool


def made_from_x(long: Long) -> list[Made]:
    """The steps that lead from embeddings to the scores; none where queries, keys and values are given.

    Where words are looked up, or keys of an earlier context are put in front, they are not told apart by token.
    """
    scenario = long.scenario
    if scenario.start != "x" or scenario.sizes["past"]:
        return []
    before = itertools.takewhile(lambda row: not of_cells(row), steps(scenario))
    return [Made(row.name, "key" in row.axes) for row in before]


def token_scenario(long: Long, token: int, keys: bool) -> Scenario:
    """The scenario in which there is one token alone, at its own position; `keys`: one of those that are keys."""
    scenario = long.scenario
    place = {"x": 0 if keys and scenario.has("memory") else token, "memory": token if keys else 0}
    arrays = {name: values for name, values in scenario.arrays.items() if name.split(".")[0] in KEPT}
    arrays |= {name: _row(table, place[name]) for name in place if (table := long.table(name)) is not None}
    for name in ("query_positions", "key_positions"):
        values = scenario.arrays[name]
        arrays[name] = values[:, :, min(token, values.shape[2] - 1)][:, :, None]
    arrays |= {name: np.ones((1, 1, 1, 1), dtype=bool) for name in ("visible", "own")}
    document = {key: value for key, value in scenario.document.items() if key not in GONE}
    labels = (scenario.tokens if keys else scenario.query_tokens)[token : token + 1]
    return replace(
        scenario, document={**document, "arithmetic": long.kind}, arrays=arrays, tokens=tuple(labels),
        query_tokens=tuple(labels), queries=(0,), grid=(*scenario.grid[:2], 1, 1), origins={},
    )  # fmt: skip


def _row(table: Table, row: int) -> Values:
    """One row of every batch entry."""
    return np.array([[table.rows(entry, 0, 1, slice(row, row + 1))] for entry in range(table.shape[0])])
