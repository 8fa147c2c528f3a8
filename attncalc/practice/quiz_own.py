"""The numbers that follow from a learner's own wrong ones, exactly: each calculated again from what it is made from."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Context, Decimal, localcontext
from functools import cached_property
from typing import Any

import numpy as np

from attncalc.core.expression import Expression, Number, with_numbers
from attncalc.core.figures import as_decimal
from attncalc.core.stage import Step, Trace
from attncalc.derive import derivation, recomputed
from attncalc.explore.cells import Index
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import Answered
from attncalc.practice.conventions import in_our_convention
from attncalc.practice.quiz_answers import answered
from attncalc.practice.quiz_state import WRONG_ANSWERS, State
from attncalc.practice.verdicts import FOLLOW_THROUGH

CONTEXT = Context(prec=60, traps=[])

Place = tuple[str, Index]


class OwnNumbers:
    """A calculation in which a learner's numbers stand in for those of the steps."""

    def __init__(self, trace: Trace, own: Mapping[Place, Decimal], texts: Mapping[Place, str]) -> None:
        self.trace, self.own, self.texts = trace, own, texts
        self._values: dict[Place, Decimal] = {}

    @cached_property
    def touched(self) -> frozenset[str]:
        """The steps that have numbers of the learner's, or are made from them."""
        names = {name for name, _ in self.own}
        for step in self.trace:
            names |= {step.name} if any(not s.given and s.name in names for s in step.sources) else set()
        return frozenset(names)

    def value(self, name: str, place: Index) -> Decimal:
        """The number of a cell as it follows."""
        step = self.trace[name]
        if (name, place) in self.own:
            return self.own[name, place]
        if name not in self.touched or step.stage.given:
            return as_decimal(step.cells[place])
        if (name, place) not in self._values:
            with localcontext(CONTEXT):
                self._values[name, place] = as_decimal(recomputed(self.tree(step, place)))
        return self._values[name, place]

    def tree(self, step: Step, place: Index) -> Expression:
        """The derivation of a cell with the learner's numbers in it."""
        return with_numbers(derivation(self.trace, step, place), self._own)

    def _own(self, number: Number) -> Any:
        if number.cell is None or number.cell.given:
            return number.value
        return self.value(number.cell.name, number.cell.place)


def own_numbers(state: State) -> OwnNumbers:
    """The calculation as it follows from the wrong answers that the learner went on from."""
    own: dict[Place, Decimal] = {}
    texts: dict[Place, str] = {}
    for question, done in zip(state.quiz.questions, state.done, strict=False):
        if done.outcome in (*WRONG_ANSWERS, FOLLOW_THROUGH):
            given = in_our_convention(state.quiz.trace, [answered(state.quiz, question, done.answers[-1])])[0]
            own |= {(question.step, place): given.exact[place] for place in _places(given)}
            texts |= {(question.step, place): str(given.texts[place]) for place in _places(given)}
    return OwnNumbers(state.quiz.trace, own, texts)


def wrong_cells(own: OwnNumbers, sheet: Sheet) -> list[Index]:
    """The places in which answers are neither right nor right for the learner's own numbers."""
    wrong = [tuple(place) for place in np.argwhere(sheet.given & ~sheet.right_cells).tolist()]
    return [place for place in wrong if not own.own or not _follows(own, sheet, place)]


def _follows(own: OwnNumbers, sheet: Sheet, place: Index) -> bool:
    value, given = own.value(sheet.name, place), sheet.answered.exact[place]
    if not (value.is_finite() and given.is_finite()):
        return bool(value == given)
    return bool((value - given).copy_abs() <= sheet.margins[place])


def last_wrong(state: State) -> list[Index]:
    """The places in which the last line typed for the question at hand is wrong; none where none was typed."""
    if state.question is None or not state.answers:
        return []
    given = in_our_convention(state.quiz.trace, [answered(state.quiz, state.question, state.answers[-1])])[0]
    return wrong_cells(own_numbers(state), Sheet.of(state.quiz.trace, given))


def _places(given: Answered) -> list[Index]:
    return [tuple(place) for place in np.argwhere(given.given).tolist()]
