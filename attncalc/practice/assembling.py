"""From numbers in their places to the answers of a step: what no cell can hold is refused."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.labels import known
from attncalc.core.names import STEPS
from attncalc.core.stage import Step, Trace
from attncalc.errors import MANY_FAULTS, Fault, UsageError, shortened
from attncalc.explore.cells import Index, as_options, names_on, places_said
from attncalc.explore.placing import WrongShape
from attncalc.messages import Word
from attncalc.practice.answered import DIGITS, Answered
from attncalc.practice.fitting import Fitted, HeadsExchanged
from attncalc.practice.numbers_typed import TypedNumber
from attncalc.practice.precision import precision_of, within, within_of_weight

HIDING = ("scores", "scaled", "capped", "biased", "masked", "maximum", "shifted")
"""The steps in which a hidden cell is −∞."""
AFTER_MASK = STEPS[STEPS.index("maximum") :]
"""The steps in which the row of a query that sees no key may be without a number."""


class Assembly:
    """The answers of one source on their way: where they come from, the calculation, and what was refused."""

    def __init__(self, trace: Trace, name: str) -> None:
        self.trace, self.name = trace, name
        self.faults: list[Fault] = []

    def report(self, path: str, code: str, **fields: Any) -> None:
        """Notes a fault at a path of the source."""
        self.add(Fault(f"{self.name}: {path}" if path and self.name else self.name or path, code, fields))

    def add(self, *faults: Fault) -> None:
        """Notes faults; a UsageError once they are so many that no more are looked for."""
        self.faults += faults
        if len(self.faults) >= MANY_FAULTS:
            raise UsageError(self.faults, partial=True)

    def misfit(self, path: str, step: Step, wrong: WrongShape, rows: bool = False) -> None:
        """Notes that an array fits no axes of its step; `rows`: a single row may be written under its query."""
        if isinstance(wrong, HeadsExchanged):
            self.report(path, "answers-heads-exchanged", **wrong.fields, step=step.name)
            return
        queries = self.trace.scenario.query_tokens
        rows = rows and "query" in step.axes and len(queries) > 1
        fields = {**wrong.fields, "step": step.name, "example": f'{{"{queries[-1]}": […]}}'}
        self.report(path, "answers-shape-rows" if rows else "answers-shape", **fields)

    def unknown(self, path: str, step: Step, axis: str, word: str) -> None:
        """Notes that a word at a path of the source names no place on an axis, or more than one."""
        self.unknown_at(f"{self.name}: {path}", step, axis, word)

    def unknown_at(self, place: str, step: Step, axis: str, word: str) -> None:
        """The same at a place."""
        labels = names_on(step, axis)
        fields: dict[str, Any] = {"found": shortened(word)}
        if (count := labels.count(word)) > 1:
            self.add(Fault(place, "ambiguous-token", {**fields, "count": count}))
            return
        code = "no-such-place" if axis in step.labels else "no-such-feature"
        fields |= {"axis": Word(f"axis.{axis}"), "known": known(labels), "last": len(labels) - 1}
        self.add(Fault(place, code, fields))

    def answers(self, found: Iterable[Answered | None]) -> tuple[Answered, ...]:
        """The answers in the order of the steps; a UsageError with every fault, or where there is no answer."""
        given = [answered for answered in found if answered is not None]
        if self.faults:
            raise UsageError(self.faults)
        if not given:
            raise UsageError.of("answers-none", self.name)
        return tuple(sorted(given, key=lambda answered: STEPS.index(answered.step)))

    def typed(self, step: Step, cells: Fitted, precision: str = "") -> Answered | None:
        """The answers of a step from typed numbers; None after a report, or where there are none."""
        values = each(_float, cells.numbers).astype(np.float64)
        numbers = self._allowed(step, cells.numbers, values)
        given = [number for number in numbers.flat if number is not None]
        if not given:
            return None
        precision = precision or precision_of(given)
        parts = {part: _parts(numbers, part) for part in ("value", "text", *(("unit",) * (precision == DIGITS)))}
        if precision == DIGITS:
            parts["within"] = each(within_of_weight if step.name == "weights" else within, numbers)
        values.setflags(write=False)
        return Answered(
            step.name, values, parts["value"], parts.get("within"), parts["text"], cells.convention, precision,
            parts.get("unit"),
        )  # fmt: skip

    def binary(self, step: Step, cells: Fitted, precision: str) -> Answered | None:
        """The answers of a step from an array of binary numbers; None after a report.

        After the mask, NaN in a whole row is an answer: what a program makes of a query that it lets see no key.
        """
        values = np.asarray(cells.numbers, dtype=np.float64)
        none = np.isnan(values)
        lost = none & (self._may_be_lost(step, values.shape) | _whole_rows(step, none))
        infinite = np.isposinf(values) | (np.isneginf(values) & (step.name not in HIDING))
        refused = self._refuse(step, none & ~lost, "answers-nan") or self._refuse(step, infinite, "answers-infinite")
        if refused:
            return None
        values.setflags(write=False)
        return Answered(
            step.name, values, convention=cells.convention, precision=precision, lost=lost if lost.any() else None
        )  # fmt: skip

    def _allowed(self, step: Step, numbers: Values, values: Values) -> Values:
        """The numbers without those that no cell can hold, which are reported; NaN where it is allowed is no answer.

        `values` are the numbers as doubles, NaN where there is none: only few of them have to be looked at.
        """
        strange = {kind: np.zeros(numbers.shape, dtype=bool) for kind in ("lost", "infinite", "large")}
        for place in map(tuple, np.argwhere(~np.isfinite(values)).tolist()):
            if numbers[place] is not None and (kind := _strangeness(numbers[place].value, step)):
                strange[kind][place] = True
        kept = numbers.copy()
        kept[strange["lost"]] = None
        self._refuse(step, strange["lost"] & ~self._may_be_lost(step, numbers.shape), "answers-nan")
        self._refuse(step, strange["infinite"], "answers-infinite")
        if strange["large"].any() and not _beyond_doubles(step):
            place = tuple(np.argwhere(strange["large"])[0])
            self.report(self.cell(step, place), "number-too-large", found=numbers[place].text)
        return kept

    def _refuse(self, step: Step, refused: Values, code: str) -> bool:
        """Reports the first of some cells, and how many there are."""
        if refused.any():
            place = tuple(map(int, np.argwhere(refused)[0]))
            self.report(self.cell(step, place), code, count=int(refused.sum()))
        return bool(refused.any())

    def cell(self, step: Step, place: Index) -> str:
        """A cell of a step as it may be typed."""
        return " ".join((step.name, *places_said(step, place))) + as_options(self.trace, step, place)

    def _may_be_lost(self, step: Step, shape: tuple[int, ...]) -> Values:
        """Where 0 divided by 0 leaves no number: the rows of queries that see no key."""
        lost = np.zeros(shape, dtype=bool)
        if step.name not in AFTER_MASK or "query" not in step.stage.layout:
            return lost
        for row in (row for note in self.trace.notes if note.code == "empty-row" for row in note.rows):
            lost[row.batch if shape[0] > 1 else 0, row.head if shape[1] > 1 else 0, row.query] = True
        return lost


def _whole_rows(step: Step, none: Values) -> Values:
    """Which cells without a number stand in a row of a query that has none at all, in a step after the mask."""
    layout = step.stage.layout
    if step.name not in AFTER_MASK or "query" not in layout:
        return np.zeros(none.shape, dtype=bool)
    within = tuple(range(layout.index("query") + 1, none.ndim))
    return np.broadcast_to(none.all(axis=within, keepdims=True), none.shape)


def _beyond_doubles(step: Step) -> bool:
    """Whether a right number of the step is itself too large for a double."""
    large = step.cells.dtype == object and np.isinf(step.cells.astype(np.float64))
    return bool(np.any(large & (step.cells != Decimal("-Infinity"))))


def _strangeness(value: Decimal, step: Step) -> str:
    """What is the matter with a number that is no finite double; nothing with a score that is hidden."""
    if value.is_nan():
        return "lost"
    if value.is_finite():
        return "large"
    return "" if value < 0 and step.name in HIDING else "infinite"


def _parts(numbers: Values, part: str) -> Values:
    """One field of every number, None where there is no number."""
    return each(lambda number: None if number is None else getattr(number, part), numbers)


def each(function: Callable[[Any], object], cells: Values) -> Values:
    """What a function makes of each cell; numbers that are written alike are one, and asked once."""
    flat = cells.ravel().tolist()
    _, first, which = np.unique(np.fromiter(map(id, flat), np.int64, len(flat)), return_index=True, return_inverse=True)
    made = np.empty(len(first), dtype=object)
    made[:] = [function(flat[place]) for place in first]
    return made[which].reshape(cells.shape)


def _float(number: TypedNumber | None) -> float:
    return math.nan if number is None else float(number.value)
