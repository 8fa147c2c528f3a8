"""Every note has a scenario that brings it up and one, a step away, that does not; in both languages."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
import pytest
from samples import DRAW, LANGUAGES, random_hand_texts, sentences, trace_of, trace_of_text

from attncalc import load, run
from attncalc.calculations import decimal
from attncalc.core import certain
from attncalc.core.bounded import Bounded
from attncalc.core.numbers import figure_of
from attncalc.core.stage import Trace
from attncalc.errors import CalculationError
from attncalc.messages import catalogue
from attncalc.notes import FINAL_STEPS


class Case(NamedTuple):
    """A document with the note, what the sentence says (its numbers and names), and one without it."""

    code: str
    document: dict[str, Any]
    says: tuple[str, ...]
    without: dict[str, Any]


X = {"x": [[1, 0], [0, 1]], "w_q": [[1, 0], [0, 1]], "w_k": [[1, 0], [0, 1]], "w_v": [[1, 0], [0, 1]]}
QK = {"q": [[1, 0]], "k": [[1, 0], [0, 1]]}
EMPTY: dict[str, Any] = {"tokens": ["a", "b"], "scores": [["-Infinity", "-Infinity"], [0, 0]]}
LINEAR: dict[str, Any] = {"weighting": "linear", "arithmetic": "float64"}
SEEING: dict[str, Any] = {"tokens": ["a", "b"], "scores": [["-Infinity", 0], [0, 0]]}

CASES = [
    Case("made-up", {**DRAW, "made_up": ["v", "scores"]}, ("v, scores",), DRAW),
    Case("made-up", {**DRAW, "made_up": True}, (), DRAW),
    Case("no-projections", {"x": X["x"]}, (), X),
    Case("no-projections", {"x": X["x"]}, (), {"x": X["x"], "weighting": "uniform"}),
    Case("no-projections", {"x": X["x"]}, (), {**X, "w_q": "identity", "w_k": "identity", "w_v": "identity"}),
    Case("unscaled", {**QK, "scale": "none"}, ("√d_k = √2",), QK),
    Case("unscaled", {**QK, "scale": "none"}, (), {**QK, "scale": 1}),
    Case("unscaled", {**QK, "scale": "none"}, (), {**DRAW, "scale": "none"}),
    Case("single-key", {"scores": [[1, 2], [3, 4]], "mask": "causal"}, ("0",), {"scores": [[1, 2], [3, 4]]}),
    Case("single-key", {"tokens": ["only"], "scores": [7]}, ("only",), {"scores": [7, 7]}),
    Case("single-key", {"tokens": ["only"], "scores": [7]}, (), {"scores": [7], "weighting": "linear"}),
    Case("empty-row", EMPTY, ("a", "empty_rows: zero"), SEEING),
    Case("empty-row", {**EMPTY, "empty_rows": "zero"}, ("a", "empty_rows: zero"), {**SEEING, "empty_rows": "zero"}),
    Case("empty-row", {**EMPTY, "empty_rows": "nan"}, ("a", "NaN", "empty_rows: nan"), {**SEEING, "empty_rows": "nan"}),
    Case(
        "empty-row", {**EMPTY, "empty_rows": "uniform"}, ("a", "empty_rows: uniform"),
        {**SEEING, "empty_rows": "uniform"},
    ),
    Case("saturated", {"scores": [0, -12]}, ("1", "1.0000"), {"scores": [0, -9]}),
    Case("saturated", {"scores": [0, -12, -13]}, ("2", "1.0000"), {"scores": [0, -9, -9]}),
    Case("saturated", {"scores": [0, -12]}, (), {"scores": [0, -12], "places": 6}),
    Case("saturated", {"scores": [0, -12]}, (), {"scores": [0, "-Infinity"]}),
    Case("saturated", {"scores": [0, -6], "by_hand": {"default": 4, "weights": 2}}, ("1", "1.00"),
         {"scores": [0, -6], "by_hand": 4}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, ("0.99",), {"scores": [0, 0], "places": 2}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, ("2",), {"scores": [0, 0, "-Infinity"], "places": 2}),
    Case("rounded-sum", {"scores": [[0, 0, 0]] * 4, "places": 2}, ("4", "0.99"), {"scores": [[0, 0]] * 4}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, (), {"weights": [0.3, 0.3], "v": [[1], [1]]}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, (), {**EMPTY, "places": 2}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, (),
         {**LINEAR, "scores": [1e305, -1e305, 1e5], "places": 9}),
    Case("rounded-sum", {"scores": [0, 0, 0], "places": 2}, (),
         {**LINEAR, "scores": [1e205, -1e205, 1e-104, 1e-104, 1e-104], "places": 2}),
    Case("by-hand-differs", {**DRAW, "by_hand": 2}, ("(0.69, 0.27, 0.46)", "2", "3"),
         {**DRAW, "by_hand": {"default": 9, "context": 2}}),
    Case("by-hand-differs", {**DRAW, "by_hand": 2}, (), {**DRAW, "places": 2}),
    Case("by-hand-differs", {**DRAW, "by_hand": 2}, (), {"scores": DRAW["scores"], "by_hand": 2}),
    Case("shifted", {"scores": [800, 0], "arithmetic": "float64"}, ("float64",),
         {"scores": [700, 0], "arithmetic": "float64"}),
    Case("shifted", {"scores": [-800, -801], "arithmetic": "float64"}, (), {"scores": [800, 0], "arithmetic": "exact"}),
    Case("shifted", {"scores": [800, 0], "arithmetic": "float64"}, (),
         {"scores": [800, 0], "arithmetic": "float64", "shift": True}),
    Case("shifted", {"scores": [800, 0], "arithmetic": "float64"}, (),
         {"scores": [800, 0], "arithmetic": "float64", "shift": False}),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_note_is_there_and_says_its_numbers(case: Case, language: str) -> None:
    """The sentence in the language, with what it speaks of and no field left open."""
    found = sentences(trace_of(case.document), language)
    assert len(found.get(case.code, [])) == 1, found
    for words in case.says:
        assert words in found[case.code][0]
    assert not re.search(r"[{}]", found[case.code][0])
    assert bool(re.search(r"[一-鿿]", found[case.code][0])) == (language == "zh")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.code)
def test_a_note_is_not_there_a_step_away(case: Case) -> None:
    """A scenario just short of the condition does not bring the note up."""
    assert case.code not in sentences(trace_of(case.without))


@pytest.mark.parametrize(("count", "digits"), [(1, 11_180), (4, 5_590), (100, 1_118), (1_000_000, 400)])
def test_the_more_numbers_the_fewer_digits(count: int, digits: int) -> None:
    """So that exponentials of very many digits end in seconds; 400 are always there."""
    assert certain.most_digits([Bounded(np.zeros(1)), Bounded(np.zeros(count))]) == digits


def test_many_numbers_worlds_apart_leave_a_digit_open() -> None:
    """Forty exponentials of twenty thousand digits would take minutes; two of four thousand do not."""
    document = {"rounding": "truncate", "arithmetic": "exact"}
    assert "undecided" in sentences(trace_of({**document, "scores": [[0, -9000]] * 20}))
    assert "undecided" not in sentences(trace_of({**document, "scores": [0, -9000]}))


def test_a_digit_that_stays_open_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where even the most digits cannot tell a number from an edge; with enough of them nothing is said.

    e^−1500 lies 652 digits away from 1; they count twice, since what is exponentiated may be multiplied.
    """
    monkeypatch.setattr(certain, "MOST_DIGITS", 1500)
    document = {"rounding": "truncate", "arithmetic": "exact"}
    assert "undecided" in sentences(trace_of({**document, "scores": [0, -3000]}))
    near = trace_of({**document, "scores": [0, -1500]})
    assert "undecided" not in sentences(near)
    assert str(near["weights"].exact[0, 0])[:6] == "0.9999"


def test_every_note_of_the_catalogue_was_seen() -> None:
    """No sentence about a trace is left untested."""
    seen = {note.message() for case in CASES for note in run(load(case.document)).notes} | {"note.undecided"}
    shown_elsewhere = {  # with the kinds of attention and the floating-point widths, by `explain`, on pages
        "note.overflow", "note.sink-share", "note.cache", "note.rounded-sum-float", "note.shown-rounded",
        "note.first-head", "note.first-batch", "note.first-batch-and-head",
        "note.cropped-heads", "note.cropped-sides", "note.cropped-stories",
    }  # fmt: skip
    plain = {code.removesuffix("-one").removesuffix("-here") for code in catalogue("en") if code.startswith("note.")}
    assert plain <= seen | shown_elsewhere


def test_draw_parts_from_full_precision_at_the_weights() -> None:
    """The context would be 0.69 0.27 0.46: two of three numbers moved, first by rounding the weights."""
    note = next(note for note in run(load("draw")).notes if note.code == "by-hand-differs")
    assert (note.step, note.fields) == (
        "context", {"step": "context", "moved": 2, "all": 3, "first": "weights", "vectors": [((0, 0, 0), "(0.69, 0.27, 0.46)")]},
    )  # fmt: skip
    sentence = sentences(run(load("draw")))["by-hand-differs"][0]
    assert "(0.69, 0.27, 0.46)" in sentence
    assert "2 of 3" in sentence
    assert "weights" in sentence


@pytest.mark.parametrize(
    ("by_hand", "first"),
    [
        ({"default": 6, "exponentials": 1, "context": 4}, "exponentials"),
        ({"default": 10, "weights": 2, "context": 2}, "weights"),
        ({"default": 10, "exponentials": 0, "context": 2}, "exponentials"),
        ({"default": 10, "total": 0, "context": 2}, "total"),
    ],
)  # fmt: skip
def test_the_first_rounding_that_matters(by_hand: dict[str, int], first: str) -> None:
    """Roundings are put in step by step; the first that changes a final number is named."""
    notes = [note for note in trace_of({**DRAW, "by_hand": by_hand}).notes if note.code == "by-hand-differs"]
    assert [note.fields["first"] for note in notes] == [first]


DIFFERS = "by-hand-differs"


def first_to_move(trace: Trace) -> str:
    """The step that the note names, found the long way: each rounding put in, all calculated again and shown."""
    computed = [step.name for step in trace if not step.stage.given]

    def shown(rounded: int) -> list[Any]:
        steps, _ = decimal(trace.scenario, frozenset(computed[:rounded]).__contains__)
        partly = {step.name: step.cells for step in steps}
        return [figure_of(trace, trace[name], x) for name in FINAL_STEPS if name in trace for x in partly[name].flat]

    exact = shown(0)
    return next(name for rounded, name in enumerate(computed, 1) if shown(rounded) != exact)


def test_the_first_rounding_is_the_same_found_the_long_way() -> None:
    """Whatever the scenario: a rounding that changes nothing may be left out, as it is in the program."""
    found = []
    for text in random_hand_texts(40, 3):
        with suppress(CalculationError):  # by hand a total may round to 0
            trace = trace_of_text(text)
            found += [(note.fields["first"], first_to_move(trace)) for note in trace.notes if note.code == DIFFERS]
    assert [said for said, _ in found] == [first for _, first in found]
    assert len({said for said, _ in found}) > 3


HEADS = {"scores": [[[0.5]], [[1]]], "v": [[[1.26]], [[1.26]]], "w_o": [[1], [1]], "by_hand": 1, "query_tokens": ["a"]}
NAMED: list[tuple[dict[str, Any], str, list[str]]] = [
    (HEADS, "by-hand-differs", ["the output is (2.5)"]),
    ({"weights": [[[1]], [[1]]], "v": [[[1.45]], [[3]]], "by_hand": {"default": 0, "context": 1}, "query_tokens": ["a"]},
     "by-hand-differs", ["the joined heads is (1, 3)"]),
    ({"scores": [[[[1, 2], [1, 2]]] * 2] * 2, "mask": "causal", "tokens": ["a", "b"]},
     "single-key", ["a (batch 0), a (batch 1) sees"]),
    ({"scores": [[[1, 2], [1, 2]]] * 2, "mask": "causal", "tokens": ["a", "b"]}, "single-key", ["a sees"]),
]  # fmt: skip


@pytest.mark.parametrize(("document", "code", "parts"), NAMED)
def test_rows_that_no_head_has_alone_are_named_without_one(
    document: dict[str, Any], code: str, parts: list[str]
) -> None:
    """Joined rows are those of all heads; what is so in every head is said of none."""
    found = sentences(run(load(document)))[code]
    assert all(any(part in sentence for sentence in found) for part in parts), found


def test_a_note_names_the_rows_it_speaks_of() -> None:
    """`explain` for one query leaves out what is said of others."""
    notes = {note.code: tuple(row.query for row in note.rows) for note in trace_of(EMPTY).notes}
    assert notes["empty-row"] == (0,)
