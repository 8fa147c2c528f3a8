"""Several traces side by side: which steps are the same, by how much the others differ, and what became of a row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import NEAR, WIDE, as_decimal
from attncalc.core.labels import distinct
from attncalc.core.numbers import places_of
from attncalc.core.stage import Row, Step, Trace
from attncalc.pipelines.standard import STEP_NAMES

Index = tuple[int, ...]

MEANT_DIGITS = 30
"""Fewer than any exact number has: what two ways of calculating leave in the last of them is no difference."""

ALIKE = 1e-12
"""Changes of rows that are nearer to each other count as equal, so that the first of them is named."""


class Variant(NamedTuple):
    """One of the calculations that are compared: its name, where it came from, what was changed, its trace."""

    name: str
    source: str
    changes: tuple[str, ...]
    trace: Trace


class Part(NamedTuple):
    """What of the cells is looked at; None: all of them. Heads are query heads."""

    batches: tuple[int, ...] | None = None
    heads: tuple[int, ...] | None = None
    queries: tuple[int, ...] | None = None


class Compared(NamedTuple):
    """One step in all variants: each one's step (None where it has none), and where any of them differs."""

    name: str
    traces: tuple[Trace, ...]
    steps: tuple[Step | None, ...]
    differing: Values | None  # booleans by cell; None where the shapes differ

    @property
    def having(self) -> tuple[int, ...]:
        """The numbers of the variants that have the step."""
        return tuple(number for number, step in enumerate(self.steps) if step is not None)

    @property
    def first(self) -> Step:
        """The step of the first variant that has it: its labels name the cells."""
        return next(step for step in self.steps if step is not None)

    @property
    def agrees(self) -> bool:
        """Whether those that have the step have the same numbers."""
        return self.differing is not None and not self.differing.any()

    @property
    def same(self) -> bool:
        """Whether all variants have the step, with the same numbers."""
        return self.agrees and None not in self.steps

    @property
    def places(self) -> int:
        """The decimals that its differences are shown with: the most of any variant."""
        return max(places_of(self.traces[number], self._step(number)) for number in self.having)

    def _step(self, number: int) -> Step:
        step = self.steps[number]
        if step is None:
            raise KeyError(self.name)
        return step

    def differences(self, index: Index) -> Iterator[Decimal]:
        """What each further variant has more than the first in one cell."""
        one, *others = self.having
        base = as_decimal(self._step(one).cells[index])
        return (difference(base, as_decimal(self._step(o).cells[index]), self.places) for o in others)

    def largest_at(self, index: Index) -> Decimal:
        """The difference of a cell that is largest in size."""
        return max(self.differences(index), key=size_of)


def compared(traces: Sequence[Trace], steps: Sequence[str] = ()) -> list[Compared]:
    """Every step that any of the traces has, in the order of the subject; with `steps` only those."""
    by_name = [{step.name: step for step in trace} for trace in traces]
    rows = ((name, tuple(named.get(name) for named in by_name)) for name in STEP_NAMES if not steps or name in steps)
    return [Compared(name, tuple(traces), found, _differing(traces, found)) for name, found in rows if any(found)]


def difference(first: Decimal, second: Decimal, places: int) -> Decimal:
    """Second minus first, of the true values; 0 where both are the same, infinite and NaN ones too."""
    if first == second or (first.is_nan() and second.is_nan()):
        return Decimal(0)
    change = NEAR.subtract(second, first)
    if not change.is_finite():
        return change
    unit = min(max(first.adjusted(), second.adjusted()) - MEANT_DIGITS, -places - 10)
    return change.quantize(Decimal(1).scaleb(unit, WIDE), context=WIDE)


def size_of(change: Decimal) -> Decimal:
    """How large a difference is, for ordering; one that is no number is the largest."""
    return Decimal("Infinity") if change.is_nan() else change.copy_abs()


def _differing(traces: Sequence[Trace], steps: Sequence[Step | None]) -> Values | None:
    (base, first), *others = ((t, s) for t, s in zip(traces, steps, strict=True) if s is not None)
    if any(step.cells.shape != first.cells.shape for _, step in others):
        return None
    result = np.zeros(first.cells.shape, dtype=bool)
    for trace, step in others:
        by_hand = trace.kind == base.kind == "by-hand"
        result |= ~same_numbers(first.cells, step.cells, by_hand)
    return result


def same_numbers(first: Values, second: Values, by_hand: bool) -> Values:
    """Cell by cell whether the nearest doubles are the same (by hand the decimals); NaN is the same as NaN."""
    a, b = (cells.astype(np.float64) for cells in (first, second))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if first.dtype == second.dtype == object:  # decimals that are finer than doubles, or beyond them
        asked = ~np.isnan(a) & ~np.isnan(b) & (by_hand | (np.isinf(a) & np.isinf(b)))
        same[asked] = np.asarray(first[asked] == second[asked], dtype=bool)
    return np.asarray(same)


def cells_of(compared: Compared, part: Part, only_differing: bool) -> list[Index]:
    """The places of the cells of a part, in order."""
    step, trace = compared.first, compared.traces[compared.having[0]]
    chosen = np.ones(step.cells.shape, dtype=bool)
    heads = part.heads and tuple(dict.fromkeys(h * step.cells.shape[1] // trace.scenario.heads for h in part.heads))
    wanted = {"batch": part.batches, "head": heads, "query": part.queries}
    for axis, name in enumerate(step.stage.layout):
        if (places := wanted.get(name)) is not None and (name in step.axes or name == "query"):
            last = step.cells.shape[axis] - 1  # one entry may serve all
            kept = np.isin(np.arange(last + 1), [min(place, last) for place in places])
            chosen &= kept.reshape([-1 if n == axis else 1 for n in range(chosen.ndim)])
    if only_differing and compared.differing is not None:
        chosen &= compared.differing
    return [tuple(map(int, index)) for index in np.argwhere(chosen)]


def by_size(compared: Compared, cells: Sequence[Index]) -> list[Index]:
    """The cells, the largest difference first; equal ones in their order."""
    return sorted(cells, key=lambda index: -size_of(compared.largest_at(index)))


def cell_path(step: Step, index: Index) -> str:
    """`weights 1 draw I`: the step and the place on each of its axes, heads and batch entries by number."""
    places = zip(step.stage.layout, index, strict=True)
    names = {axis: distinct(labels) for axis, labels in step.labels.items()}
    said = (names[axis][i] if axis in names else str(i) for axis, i in places if axis in step.axes)
    return " ".join((step.name, *said))


class RowChange(NamedTuple):
    """What became of the row of weights that changed most: by key, the first weights and the second."""

    row: Row
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    key: int  # whose weight changed most

    @property
    def finite(self) -> bool:
        """Whether all the weights are numbers."""
        return all(x == x for x in (*self.before, *self.after))


def largest(row: Sequence[Any]) -> tuple[int, ...]:
    """The keys that have the largest weight of a row; none where all are 0 or one is NaN."""
    numbers = [float(x) for x in row]
    top = max(numbers, default=0.0)
    return tuple(key for key, x in enumerate(numbers) if x == top and top > 0) if all(map(np.isfinite, numbers)) else ()


def row_change(first: Step, second: Step, cells: Sequence[Index]) -> RowChange | None:
    """The row of weights, of those that the cells stand in, that changed most; None where none did."""
    rows = list(dict.fromkeys(index[:3] for index in cells))
    a, b = (np.array([step.cells[row] for row in rows], dtype=np.float64) for step in (first, second))
    moved = np.nan_to_num(np.abs(b - a), nan=np.inf)
    moved[np.isnan(a) & np.isnan(b)] = 0
    if not rows or not moved.any():
        return None
    number = _first_of_largest(moved.sum(axis=1))
    place, key = rows[number], _first_of_largest(moved[number])
    return RowChange(Row(*place), tuple(first.cells[place]), tuple(second.cells[place]), key)


def _first_of_largest(numbers: Values) -> int:
    top = numbers.max()
    return int(np.argmax((numbers >= top - ALIKE) | (numbers == top)))
