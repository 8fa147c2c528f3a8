"""Do the numbers that a source prints (`expect`) hold in the scenario's own arithmetic."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.expression import Cell
from attncalc.core.figures import NEAR, WIDE, as_decimal, round_to
from attncalc.core.labels import places_of
from attncalc.core.numbers import figure_of
from attncalc.core.numbers import places_of as places_of_step
from attncalc.core.stage import Step, Trace
from attncalc.errors import Fault, ScenarioError, by
from attncalc.explore.cells import Index, cell_name, places_said

HALF = Decimal("0.5")
WHOLE_WEIGHT = Decimal("0.005")
"""A weight printed as 0 or 1 is right within half a percent."""


class Verdict(NamedTuple):
    """One printed number: its cell, what was printed, what is calculated as it is shown, whether the two agree.

    `cell` is its name without batch entry and head; `place` is on all axes.
    """

    cell: str
    step: str
    printed: str
    shown: str
    right: bool
    place: Index


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
            except _WrongShape as wrong:
                faults.append(Fault(place, "verify-shape", wrong.fields))
        elif name not in trace:
            known = ", ".join(step.name for step in trace)
            faults.append(Fault(place, "verify-no-step", {"known": known}))
        else:
            for rows, part in _parts(trace, printed):
                try:
                    verdicts += _step(trace, trace[name], rows, part)
                except _WrongShape as wrong:
                    faults.append(_shape_fault(trace, place, name, wrong))
    if faults:
        raise ScenarioError(faults)
    return verdicts


def step_of(trace: Trace, verdict: Verdict) -> Step:
    """The step that a printed number belongs to; of a sum of weights the weights."""
    return trace["weights" if verdict.step == "weights_sum" else verdict.step]


def _shape_fault(trace: Trace, place: str, name: str, wrong: _WrongShape) -> Fault:
    """A wrong shape, and for the row of one query how it is written."""
    rows = "query" in trace[name].axes and len(trace.scenario.query_tokens) > 1
    example = f'{{"{trace.scenario.query_tokens[-1]}": […]}}'
    return Fault(place, "verify-shape-rows" if rows else "verify-shape", wrong.fields | {"example": example})


class _WrongShape(Exception):
    def __init__(self, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        super().__init__()
        self.fields = {"found": by(found), "wanted": by(wanted)}


def _parts(trace: Trace, printed: Any) -> Iterator[tuple[int | None, Any]]:
    """The whole array, or each row under its query's label."""
    if not isinstance(printed, dict):
        yield None, printed
        return
    for label, row in printed.items():
        yield places_of(trace.scenario.query_tokens, label)[0], row


def _step(trace: Trace, step: Step, query: int | None, printed: Any) -> Iterator[Verdict]:
    cells = step.cells.reshape(step.shape)
    for place, number in _placed(printed, query, step.axes, step.shape):
        value, weight = cells[place], step.name == "weights"
        right = agrees(_decimal(value), _decimal(number), trace.scenario.rounding, weight)
        index = _index(step, place)
        name = cell_name(trace, Cell(step.name, index))
        yield Verdict(name, step.name, _written(number), figure_of(trace, step, value), right, index)


def _placed(
    printed: Any, query: int | None, axes: Sequence[str], lengths: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The printed numbers, of all queries or of one, each with its place on the axes; gaps are left out."""
    axis = axes.index("query") if query is not None and "query" in axes else None
    shape = tuple(1 if i == axis else n for i, n in enumerate(lengths))
    numbers = _unjoined(np.array(printed, dtype=object), axes, shape)
    if not _leaves_out_ones(numbers.shape, shape):
        raise _WrongShape(numbers.shape, shape)
    for index, number in np.ndenumerate(numbers.reshape(shape)):
        if number is not None:
            yield tuple(query if i == axis and query is not None else n for i, n in enumerate(index)), number


def _unjoined(numbers: Any, axes: Sequence[str], shape: tuple[int, ...]) -> Any:
    """Heads printed side by side, (…, T, heads·d), as a step has them, (…, heads, T, d)."""
    if "head" not in axes or axes[-1] != "feature":
        return numbers
    heads, rows, width = shape[-3:]
    if numbers.ndim < 1 or numbers.shape[-1] != heads * width or numbers.size != np.prod(shape):
        return numbers
    return np.moveaxis(numbers.reshape(*shape[:-3], rows, heads, width), -2, -3)


def _leaves_out_ones(found: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether a shape is the wanted one with some of its axes of length 1 left out."""
    rest = list(found)
    for length in wanted:
        if rest and rest[0] == length:
            rest.pop(0)
        elif length != 1:
            return False
    return not rest


def _index(step: Step, place: tuple[int, ...]) -> Index:
    """A place on the axes that the scenario has, on all axes; 0 on those that the place leaves out."""
    places = dict(zip(step.axes, place, strict=False))
    return tuple(places.get(axis, 0) for axis in step.stage.layout)


def _sums(trace: Trace, printed: Any) -> Iterator[Verdict]:
    """The weights as shown, added up, for each query."""
    step = trace["weights"]
    for query, part in _parts(trace, printed):
        for place, number in _placed(part, query, step.axes[:-1], step.shape[:-1]):
            yield _sum(trace, place, number)


def _sum(trace: Trace, place: tuple[int, ...], number: Any) -> Verdict:
    step, rounding = trace["weights"], trace.scenario.rounding
    places = places_of_step(trace, step)
    row = step.cells.reshape(step.shape)[place]
    shown = sum((round_to(_decimal(x), places, rounding) for x in row), Decimal(0))
    index = _index(step, place)
    query, _ = places_said(step, index)
    right = agrees(shown, _decimal(number), rounding, False)
    return Verdict(f"weights_sum {query}", "weights_sum", _written(number), str(shown), right, index)


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
