"""Which keys some queries may not see, found for a block of rows and keys at a time."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.tables import Table


class Hiding(NamedTuple):
    """The parts of a mask over a grid that is never whole; `positions` are the queries' places among the keys."""

    keys: int
    positions: Values
    causal: bool = False
    window: int | None = None
    hidden: Values | None = None  # positions of keys that nobody sees, in order
    lengths: tuple[int, ...] = ()  # keys that there are: one number, or one for each batch entry
    keep: Table | None = None
    drop: Table | None = None

    def span(self, batch: int, rows: slice) -> tuple[int, int]:
        """The first key that a row of the block may see, and the first after them."""
        places = self.positions[rows]
        low, high = int(places.min()), int(places.max())
        first, last = 0, self._length(batch)
        if self.causal:
            last = min(last, high + 1)
        if self.window is not None:
            first, last = max(first, low - self.window + 1), min(last, high + self.window)
        return first, max(first, last)

    def _length(self, batch: int) -> int:
        if not self.lengths:
            return self.keys
        return min(self.keys, self.lengths[batch if len(self.lengths) > 1 else 0])

    def drawn(self, batch: int, head: int, heads: int, rows: slice) -> tuple[Values, ...]:
        """The rows of the masks that are arrays, as booleans of what is hidden: (rows or 1, keys or 1) each."""
        pairs = ((self.keep, 0), (self.drop, 1))
        return tuple(table.rows(batch, head, heads, rows) == hides for table, hides in pairs if table is not None)

    def within(self, rows: slice, keys: slice, drawn: tuple[Values, ...] = ()) -> Values | None:
        """Where a key of the tile is hidden, (keys, rows) or broadcast to it; None where nothing is.

        The tile lies within the span of its rows; `drawn` are the rows of the drawn masks.
        """
        places = self.positions[rows]
        parts = [mask[:, keys].T if mask.shape[1] > 1 else mask.T for mask in drawn]
        if self.causal and keys.stop - 1 > places.min():
            parts.append(later(places, keys))
        if self.window is not None and self._leaves_window(places, keys):
            parts.append(np.abs(np.arange(keys.start, keys.stop)[:, None] - places) >= self.window)
        if self.hidden is not None:
            first, last = np.searchsorted(self.hidden, (keys.start, keys.stop))
            if first < last:
                column = np.zeros((keys.stop - keys.start, 1), dtype=bool)
                column[self.hidden[first:last] - keys.start] = True
                parts.append(column)
        if not parts:
            return None
        found = parts[0]
        for part in parts[1:]:
            found = found | part
        return found

    def _leaves_window(self, places: Values, keys: slice) -> bool:
        """Whether a key of the tile is outside the window of a row."""
        window = self.window or 0
        return bool(keys.stop - 1 - places.min() >= window or places.max() - keys.start >= window)


def later(places: Values, keys: slice) -> Values:
    """Where a key comes after a query, (keys, rows)."""
    if _in_a_row(places):
        return _later(keys.start - int(places[0]), keys.stop - keys.start, len(places))
    return np.asarray(np.arange(keys.start, keys.stop)[:, None] > places)


def band_of(places: Values, keys: slice, near: int, kind: str) -> Values:
    """1 where a key is fewer than `near` places from a query, else 0: (keys, rows)."""
    if _in_a_row(places):
        return _band(keys.start - int(places[0]), keys.stop - keys.start, len(places), near, kind)
    return np.asarray(np.abs(np.arange(keys.start, keys.stop)[:, None] - places) < near).astype(kind)


def _in_a_row(places: Values) -> bool:
    """Whether the places count on from the first, one a row; then a mask hangs on that alone."""
    return int(places[-1]) - int(places[0]) == len(places) - 1 and bool((np.diff(places) == 1).all())


@lru_cache(maxsize=8)
def _later(offset: int, keys: int, rows: int) -> Values:
    return np.asarray(np.arange(offset, offset + keys)[:, None] > np.arange(rows))


@lru_cache(maxsize=8)
def _band(offset: int, keys: int, rows: int, near: int, kind: str) -> Values:
    return np.asarray(np.abs(np.arange(offset, offset + keys)[:, None] - np.arange(rows)) < near).astype(kind)
