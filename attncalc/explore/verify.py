"""Do the numbers that a source prints (`expect`) hold in the scenario's own arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncalc.core.figures import NEAR, WIDE, as_decimal, round_to
from attncalc.core.labels import places_of
from attncalc.core.numbers import figure_with
from attncalc.core.numbers import places_of as places_of_step
from attncalc.core.stage import Step, Trace
from attncalc.errors import Fault, ScenarioError
from attncalc.explore.cells import Index, name_in, places_said
from attncalc.explore.placing import Places, WrongShape, full_index

HALF = Decimal("0.5")
WHOLE_WEIGHT = Decimal("0.005")
"""A weight printed as 0 or 1 is right within half a percent."""


class Verdict(NamedTuple):
    """One printed number: its cell, what was printed, what is calculated as it is shown, whether the two agree.

    `cell` is its name without batch entry and head; `place` is on all axes; `number` and `value` are what was printed
    and what is calculated, as they are.
    """

    cell: str
    step: str
    printed: str
    shown: str
    right: bool
    place: Index
    number: Any
    value: Decimal


def expects_terms(document: Mapping[str, Any]) -> bool:
    """Whether the products of weights and values have to be made for `expect`."""
    return "terms" in document.get("expect", {})


def verify(trace: Trace) -> list[Verdict]:
    """A verdict for every number under `expect`; a ScenarioError where an array does not have the step's shape."""
    verdicts: list[Verdict] = []
    faults: list[Fault] = []
    for name, printed in trace.scenario.document.get("expect", {}).items():
        place = f"{trace.scenario.name}: expect.{name}"
        if name == "weights_sum" and "weights" in trace:
            try:
                verdicts += _sums(trace, printed)
            except WrongShape as wrong:
                faults.append(Fault(place, "verify-shape", wrong.fields))
        elif name not in trace:
            known = ", ".join(step.name for step in trace)
            faults.append(Fault(place, "verify-no-step", {"known": known}))
        else:
            printed_of = _Printed(trace, trace[name], isinstance(printed, dict))
            for query, part in _parts(trace, printed):
                try:
                    verdicts += printed_of.verdicts(part, query)
                except WrongShape as wrong:
                    faults.append(_shape_fault(trace, place, name, wrong))
    if faults:
        raise ScenarioError(faults)
    return verdicts


def step_of(trace: Trace, verdict: Verdict) -> Step:
    """The step that a printed number belongs to; of a sum of weights the weights."""
    return trace["weights" if verdict.step == "weights_sum" else verdict.step]


def _shape_fault(trace: Trace, place: str, name: str, wrong: WrongShape) -> Fault:
    """A wrong shape, and for the row of one query how it is written."""
    rows = "query" in trace[name].axes and len(trace.scenario.query_tokens) > 1
    example = f'{{"{trace.scenario.query_tokens[-1]}": […]}}'
    return Fault(place, "verify-shape-rows" if rows else "verify-shape", wrong.fields | {"example": example})


def _parts(trace: Trace, printed: Any) -> Iterator[tuple[int | None, Any]]:
    """The whole array, or each row under its query's label."""
    if not isinstance(printed, dict):
        yield None, printed
        return
    for label, row in printed.items():
        yield places_of(trace.scenario.query_tokens, label)[0], row


class _Printed:
    """Compares what is printed of a step, whole or `by_query` a row at a time, with its cells."""

    def __init__(self, trace: Trace, step: Step, by_query: bool) -> None:
        self.step, self.cells = step, step.cells.reshape(step.shape)
        self.places = Places(step.axes, step.shape, by_query)
        self.decimals, self.rounding = places_of_step(trace, step), trace.scenario.rounding

    def verdicts(self, printed: Any, query: int | None) -> Iterator[Verdict]:
        """A verdict for each number of the whole or of a query's row; a WrongShape where they are none."""
        step, rounding = self.step, self.rounding
        for place, number in self.places.of(printed, query):
            value, index = _decimal(self.cells[place]), full_index(step, place)
            right = agrees(value, _decimal(number), rounding, step.name == "weights")
            shown = figure_with(self.cells[place], self.decimals, rounding)
            yield Verdict(name_in(step, index), step.name, _written(number), shown, right, index, number, value)


def _sums(trace: Trace, printed: Any) -> Iterator[Verdict]:
    """The weights as shown, added up, for each query."""
    step = trace["weights"]
    places = Places(step.axes[:-1], step.shape[:-1], isinstance(printed, dict))
    for query, part in _parts(trace, printed):
        for place, number in places.of(part, query):
            yield _sum(trace, place, number)


def _sum(trace: Trace, place: tuple[int, ...], number: Any) -> Verdict:
    step, rounding = trace["weights"], trace.scenario.rounding
    places = places_of_step(trace, step)
    row = step.cells.reshape(step.shape)[place]
    shown = sum((round_to(_decimal(x), places, rounding) for x in row), Decimal(0))
    index = full_index(step, place)
    query, _ = places_said(step, index)
    right = agrees(shown, _decimal(number), rounding, False)
    name = f"weights_sum {query}"
    return Verdict(name, "weights_sum", _written(number), str(shown), right, index, number, shown)


def agrees(value: Decimal, printed: Decimal, rounding: str, weight: bool) -> bool:
    """Whether a value may be printed so: within half a unit of the last digit, or cut to it."""
    if not (value.is_finite() and printed.is_finite()):
        return value == printed
    exponent = int(printed.as_tuple().exponent)
    unit = Decimal((0, (1,), exponent))
    if weight and exponent >= 0:
        return NEAR.subtract(value, printed).copy_abs() <= WHOLE_WEIGHT
    if rounding == "truncate":
        same_side = value.is_signed() == printed.is_signed() or not value or not printed
        return same_side and 0 <= NEAR.subtract(value.copy_abs(), printed.copy_abs()) < unit
    return NEAR.subtract(value, printed).copy_abs() <= WIDE.multiply(unit, HALF)


def _decimal(value: Any) -> Decimal:
    return Decimal(value) if isinstance(value, str) else as_decimal(value)


def _written(number: Any) -> str:
    return str(getattr(number, "text", number))
