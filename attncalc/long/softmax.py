"""Softmax attention for a block of rows, tile by tile of keys: no more than a tile of scores is ever held.

Shapes: r rows, c keys of a tile, d and dv the widths. Tiles are (c, r): keys are read as they lie, and a row's numbers
stand under each other, which makes K qᵀ a faster product than q Kᵀ and sums over keys a vector times a matrix.
"""

from __future__ import annotations

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.hiding import band_of
from attncalc.long.pooling import KeyBins
from attncalc.long.problem import FLOOR, Asked, Block, Job, Problem
from attncalc.long.tables import Table
from attncalc.long.top import GROUP, Top, group_maxima

TILE = 4096
"""Bytes of a row of a tile: with 256 rows the tile stays in a core's cache."""

SUMMARY_TILE = 8192
"""The same where the figures of the weights are taken too: looking for the largest costs by the tile."""

WHOLE = 2**24
"""Every whole number up to it is a float32."""


def softmax_block(problem: Problem, job: Job, asked: Asked | None = None, tile: int | None = None) -> Block:
    """The context of a block of rows and, where asked for, the figures of its weights."""
    if tile is None:
        tile = (SUMMARY_TILE if asked else TILE) // problem.dtype.itemsize
    with np.errstate(all="ignore"):
        running = _Running(problem, job, asked, tile)
        for keys in running.tiles():
            running.take(keys)
        return running.block()


class _Running:
    """The sums of a block of rows so far. What is added up counts from the row maximum so far, `peak`."""

    def __init__(self, problem: Problem, job: Job, asked: Asked | None, tile: int) -> None:
        rows = job.last - job.first
        self.problem, self.job, self.asked = problem, job, asked
        self.floor, dtype = FLOOR[problem.kind], problem.dtype
        self.span = problem.hiding.span(job.batch, job.rows)
        self.places = problem.hiding.positions[job.rows]
        self.drawn = problem.hiding.drawn(*self._here(), job.rows)
        self.bias, self.given = (self._rows(table) for table in (problem.bias, problem.scores))
        q = self._rows(problem.q)
        self.q = None if q is None else np.ascontiguousarray(q.T) * dtype.type(problem.factor)  # (d, r)
        self.size = max(GROUP, min(tile, -(-(self.span[1] - self.span[0]) // GROUP) * GROUP) // GROUP * GROUP)
        self.scores = np.empty((self.size, rows), dtype)
        self.powers = np.empty((self.size, rows), dtype) if asked else self.scores
        self.ones = np.ones(self.size, dtype)
        sink = None if problem.sink is None else dtype.type(problem.sink[job.head])
        self.sink = sink if sink is None or problem.log_base is None else sink * dtype.type(problem.log_base)
        self.peak = np.full(rows, self.floor if self.sink is None else self.sink, dtype)
        self.total = np.zeros(rows, dtype)  # Σ e
        self.spread = np.zeros(rows, dtype)  # Σ e·s
        self.out = np.zeros((problem.width, rows), dtype)
        self.near = np.zeros(rows, dtype)
        self.single = {name: np.full(rows, self.floor, dtype) for name in ("itself", "first")}
        self.top = Top(asked.top, rows, self.floor, dtype) if asked else None
        pooling = asked.pooling if asked and asked.pooling and asked.pooling.takes(job) else None
        self.bins = KeyBins(pooling, problem.grid[3], rows, self.floor, dtype) if pooling else None

    def _here(self) -> tuple[int, int, int]:
        return self.job.batch, self.job.head, self.problem.grid[1]

    def _rows(self, table: Table | None) -> Values | None:
        return None if table is None else table.rows(*self._here(), self.job.rows)

    def tiles(self) -> list[slice]:
        """The keys that a row of the block may see, tile by tile."""
        first, last = self.span
        return [slice(start, min(start + self.size, last)) for start in range(first, last, self.size)]

    def take(self, keys: slice) -> None:
        """Adds a tile of keys to the sums."""
        count = keys.stop - keys.start
        scores = self._scores(keys)
        if self.asked or not self.problem.bounded:
            padded = -(-count // GROUP) * GROUP
            self.scores[count:padded] = self.floor
            maxima = group_maxima(self.scores[:padded])
            if self.top is not None:
                self._note(scores, keys)
                self.top.add(self.scores[:padded], keys.start, maxima)
            if self.bins is not None:
                self.bins.look(scores, keys)
            if not self.problem.bounded:
                self._raise(maxima.max(axis=0))
                scores -= self.peak
        powers = np.exp(scores, out=self.powers[:count])
        if self.problem.bounded and not self.asked:
            hidden = self._hidden(keys)
            if hidden is not None:
                np.copyto(powers, 0, where=hidden)
        if self.bins is not None:
            self.bins.add(powers, 0.0 if self.problem.bounded else self.peak)
        self.total += self.ones[:count] @ powers
        if self.problem.v is not None:
            values = self.problem.v.rows(*self._here(), keys)
            self.out += values.T @ powers
        if self.asked:
            self._near(powers, keys, self.asked.near)
            np.multiply(powers, scores, out=scores)
            self.spread += self.ones[:count] @ scores

    def _hidden(self, keys: slice) -> Values | None:
        return self.problem.hiding.within(self.job.rows, keys, self.drawn)

    def _scores(self, keys: slice) -> Values:
        """The finished scores of a tile, (c, r), what is hidden at the floor."""
        problem, scores = self.problem, self.scores[: keys.stop - keys.start]
        if self.q is not None and problem.k is not None:
            np.matmul(problem.k.rows(*self._here(), keys), self.q, out=scores)  # (c, d) · (d, r)
        elif self.given is not None:
            np.multiply(self.given[:, keys].T, problem.dtype.type(problem.factor), out=scores)
        if problem.softcap is not None:
            _cap(scores, problem.dtype.type(problem.softcap), self.given is not None)
        if problem.slopes is not None:
            real = problem.dtype if problem.grid[3] <= WHOLE else np.dtype(np.float64)
            distance = np.abs(np.subtract.outer(np.arange(keys.start, keys.stop, dtype=real), self.places.astype(real)))
            scores -= problem.dtype.type(problem.slopes[self.job.head]) * distance.astype(problem.dtype, copy=False)
        if self.bias is not None:
            bias = self.bias[:, keys] if self.bias.shape[1] > 1 else self.bias
            scores += bias.T.astype(problem.dtype)
        self._lower(scores, keys)
        return scores

    def _lower(self, scores: Values, keys: slice) -> None:
        """Puts what is hidden, by the mask or as −∞, at the floor; the exponents of another base are made here."""
        problem = self.problem
        if problem.bounded and not self.asked:
            return  # the exponentials of what is hidden are put to 0 instead
        if self.given is not None or self.bias is not None:
            gone = np.isneginf(scores)
            if problem.log_base is not None:
                scores *= problem.dtype.type(problem.log_base)
            np.copyto(scores, self.floor, where=gone)
        elif problem.log_base is not None:
            scores *= problem.dtype.type(problem.log_base)
        hidden = self._hidden(keys)
        if hidden is not None:
            np.copyto(scores, self.floor, where=hidden)

    def _note(self, scores: Values, keys: slice) -> None:
        """Keeps the scores of the token itself and of the first token, where the tile has them."""
        if keys.start == 0:
            self.single["first"][:] = scores[0]
        columns = np.flatnonzero((self.places >= keys.start) & (self.places < keys.stop))
        if len(columns):
            self.single["itself"][columns] = scores[self.places[columns] - keys.start, columns]

    def _raise(self, maximum: Values) -> None:
        """Counts from a higher peak: what was added up shrinks by the same factor."""
        peak = np.maximum(self.peak, maximum)
        if (peak != self.peak).any():
            step = self.peak - peak
            factor = np.exp(step)
            self.spread = np.where(factor == 0, 0, factor * (self.spread + step * self.total))
            self.total *= factor
            self.near *= factor
            self.out *= factor
            if self.bins is not None:
                self.bins.values *= factor
            self.peak = peak

    def _near(self, powers: Values, keys: slice, near: int) -> None:
        """Adds the exponentials of the keys that are fewer than `near` places away."""
        low = max(keys.start, int(self.places.min()) - near + 1) - keys.start
        high = min(keys.stop, int(self.places.max()) + near) - keys.start
        if low < high:
            band = band_of(self.places, slice(keys.start + low, keys.start + high), near, str(powers.dtype))
            self.near += np.einsum("kr,kr->r", powers[low:high], band)

    def block(self) -> Block:
        """Divides: the block as it is reported."""
        problem = self.problem
        base = self.peak if not problem.bounded else np.zeros_like(self.peak)
        sink = 0 if self.sink is None else np.exp(self.sink - base)
        empty = np.zeros(len(self.peak), dtype=bool)
        if self.sink is None:
            empty = self.total == 0 if problem.bounded else self.peak <= self.floor
        total = self.total + sink
        total[empty] = 1
        context = (self.out / total).T if problem.v is not None else None
        if self.top is None:
            return Block(context, empty=empty)
        self.top.settle()
        shares = {name: np.exp(scores - base) / total for name, scores in self.single.items()}
        entropy = (self.total * np.log(total) - self.spread) / total
        weights = np.where(self.top.keys < 0, 0, np.exp(self.top.scores - base[:, None]) / total[:, None])
        near = self.near / total
        found = Block(context, self.top.keys, weights, entropy, shares["itself"], shares["first"], near, empty)
        if self.bins is None:
            return found
        return found._replace(binned=(self.bins.values / total).T, visible=self.bins.visible.T)


def _cap(scores: Values, cap: Values, may_hide: bool) -> None:
    """cap · tanh(s / cap) in place; −∞ stays."""
    hidden = np.isneginf(scores) if may_hide else None
    np.divide(scores, cap, out=scores)
    np.tanh(scores, out=scores)
    scores *= cap
    if hidden is not None:
        np.copyto(scores, -np.inf, where=hidden)
