"""Readers of answers: files, typed rows, lines of a quiz, a quiz in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from random import Random
from zlib import crc32

import numpy as np
from samples import DRAW

from attncalc.core.stage import Row, Trace
from attncalc.document.view import view_in
from attncalc.messages import LANGUAGES
from attncalc.practice.answer_files import read_answers
from attncalc.practice.answer_texts import answers_in_texts
from attncalc.practice.answered import Answered
from attncalc.practice.diagnose import diagnose
from attncalc.practice.judging import as_asked
from attncalc.practice.quiz import Quiz, quiz_of
from attncalc.practice.quiz_answers import answered
from attncalc.practice.quiz_file import Setting, as_text, quiz_in, saved, state_in
from attncalc.practice.quiz_state import State
from attncalc.renderers.check_json import as_document
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.sources import Source

from .array_seeds import arrays_changed, npy, npz
from .array_seeds import seeds as array_seeds
from .judging import must
from .mutating import bytes_changed, json_changed, text_changed, text_of
from .shared import attempt, lot, scratch, traces

ONE_IN = 32
"""Of the answers that are accepted, one in so many is judged as `check` does."""


def read_answer_file(data: bytes) -> None:
    """A file of answers: to the steps it names, and to one step."""
    file = scratch() / "answers"
    file.write_bytes(data)
    trace = lot(traces()[:2], data)
    for step in (None, "weights", "context"):
        _judge(trace, attempt(read_answers, trace, str(file), step), data)


def read_typed_answers(data: bytes) -> None:
    """What is typed after `--answer`."""
    trace = lot(traces()[:2], data)
    _judge(trace, attempt(answers_in_texts, trace, [text_of(data)]), data)


def _judge(trace: Trace, answers: Sequence[Answered] | None, data: bytes) -> None:
    """Answers that were read can be judged, and the verdict written."""
    if not answers or crc32(data) % ONE_IN:
        return
    found = attempt(diagnose, as_asked(trace, answers, False), answers)
    if found is not None:
        for language in LANGUAGES:
            must(json.dumps(as_document(found, view_in(language, "json")), default=str), "no verdict")


def answer_seeds() -> list[bytes]:
    """Files of arrays to start from."""
    weights = np.array([[0.62, 0.12, 0.19, 0.08]])
    return [npy(weights), npz(weights=weights, context=np.ones((1, 3))), array_seeds()[-2]]


def answers_changed(data: bytes, random: Random) -> bytes:
    """A file of answers with the changes of its kind."""
    if data[:1] in b"{[":
        return json_changed(data, random)
    if data[:6] == b"\x93NUMPY" or data[:2] == b"PK":
        return arrays_changed(data, random)
    return (text_changed if random.random() < 0.8 else bytes_changed)(data, random)


@cache
def _quizzes() -> tuple[Quiz, ...]:
    return tuple(quiz_of(trace, Row(0, 0, trace.scenario.queries[0]), ()) for trace in (traces()[0], traces()[1]))


def read_quiz_line(data: bytes) -> None:
    """A line that is typed in a quiz."""
    quiz = lot(_quizzes(), data)
    attempt(answered, quiz, lot(quiz.questions, data[1:]), text_of(data))


def read_quiz(data: bytes) -> None:
    """A quiz in a file goes on, and is written as it was read."""
    found = saved(data, "quiz.json")
    quiz = quiz_in(found.setting, Source("quiz.json", builtin.folder(), found.setting.document))
    state = state_in(found, quiz, "quiz.json")
    text = as_text(found.setting, state)
    again = saved(text.encode("utf-8", "surrogatepass"), "quiz.json")
    must(as_text(again.setting, state_in(again, quiz, "quiz.json")) == text, "a quiz read back is another")


def quiz_seeds() -> list[bytes]:
    """A quiz that has just begun."""
    source = Source("draw", builtin.folder(), parse(json.dumps(DRAW).encode(), "draw"))
    setting = Setting("draw", source.document, ("scale=none",), None, Row(0, 0, 0), 2)
    return [as_text(setting, State(quiz_in(setting, source), ())).encode()]
