"""Answers from JSON values: an object from step to array, a trace, or what a scenario expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.core.labels import known
from attncalc.core.names import STEPS
from attncalc.core.stage import Step, Trace
from attncalc.errors import UsageError
from attncalc.explore.cells import names_on
from attncalc.explore.placing import WrongShape
from attncalc.messages import Word
from attncalc.practice.answered import DIGITS, Answered
from attncalc.practice.arithmetic_typed import NoNumber
from attncalc.practice.assembling import Assembly, each
from attncalc.practice.cells_typed import cell_typed
from attncalc.practice.fitting import (
    AVERAGED,
    FROM_ONE,
    Fitted,
    filled_up,
    fitted,
    full_shape,
    meant,
    positions_of,
    step_named,
)
from attncalc.practice.numbers_typed import TypedNumber, plain_number
from attncalc.scenario_files.json_text import TRACE, repeated_keys
from attncalc.scenario_files.keys import KEYS
from attncalc.scenario_files.kinds import Report
from attncalc.scenario_files.kinds import found as found_there
from attncalc.scenario_files.number_arrays import Numbers

KINDS = {"exact": "float64", "float64": "float64", "float32": "float32", "float16": "float16", "by-hand": DIGITS}
"""How precise the numbers of a trace are, by what it was calculated in."""


def answers_of(trace: Trace, document: Any, name: str) -> tuple[Answered, ...]:
    """The answers that a JSON value holds, in the order of the steps.

    An object from step to array, of which a row may stand under its label; a trace gives its steps, and a scenario
    what it expects. A number is a JSON number, or a text as people type it; null is no answer.
    Raises a UsageError with every fault that there is.
    """
    assembly = Assembly(trace, name)
    for path in repeated_keys(document):
        assembly.report(path, "repeated-key")
    precision, steps = _unwrapped(assembly, document)
    found: dict[str, str] = {}
    for step, path, _ in steps:
        if found.setdefault(meant(trace, step), path) != path:
            assembly.report(path, "answers-twice")
    return assembly.answers([answered(assembly, step, value, path, precision) for step, path, value in steps])


def answered(assembly: Assembly, name: str, value: Any, path: str, precision: str = "") -> Answered | None:
    """The answers to one step from a JSON value; None after a report, or where it holds none."""
    try:
        step = step_named(assembly.trace, name, assembly.name)
    except UsageError as unknown:
        assembly.add(*unknown.faults)
        return None
    cells = _rows(assembly, step, value, path) if isinstance(value, dict) else _cells(assembly, step, value, path)
    return assembly.typed(step, cells, precision) if cells is not None else None


# --- what a document may be -----------------------------------------------------------------------

Steps = list[tuple[str, str, Any]]
"""Step, path and value of everything that is answered."""


def _unwrapped(assembly: Assembly, document: Any) -> tuple[str, Steps]:
    """How precise the numbers are, where the document says it, and its steps."""
    if not isinstance(document, Mapping):
        assembly.report("", "answers-no-object", found=found_there(document))
        return "", []
    if document.get("format") == TRACE:
        return _precision(document), list(_steps_of_trace(assembly, document.get("steps")))
    if "format" in document:
        assembly.report("format", "answers-format", found=found_there(document["format"]))
    elif "expect" in document:
        return "", _expected(assembly, document["expect"])
    elif any(key in KEYS and key not in STEPS for key in document):
        assembly.report("", "answers-scenario")
    else:
        return "", [(key, key, value) for key, value in document.items()]
    return "", []


def _expected(assembly: Assembly, expected: Any) -> Steps:
    """What a scenario expects, step by step; the sum of the weights is no step, and `verify` sees to it."""
    if not isinstance(expected, dict):
        assembly.report("expect", "not-an-object", found=found_there(expected))
        return []
    steps = {key: value for key, value in expected.items() if key != "weights_sum"}
    return [(key, f"expect.{key}", value) for key, value in (steps or expected).items()]


def _precision(document: Mapping[str, Any]) -> str:
    arithmetic = document.get("arithmetic")
    kind = arithmetic.get("kind") if isinstance(arithmetic, dict) else None
    return next((precision for name, precision in KINDS.items() if name == kind), "float64")


def _steps_of_trace(assembly: Assembly, steps: Any) -> Iterator[tuple[str, str, Any]]:
    """The steps that a trace wrote, if its tokens are those of the scenario."""
    if not isinstance(steps, list):
        assembly.report("", "answers-trace-without-steps")
        return
    if any(_has_other_tokens(assembly, step) for step in steps if isinstance(step, dict)):
        return
    seen: set[str] = set()
    for place, step in enumerate(steps):
        name = step.get("name") if isinstance(step, dict) else None
        if not isinstance(name, str) or "values" not in step or name in seen:
            assembly.report(f"steps[{place}]", "answers-trace")
        else:
            seen.add(name)
            yield name, f"steps[{place}].values", step["values"]


def _has_other_tokens(assembly: Assembly, step: Mapping[str, Any]) -> bool:
    """Whether the labels of a step are not those that it has here, which is reported."""
    name, labels = step.get("name"), step.get("labels")
    if name not in assembly.trace or not isinstance(name, str) or not isinstance(labels, dict):
        return False
    for axis, wanted in assembly.trace[name].labels.items():
        if isinstance(labels.get(axis), list) and labels[axis] != list(wanted):
            fields = {"found": known(list(map(str, labels[axis]))), "wanted": known(wanted)}
            assembly.report("", "answers-other-tokens", **fields)
            return True
    return False


# --- one step -------------------------------------------------------------------------------------


class AnswerNumbers(Numbers):
    """Nested lists of answers: numbers, texts as people type them, null."""

    def _check_cell(self, value: Any, path: str, report: Report) -> bool:
        if value is None:
            return True
        if not isinstance(value, str):
            return super()._check_cell(value, path, report)
        try:
            _number(value)
        except NoNumber as wrong:
            report(path, "answers-no-number", found=found_there(value), wanted=Word(wrong.code))
            return False
        return True


ANSWERS = AnswerNumbers((0, 1, 2, 3, 4, 5), references=False)


def _cells(assembly: Assembly, step: Step, value: Any, path: str, **lengths: int) -> Fitted | None:
    """An array on the axes of its step; None after a report."""
    before = len(assembly.faults)
    ANSWERS.check(value, path, assembly.report)
    if len(assembly.faults) > before:
        return None
    try:
        found = fitted(_array(value), step, **lengths)
    except WrongShape as wrong:
        if lengths:
            assembly.report(path, "answers-shape", **wrong.fields, step=path)
        else:
            assembly.misfit(path, step, wrong, rows=True)
        return None
    return found._replace(numbers=each(_number, found.numbers))


def _array(value: Any) -> Values:
    """Checked nested lists as an object array of what is written in them."""
    shape, flat = [], [value]
    while flat and isinstance(flat[0], list):
        shape.append(len(flat[0]))
        flat = [cell for row in flat for cell in row]
    cells = np.empty(len(flat), dtype=object)
    cells[:] = flat
    return cells.reshape(shape)


def _number(cell: Any) -> TypedNumber | None:
    if isinstance(cell, Literal):
        return plain_number(cell, cell.text)
    return None if cell is None else cell_typed(cell)


def _rows(assembly: Assembly, step: Step, rows: Mapping[str, Any], path: str) -> Fitted | None:
    """Rows under their labels; None after a report."""
    axis = "query" if "query" in step.stage.layout else "key"
    named = positions_of(names_on(step, axis), list(rows))
    found: dict[int, Fitted] = {}
    before = len(assembly.faults)
    for label, row in rows.items():
        place, there = named.places[label], f"{path}.{label}"
        if place is None:
            assembly.unknown(there, step, axis, label)
        elif place in found:
            assembly.report(there, "answers-twice")
        else:
            row = _by_label(assembly, step, axis, row, there) if isinstance(row, dict) else row
            seen = axis == "query" and isinstance(row, list)
            row = filled_up(assembly.trace, step, row, place) if seen else row
            cells = _cells(assembly, step, row, there, **{axis: 1})
            found |= {place: cells} if cells is not None else {}
    if len({cells.convention == AVERAGED for cells in found.values()}) > 1:
        assembly.report(path, "answers-mixed")
    if len(assembly.faults) > before or not found:
        return None
    return _joined(step, axis, found, named.from_one)


def _by_label(assembly: Assembly, step: Step, axis: str, row: Mapping[str, Any], path: str) -> list[Any]:
    """The cells of a row that stand under the labels of the axis that follows; no answer elsewhere."""
    layout = step.stage.layout
    after = layout[layout.index(axis) + 1]
    labels = names_on(step, after)
    named = positions_of(labels, list(row))
    cells: list[Any] = [None] * len(labels)
    for label, cell in row.items():
        place = named.places[label]
        if place is None:
            assembly.unknown(f"{path}.{label}", step, after, label)
        else:
            cells[place] = cell
    return cells


def _joined(step: Step, axis: str, rows: Mapping[int, Fitted], from_one: bool) -> Fitted:
    """All rows in one array, no answers where there is no row."""
    averaged = any(row.convention == AVERAGED for row in rows.values())
    whole = np.full(full_shape(step, **({"head": 1} if averaged else {})), None, dtype=object)
    at = step.stage.layout.index(axis)
    for place, row in rows.items():
        whole[(slice(None),) * at + (slice(place, place + 1),)] = row.numbers
    conventions = [row.convention for row in rows.values() if row.convention]
    return Fitted(whole, next(iter(conventions), FROM_ONE if from_one else ""))
