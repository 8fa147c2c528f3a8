"""float32 and float16 show what really happens there: the same as NumPy in that type, overflow and all."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from agreement import Document, Steps, listed, trace_of

from attncalc import render
from attncalc.core.stage import Trace
from attncalc.document.view import say_in

KINDS = ("float64", "float32", "float16")
LARGEST = {"float64": "1.8e308", "float32": "3.4e38", "float16": "65504"}

each_kind = pytest.mark.parametrize("kind", KINDS)


def straight(document: Document, kind: str) -> Steps:
    """Scaled dot-product attention in one type of number: every line is rounded to it."""
    dtype = np.dtype(kind).type
    q, k, v = (np.array(document[name], dtype=float).astype(dtype) for name in "qkv")
    steps: Steps = {"scores": q @ k.swapaxes(-1, -2)}
    scaled = steps["scaled"] = steps["scores"] / np.sqrt(dtype(q.shape[-1]))
    if document.get("shift"):
        steps["maximum"] = scaled.max(axis=-1, keepdims=True)
        scaled = steps["shifted"] = scaled - steps["maximum"]
    steps["exponentials"] = np.exp(scaled)
    steps["total"] = steps["exponentials"].sum(axis=-1, keepdims=True)
    steps["weights"] = steps["exponentials"] / steps["total"]
    steps["context"] = steps["weights"] @ v
    return steps


def cells(trace: Trace, step: str) -> Any:
    """A step's numbers in the type they have."""
    return trace[step].cells[0]


def assert_units(got: Any, wanted: Any, units: float) -> None:
    """Within so many units of the last place, infinities and NaN alike."""
    assert got.dtype == wanted.dtype
    np.testing.assert_allclose(got, wanted, rtol=units * np.finfo(wanted.dtype).eps, atol=0, equal_nan=True)


def document(size: float, **options: Any) -> Document:
    """Two heads of q, k and v whose numbers are about that large; places enough to see the last digit."""
    random = np.random.default_rng(8)
    arrays = {name: listed(np.round(random.normal(size=(2, 3, 4)) * size, 3)) for name in "qkv"}
    return {**arrays, "places": 17, **options}


@each_kind
@pytest.mark.parametrize("size", [0.01, 1, 1.5])
@pytest.mark.parametrize("shift", [True, False])
def test_every_step_is_numpys_in_that_type(size: float, shift: bool, kind: str) -> None:
    """To 2 units of the last place: not rounded less, as it would be if float64 stood behind it."""
    made = document(size, shift=shift)
    trace = trace_of(made, kind)
    with np.errstate(all="ignore"):
        wanted = straight(made, kind)
    for step, values in wanted.items():
        assert_units(cells(trace, step), values, 2)
    if kind != "float64":
        finer = straight(made, "float64")["context"]
        assert (np.abs(cells(trace, "context") - finer) > np.finfo(kind).eps * np.abs(finer) / 8).any()


ROUNDED: list[tuple[str, str, str]] = [
    # type, as written, as shown with 30 places
    ("float16", "0.1", "0.0999755859375"), ("float16", "2049", "2048"), ("float16", "65519", "65504"),
    ("float32", "0.1", "0.100000001490116119384765625"), ("float32", "16777217", "16777216"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "written", "held"), ROUNDED)
def test_given_numbers_are_rounded_to_the_type(kind: str, written: str, held: str) -> None:
    """What is written and what the type holds differ, and the second is calculated with."""
    trace = trace_of({"weights": [[float(written)]], "v": [[1]]}, kind)
    assert format(trace["context"].exact.item(), "f") == held


# --- out of range ---------------------------------------------------------------------------------


def sentences(trace: Trace, language: str = "en") -> dict[str, str]:
    """The notes by code."""
    return {note["code"]: note["text"] for note in json.loads(render(trace, "json", language))["notes"]}


OVERFLOWS: list[tuple[str, Document, str]] = [
    # type, document, the first step that leaves the range
    ("float16", {"q": [[300, 300]], "k": [[200, 200], [1, 1]], "v": [[1], [2]]}, "scores"),
    ("float16", {"q": [[300]], "k": [[200], [1]], "v": [[1], [2]], "scale": 2}, "scaled"),
    ("float16", {"scores": [[50000, 1]], "bias": [[50000, 0]], "v": [[1], [2]]}, "biased"),
    ("float16", {"scores": [[11.5, 1]], "shift": False}, "exponentials"),
    ("float16", {"scores": [[10.5, 10.5, 10.5]], "shift": False}, "total"),
    ("float16", {"weights": [[1, 1]], "v": [[60000], [60000]]}, "context"),
    ("float16", {"weights": [[1]], "v": [[60000]], "residual": [[60000]]}, "residual"),
    ("float32", {"q": [[1e20]], "k": [[1e20], [1]]}, "scores"), ("float32", {"scores": [[89, 1]], "shift": False}, "exponentials"),
    ("float64", {"q": [[1e200]], "k": [[1e200], [1]]}, "scores"), ("float64", {"scores": [[710, 1]], "shift": False}, "exponentials"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "made", "step"), OVERFLOWS)
def test_overflow_to_infinity_is_shown_and_noted(kind: str, made: Document, step: str) -> None:
    """The first step that leaves the range is named, with where the range ends; NaN follows where NumPy has it."""
    trace = trace_of(made, kind)
    assert np.isposinf(trace[step].values).any()
    notes = [note for note in trace.notes if note.code == "overflow"]
    assert [(note.step, note.fields["kind"], note.fields["largest"]) for note in notes] == [(step, kind, LARGEST[kind])]
    for language in ("en", "zh"):
        said = sentences(trace, language)["overflow"]
        assert step in said or say_in(language)(f"name.{step}") in said
        assert LARGEST[kind] in said
    assert "∞" in render(trace, "table")
    assert '"Infinity"' in render(trace, "json")


def test_an_overflowing_score_leads_to_nan_as_in_numpy() -> None:
    """∞ − ∞ after the shift."""
    made = OVERFLOWS[0][1]
    trace = trace_of(made, "float16")
    assert np.isnan(trace["context"].values).all()
    with np.errstate(all="ignore"):
        wanted = straight({name: [made[name]] for name in "qkv"} | {"shift": True}, "float16")
    for step in ("scores", "scaled", "shifted", "weights", "context"):
        assert_units(cells(trace, step), wanted[step], 0)


@pytest.mark.parametrize("made", [made for kind, made, _ in OVERFLOWS if kind == "float16"])
def test_decimals_do_not_overflow(made: Document) -> None:
    """The same numbers in exact arithmetic: no infinity, no NaN, and neither note."""
    trace = trace_of(made, "exact")
    assert all(cell.is_finite() for step in trace for cell in step.exact.flat)
    assert not {"overflow", "shifted"} & {note.code for note in trace.notes}


@pytest.mark.parametrize("made", [made for kind, made, _ in OVERFLOWS if kind != "float16"])
def test_a_note_never_stands_in_the_way_of_a_result(made: Document) -> None:
    """By hand e^−1e40 is 0; that exact arithmetic could not hold it, to compare, is no reason to refuse."""
    trace = trace_of({**made, "by_hand": 4, "shift": True}, "by-hand")
    assert listed(trace["weights"].values) == [[1, 0]]


# --- the shift that the range asks for ------------------------------------------------------------

SHIFTS: list[tuple[str, list[float], bool]] = [
    # type, a row of scores, whether the row maximum has to go first
    ("float16", [12, 0], True), ("float16", [11.08, 0], False), ("float16", [11.1, 0], True),
    ("float16", [10.5, 10.4, 10], True), ("float16", [-9, -9.5], False), ("float16", [-10, -20], True),
    ("float16", [-20, -20], True), ("float32", [88, 1], False), ("float32", [89, 1], True), ("float32", [-87, -90], False),
    ("float32", [-88, -90], True), ("float64", [709, 1], False), ("float64", [710, 1], True),
    ("float64", [-708, -720], False), ("float64", [-709, -720], True), ("float64", [12, 0], False),
    ("exact", [12000, 0], False), ("exact", [-12000, -12001], False), ("by-hand", [12, 0], False),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "scores", "shifts"), SHIFTS)
def test_the_row_maximum_is_taken_off_where_the_range_asks_for_it(kind: str, scores: list[float], shifts: bool) -> None:
    """e^12 is no float16; never in decimals; and a note says so."""
    trace = trace_of({"scores": [scores], "v": [[1]] * len(scores)}, kind)
    assert ("shifted" in trace, "maximum" in trace) == (shifts, shifts)
    notes = [note for note in trace.notes if note.code == "shifted"]
    assert [note.fields["kind"] for note in notes] == ([kind] if shifts else [])
    true = np.exp(np.array(scores) - max(scores))
    near = {"float16": 3e-3, "float32": 1e-6, "by-hand": 1e-4}.get(kind, 1e-12)
    np.testing.assert_allclose(trace["weights"].values[0], true / true.sum(), atol=near)


def test_the_note_on_the_shift_says_why_in_both_languages() -> None:
    """With the type whose range it is."""
    trace = trace_of({"scores": [[12, 0]]}, "float16")
    assert sentences(trace)["shifted"] == (
        "Without taking off the row maximum the exponentials would leave the range of float16; the weights are the same."
    )
    assert "float16" in sentences(trace, "zh")["shifted"]


def test_a_shift_that_the_scenario_says_is_kept() -> None:
    """`false` overflows where it must, `true` shifts where it need not; neither gets the note."""
    kept = trace_of({"scores": [[12, 0]], "shift": False}, "float16")
    assert "shifted" not in kept
    assert np.isinf(kept["exponentials"].values[0, 0])
    asked = trace_of({"scores": [[1, 0]], "shift": True}, "float16")
    assert "shifted" in asked
    assert all("shifted" not in {note.code for note in trace.notes} for trace in (kept, asked))


@each_kind
def test_a_row_that_sees_nothing_asks_for_no_shift(kind: str) -> None:
    """Its exponentials are 0 because it is empty, not because they vanish."""
    trace = trace_of({"scores": [["-Infinity", "-Infinity"], [1, 2]]}, kind)
    assert "shifted" not in trace


@each_kind
def test_a_sink_can_overflow_or_hold_up_a_total(kind: str) -> None:
    """It counts in the total like any score."""
    high = {"float64": 710, "float32": 89, "float16": 12}[kind]
    assert "shifted" in trace_of({"scores": [[1, 0]], "sink": high}, kind)
    assert np.isfinite(trace_of({"scores": [[1, 0]], "sink": high}, kind)["weights"].values).all()
