"""Mistakes with a number in them, which is estimated from the answers: a divisor, a stand-in for −∞, a dropout rate."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncalc.core.arithmetic import Array
from attncalc.core.bounded import Values
from attncalc.explore.cells import names_on
from attncalc.pipelines.rows_weights import softmax
from attncalc.practice.agreement import Sheet
from attncalc.practice.case import Case
from attncalc.practice.mistakes_scores import instead_of_hidden
from attncalc.practice.plan import Plan, computing
from attncalc.practice.verdicts import Finding

STAND_INS = ("-1", "-5", "-8", "-9", "-10", "-50", "-100", "-1000", "-10000", "-1000000000")
LEAST_GAP = 1e-9
LEAST_CELLS = 3
LEAST_RATIOS = 2
"""A number found from fewer would fit anything."""


Fields = Iterator[dict[str, str]]


def estimated(case: Case, sheet: Sheet) -> list[Finding]:
    """The first mistake whose number, estimated from the answers of a sheet, explains them all."""
    for row in ESTIMATORS:
        found = [Finding("mistake", row.name, sheet.name, fields) for fields in row.estimate(case, sheet)]
        if found:
            return found
    return []


def _other_divisor(case: Case, sheet: Sheet) -> Fields:
    """Weights that fit scores divided by one number, whatever it is: from the ratios of two weights of a row."""
    scenario, logits = case.trace.scenario, _logits(case)
    named = scenario.option("scale") in ("sqrt_d_k", "sqrt_d_model", "d_k") and scenario.width
    if sheet.name != "weights" or sheet.answered.convention or logits is None or not named:
        return
    right = float(scenario.width or 1) ** (1.0 if scenario.option("scale") == "d_k" else 0.5)
    low, high, ratios = _factors(sheet, logits)
    if ratios < LEAST_RATIOS or not 0 < low <= high < np.inf:
        return
    divisor = simplest(right / high, right / low)
    plan = _scaled_by(case, right / divisor)
    if plan is not None and case.explains(plan, sheet, case.own(sheet)):
        yield {"divisor": f"{divisor:.12g}", "right": f"{right:.4g}"}


def simplest(low: float, high: float) -> float:
    """The number between the two with the fewest decimals."""
    middle = (low + high) / 2
    return next((n for n in (round(middle, places) for places in range(12)) if low <= n <= high and n), middle)


def _logits(case: Case) -> Values | None:
    """The scores as the softmax takes them."""
    if not softmax(case.trace.scenario) or case.trace.scenario.has("sink"):
        return None
    steps = case.simulation.run(case.plan) or {}
    return steps.get(case.trace["exponentials"].sources[0].name)


def _factors(sheet: Sheet, logits: Values) -> tuple[float, float, int]:
    """Between which numbers the scores were multiplied by one, and from how many ratios of weights that is known.

    The largest weight of each row is set beside the others.
    """
    low, high, count = -np.inf, np.inf, 0
    within, values = sheet.margins, np.nan_to_num(sheet.answered.values)
    for row in np.ndindex(logits.shape[:-1]):
        usable = sheet.given[row] & np.isfinite(logits[row]) & (values[row] > 2 * within[row])
        if usable.sum() < 2:
            continue
        weights, off, scores = values[row][usable], within[row][usable], logits[row][usable]
        top = int(np.argmax(weights))
        gaps = scores[top] - scores
        apart = np.abs(gaps) > LEAST_GAP
        ends = [
            np.log((weights[top] + sign * off[top]) / (weights - sign * off))[apart] / gaps[apart] for sign in (-1, 1)
        ]
        count += int(apart.sum())
        low = max(low, float(np.minimum(*ends).max(initial=low)))
        high = min(high, float(np.maximum(*ends).min(initial=high)))
        if low > high:
            break
    return low, high, count


def _scaled_by(case: Case, factor: float) -> Plan | None:
    row = case.plan.row("exponentials")
    if row is None:
        return None

    def compute(arithmetic: object, scenario: object, logits: Array) -> Array:
        hidden = np.isneginf(logits)
        return np.where(hidden, 0.0, np.exp(np.where(hidden, 0.0, logits) * factor))

    return computing(case.plan, "exponentials", compute)


def _stand_in(case: Case, sheet: Sheet) -> Fields:
    """Hidden scores that got a number: one that is often taken, or the one that the weights of hidden keys give."""
    if not case.plan.has("masked") or not softmax(case.trace.scenario):
        return
    numbers = [Decimal(number) for number in STAND_INS]
    solved = _solved_stand_in(case, sheet)
    numbers += [solved] if solved is not None else []
    for number in numbers:
        plan = instead_of_hidden(case.plan, number)
        if plan is not None and case.explains(plan, sheet, case.own(sheet)):
            yield {"value": str(number)}
            return


def _solved_stand_in(case: Case, sheet: Sheet) -> Decimal | None:
    logits = _logits(case)
    if sheet.name != "weights" or sheet.answered.convention or logits is None:
        return None
    values = sheet.answered.values
    for place in np.argwhere(sheet.given & np.isneginf(logits) & (np.nan_to_num(values) > 0)):
        row, key = tuple(place[:-1]), place[-1]
        seen = np.flatnonzero(sheet.given[row] & np.isfinite(logits[row]) & (np.nan_to_num(values[row]) > 0))
        if len(seen):
            best = seen[int(np.argmax(values[row][seen]))]
            number = logits[row][best] + np.log(values[row][key] / values[row][best])
            return Decimal(f"{number:.3g}")
    return None


def _dropout(case: Case, sheet: Sheet) -> Fields:
    """Weights that are 0 or one common multiple of the right ones."""
    if sheet.name != "weights" or sheet.count < 2 * LEAST_CELLS:
        return
    right = np.asarray(sheet.right[sheet.given], dtype=np.float64)
    kept = (np.abs(sheet.values) > sheet.within) & (right > 4 * sheet.within)
    dropped = (sheet.values == 0) & (right > 4 * sheet.within)
    if kept.sum() < LEAST_CELLS or not dropped.any():
        return
    biggest = np.flatnonzero(kept)[int(np.argmax(right[kept]))]
    factor = float(sheet.values[biggest] / right[biggest])
    fits = np.abs(sheet.values - right * factor) <= sheet.within * (1 + factor)
    if factor > 1 and bool((fits | (sheet.values == 0)).all()):
        yield {"rate": f"{1 - 1 / factor:.2g}"}


def _another_token(case: Case, sheet: Sheet) -> Fields:
    """A row that belongs to another token, the other rows right."""
    axis = sheet.step.stage.layout[2]
    wrong = sheet.given & ~sheet.right_cells
    rows = np.argwhere(wrong.reshape(*wrong.shape[:3], -1).any(axis=-1))
    if len(rows) != 1 or sheet.answered.convention:
        return
    row = tuple(int(i) for i in rows[0])
    if sheet.given[row].sum() < 2:
        return
    for other in range(sheet.right.shape[2]):
        candidate = (*row[:2], other)
        if other != row[2] and _row_agrees(sheet, row, candidate):
            labels = names_on(sheet.step, axis)
            yield {"row": labels[row[2]], "other": labels[other]}
            return


def _row_agrees(sheet: Sheet, row: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether the answers of a row may be written for the right numbers of another."""
    moved = sheet.right.astype(np.float64)
    moved[row] = moved[other]
    distance = sheet.distance(moved)
    mine = np.zeros(sheet.given.shape, dtype=bool)
    mine[row] = True
    return distance is not None and bool((distance <= sheet.within)[mine[sheet.given]].all())


class Estimator(NamedTuple):
    """A mistake with numbers in it, and what estimates them: the fields of its text, where they explain the answers."""

    name: str
    estimate: Callable[[Case, Sheet], Fields]


ESTIMATORS: tuple[Estimator, ...] = (
    Estimator("mask-stand-in", _stand_in),
    Estimator("dropout", _dropout),
    Estimator("another-token", _another_token),
    Estimator("other-divisor", _other_divisor),
)
"""In the order in which they are tried."""
