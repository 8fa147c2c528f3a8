"""The JSON of a quiz that was answered (`attncalc-quiz-result/1`)."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from attncalc.document.quiz_task import points
from attncalc.document.view import View
from attncalc.practice.quiz import Question
from attncalc.practice.quiz_state import RIGHT_ANSWERS, Done, State


def as_document(state: State, name: str, view: View) -> dict[str, Any]:
    """The score and each question as JSON values; the right row beside those that were not answered right."""
    quiz = state.quiz
    row, scenario = quiz.row, quiz.trace.scenario
    return {
        "format": "attncalc-quiz-result/1",
        "scenario": name,
        "batch": row.batch if "batch" in scenario.axes else None,
        "head": row.head if "head" in scenario.axes else None,
        "query": scenario.query_tokens[row.query],
        "places": quiz.places,
        "points": Decimal(points(state.quarters)),
        "of": len(quiz.questions),
        "all_right": state.right,
        "questions": list(_questions(state, view)),
    }


def _questions(state: State, view: View) -> Iterator[dict[str, Any]]:
    for number, question in enumerate(state.quiz.questions):
        done = state.done[number] if number < len(state.done) else Done(question.step, "unanswered")
        yield {
            "step": question.step, "verdict": done.outcome, "points": Decimal(points(done.quarters)),
            "answers": list(done.answers), "hints": done.hints,
            "mistakes": [{"name": name, "how": view.say(f"mistake-how.{name}")} for name in done.mistakes],
            "right_row": None if done.outcome in RIGHT_ANSWERS else _row(state, question),
        }  # fmt: skip


def _row(state: State, question: Question) -> list[float]:
    """The right numbers of a row, as doubles."""
    step = state.quiz.trace[question.step]
    return [float(step.cells[cell]) for cell in question.cells]
