"""The numbers of the three articles, as their screens print them and to six places."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call
from running import Finished
from samples import BUILT_IN, trace_of

from attncalc import load, run
from attncalc.scenario_files import builtin

Rows = list[list[str]]


def printed(*args: str) -> str:
    """What a run prints that must end well and say nothing on standard error."""
    done = call(*args)
    assert (done.code, done.err) == (0, "")
    return done.out


def part(out: str, title: str) -> str:
    """The lines of a screen under a step's title, up to the next blank line."""
    return re.split(rf"^\d? ?{re.escape(title)}.*\n", out, flags=re.MULTILINE)[1].split("\n\n")[0]


def results(text: str) -> list[str]:
    """The numbers at the right of = or ≈, line by line."""
    return re.findall(r"[=≈] +(−?[\d.]+)", text)


def table(text: str) -> Rows:
    """The numbers of a table's rows, labels and shades left out."""
    rows = [re.findall(r"(?<!\S)−?\d+(?:\.\d+)?(?!\S)", line) for line in text.split("───\n")[-1].splitlines()]
    return [row for row in rows if row]


BY_HAND = [
    ("Exponentiate", ["6.05", "1.22", "1.82", "0.74"]),
    ("Sum", ["9.83"]),
    ("Divide", ["0.62", "0.12", "0.19", "0.08", "1.01"]),
    ("Weighted value sum", ["0.70", "0.27", "0.47"]),
]
EXACT = [
    ("Exponentiate", ["6.05", "1.22", "1.82", "0.74"]),
    ("Sum", ["9.83"]),
    ("Divide", ["0.62", "0.12", "0.19", "0.08", "1.01"]),
    ("Weighted value sum", ["0.69", "0.27", "0.46"]),
]


@pytest.mark.parametrize(("args", "wanted"), [((), BY_HAND), (("--arithmetic", "exact"), EXACT)])
def test_explain_draw_prints_the_numbers_of_the_article(args: tuple[str, ...], wanted: list[Any]) -> None:
    """By hand the article's own figures; with exact arithmetic another second decimal in two of three."""
    out = printed("explain", "draw", *args)
    assert {title: results(part(out, title)) for title, _ in wanted} == dict(wanted)


def test_explain_draw_says_that_unrounded_weights_add_to_one() -> None:
    """Beside the shown sum 1.01 stands the true one, and a note says it again."""
    out = printed("explain", "draw")
    assert "sum  0.62 + 0.12 + 0.19 + 0.08 = 1.01 (from rounding; the unrounded weights add to 1)" in out
    assert "The weights of draw as shown add to 1.01, from rounding; the unrounded weights add to 1." in out


def test_explain_draw_says_what_full_precision_gives() -> None:
    """The two ways part at the weights, and both results are on the screen."""
    out = " ".join(printed("explain", "draw").split())
    assert "With full precision the context is (0.69, 0.27, 0.46)" in out
    assert "the first rounding that matters is that of the weights" in out


def test_explain_draw_reads_the_weights() -> None:
    """draw looks mostly at I, then at to, then at like, and least at itself."""
    wanted = "draw looks mostly at I (0.62), then at to (0.19), like (0.12), and least at itself (0.08)."
    assert wanted in printed("explain", "draw")


def test_run_apple_chars_prints_the_numbers_of_the_article() -> None:
    """Scores, exponentials, total, weights, context of 苹 and 果."""
    out = printed("run", "apple-chars")
    wanted = {
        "Scores": [["10", "6"], ["6", "10"]],
        "Exponentiate": [["22026", "403"], ["403", "22026"]],
        "Sum": [["22429"], ["22429"]],
        "Divide": [["0.982", "0.018"], ["0.018", "0.982"]],
        "Weighted value sum": [["5.90", "0.60"], ["0.60", "5.90"]],
    }
    assert {title: table(part(out, title)) for title in wanted} == wanted


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_built_in_scenario_verifies(name: str) -> None:
    """Every number that an article prints holds in the scenario's own arithmetic."""
    done = call("verify", name)
    assert (done.code, done.err) == (0, "")
    assert "WRONG" not in done.out


def with_expect() -> list[str]:
    """The built-in scenarios that print results."""
    return [name for name in BUILT_IN if "expect" in json.loads(builtin.path_of(name).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("name", with_expect())
def test_one_changed_number_is_found(name: str, tmp_path: Path) -> None:
    """`verify` ends with 1 where one printed number is off by three hundredths, and marks that one alone."""
    document = json.loads(builtin.path_of(name).read_text(encoding="utf-8"))
    row = document["expect"]["weights"]
    while isinstance(row, dict) or isinstance(row[0], list):
        row = next(iter(row.values())) if isinstance(row, dict) else row[0]
    row[0] = round(row[0] - 0.03, 4)
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    done: Finished = call("verify", str(path))
    assert (done.code, done.err, done.out.count("WRONG")) == (1, "", 1)


DIVIDED_BY_100 = [0.345294, 0.199217, 0.321950, 0.133539]
DRAW_EXPONENTIALS = [6.049647, 1.221403, 1.822119, 0.740818]
SIX_PLACES: list[tuple[str, dict[str, str], tuple[str, ...], str, Any]] = [
    # scenario, options, changes, step, value
    ("draw", {}, (), "exponentials", [DRAW_EXPONENTIALS]),
    ("draw", {}, (), "total", [9.833987]),
    ("draw", {}, (), "weights", [[0.615177, 0.124202, 0.185288, 0.075332]]),
    ("draw", {}, (), "context", [[0.693744, 0.268590, 0.462304]]),
    ("apple-chars", {}, (), "weights", [[0.982014, 0.017986], [0.017986, 0.982014]]),
    ("apple-chars", {}, (), "context", [[5.901076, 0.598924], [0.598924, 5.901076]]),
    ("apple-chars", {}, ("scale=sqrt_d_k",), "weights", [[0.944193, 0.055807], [0.055807, 0.944193]]),
    ("apple-chars", {}, ("scale=sqrt_d_k",), "context", [[5.693060, 0.806940], [0.806940, 5.693060]]),
    ("bought-apple", {}, (), "total", [5.382319]),
    ("bought-apple", {}, (), "weights", [[0.250795, 0.338538, 0.205334, 0.205334]]),
    ("bought-apple", {}, ("weighting=linear",), "weights", [[0.272727, 0.545455, 0.090909, 0.090909]]),
    ("library", {}, (), "weights", [[0.999089, 0, 0.000911, 0]]),
    ("library", {}, ("temperature=100",), "weights", [DIVIDED_BY_100]),
    ("library", {}, ("scale=0.01",), "weights", [DIVIDED_BY_100]),
]


@pytest.mark.parametrize(("name", "options", "changes", "step", "wanted"), SIX_PLACES)
def test_exact_arithmetic_gives_the_figures_of_the_sources(
    name: str, options: dict[str, str], changes: tuple[str, ...], step: str, wanted: Any
) -> None:
    """To six places, what 50-digit decimals give for the articles' inputs."""
    trace = run(load(name, changes, {"arithmetic": "exact", **options}))
    np.testing.assert_allclose(trace[step].values, wanted, rtol=0, atol=5.0001e-7)


def test_small_weights_of_the_library_are_shown_not_lost() -> None:
    """Two digits of a weight that four places would show as zeros."""
    out = printed("run", "library", "--plain", "--step", "weights")
    assert re.findall(r"key book\d: (\S+)", out) == ["0.9991", "1.3e-24", "0.0009", "5.5e-42"]


def test_the_total_of_apple_chars_is_that_of_the_sources() -> None:
    """22429.89 to two places."""
    trace = run(load("apple-chars", (), {"arithmetic": "exact"}))
    np.testing.assert_allclose(trace["total"].values, [22429.89, 22429.89], rtol=0, atol=0.005)


def test_the_average_of_the_past_has_rows_of_equal_parts() -> None:
    """Rows (1, 0, …), (½, ½, 0, …), (⅓, ⅓, ⅓, 0, …), and out = weights @ x."""
    trace = run(load("average"))
    rows = np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None]
    np.testing.assert_array_equal(trace["weights"].values, rows)
    np.testing.assert_allclose(trace["context"].values, rows @ trace["v"].values, rtol=1e-15)


def test_a_bigram_looks_at_itself_alone() -> None:
    """Identity weights: the context is the value."""
    trace = run(load("bigram"))
    np.testing.assert_array_equal(trace["weights"].values, np.eye(4))
    np.testing.assert_array_equal(trace["context"].values, trace["v"].values)


def test_the_same_token_differs_in_two_contexts() -> None:
    """苹果 enters both sentences with the same row of x and leaves with another context."""
    fruit, company = run(load("apple-fruit")), run(load("apple-company"))
    place = [trace.scenario.tokens.index("苹果") for trace in (fruit, company)]
    np.testing.assert_array_equal(fruit["x"].values[place[0]], company["x"].values[place[1]])
    assert np.abs(fruit["context"].values[place[0]] - company["context"].values[place[1]]).max() > 0.5


def test_scaling_flattens_large_scores() -> None:
    """Why scores are divided: a hundred times smaller, all four books have a say."""
    document = {"scores": [95, 40, 88, 0]}
    assert trace_of(document)["weights"].values.min() < 1e-40
    assert trace_of({**document, "temperature": 100})["weights"].values.min() > 0.1
