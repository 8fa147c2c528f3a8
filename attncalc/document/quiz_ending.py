"""The end of a quiz, or where it is left: the score, what to practise, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import name_of
from attncalc.document.quiz_task import points
from attncalc.document.view import View
from attncalc.practice.quiz_state import QUARTERS, RIGHT_ANSWERS, Done, State


class Followed(NamedTuple):
    """What may be typed next: the command that goes on, and that for another quiz."""

    again: Sequence[str] = ()
    resume: str = ""


def ending(state: State, view: View, followed: Followed) -> Iterator[Block]:
    """The score, question by question, what to practise, and what to do next."""
    count, left = len(state.quiz.questions), len(state.quiz.questions) - len(state.done)
    fields = {"points": points(state.quarters), "count": count}
    text = view.say("quiz-score-so-far", left=left, **fields) if left else view.say("quiz-score", **fields)
    yield Heading(text)
    if state.done:
        yield _table(state, view)
        yield Prose(view.say("quiz-rule"))
    lead = view.say("quiz-lead-practise")
    for text in _to_practise(state, view):
        yield Prose(text, lead)
    if not left and state.quarters == QUARTERS * count:
        yield Prose(view.say("quiz-all-right"))
    following = [followed.resume] if left and followed.resume else list(followed.again)
    for number, command in enumerate(following):
        yield Prose(command, view.say("quiz-lead-or" if number else "lead.next"))


def _table(state: State, view: View) -> Matrix:
    steps = (state.quiz.trace[done.step] for done in state.done)
    names = tuple(view.say(f"title.{step.stage.texts()}") for step in steps)
    columns = tuple(view.say(f"column.{name}") for name in ("points", "wrong-tries", "hints", "outcome"))
    rows = tuple(tuple(map(Figure, _row(done, view))) for done in state.done)
    return Matrix("", view.say("column.step"), "", names, columns, rows, False)


def _row(done: Done, view: View) -> tuple[str, ...]:
    return points(done.quarters), str(done.wrong), str(done.hints), view.say(f"quiz-outcome.{done.outcome}")


def _to_practise(state: State, view: View) -> Iterator[str]:
    """The mistakes that were met, with how it is done, then the steps that went wrong without one."""
    met: dict[str, None] = {}
    others = []
    for done in state.done:
        title = name_of(state.quiz.trace[done.step], view)
        new = [name for name in done.mistakes if name not in met]
        met |= dict.fromkeys(new)
        for name in new:
            how = view.say("quiz-practise", how=view.say(f"mistake-how.{name}"), name=name)
            yield view.say("with-lead", lead=title, text=how)
        if not done.mistakes and done.outcome not in RIGHT_ANSWERS:
            others.append(title)
    if others:
        yield view.say("list-comma").join(others)
