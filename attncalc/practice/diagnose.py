"""Which answer is wrong, and which mistake made it: a verdict for each step.

An answer is right within the digits it is written with. What is not right may follow from the learner's own earlier
numbers, from rounding on the way, from a mistake of the catalogue, from one slip (`attempts`); the first that gives
exactly these numbers is the verdict, and all mistakes that give them are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import localcontext

import numpy as np

from attncalc.core.certain import OWN
from attncalc.core.expression import Cell
from attncalc.core.stage import Trace
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import Answered
from attncalc.practice.attempts import WRONG, StepAnswers, judged
from attncalc.practice.case import Case
from attncalc.practice.conventions import in_our_convention
from attncalc.practice.inputs import rounded_inputs
from attncalc.practice.verdicts import (
    FOLLOW_THROUGH,
    RIGHT,
    ROUNDED_INPUTS,
    ROUNDING,
    UNKNOWN,
    Diagnosis,
    Finding,
    StepVerdict,
    WrongCell,
)  # fmt: skip

FEW_CELLS = 1


def diagnose(trace: Trace, answers: Sequence[Answered]) -> Diagnosis:
    """The verdict on answers to steps of a trace, which is the right calculation, exact where that is possible."""
    with localcontext(OWN), np.errstate(all="ignore"):  # what overflows on the way is near nothing
        case = Case(trace, in_our_convention(trace, answers))
        steps: list[StepVerdict] = []
        for sheet in case.sheets:
            steps.append(_of_step(StepAnswers(case, sheet, tuple(steps))))
        steps = _with_rounded_inputs(case, steps)
        return Diagnosis(trace, _overall(steps), tuple(steps), *_differences(case, steps))


def _of_step(answers: StepAnswers) -> StepVerdict:
    """The verdict on one step, given those on the steps before it."""
    sheet = answers.sheet
    verdict, found = judged(answers)
    convention = sheet.answered.convention
    said = (Finding("convention", convention, sheet.name),) if convention else ()
    return StepVerdict(sheet, verdict, (*said, *found), alone=sheet.count <= FEW_CELLS)


def _with_rounded_inputs(case: Case, steps: list[StepVerdict]) -> list[StepVerdict]:
    """Where something is unexplained: whether inputs that round to the ones shown explain everything."""
    if not any(step.verdict == UNKNOWN for step in steps):
        return steps
    found = rounded_inputs(case)
    if found is None:
        return steps
    return [
        step if step.verdict == RIGHT else step._replace(verdict=ROUNDED_INPUTS, findings=(found,)) for step in steps
    ]


def _overall(steps: Sequence[StepVerdict]) -> str:
    """That of the first wrong step; an unknown number from which all else follows is a follow-through."""
    wrong = [step for step in steps if step.verdict in WRONG]
    if wrong:
        rest = [step.verdict for step in wrong[1:]]
        follows = wrong[0].verdict == UNKNOWN and rest and set(rest) == {FOLLOW_THROUGH}
        return FOLLOW_THROUGH if follows else wrong[0].verdict
    found = {step.verdict for step in steps}
    return next(verdict for verdict in (ROUNDED_INPUTS, ROUNDING, RIGHT) if verdict in found or verdict == RIGHT)


def _differences(
    case: Case, steps: Sequence[StepVerdict]
) -> tuple[WrongCell | None, WrongCell | None, WrongCell | None]:
    """The first wrong answer, the largest difference, and the largest in relation to the right number."""
    first = next((step.sheet for step in steps if step.verdict in WRONG), None)
    first = first or next((step.sheet for step in steps if step.verdict != RIGHT), None)
    cells = [_wrong_cell(sheet, place) for sheet in case.sheets for place in _furthest(sheet)]
    largest = max(cells, key=lambda cell: cell.difference, default=None)
    relative = max((c for c in cells if c.relative is not None), key=lambda c: c.relative or 0.0, default=None)
    return _first_in(first) if first is not None else None, largest, relative


def _first_in(sheet: Sheet) -> WrongCell | None:
    """The first answer of a sheet that is not right."""
    places = np.argwhere(sheet.given & ~sheet.right_cells)
    return _wrong_cell(sheet, tuple(int(i) for i in places[0])) if len(places) else None


def _furthest(sheet: Sheet) -> list[tuple[int, ...]]:
    """The places where a sheet is furthest off, in itself and in relation to the right number; NaN is nowhere."""
    distance = sheet.distance(sheet.step.cells)
    if distance is None:
        return []
    right = np.abs(sheet.right[sheet.given].astype(np.float64))
    distance = np.where(np.isnan(sheet.values) | np.isnan(right), 0.0, distance)
    if not distance.any():
        return []
    places = np.argwhere(sheet.given)
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.where(right > 0, distance / right, 0.0)
    chosen = {int(np.argmax(distance)), int(np.argmax(np.nan_to_num(shares)))}
    return [tuple(int(i) for i in places[number]) for number in sorted(chosen)]


def _wrong_cell(sheet: Sheet, place: tuple[int, ...]) -> WrongCell:
    right, given = sheet.right[place], float(sheet.answered.values[place])
    number = float(right)
    difference = abs(given - number) if given != number else 0.0
    relative = difference / abs(number) if number and np.isfinite(number) else None
    return WrongCell(Cell(sheet.name, place), sheet.answered.text(place), right, difference, relative)
