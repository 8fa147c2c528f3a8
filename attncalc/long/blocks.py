"""A block of rows, whichever way it is calculated, and the blocks that a problem is cut into."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from attncalc.errors import CalculationError
from attncalc.long.problem import FILLED, Asked, Block, Job, Problem
from attncalc.long.softmax import softmax_block
from attncalc.long.whole_rows import whole_rows_block

ROWS = 256
"""Rows of a block: fewer make its matrix products slow, more leave the cache."""

HELD = 16 * 1024**2
"""Bytes of whole rows that a block may hold at once, where a bias, a drawn mask or given scores make it hold them."""

ARRAYS_OF_STEPS = 8
"""Arrays of whole rows that the steps hold at once."""


def block(problem: Problem, job: Job, asked: Asked | None = None, tile: int | None = None) -> Block:
    """The context of a block of rows and, where asked for, the figures of its weights. A pure function.

    `tile` is how many keys are taken at a time.
    """
    if not problem.softmax:
        return whole_rows_block(problem, job, asked)
    found = softmax_block(problem, job, asked, tile)
    return found if found.empty is None or not found.empty.any() else _filled(problem, job, found, asked)


def jobs(problem: Problem, rows: int = ROWS, asked: Asked | None = None) -> list[Job]:
    """The blocks of all rows, those with the most keys first, so that no thread is left with a long one at the end.

    Where a map alone is asked for, those of its places.
    """
    queries = problem.grid[2]
    step = min(rows, rows_at_once(problem))
    found = [
        Job(entry, head, first, min(first + step, queries))
        for entry, head in places(problem, asked) for first in range(0, queries, step)
    ]  # fmt: skip
    return sorted(found, key=lambda job: -cells(problem, job))


def places(problem: Problem, asked: Asked | None) -> Collection[tuple[int, int]]:
    """The batch entries and heads that are calculated: all, or those of a map that is asked for alone."""
    if asked is not None and asked.pooling is not None and asked.map_alone:
        return asked.pooling.places
    batch, heads, _, _ = problem.grid
    return [(entry, head) for entry in range(batch) for head in range(heads)]


def cells(problem: Problem, job: Job) -> int:
    """How many scores a block takes."""
    first, last = problem.hiding.span(job.batch, job.rows)
    rows = job.last - job.first
    keys: int = last - first if problem.softmax else problem.grid[3]
    return rows * keys


def rows_at_once(problem: Problem) -> int:
    """How many rows may be held whole at once."""
    keys: int = problem.grid[3] * problem.dtype.itemsize
    if not problem.softmax:
        return max(1, HELD // (keys * ARRAYS_OF_STEPS))
    hiding = problem.hiding
    drawn = sum(t is not None for t in (problem.bias, problem.scores, hiding.keep, hiding.drop))
    return max(1, HELD // (keys * drawn)) if drawn else ROWS


def _filled(problem: Problem, job: Job, found: Block, asked: Asked | None) -> Block:
    """The block with its empty rows filled as the scenario says."""
    empty = np.asarray(found.empty)
    if problem.empty == "error":
        query = problem.labels[job.first + int(np.argmax(empty))]
        raise CalculationError.of("empty-row-refused", problem.name, query=query)
    if problem.empty == "uniform":
        return _uniform(problem, job, found, asked)
    filling = np.nan if problem.empty == "nan" else 0
    values = {
        name: np.where(empty.reshape(-1, *[1] * (array.ndim - 1)), filling, array)
        for name, array in found._asdict().items() if array is not None and name not in ("keys", "empty", "visible")
    }  # fmt: skip
    if found.visible is not None:
        values["visible"] = found.visible | (empty[:, None] & (problem.empty in FILLED))
    return found._replace(**values)


def _uniform(problem: Problem, job: Job, found: Block, asked: Asked | None) -> Block:
    """Equal weights over all keys, hidden or not."""
    empty: Any = found.empty
    keys, dtype = problem.grid[3], problem.dtype
    share = dtype.type(1) / dtype.type(keys)
    context = found.context
    if problem.v is not None and context is not None:
        values = problem.v.rows(job.batch, job.head, problem.grid[1], slice(0, keys))
        context = np.where(empty[:, None], np.full(keys, share) @ values, context)
    if asked is None:
        return found._replace(context=context)
    top = np.arange(asked.top)
    places = problem.hiding.positions[job.rows]
    inside = (places >= 0) & (places < keys)
    spans = np.clip(places + asked.near, 0, keys) - np.clip(places - asked.near + 1, 0, keys)
    instead: dict[str, Any] = {
        "keys": np.where(top < keys, top, -1), "weights": np.where(top < keys, share, 0),
        "entropy": np.log(dtype.type(keys)), "itself": np.where(inside, share, 0), "first": share,
        "near": np.maximum(spans, 0) * share,
    }  # fmt: skip
    if asked.pooling is not None and found.binned is not None:
        size = asked.pooling.keys
        counts = np.minimum(size, keys - np.arange(0, keys, size))
        instead |= {"binned": share * counts if asked.pooling.name == "mean" else share, "visible": True}
    row: dict[str, Any] = dict.fromkeys(("keys", "weights", "binned", "visible"), empty[:, None])
    filled = {
        name: np.where(row.get(name, empty), value, getattr(found, name)).astype(getattr(found, name).dtype)
        for name, value in instead.items()
    }
    return found._replace(context=context, **filled)
