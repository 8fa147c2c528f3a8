"""Some queries of a long attention: as a small scenario of their rows, or straight from the files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Source
from attncalc.fold import Slot
from attncalc.long.blocks import block
from attncalc.long.loading import COMPARED, Long, Ready, ready
from attncalc.long.problem import Asked, Job, Problem
from attncalc.long.summary import Summary, after, nothing_yet, put
from attncalc.long.tables import Held, Table
from attncalc.long.whole_rows import seen_by

STREAMED = 16_384
"""Keys that are read at a time for a single query: a few megabytes."""

BEFORE = (
    "x", "memory", "ids", "embedding", "positions", "w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "past", "qk_norm", "rope",
)  # fmt: skip
"""The keys whose work is done when the rows are cut out."""

OF_ROWS = ("query", "query_tokens", "tokens", "expect", "mask")


def streamed(long: Long, queries: Sequence[int], asked: Asked) -> Summary:
    """What is known of some rows, read through the keys and values once for each head; nothing else is held.

    Where a number that is not finite would count, the rows are calculated whole, as the steps do it.
    """
    prepared = ready(long, (*COMPARED, "residual"))
    problem = prepared.problem
    batch, heads, _, keys = problem.grid
    summary = nothing_yet(problem._replace(grid=(batch, heads, len(queries), keys)), asked)
    for entry, head, place in np.ndindex(batch, heads, len(queries)):
        job = Job(entry, head, queries[place], queries[place] + 1)
        found = block(problem, job, asked, STREAMED)
        if not all(np.isfinite(part).all() for part in (found.context, found.entropy) if part is not None):
            found = block(problem._replace(softmax=False), job, asked)
        put(summary, {}, Job(entry, head, place, place + 1), found)
    steps = after(_of_rows(long, prepared, queries), summary.context)
    return summary._replace(problem=problem, steps=steps, queries=tuple(queries))


def rows_scenario(long: Long, queries: Sequence[int]) -> Scenario:
    """The scenario of some rows: what comes before the scores is calculated, and q, k and v are given numbers."""
    prepared = ready(long)
    problem, scenario = prepared.problem, prepared.scenario
    places = problem.hiding.positions[list(queries)][:, None]
    arrays = _before_the_context(problem, queries)
    arrays |= {
        name: scenario.arrays[name]
        for name in ("alibi", "slope_exponents", "sink", "w_o", "b_o", "norm.gain", "norm.bias")
        if scenario.has(name)
    }
    arrays |= _residual(long, prepared, queries)
    keys = np.arange(problem.grid[3])
    arrays["own"] = (keys == places) & arrays["visible"]
    arrays["distance"] = np.abs(places - keys)[None, None].astype(np.float64)
    document = _document(scenario, long.kind, "residual" in arrays)
    grid = (*problem.grid[:2], len(queries), problem.grid[3])
    return Scenario(
        name=scenario.name, document=document, start=problem.start, arrays=arrays, tokens=tuple(scenario.tokens),
        query_tokens=tuple(scenario.query_tokens[query] for query in queries), queries=tuple(range(len(queries))),
        grid=grid, sizes={**scenario.sizes, "past": 0}, width=scenario.width, axes=scenario.axes,
        changes=scenario.changes,
    )  # fmt: skip


def _before_the_context(problem: Problem, queries: Sequence[int]) -> dict[str, Values]:
    """The rows of q and of all that has a number for each query and key; keys and values whole."""
    tables: dict[str, Table | None] = {
        "q": problem.q, "scores": problem.scores, "weights": problem.weights, "bias": problem.bias,
    }  # fmt: skip
    arrays = {name: _rows(table, problem, queries) for name, table in tables.items() if table is not None}
    for name, table in (("k", problem.k), ("v", problem.v)):
        if table is not None:
            arrays[name] = table.values if isinstance(table, Held) else _rows(table, problem, range(problem.grid[3]))
    batch, heads = problem.grid[:2]
    seen = [[np.concatenate([seen_by(problem, Job(b, h, i, i + 1)) for i in queries]) for h in range(heads)]
            for b in range(batch)]  # fmt: skip
    return {**arrays, "visible": np.array(seen)}


def _rows(table: Table, problem: Problem, queries: Sequence[int]) -> Values:
    """Some rows of a table with its four axes; one that has a row for all stays as it is."""
    batch, heads = table.shape[:2]
    found = [[_some(table, b, h, problem, queries) for h in range(heads)] for b in range(batch)]
    return np.array(found)


def _some(table: Table, batch: int, head: int, problem: Problem, queries: Sequence[int]) -> Values:
    first = -(-head * problem.grid[1] // table.shape[1])  # the first query head that reads this one
    if table.shape[2] == 1:
        return np.asarray(table.rows(batch, first, problem.grid[1], slice(None)))
    return np.concatenate([table.rows(batch, first, problem.grid[1], slice(i, i + 1)) for i in queries])


def _residual(long: Long, prepared: Ready, queries: Sequence[int]) -> dict[str, Values]:
    """The rows that are added after the context."""
    table = long.table("residual")
    if table is None and prepared.scenario.option("residual") is True:
        table = Held(prepared.slots["entering"].array)
    return {} if table is None else {"residual": _rows(table, prepared.problem, queries)}


def _of_rows(long: Long, prepared: Ready, queries: Sequence[int]) -> Ready:
    """What follows the context, for some rows."""
    rows, scenario = _residual(long, prepared, queries), prepared.scenario
    slots = dict(prepared.slots)
    if rows:
        slots["entering"] = Slot(Source("residual"), rows["residual"])
    return prepared._replace(scenario=replace(scenario, arrays={**scenario.arrays, **rows}), slots=slots)


def _document(scenario: Scenario, kind: str, has_residual: bool) -> Mapping[str, Any]:
    """The keys that the rows still read."""
    gone = {*BEFORE, *OF_ROWS, *({"norm"} if scenario.setting("norm.where") == "pre" else ())}
    document = {key: value for key, value in scenario.document.items() if key not in gone}
    document |= {"arithmetic": kind, "places": scenario.option("places") or Literal("4")}
    if scenario.has_mask:
        document["mask"] = scenario.option("mask")
    if has_residual:
        document["residual"] = True
    return document
