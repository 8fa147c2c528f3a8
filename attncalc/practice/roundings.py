"""Right methods whose numbers are not the right ones: rounded on the way, cut off, a root taken too short.

Each function looks at the answers to one step and returns what explains them, or None.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial

import numpy as np

from attncalc.calculations import decimal
from attncalc.core.arithmetic import Array
from attncalc.core.bounded import Values
from attncalc.core.expression import Cell
from attncalc.core.figures import Literal, round_to
from attncalc.errors import CalculationError
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS
from attncalc.practice.case import Case
from attncalc.practice.plan import Plan, computing
from attncalc.practice.simulation import Finish, rounding
from attncalc.practice.verdicts import Finding

HOWS = {"half-up": "on-the-way", "half-even": "half-even", "truncate": "cut"}
MOST_UNITS = 5
COARSEST = 0.0100001
"""The largest unit of which several may be lost to rounding; of a tenth one may, of a whole none."""

LOOSE = ("total", "weights")
LOOSER = ("terms", "context", "joined", "output", "residual", "post_normed", "post_gained")
"""Steps in which roundings of the steps before add up, of one step and of several."""

EXACT_SHARE = 1e-6
"""Of a unit: what is nearer to a number of that many digits is that number."""

WRITTEN = 0.5
"""A quarter of a unit: numbers that were rounded as they are written agree in every digit."""

TIES = 10.0
"""Half units by which a tie that falls to the other side may move what is calculated from it."""

SHARE = 0.2
"""Rounding moves the answers of a step by less than this share of them."""


def rounded(case: Case, sheet: Sheet) -> Finding | None:
    """The first rounding by hand that gives exactly the answers of a sheet."""
    if not case.by_hand or not sheet.values.any():  # whatever is small is 0 where digits are few
        return None
    return _by_hand(case, sheet) or cut_at_end(sheet) or _coarse_root(case, sheet) or _last_weight(sheet)


def places_written(sheet: Sheet) -> int:
    """The most decimals of a sheet's answers."""
    smallest = float(sheet.units.min(initial=1.0))
    return max(0, round(-math.log10(max(smallest, 1e-12)))) if smallest < 1 else 0


def places_tried(sheet: Sheet) -> tuple[int, ...]:
    """The places to which somebody may have rounded each step: those written, and one or two more."""
    written = places_written(sheet)
    return (written, written + 1, written + 2)


def _finding(how: str, sheet: Sheet, places: int) -> Finding:
    return Finding("rounded", HOWS[how], sheet.name, {"places": places})


def _by_hand(case: Case, sheet: Sheet) -> Finding | None:
    """Each step rounded from the start, in the decimals of by-hand arithmetic; the scenario's own way first.

    The answers to earlier steps must be those of the same rounding.
    """
    own = case.trace.scenario.option("by_hand")
    ways = [(own, case.trace.scenario.rounding)] if own is not None else []
    ways += [(Literal(str(places)), how) for places in places_tried(sheet) for how in HOWS]
    so_far = case.sheets[: case.sheets.index(sheet) + 1]
    for places, how in ways:
        if places is not own and not _worth_trying(case, sheet, int(places), how):
            continue
        steps = _hand_steps(case, sheet, places, how)
        if steps and all(
            each.agrees(_written_again(steps[each.name], places_written(each), how), WRITTEN) for each in so_far
        ):
            shown = case.trace.scenario.hand_places(sheet.name) if places is own else int(places)
            return _finding(how, sheet, shown)
    return None


def _worth_trying(case: Case, sheet: Sheet, places: int, how: str) -> bool:
    """Whether floats, which may take a tie to the wrong side, come near: decimals take ten times as long."""
    cells = case.cells(case.plan, sheet, None, rounding(places, how))
    return cells is not None and sheet.agrees(cells, slack=TIES)


def _hand_steps(case: Case, sheet: Sheet, places: object, how: str) -> dict[str, Values]:
    """The cells of the steps up to the sheet's, each rounded; nothing where that cannot be calculated."""
    document = {**case.trace.scenario.document, "by_hand": places, "rounding": how}
    names = [row.name for row in case.plan.rows]
    rows = case.plan.rows[: names.index(sheet.name) + 1]
    try:
        steps, _ = decimal(replace(case.trace.scenario, document=document), lambda step: True, changed=rows)
    except CalculationError:  # a total that rounds to 0
        return {}
    return {step.name: step.cells for step in steps}


def _written_again(cells: Values, places: int, how: str) -> Values:
    """Numbers that were rounded to more places, written with so many."""
    return np.asarray(np.frompyfunc(lambda value: round_to(value, places, how), 1, 1)(cells), dtype=object)


def rounded_from_own(case: Case, sheet: Sheet) -> Finding | None:
    """Each step rounded, from the learner's own earlier numbers on."""
    if not case.by_hand:
        return None
    own = case.own(sheet)
    for how in HOWS if own else ():
        for places in places_tried(sheet):
            cells = case.cells(case.plan, sheet, own, rounding(places, how))
            if cells is not None and sheet.agrees(cells):
                return _finding(how, sheet, places)
    return None


def cut_at_end(sheet: Sheet) -> Finding | None:
    """The right numbers cut off where they should be rounded."""
    return Finding("rounded", "cut-at-end", sheet.name) if bool(sheet.cut.all()) else None


def roots(case: Case) -> Iterator[tuple[str, Decimal, Plan]]:
    """√d_k taken with one or two decimals: its text, what it was taken as, the plan with it."""
    scenario = case.trace.scenario
    if scenario.option("scale") not in ("sqrt_d_k", "sqrt_d_model") or scenario.width is None:
        return
    exact = Decimal(scenario.width).sqrt()
    for places in (2, 1):
        coarse = round(exact, places)
        if coarse == exact:
            continue
        for short in dict.fromkeys((coarse, Decimal(math.floor(exact * 10**places)) / 10**places)):
            plan = computing(case.plan, "scaled", partial(_divided_by, short * scenario.number("temperature")))
            if plan is not None and short:
                yield f"√{scenario.width}", short, plan


def _divided_by(number: Decimal, arithmetic: object, scenario: object, logits: Array) -> Array:
    return logits / float(number)


def _coarse_root(case: Case, sheet: Sheet) -> Finding | None:
    own = case.own(sheet)
    ways: list[Finish | None] = [None, *(rounding(places, "half-up") for places in places_tried(sheet))]
    if own and any(case.explains(case.plan, sheet, own, finish) for finish in ways):
        return None  # they follow from the learner's own numbers, whatever the root was
    for root, value, plan in roots(case):
        if any(case.explains(plan, sheet, own, finish) for finish in ways):
            return Finding("rounded", "coarse-root", sheet.name, {"root": root, "value": str(value)})
    return None


def _last_weight(sheet: Sheet) -> Finding | None:
    """One weight of a row changed so that the weights as written add to 1."""
    if sheet.name != "weights" or sheet.answered.convention:
        return None
    wrong = sheet.given & ~sheet.right_cells
    rows = np.argwhere(wrong.any(axis=-1))
    for row in rows:
        place = tuple(int(i) for i in row)
        exact = [number for number in sheet.answered.exact[place] if number is not None]
        if wrong[place].sum() > 1 or sum(exact, Decimal(0)) != 1:
            return None
    cells = [Cell("weights", tuple(int(i) for i in index)) for index in np.argwhere(wrong)]
    return Finding("rounded", "last-weight", sheet.name, {"cell": cells[0]}) if cells and _near(sheet, 2.1) else None


def few_units(sheet: Sheet, most: float = MOST_UNITS) -> Finding | None:
    """Differences of a few units of the last digit, as rounding on the way leaves them in sums of many roundings."""
    loose = min(most, 1.0) if sheet.name in LOOSE else most if sheet.name in LOOSER else 0
    if sheet.answered.precision != DIGITS or not loose or not _near(sheet, loose):
        return None
    distance = sheet.distance(sheet.step.cells)
    if distance is None:
        return None
    units = math.ceil(float(((distance - sheet.within) / sheet.units).max(initial=0.0)) - 1e-6)
    return Finding("rounded", "few-units", sheet.name, {"units": max(units, 1)})


def _near(sheet: Sheet, most: float) -> bool:
    """Whether no answer is further off than so many units, and all together they are small beside the answers.

    A right number that the digits at hand say exactly, as sums of whole numbers are, leaves nothing to rounding.
    """
    distance = sheet.distance(sheet.step.cells)
    right = sheet.picked(sheet.step.cells)
    if distance is None or right is None or not np.isfinite(distance).all():
        return False
    units = np.where(sheet.units <= COARSEST, most, np.where(sheet.units < 0.5, min(most, 1.0), 0.0))
    shares = right.astype(np.float64) / sheet.units
    whole = np.abs(shares - np.round(shares)) < EXACT_SHARE
    allowed = np.where(whole, 0.0, units) * sheet.units + sheet.within
    small = np.linalg.norm(distance) <= SHARE * np.linalg.norm(sheet.values[np.isfinite(sheet.values)])
    return bool((distance <= allowed).all() and small)
