"""What a worker does for a summary: reads its part of the files, calculates some blocks. Plain functions of plain data.

Nothing here knows who calls it, so that a graph of any scheduler can be made of it, and a part that was lost can be
calculated again anywhere the files can be read.
"""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.arithmetic import Floats
from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError, UsageError
from attncalc.long.ahead import bytes_needed
from attncalc.long.blocks import HELD, ROWS, cells, jobs
from attncalc.long.extents import Extent, extent_of
from attncalc.long.loading import COMPARED, Filed, Long, judged, load_long, ready
from attncalc.long.pooling import Part
from attncalc.long.problem import Asked, Block, Job, Problem
from attncalc.long.softmax import SUMMARY_TILE
from attncalc.long.summary import as_asked, pooled
from attncalc.long.tables import Table
from attncalc.scenario_files.array_places import Located
from attncalc.scenario_files.packed import Packed
from attncalc.scenario_files.sources import Source
from attncalc.scenario_files.zarr_arrays import Chunked

MOST_READ = 64 * 1024**2
"""The bytes of an array that a worker reads from a file at once and keeps."""

COPIES = 3
"""Arrays of that size at a time: as the file has it, in the type of the calculation, and one on the way."""

CELLS, MOST_ROWS = 2**27, 2**14
"""The scores of a share, about half a second's, and the most rows of one: what is lost with a worker is not more."""

UNREAD = ("array-file-missing", "array-file-unreadable")
"""The codes of files that the reader of a scenario cannot open."""


class Work(NamedTuple):
    """A scenario as a worker reads it, the extents of its arrays in files, and a name that nothing else has."""

    name: str
    source: Source
    known: Mapping[str, Extent]


def shares(problem: Problem, asked: Asked | None = None, most: int = CELLS) -> list[tuple[Job, ...]]:
    """The blocks of a problem, those of the same head together up to so many scores."""
    heads: dict[tuple[int, int], list[Job]] = {}
    for job in jobs(problem, asked=asked):
        heads.setdefault((job.batch, job.head), []).append(job)
    return [share for found in heads.values() for share in _cut(problem, found, most)]


def _cut(problem: Problem, todo: Sequence[Job], most: int) -> Iterator[tuple[Job, ...]]:
    share: list[Job] = []
    scores = rows = 0
    for job in todo:
        scores, rows = scores + cells(problem, job), rows + job.last - job.first
        if share and (scores > most or rows > MOST_ROWS):
            yield tuple(share)
            share, scores, rows = [], cells(problem, job), job.last - job.first
        share.append(job)
    if share:
        yield tuple(share)


def blocks_of(work: Work, asked: Asked | None, share: Sequence[Job]) -> list[tuple[Block, Part | None]] | AttncalcError:
    """The blocks of a share with what they add to a map.

    What a scenario is refused for comes back as a value, since trying again is no use.
    """
    try:
        problem = _near(as_asked(_problem(work), asked), share)
        return [pooled(problem, job, asked) for job in share]
    except AttncalcError as error:
        return _not_here(error)
    except OSError as error:
        return _unreadable(error, work.source.name)


def extent_at(
    located: Located | Chunked, kind: str, width: int, place: tuple[int, ...], rows: slice
) -> Extent | AttncalcError:
    """The extent of some rows of a matrix in a file, whose numbers lie in rows of a width."""
    try:
        return extent_of(_as(kind, located.read(place, rows)).reshape(-1, width))
    except AttncalcError as error:
        return error
    except OSError as error:
        return _unreadable(error, "")


def pieces(located: Located | Chunked) -> Iterator[tuple[tuple[int, ...], slice]]:
    """The parts of an array in a file that are read one at a time: the place of a matrix, and rows of it."""
    count = located.shape[-2] if len(located.shape) > 1 else 1
    step = max(1, MOST_READ // (located.shape[-1] * max(located.dtype.itemsize, 8)))
    for place in np.ndindex(*located.shape[:-2]):
        for first in range(0, count, step):
            yield place, slice(first, min(first + step, count))


def _unreadable(error: OSError, place: str) -> AttncalcError:
    return UsageError.of("dask-file", place, file=str(error.filename or ""), reason=error.strerror or str(error))


def _not_here(error: AttncalcError) -> AttncalcError:
    """What is wrong, with files that could be read where the scenario was checked as those that a worker cannot."""
    gone = {"reason": os.strerror(errno.ENOENT)}
    return AttncalcError(
        fault._replace(code="dask-file", fields=gone | fault.fields) if fault.code in UNREAD else fault
        for fault in error.faults
    )


_LAST: dict[str, Problem] = {}
_LOCK = threading.Lock()


def _problem(work: Work) -> Problem:
    """The problem of a work; the last one is kept, so that a worker reads a scenario once."""
    with _LOCK:
        if work.name not in _LAST:
            _LAST.clear()
            problem = ready(load_long(work.source), (*COMPARED, "residual")).problem
            _LAST[work.name] = with_extents(problem, work.known)
        return _LAST[work.name]


def with_extents(problem: Problem, known: Mapping[str, Extent]) -> Problem:
    """The problem judged as if its arrays in files had been read."""
    return judged(problem, (problem.settings or {}).get("shift") is False, known)


def _near(problem: Problem, share: Sequence[Job]) -> Problem:
    """The problem with the rows of its files at hand as a share needs them."""
    ends = [problem.hiding.span(job.batch, job.rows)[1] for job in share]
    keys = max(ends) if problem.softmax else problem.grid[3]
    tables = {"q": problem.q, "k": problem.k, "v": problem.v}
    near: dict[str, Any] = {
        name: Window(_own(table), problem.kind, 0 if name == "q" else keys)
        for name, table in tables.items() if isinstance(table, Filed)
    }  # fmt: skip
    return problem._replace(**near)


def _own(table: Filed) -> Filed:
    """The table; a compressed one has a reader of its own, since other threads of a worker read on from elsewhere."""
    found = table.located
    if isinstance(found, Located) and found.packed is not None:
        found = found._replace(packed=Packed(found.packed.path, found.packed.seen, found.packed.entry))
    return table._replace(located=found)


class Window:
    """A table in a file of which the last rows that were read stay in memory, as numbers of a kind.

    Asked for rows, it reads on from there, up to `last` and no more than `MOST_READ` bytes: keys are gone through in
    order.
    """

    def __init__(self, table: Filed, kind: str, last: int) -> None:
        self.table, self.kind, self.last = table, kind, last
        self.shape: tuple[int, ...] = table.shape
        self.most = max(1, MOST_READ // row_bytes(table))
        self._here: tuple[int, ...] = ()
        self._first, self._values = 0, np.empty((0, 0))

    def rows(self, batch: int, head: int, heads: int, rows: slice) -> Values:
        """Some rows of one batch entry and query head."""
        start, stop = (rows.start, rows.stop) if self.shape[2] > 1 else (0, 1)
        here = (batch, head)
        if here != self._here or start < self._first or stop > self._first + len(self._values):
            end = max(stop, min(self.last, start + self.most))
            self._values = np.empty((0, 0))  # before the next ones are read
            self._values = _as(self.kind, self.table.rows(batch, head, heads, slice(start, end)))
            self._here, self._first = here, start
        return self._values[start - self._first : stop - self._first]


def _as(kind: str, values: Values) -> Values:
    """The numbers as the calculation has them, row after row."""
    return np.ascontiguousarray(Floats(kind).given(values, ""))


def row_bytes(table: Filed) -> int:
    """What a row of a table takes when it is read from its file."""
    return table.located.shape[-1] * max(table.located.dtype.itemsize, 8)


def share_bytes(long: Long, problem: Problem, asked: Asked) -> int:
    """The most memory that a share takes of a worker, beyond the program itself."""
    tables: list[Table | None] = [problem.k, problem.v]
    filed = [table for table in tables if isinstance(table, Filed)]
    if not filed:
        return bytes_needed(long, asked.top, 1)
    bins = 0 if asked.pooling is None else -(-problem.grid[3] // asked.pooling.keys)
    rows = (MOST_ROWS * (problem.width + 2 * asked.top + 5) + ROWS * bins) * 8
    whole = [table.shape[2] * row_bytes(table) for table in filed]
    reads = sum(whole) if not problem.softmax else sum(min(size, MOST_READ) for size in whole)
    return COPIES * reads + rows + HELD + 4 * SUMMARY_TILE * ROWS
