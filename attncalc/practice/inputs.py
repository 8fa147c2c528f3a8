"""Right answers for other inputs: those that round to the ones shown, or one of them read wrongly."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.expression import Cell
from attncalc.core.figures import Literal
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS
from attncalc.practice.case import Case
from attncalc.practice.plan import given_numbers, with_arrays
from attncalc.practice.verdicts import Finding

MOST_INPUTS = 600
LEAST_ANSWERS = 4
LEAST_SHARE = 3
"""Fewer answers than a third of the inputs say nothing: some inputs always fit."""
ROUNDS = 6
MOST_STRIDES = 3000
INSIDE = 0.999  # of half a unit, so that what is found does round to what is shown


class _Inputs:
    """The given numbers of a scenario as one vector."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.arrays = given_numbers(case.trace.scenario)
        self.shapes = {name: values.shape for name, values in self.arrays.items()}
        self.numbers: Values = np.concatenate(
            [a.astype(np.float64).ravel() for a in self.arrays.values()] or [np.zeros(0)]
        )
        self.halves: Values = np.array([_half_unit(x) for a in self.arrays.values() for x in a.flat], dtype=np.float64)

    def with_numbers(self, numbers: Values) -> Mapping[str, Values]:
        """The arrays with other numbers."""
        result, start = {}, 0
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            result[name] = numbers[start : start + size].reshape(shape)
            start += size
        return result

    def place(self, number: int) -> tuple[str, tuple[int, ...]]:
        """The array and the place of the vector's number."""
        for name, shape in self.shapes.items():
            size = int(np.prod(shape))
            if number < size:
                return name, tuple(int(i) for i in np.unravel_index(number, shape))
            number -= size
        raise IndexError(number)


def _half_unit(value: Any) -> float:
    """Half a unit of the last digit that a number is written with; 0 for a whole number, which is not rounded."""
    exponent = value.as_tuple().exponent if isinstance(value, Literal) else 0
    return 0.5 * 10.0**exponent if isinstance(exponent, int) and exponent < 0 else 0.0


def rounded_inputs(case: Case) -> Finding | None:
    """Inputs that round to the ones shown and give all the answers; they are searched for, and tried.

    Newton steps of least size from the inputs as shown, kept within half a unit of the last digit of each.
    """
    inputs = _Inputs(case)
    free = np.flatnonzero(inputs.halves)
    if not case.by_hand or not 0 < len(free) <= MOST_INPUTS:
        return None
    sheets = [sheet for sheet in case.sheets if not sheet.step.stage.given]
    answers = sum(sheet.count for sheet in sheets)
    if answers < LEAST_ANSWERS or answers * LEAST_SHARE < len(free):
        return None
    moves = np.zeros(len(free))
    for _ in range(ROUNDS):
        found = _answers(case, inputs, sheets, free, moves)
        if found is None:
            return None
        if all(sheet.agrees(cells) for sheet, cells in zip(sheets, found, strict=True)):
            return Finding("rounded", "inputs", sheets[0].name)
        slopes = _slopes(case, inputs, sheets, free, moves, found)
        if slopes is None:
            return None
        wanted = np.concatenate([s.values - _picked(s, c) for s, c in zip(sheets, found, strict=True)])
        moves = _least_moves(slopes, wanted + slopes @ moves)
    return None


def _least_moves(slopes: Values, wanted: Values) -> Values:
    """Moves within half a unit that come as near as they can to what is wanted: gradient steps, each brought back.

    Nesterov's method for least squares in a box, from the moves of least size.
    """
    start, *_ = np.linalg.lstsq(slopes, wanted, rcond=1e-9)
    moves = np.clip(start, -INSIDE, INSIDE)
    stride = 1 / max(float(np.linalg.norm(slopes, 2)) ** 2, 1e-300)
    ahead, momentum = moves, 1.0
    for _ in range(MOST_STRIDES):
        before = moves
        moves = np.clip(ahead - stride * (slopes.T @ (slopes @ ahead - wanted)), -INSIDE, INSIDE)
        further = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = moves + (momentum - 1) / further * (moves - before)
        momentum = further
    return np.asarray(moves)


def _answers(case: Case, inputs: _Inputs, sheets: list[Sheet], free: Values, moves: Values) -> list[Values] | None:
    """The cells of the answered steps with inputs moved by shares of half a unit; None where one is not finite."""
    numbers = inputs.numbers.copy()
    numbers[free] += inputs.halves[free] * moves
    plan = with_arrays(case.plan, inputs.with_numbers(numbers))
    steps = case.simulation.run(plan) or {}
    cells = [steps.get(sheet.name) for sheet in sheets]
    kept = [cell for cell in cells if cell is not None]
    finite = all(np.isfinite(_picked(sheet, cell)).all() for sheet, cell in zip(sheets, kept, strict=False))
    return kept if len(kept) == len(sheets) and finite else None


def _picked(sheet: Sheet, cells: Values) -> Values:
    found = sheet.picked(cells)
    return np.full(sheet.count, np.nan) if found is None else found.astype(np.float64)


def _slopes(
    case: Case, inputs: _Inputs, sheets: list[Sheet], free: Values, moves: Values, found: list[Values]
) -> Values | None:  # fmt: skip
    """How far each answer goes when an input goes by half a unit."""
    here = np.concatenate([_picked(s, c) for s, c in zip(sheets, found, strict=True)])
    columns = []
    for number in range(len(free)):
        moved = moves.copy()
        moved[number] += 0.1
        there = _answers(case, inputs, sheets, free, moved)
        if there is None:
            return None
        columns.append((np.concatenate([_picked(s, c) for s, c in zip(sheets, there, strict=True)]) - here) / 0.1)
    return np.stack(columns, axis=-1)


# --- one number inside the calculation -------------------------------------------------------------

LINEAR_AFTER = ("weights", "v", "context", "joined", "output")
MOST_TRIED = 400


def slip_inside(case: Case, sheet: Sheet) -> list[Finding]:
    """One number of an earlier step, or one given number, that would explain all the answers to a later step."""
    if not case.by_hand or sheet.count < 3 or sheet.answered.precision != DIGITS:
        return []
    return [*_in_a_step(case, sheet)] or [*_in_the_inputs(case, sheet)]


def _in_a_step(case: Case, sheet: Sheet) -> Iterator[Finding]:
    """A cell of a step from which everything is linear: its error follows from the answers, and is tried."""
    steps = case.simulation.run(case.plan) or {}
    base = _picked(sheet, steps[sheet.name])
    if not np.isfinite(base).all():
        return
    names = list(steps)
    for name in LINEAR_AFTER:
        if name not in steps or names.index(name) >= names.index(sheet.name) or steps[name].size > MOST_TRIED:
            continue
        for place in np.ndindex(steps[name].shape):
            error = _error_of(case, sheet, name, steps[name], place, base)
            if error is not None:
                right = Decimal(repr(float(steps[name][place])))
                yield Finding("slip-inside", "step", name, {
                    "cell": Cell(name, tuple(map(int, place))), "given": Decimal(repr(error)), "right": right,
                })  # fmt: skip
                return


def _error_of(
    case: Case, sheet: Sheet, name: str, cells: Values, place: tuple[int, ...], base: Values
) -> float | None:  # fmt: skip
    """The number that a cell must have had; None where no number explains the answers."""
    if not np.isfinite(cells[place]):
        return None

    def answers(number: float) -> Values | None:
        own = np.full(cells.shape, np.nan)
        own[place] = number
        return case.cells(case.plan, sheet, {name: own})

    moved = answers(float(cells[place]) + 1.0)
    direction = _picked(sheet, moved) - base if moved is not None else np.zeros_like(base)
    size = float(direction @ direction)
    if not size > 1e-12 or int((np.abs(direction) > 1e-9).sum()) < 2:
        return None
    number = float(cells[place]) + float(direction @ (sheet.values - base)) / size
    found = answers(number)
    return number if found is not None and sheet.agrees(found) else None


def _in_the_inputs(case: Case, sheet: Sheet) -> Iterator[Finding]:
    """A given number read with the other sign, as 0, or one more or less."""
    inputs = _Inputs(case)
    for number in range(min(len(inputs.numbers), MOST_TRIED)):
        value = float(inputs.numbers[number])
        if not np.isfinite(value):
            continue
        for read in dict.fromkeys((-value, 0.0, value + 1, value - 1)):
            numbers = inputs.numbers.copy()
            numbers[number] = read
            plan = with_arrays(case.plan, inputs.with_numbers(numbers))
            if read != value and case.explains(plan, sheet, {}):
                name, place = inputs.place(number)
                given = name in case.trace and case.trace[name].stage.given
                yield Finding("slip-inside", "input", sheet.name, {
                    "cell": Cell(name, place, not given), "given": Decimal(f"{read:g}"),
                    "right": inputs.arrays[name][place],
                })  # fmt: skip
                return
