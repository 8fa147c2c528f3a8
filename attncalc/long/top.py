"""The largest scores of each row, kept while tiles of scores go by."""

from __future__ import annotations

from typing import Any

import numpy as np

from attncalc.core.bounded import Values

GROUP = 16
"""So many keys have one maximum together, and only groups whose maximum may count are looked into."""


def group_maxima(scores: Values) -> Values:
    """The largest of 16 scores of a column each: (keys, rows) → (keys / 16, rows).

    The scores of a group lie keys / 16 apart, so that the maxima are those of 16 slabs, number by number.
    """
    keys, rows = scores.shape
    return np.asarray(scores.reshape(GROUP, keys // GROUP, rows).max(axis=0))


class Top:
    """The k largest scores of each row with their keys, largest first; equal ones in the order of the keys.

    A score that is not above `floor` is hidden and never counts: its key stays −1.
    """

    def __init__(self, k: int, rows: int, floor: float, dtype: np.dtype[Any]) -> None:
        self.k = k
        self.scores = np.full((rows, k), floor, dtype)
        self.keys = np.full((rows, k), -1, np.int64)
        self._waiting: list[tuple[Values, Values, Values]] = []  # rows, scores and keys not yet sorted in
        self._tiles, self._next = 0, 1

    def add(self, scores: Values, first: int, maxima: Values) -> None:
        """Takes in a tile of scores (keys, rows), its first key and its group maxima."""
        bar = self.scores[:, -1]  # what is not above it is beaten by k others
        above = maxima > bar
        if len(maxima) > self.k and np.count_nonzero(above) > self.k * len(bar):  # as where scores rise with the keys
            # The k-th largest maximum: k scores reach it, so that nothing below is among the k largest.
            low = np.partition(maxima, len(maxima) - self.k, axis=0)[len(maxima) - self.k]
            bar = np.maximum(bar, np.nextafter(low, -np.inf))
            above = maxima > bar
        row, group = np.nonzero(above.T)
        if len(row):
            slabs = scores.reshape(GROUP, -1).take(group * scores.shape[1] + row, axis=1)
            slab, place = np.divmod(np.flatnonzero(slabs > bar[row]), len(row))
            if len(slab):
                row = row[place]
                order = np.argsort(row, kind="stable")
                found = (row, slabs[slab, place], first + slab * len(maxima) + group[place])
                self._waiting.append(tuple(part[order] for part in found))  # type: ignore[arg-type]
        self._tiles += 1
        if self._tiles >= self._next:  # the first tiles raise the bar most
            self._next = 3 * self._tiles
            self.settle()

    def settle(self) -> None:
        """Sorts in what waits."""
        if not self._waiting:
            return
        row, score, key = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        if len(self._waiting) > 1:
            order = np.argsort(row, kind="stable")
            row, score, key = row[order], score[order], key[order]
        self._waiting = []
        count = np.bincount(row, minlength=len(self.scores))
        touched = np.flatnonzero(count)
        most = self.k + int(count.max())
        scores = np.full((len(touched), most), -np.inf, self.scores.dtype)
        keys = np.full((len(touched), most), -1, np.int64)
        scores[:, : self.k], keys[:, : self.k] = self.scores[touched], self.keys[touched]
        starts = np.cumsum(count) - count
        line = np.searchsorted(touched, row)
        column = self.k + np.arange(len(row)) - starts[row]
        scores[line, column], keys[line, column] = score, key
        best = _descending(scores, keys)[:, : self.k]
        self.scores[touched] = np.take_along_axis(scores, best, 1)
        self.keys[touched] = np.take_along_axis(keys, best, 1)


def _descending(scores: Values, keys: Values) -> Values:
    """The order of each row, largest first, equal ones by their keys."""
    if scores.dtype != np.float32:
        return np.lexsort((keys, -scores), axis=1)
    bits = scores.view(np.int32)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # whole numbers in the order of the floats
    return np.argsort((~ordered).astype(np.int64) << 32 | (keys & 0xFFFFFFFF), axis=1)
