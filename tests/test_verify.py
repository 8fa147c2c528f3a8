"""When a printed number is right, and what `expect` may look like."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from calling import call
from samples import DRAW, trace_of

from attncalc.core.figures import Literal
from attncalc.errors import ScenarioError
from attncalc.explore.verify import agrees, expects_terms, verify
from attncalc.scenario_files.load import load

UP, EVEN, CUT = "half-up", "half-even", "truncate"

RIGHT: list[tuple[str, str, str, bool, bool]] = [
    # value, printed, rounding, is it a weight, is it right
    ("0.615177", "0.62", UP, True, True), ("0.615177", "0.61", UP, True, False), ("0.615", "0.61", UP, True, True),
    ("0.615", "0.62", EVEN, True, True), ("0.614999", "0.62", UP, True, False), ("0.6151", "0.6", UP, True, True),
    ("0.6151", "0.615", UP, True, True), ("0.6151", "0.616", UP, True, False), ("0.6151", "0.6151", UP, True, True),
    ("-0.125", "-0.12", UP, False, True), ("-0.125", "-0.13", EVEN, False, True), ("0.004", "0.00", UP, False, True),
    ("-0.004", "0.00", UP, False, True), ("9.833987", "9.83", UP, False, True), ("9.833987", "10", UP, False, True),
    ("9.4", "10", UP, False, False), ("9.5", "10", UP, False, True), ("22026.47", "22026", UP, False, True),
    # the exponent counts
    ("14500", "1.4e4", UP, False, True), ("14500", "1.5e4", UP, False, True), ("14501", "1.4e4", UP, False, False),
    ("1.349e-24", "1.3e-24", UP, True, True), ("1.36e-24", "1.3e-24", UP, True, False), ("95", "1e2", UP, False, True),
    # a whole number among weights stands for 0 % or 100 %
    ("0.995", "1", UP, True, True), ("0.9949", "1", UP, True, False), ("0.005", "0", UP, True, True),
    ("0.0051", "0", UP, True, False), ("0.9", "1", UP, False, True), ("0.982", "1.0", UP, True, True),
    ("0.945", "1.0", UP, True, False), ("0.9", "1", CUT, True, False), ("0.996", "1", CUT, True, True),
    # cut: one unit towards zero
    ("0.6199", "0.61", CUT, True, True), ("0.62", "0.61", CUT, True, False), ("0.61", "0.61", CUT, True, True),
    ("0.6099", "0.61", CUT, True, False), ("-0.6199", "-0.61", CUT, False, True), ("-0.62", "-0.61", CUT, False, False),
    ("-0.6099", "-0.61", CUT, False, False), ("0.004", "0.00", CUT, False, True), ("-0.004", "0.00", CUT, False, True),
    ("1999", "1e3", CUT, False, True), ("2000", "1e3", CUT, False, False), ("9.99", "9", CUT, False, True),
    # what is no number is only right as itself
    ("-Infinity", "-Infinity", UP, False, True), ("-Infinity", "-1e9", UP, False, False),
    ("-1e9", "-Infinity", UP, False, False), ("NaN", "0", UP, True, False),
]  # fmt: skip


@pytest.mark.parametrize(("value", "printed", "rounding", "weight", "right"), RIGHT)
def test_a_printed_number_is_right_within_its_last_digit(
    value: str, printed: str, rounding: str, weight: bool, right: bool
) -> None:
    """Half a unit of the last digit written, either way at a tie; one unit towards zero when cut."""
    assert agrees(Decimal(value), Literal(printed), rounding, weight) is right


def verdicts(expect: dict[str, Any], **more: Any) -> list[tuple[str, str, bool]]:
    """Cell, number as shown, and whether it is right, of the draw numbers."""
    document = {**DRAW, "places": 2, "expect": expect, **more}
    trace = trace_of(document, terms=expects_terms(load(document).document))
    return [(verdict.cell, verdict.shown, verdict.right) for verdict in verify(trace)]


WEIGHTS = [
    ("weights draw I", "0.62", True), ("weights draw like", "0.12", True), ("weights draw to", "0.19", True),
    ("weights draw draw", "0.08", True),
]  # fmt: skip

SHAPES: list[tuple[dict[str, Any], list[tuple[str, str, bool]]]] = [
    ({"weights": [0.62, 0.12, 0.19, 0.08]}, WEIGHTS),
    ({"weights": [[0.62, 0.12, 0.19, 0.08]]}, WEIGHTS),
    ({"weights": {"draw": [0.62, 0.12, 0.19, 0.08]}}, WEIGHTS),
    ({"weights": [0.62, None, None, 0.08]}, [WEIGHTS[0], WEIGHTS[3]]),
    ({"weights": [0.61, 0.12, None, 0.08]}, [("weights draw I", "0.62", False), WEIGHTS[1], WEIGHTS[3]]),
    ({"total": 9.83}, [("total draw", "9.83", True)]),
    ({"total": [9.83]}, [("total draw", "9.83", True)]),
    ({"weights_sum": 1.01}, [("weights_sum draw", "1.01", True)]),
    ({"weights_sum": [Literal("1.0")]}, [("weights_sum draw", "1.01", True)]),
    ({"weights_sum": [Literal("1.00")]}, [("weights_sum draw", "1.01", False)]),
    ({"terms": {"draw": [[0.55, None, None], [None] * 3, [None] * 3, [None, None, 0.07]]}},
     [("terms draw I 0", "0.55", True), ("terms draw draw 2", "0.07", True)]),
    ({"scores": [1.8, 0.2, 0.6, -0.3]}, [
        ("scores draw I", "1.8", True), ("scores draw like", "0.2", True), ("scores draw to", "0.6", True),
        ("scores draw draw", "-0.3", True)]),
    ({}, []),
    ({"weights": [None, None, None, None]}, []),
]  # fmt: skip


@pytest.mark.parametrize(("expect", "wanted"), SHAPES)
def test_expect_has_the_steps_axes(expect: dict[str, Any], wanted: list[tuple[str, str, bool]]) -> None:
    """Axes of length 1 may be left out, rows may stand under their query, null is not printed."""
    assert verdicts(expect) == wanted


def test_rows_by_label_name_their_query() -> None:
    """Only some rows are printed, the second `the` as the#2."""
    document = {
        "tokens": ["the", "cat", "the"], "scores": [[0, 0, 0], [0, 1, 2], [3, 3, 0]], "places": 2,
        "expect": {"weights": {"the#2": [0.49, 0.49, 0.02], "cat": [None, 0.24, 0.66]}},
    }  # fmt: skip
    found = [(verdict.cell, verdict.right) for verdict in verify(trace_of(document))]
    assert found == [
        ("weights the#2 the#1", True), ("weights the#2 cat", True), ("weights the#2 the#2", True),
        ("weights cat cat", True), ("weights cat the#2", False),
    ]  # fmt: skip


def test_a_total_for_each_query() -> None:
    """One number a row, as a list or under its label."""
    document = {"scores": [[0, 0], [0, 1]], "places": 2}
    for expect in ([2, 3.72], {"0": 2, "1": 3.72}, {"0": [2.00], "1": [3.72]}):
        found = verify(trace_of({**document, "expect": {"total": expect}}))
        assert [(verdict.cell, verdict.right) for verdict in found] == [("total 0", True), ("total 1", True)]


def test_the_sum_of_the_weights_is_that_of_the_weights_as_shown() -> None:
    """Cut weights add to less than 1; each query has its sum."""
    expect = {"weights_sum": [Literal("0.99"), Literal("1.00")]}
    document = {"scores": [[0, 0, 0], [0, 0, "-Infinity"]], "places": 2, "rounding": CUT, "expect": expect}
    assert [verdict.right for verdict in verify(trace_of(document))] == [True, True]


@pytest.mark.parametrize(
    ("arithmetic", "context", "right"),
    [
        ({"by_hand": 2}, [0.70, 0.27, 0.47], True),
        ({"by_hand": 2}, [0.69, 0.27, 0.46], False),
        ({"arithmetic": "exact"}, [0.69, 0.27, 0.46], True),
        ({"arithmetic": "float64"}, [0.69, 0.27, 0.46], True),
        ({"arithmetic": "exact"}, [0.70, 0.27, 0.47], False),
    ],
)
def test_verify_uses_the_scenarios_own_arithmetic(
    arithmetic: dict[str, Any], context: list[float], right: bool
) -> None:
    """By hand the figures of the article hold, exactly those of full precision."""
    written = [Literal(f"{x:.2f}") for x in context]
    assert all(ok for _, _, ok in verdicts({"context": written}, **arithmetic)) is right


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"weights": [0.62, 0.12, 0.19]}, "scenario: expect.weights: has the shape 3, but the step has 1×4"),
    ({"total": [9.83, 1]}, "scenario: expect.total: has the shape 2, but the step has 1"),
    ({"context": [[0.7], [0.27], [0.47]]}, "scenario: expect.context: has the shape 3×1, but the step has 1×3"),
    ({"scaled": [1]}, "scenario: expect.scaled: this scenario has no step of that name"),
    ({"weights_sum": [1, 1]}, "scenario: expect.weights_sum: has the shape 2, but the step has 1"),
    ({"weights": {"nobody": [1]}}, "scenario: expect.weights.nobody: nobody is not a token here"),
]


@pytest.mark.parametrize(("expect", "message"), REFUSED)
def test_an_expectation_of_another_shape_is_an_error(expect: dict[str, Any], message: str) -> None:
    """Not a wrong number but a scenario that contradicts itself: both sizes are named."""
    with pytest.raises(ScenarioError) as caught:
        verdicts(expect)
    assert str(caught.value).startswith(message)


def test_all_faulty_expectations_are_reported_at_once() -> None:
    """A line each."""
    with pytest.raises(ScenarioError) as caught:
        verdicts({"weights": [1], "scaled": [1], "weights_sum": [1, 2], "context": [1, 2]})
    assert len(caught.value.faults) == 4


@pytest.mark.parametrize(
    ("expect", "code", "words"),
    [
        ('{"weights": [0.5, 0.5]}', 0, "2 of 2 printed numbers hold."),
        ('{"weights": [0.5, 0.6]}', 1, "1 of 2 printed numbers holds."),
        ("{}", 0, "This scenario says nothing to verify (no expect)."),
        ('{"weights": [null, null]}', 0, "This scenario says nothing to verify (no expect)."),
    ],
)
def test_the_exit_code_is_the_answer(expect: str, code: int, words: str) -> None:
    """0 where everything holds or nothing is printed, 1 where one number is off."""
    done = call("verify", "-", stdin=f'{{"scores": [1, 1], "expect": {expect}}}'.encode())
    assert (done.code, done.err) == (code, "")
    assert words in done.out


def test_a_wrong_number_is_shown_beside_the_right_one() -> None:
    """Printed as it was written, calculated as it is shown."""
    done = call("verify", "-", "--plain", stdin=b'{"scores": [1, 1], "places": 2, "expect": {"weights": [0.60, 0.5]}}')
    assert "cell weights 1 0: printed 0.60, calculated 0.50, verdict WRONG" in done.out


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    ("changes", "hint"),
    [
        ([], False),
        (["scores.0=0.6"], True),
        (["expect.total=5"], False),
        (["scores.0=0.6", "expect.total=5"], False),
        (["places=3"], False),
    ],
)
def test_after_a_change_the_old_figures_are_named_as_such(changes: list[str], hint: bool, language: str) -> None:
    """Only where the scenario was changed but not its printed figures, and they no longer hold."""
    sets = [f"--set={change}" for change in changes]
    out = call("verify", "draw", *sets, language=language).out
    words = {"en": "The figures under expect are those of the original", "zh": "expect 里的数字是原算例的"}
    assert (words[language] in out) is hint


@pytest.mark.parametrize(("language", "said"), [("en", "234 more do not hold"), ("zh", "另有 234 个不对")])
def test_of_very_many_wrong_numbers_the_first_thousand_are_told(language: str, said: str) -> None:
    """With how many more there are; JSON has all, and --update puts all right."""
    document = {"scores": [[1, 1]] * 617, "expect": {"weights": [[0.9, 0.8]] * 617}}
    text = json.dumps(document).encode()
    done = call("verify", "-", stdin=text, language=language)
    assert (done.code, said in done.out, done.out.count("0.9"), done.out.count("0.8")) == (1, True, 500, 500)
    assert len(json.loads(call("verify", "-", "--json", stdin=text).out)["cells"]) == 1234
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.json"
        file.write_bytes(text)
        updated = call("verify", str(file), "--update")
        assert "234 more are put right" in updated.out
        assert "1234 of 1234" in updated.out
        assert json.loads(file.read_text())["expect"]["weights"] == [[0.5, 0.5]] * 617
