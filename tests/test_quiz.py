"""The quiz: what it asks, how a line is read and judged, hints, score, its file, its answer sheets; no terminal needed."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from samples import BUILT_IN, LANGUAGES, trace_of

from attncalc import load, run
from attncalc.cli.quiz_start import Begun
from attncalc.core.figures import figure
from attncalc.core.stage import Row
from attncalc.document.quiz_task import points
from attncalc.document.view import View, say_in
from attncalc.errors import AttncalcError, UsageError
from attncalc.interactive.quizzing import BY_WORD, COMMANDS, Reply, reply, sheet
from attncalc.messages import catalogue
from attncalc.practice.quiz import Question, Quiz, quiz_of, right_trace
from attncalc.practice.quiz_file import Setting, as_text, quiz_in, saved, state_in
from attncalc.practice.quiz_own import last_wrong, own_numbers
from attncalc.practice.quiz_state import OUTCOMES, RIGHT_ANSWERS, Done, State
from attncalc.renderers.plain import render
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.sources import Source, source_at

VIEW = View(say_in("en"))
DRAW = {"exponentials": "6.05 1.22 1.82 0.74", "total": "9.83", "weights": "0.62 0.12 0.19 0.08",
        "context": "0.69 0.27 0.46", "residual": "1.09 0.17 0.66"}  # fmt: skip
SCORES = [1.8, 0.2, 0.6, -0.3]
VALUES = [[0.9, 0.1, 0.4], [0.2, 0.8, 0.3], [0.5, 0.5, 0.6], [0.3, 0.2, 0.9]]


@cache
def quiz(name: str, *steps: str, places: int = 2, query: int | None = None, head: int = 0) -> Quiz:
    """The quiz on a built-in scenario."""
    trace = right_trace(source_at(name), {"places": str(places)})
    return quiz_of(trace, Row(0, head, trace.scenario.queries[0] if query is None else query), steps)


def after(state: State, *lines: str) -> State:
    """The state after lines of the dialogue."""
    for line in lines:
        state = reply(state, line, VIEW).state
    return state


def said(state: State, line: str, language: str = "en") -> str:
    """What is said to a line."""
    view = View(say_in(language), language=language)
    return render(reply(state, line, view).blocks, view)


def right_line(asked: Quiz, question: Question) -> str:
    """The right row with the places that are asked for."""
    cells = asked.trace[question.step].cells
    return " ".join(figure(cells[cell], asked.places) for cell in question.cells)


# --- what is asked --------------------------------------------------------------------------------

ASKED = [
    ("draw", "exponentials total weights context residual"),
    ("mini-head", "q k v scores scaled masked exponentials total weights context output residual"),
    ("bigram", "weights context"), ("average", "total weights context"),
    ("cached", "scores scaled masked exponentials total weights context"),
    ("padding", "scores scaled masked exponentials total weights context"),
    ("rope", "rotated_q rotated_k scores scaled exponentials total weights context"),
    ("grouped", "scores scaled exponentials total weights context"),
    ("gpt2-block", "mean variance normed gained q k v scores scaled exponentials total weights context output residual"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "steps"), ASKED)
def test_every_step_that_shows_something_new_is_asked(name: str, steps: str) -> None:
    """Not what is given, looked up, passed on, or masks nothing of the row."""
    assert [question.step for question in quiz(name).questions] == steps.split()


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_right_numbers_are_right(name: str) -> None:
    """Calculated by a rival, the float64 run of the scenario, and written with the asked places: full marks."""
    asked = quiz(name, places=3)
    floats = run(load(name, (), {"by_hand": "off", "arithmetic": "float64"}))
    state = State(asked)
    for question in asked.questions:
        row = [floats[question.step].cells[cell] for cell in question.cells]
        state = after(state, " ".join("-inf" if np.isneginf(x) else figure(float(x), 3) for x in row))
    assert state.question is None
    assert state.right
    assert state.quarters == 4 * len(asked.questions)


NEEDED = [
    ("draw", (), ["scores", "", "", "v", "residual"]),
    ("draw", ("residual",), ["residual scores v"]),
    ("mini-head", (), ["x w_q", "w_k", "w_v", "k", "", "", "", "", "", "v", "w_o", ""]),
    ("mini-head", ("weights",), ["x w_q w_k"]),
    ("padding", (), ["q k", "", "", "", "", "", "v"]),
    ("cached", ("scores",), ["q past.k k"]),
    ("grouped", ("joined",), ["q k v context"]),
    ("gpt2-block", ("gained", "k"), ["x norm.gain norm.bias", "gained w_k b_k"]),
    ("gpt2-block", ("weights", "output"), ["x norm.gain norm.bias w_q b_q w_k b_k", "w_v b_v context w_o b_o"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "steps", "shown"), NEEDED)
def test_the_numbers_that_a_question_needs_are_shown_with_it(
    name: str, steps: tuple[str, ...], shown: list[str]
) -> None:  # fmt: skip
    """Those that no question before has shown; what is left to the learner is not."""
    tables = [" ".join(table.name for table in question.new) for question in quiz(name, *steps).questions]
    assert [sorted(line.split()) for line in tables] == [sorted(line.split()) for line in shown]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("document", "told"), [
    ({"scores": [8, 4], "scale": "sqrt_d_k", "d_k": 64}, "scale=sqrt_d_k, d_k=64"),
    ({"q": [[1, 2]], "k": [[3, 4], [5, 6]], "scale": "sqrt_d_model", "d_model": 64}, "scale=sqrt_d_model, d_model=64"),
    ({"scores": [8, 4], "temperature": 3, "softcap": 5}, "temperature=3, softcap=5"),
])  # fmt: skip
def test_every_number_that_no_table_shows_stands_among_the_rules(
    document: dict[str, Any], told: str, language: str, tmp_path: Path
) -> None:
    """Nobody could divide by the root of a width that is said nowhere."""
    (tmp_path / "a.json").write_text(json.dumps(document))
    text = out("quiz", str(tmp_path / "a.json"), "--step", "scaled", language=language, stdin=b"skip\n")
    assert told.replace(", ", catalogue(language)["list-comma"]) in text


def test_a_given_array_is_not_taken_for_the_step_of_its_name() -> None:
    """The residual of draw is added to the context: its own numbers are shown, not those of the result."""
    text = said(after(State(quiz("draw")), *list(DRAW.values())[:3]), DRAW["context"])
    assert "0.4, −0.1, 0.2" in text
    assert "1.09" not in text


def test_of_a_long_row_the_beginning_is_asked() -> None:
    """Sixteen numbers are no question for a person."""
    (question,) = quiz("causal-head", "q").questions
    assert (len(question.cells), question.all) == (8, 16)
    assert "the first 8 of its 16 numbers" in call("quiz", "causal-head", "--step", "q", stdin=b"quit\n").out


def test_of_a_long_row_the_keys_in_sight_are_asked() -> None:
    """Those that the mask hides are left out; where it hides all, the first are asked."""
    scores = [[number / 10 for number in range(16)]] * 2
    hidden = [[1, 0] * 8, [0] * 16]
    document = {"scores": scores, "v": [[1]] * 16, "mask": {"keep": hidden}}
    for query, columns in ((0, range(0, 16, 2)), (1, range(8))):
        (question,) = quiz_of(trace_of(document), Row(0, 0, query), ["weights"]).questions
        assert [cell[3] for cell in question.cells] == [*columns]
        assert set(question.hidden) == {query == 1}


def test_keys_are_asked_for_one_token_and_then_shown() -> None:
    """The first in sight that is not the query itself; the learner's own row stands in the table after `mine`."""
    state = after(State(quiz("mini-head")), "skip")
    assert state.question is not None
    assert state.question.cells[0][2] == 0
    text = said(after(state, "-1 -1 0", "mine"), "skip")
    assert "key We, feature 0: −1\n" in text
    assert "key birds, feature 0: 2.00\n" in text


REFUSED_STEPS = [("scores", "quiz-given"), ("terms", "unknown-step"), ("scaled", "unknown-step"), ("x", "unknown-step")]


@pytest.mark.parametrize(("step", "code"), REFUSED_STEPS)
def test_a_step_that_cannot_be_asked_is_refused(step: str, code: str) -> None:
    """It is given, or not there."""
    with pytest.raises(AttncalcError) as error:
        quiz("draw", step)
    assert error.value.faults[0].code == code


# --- how a line is read ---------------------------------------------------------------------------

WAYS = [
    "0.62 0.12 0.19 0.08", "0.62, 0.12, 0.19, 0.08", "[0.62; 0.12; 0.19; 0.08]", "0,62 0,12 0,19 0,08", "62 % 12 % 19 % 8 %",
    "62 12 19 8", "６２％ 12% 19% 8%", "0.62、0.12、0.19、0.08", "6.05/9.83 1.22/9.83 1.82/9.83 0.74/9.83", ".62 .12 .19 .08",
    "8/13 1/8 0.19 √0.0057",
]  # fmt: skip


@pytest.mark.parametrize("line", WAYS)
def test_a_row_is_taken_as_people_type_it(line: str) -> None:
    """Commas, blanks, brackets, percent, fractions, roots, full-width signs."""
    state = after(State(quiz("draw", "weights")), line)
    assert state.done == (Done("weights", "right", (line,)),)


NO_ANSWERS = [
    ("weights", "0.62 0.12", "2 given, 4 numbers wanted: I, like, to, draw", "写了 2 个数，应为 4 个：I, like, to, draw"),
    ("weights", "1 2 3 4 5", "5 given, 4 numbers wanted: I, like, to, draw", "写了 5 个数，应为 4 个：I, like, to, draw"),
    ("context", "0.62", "1 given, 3 numbers wanted", "写了 1 个数，应为 3 个"),
    ("total", "9.83 1", "2 given, 1 number wanted", "写了 2 个数，应为 1 个"),
    ("weights", "0.62 _ 0.19 0.08", "number 2 of 4 is left out; only a hidden one may be",
     "4 个数中缺了第 2 个；只有被遮住的才可以略过"),
    ("weights", "hnit", "hnit is not a command, and has no number in it; did you mean hint?",
     "hnit 不是命令，里面也没有数；是不是想写 hint？"),
    ("weights", "what now", "what now is not a command, and has no number in it; help lists the commands",
     "what now 不是命令，里面也没有数；输入“帮助”可以看有哪些命令"),
    ("weights", "怎么算", "怎么算 is not a command, and has no number in it; help lists the commands",
     "怎么算 不是命令，里面也没有数；输入“帮助”可以看有哪些命令"),
    ("residual", "show w_q", "w_q is no table of this question; there are residual, scores, v",
     "w_q 不是这一题的表；可看的有 residual, scores, v"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "line", "english", "chinese"), NO_ANSWERS)
def test_a_line_that_is_no_answer_says_why(step: str, line: str, english: str, chinese: str) -> None:
    """In both languages, in one sentence."""
    with pytest.raises(AttncalcError) as error:
        reply(State(quiz("draw", step)), line, VIEW)
    assert error.value.sentences("en") == [english]
    assert error.value.sentences("zh") == [chinese]


@pytest.mark.parametrize(
    "line", ["nan 1 1 1", "inf 0 0 0", "1 2 x 4", "1e400 1 1 1", "9" * 300, "1/0 1 1 1", "\u200b", "-", "mine"]
)
def test_what_cannot_be_read_never_counts(line: str) -> None:
    """Letters, NaN, numbers that no cell holds, a command that does not apply: refused, and nothing has changed."""
    state = State(quiz("draw", "weights"))
    with pytest.raises(AttncalcError):
        reply(state, line, VIEW)
    assert after(state, DRAW["weights"]).quarters == 4


def test_a_single_number_may_have_a_decimal_comma() -> None:
    """9,83 is one number where one is asked for."""
    assert after(State(quiz("draw", "total")), "9,83").right


HIDDEN = [
    ("masked", "-1.73 -3.46 0 -inf -inf", False), ("masked", "{} {} {} -inf -inf", True), ("masked", "{} {} {} · ·", True),
    ("masked", "{} {} {} _ _", True), ("masked", "{} {} {} · −∞", True), ("masked", "{} {} {} 0 0", False),
    ("masked", "{} {} · · ·", False), ("exponentials", "{} {} {} 0 0", True), ("exponentials", "{} {} {} · _", True),
    ("exponentials", "{} {} {}", True), ("exponentials", "{} {} {} -inf 0", True), ("weights", "{} {} {} 0 ·", True),
    ("weights", "{} {} · 0 0", False), ("scaled", "{} {} {} _ _", True), ("scaled", "{} {} {}", True),
    ("scaled", "{} {} {} · -inf", True), ("scores", "{} {} {} _ ·", True),
]  # fmt: skip


@pytest.mark.parametrize(("step", "pattern", "right"), HIDDEN)
def test_hidden_keys_are_written_as_people_write_them(step: str, pattern: str, right: bool) -> None:
    """A dot, −∞, after the mask 0, left out; a 0 in place of −∞ is a mistake, and so is hiding what is seen."""
    asked = quiz("mini-head", step)
    seen = right_line(asked, asked.questions[0]).split()[: pattern.count("{}")]
    state = after(State(asked), pattern.format(*seen))
    assert (state.question is None) == right


def test_only_the_mask_itself_asks_which_keys_are_hidden() -> None:
    """Three numbers do not say where they stand."""
    asked = quiz("mini-head", "masked")
    with pytest.raises(AttncalcError) as error:
        reply(State(asked), " ".join(right_line(asked, asked.questions[0]).split()[:3]), VIEW)
    assert error.value.faults[0].code == "numbers-wanted-for"


SHORT = [
    ("draw", "weights", "0.6 0.1 0.2 0.1", True), ("draw", "context", "0.69 0.3 0.46", True), ("draw", "total", "10", True),
    ("mini-head", "q", "2 0 1", False), ("mini-head", "scores", "2 0 1 0 0", False), ("draw", "weights", "2/3 1/8 1/5 0", False),
    ("library", "exponentials", "1.8112e41 2.3539e17 1.6516e38 1", False), ("draw", "total", "9.832", False),
]  # fmt: skip


@pytest.mark.parametrize(("name", "step", "line", "short"), SHORT)
def test_a_right_number_with_too_few_decimals_is_asked_again(name: str, step: str, line: str, short: bool) -> None:
    """It is no try; a whole number needs no zeros."""
    state = State(quiz(name, step, places=4 if name == "library" else 2))
    assert ("please give" in said(state, line)) == short
    if short:
        assert reply(state, line, VIEW).state == state


@pytest.mark.parametrize(
    ("line", "sentence"),
    [("0.6 0.1 0.2 0.1", "Right: so far; please give 2 decimals."),
     ("0.6 0.2 0.2 0.1", "Decimals: Too few to judge these numbers; please give 2 decimals.")],
)  # fmt: skip
def test_right_so_far_is_only_what_is_right_as_written(line: str, sentence: str) -> None:
    """What too early rounding would explain is not called right; neither is a try."""
    asked = quiz("draw", "weights")
    assert sentence in said(State(asked), line)
    assert reply(State(asked), line, VIEW).state == State(asked)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_same_numbers_cost_once(language: str) -> None:
    """However they are written; `mine` goes on from those that were typed last."""
    state = after(State(quiz("draw")), "6.05 1.22 1.82 0.47", "1 2 3 4")
    sentence = catalogue(language)["quiz-same"]
    assert sentence in said(state, "6.05, 1.22, 1.82, 0.47", language)
    assert sentence not in said(state, "6.05 1.22 1.82 0.57", language)
    again = after(state, "6.05, 1.22, 1.82, 0.47")
    assert again.answers == ("1 2 3 4", "6.05, 1.22, 1.82, 0.47")
    assert after(again, "mine").done[0].answers[-1] == "6.05, 1.22, 1.82, 0.47"
    assert state_in(saved(as_text(SETTING, again).encode(), "f"), again.quiz, "f") == again


WORDS = [
    ("i don’t know", "hint"), ("I dont know.", "hint"), ("不会", "hint"), ("不知道。", "hint"), ("give up", "skip"),
    ("GIVE  UP!", "skip"), ("next", "skip"), ("answer", "skip"), ("放弃", "skip"), ("看答案", "skip"), ("答案", "skip"),
    ("下一题", "skip"), ("再见", "quit"), ("bye", "quit"), ("？", "help"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "command"), WORDS)
def test_what_people_say_is_a_command(line: str, command: str) -> None:
    """At a terminal, in a pipe and on a sheet."""
    state = State(quiz("draw", "weights"))
    assert reply(state, line, VIEW) == reply(state, command, VIEW)
    assert sheet(state, [(1, line)], "ann", VIEW).state == sheet(state, [(1, command)], "ann", VIEW).state


@pytest.mark.parametrize(
    ("name", "seen", "unseen"), [("w_q", "W_Q", "W_K"), ("W_K", "W_K", "W_Q"), ("x", "Embeddings", "W_Q")]
)
def test_one_table_can_be_seen_again(name: str, seen: str, unseen: str) -> None:
    """Of those that the question needs, by its name; nothing has changed."""
    state = State(quiz("mini-head", "weights"))
    text = said(state, f"show {name}")
    assert (seen in text, unseen in text) == (True, False)
    assert said(state, f"题目 {name}") == text
    assert reply(state, f"show {name}", VIEW).state is state


# --- how it is judged -----------------------------------------------------------------------------

JUDGED = [
    ("draw", "weights", "6.05 1.22 1.82 0.74", "not-divided"), ("draw", "weights", "1.8 0.2 0.6 -0.3", "softmax-skipped"),
    ("draw", "residual", "0.69 0.27 0.46", "residual-forgotten"), ("mini-head", "weights", "0.26 0.04 0.71 0 0", "no-scale"),
    ("mini-head", "weights", "0.26 0.17 0.46 0.07 0.05", ""),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "step", "line", "mistake"), JUDGED)
def test_a_mistake_is_named_with_why_and_how(name: str, step: str, line: str, mistake: str, language: str) -> None:
    """As check names it; asked again, and remembered for the end."""
    state = State(quiz(name, step))
    text = said(state, line, language)
    messages = catalogue(language)
    assert messages["quiz-lead-wrong"] in text
    if mistake:
        for code in ("mistake", "mistake-why", "mistake-how"):
            assert messages[f"{code}.{mistake}"] in text
        assert after(state, line).mistakes == (mistake,)
    assert after(state, line).question is not None


SLIPS = [
    ("weights", "0.62 0.21 0.19 0.08", "Two digits of weights draw like are swapped."),
    ("exponentials", "6.05 1.22 -1.82 0.74", "The sign of exponentials draw to is turned."),
    ("exponentials", "60.5 1.22 1.82 0.74", "The decimal point of exponentials draw I has moved."),
    ("context", "0.14 0.27 0.46", "The product"),
    ("total", "7.77", "total draw is not 7.77"),
    ("weights", "0.1 0.7 0.3 0.9", "The first number that is off: weights draw I is not 0.1."),
    ("weights", "0.62 0.12 0.5 0.3", "weights draw to is not 0.5"),
]  # fmt: skip


@pytest.mark.parametrize(("step", "line", "sentence"), SLIPS)
def test_a_slip_is_named_and_else_the_first_wrong_number(step: str, line: str, sentence: str) -> None:
    """One number alone is only consistent with something."""
    assert sentence in said(State(quiz("draw", step)), line)


def test_one_number_alone_is_only_consistent_with_a_mistake() -> None:
    """The total of exponentials of scores that were not scaled."""
    text = said(State(quiz("mini-head", "total")), "77.40")
    assert f"consistent with this: {catalogue('en')['mistake.no-scale']}" in text


def wrong_lines(asked: Quiz, question: Question) -> list[str]:
    """Wrong answers of several kinds: one sign, one digit, all of it."""
    numbers = right_line(asked, question).split()
    turned = [f"{-float(numbers[0]):.4f}", *numbers[1:]]
    moved = [*numbers[:-1], f"{float(numbers[-1]) * 10:.4f}"]
    return [" ".join(turned), " ".join(moved), " ".join(f"{float(n) + 3.3331:.4f}" for n in numbers)]


@pytest.mark.parametrize("step", list(DRAW))
def test_neither_a_wrong_answer_nor_a_hint_gives_the_right_number_away(step: str) -> None:
    """Except the last hint, which is the answer, and what the learner wrote."""
    asked = quiz("draw", step, places=4)
    (question,) = asked.questions
    right = {n.replace("-", "−") for n in right_line(asked, question).split()}
    for line in wrong_lines(asked, question):
        state = after(State(asked), line)
        shown = said(State(asked), line) + said(state, "hint") + said(after(state, "hint"), "hint")
        typed = {n.replace("-", "−") for n in line.split()}
        assert not {n for n in right - typed if n in shown}
        assert all(n in said(after(state, "hint", "hint"), "hint") for n in right)


def test_rounding_on_the_way_is_right_and_the_exact_row_is_shown() -> None:
    """The article's own numbers, each step rounded to two places."""
    text = said(after(State(quiz("draw")), *list(DRAW.values())[:3]), "0.70 0.27 0.47")
    assert "The method is right; each step was rounded to 2 places." in text
    assert "Exact: 0.69, 0.27, 0.46" in text


# --- going on from one's own numbers --------------------------------------------------------------


def softmax_of(scores: Sequence[float]) -> Any:
    """By NumPy, as a rival."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum()


def written(numbers: Any, places: int = 2) -> str:
    """Numbers as a person writes them."""
    return " ".join(f"{x:.{places}f}" for x in np.atleast_1d(numbers))


WRONG_ROWS = [[6.05, 2.22, 1.82, 0.74], [4.0, 1.0, 3.0, 2.0], [0.5, 0.5, 0.5, 0.1]]


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_what_follows_from_wrong_numbers_is_right(row: list[float]) -> None:
    """After `mine` each later step is judged from them, by a rival's arithmetic."""
    total = sum(row)
    weights = np.array(row) / total
    context = weights @ np.array(VALUES)
    lines = [
        written(row),
        "mine",
        written(total),
        written(weights, 3),
        written(context, 3),
        written(context + np.array([0.4, -0.1, 0.2]), 3),
    ]
    state = after(State(quiz("draw")), *lines)
    assert [done.outcome in RIGHT_ANSWERS for done in state.done] == [False, True, True, True, True]
    assert {done.outcome for done in state.done[1:]} == {"follow-through"}
    assert points(state.quarters) == "4"


def test_only_what_does_not_follow_from_wrong_numbers_is_wrong() -> None:
    """After `mine` the numbers that are right for the learner's own are not pointed at."""
    row = WRONG_ROWS[0]
    weights = np.array(row) / sum(row)
    weights[2] += 0.3
    state = after(State(quiz("draw")), written(row), "mine", written(sum(row)), written(weights, 3))
    assert last_wrong(state) == [(0, 0, 0, 2)]


@pytest.mark.parametrize("row", WRONG_ROWS)
def test_the_numbers_that_follow_are_shown_exactly(row: list[float]) -> None:
    """Those of a skipped question, and of hints, come from the learner's numbers."""
    state = after(State(quiz("draw", places=4)), written(row), "mine")
    total = sum(row)
    assert "= ?\n" in said(after(state, "hint"), "hint")
    assert written(row[0]) in said(after(state, "hint"), "hint")
    assert f"{total:.4f}" in said(state, "skip")
    text = said(after(state, "skip"), "skip")
    assert all(f"{x / total:.4f}" in text for x in row)


def test_own_numbers_go_through_steps_that_are_not_asked() -> None:
    """From wrong exponentials straight to the context."""
    state = after(State(quiz("draw", "exponentials", "context", places=4)), "1 2 3 4", "mine")
    expected = np.array([1, 2, 3, 4]) / 10 @ np.array(VALUES)
    numbers = own_numbers(state)
    assert state.question is not None
    assert [float(numbers.value("context", cell)) for cell in state.question.cells] == pytest.approx(list(expected))
    assert after(state, written(expected, 4)).done[-1].outcome == "follow-through"


def test_going_on_needs_a_wrong_answer() -> None:
    """Before one there is nothing to go on from."""
    with pytest.raises(AttncalcError) as error:
        reply(State(quiz("draw")), "mine", VIEW)
    assert error.value.faults[0].code == "quiz-nothing-wrong"


# --- hints, score, commands -----------------------------------------------------------------------

SCORES_OF = [
    ([], "1"), (["hint"], "0.75"), (["hint", "hint"], "0.5"), (["1 2 3 4"], "0.75"), (["1 2 3 4", "1 2 4 3", "1 3 2 4"], "0.25"),
    (["1 2 3 4", "1,2,3,4", "1.0 2 3 4"] * 3, "0.75"), ([f"1 2 3 {n}" for n in range(9)], "0.25"), (["hint", "hint", "1 2 3 4", "4 3 2 1"], "0.25"), (["help", "show", "", "0.6 0.1 0.2 0.1"], "1"),
]  # fmt: skip


@pytest.mark.parametrize(("before", "score"), SCORES_OF)
def test_the_score_of_a_right_answer(before: list[str], score: str) -> None:
    """A point, less a quarter for each hint and each wrong try, a quarter at least."""
    assert points(after(State(quiz("draw", "weights")), *before, DRAW["weights"]).quarters) == score


@pytest.mark.parametrize(("lines", "outcome"), [
    (["skip"], "skipped"), (["hint"] * 3, "shown"), (["6.05 1.22 1.82 0.74", "mine"], "mistake"),
    (["0.62 0.21 0.19 0.08", "mine"], "slip"), (["0.1 0.7 0.3 0.9", "mine"], "unknown"),
])  # fmt: skip
def test_nothing_for_what_was_not_answered(lines: list[str], outcome: str) -> None:
    """Skipped, shown, left wrong."""
    state = after(State(quiz("draw", "weights")), *lines)
    assert (state.question, state.quarters, state.done[0].outcome) == (None, 0, outcome)
    assert not state.right


def test_hints_come_one_at_a_time() -> None:
    """The formula; the numbers put in without the result, of the first wrong number where there is one; the answer."""
    state = State(quiz("draw", "weights"))
    assert "A = E / Σ" in said(state, "hint")
    second = said(after(state, "hint"), "hint")
    assert "weights draw I = 6.05 / 9.83 = ?" in second
    assert second.count("= ?") == 4
    after_wrong = said(after(state, "0.62 0.3 0.19 0.3", "hint"), "hint")
    assert "weights draw like = 1.22 / 9.83 = ?" in after_wrong
    assert after_wrong.count("= ?") == 1
    assert "I 0.62, like 0.12, to 0.19, draw 0.08" in said(after(state, "hint", "hint"), "hint")


WORDS = [(word, command.name) for command in COMMANDS for word in command.words]


@pytest.mark.parametrize(("word", "name"), WORDS)
def test_every_word_is_its_command_in_both_languages(word: str, name: str) -> None:
    """In capitals too; a word leads where its command leads."""
    state = after(State(quiz("draw", "weights")), "1 2 3 4")
    by_word, by_name = reply(state, word.upper(), VIEW), reply(state, name, VIEW)
    assert (by_word.state, by_word.left) == (by_name.state, by_name.left)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_is_said_in_the_help(language: str) -> None:
    """With the words of both languages where there are two."""
    text = said(State(quiz("draw")), "?", language)
    messages = catalogue(language)
    for command in COMMANDS:
        assert f"{messages[f'quiz-word.{command.name}']}" in text
        assert messages[f"quiz-do.{command.name}"] in text
    assert {word for word in re.findall(r"\w+", messages["quiz-commands"])[1:]} <= set(BY_WORD)


def test_show_gives_the_task_and_what_was_answered() -> None:
    """The numbers as they were typed, those of a skipped question as they are, and the tries at this one."""
    text = said(after(State(quiz("draw")), DRAW["exponentials"], "skip", "1 2 3 4", "hint"), "show")
    for line in ("Exponentiate (exponentials): 6.05 1.22 1.82 0.74", "Sum (total): 9.83", "query draw, key I: 1.8",
                 "Hints so far: 1; wrong tries: 1."):  # fmt: skip
        assert line in text


# --- the file -------------------------------------------------------------------------------------

LINES = ["6.05 1.22 1.82 0.7", "hint", "6.05 1.22 1.82 0.74", "skip", "1 2 3 4", "mine", "0.5 0.5 0.5", "hint", "hint"]
SETTING = Setting("draw", source_at("draw").document, (), None, Row(0, 0, 0), 2)


def again(state: State, name: str = "f") -> State:
    """The state as it comes back from its file."""
    found = saved(as_text(SETTING, state).encode(), name)
    return state_in(found, quiz_in(found.setting, source_at("draw")), name)


def test_a_quiz_comes_back_from_its_file_after_every_line() -> None:
    """Nothing is lost: the answers as typed, hints, mistakes, what later answers are judged by."""
    state = State(quiz("draw"))
    for line in LINES:
        state = after(state, line)
        assert again(state)._replace(quiz=state.quiz) == state
        assert said(again(state), "show") == said(state, "show")


def test_the_file_speaks_no_language() -> None:
    """Whatever language the words were typed in, it is the same."""
    english, chinese = (after(State(quiz("draw")), "1 2 3 4", *words) for words in (("hint", "mine"), ("提示", "沿用")))
    assert as_text(SETTING, english) == as_text(SETTING, chinese)


BROKEN: list[tuple[str, Any]] = [
    ("format", "attncalc-quiz/2"), ("name", 3), ("scenario", []), ("changes", "x"), ("changes", [1]), ("shift", "no"), ("head", -1),
    ("head", 1.5), ("head", "0"), ("query", 99), ("head", 7), ("batch", 10**9), ("places", 51), ("steps", {}), ("level", "one"),
    ("seed", -4), ("done", {}), ("done", [[]]), ("done", [{}]), ("now", None), ("now", {}), ("steps", ["nowhere"]), ("scenario", {"scores": "x"}),
    ("done", [{"step": "total", "outcome": "right", "answers": ["9.83"], "hints": 0, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "right", "answers": [], "hints": 0, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "right", "answers": ["x"], "hints": 0, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "best", "answers": ["1 2 3 4"], "hints": 0, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "right", "answers": ["1 2 3 4"], "hints": 3, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "shown", "answers": [], "hints": 1, "mistakes": []}]),
    ("done", [{"step": "exponentials", "outcome": "right", "answers": ["1 2 3 4"], "hints": 0, "mistakes": ["no-such"]}]),
    ("now", {"answers": ["1 2"], "hints": 0, "mistakes": [], "outcome": "unknown"}),
    ("now", {"answers": ["1 2 3 4"], "hints": 0, "mistakes": [], "outcome": None}),
    ("now", {"answers": [], "hints": 3, "mistakes": [], "outcome": None}),
]  # fmt: skip


@pytest.mark.parametrize(("key", "value"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_file_is_refused_and_stays(key: str, value: Any, tmp_path: Path) -> None:
    """Whatever key holds something else: sentences, 2, and not a byte is changed."""
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(json.loads(as_text(SETTING, State(quiz("draw")))) | {key: value}))
    before = file.read_bytes()
    done = call("quiz", "--resume", str(file), stdin=b"9.83\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("attncalc: ")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "data", [b"", b"x", b"[]", b"{}", b"\xff\xfe", b'{"format": "attncalc-trace/1"}', b"[" * 100_000]
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_foreign_file_is_refused_and_stays(data: bytes, language: str, tmp_path: Path) -> None:
    """An empty one, a scenario, no JSON at all."""
    file = tmp_path / "mine.json"
    file.write_bytes(data)
    done = call("quiz", "draw", "--resume", str(file), language=language)
    assert (done.code, done.out, file.read_bytes()) == (2, "", data)
    assert (done.err.startswith("attncalc: ") and "mine.json" in done.err, done.err.count("\n")) == (True, 1)


OTHERS = [
    ("library",), ("--step", "total"), ("draw", "--places", "3"), ("--set", "scores.0=1"), ("mini-head", "--token", "saw"),
    ("--random",), ("--random", "--seed", "1"), ("--random", "--level", "2"), ("--shift",),
]  # fmt: skip


@pytest.mark.parametrize("words", OTHERS)
def test_another_quiz_is_refused(words: tuple[str, ...], tmp_path: Path) -> None:
    """Another scenario, another step, other places, other numbers."""
    file = tmp_path / "mine.json"
    assert call("quiz", "draw", "--resume", str(file), stdin=b"6.05 1.22 1.82 0.74\nquit\n").code == 0
    before = file.read_bytes()
    done = call("quiz", *words, "--resume", str(file))
    assert (done.code, done.out, file.read_bytes()) == (2, "", before)
    assert "holds the progress of another quiz (draw)" in done.err


SAME = [(), ("draw",), ("draw", "--places", "2"), ("--token", "draw")]


@pytest.mark.parametrize("words", SAME)
def test_the_same_quiz_goes_on(words: tuple[str, ...], tmp_path: Path) -> None:
    """Named again or not."""
    file = str(tmp_path / "mine.json")
    call("quiz", "draw", "--resume", file, stdin=b"6.05 1.22 1.82 0.74\nhint\nquit\n")
    text = call("quiz", *words, "--resume", file, stdin=b"9.83\nquit\n").out
    assert "Question 2 of 5: Sum (total)" in text
    assert "Hints so far: 1; wrong tries: 0." in text
    assert "So far 1.75 of 5 points" in text


def test_a_quiz_that_is_done_says_so(tmp_path: Path) -> None:
    """With its score, and 0."""
    file = str(tmp_path / "mine.json")
    call("quiz", "draw", "--step", "total", "--resume", file, stdin=b"9.83\n")
    text = out("quiz", "--resume", file)
    assert "This quiz is done." in text
    assert "1 of 1 point" in text


@pytest.mark.parametrize("other", [b"{}", b""])
def test_what_another_quiz_wrote_meanwhile_stays(other: bytes, tmp_path: Path) -> None:
    """Two quizzes on one file: the later one is told, and the answers of the first are not lost."""
    file = tmp_path / "kept.json"
    call("quiz", "draw", "--step", "total", "--resume", str(file), stdin=b"hint\nquit\n")
    mine = file.read_bytes()
    found = saved(mine, "kept.json")
    state = state_in(
        found, quiz_in(found.setting, Source("draw", Folder(tmp_path), found.setting.document)), "kept.json"
    )
    begun_with = Begun(found.setting, state, file, held=[mine])
    begun_with.keep(state)
    file.write_bytes(other)
    with pytest.raises(UsageError) as error:
        begun_with.keep(state)
    assert [fault.code for fault in error.value.faults] == ["quiz-file-changed"]
    assert file.read_bytes() == other


def test_arrays_in_files_come_along(tmp_path: Path) -> None:
    """The progress of a scenario with arrays beside it can be read wherever it is, and without them."""
    for folder in ("there", "elsewhere"):
        (tmp_path / folder).mkdir()
    scenario, file = tmp_path / "there" / "own.json", tmp_path / "elsewhere" / "mine.json"
    np.save(tmp_path / "there" / "v.npy", np.array([[1.0], [2.0]]))
    scenario.write_text('{"scores": [1, 2], "v": {"npy": "v.npy"}, "places": 2}')
    for words in ((str(scenario),), (str(scenario),), ()):
        done = call("quiz", *words, "--step", "context", "--resume", str(file), stdin=b"quit\n")
        assert (done.code, done.err) == (0, "")
        assert "key 1, feature 0: 2" in call("quiz", "--resume", str(file), "--plain", stdin=b"quit\n").out
    (tmp_path / "there" / "v.npy").unlink()
    assert call("quiz", "--resume", str(file), stdin=b"1.73\n").code == 0


def test_the_progress_of_a_built_in_block_is_found_again(tmp_path: Path) -> None:
    """Its arrays stand beside the program."""
    file = str(tmp_path / "mine.json")
    call("quiz", "gpt2-block", "--step", "mean", "--resume", file, stdin=b"hint\nquit\n")
    assert "Hints so far: 1" in call("quiz", "--resume", file, stdin=b"quit\n").out


UNREACHABLE = ["nowhere/x.json", ".", "-", "/dev/stdout", "/dev/null", "a\0b", "z" * 5_000]


@pytest.mark.parametrize("name", UNREACHABLE, ids=range(len(UNREACHABLE)))
def test_progress_that_cannot_be_kept_is_refused_before_anything_is_asked(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """No folder, no plain file, no name of a file."""
    monkeypatch.chdir(tmp_path)
    done = call("quiz", "draw", "--resume", name, stdin=b"1\n")
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# --- answer sheets --------------------------------------------------------------------------------

SHEETS = [
    (list(DRAW.values()), "right right right right right", "5", 0),
    (["6.05 1.22 1.82 0.74", "9.83", "0.62 0.12 0.19 0.08", "0.70 0.27 0.47", "1.10 0.17 0.67"],
     "right right right rounding rounding", "5", 0),
    (["6.05 1.22 1.82 0.74", "# nothing", "", "  9.83 # the sum"], "right right unanswered unanswered unanswered", "2", 1),
    (["1 2 3 4", "10.00", "0.10 0.20 0.30 0.40", "0.40 0.40 0.64", "0.80 0.30 0.84"],
     "unknown follow-through follow-through follow-through follow-through", "4", 1),
    (["skip", "hint", "9.83", "提示", "hint", "hint", "0.7 0.3 0.5", "mine", "1.09 0.17 0.66"],
     "skipped right shown short right", "1.75", 1),
    (["6.05 1.22 1.82 0.74", "quit", "nonsense"], "right unanswered unanswered unanswered unanswered", "1", 1),
    ([], "unanswered unanswered unanswered unanswered unanswered", "0", 1),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "verdicts", "score", "code"), SHEETS, ids=range(len(SHEETS)))
def test_an_answer_sheet(lines: list[str], verdicts: str, score: str, code: int, tmp_path: Path) -> None:
    """A line for each question; a wrong answer stands, and what follows from it is right."""
    file = tmp_path / "ann.txt"
    file.write_text("".join(f"{line}\n" for line in lines))
    done = call("quiz", "draw", "--answers", str(file), "--json")
    found = json.loads(done.out)
    assert [question["verdict"] for question in found["questions"]] == verdicts.split()
    assert (str(found["points"]), found["of"], found["all_right"], done.code) == (score, 5, code == 0, code)
    assert done.out == call("quiz", "draw", "--answers", "-", "--json", stdin=file.read_bytes()).out
    text = call("quiz", "draw", "--answers", str(file))
    assert (text.code, text.err) == (code, "")
    assert f"{score} of 5 points" in text.out


def test_the_json_of_a_sheet_says_what_a_teacher_needs() -> None:
    """What was typed, the mistakes, the right row of what was not answered right."""
    done = call("quiz", "draw", "--step", "weights", "--answers", "-", "--json", stdin=b"1.8 0.2 0.6 -0.3\n")
    (question,) = json.loads(done.out)["questions"]
    assert question["answers"] == ["1.8 0.2 0.6 -0.3"]
    assert [mistake["name"] for mistake in question["mistakes"]] == ["softmax-skipped"]
    assert question["right_row"] == pytest.approx(list(softmax_of(SCORES)))


def test_every_line_of_a_sheet_that_cannot_be_read_is_reported() -> None:
    """With its number, before anything is judged or kept."""
    done = call("quiz", "draw", "--answers", "-", stdin=b"1 2\n\nhi\n0.6 x 0.2 0.1\nskip\nskip\n7\n")
    assert (done.code, done.out) == (2, "")
    assert [line.split(": ")[1] for line in done.err.splitlines()] == ["stdin:1", "stdin:3", "stdin:4", "stdin:7"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_line_of_a_pipe_that_is_no_answer_has_its_number(language: str) -> None:
    """Blank lines count, as an editor counts them."""
    done = call("quiz", "draw", stdin=b"6.05 1.22 1.82 0.74\n\nhi there\n9.83 1\nquit\n", language=language)
    assert done.code == 2
    assert [line.split(": ")[:2] for line in done.err.splitlines()] == [
        ["attncalc", "stdin:3"],
        ["attncalc", "stdin:4"],
    ]


def test_answers_come_from_one_file() -> None:
    """The first of two is not left out in silence."""
    done = call("quiz", "draw", "--answers", "one.txt", "--answers", "two.txt")
    said = "attncalc: --answers: the answers come from one file; here are one.txt, two.txt\n"
    assert (done.code, done.out, done.err) == (2, "", said)


def test_a_sheet_goes_on_with_kept_progress(tmp_path: Path) -> None:
    """And is kept itself."""
    file = str(tmp_path / "mine.json")
    call("quiz", "draw", "--resume", file, stdin=f"{DRAW['exponentials']}\nquit\n".encode())
    rest = "\n".join(list(DRAW.values())[1:]).encode()
    assert call("quiz", "--resume", file, "--answers", "-", stdin=rest).code == 0
    assert len(json.loads(Path(file).read_text())["done"]) == 5


# --- the command line -----------------------------------------------------------------------------

REFUSED = [
    (("draw", "--random"), "draw: is a second quiz beside --random; keep one of them"),
    (("draw", "--seed", "1"), "--seed: works with --random only"),
    (("draw", "--level", "1"), "--level: works with --random only"),
    (("--random", "--level", "6"), "--level: 6 is not a whole number from 1 to 5"),
    (("draw", "--token", "I"), "--token: I is not a query here"),
    (("mini-head", "--token", "We", "--token", "saw"), "a quiz is about one query"),
    (("draw", "--head", "1"), "--head"), (("draw", "--json"), "needs the answers from a file"),
    (("-", "--answers", "-"), "the scenario comes on standard input already"), (("draw", "--step", "scores"), "is not asked for here"),
    (("draw", "--answers", "nowhere.txt"), "nowhere.txt"), (("nowhere",), "nowhere"), (("draw", "--places", "99"), "--places"),
    (("--resume", "nowhere.json"), "is not there yet"), (("draw", "--format", "csv"), "csv"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "sentence"), REFUSED)
def test_what_cannot_be_asked_is_refused(
    words: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One sentence, and 2."""
    monkeypatch.chdir(tmp_path)
    done = call("quiz", *words, stdin=b"")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert sentence in done.err


ENDS = [
    ("quit\n", 0), ("", 1), (f"{DRAW['weights']}\n", 0), ("1 2 3 4\nskip\n", 0), ("1 2 3 4\n", 1), ("x\nskip\n", 2),
    ("\n\n", 1), (f"{DRAW['weights']}\nx\ny\n", 0),
]  # fmt: skip


@pytest.mark.parametrize(("lines", "code"), ENDS)
def test_how_a_pipe_ends(lines: str, code: int) -> None:
    """0 at the end of the quiz or by `quit`, 1 where it ends early, 2 where a line was no answer; the score always."""
    done = call("quiz", "draw", "--step", "weights", stdin=lines.encode())
    assert done.code == code
    assert " of 1 point" in done.out


@pytest.mark.parametrize("data", [b"\xff\xfe\n", b"next", b"1" * 10_000, b"\x1b[31m 1\n", b"\xef\xbb\xbfhint\n"])
def test_odd_input_ends_well(data: bytes) -> None:
    """Bytes that are no text, a line without an end, ten thousand digits, what a terminal would obey."""
    done = call("quiz", "draw", stdin=data)
    assert done.code in (0, 1, 2)
    assert "Traceback" not in done.err
    assert "\x1b" not in done.out + done.err


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_a_scenario_it_lists_those_there_are(language: str) -> None:
    """As explain does."""
    text = out("quiz", language=language)
    assert all(name in text for name in BUILT_IN)
    assert "attncalc quiz NAME" in text


def test_it_tells_which_head_and_entry() -> None:
    """The first by default, with a note."""
    assert "The quiz is about head 0" in call("quiz", "grouped", stdin=b"quit\n").out
    assert "The quiz is about batch entry 0" in call("quiz", "padding", stdin=b"quit\n").out
    chosen = call("quiz", "grouped", "--head", "2", stdin=b"quit\n").out
    assert "The quiz is about" not in chosen
    assert "(head 2)" in chosen


@pytest.mark.parametrize("level", ["1", "2", "3", "4", "5"])
def test_random_numbers_can_be_had_again(level: str, tmp_path: Path) -> None:
    """The printed command makes the same quiz, and no seed a new one."""
    file = tmp_path / "mine.json"
    text = call("quiz", "--random", "--level", level, "--resume", str(file), stdin=b"quit\n").out
    found = re.search(r"again with: attncalc (quiz --random --level \d --seed \d+)", text)
    assert found
    assert call(*found[1].split(), "--resume", str(file), stdin=b"quit\n").code == 0
    assert call(*found[1].split(), stdin=b"quit\n").out.split("Next")[0] == text.split("Next")[0]
    assert call("quiz", "--random", "--level", level, stdin=b"quit\n").out != text


def test_plain_ascii_and_width() -> None:
    """As the other commands do."""
    plain = call("quiz", "draw", "--plain", stdin=b"quit\n").out
    assert "query draw, key I: 1.8" in plain
    ascii_only = call("quiz", "grouped", "--ascii", "--step", "scaled", stdin=b"hint\nquit\n").out
    assert ascii_only.isascii()
    narrow = call("quiz", "draw", "--width", "40", stdin=b"quit\n").out
    assert max(len(line) for line in narrow.splitlines() if "attncalc" not in line) <= 60
    assert "\x1b[" in call("quiz", "draw", "--color", "always", stdin=b"quit\n").out


def test_the_decimal_score_is_exact() -> None:
    """Quarters, without zeros at the end."""
    assert [points(quarters) for quarters in (0, 1, 2, 3, 4, 41)] == ["0", "0.25", "0.5", "0.75", "1", "10.25"]
    assert all(Decimal(points(quarters)) * 4 == quarters for quarters in range(100))


@pytest.mark.parametrize("page", ["docs/quiz.md", "docs/zh/quiz.md"])
def test_the_page_has_every_command(page: str) -> None:
    """Its table is that of the program."""
    language = "zh" if "zh" in page else "en"
    text = (Path(__file__).parent.parent / page).read_text(encoding="utf-8")
    messages = catalogue(language)
    for command in COMMANDS:
        word = messages[f"quiz-word.{command.name}"].split(" ")[0]
        assert f"| `{word}` | {messages[f'quiz-do.{command.name}']} |" in text
        assert f"`{command.name}`" in text


def test_every_outcome_has_a_word() -> None:
    """In the table of the end."""
    assert {code.removeprefix("quiz-outcome.") for code in catalogue("en") if code.startswith("quiz-outcome.")} == set(
        OUTCOMES
    )


def test_a_sheet_is_a_reply_for_each_line() -> None:
    """In the order of the lines, with what is said to each."""
    found = sheet(State(quiz("draw")), enumerate(DRAW.values(), 1), "ann", VIEW)
    assert [line for line, _ in found.told] == list(DRAW.values())
    assert isinstance(reply(State(quiz("draw")), "", VIEW), Reply)
