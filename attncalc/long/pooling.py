"""The map of the weights, query by key, pooled into bins: it never has to be there whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.names import POOLINGS
from attncalc.long.problem import Job, Pooling

MAX, MEAN = POOLINGS


class Part(NamedTuple):
    """What a block of rows adds to a map, from the row of bins `first` on; of a mean still sums."""

    first: int
    values: Values  # (row bins, key bins)
    visible: Values


class Map(NamedTuple):
    """The pooled weights of each place (batch, head), and which cells hold a weight that its query may see.

    Arrays are (place, row bins, key bins); a head of None is the average of `heads` heads.
    """

    pooling: Pooling
    places: tuple[tuple[int, int | None], ...]
    grid: tuple[int, int]  # queries, keys
    values: Values
    visible: Values
    heads: int = 1

    @property
    def edges(self) -> tuple[list[int], list[int]]:
        """Where the bins of queries and of keys begin, and the end of the last."""
        pooling = self.pooling
        sides = zip(self.grid, (pooling.queries, pooling.keys), strict=True)
        one, other = ([*range(0, count, size), count] for count, size in sides)
        return one, other


class KeyBins:
    """The exponentials of a block pooled over the keys of each bin, (bins, rows), while tiles of keys go by."""

    def __init__(self, pooling: Pooling, keys: int, rows: int, floor: float, dtype: np.dtype[Any]) -> None:
        self.size, self.summing, self.floor = pooling.keys, pooling.name == MEAN, floor
        self.values = np.zeros((-(-keys // self.size), rows), dtype)
        self.visible = np.zeros(self.values.shape, dtype=bool)
        self._tile: list[tuple[int, slice, Values]] = []

    def look(self, scores: Values, keys: slice) -> None:
        """Takes in the scores of a tile, (keys, rows), before anything is taken off them."""
        self._tile = [(at, part, scores[part].max(axis=0)) for at, part in _parts(keys, self.size)]
        for at, _, largest in self._tile:
            self.visible[at] |= largest > self.floor

    def add(self, powers: Values, peak: Values | float) -> None:
        """Adds the exponentials of the same tile, which count from `peak`."""
        for at, part, largest in self._tile:
            if self.summing:
                self.values[at] += np.ones(part.stop - part.start, powers.dtype) @ powers[part]
            else:
                np.maximum(self.values[at], np.exp(largest - peak), out=self.values[at])


def _parts(keys: slice, size: int) -> Iterator[tuple[int, slice]]:
    """The bins that a tile of keys meets, each with its part of the tile."""
    for at in range(keys.start // size, -(-keys.stop // size)):
        yield at, slice(max(at * size, keys.start) - keys.start, min((at + 1) * size, keys.stop) - keys.start)


def _pool(pooling: Pooling) -> Any:
    """What makes one number of two; a mean is a sum until the end."""
    return np.maximum if pooling.name == MAX else np.add


def over_keys(weights: Values, visible: Values, pooling: Pooling) -> tuple[Values, Values]:
    """Whole rows of weights, (rows, keys), pooled over the keys of each bin: the largest, or still sums."""
    starts = np.arange(0, weights.shape[1], pooling.keys)
    pool = _pool(pooling)
    return pool.reduceat(weights, starts, axis=1), np.logical_or.reduceat(visible, starts, axis=1)


def over_rows(values: Values, visible: Values, job: Job, pooling: Pooling) -> Part:
    """The rows of a block, pooled over its keys, pooled over the queries of each bin."""
    size = pooling.queries
    bins = np.arange(job.first // size, -(-job.last // size))
    starts = np.maximum(bins * size - job.first, 0)
    pool = _pool(pooling)
    wide = values if pooling.name == MAX else values.astype(np.float64)
    return Part(int(bins[0]), pool.reduceat(wide, starts, axis=0), np.logical_or.reduceat(visible, starts, axis=0))


def put_together(parts: Mapping[Job, Part], pooling: Pooling, grid: tuple[int, int]) -> Map:
    """The map of the parts of all blocks, in the order of the rows, so that threads change no digit."""
    queries, keys = grid
    shape = (len(pooling.places), -(-queries // pooling.queries), -(-keys // pooling.keys))
    values = np.full(shape, -np.inf if pooling.name == MAX else 0.0)
    visible = np.zeros(shape, dtype=bool)
    pool = _pool(pooling)
    for job, part in sorted(parts.items()):
        here = (pooling.places.index((job.batch, job.head)), slice(part.first, part.first + len(part.values)))
        values[here] = pool(values[here], part.values)
        visible[here] |= part.visible
    found = Map(pooling, pooling.places, grid, values, visible)
    if pooling.name == MAX:
        return found
    rows, columns = (np.diff(edges) for edges in found.edges)
    return found._replace(values=values / np.multiply.outer(rows, columns))


def averaged(found: Map) -> Map:
    """The average of the heads' cells, for each batch entry."""
    batches = tuple(dict.fromkeys(batch for batch, _ in found.places))
    of = [[at for at, place in enumerate(found.places) if place[0] == batch] for batch in batches]
    values = np.stack([found.values[heads].mean(axis=0) for heads in of])
    visible = np.stack([found.visible[heads].any(axis=0) for heads in of])
    return found._replace(
        places=tuple((batch, None) for batch in batches), values=values, visible=visible, heads=len(of[0])
    )
