"""What may explain the answers to one step, tried in order: the first that gives these numbers is the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS, NOISE
from attncalc.practice.case import Case
from attncalc.practice.estimated import estimated
from attncalc.practice.inputs import slip_inside
from attncalc.practice.mistake import Mistake
from attncalc.practice.narrow_types import low_precision, of_a_narrower_type
from attncalc.practice.plan import Plan
from attncalc.practice.roundings import few_units, places_tried, rounded, rounded_from_own
from attncalc.practice.simulation import Own, rounding
from attncalc.practice.slips import slips
from attncalc.practice.verdicts import (
    FOLLOW_THROUGH,
    MISTAKE,
    RIGHT,
    ROUNDING,
    SLIP,
    UNKNOWN,
    Finding,
    StepVerdict,
)  # fmt: skip

WRONG = (FOLLOW_THROUGH, MISTAKE, SLIP, UNKNOWN)
SOME_UNITS = 6.0
SMALL_UNIT = 0.0101
"""What is carried on from numbers of two places and more may be three units off, six times half a unit."""

Judgement = tuple[str, tuple[Finding, ...]]


class StepAnswers(NamedTuple):
    """The answers to one step, and the verdicts on the steps before it."""

    case: Case
    sheet: Sheet
    earlier: tuple[StepVerdict, ...]

    @property
    def own(self) -> Own:
        """The learner's own numbers for the earlier steps."""
        return self.case.own(self.sheet)

    @property
    def wrong_before(self) -> bool:
        """Whether an earlier step is wrong."""
        return any(step.verdict in WRONG for step in self.earlier)

    @property
    def continuations(self) -> Iterator[Own]:
        """What the learner may have gone on from: all their own numbers, or those that are not the right ones."""
        wrong = [step.name for step in self.earlier if step.verdict in WRONG]
        yield from filter(None, (self.own, self.case.own(self.sheet, wrong)))

    @property
    def given_before(self) -> bool:
        """Whether the learner gave all numbers that this step is made of: then no rounding is hidden in between."""
        sources = [source.name for source in self.sheet.step.sources if not source.given]
        if self.sheet.name == "weights":  # the scores only say what is hidden
            sources = [name for name in sources if name in ("exponentials", "total")]
        made = [name for name in sources if not self.case.trace[name].stage.given]
        return bool(made) and all(name in self.own for name in made)

    def explained_by(self, plan: Plan) -> bool:
        """Whether a plan gives exactly these answers."""
        return self.case.explains(plan, self.sheet, self.own)


Attempt = Callable[[StepAnswers], Judgement | None]


def judged(answers: StepAnswers) -> Judgement:
    """The verdict of the first attempt that succeeds, and what it found."""
    return next((found for attempt in ATTEMPTS if (found := attempt(answers)) is not None), (UNKNOWN, ()))


def _one(verdict: str, found: Finding | None) -> Judgement | None:
    return None if found is None else (verdict, (found,))


def _some(verdict: str, found: tuple[Finding, ...]) -> Judgement | None:
    return (verdict, found) if found else None


def _named(answers: StepAnswers, rows: Iterable[Mistake], places: int | None = None) -> tuple[Finding, ...]:
    """Mistakes of the catalogue, each once, in the step where the scenario has it: a norm may stand before or after."""
    trace = answers.case.trace

    def step(row: Mistake) -> str:
        return row.step if row.step in trace or f"post_{row.step}" not in trace else f"post_{row.step}"

    once = {row.name: row for row in rows}
    return tuple(Finding(MISTAKE, row.name, step(row), places=places) for row in once.values())


def _right(answers: StepAnswers) -> Judgement | None:
    """Within the digits they are written with; cut off where the scenario cuts off."""
    return (RIGHT, ()) if answers.sheet.all_right else None


def _follows(answers: StepAnswers) -> Judgement | None:
    """Right for the learner's own earlier numbers."""
    case, sheet = answers.case, answers.sheet
    for own in answers.continuations:
        cells = case.cells(case.plan, sheet, own)
        if cells is not None and sheet.agrees(cells):
            rounded_before = (ROUNDING, (Finding("rounded", "own-numbers", sheet.name),))
            return (FOLLOW_THROUGH, ()) if answers.wrong_before else rounded_before
    return None


def _rounded(answers: StepAnswers) -> Judgement | None:
    """Right but for a way of rounding."""
    return _one(ROUNDING, rounded(answers.case, answers.sheet))


def _nearly(answers: StepAnswers) -> Judgement | None:
    """Right but for rounding each step from the learner's own numbers on, or for a unit of the last digit."""
    if answers.wrong_before:
        return None
    found = rounded_from_own(answers.case, answers.sheet)
    return _one(ROUNDING, found or (None if answers.given_before else few_units(answers.sheet, 1)))


def _carried_on(answers: StepAnswers) -> Judgement | None:
    """A mistake named before, which gives these numbers too."""
    named = {f.name for step in answers.earlier for f in step.findings if f.kind == MISTAKE}
    plans = answers.case.plans if named else ()
    rows = (row for row, plan in plans if row.name in named and answers.explained_by(plan))
    return _some(MISTAKE, _named(answers, rows))


def _mistaken(answers: StepAnswers) -> Judgement | None:
    """All mistakes that give exactly these numbers; where some explain later answers too, only those."""
    matching = [(row, plan) for row, plan in answers.case.plans if answers.explained_by(plan)]
    for besides in ((), (answers.case.plan,)):  # better the mistake alone than a right calculation after it
        through = [(row, plan) for row, plan in matching if _explains_later(answers, (plan, *besides))]
        if through:
            return MISTAKE, _named(answers, (row for row, _ in through))
    return _some(MISTAKE, _named(answers, (row for row, _ in matching)))


def _explains_later(answers: StepAnswers, plans: Sequence[Plan]) -> bool:
    """Whether each of the answers after a sheet comes of one of the plans, from the numbers before it."""
    case = answers.case
    later = case.sheets[case.sheets.index(answers.sheet) + 1 :]
    return all(any(case.explains(plan, other, case.own(other)) for plan in plans) for other in later)


def _estimated(answers: StepAnswers) -> Judgement | None:
    """A mistake with a number in it that is estimated from the answers."""
    return _some(MISTAKE, tuple(estimated(answers.case, answers.sheet)))


def _narrow_type(answers: StepAnswers) -> Judgement | None:
    """Right, and made of numbers of a narrower type."""
    return None if answers.wrong_before else _one(ROUNDING, of_a_narrower_type(answers.sheet))


def _narrow(answers: StepAnswers) -> Judgement | None:
    """Off by as much as a narrower type leaves, as if by chance."""
    return None if answers.wrong_before else _one(ROUNDING, low_precision(answers.sheet))


def _some_units_off(answers: StepAnswers) -> Judgement | None:
    """A few units of the last digit off, as rounding on the way leaves numbers."""
    never = answers.wrong_before or answers.given_before
    return None if never else _one(ROUNDING, few_units(answers.sheet))


def _nearly_follows(answers: StepAnswers) -> Judgement | None:
    """Right for the learner's own numbers but for some units of the last digit."""
    case, sheet = answers.case, answers.sheet
    if not answers.wrong_before or float(sheet.units.max()) > SMALL_UNIT:
        return None
    runs = (case.cells(case.plan, sheet, own) for own in answers.continuations)
    follows = any(cells is not None and sheet.agrees(cells, SOME_UNITS) for cells in runs)
    return (FOLLOW_THROUGH, ()) if follows else None


def _slipped(answers: StepAnswers) -> Judgement | None:
    """One wrong number in a step that is right otherwise."""
    return _some(SLIP, tuple(slips(answers.case, answers.sheet)))


def _mistaken_by_hand(answers: StepAnswers) -> Judgement | None:
    """Mistakes that give these numbers when each step is rounded besides."""
    case, sheet = answers.case, answers.sheet
    if not case.by_hand or sheet.count < 2:
        return None
    for places in places_tried(sheet):
        finish = rounding(places, "half-up")
        rows = [row for row, plan in case.plans if case.explains(plan, sheet, answers.own, finish)]
        if rows:
            return MISTAKE, _named(answers, rows, places)
    return None


def _mistaken_in_noise(answers: StepAnswers) -> Judgement | None:
    """Mistakes in numbers of a narrower type than the file's: of the widest type that any of them needs."""
    case, sheet = answers.case, answers.sheet
    if sheet.answered.precision == DIGITS:
        return None
    right = case.cells(case.plan, sheet, answers.own)
    narrower = [sheet.widened(name) for name, noise in NOISE.items() if noise > NOISE[sheet.answered.precision]]
    narrower = [wide for wide in narrower if right is not None and not wide.agrees(right)]
    found: dict[str, list[Mistake]] = {}
    for row, plan in case.plans:
        cells = case.cells(plan, sheet, answers.own)
        wide = next((wide for wide in narrower if cells is not None and wide.agrees(cells)), None)
        if wide is not None:
            found.setdefault(wide.answered.precision, []).append(row)
    name = next((name for name in NOISE if name in found), None)
    return (MISTAKE, (*_named(answers, found[name]), Finding("rounded", name, sheet.name))) if name else None


def _slipped_inside(answers: StepAnswers) -> Judgement | None:
    """One number further back that explains everything."""
    never = answers.wrong_before or answers.given_before
    return None if never else _some(SLIP, tuple(slip_inside(answers.case, answers.sheet)))


ATTEMPTS: tuple[Attempt, ...] = (
    _right, _rounded, _follows, _nearly, _narrow_type, _carried_on, _mistaken, _estimated, _narrow, _some_units_off,
    _nearly_follows, _slipped, _mistaken_by_hand, _mistaken_in_noise, _slipped_inside,
)  # fmt: skip
"""From cheap to costly; what is right, or right but for rounding, before what is wrong."""
