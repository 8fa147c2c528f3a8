"""All queries of a long attention, summarised: contexts and the figures of every row, in blocks on several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from attncalc.core.arithmetic import Array, Floats
from attncalc.core.bounded import Values
from attncalc.core.stage import Source, Stage
from attncalc.fold import Slot, fold
from attncalc.long.blocks import ROWS, block, cells, jobs
from attncalc.long.loading import Ready
from attncalc.long.pooling import Map, Part, over_rows, put_together
from attncalc.long.problem import FIGURES, Asked, Block, Job, Problem

Progress = Callable[[int, int], None]
"""Is told how many scores are done, and of how many."""


class Summary(NamedTuple):
    """What is known of every row: arrays (batch, head, query, …). What was not asked for, or means nothing, is None."""

    problem: Problem
    asked: Asked | None
    context: Values | None
    keys: Values | None
    weights: Values | None
    figures: dict[str, Values]
    empty: Values
    steps: Mapping[str, Values] = MappingProxyType({})  # what follows the context
    queries: tuple[int, ...] | None = None  # those that there are rows of; None: all
    map: Map | None = None

    def means(self, batches: Sequence[int] | None = None) -> dict[str, Values]:
        """The mean of the largest weight and of each figure over all rows, or those of some entries, head by head."""
        some = slice(None) if batches is None else list(batches)
        named = {name: values[some] for name, values in {"largest": self.largest, **self.figures}.items()}
        with np.errstate(all="ignore"):
            return {name: np.asarray(values.mean(axis=(0, 2), dtype=np.float64)) for name, values in named.items()}

    @property
    def largest(self) -> Values:
        """The largest weight of each row."""
        weights = self.figures["entropy"] if self.weights is None else self.weights[..., 0]
        return np.asarray(weights)


def summarised(
    ready: Ready, asked: Asked | None = None, threads: int = 2, progress: Progress | None = None, rows: int = ROWS
) -> Summary:  # fmt: skip
    """The summary of a problem, and the steps after its context."""
    return finished(ready, attended(as_asked(ready.problem, asked), asked, threads, progress, rows))


def finished(ready: Ready, summary: Summary) -> Summary:
    """A summary whose blocks are all there, with the steps after its context."""
    alone = summary.asked is not None and summary.asked.map_alone
    return summary if alone else summary._replace(steps=after(ready, summary.context))


def as_asked(problem: Problem, asked: Asked | None) -> Problem:
    """The problem without its values, where nothing but the map of the weights is asked for."""
    alone = asked is not None and asked.map_alone and problem.softmax
    return problem._replace(v=None) if alone else problem


def attended(
    problem: Problem, asked: Asked | None = None, threads: int = 2, progress: Progress | None = None, rows: int = ROWS
) -> Summary:  # fmt: skip
    """The summary of a problem: each block is calculated by itself and written into its place."""
    summary, parts = nothing_yet(problem, asked), dict[Job, Part]()
    todo = jobs(problem, rows, asked)
    sizes = [cells(problem, job) for job in todo]

    def work(job: Job) -> None:
        put(summary, parts, job, *pooled(problem, job, asked))

    _on_threads(work, todo, sizes, threads, progress)
    return with_map(summary, parts)


def pooled(problem: Problem, job: Job, asked: Asked | None) -> tuple[Block, Part | None]:
    """A block, and what it adds to a map; its cells are only there pooled over its rows. A pure function."""
    found = block(problem, job, asked)
    if asked is None or asked.pooling is None or found.binned is None or found.visible is None:
        return found, None
    part = over_rows(found.binned, found.visible, job, asked.pooling)
    return found._replace(binned=None, visible=None), part


def nothing_yet(problem: Problem, asked: Asked | None) -> Summary:
    """The arrays of a summary before any of its blocks is there."""
    lead, dtype = problem.grid[:3], problem.dtype
    context = np.empty((*lead, problem.width), dtype) if problem.v is not None else None
    empty = np.zeros(lead, dtype=bool)
    if asked is None:
        return Summary(problem, asked, context, None, None, {}, empty)
    named = [name for name in FIGURES if problem.own or name not in ("itself", "near")]
    keys, weights = np.empty((*lead, asked.top), np.int64), np.empty((*lead, asked.top), dtype)
    return Summary(problem, asked, context, keys, weights, {name: np.empty(lead, dtype) for name in named}, empty)


def put(summary: Summary, parts: dict[Job, Part], job: Job, found: Block, part: Part | None = None) -> None:
    """Writes a block into its place, and what it adds to a map among the parts of that."""
    here = (job.batch, job.head, job.rows)
    targets = {"context": summary.context, "keys": summary.keys, "weights": summary.weights, "empty": summary.empty}
    for name, target in {**targets, **summary.figures}.items():
        if target is not None:
            target[here] = getattr(found, name)
    if part is not None:
        parts[job] = part


def with_map(summary: Summary, parts: Mapping[Job, Part]) -> Summary:
    """The summary with the map that the parts of its blocks make, if one is asked for."""
    if summary.asked is None or summary.asked.pooling is None:
        return summary
    return summary._replace(map=put_together(parts, summary.asked.pooling, summary.problem.grid[2:]))


def _on_threads(
    work: Callable[[Job], None], todo: Sequence[Job], sizes: Sequence[int], threads: int, progress: Progress | None
) -> None:  # fmt: skip
    """Works through the jobs in order, each by the thread that is free first; an interrupt ends all of them."""
    lock, left, errors = threading.Lock(), iter(zip(todo, sizes, strict=True)), list[BaseException]()
    done = threading.Semaphore(0)
    finished = [0]

    def worker() -> None:
        try:
            while not errors:
                with lock:
                    job = next(left, None)
                if job is None:
                    return
                work(job[0])
                with lock:
                    finished[0] += job[1]
        except BaseException as error:
            errors.append(error)
        finally:
            done.release()

    crew = [threading.Thread(target=worker, daemon=True) for _ in range(min(threads, len(todo)))]
    try:
        for thread in crew:
            thread.start()
        ended = 0
        while ended < len(crew):
            ended += done.acquire(timeout=0.1)
            if progress is not None:
                progress(finished[0], sum(sizes))
    except BaseException as error:
        errors.append(error)
        raise
    finally:
        for thread in crew:
            thread.join()
    if errors:
        raise errors[0]


def after(ready: Ready, context: Values | None) -> dict[str, Values]:
    """The steps that follow the context, by name; those of some rows where the problem's slots have only these."""
    if context is None or not ready.after:
        return {}
    arithmetic, scenario = Floats(ready.problem.kind), ready.scenario
    slots = {**ready.slots, "out": Slot(Source("context"), context)}

    def evaluate(row: Stage, read: list[Array]) -> Array:
        return row.calculate(arithmetic, scenario, read)

    with np.errstate(all="ignore"):
        results = fold(ready.after, scenario, arithmetic, evaluate, slots)
    return {result.stage.name: result.array for result in results}
