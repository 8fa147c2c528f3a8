"""The diagnosis: right answers are never called wrong, wrong ones get the verdict and the reason that they have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np
import pytest
from samples import BUILT_IN, softmax

from attncalc import load, run
from attncalc.core.figures import figure
from attncalc.core.stage import Trace
from attncalc.practice.agreement import Sheet
from attncalc.practice.answer_json import answers_of
from attncalc.practice.answered import Answered
from attncalc.practice.catalogue import CATALOGUE
from attncalc.practice.diagnose import diagnose
from attncalc.practice.discriminating import drawn
from attncalc.practice.plan import plan_of
from attncalc.practice.recipes import LEVELS
from attncalc.practice.simulation import Simulation, rounding
from attncalc.practice.verdicts import Diagnosis
from attncalc.scenario_files.json_text import parse

EXACT = {"by_hand": "off", "arithmetic": "exact"}


def exact(source: Any, *changes: str, **options: str) -> Trace:
    """The right calculation of a scenario."""
    return run(load(source, changes, EXACT | options))


def judged(trace: Trace, **answers: Any) -> Diagnosis:
    """The diagnosis of answers by step, numbers as they are written in JSON."""
    text = json.dumps(answers) if not all(isinstance(a, str) for a in answers.values()) else _joined(answers)
    return diagnose(trace, answers_of(trace, parse(text.encode(), "answers"), "answers"))


def _joined(answers: dict[str, str]) -> str:
    return "{" + ", ".join(f'"{name}": {text}' for name, text in answers.items()) + "}"


def written(cells: Any, places: int, rounding: str = "half-up") -> str:
    """Nested numbers as JSON with so many digits; hidden scores as "-Infinity"."""
    if isinstance(cells, list | tuple | np.ndarray):
        return "[" + ", ".join(written(cell, places, rounding) for cell in cells) + "]"
    text = figure(cells, places, rounding)
    return '"-Infinity"' if text == "-inf" else "null" if text == "NaN" else text


def names(diagnosis: Diagnosis) -> list[str]:
    """What was found."""
    return [finding.name for finding in diagnosis.findings]


# --- right answers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
@pytest.mark.parametrize("places", [1, 2, 4, 12])
def test_right_answers_are_right(name: str, places: int) -> None:
    """Every step of every built-in scenario, rounded to any places, all at once."""
    trace = exact(name) if name != "gpt2-block" else run(load(name))
    texts = {step.name: written(step.exact, places) for step in trace if step.shape}
    found = judged(trace, **texts)
    assert found.verdict == "right"
    assert {step.verdict for step in found.steps} == {"right"}
    assert found.first_wrong is None


@pytest.mark.parametrize("name", ["draw", "mini-head", "grouped", "cross", "apple-chars", "causal-head"])
@pytest.mark.parametrize(("places", "rounding"), [(2, "half-up"), (3, "half-even"), (2, "truncate"), (1, "half-up")])
def test_a_calculation_by_hand_is_right_or_rounded(name: str, places: int, rounding: str) -> None:
    """Each step's result rounded before the next uses it: never called wrong, whichever steps are given."""
    hand = run(load(name, (), {"by_hand": str(places), "rounding": rounding}))
    trace = exact(name)
    steps = [step for step in hand if not step.stage.given]
    for given in (steps, steps[-1:], steps[::2]):
        found = judged(trace, **{step.name: written(step.exact, places, rounding) for step in given})
        assert found.verdict in ("right", "rounding"), (name, [(s.name, s.verdict, s.findings) for s in found.steps])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("name", ["mini-head", "gpt2-block", "causal-head"])
def test_binary_numbers_are_right_for_their_width(name: str, dtype: str) -> None:
    """A run in floating point of any width, given as arrays of that width."""
    trace = run(load(name, (), {"by_hand": "off"}))
    narrow = run(load(name, (), {"arithmetic": dtype}))
    answers = [
        Answered(step.name, step.cells.astype(np.float64), precision=dtype)
        for step in narrow
        if step.name in trace and not ("shifted" in narrow and step.name in ("exponentials", "total"))
    ]
    assert diagnose(trace, answers).verdict == "right"


BESIDE = [("weights", 1e-5, False), ("weights", 1e-6, True), ("exponentials", 1e-3, False), ("exponentials", 1e-5, True), ("scores", 1e-4, True), ("scores", 1e-3, False)]  # fmt: skip


@pytest.mark.parametrize(("step", "off", "right"), BESIDE)
def test_noise_goes_by_the_row_of_weights_and_else_by_the_head(step: str, off: float, right: bool) -> None:
    """Small weights of many keys are as exact as large ones beside them; sums of products may cancel."""
    trace = exact({"scores": [[9] + [0] * 15, [0] * 16], "v": [[1]] * 16})
    cells = trace[step].cells.astype(np.float64)
    cells[0, 0, 1, 3] += off
    assert Sheet.of(trace, Answered(step, cells, precision="float32")).all_right is right


def test_a_tie_is_right_either_way() -> None:
    """0.125 is right as 0.12 and as 0.13, and as nothing else of two places."""
    document = {"scores": [0, 0], "v": [[0.25], [0]]}
    trace = exact(document)
    verdicts = {text: judged(trace, context=f"[{text}]").steps[0].sheet.all_right for text in ("0.12", "0.13", "0.11")}
    assert verdicts == {"0.12": True, "0.13": True, "0.11": False}


# --- rounding on the way ---------------------------------------------------------------------------

ROUNDED: list[tuple[str, dict[str, str], str, dict[str, Any]]] = [
    ("draw", {"context": "[0.70, 0.27, 0.47]"}, "on-the-way", {"places": 2}),
    ("draw", {"exponentials": "[6.05, 1.22, 1.82, 0.74]", "weights": "[0.62, 0.12, 0.19, 0.08]",
              "context": "[0.70, 0.27, 0.47]"}, "on-the-way", {"places": 2}),
    ("draw", {"weights": "[0.62, 0.12, 0.19, 0.07]", "context": "[0.698, 0.267, 0.461]"}, "own-numbers", {}),
    ("draw", {"weights": "[0.61, 0.12, 0.18, 0.07]"}, "cut", {"places": 2}),
    ("draw", {"weights": "[0.615, 0.124, 0.185, 0.076]"}, "last-weight", {}),
    ("draw", {"weights": "[0.616, 0.124, 0.185, 0.076]"}, "few-units", {"units": 1}),
    ("draw", {"context": "[0.697, 0.269, 0.464]"}, "few-units", {"units": 3}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answers", "how", "fields"), ROUNDED)
def test_rounding_is_said(name: str, answers: dict[str, str], how: str, fields: dict[str, Any]) -> None:
    """Which way of rounding gives exactly these numbers."""
    found = judged(exact(name), **answers)
    assert found.verdict == "rounding"
    assert how in names(found)
    finding = next(finding for finding in found.findings if finding.name == how)
    assert {key: finding.fields[key] for key in fields} == fields


def test_products_may_be_off_by_a_few_units() -> None:
    """Those of weights and values, from weights that were rounded."""
    trace = run(load("draw", (), EXACT), terms=True)
    terms = "[[0.58, 0.06, 0.25], [0.04, 0.10, 0.04], [0.10, 0.10, 0.11], [0.02, 0.02, 0.07]]"
    found = judged(trace, terms=terms)
    assert (found.verdict, names(found)) == ("rounding", ["few-units"])


def test_a_coarse_root_is_the_right_method() -> None:
    """Scores divided by 1.7 where √3 is meant."""
    trace = exact("mini-head")
    scores = trace["scores"].values
    hidden = np.triu(np.ones(scores.shape, dtype=bool), 1)
    weights = softmax(np.where(hidden, -np.inf, scores / 1.7))
    found = judged(trace, weights=written(weights, 3))
    assert (found.verdict, names(found)) == ("rounding", ["coarse-root"])
    assert dict(found.findings[0].fields) == {"root": "√3", "value": "1.7"}


RAN: dict[str, Any] = {"q": [[1, 1]], "k": [[1, 1], [0, 1], [2, 0]], "v": [[1, 0], [0, 1], [1, 1]]}
WITHOUT_ROOT: list[tuple[dict[str, str], str, str]] = [
    ({"scaled": "[1.4, 0.7, 1.4]", "exponentials": "[4.06, 2.01, 4.06]"}, "rounding", "own-numbers"),
    ({"weights": "[0.42, 0.16, 0.42]", "context": "[0.84, 0.58]"}, "follow-through", ""),
]


@pytest.mark.parametrize(("answers", "verdict", "how"), WITHOUT_ROOT)
def test_a_root_does_not_explain_what_follows_without_it(answers: dict[str, str], verdict: str, how: str) -> None:
    """Numbers made from the learner's own ones, behind the scale: no root was taken there."""
    last = judged(exact(RAN), **answers).steps[-1]
    assert (last.verdict, [finding.name for finding in last.findings]) == (verdict, [how] if how else [])


def test_a_unit_of_the_last_digit_is_no_mistake() -> None:
    """Even where a mistake gives exactly these numbers: here a soft cap that hardly bends the scores."""
    document = {"scores": [[0.9, -0.2, 0.4]], "v": [[1], [2], [3]]}
    uncapped = exact(document)["weights"].values
    found = judged(exact(document, "softcap=3"), weights=written(uncapped, 2))
    assert (found.verdict, names(found)) == ("rounding", ["few-units"])
    found = judged(exact(document, "softcap=3"), weights=written(uncapped, 4))
    assert (found.verdict, names(found)) == ("mistake", ["softcap-forgotten"])


QUANTIZED = {"half-up": ROUND_HALF_UP, "half-even": ROUND_HALF_EVEN, "truncate": ROUND_DOWN}


@pytest.mark.parametrize("how", QUANTIZED)
def test_floats_are_rounded_as_decimals_are(how: str) -> None:
    """Ties too, as far as floats can tell them; what is no number stays what it is."""
    texts = [f"{number}e-3" for number in range(-3000, 3001)]
    wanted = [float(Decimal(text).quantize(Decimal("0.01"), QUANTIZED[how])) for text in texts]
    assert rounding(2, how)(np.array([float(text) for text in texts])).tolist() == wanted
    with np.errstate(invalid="ignore"):
        assert np.array_equal(rounding(2, how)(np.array([np.inf, -np.inf, np.nan])), [np.inf, -np.inf, np.nan], True)
    assert rounding(2, how)(np.array([True])).dtype == bool


# --- what rounding does not explain ----------------------------------------------------------------

STEPS = '"exponentials": [6.05, 1.22, 1.82, 0.74], "total": [9.83], '
NOT_ROUNDED: list[tuple[str, str, str]] = [
    ("mini-head", '{"residual": {"We": [3, 4, 1, -1, 2, 7]}}', "slip"),  # sums of whole numbers are exact
    ("mini-head", '{"scores": {"birds": [3, 1, 4, -1, 1]}}', "slip"),
    ("draw", "{" + STEPS + '"weights": [0.62, 0.12, 0.21, 0.05]}', "unknown"),  # all it is made of is given
    ("draw", '{"weights": [0.62, 0.12, 0.19, 0.08], "context": [0.74, 0.27, 0.40]}', "unknown"),
    ("draw", '{"total": [10.3]}', "unknown"),  # some inputs always give a single number
    ("draw", '{"context": [0.69, 0.27, 0.46], "residual": [1.10, 0.17, 0.67]}', "unknown"),  # not the same rounding
]


@pytest.mark.parametrize(("name", "answers", "verdict"), NOT_ROUNDED)
def test_what_rounding_cannot_explain_is_wrong(name: str, answers: str, verdict: str) -> None:
    """Exact numbers, steps whose numbers are all given, a single number: nothing is forgiven there."""
    trace = exact(name)
    found = diagnose(trace, answers_of(trace, parse(answers.encode(), "answers"), "answers"))
    assert found.verdict == verdict, names(found)


def _bfloat16(cells: Any) -> Any:
    """The upper halves of float32."""
    return (cells.astype(np.float32).view(np.uint32) >> 16 << 16).view(np.float32).astype(np.float64)


NOISY: list[tuple[str, Any, list[str]]] = [
    ("right", lambda cells, chance: cells, []),
    ("noise", lambda cells, chance: cells * (1 + chance.normal(0, 4e-4, cells.shape)), ["float16"]),
    ("float16", lambda cells, chance: cells.astype(np.float16).astype(np.float64), ["float16"]),
    ("bfloat16", lambda cells, chance: _bfloat16(cells), ["bfloat16"]),
    ("outward", lambda cells, chance: cells * (1 + chance.normal(3e-4, 4e-4, cells.shape)), []),
    ("a factor", lambda cells, chance: cells * 1.02, []),
    ("one number off", lambda cells, chance: cells + 0.01 * (np.arange(cells.size).reshape(cells.shape) == 13), ["plain"]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "found"), NOISY)
def test_noise_is_told_from_errors(name: str, change: Any, found: list[str]) -> None:
    """In a file of float32: what a narrower type leaves lies to both sides, all over the place."""
    trace = run(load("gpt2-block"))
    cells = change(trace["weights"].cells.astype(np.float64), np.random.default_rng(1))
    diagnosis = diagnose(trace, [Answered("weights", cells, precision="float32")])
    assert names(diagnosis) == found
    wanted = {"right": "right", "outward": "unknown", "a factor": "unknown", "one number off": "slip"}.get(
        name, "rounding"
    )
    assert diagnosis.verdict == wanted


@pytest.mark.parametrize(("keys", "verdict"), [(8, ("slip", ["plain"])), (4, ("rounding", ["float16"]))])
def test_one_number_of_many_that_is_off_is_not_noise(keys: int, verdict: tuple[str, list[str]]) -> None:
    """Though all are numbers of a narrower type, and it is off by no more than that leaves."""
    trace = exact({"scores": [0] * keys, "v": [[1]] * keys})
    cells = trace["weights"].cells.astype(np.float64)
    cells[..., 0] = np.nextafter(np.float16(1 / keys), np.float16(1))
    found = diagnose(trace, [Answered("weights", cells, precision="float32")])
    assert (found.verdict, names(found)) == verdict


def test_a_mistake_is_named_in_numbers_of_a_narrower_type() -> None:
    """No scale, calculated in float16, in a file of float32: both are said."""
    trace, other = run(load("gpt2-block")), run(load("gpt2-block", ("scale=none",)))
    weights = other["weights"].cells.astype(np.float16).astype(np.float64)
    found = diagnose(trace, [Answered("weights", weights, precision="float32")])
    assert [(finding.kind, finding.name, finding.step) for finding in found.findings] == [
        ("mistake", "no-scale", "scaled"), ("rounded", "float16", "weights"),
    ]  # fmt: skip


@pytest.mark.parametrize("empty", [0.0, np.nan, 0.2])
def test_an_inverted_mask_is_named_whatever_becomes_of_the_empty_row(empty: float) -> None:
    """The last row then sees nothing: zeros, NaN or equal weights."""
    trace = exact("mini-head")
    scores = trace["scaled"].values
    weights = np.full((1, 1, 5, 5), 0.0)
    for query in range(4):
        weights[0, 0, query, query + 1 :] = softmax(scores[query, query + 1 :])
    weights[0, 0, 4] = empty
    lost = np.isnan(weights)
    found = diagnose(trace, [Answered("weights", weights, precision="float32", lost=lost if lost.any() else None)])
    assert (found.verdict, names(found)) == ("mistake", ["mask-inverted"])


# --- mistakes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_mistake_is_named_with_its_twins_only(level: int, seed: int) -> None:
    """In draws of the generator, the last step whole at two places: never another name, never a right answer."""
    last = {1: "context", 2: "context", 3: "context", 4: "output", 5: "residual"}[level]
    scenario = drawn(LEVELS[level - 1], seed, (last,)).scenario
    trace, plan = run(scenario), plan_of(scenario)
    simulation = Simulation(plan)
    made = {row.name: simulation.run(changed) for row in CATALOGUE if (changed := row.change(plan)) is not None}
    right = trace[last].values
    cells = {name: steps[last].reshape(-1) for name, steps in made.items() if steps is not None and last in steps}
    tried = 0
    for name, numbers in cells.items():
        if numbers.size != right.size or not np.isfinite(numbers).all() or np.allclose(numbers, right.reshape(-1)):
            continue
        found = judged(trace, **{last: written(numbers.reshape(right.shape), 2)})
        twins = {other for other, same in cells.items() if same.size == right.size and np.allclose(same, numbers)}
        assert found.verdict == "mistake", name
        assert set(names(found)) == twins, name
        tried += 1
    assert tried > 10


def test_a_mistake_is_named_at_its_step_though_the_scenario_has_none() -> None:
    """A scale that nobody asked for: the step where it belongs."""
    document = {"q": [[1, 2, 0.5], [2, 1, 1]], "k": [[0.5, 1, 2], [1, -0.5, 1]], "v": [[1], [2]], "scale": "none"}
    trace = exact(document)
    found = judged(trace, weights=written(softmax(trace["scores"].values / np.sqrt(3)), 6))
    assert [(finding.name, finding.step) for finding in found.findings] == [("scale-unasked", "scaled")]


def test_a_mistake_further_on_is_found_in_the_learners_own_numbers() -> None:
    """Two mistakes in two answered steps: each is named at its step."""
    trace = exact("mini-head")
    scaled = trace["scores"].values  # no scale
    hidden = np.triu(np.ones(scaled.shape, dtype=bool), 1)
    weights = np.round(softmax(np.where(hidden, -np.inf, scaled)), 3)
    context = weights @ trace["k"].values  # and the keys mixed
    found = judged(trace, weights=written(weights, 3), context=written(context, 3))
    assert found.verdict == "mistake"
    assert [(step.name, [f.name for f in step.findings]) for step in found.steps] == [
        ("weights", ["no-scale"]), ("context", ["weights-times-k"]),
    ]  # fmt: skip


def test_what_follows_from_a_mistake_is_followed_through() -> None:
    """Everything after a wrong step that is right for it."""
    trace = exact("mini-head")
    hidden = np.triu(np.ones(trace["scores"].shape, dtype=bool), 1)
    weights = np.round(softmax(np.where(hidden, -np.inf, trace["scores"].values)), 2)
    answers = {"weights": written(weights, 2), "context": written(weights @ trace["v"].values, 2)}
    found = judged(trace, **answers)
    assert [(step.name, step.verdict) for step in found.steps] == [
        ("weights", "mistake"), ("context", "follow-through"),
    ]  # fmt: skip


def test_what_follows_from_one_wrong_step_alone_is_followed_through() -> None:
    """A step that is right but coarse is not gone on from: the calculator had more digits."""
    trace = exact("draw")
    exponentials, total = trace["exponentials"].values, 9.38  # 9.83
    answers = {"exponentials": written(exponentials, 1), "total": "[9.38]", "weights": written(exponentials / total, 4)}
    found = judged(trace, **answers)
    assert [step.verdict for step in found.steps] == ["right", "slip", "follow-through"]


def test_a_mistake_that_later_answers_contradict_is_not_named() -> None:
    """Weights divided by √d_k come of the same exponentials as scores that were not; the weights tell which it was."""
    exponentials = {"exponentials": "[7.39, 2.72, 7.39]"}
    assert names(judged(exact(RAN), **exponentials)) == ["no-scale", "scale-after-softmax"]
    assert names(judged(exact(RAN), **exponentials, weights="[0.42, 0.16, 0.42]")) == ["no-scale"]
    assert names(judged(exact(RAN), **exponentials, weights="[0.30, 0.11, 0.30]")) == ["scale-after-softmax"]


def test_a_mistake_by_hand_is_named_after_a_slip() -> None:
    """Scores with one wrong number, then no scale, each step rounded to two places."""
    draws = np.random.default_rng(3)
    q, k, v = (np.round(draws.normal(size=(4, 3)), 2) for _ in range(3))
    near = rounding(2, "half-up")
    scores = near(q @ k.T)
    scores[1, 2] += 0.7
    exponentials = near(np.exp(scores))
    weights = near(exponentials / near(exponentials.sum(-1, keepdims=True)))
    trace = exact({"q": q.tolist(), "k": k.tolist(), "v": v.tolist()})
    found = judged(trace, scores=written(scores, 2), context=written(weights @ v, 2))
    assert [(step.verdict, [f.name for f in step.findings]) for step in found.steps] == [
        ("slip", ["plain"]), ("mistake", ["no-scale"]),
    ]  # fmt: skip


def test_a_mistake_in_a_calculation_by_hand_is_named() -> None:
    """No scale, and each step rounded to two places besides."""
    hand = run(load("mini-head", ("scale=none",), {"by_hand": "2"}))
    found = judged(exact("mini-head"), residual=written(hand["residual"].exact, 2))
    assert (found.verdict, names(found)) == ("mistake", ["no-scale"])
    assert found.findings[0].places == 2


# --- slips -----------------------------------------------------------------------------------------

SLIPS: list[tuple[str, dict[str, str], str]] = [
    ("draw", {"weights": "[0.615, 0.124, 0.185, -0.075]"}, "sign"),
    ("draw", {"weights": "[0.615, 0.124, 0.158, 0.075]"}, "swapped-digits"),
    ("draw", {"weights": "[0.516, 0.124, 0.185, 0.075]"}, "plain"),
    ("draw", {"exponentials": "[6.0496, 12.214, 1.8221, 0.7408]"}, "decimal-point"),
    ("draw", {"exponentials": "[6.0496, 1.2214, 1.8221, 0.9408]"}, "one-digit"),
    ("draw", {"context": "[0.694, 0.269, 0.351]"}, "missed-term"),
    ("draw", {"exponentials": "[6.0496, 1.2214, 1.2214, 0.7408]"}, "another-cell"),
    ("draw", {"total": "[11.6561]"}, "extra-term"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "answers", "slip"), SLIPS)
def test_a_slip_in_one_cell_is_told(name: str, answers: dict[str, str], slip: str) -> None:
    """What happened to the one wrong number of a step."""
    found = judged(exact(name), **answers)
    assert found.verdict == "slip", names(found)
    assert slip in names(found)
    assert {finding.kind for finding in found.findings} == {"slip"}
    assert found.first_wrong is not None


@pytest.mark.parametrize("place", [(1, 0), (0, 1)])
def test_a_hidden_score_in_place_of_another_is_a_slip(place: tuple[int, int]) -> None:
    """Minus infinity where a number belongs, or a number where minus infinity does."""
    trace = exact("mini-head")
    masked = trace["masked"].exact.copy()
    masked[place] = Decimal("-Infinity") if masked[place].is_finite() else Decimal(1)
    found = judged(trace, masked=written(masked, 2))
    assert (found.verdict, names(found)) == ("slip", ["plain"])


@pytest.mark.parametrize("precision", ["digits", "float32"])
@pytest.mark.parametrize(("beside", "verdict"), [(0, ("unknown", [])), (1, ("slip", ["plain"]))])
def test_a_wrong_number_is_a_slip_where_another_is_right(
    precision: str, beside: int, verdict: tuple[str, list[str]]
) -> None:
    """Alone it may be anything."""
    trace = exact("draw")
    cells = np.full((1, 1, 1, 4), np.nan)
    cells[..., :1], cells[..., 1 : 1 + beside] = 3.7, trace["weights"].cells[..., 1 : 1 + beside]
    row = [None if np.isnan(number) else round(number, 4) for number in cells[0, 0, 0].tolist()]
    typed, stored = judged(trace, weights=row), diagnose(trace, [Answered("weights", cells, precision="float32")])
    found = typed if precision == "digits" else stored
    assert (found.verdict, names(found)) == verdict


def test_one_wrong_weight_explains_what_comes_after() -> None:
    """The output alone: everything fits if one weight had been another number."""
    trace = exact("mini-head")
    weights = trace["weights"].values.copy()
    weights[3, 1] += 0.25
    context = weights @ trace["v"].values
    found = judged(trace, context=written(context, 3))
    assert found.verdict == "slip"
    (finding,) = found.findings
    assert (finding.kind, finding.step, finding.fields["cell"].place) == ("slip-inside", "weights", (0, 0, 3, 1))
    assert float(finding.fields["given"]) == pytest.approx(weights[3, 1], abs=2e-3)


def test_an_unknown_number_that_all_follows_from_is_a_follow_through() -> None:
    """A table that nothing explains, and a next step that is right for it."""
    trace = exact("draw")
    weights = np.array([0.1, 0.7, 0.15, 0.05])
    answers = {"weights": written(weights, 2), "context": written(weights @ trace["v"].values, 3)}
    found = judged(trace, **answers)
    assert found.verdict == "follow-through"
    assert [step.verdict for step in found.steps] == ["unknown", "follow-through"]
    assert found.first_wrong is not None
    assert found.first_wrong.cell.place == (0, 0, 0, 0)


# --- inputs with more digits than shown ------------------------------------------------------------


def printed(array: Any, places: int) -> Any:
    """An array as a page prints it, read again: each number with the digits it has there."""
    return parse(written(array, places).encode(), "page")


@pytest.mark.parametrize("seed", range(5))
def test_right_for_inputs_that_round_to_the_ones_shown(seed: int) -> None:
    """Matrices printed with two digits, the answers from all of them: found, and not called a mistake."""
    chance = np.random.default_rng(seed)
    full = {name: chance.uniform(-1, 1, (4, 3)) for name in ("q", "k", "v")}
    weights = softmax(full["q"] @ full["k"].T / np.sqrt(3))
    trace = exact({name: printed(array, 2) for name, array in full.items()})
    found = judged(trace, weights=written(weights, 4), context=written(weights @ full["v"], 4))
    assert (found.verdict, names(found)) == ("rounded-inputs", ["inputs"])
    assert found.findings[0].kind == "rounded"


def test_whole_numbers_are_not_taken_for_rounded_ones() -> None:
    """A given 2 is 2: numbers that nothing explains stay unknown."""
    trace = exact("mini-head")
    off = np.random.default_rng(0).normal(0, 0.04, trace["context"].shape)
    assert judged(trace, context=written(trace["context"].values + off, 4)).verdict == "unknown"


# --- conventions -----------------------------------------------------------------------------------


def test_a_right_answer_in_another_convention_is_right() -> None:
    """Transposed tables, percent: said, and not called wrong."""
    trace = exact("mini-head")
    weights = trace["weights"].values
    turned = judged(trace, scores=written(trace["scores"].values.T, 2), weights=written(weights.T, 2))
    assert (turned.verdict, names(turned)) == (
        "right",
        ["columns", "columns"][:2] if len(names(turned)) == 2 else ["columns"],
    )
    percent = judged(trace, weights=written(weights * 100, 1))
    assert (percent.verdict, names(percent)) == ("right", ["percent"])


def test_a_transposed_table_of_scores_alone_may_be_the_mistake() -> None:
    """KQᵀ gives the same table: the mistake is named."""
    trace = exact("mini-head")
    found = judged(trace, scores=written(trace["scores"].values.T, 2))
    assert "scores-transposed" in names(found)


def test_weights_averaged_over_the_heads_are_right_and_said() -> None:
    """Where the shape says so."""
    trace = exact("grouped")
    found = judged(trace, weights=written(trace["weights"].values.mean(axis=0), 3))
    assert (found.verdict, names(found)) == ("right", ["heads-averaged"])


# --- numbers found from the answers ----------------------------------------------------------------


def _weights_of(trace: Trace, scores: Any, hidden_as: float = -np.inf) -> Any:
    hidden = np.triu(np.ones(scores.shape, dtype=bool), 1)
    return softmax(np.where(hidden, hidden_as, scores))


FITTED: list[tuple[str, Any, dict[str, str]]] = [
    ("other-divisor", lambda trace: _weights_of(trace, trace["scores"].values / 2.5), {"divisor": "2.5"}),
    ("mask-stand-in", lambda trace: _weights_of(trace, trace["scaled"].values, -3.0), {"value": "-3"}),
    ("mask-stand-in", lambda trace: _weights_of(trace, trace["scaled"].values, -5.0), {"value": "-5"}),
]


@pytest.mark.parametrize(("name", "weights", "fields"), FITTED)
def test_a_number_in_a_mistake_is_found(name: str, weights: Any, fields: dict[str, str]) -> None:
    """The divisor that fits the ratios of the weights, what hidden scores were set to."""
    trace = exact("mini-head")
    found = judged(trace, weights=written(weights(trace), 6))
    assert (found.verdict, names(found)) == ("mistake", [name])
    numbers = {key: float(found.findings[0].fields[key]) for key in fields}
    assert numbers == pytest.approx({key: float(text) for key, text in fields.items()}, rel=0.02)


@pytest.mark.parametrize("queries", [1, 2])
def test_a_divisor_needs_two_ratios(queries: int) -> None:
    """One ratio of two weights fits some divisor whatever it is."""
    trace = exact({"q": [[1, 2], [2, 1]][:queries], "k": [[0.5, 1], [1, -0.5]], "v": [[1], [2]]})
    found = judged(trace, weights=written(softmax(trace["scores"].values / 2.5), 6))
    wanted = ("unknown", []) if queries == 1 else ("mistake", ["other-divisor"])
    assert (found.verdict, names(found)) == wanted


@pytest.mark.parametrize("number", ["-1", "-5", "-8", "-9", "-10", "-50", "-100", "-1000", "-10000", "-1000000000"])
def test_a_number_that_is_often_taken_for_hidden_scores_is_found(number: str) -> None:
    """In the scores themselves, where no weight tells it."""
    trace = exact("mini-head")
    scores = trace["masked"].exact.copy()
    scores[~np.isfinite(trace["masked"].values)] = Decimal(number)
    found = judged(trace, masked=written(scores, 2))
    assert (found.verdict, names(found)) == ("mistake", ["mask-stand-in"])
    assert found.findings[0].fields == {"value": number}


@pytest.mark.parametrize(("cells", "kept", "is_found"), [(6, 3, True), (5, 3, False), (6, 2, False), (7, 7, False)])
def test_dropout_shows_in_six_numbers_of_which_three_are_kept(cells: int, kept: int, is_found: bool) -> None:
    """Fewer would fit anything, and something has to be dropped."""
    trace = exact({"scores": [0.3, -0.2, 0.7, 0.1, 0.9, -0.4, 0.5], "v": [[1]] * 7})
    weights = trace["weights"].cells.astype(np.float64)
    answers = np.where(np.arange(7) < kept, weights * 2, np.where(np.arange(7) < cells, 0, np.nan))
    found = diagnose(trace, [Answered("weights", answers, precision="float32")])
    assert ("dropout" in names(found)) == is_found
    assert not is_found or found.findings[0].fields == {"rate": "0.5"}


def test_dropout_is_found_with_its_rate() -> None:
    """Weights that are 0 or one multiple of the right ones."""
    trace = run(load("gpt2-block"))
    weights = trace["weights"].cells.astype(np.float64)
    kept = np.random.default_rng(0).random(weights.shape) > 0.2
    found = diagnose(trace, [Answered("weights", weights * kept / 0.8, precision="float32")])
    assert (found.verdict, names(found)) == ("mistake", ["dropout"])
    assert found.findings[0].fields["rate"] == "0.2"


def test_a_row_of_another_token_is_told() -> None:
    """One row is that of another query."""
    trace = exact("mini-head")
    context = trace["context"].values.copy()
    context[2] = context[4]
    found = judged(trace, context=written(context, 2))
    assert (found.verdict, names(found)) == ("mistake", ["another-token"])
    assert dict(found.findings[0].fields) == {"row": "birds", "other": "south"}


# --- few answers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("answers", "alone"), [("[[null, null, null]", True), ("[[0.12, null, null]", False)])
def test_a_single_number_is_known_to_be_one(answers: str, alone: bool) -> None:
    """What fits one number only is marked, so that it is worded with care."""
    trace = exact("mini-head")
    hidden = np.triu(np.ones((5, 5), dtype=bool), 1)
    weights = softmax(np.where(hidden, -np.inf, trace["scores"].values))
    table: list[list[Any]] = [[None] * 5 for _ in range(5)]
    table[4][1] = round(float(weights[4, 1]), 4)
    if not alone:
        table[4][2] = round(float(weights[4, 2]), 4)
    found = judged(trace, weights=table)
    assert found.verdict == "mistake"
    assert [step.alone for step in found.steps] == [alone]


@pytest.mark.parametrize("steps", [("weights",), ("weights", "context"), ("context", "residual")])
def test_random_numbers_are_unknown(steps: Sequence[str]) -> None:
    """Nothing is made up for numbers that have no reason."""
    trace = exact("mini-head")
    chance = np.random.default_rng(3)
    answers = {name: written(chance.uniform(0, 1, trace[name].shape), 2) for name in steps}
    found = judged(trace, **answers)
    assert found.verdict == "unknown"
    assert names(found) == []


@pytest.mark.parametrize(("policy", "row", "wrong"), [
    ("zero", 0.0, []), ("zero", np.nan, ["empty-rows-nan"]), ("zero", 0.5, ["empty-rows-uniform"]),
    ("nan", np.nan, []), ("nan", 0.0, ["empty-rows-zero"]),
])  # fmt: skip
def test_the_policy_for_a_row_without_keys_is_named(policy: str, row: float, wrong: list[str]) -> None:
    """Zeros, NaN or equal weights, whichever a library puts there."""
    document = {"q": [[1.5], [2]], "k": [[0.5], [1]], "v": [[1], [2]], "mask": {"keep": [[0, 0], [1, 1]]}}
    trace = exact(document | {"empty_rows": policy})
    weights = trace["weights"].cells.astype(np.float64)
    weights[0, 0, 0] = row
    lost = np.isnan(weights)
    found = diagnose(trace, [Answered("weights", weights, precision="float32", lost=lost if lost.any() else None)])
    assert (found.verdict == "right") == (not wrong)
    assert set(wrong) <= set(names(found))


def test_half_precision_beside_a_row_without_keys_is_told() -> None:
    """NaN where the scenario wants it stays an answer when the type is taken for a narrower one."""
    document = {"q": [[1.5], [2]], "k": [[0.5], [1]], "mask": {"keep": [[0, 0], [1, 1]]}, "empty_rows": "nan"}
    trace = exact(document)
    weights = trace["weights"].cells.astype(np.float64)
    lost = np.isnan(weights)
    half = Answered("weights", weights.astype(np.float16).astype(np.float64), precision="float32", lost=lost)
    found = diagnose(trace, [half])
    assert (found.verdict, names(found)) == ("rounding", ["float16"])
    percent = diagnose(trace, [Answered("weights", weights * 100, precision="float32", lost=lost)])
    assert (percent.steps[0].sheet.count, percent.verdict) == (4, "right")


CHANGED = [
    ("mini-head", "temperature=1.1"), ("mini-head", "softcap=5"), ("gpt2-block", "softcap=30"),
    ("gpt2-block", "norm.eps=0.01"), ("causal-head", "softcap=3"), ("causal-head", "temperature=0.97"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change"), CHANGED)
@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_another_calculation_is_not_taken_for_noise(name: str, change: str, precision: str) -> None:
    """Small changes of options give smooth errors: never called the precision of a type."""
    trace, other = run(load(name, (), EXACT)), run(load(name, (change,), EXACT))
    found = diagnose(trace, [Answered("weights", other["weights"].cells.astype(np.float64), precision=precision)])
    assert found.verdict in ("mistake", "unknown"), names(found)


def test_a_transposed_table_is_recognised_where_the_scenario_cuts_off() -> None:
    """Column notation, each number cut off after two places."""
    trace = exact("mini-head", "rounding=truncate")
    found = judged(trace, weights=written(trace["weights"].exact.T, 2, "truncate"))
    assert (found.verdict, names(found)) == ("right", ["columns"])
