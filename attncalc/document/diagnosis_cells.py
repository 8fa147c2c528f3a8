"""The answers of a diagnosis beside the right numbers: as they were given, and with as many places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal

import numpy as np

from attncalc.core.expression import Cell
from attncalc.core.figures import WIDE, Literal, as_decimal, figure, scientific
from attncalc.core.names import MOST_PLACES
from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.compared_cells import FEW_CELLS, MOST_ROWS, cell_label
from attncalc.document.naming import name_in
from attncalc.document.view import View
from attncalc.explore.cells import Index, cell_name, places_said
from attncalc.messages.safe_text import visible
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS
from attncalc.practice.judging import places_of
from attncalc.practice.verdicts import ACCEPTED, FOLLOW_THROUGH, RIGHT, Diagnosis, StepVerdict, WrongCell


class Shown:
    """The numbers of one sheet as a reader sees them: what was given, and the right number beside it."""

    def __init__(self, trace: Trace, sheet: Sheet) -> None:
        self.sheet, self.rounding = sheet, trace.scenario.rounding
        self.written = sheet.answered.precision == DIGITS
        self.places = places_of(sheet.answered, trace.scenario.places)
        self.power = 2 if sheet.answered.convention == "percent" else 0

    def given(self, place: Index) -> str:
        """An answer as it was written; a binary number with the places of the right one."""
        if self.written and self._given(place).is_finite():
            return visible(self.sheet.answered.text(place))
        return figure(self._given(place), self._places(place), self.rounding)

    def right(self, place: Index) -> str:
        """The right number, with more places than the answers where it would look like a wrong one."""
        right = self.sheet.right[place]
        if isinstance(right, Literal) and not self.power:
            return right.text
        return figure(self._right(place), self._places(place), self.rounding)

    def number(self, value: Decimal, beside: Decimal) -> str:
        """Another number with places that tell it from the one beside it."""
        return figure(value, apart(value, beside, self.places, self.rounding), self.rounding)

    def _given(self, place: Index) -> Decimal:
        answered = self.sheet.answered
        return WIDE.scaleb(answered.exact[place] if self.written else as_decimal(answered.values[place]), self.power)

    def _right(self, place: Index) -> Decimal:
        return WIDE.scaleb(as_decimal(self.sheet.right[place]), self.power)

    def _places(self, place: Index) -> int:
        if self.sheet.right_cells[place]:
            return self.places
        return apart(self._right(place), self._given(place), self.places, self.rounding)


def apart(number: Decimal, other: Decimal, places: int, rounding: str) -> int:
    """The places, at least so many, with which two numbers do not look the same."""
    while places < MOST_PLACES and figure(number, places, rounding) == figure(other, places, rounding):
        places += 1
    return places


def sheet_of(found: Diagnosis, step: str) -> Sheet | None:
    """The answers to a step, None where there are none."""
    return next((verdict.sheet for verdict in found.steps if verdict.name == step), None)


def named(found: Diagnosis, cell: Cell, view: View) -> str:
    """The name of a cell; of an average over the heads without a head."""
    sheet = None if cell.given else sheet_of(found, cell.name)
    return cell_name(found.trace, cell) if sheet and averaged(sheet) else name_in(found.trace, cell, view)


def averaged(sheet: Sheet) -> bool:
    """Whether the answers are an average over the heads."""
    return sheet.answered.convention == "heads-averaged"


# --- the tables -----------------------------------------------------------------------------------


def steps_table(found: Diagnosis, view: View) -> Matrix:
    """A row for each answered step: its verdict, and how many of its numbers are right."""
    rows = tuple((Figure(view.say(f"check-word.{step.verdict}")), Figure(_count(step, view))) for step in found.steps)
    heads = view.say("column.verdict"), view.say("column.right")
    return Matrix("", view.say("column.step"), "", tuple(step.name for step in found.steps), heads, rows, False)


def _count(step: StepVerdict, view: View) -> str:
    return view.say("check-of", right=right_count(step), all=step.sheet.count)


def right_count(step: StepVerdict) -> int:
    """How many answers to a step are right; all of them where the scenario itself cuts off, and the answers do."""
    return step.sheet.count if step.verdict == RIGHT else int(step.sheet.right_cells[step.sheet.given].sum())


def cells_tables(found: Diagnosis, view: View) -> Iterator[Block]:
    """The step of the first number that is off, cell by cell; where everything is asked for, each step that is off."""
    off = _off(found)
    first = [step for step in off if found.first_wrong is not None and step.name == found.first_wrong.cell.name]
    for step in off if view.everything else first:
        if step.sheet.count > 1:
            yield from _cells(found, step, view)


def _off(found: Diagnosis) -> list[StepVerdict]:
    """The steps that have a number which is not right."""
    return [step for step in found.steps if right_count(step) < step.sheet.count]


def _cells(found: Diagnosis, step: StepVerdict, view: View) -> Iterator[Block]:
    sheet = step.sheet
    off = np.argwhere(sheet.given & ~sheet.right_cells)
    yield Heading(view.say(f"title.{sheet.step.stage.texts()}"), aside=step.name, below=True)
    places = off
    if view.everything or sheet.count <= FEW_CELLS:
        places = np.argwhere(sheet.given)
    elif len(off) > MOST_ROWS:
        places = off[:MOST_ROWS]
        yield Prose(view.aloud("check-shown", shown=len(places), count=len(off), all=sheet.count))
    else:
        yield Prose(view.say("check-off", count=len(off), all=sheet.count))
    yield _table(found, step, [tuple(map(int, place)) for place in places], view)


def _table(found: Diagnosis, step: StepVerdict, places: Sequence[Index], view: View) -> Matrix:
    shown = Shown(found.trace, step.sheet)
    of_step = step.sheet.step
    label = (lambda place: " ".join(places_said(of_step, place))) if averaged(step.sheet) else None
    rows = tuple(label(place) if label else cell_label(of_step, place, view) for place in places)
    cells = tuple(
        (Figure(view.number(shown.given(place))), Figure(view.number(shown.right(place))), _mark(step, place, view))
        for place in places
    )
    heads = view.say("column.answer"), view.say("column.should-be"), view.say("column.verdict")
    return Matrix("", view.say("column.cell"), "", rows, heads, cells, False)


def _mark(step: StepVerdict, place: Index, view: View) -> Figure:
    """Right, or what the verdict on the step makes of a number that is not."""
    if step.sheet.right_cells[place]:
        return Figure(view.say("verdict-right"))
    if step.verdict in (*ACCEPTED, FOLLOW_THROUGH):
        return Figure(view.say(f"check-word.{step.verdict}"))
    return Figure(view.say("verdict-wrong"))


# --- the largest differences ----------------------------------------------------------------------


def differences(found: Diagnosis, view: View) -> Iterator[Block]:
    """The largest difference and the largest in relation to the right number; always of arrays."""
    off = sum(step.sheet.count - right_count(step) for step in found.steps)
    arrays = any(step.sheet.answered.precision != DIGITS for step in found.steps)
    if found.largest is None or (off < 2 and not arrays):
        return
    largest, relative = found.largest, found.largest_relative
    fields = {"cell": named(found, largest.cell, view), "difference": view.number(two_digits(largest.difference))}
    if relative is None or not (arrays or _is_off(found, relative)):
        yield Prose(view.say("check-largest", **fields), view.say("lead.difference"))
        return
    fields["share"] = view.number(two_digits(relative.relative or 0.0))
    fields["other"] = named(found, relative.cell, view)
    code = "check-largest-both" if relative.cell == largest.cell else "check-largest-two"
    yield Prose(view.say(code, **fields), view.say("lead.difference"))


def _is_off(found: Diagnosis, wrong: WrongCell) -> bool:
    """Whether a number is not right within the digits it is written with."""
    sheet = sheet_of(found, wrong.cell.name)
    return sheet is not None and not sheet.right_cells[wrong.cell.place]


def two_digits(number: float) -> str:
    """A difference with two digits: 0.20, 1.4e-7."""
    value = Decimal(f"{number:.1e}")
    if not value.is_finite() or not value:
        return figure(value, 0)
    if not -4 <= value.adjusted() < 6:
        return scientific(value, 1, "half-up")
    return figure(value, max(0, 1 - value.adjusted()))
