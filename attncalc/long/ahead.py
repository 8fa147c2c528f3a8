"""What a summary will take, said before it starts: scores, multiply-adds, bytes, and seconds from a quick probe."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import NamedTuple

from attncalc.core import memory
from attncalc.core.stage import Stage
from attncalc.long.blocks import HELD, ROWS, block, cells, jobs, places, rows_at_once
from attncalc.long.loading import COMPARED, Long, Ready
from attncalc.long.problem import Asked, Job, Problem
from attncalc.long.softmax import SUMMARY_TILE
from attncalc.long.stages import of_cells, steps
from attncalc.scenario_files.array_rows import BY_CELLS

STEPS_OF_ROWS, LABELS = 6, 50
"""Arrays like the keys that telling some rows holds, and what the labels of a key take, in numbers."""

OF_A_THREAD = 128 * 2**20
"""Address space that a thread reserves: its stack, its heap, and the buffer of the library for matrix products, which
ends the program where it gets none."""

PROBED = 400_000
"""The scores of a probe: a few milliseconds."""

A_SCORE, A_SCORE_OF_WHOLE_ROWS, A_PRODUCT, A_LARGEST, A_BLOCK = 4e-9, 6e-8, 2.5e-11, 9e-7, 4e-4
"""Seconds of processor time, measured by benchmarks/hostile.py: of a score in tiles and in whole rows, of a
multiplication in a matrix product, of one of the largest weights of a row, and of a block, however small.
"""

MANY_BLOCKS = 10_000
"""Blocks that take so long by themselves that nobody needs to know how many scores they have."""


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
    return Ahead(
        scores, scores * _width(problem), _seconds_a_score(problem, todo, asked) * scores / min(threads, len(todo))
    )


def processor_seconds(problem: Problem, asked: Asked) -> float:
    """The processor time of a summary, from its sizes alone, so that it is the same on every machine."""
    _, _, queries, keys = problem.grid
    rows = queries * len(places(problem, asked))
    blocks = rows // max(1, min(ROWS, rows_at_once(problem), queries))
    scores = rows * keys if blocks > MANY_BLOCKS else sum(cells(problem, job) for job in jobs(problem, asked=asked))
    a_score = (A_SCORE if problem.softmax else A_SCORE_OF_WHOLE_ROWS) + A_PRODUCT * _width(problem)
    return scores * a_score + rows * min(asked.top, keys) * A_LARGEST + blocks * A_BLOCK


def _width(problem: Problem) -> int:
    """The multiplications that a score takes, in the products of queries and keys and of weights and values."""
    return (problem.q.shape[3] if problem.q is not None else 0) + problem.width


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


def fitting(threads: int) -> int:
    """So many threads, or as many of them as there is room for where memory or its limit (`ulimit -v`) is small."""
    free = memory.free_memory()
    return threads if free is None else max(1, min(threads, free // OF_A_THREAD))


def bytes_needed(long: Long, top: int, threads: int, streamed: bool = False) -> int:
    """The memory of a summary beyond the program itself: inputs, what is made of them, the results, the tiles.

    With `streamed` given queries, keys and values stay in their files.
    """
    rows = steps(long.scenario)
    given = _given(long, not streamed or bytes_before(long) > 0)
    tiles = threads * (HELD + 4 * SUMMARY_TILE * ROWS)
    return (given + _made(long, rows)) * _size(long) + _figures(long, top) + tiles


def results_bytes(long: Long, top: int) -> int:
    """What of that is left in the end: contexts and the steps after them, and what is told of every row."""
    rows = [*itertools.dropwhile(lambda row: row.name != "context", steps(long.scenario))]
    return _made(long, rows) * _size(long) + _figures(long, top)


def _figures(long: Long, top: int) -> int:
    """The bytes of the figures of every row, and of its largest weights with their keys."""
    size = _size(long)
    return math.prod(long.scenario.grid[:3]) * (top * (8 + size) + 5 * size)


def bytes_before(long: Long) -> int:
    """The memory of what comes before the scores, where queries, keys and values have to be made of other numbers."""
    before = list(itertools.takewhile(lambda row: not of_cells(row), steps(long.scenario)))
    return 0 if all(row.given for row in before) else (_given(long) + _made(long, before)) * _size(long)


def _size(long: Long) -> int:
    return 8 if long.kind == "float64" else 4


def _given(long: Long, compared: bool = True) -> int:
    """The numbers of the arrays in files that have to be whole in memory, also of q, k and v if `compared`."""
    left = BY_CELLS if compared else (*BY_CELLS, *COMPARED)
    return sum(math.prod(long.outlines.shapes[name]) for name in long.outlines.located if name not in left)


def _made(long: Long, rows: Sequence[Stage]) -> int:
    """The numbers of what stages make."""
    batch, heads, queries, keys = long.scenario.grid
    sizes = long.scenario.sizes
    widths = {"x": "d_model", "q": "d_k", "k": "d_k", "v": "d_v"}
    count = 0
    for row in rows:
        if not row.given and not of_cells(row):
            width = sizes.get(widths.get(row.name.split("_")[-1], "d_model"), 0) or sizes.get("d_v", 0)
            places = batch * (heads if "head" in row.axes else 1) * (keys if "key" in row.axes else queries)
            count += places * max(width, 1)
    return count


def rows_bytes(long: Long) -> int:
    """The memory that some rows take step by step: keys and values, and what the steps make of them."""
    batch, _, _, keys = long.scenario.grid
    sizes = long.scenario.sizes
    width = sizes.get("d_k", 0) + sizes.get("d_v", 0) + sizes.get("d_model", 0)
    return batch * keys * (sizes["kv_heads"] * width * STEPS_OF_ROWS + LABELS) * _size(long)


def check_memory(long: Long, needed: int, code: str) -> None:
    """Refuses what does not fit into the memory that is free; the message says what to do instead."""
    memory.check_free(long.scenario.name, needed, code)
