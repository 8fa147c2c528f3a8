"""What a summary will take, said before it starts: scores, multiply-adds, bytes, and seconds from a quick probe."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

from attncalc.core.memory import check_free
from attncalc.core.stage import Stage
from attncalc.long.blocks import HELD, ROWS, block, cells, jobs
from attncalc.long.loading import Long, Ready, of_cells
from attncalc.long.problem import Asked, Job, Problem
from attncalc.long.softmax import SUMMARY_TILE
from attncalc.pipelines.standard import stages
from attncalc.scenario_files.array_rows import BY_CELLS

STEPS_OF_ROWS, LABELS = 6, 50
"""Arrays like the keys that telling some rows holds, and what the labels of a key take, in numbers."""

PROBED = 400_000
"""The scores of a probe: a few milliseconds."""


class Ahead(NamedTuple):
    """What is ahead: scores, multiply-adds of both products, and roughly the seconds."""

    scores: int
    multiply_adds: int
    seconds: float


def ahead(ready: Ready, asked: Asked | None, threads: int) -> Ahead:
    """The work of a problem; the seconds are those of one block, as many times as there are blocks' scores."""
    problem = ready.problem
    todo = jobs(problem, asked=asked)
    scores = sum(cells(problem, job) for job in todo)
    width = (problem.q.shape[3] if problem.q is not None else 0) + problem.width
    return Ahead(scores, scores * width, _seconds_a_score(problem, todo, asked) * scores / min(threads, len(todo)))


def _seconds_a_score(problem: Problem, todo: list[Job], asked: Asked | None) -> float:
    """The time of one block with few keys, or of the smallest there is."""
    small = next((job for job in todo if cells(problem, job) <= PROBED), todo[-1])
    if not problem.softmax:
        small = small._replace(last=small.first + 1)
    taken = []
    for _ in range(2):  # the first one warms up
        start = time.perf_counter()
        block(problem._replace(empty="zero"), small, asked)
        taken.append(time.perf_counter() - start)
    return min(taken) / max(1, cells(problem, small))


def bytes_needed(long: Long, top: int, threads: int) -> int:
    """The memory of a summary beyond the program itself: inputs, what is made of them, the results, the tiles."""
    size = _size(long)
    results = math.prod(long.scenario.grid[:3]) * (top * (8 + size) + 5 * size)
    tiles = threads * (HELD + 4 * SUMMARY_TILE * ROWS)
    return _bytes_of_arrays(long, stages(long.scenario)) + results + tiles


def bytes_before(long: Long) -> int:
    """The memory of what comes before the scores, where queries, keys and values have to be made of other numbers."""
    before = list(itertools.takewhile(lambda row: not of_cells(row), stages(long.scenario)))
    return 0 if all(row.given for row in before) else _bytes_of_arrays(long, before)


def _size(long: Long) -> int:
    return 8 if long.kind == "float64" else 4


def _bytes_of_arrays(long: Long, rows: Sequence[Stage]) -> int:
    """The arrays in files that have to be whole in memory, and what those stages make."""
    batch, heads, queries, keys = long.scenario.grid
    sizes = long.scenario.sizes
    widths = {"x": "d_model", "q": "d_k", "k": "d_k", "v": "d_v"}
    count = sum(math.prod(long.outlines.shapes[name]) for name in long.outlines.located if name not in BY_CELLS)
    for row in rows:
        if not row.given and not of_cells(row):
            width = sizes.get(widths.get(row.name.split("_")[-1], "d_model"), 0) or sizes.get("d_v", 0)
            places = batch * (heads if "head" in row.axes else 1) * (keys if "key" in row.axes else queries)
            count += places * max(width, 1)
    return count * _size(long)


def rows_bytes(long: Long) -> int:
    """The memory that some rows take step by step: keys and values, and what the steps make of them."""
    batch, _, _, keys = long.scenario.grid
    sizes = long.scenario.sizes
    width = sizes.get("d_k", 0) + sizes.get("d_v", 0) + sizes.get("d_model", 0)
    return batch * keys * (sizes["kv_heads"] * width * STEPS_OF_ROWS + LABELS) * _size(long)


def check_memory(long: Long, needed: int, code: str) -> None:
    """Refuses what does not fit into the memory that is free; the message says what to do instead."""
    check_free(long.scenario.name, needed, code)
