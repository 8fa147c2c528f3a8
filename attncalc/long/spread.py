"""Summaries as an ordinary Dask graph: shares of blocks on workers that read the files, put together in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from uuid import uuid4

from dask import delayed
from distributed import Client, as_completed

from attncalc.errors import AttncalcError
from attncalc.long.blocks import cells
from attncalc.long.extents import Extent, joined
from attncalc.long.loading import Filed, Long, Ready
from attncalc.long.pooling import Part
from attncalc.long.problem import Asked, Job, Problem
from attncalc.long.shares import Work, blocks_of, extent_at, pieces, shares, with_extents
from attncalc.long.summary import Progress, Summary, as_asked, finished, nothing_yet, put, with_map

RETRIES = 2
"""How often a part is tried again that failed for a reason of its worker; one whose worker is lost always is."""


class Task(NamedTuple):
    """A share of the blocks of one of the problems."""

    number: int
    jobs: tuple[Job, ...]


def spread(
    client: Client, longs: Sequence[Long], readies: Sequence[Ready], asked: Asked, progress: Progress | None = None,
) -> list[Summary]:  # fmt: skip
    """The summaries of problems whose `COMPARED` arrays stay in files, all blocks in one graph; the same bytes."""
    works: list[Work] = []
    problems: list[Problem] = []
    for long, known in zip(longs, _extents(client, readies), strict=True):
        folder = long.source.folder._replace(path=long.source.folder.path.resolve())
        works.append(Work(uuid4().hex, long.source._replace(folder=folder, data=b""), known))
        problems.append(as_asked(with_extents(readies[len(problems)].problem, known), asked))
    summaries = [nothing_yet(problem, asked) for problem in problems]
    tasks = [Task(number, share) for number, problem in enumerate(problems) for share in shares(problem, asked)]
    sizes = [sum(cells(problems[task.number], job) for job in task.jobs) for task in tasks]
    nodes = [delayed(work, name=f"scenario-{work.name}", traverse=False) for work in works]
    graph = [_call(blocks_of, nodes[task.number], asked, task.jobs) for task in tasks]
    parts: list[dict[Job, Part]] = [{} for _ in problems]
    done = 0
    for place, blocks in _results(client, graph):
        number, share = tasks[place]
        for job, found in zip(share, blocks, strict=True):
            put(summaries[number], parts[number], job, *found)
        done += sizes[place]
        if progress is not None:
            progress(done, sum(sizes))
    return [finished(one, with_map(summary, found))
            for one, summary, found in zip(readies, summaries, parts, strict=True)]  # fmt: skip


def _extents(client: Client, readies: Sequence[Ready]) -> list[dict[str, Extent]]:
    """What has to be known of the arrays in files before the blocks are: found by the workers too."""
    places, graph = [], []
    for number, one in enumerate(readies):
        for name, table in (("q", one.problem.q), ("k", one.problem.k), ("v", one.problem.v)):
            if isinstance(table, Filed):
                for piece in pieces(table.located):
                    places.append((number, name))
                    graph.append(_call(extent_at, table.located, one.problem.kind, table.shape[3], *piece))
    parts: dict[tuple[int, str], list[Extent]] = {place: [] for place in places}
    for place, extent in _results(client, graph):
        parts[places[place]].append(extent)
    return [{name: joined(found) for (owner, name), found in parts.items() if owner == number}
            for number in range(len(readies))]  # fmt: skip


def _call(function: Any, *arguments: Any) -> Any:
    return delayed(function, pure=False, traverse=False)(*arguments)


def _results(client: Client, graph: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """The result of each node with its place, in the order in which they come; none is kept."""
    futures = client.compute(graph, retries=RETRIES, optimize_graph=False)
    places = {future.key: place for place, future in enumerate(futures)}
    coming = as_completed(futures, loop=client.loop, with_results=True)
    try:
        del futures
        for future, result in coming:
            if isinstance(result, AttncalcError):
                raise result
            future.release()
            yield places[future.key], result
    finally:
        coming.clear()
