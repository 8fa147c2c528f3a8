"""A block of whole rows, as the steps calculate it: for every way to weigh, and where numbers are not finite."""

from __future__ import annotations

import numpy as np

from attncalc.calculations import floats
from attncalc.core.bounded import Values
from attncalc.core.labels import Numbered
from attncalc.core.scenario import Scenario
from attncalc.long.pooling import over_keys
from attncalc.long.problem import FILLED, Asked, Block, Job, Problem
from attncalc.long.tables import Table

LOGITS = ("scores", "scaled", "capped", "biased", "masked")
"""The steps that write scores, in order."""


def whole_rows_block(problem: Problem, job: Job, asked: Asked | None = None) -> Block:
    """The context of a block of rows and, where asked for, the figures of its weights."""
    scenario, seen = block_scenario(problem, job)
    steps, _ = floats(problem.kind, scenario)
    found = {step.name: step.cells[0, 0] for step in steps if "query" in step.stage.axes}
    weights, context = found["weights"], found.get("context")
    masked, seen = seen, _counted(scenario, found, seen)
    empty = np.asarray(~seen.any(axis=1) & (problem.sink is None))
    if asked is None:
        return Block(context, empty=empty)
    places = problem.hiding.positions[job.rows]
    counts = seen | (empty[:, None] & (problem.empty == "uniform"))
    said = figures(weights, counts, places, asked)._replace(context=context, empty=empty)
    if problem.empty == "nan" and said.weights is not None:
        said.weights[empty] = np.nan
    if asked.pooling is None or not asked.pooling.takes(job):
        return said
    visible = (seen if scenario.needs_scores else masked) | (empty[:, None] & (problem.empty in FILLED))
    binned, visible = over_keys(weights, visible, asked.pooling)
    return said._replace(binned=binned, visible=visible)


def _counted(scenario: Scenario, found: dict[str, Values], seen: Values) -> Values:
    """Which keys a row can take a weight from: those whose score is not −∞, or with `self` the token itself."""
    if scenario.start == "weights":
        return seen
    if scenario.weighting == "self":
        return np.asarray(scenario.arrays["own"][0, 0])
    last = [name for name in LOGITS if name in found]
    return seen if not scenario.needs_scores else np.asarray(~np.isneginf(found[last[-1]]))


def figures(weights: Values, seen: Values, places: Values, asked: Asked) -> Block:
    """What is reported of rows of weights, (rows, keys), of which `seen` are those that count."""
    keys = weights.shape[1]
    heights = np.where(np.isnan(weights), -np.inf, -weights)  # NaN first, so that none is passed over
    order = np.lexsort((heights, ~seen), axis=1)[:, : asked.top]
    top = np.full((len(weights), asked.top), -1, np.int64)
    largest = np.zeros((len(weights), asked.top), weights.dtype)
    usable = np.take_along_axis(seen, order, 1)
    top[:, : order.shape[1]] = np.where(usable, order, -1)
    largest[:, : order.shape[1]] = np.where(usable, np.take_along_axis(weights, order, 1), 0)
    nothing = ~seen.any(axis=1)
    largest[nothing] = weights[nothing, :1]  # 0, or what `empty_rows` makes of it
    inside = (places >= 0) & (places < keys)
    own = np.take_along_axis(weights, np.clip(places, 0, keys - 1)[:, None], 1)[:, 0]
    near = np.abs(np.arange(keys) - places[:, None]) < asked.near
    with np.errstate(all="ignore"):
        terms = np.where(weights == 0, 0, weights * np.log(weights))  # NaN where a weight is negative
        entropy = -terms.sum(axis=1)
    near_sum = np.where(near, weights, 0).sum(axis=1)
    return Block(None, top, largest, entropy, np.where(inside, own, 0), weights[:, 0], near_sum)


def block_scenario(problem: Problem, job: Job) -> tuple[Scenario, Values]:
    """The scenario of a block of rows of one head, and which keys each row sees."""
    keys, count = problem.grid[3], job.last - job.first
    here = (job.batch, job.head, problem.grid[1])
    tables: dict[str, Table | None] = {
        "q": problem.q, "scores": problem.scores, "weights": problem.weights, "bias": problem.bias,
    }  # fmt: skip
    arrays = {name: table.rows(*here, job.rows)[None, None] for name, table in tables.items() if table is not None}
    for name, table in (("k", problem.k), ("v", problem.v)):
        if table is not None:
            arrays[name] = table.rows(*here, slice(0, keys))[None, None]
    for name, numbers in (("alibi", problem.slopes), ("sink", problem.sink)):
        if numbers is not None:
            arrays[name] = np.full((1, 1, 1, 1), numbers[job.head])
    seen = seen_by(problem, job)
    places = problem.hiding.positions[job.rows][:, None]
    own = (np.arange(keys) == places) & seen
    arrays |= {"visible": seen[None, None], "own": own[None, None]}
    if problem.slopes is not None:
        arrays["distance"] = np.abs(places - np.arange(keys))[None, None].astype(np.float64)
    sizes = {"kv_heads": 1, "past": 0}
    labels = tuple(problem.labels[job.rows]) if problem.labels else Numbered(range(job.first, job.last))
    scenario = Scenario(
        problem.name, problem.settings or {}, problem.start, arrays, Numbered(range(keys)), labels, (count - 1,),
        (1, 1, count, keys), sizes, problem.width_said, ("batch", "head", "query", "key", "feature"),
    )  # fmt: skip
    return scenario, seen


def seen_by(problem: Problem, job: Job) -> Values:
    """Which keys the rows of a block see, (rows, keys)."""
    count, keys = job.last - job.first, problem.grid[3]
    if problem.start == "weights":
        return np.ones((count, keys), dtype=bool)
    first, last = problem.hiding.span(job.batch, job.rows)
    seen = np.zeros((count, keys), dtype=bool)
    if first < last:
        drawn = problem.hiding.drawn(job.batch, job.head, problem.grid[1], job.rows)
        hidden = problem.hiding.within(job.rows, slice(first, last), drawn)
        seen[:, first:last] = True if hidden is None else ~hidden.T
    return seen
