"""Several traces side by side: which steps are the same, by how much the others differ, and what became of a row."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import BIG_POWER, NEAR, WIDE, as_decimal
from attncalc.core.numbers import places_of
from attncalc.core.stage import Row, Step, Trace
from attncalc.explore.alignment import Alignment, aligned
from attncalc.explore.cells import Index
from attncalc.pipelines.standard import STEP_NAMES

MEANT_DIGITS = 30
"""Fewer than any exact number has: what two ways of calculating leave in the last of them is no difference.

Numbers that are shown with more have more: digits enough before the point, these places, and two to round them by.
"""


class Variant(NamedTuple):
    """One of the calculations that are compared: its name, where it came from, what was changed, its trace."""

    name: str
    source: str
    changes: tuple[str, ...]
    trace: Trace


class Part(NamedTuple):
    """What of the cells is looked at; None: all of them. Heads are query heads; queries are given for each variant."""

    batches: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    queries: tuple[tuple[int, ...], ...] | None = None


class Compared(NamedTuple):
    """One step in all variants: each one's step (None where it has none), and where any of them differs.

    Cells are named by their place in the first variant that has the step; `alignments` say where they are in the
    others. All that lie in every one are `shared`; where none do, `shared` and `differing` are None.
    """

    name: str
    traces: tuple[Trace, ...]
    steps: tuple[Step | None, ...]
    alignments: tuple[Alignment | None, ...]
    shared: Values | None  # booleans by cell
    differing: Values | None  # booleans by cell
    decimals: tuple[int, ...]  # that each variant which has the step shows it with

    @property
    def having(self) -> tuple[int, ...]:
        """The numbers of the variants that have the step."""
        return tuple([number for number, step in enumerate(self.steps) if step is not None])

    @property
    def first(self) -> Step:
        """The step of the first variant that has it: its labels name the cells."""
        return next(step for step in self.steps if step is not None)

    @property
    def whole(self) -> bool:
        """Whether every cell of every variant that has the step has its counterpart in the others."""
        sizes = {step.cells.shape for step in self.steps if step is not None}
        return self.shared is not None and bool(self.shared.all()) and len(sizes) == 1

    @property
    def differs(self) -> bool:
        """Whether there are other numbers in a cell of those that have their counterparts."""
        return self.differing is not None and bool(self.differing.any())

    @property
    def agrees(self) -> bool:
        """Whether those that have the step have the same numbers."""
        return self.whole and not self.differs

    @property
    def same(self) -> bool:
        """Whether all variants have the step, with the same numbers."""
        return self.agrees and None not in self.steps

    @property
    def places(self) -> int:
        """The decimals that its differences are shown with: the most of any variant, as far as every one has them."""
        return min(max(self.decimals), max(MEANT_DIGITS - BIG_POWER, min(self.decimals)))

    def step(self, number: int) -> Step:
        """The step of a variant that has it."""
        step = self.steps[number]
        if step is None:
            raise KeyError(self.name)
        return step

    def at(self, number: int, index: Index) -> Index:
        """Where a cell is in the step of a variant."""
        alignment = self.alignments[number]
        return index if alignment is None else alignment.at(index)

    def value(self, number: int, index: Index) -> Any:
        """The number that a variant has in a cell."""
        return self.step(number).cells[self.at(number, index)]

    def change(self, number: int, index: Index) -> Change:
        """What a further variant has more than the first in one cell."""
        one = self.having[0]
        base, other = as_decimal(self.value(one, index)), as_decimal(self.value(number, index))
        by_hand = self.traces[one].kind == self.traces[number].kind == "by-hand"
        digits = None if by_hand else max(MEANT_DIGITS, BIG_POWER + min(self.decimals) + 2)
        return Change(difference(base, other, digits), base, other)

    def largest_at(self, index: Index) -> Change:
        """The difference of a cell that is largest in size."""
        return max((self.change(other, index) for other in self.having[1:]), key=lambda change: change.size)


class Change(NamedTuple):
    """A difference as it counts, and the two numbers it lies between."""

    amount: Decimal
    before: Decimal
    after: Decimal

    @property
    def size(self) -> Decimal:
        """How large it is, for ordering; one that is no number is the largest."""
        return size_of(self.amount)

    @property
    def exact(self) -> Decimal:
        """All digits of the difference, where it counts."""
        return difference(self.before, self.after, None) if self.amount else Decimal(0)


def compared(traces: Sequence[Trace], by_label: bool = False) -> list[Compared]:
    """Every step that any of the traces has, in the order of the subject."""
    by_name = [{step.name: step for step in trace} for trace in traces]
    rows = ((name, tuple(named.get(name) for named in by_name)) for name in STEP_NAMES)
    return [_compared(name, tuple(traces), found, by_label) for name, found in rows if any(found)]


def difference(first: Decimal, second: Decimal, digits: int | None = MEANT_DIGITS) -> Decimal:
    """Second minus first, of the true values; 0 where both are the same, infinite and NaN ones too.

    What lies beyond so many digits of the larger of them is cut off; with None nothing is.
    """
    if first == second or (first.is_nan() and second.is_nan()):
        return Decimal(0)
    change = NEAR.subtract(second, first)
    if digits is None or not change.is_finite():
        return change
    unit = max(number.adjusted() for number in (first, second) if number) - digits
    return change.quantize(Decimal(1).scaleb(unit, WIDE), context=WIDE)


def size_of(change: Decimal) -> Decimal:
    """How large a difference is, for ordering; one that is no number is the largest."""
    return Decimal("Infinity") if change.is_nan() else change.copy_abs()


def _compared(name: str, traces: tuple[Trace, ...], steps: tuple[Step | None, ...], by_label: bool) -> Compared:
    first = next(step for step in steps if step is not None)
    decimals = tuple(places_of(trace, step) for trace, step in zip(traces, steps, strict=True) if step is not None)
    found = tuple(aligned(first, step, by_label) if step is not None else None for step in steps)
    if any(place is None for place, step in zip(found, steps, strict=True) if step is not None):
        return Compared(name, traces, steps, (None,) * len(steps), None, None, decimals)
    shared = np.logical_and.reduce([place.found for place in found if place is not None])
    differing = np.zeros(first.cells.shape, dtype=bool)
    base, *others = ((t, s, p) for t, s, p in zip(traces, steps, found, strict=True) if s is not None and p is not None)
    for trace, step, place in others:
        by_hand = trace.kind == base[0].kind == "by-hand"
        differing |= shared & ~same_numbers(first.cells, place.cells(step), by_hand)
    return Compared(name, traces, steps, found, shared, differing, decimals)


def same_numbers(first: Values, second: Values, by_hand: bool) -> Values:
    """Cell by cell whether the nearest doubles are the same (by hand the decimals); NaN is the same as NaN."""
    a, b = (cells.astype(np.float64) for cells in (first, second))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if first.dtype == second.dtype == object:  # decimals that are finer than doubles, or beyond them
        asked = ~np.isnan(a) & ~np.isnan(b) & (by_hand | (np.isinf(a) & np.isinf(b)))
        same[asked] = np.asarray(first[asked] == second[asked], dtype=bool)
    return np.asarray(same)


def cells_of(compared: Compared, part: Part, only_differing: bool) -> list[Index]:
    """The places of the cells of a part that all variants have, in order."""
    step, number = compared.first, compared.having[0]
    chosen = np.ones(step.cells.shape, dtype=bool)
    if compared.shared is not None:
        chosen &= compared.shared
    shared, count = compared.traces[number].scenario.shared_head, step.cells.shape[1]
    heads = part.heads and tuple(dict.fromkeys(shared(head, count) for head in part.heads))
    wanted = {"batch": part.batches, "head": heads, "query": part.queries and part.queries[number]}
    for axis, name in enumerate(step.stage.layout):
        if (places := wanted.get(name)) is not None and (name in step.axes or name == "query"):
            last = step.cells.shape[axis] - 1  # one entry may serve all
            kept = np.isin(np.arange(last + 1), [min(place, last) for place in places])
            chosen &= kept.reshape([-1 if n == axis else 1 for n in range(chosen.ndim)])
    if only_differing and compared.differing is not None:
        chosen &= compared.differing
    return list(map(tuple, np.argwhere(chosen).tolist()))


def by_size(compared: Compared, cells: Sequence[Index]) -> list[Index]:
    """The cells, the largest difference first; equal ones in their order."""
    return sorted(cells, key=lambda index: -compared.largest_at(index).size)


class RowChange(NamedTuple):
    """What became of the row of weights that changed most: the first weights and the second, each by its own keys."""

    row: Row
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    keys: tuple[int, int]  # whose weight changed most, in each
    amount: Decimal

    @property
    def finite(self) -> bool:
        """Whether all the weights are numbers."""
        return all(x == x for x in (*self.before, *self.after))

    @property
    def top(self) -> Decimal:
        """By how much the largest weight has become larger."""
        return difference(as_decimal(max(self.before)), as_decimal(max(self.after)))


def largest(row: Sequence[Any]) -> tuple[int, ...]:
    """The keys that have the largest weight of a row; none where all are 0 or one is NaN."""
    numbers = [float(x) for x in row]
    top = max(numbers, default=0.0)
    told = any(numbers) and bool(np.isfinite(numbers).all())
    return tuple(key for key, x in enumerate(numbers) if told and x == top)


def row_change(weights: Compared, number: int, cells: Sequence[Index]) -> RowChange | None:
    """The row with the weight, of those cells, that a variant changed most; None where it changed none."""
    found = max(cells, key=lambda index: weights.change(number, index).size, default=None)
    if found is None or not (amount := weights.change(number, found).amount):
        return None
    places = found, weights.at(number, found)
    before, after = (tuple(weights.step(n).cells[place[:3]]) for n, place in zip((0, number), places, strict=True))
    return RowChange(Row(*found[:3]), before, after, (places[0][3], places[1][3]), amount)
