"""Where a quiz stands: what was answered, what the question at hand has seen so far, and how that is scored."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from attncalc.errors import UsageError
from attncalc.practice.answered import Answered
from attncalc.practice.diagnose import diagnose
from attncalc.practice.quiz import Question, Quiz
from attncalc.practice.quiz_answers import answered, too_short
from attncalc.practice.verdicts import ACCEPTED, FOLLOW_THROUGH, MISTAKE, RIGHT, SLIP, UNKNOWN, Diagnosis, StepVerdict

RIGHT_ANSWERS = (*ACCEPTED, FOLLOW_THROUGH)
WRONG_ANSWERS = (MISTAKE, SLIP, UNKNOWN)
SHORT, SKIPPED, SHOWN = "short", "skipped", "shown"
OUTCOMES = (*RIGHT_ANSWERS, *WRONG_ANSWERS, SHORT, SKIPPED, SHOWN)
"""How a question can end; with a wrong verdict, or too few decimals, where the learner went on from such an answer."""

MOST_HINTS = 3
"""The formula, the numbers put in, the answer."""

QUARTERS = 4
"""A point in the smallest parts that are taken off."""


class Done(NamedTuple):
    """A question that is behind: how it ended, the lines that were typed, the hints, the mistakes that were met."""

    step: str
    outcome: str
    answers: tuple[str, ...] = ()
    hints: int = 0
    mistakes: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether later answers are judged beside the last line: it was right, or the learner went on from it."""
        return self.outcome not in (SKIPPED, SHOWN)

    @property
    def wrong(self) -> int:
        """How many of the lines were wrong."""
        return len(self.answers) - (self.outcome in RIGHT_ANSWERS)

    @property
    def quarters(self) -> int:
        """The quarters of a point that it is worth."""
        if self.outcome not in RIGHT_ANSWERS:
            return 0
        return max(QUARTERS - self.hints - self.wrong, 1)


class State(NamedTuple):
    """A quiz at a moment: the questions behind, and of the one at hand the wrong lines, hints, mistakes and verdict."""

    quiz: Quiz
    done: tuple[Done, ...] = ()
    answers: tuple[str, ...] = ()
    hints: int = 0
    mistakes: tuple[str, ...] = ()
    verdict: str = ""

    @property
    def question(self) -> Question | None:
        """The question at hand; None at the end."""
        there = len(self.done) < len(self.quiz.questions)
        return self.quiz.questions[len(self.done)] if there else None

    @property
    def quarters(self) -> int:
        """The score so far, in quarters of a point."""
        return sum(done.quarters for done in self.done)

    @property
    def right(self) -> bool:
        """Whether every question was answered, and right in the end."""
        return self.question is None and all(done.outcome in RIGHT_ANSWERS for done in self.done)


class Judged(NamedTuple):
    """What an answer leads to.

    `short`: what is written may be right, but with too few decimals to count; nothing has changed. `again`: these are
    the numbers of a wrong answer before, and cost nothing more.
    """

    state: State
    diagnosis: Diagnosis
    short: bool = False
    again: bool = False

    @property
    def verdict(self) -> StepVerdict:
        """The verdict on the answer itself."""
        return self.diagnosis.steps[-1]

    @property
    def accepted(self) -> bool:
        """Whether the answer is right, or right for the learner's own numbers."""
        return self.verdict.verdict in RIGHT_ANSWERS

    @property
    def as_written(self) -> bool:
        """Whether every number is right as far as it is written."""
        return self.verdict.verdict == RIGHT


def kept(state: State) -> list[Answered]:
    """The answers that the learner went on from."""
    questions = zip(state.quiz.questions, state.done, strict=False)
    return [answered(state.quiz, question, done.answers[-1]) for question, done in questions if done.counts]


def answer(state: State, text: str) -> Judged:
    """The judgement on a line; a UsageError where it is no answer, and then it counts as nothing."""
    question = _question(state)
    given = answered(state.quiz, question, text)
    found = Judged(state, diagnose(state.quiz.trace, [*kept(state), given]))
    verdict, others = found.verdict, tuple(line for line in state.answers if not _same(state, line, given))
    answers = (*others, text)
    if found.accepted and too_short(state.quiz, verdict.sheet):
        return found._replace(short=True)
    if found.accepted:
        return found._replace(state=_ended(state._replace(answers=answers), verdict.verdict))
    named = [finding.name for finding in verdict.findings if finding.kind == MISTAKE]
    now = state._replace(answers=answers, verdict=verdict.verdict, mistakes=_more(state.mistakes, *named[:1]))
    return found._replace(state=now, again=len(answers) == len(state.answers))


def _same(state: State, line: str, given: Answered) -> bool:
    """Whether a line that was typed before for the question at hand has the numbers of an answer."""
    other = answered(state.quiz, _question(state), line)
    return bool(np.array_equal(other.values, given.values, equal_nan=True))


def _more(names: tuple[str, ...], *more: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*names, *more)))


def hint(state: State) -> State:
    """The state after one hint more; after the last one, the answer, the question is behind."""
    _question(state)
    now = state._replace(hints=state.hints + 1)
    return _ended(now, SHOWN) if now.hints == MOST_HINTS else now


def skip(state: State) -> State:
    """The state after the question, without an answer to it."""
    _question(state)
    return _ended(state, SKIPPED)


def go_on(state: State) -> State:
    """The state after the question, with the wrong numbers as what later answers are judged by."""
    _question(state)
    if not state.answers:
        raise UsageError.of("quiz-nothing-wrong")
    return _ended(state, state.verdict)


def go_on_short(state: State, text: str) -> State:
    """The state after the question, with an answer that has too few decimals."""
    return _ended(state._replace(answers=(*state.answers, text)), SHORT)


def _question(state: State) -> Question:
    if state.question is None:
        raise UsageError.of("quiz-over")
    return state.question


def _ended(state: State, outcome: str) -> State:
    done = Done(state.quiz.questions[len(state.done)].step, outcome, state.answers, state.hints, state.mistakes)
    return State(state.quiz, (*state.done, done))
