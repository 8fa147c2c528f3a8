"""An exercise on paper: a random scenario with blanks, the right answers, and what each mistake gives in their place.

The steps before the first blank are shown filled in. Those between blanks are the learner's to do as well, on the way:
shown, they would give the blanks away. After the last blank nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.certain import OWN
from attncalc.core.figures import as_decimal, round_to
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Step, Trace
from attncalc.errors import CalculationError, Fault, UsageError, nearest, shortened
from attncalc.practice.catalogue import plans
from attncalc.practice.discriminating import Coincidence, Drawn, drawn
from attncalc.practice.generator import random_document
from attncalc.practice.mistake import Mistake
from attncalc.practice.plan import plan_of
from attncalc.practice.recipes import LEVELS
from attncalc.practice.simulation import Simulation, exactly
from attncalc.practice.step_words import step_meant
from attncalc.running import run
from attncalc.scenario_files.load import load

BLANKS: tuple[tuple[str, ...], ...] = (
    ("exponentials", "total", "weights", "context"),
    ("scores", "weights", "context"),
    ("scores", "weights", "context"),
    ("q", "k", "v", "weights", "output"),
    ("q", "k", "v", "weights", "residual"),
)
"""By level, the steps that are left blank unless others are named: from the first that is calculated to the last."""

MORE = 2
"""So many decimals more are kept on the way than the answers have."""

LARGEST = 10**6
"""What a mistake gives beyond this is a division by a sum that is 0 in truth: nobody writes it down."""

NAME = "worksheet"


class Order(NamedTuple):
    """What is asked for: how much is calculated, the seed, the steps left blank in their order, decimals of answers."""

    level: int
    seed: int
    blank: tuple[str, ...]
    places: int


class Mistaken(NamedTuple):
    """What a mistake gives in place of the right answers: by blank step, all its numbers as texts."""

    row: Mistake
    answers: Mapping[str, Values]


class Exercise:
    """A scenario made for an order: calculated exactly, exactly with more decimals, and with each step rounded."""

    def __init__(self, order: Order, made: Drawn) -> None:
        self.order, self.document = order, made.document
        self.trace = _trace(made.document)
        self.closer = _trace({**made.document, "places": order.places + MORE})
        self._found = made.coincidences

    @cached_property
    def rounded(self) -> Trace | None:
        """The calculation with each step's result rounded, as by hand; None where that leads nowhere."""
        by_hand = {"default": self.order.places, **{step.name: self.order.places + MORE for step in self.filled}}
        try:
            return _trace({**self.document, "by_hand": by_hand})
        except CalculationError:  # a total that rounds to 0
            return None

    @property
    def scenario(self) -> Scenario:
        """The scenario with the decimals that are asked for."""
        return self.trace.scenario

    @property
    def query(self) -> int:
        """The query whose row is worked through."""
        return self.scenario.queries[0]

    @property
    def filled(self) -> tuple[Step, ...]:
        """The calculated steps that are shown with their numbers."""
        first = self._place(self.order.blank[0])
        return tuple(step for step in self.trace.steps[:first] if not step.stage.given)

    @property
    def to_do(self) -> tuple[Step, ...]:
        """The steps from the first blank one to the last, those on the way among them."""
        first, last = self._place(self.order.blank[0]), self._place(self.order.blank[-1])
        return tuple(step for step in self.trace.steps[first : last + 1] if not step.stage.given)

    @cached_property
    def answers(self) -> dict[str, Values]:
        """The right answers: by blank step, all its numbers as texts."""
        return self.texts(self.trace)

    @cached_property
    def mistaken(self) -> tuple[Mistaken, ...]:
        """What each mistake gives that can be made here and shows in an answer, the commonest first."""
        with localcontext(OWN):
            found = [Mistaken(row, answers) for row, answers in self._mistakes()]
        return tuple(sorted(found, key=lambda mistaken: mistaken.row.rank))

    @property
    def coincidences(self) -> tuple[Coincidence, ...]:
        """Pairs of these mistakes (or one and the right calculation) that the numbers do not tell apart."""
        named = {"", *(mistaken.row.name for mistaken in self.mistaken)}
        return tuple(pair for pair in self._found if {pair.first, pair.second} <= named)

    def texts(self, steps: Trace) -> dict[str, Values]:
        """The numbers of the blank steps of a calculation, with the decimals that are asked for."""
        return {name: self._texts(steps[name].cells) for name in self.order.blank}

    def _texts(self, cells: Values, more: int = 0) -> Values:
        text = np.frompyfunc(lambda value: written(value, self.order.places + more, self.scenario.rounding), 1, 1)
        return np.asarray(text(cells), dtype=object)

    def _place(self, name: str) -> int:
        return [step.name for step in self.trace].index(name)

    def _mistakes(self) -> Iterator[tuple[Mistake, dict[str, Values]]]:
        for row, plan in plans(plan_of(self.scenario)):
            try:
                cells = {step.name: step.cells for step in exactly(plan)}
            except (CalculationError, ValueError):
                continue
            if self._fits(cells) and self._shows_the_filled(cells):
                answers = {name: self._texts(cells[name]) for name in self.order.blank}
                if any((answers[name] != self.answers[name]).any() for name in answers):
                    yield row, answers

    def _fits(self, cells: Mapping[str, Values]) -> bool:
        """Whether the answers are numbers of a hand where the right ones are."""
        right = ((cells[name], self.trace[name].cells) for name in self.order.blank)
        return all(bool((_by_hand(found) | ~_by_hand(wanted)).all()) for found, wanted in right)

    def _shows_the_filled(self, cells: Mapping[str, Values]) -> bool:
        """Whether the steps that are shown with their numbers have these numbers after the mistake too."""
        return all(
            np.array_equal(self._texts(cells[step.name], MORE), self._texts(step.cells, MORE)) for step in self.filled
        )


def blanks(level: int, words: Sequence[str]) -> tuple[str, ...]:
    """The steps that words name, in the order of the calculation; those of the level where there are no words.

    Raises a UsageError for every word that is no step of the level, or one whose numbers are given.
    """
    rows = plan_of(load(random_document(LEVELS[level - 1], 0))).rows
    given = {row.name for row in rows if row.given}
    known = [row.name for row in rows if not row.given]
    words = [step_meant(rows, word) for word in words]
    faults = [_no_blank(word, word in given, known) for word in dict.fromkeys(words) if word not in known]
    if faults:
        raise UsageError(faults)
    return tuple(name for name in known if name in (words or BLANKS[level - 1]))


def _no_blank(word: str, given: bool, known: Sequence[str]) -> Fault:
    near = "" if given else nearest(word, known)
    fields = {"found": shortened(word), "known": ", ".join(known), "near": near}
    return Fault("--blank", "worksheet-given" if given else "unknown-step", fields)


def exercise(order: Order) -> Exercise:
    """The exercise of an order: its numbers are drawn again until they tell the mistakes apart in the blank steps."""
    recipe = LEVELS[order.level - 1]._replace(places=order.places)
    return Exercise(order, drawn(recipe, order.seed, order.blank, among=_possible(order)))


def _possible(order: Order) -> list[str]:
    """The mistakes that leave the steps that are shown with their numbers as they are."""
    right = plan_of(load(random_document(LEVELS[order.level - 1], order.seed)))
    names = [row.name for row in right.rows if not row.given]
    filled, simulation = names[: names.index(order.blank[0])], Simulation(right)
    wanted = simulation.run(right) or {}
    runs = ((row.name, simulation.run(plan) or {}) for row, plan in plans(right))
    return [name for name, steps in runs if all(_same(steps.get(step), wanted[step]) for step in filled)]


def _same(found: Values | None, wanted: Values) -> bool:
    return found is not None and found.shape == wanted.shape and np.allclose(found, wanted, equal_nan=True)


def copies(order: Order, count: int) -> Iterator[Order]:
    """The orders of so many copies, each of which may be asked for by itself: seed, seed + 1, …"""
    return (order._replace(seed=order.seed + copy) for copy in range(count))


def written(value: Any, places: int, rounding: str) -> str:
    """A number with so many decimals, as a learner writes it: 0.00 where the digits that count come later."""
    number = as_decimal(value)
    if not number.is_finite():
        return "NaN" if number.is_nan() else "-inf" if number < 0 else "inf"
    return format(round_to(number, places, rounding), "f")


def short(value: Decimal, text: str) -> str:
    """The text of a number without zeros at its end, where it says the number exactly."""
    exact = "." in text and "e" not in text and Decimal(text) == value
    return text.rstrip("0").rstrip(".") if exact else text


def _by_hand(cells: Values) -> Values:
    """Which numbers somebody may write down; what is divided by a sum that is 0 in truth is not among them."""
    return np.asarray(np.frompyfunc(lambda value: abs(value) < LARGEST, 1, 1)(cells), dtype=bool)


def _trace(document: Mapping[str, Any]) -> Trace:
    return run(replace(load(document), name=NAME))
