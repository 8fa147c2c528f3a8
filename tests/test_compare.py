"""`compare`: what is the same, what differs and by how much, and the words that sum it up."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from calling import call, document, out
from hostile import COUNT, SCORES, TOKENS, unsafe
from running import run_in_terminal, widest
from samples import LANGUAGES, softmax, trace_of
from surroundings import CHINESE

from attncalc.explore.compare import compared, difference, same_numbers
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written

LINEAR = ("compare", "draw", "--set", "weighting=linear")
FOUR_WAYS = (*LINEAR, "--with", "weighting=uniform", "--with", "weighting=self")
EXACT = ("--arithmetic", "exact")
PAST = {"scores": [[0, 0, 0], [0, 1, 2], [3, 3, 0]]}


def step_of(found: dict[str, Any], name: str) -> dict[str, Any]:
    """One step of a comparison."""
    return next(step for step in found["steps"] if step["name"] == name)


# --- the numbers ----------------------------------------------------------------------------------

DIFFERENCES: list[tuple[str, str, str]] = [
    ("0.62", "0.78", "0.16"), ("0.78", "0.62", "-0.16"), ("1", "1", "0"), ("-1", "1", "2"), ("0", "1e-40", "1e-40"), ("1", "1.0000000000000000000000000000000001", "0"),
    ("1e-20", "3e-20", "2e-20"), ("NaN", "NaN", "0"), ("NaN", "1", "NaN"), ("-Infinity", "-Infinity", "0"),
    ("-Infinity", "1", "Infinity"), ("1", "-Infinity", "-Infinity"), ("0.1", "0.30000000000000000001", "0.20000000000000000001"),
    # two ways of calculating one number differ in digits that nobody asked for
    ("0.33333333333333333333333333333333333333", "0.33333333333333333333333333333333333334", "0"),
    # and a tie stays a tie
    ("0.20833333333333333333333333333333333333", "0.33333333333333333333333333333333333334", "0.125"),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "wanted"), DIFFERENCES)
def test_a_difference_is_the_second_minus_the_first(first: str, second: str, wanted: str) -> None:
    """Of the true values; what is the same, infinite or NaN too, differs by 0."""
    found = difference(Decimal(first), Decimal(second))
    assert found == Decimal(wanted) or (found.is_nan() and wanted == "NaN")


SAME: list[tuple[list[Any], list[Any], bool, list[bool]]] = [
    ([1.0, np.nan, np.inf, 0.0], [1.0, np.nan, np.inf, -0.0], False, [True] * 4),
    ([1.0, np.nan, np.inf], [1.5, 1.0, -np.inf], False, [False] * 3),
    ([Decimal("0.1"), Decimal("NaN")], [Decimal("0.10"), Decimal("NaN")], True, [True, True]),
    ([Decimal("1e400")], [Decimal("2e400")], False, [False]),
    ([Decimal("0.3333333333333333333333")], [Decimal("0.3333333333333333333334")], False, [True]),
    ([Decimal("0.3333333333333333333333")], [Decimal("0.3333333333333333333334")], True, [False]),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "by_hand", "wanted"), SAME)
def test_numbers_are_the_same_by_their_doubles(
    first: list[Any], second: list[Any], by_hand: bool, wanted: list[bool]
) -> None:
    """By hand by their decimals; NaN is NaN, and what is beyond a double is told apart."""
    kind = object if isinstance(first[0], Decimal) else np.float64
    assert same_numbers(np.array(first, kind), np.array(second, kind), by_hand).tolist() == wanted


@pytest.mark.parametrize("seed", range(4))
def test_differences_are_those_of_numpy(seed: int) -> None:
    """Scaled and unscaled scores of random queries and keys, by a softmax of three lines."""
    random = np.random.default_rng(seed)
    q, k = (random.integers(-20, 20, (4, 3)) / 10 for _ in range(2))
    scores = q @ k.T
    scaled, plain = softmax(scores / np.sqrt(3)), softmax(scores)
    scenario = json.dumps({"q": q.tolist(), "k": k.tolist(), "arithmetic": "exact"}).encode()
    weights = step_of(document("compare", "-", "--set", "scale=none", stdin=scenario), "weights")
    assert np.allclose(weights["values"], [scaled, plain], rtol=1e-12, atol=1e-14)
    moved = plain - scaled
    assert weights["largest_difference"]["value"] == pytest.approx(moved.flat[np.abs(moved).argmax()], rel=1e-12)
    row, key = np.unravel_index(np.abs(moved).argmax(), moved.shape)
    assert weights["largest_difference"]["cell"] == f"weights {row} {key}"


@pytest.mark.parametrize("places", [4, 20, 29, 40, 50])
def test_every_digit_of_a_difference_is_a_digit(places: int) -> None:
    """However many are asked for: none is a 0 that was only filled in."""
    said = out("compare", "draw", *EXACT, "--places", str(places), "--set", "scores.0=2", "--step", "weights")
    with mpmath.workdps(80):
        first, second = ([mpmath.exp(mpmath.mpf(s)) for s in (x, "0.2", "0.6", "-0.3")] for x in ("1.8", "2"))
        changes = [b / sum(second) - a / sum(first) for a, b in zip(first, second, strict=True)]
        wanted = [mpmath.nint(change * mpmath.mpf(10) ** places) for change in changes]
    shown = re.findall(r"(\S+)$", said[said.index("──") : said.index("Reading")], re.M)[1:]
    assert [Decimal(x.replace("−", "-")).scaleb(places) for x in shown] == [int(x) for x in wanted]


def test_a_difference_has_no_digits_that_one_of_the_two_does_not_have() -> None:
    """A number calculated for 2 places is not set beside one of 50 with 50."""
    said = out("compare", "draw", *EXACT, "--with", "scores.0=2; places=50", "--step", "total")
    assert re.search(r"9\.83 +11\.17\d{48} +1\.33940863451770414350$", said, re.M)


def test_the_four_weightings_of_the_article_stand_side_by_side() -> None:
    """softmax, linear, uniform, self: one table."""
    lines = out(*FOUR_WAYS, "--step", "weights").splitlines()
    start = next(i for i, line in enumerate(lines) if "draw I " in line)
    assert [line.split()[2:] for line in lines[start : start + 4]] == [
        ["0.62", "0.78", "0.25", "0.00"], ["0.12", "0.09", "0.25", "0.00"], ["0.19", "0.26", "0.25", "0.00"],
        ["0.08", "−0.13", "0.25", "1.00"],
    ]  # fmt: skip


# --- which steps ----------------------------------------------------------------------------------

STEPS: list[tuple[tuple[str, ...], str | None, list[str], dict[str, list[int]]]] = [
    (("draw", "draw"), None, ["v", "scores", "exponentials", "total", "weights", "context", "residual"], {}),
    (("draw", "--set", "weighting=linear"), "exponentials", ["v", "scores"], {"exponentials": [0]}),
    (("draw", "--with", "weighting=self"), "scores", ["v"], {"scores": [0], "exponentials": [0], "total": [0]}),
    (("draw", "--with", "temperature=2", "--with", "temperature=2;scores.0=1"), "scores",
     ["v"], {"scaled": [1, 2]}),
    (("mini-head", "--set", "scale=none", "--step", "q", "--step", "scaled"), "scaled", ["q"], {"scaled": [0]}),
    (("mini-head", "--set", "mask=none", "--step", "x"), "masked", ["x"], {}),
    (("apple-fruit", "apple-company"), "x", [], {}),
]  # fmt: skip


@pytest.mark.parametrize(("args", "first", "same", "partial"), STEPS)
def test_steps_are_the_same_or_differ_or_are_missing(
    args: tuple[str, ...], first: str | None, same: list[str], partial: dict[str, list[int]]
) -> None:
    """In the order of the subject; the first that differs is named, and who has a step that not all have."""
    found = document("compare", *args)
    everyone = list(range(len(found["variants"])))
    assert (found["first_difference"], found["same"]) == (first, first is None)
    assert [step["name"] for step in found["steps"] if step["same"]] == same
    assert {step["name"]: step["in"] for step in found["steps"] if step["in"] != everyone} == partial


def test_two_ways_to_the_same_weights_are_the_same() -> None:
    """Taking off the row maximum changes the exponentials, not one weight."""
    found = document("compare", "draw", "--set", "shift=true", "--by-hand", "off")
    assert [step["name"] for step in found["steps"] if not step["same"]] == [
        "maximum", "shifted", "exponentials", "total"
    ]  # fmt: skip
    assert found["text"][1] == "The weights of shift=true are those of draw."


def test_nan_is_the_same_as_nan() -> None:
    """A row that sees no key is NaN in both."""
    trace = trace_of({"scores": [["-Infinity", "-Infinity"], [0, 1]], "empty_rows": "nan"})
    assert all(step.same for step in compared([trace, trace]))
    again = trace_of({"scores": [["-Infinity", "-Infinity"], [0, 2]], "empty_rows": "nan"})
    weights = next(step for step in compared([trace, again]) if step.name == "weights")
    assert [cell[2:] for cell in np.argwhere(weights.differing).tolist()] == [[1, 0], [1, 1]]


def test_each_variant_keeps_its_own_arithmetic() -> None:
    """By hand beside exact: the difference is that of the true values, not of the shown ones."""
    scenario = b'{"scores": [1, 2], "places": 2}'
    found = document("compare", "-", "--set", "by_hand=2", stdin=scenario)
    assert [variant["arithmetic"]["kind"] for variant in found["variants"]] == ["exact", "by-hand"]
    weights = step_of(found, "weights")
    assert weights["values"] == [[[0.2689414213699951, 0.7310585786300049]], [[0.27, 0.73]]]
    assert "1.1e-3" in (text := out("compare", "-", "--set", "by_hand=2", "--step", "weights", stdin=scenario))
    assert "−1.1e-3" in text


# --- what is shown --------------------------------------------------------------------------------


def rows(text: str, heading: str) -> list[str]:
    """The rows of the table under a heading."""
    part = text.split(f"\n{heading}", 1)[1].split("\n\n", 1)[0]
    return part.split("─\n", 1)[1].splitlines()


def test_a_row_has_each_variant_and_the_difference() -> None:
    """As each trace shows it; the difference with the places of the scenario."""
    assert [line.split() for line in rows(out(*LINEAR), "Divide")] == [
        ["draw", "I", "0.62", "0.78", "0.16"], ["draw", "like", "0.12", "0.09", "−0.03"],
        ["draw", "to", "0.19", "0.26", "0.07"], ["draw", "draw", "0.08", "−0.13", "−0.21"],
    ]  # fmt: skip


def test_of_many_cells_the_largest_differences_come_first() -> None:
    """Twelve of them, and a line that says of how many; --all shows every one that differs."""
    text = out("compare", "mini-head", "--set", "scale=none", "--step", "weights")
    shown = [line.split() for line in rows(text, "Divide")]
    sizes = [abs(float(line[-1].replace("−", "-"))) for line in shown]
    assert (len(shown), sizes, shown[0][:2]) == (12, sorted(sizes, reverse=True), ["fly", "fly"])
    assert "14 of 25 cells differ; here are 12 of them, the largest difference first." in text
    assert "the row of fly changes most." in text
    assert "What changes most is the weight of fly: 0.6882 → 0.8945." in " ".join(text.split())
    whole = out("compare", "mini-head", "--set", "scale=none", "--step", "weights", "--all")
    assert len(rows(whole, "Divide")) == 14
    assert "14 of 25 cells differ; the largest difference stands first." in whole


def test_a_query_narrows_the_rows_and_the_words() -> None:
    """--token shows its cells, in their order where they are few, and speaks of its row."""
    text = out("compare", "mini-head", "--set", "mask=none", "--token", "saw", "--step", "weights")
    assert [line.split() for line in rows(text, "Divide")] == [
        ["saw", "We", "0.6405", "0.2039", "−0.4365"], ["saw", "saw", "0.3595", "0.1145", "−0.2451"],
        ["saw", "birds", "·", "0.2039", "0.2039"], ["saw", "fly", "·", "0.3632", "0.3632"],
        ["saw", "south", "·", "0.1145", "0.1145"],
    ]  # fmt: skip
    assert "the row of saw changes." in text


def test_every_head_counts_unless_one_is_asked_for() -> None:
    """Cells are named with their head; --head keeps those of one, the key-value head that it reads included."""
    every = out("compare", "grouped", "--set", "k.0.2=9", "--step", "weights")
    heads = [re.findall(r"\(head \d\)", line) for line in rows(every, "Divide")]
    assert {head for found in heads for head in found} == {"(head 2)", "(head 3)"}
    keys = out("compare", "grouped", "--set", "k.0.2=9", "--head", "3", "--step", "k")
    assert next(line.split()[:4] for line in rows(keys, "Keys")) == ["red", "0", "(head", "1)"]
    assert "No cell of those asked for differs." in out(
        "compare", "grouped", "--set", "k.0.2=9", "--head", "1", "--step", "k"
    )
    one = out("compare", "grouped", "--set", "k.0.2=9", "--head", "1")
    assert "No cell of those asked for differs." in one
    assert "The weights of k.0.2=9 are those of grouped." in one


def test_other_features_are_said_not_compared() -> None:
    """Both shapes stand in a table, and no cell is set beside another."""
    text = " ".join(out("compare", "mini-head", "grouped").split())
    assert "queries 5×3 4×3×2" in text
    assert "so their cells are not set side by side." in text
    weights = step_of(document("compare", "mini-head", "grouped"), "weights")
    assert (weights["same"], weights["largest_difference"]) == (False, None)


def test_of_other_tokens_those_are_compared_that_both_have() -> None:
    """By their labels, with how many of how many; the step differs, and it is said where each query looks."""
    text = out("compare", "apple-fruit", "apple-company")
    assert [line.split() for line in rows(text, "Divide")] == [
        ["了", "了", "0.1591", "0.1925", "0.0333"], ["了", "苹果", "0.1672", "0.2022", "0.0350"],
        ["苹果", "了", "0.0510", "0.0351", "−0.0159"], ["苹果", "苹果", "0.1472", "0.1013", "−0.0459"],
    ]  # fmt: skip
    words = " ".join(text.split())
    assert "scores 6×6 5×5 4 of 36, 25 " in words
    assert "These cells are the same: embeddings, queries, keys, values, scores, scaled scores, exponentials." in words
    assert "In apple-fruit, 苹果 looks mostly at 买 (0.6054)." in words
    assert "In apple-company, 苹果 looks mostly at iPhone (0.4165)." in words
    found = document("compare", "apple-fruit", "apple-company")
    assert (step_of(found, "scores")["same"], step_of(found, "scores")["largest_difference"]) == (False, None)
    assert step_of(found, "context")["largest_difference"]["cell"] == "context 苹果 1"


def test_repeated_labels_meet_by_their_number(tmp_path: Path) -> None:
    """The second `a` of one is the second of the other; one that only one has is left out."""
    for name, tokens in (("one", ["a", "b", "a"]), ("two", ["a", "a"])):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tokens": tokens, "scores": list(range(len(tokens)))}))
    text = out("compare", *(str(tmp_path / f"{name}.json") for name in ("one", "two")), "--step", "scores")
    assert "scores 1×3 1×2 2 of 3, 2" in " ".join(text.split())
    assert [line.split()[1:] for line in rows(text, "Scores")] == [
        ["a#1", "0", "0", "0.0000"], ["a#2", "2", "1", "−1.0000"],
    ]  # fmt: skip


def test_a_query_is_found_in_each_variant(tmp_path: Path) -> None:
    """Where its label stands in it, also where the shapes are the same."""
    text = " ".join(out("compare", "apple-fruit", "apple-company", "--token", "苹果", "--token", "了").split())
    assert "In apple-company, 苹果 looks mostly at iPhone (0.4165)." in text
    for name, tokens in (("one", ["a", "b"]), ("two", ["b", "a"])):
        scenario = {"tokens": tokens, "scores": [[tokens.index("a"), 1], [3, 5]], "mask": "none"}
        (tmp_path / f"{name}.json").write_text(json.dumps(scenario))
    found = out(
        "compare", *(str(tmp_path / f"{name}.json") for name in ("one", "two")), "--token", "a", "--step", "scores"
    )
    assert [line.split() for line in rows(found, "Scores")] == [
        ["a", "a", "0", "5", "5.0000"],
        ["a", "b", "1", "3", "2.0000"],
    ]


def test_a_cell_that_all_hide_is_left_out() -> None:
    """Minus infinity less minus infinity is not 0."""
    args = ("compare", "mini-head", "--with", "x.0.0=2", "--token", "We")
    for step, heading in (("masked", "Mask"), ("exponentials", "Exponentiate")):
        assert [line.split()[:2] for line in rows(out(*args, "--step", step), heading)] == [["We", "We"]]


def test_the_first_difference_is_that_of_all_steps() -> None:
    """--step says what is shown, and what --fail-on-difference counts."""
    args = ("compare", "draw", "--set", "v.0.0=1", "--step", "context", "--step", "weights")
    found = document(*args)
    assert (found["first_difference"], found["same"]) == ("v", False)
    assert [step["name"] for step in found["steps"]] == ["weights", "context"]
    assert "The first step that differs: values." in found["text"]
    assert "The first step that differs: values." in out(*args)


NEAREST: list[tuple[str, str, str]] = [
    ("mini-head --set arithmetic=float64", "weights fly fly", "row of fly changes most"),
    ("mini-head --set x.3.1=1.00000000000001", "weights fly fly", "row of fly changes most"),
    ("library --set scores.3=-5", "weights reader book4", "the weight of book4: 5.5e-42 → 3.7e-44."),
    ("apple-fruit --set arithmetic=float64 --token 苹果", "weights 苹果 买", "the weight of 买: 0.6054 → 0.6054 (by"),
    ("grouped --set k.0.0=2.00000000000001", "weights fox red --head 1", "row of fox (head 1) changes most"),
    ("draw --by-hand off --set scores=[1,1,1,1.00000000000001]", "weights draw I", "the weight of I:"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "cell", "words"), NEAREST)
def test_words_name_the_largest_difference_however_small(line: str, cell: str, words: str) -> None:
    """The cell of the table; of equal ones the first."""
    args = ("compare", *line.split(), "--step", "weights")
    assert step_of(document(*args), "weights")["largest_difference"]["cell"] == cell
    assert words in " ".join(out(*args, "--width", "1000").split())


@pytest.mark.parametrize("change", ["k.0.0=2.00000000000001", "k.0.0=2.00000000000000000001", "arithmetic=float64"])
def test_the_difference_in_json_is_the_nearest_double(change: str) -> None:
    """Not cut at some place: that of numbers with many more digits."""
    first, second = (
        trace_of(json.loads(out("show", "grouped", *more))) for more in ((), ("--set", change))
    )  # fmt: skip
    weights = step_of(document("compare", "grouped", "--set", change), "weights")
    moved = [b - a for a, b in zip(first["weights"].exact.flat, second["weights"].exact.flat, strict=True)]
    largest = weights["largest_difference"]
    assert (largest and largest["value"]) == (float(max(moved, key=abs)) if largest else None)


def test_text_in_json_has_the_minus_sign_of_its_numbers() -> None:
    """Not that of a screen."""
    assert "0.08 → -0.13." in document(*LINEAR)["text"][1]


CHINESE_WORDS: list[tuple[tuple[str, ...], str]] = [
    (LINEAR, "仅见于  draw：指数"), (LINEAR, "差值"), (LINEAR, "最先出现差别的步骤：指数（只有 draw 才有）。"),
    (("compare", "apple-fruit", "--with", 'tokens.0="甲"; scale=none', "--token", "苹果"), "相比：苹果这一行的权重变了。最大的权重仍在买上。"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words"), CHINESE_WORDS)
def test_chinese_reads_as_chinese(args: tuple[str, ...], words: str) -> None:
    """No blank between two Chinese words, and no word that asks for another."""
    assert words in out(*args, "--width", "1000", language="zh")


def test_nan_less_nan_is_no_zero() -> None:
    """It is NaN."""
    blind = b'{"scores": [["-Infinity", "-Infinity"], [0, 1]], "empty_rows": "nan"}'
    text = out("compare", "-", "--with", "scores.1.0=3", "--step", "weights", stdin=blind)
    assert next(line.split() for line in rows(text, "Divide")) == ["0", "0", "NaN", "NaN", "NaN"]


def test_other_labels_are_said(tmp_path: Path) -> None:
    """Cells are named by those of the first."""
    for name, token in (("a", "cat"), ("b", "dog")):
        (tmp_path / f"{name}.json").write_text(json.dumps({"tokens": [token, "sat"], "scores": [1, 2 + (name == "b")]}))
    text = out("compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert "sat cat" in text
    assert "sat dog" not in text
    assert "The variants have different labels" in text
    assert "different labels" not in out("compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--quiet")


WORDS: list[tuple[tuple[str, ...], str]] = [
    (("draw", "--with", "weighting=uniform"),
     "Its largest weight is at I in draw, at I, like, to, … in weighting=uniform. What changes most is the weight of I: 0.62 → 0.25. The row becomes flatter: its largest weight goes from 0.62 to 0.25."),
    (("draw", "--with", "scores.0=3"), "Its largest weight stays at I. What changes most is the weight of I: 0.62 → 0.84. The row becomes sharper: its largest weight goes from 0.62 to 0.84."),
    (("draw", "--with", "scores=[0.2, 1.8, 0.6, -0.3]"),
     "Its largest weight is at I in draw, at like in scores=[0.2, 1.8, 0.6, …. What changes most is the weight of I: 0.62 → 0.12. The row is as sharp as before: its largest weight is still 0.62."),
    (("draw", "--with", "v.0.0=5"), "The weights of v.0.0=5 are those of draw."),
    (("window", "--with", "mask=causal"), "the row of"),
    (("cached", "--set", "q.0.0=-1", "--set", "places=2"), "The row is as sharp as before: its largest weight is still 0.5981."),
    (("draw", "--set", "scores.0=1.8000001", "--arithmetic", "exact"),
     "the weight of I: 0.62 → 0.62 (by 2.4e-8). The row becomes sharper: its largest weight goes from 0.62 to 0.62 (by 2.4e-8)."),
    (("draw", "--with", "weighting=linear"), "0.08 → -0.13. In weighting=linear the weight of draw is negative: -0.13."),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words"), WORDS)
def test_words_say_what_became_of_the_weights(args: tuple[str, ...], words: str) -> None:
    """The row that changed most, its top key, its largest change, sharper or flatter."""
    assert words in " ".join(document("compare", *args)["text"])


def test_a_row_of_zeros_or_of_nan_has_words_too() -> None:
    """No key is the top of a row that sees none."""
    zeros = document("compare", "-", "--set", 'mask={"hide": [0, 1, 2]}', stdin=json.dumps(PAST).encode())
    assert "at no key in" in zeros["text"][1]
    hidden = 'mask={"hide": [0, 1, 2]}; empty_rows=nan'
    assert "It holds NaN." in document("compare", "-", "--with", hidden, stdin=json.dumps(PAST).encode())["text"][1]
    blind = b'{"scores": [["-Infinity", "-Infinity"], [0, 1]], "empty_rows": "nan"}'
    assert "the row of 1 changes most." in document("compare", "-", "--with", "scores.1.0=3", stdin=blind)["text"][1]


def test_the_largest_of_negative_weights_is_at_its_key() -> None:
    """It is at no key only where all of them are 0."""
    rows = json.dumps({"weights": [[-1, -2]], "v": [[1], [2]], "query_tokens": ["q"]}).encode()
    text = document("compare", "-", "--set", "weights.0.0=-3", stdin=rows)["text"][1]
    assert "Its largest weight is at 0 in stdin, at 1 in weights.0.0=-3." in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("args", [FOUR_WAYS, ("compare", "apple-fruit", "apple-company"), ("compare", "draw", "draw")])
def test_both_languages(args: tuple[str, ...], language: str) -> None:
    """The same numbers; the words are Chinese or they are not."""
    text = out(*args, language=language)
    assert re.findall(r"\d\.\d+", text) == re.findall(r"\d\.\d+", out(*args))
    lines = [line for line in text.splitlines() if line.startswith(("Reading", "解读"))]
    assert lines
    assert all(bool(CHINESE.search(re.sub("苹果|买", "", line))) is (language == "zh") for line in lines)


# --- variants -------------------------------------------------------------------------------------

NAMES: list[tuple[tuple[str, ...], list[tuple[str, list[str]]]]] = [
    (("draw", "bigram"), [("draw", []), ("bigram", [])]),
    (("draw", "draw", "--set", "places=3"), [("draw", ["places=3"]), ("draw#2", ["places=3"])]),
    (("draw", "--set", "places=3", "--set", "temperature=2"), [("draw", []), ("places=3; temperature=2", ["places=3", "temperature=2"])]),
    (("draw", "--with", 'tokens.0="a;b";scores.0=1'), [("draw", []), ('tokens.0="a;b"; scores.0=1', ['tokens.0="a;b"', "scores.0=1"])]),
    (("draw", "--set", "places=3", "--with", "places=3"), [("draw", []), ("places=3", ["places=3"]), ("places=3#2", ["places=3"])]),
]  # fmt: skip


@pytest.mark.parametrize(("args", "wanted"), NAMES)
def test_a_variant_is_named_by_its_source_or_its_changes(
    args: tuple[str, ...], wanted: list[tuple[str, list[str]]]
) -> None:
    """Two of one name are told apart."""
    variants = document("compare", *args)["variants"]
    assert [(variant["name"], variant["changes"]) for variant in variants] == wanted


def test_standard_input_is_read_once_for_all_variants() -> None:
    """It comes only once."""
    found = document("compare", "-", "--with", "scores.0=1", "--with", "scores.0=2", stdin=b'{"scores": [0, 0]}')
    assert [values[0][0] for values in step_of(found, "scores")["values"]] == [0, 1, 2]


REFUSED: list[tuple[tuple[str, ...], list[str]]] = [
    (("draw",), ["draw: is a single scenario; name another, or a change of it with --set or --with"]),
    (("draw", "bigram", "--with", "places=3"),
     ["--with: makes variants of a single scenario, but here are several: draw bigram; with several, --set applies to all"]),
    (("draw", "--with", "x"), ["--with x: is not PATH=VALUE, for example scores.0=1 or mask=causal"]),
    (("draw", "--with", ""), ["--with : is not PATH=VALUE, for example scores.0=1 or mask=causal"]),
    (("draw", "--set", "x"), ["--set x: is not PATH=VALUE, for example scores.0=1 or mask=causal"]),
    (("draw", "--set", "scores.0=x", "--with", "scores.9=1", "--with", "mask=round"),
     ["draw: scores[0]: is \"x\"; wanted is a number", "--with scores.9=1: 9 is not a position in scores; positions go from 0 to 3",
      "draw: mask: is \"round\"; wanted is one of none, causal"]),
    (("nope", "nada", "draw"), ["nope: is neither a built-in scenario nor a file; did you mean rope?", "nada: is neither a built-in scenario nor a file; there are alibi, "]),
    (("nope", "--with", "a=1", "--with", "b=1"), ["nope: is neither a built-in scenario nor a file; did you mean rope?"]),
    (("draw", "--with", "by_hand=0;scores=[-1,-1,-1,-1]"),
     ["draw: by hand, every exponential of the row of draw rounds to 0; keep 1 place (--by-hand 1), or"]),
    (("draw", "draw", "--step", "weight"), ["--step: weight is not a step of this scenario; did you mean weights?"]),
    (("draw", "draw", "--token", "z"), ["--token: z is not a query here; wanted is one of: draw"]),
    (("apple-fruit", "apple-company", "--token", "我"),
     ["apple-company: --token: 我 is not a query here; wanted is one of: 苹果, 发布, 了, 新款, iPhone"]),
    (("draw", "draw", "--format", "csv"), ["--format: is csv; wanted is one of table, plain, json"]),
    (("draw", "--with", "weighting=linear;scores=[1,-1,1,-1]", "--with", "weighting=linear;scores=[2,-2,0,0]"),
     ["draw: the visible scores of draw add to 0, and plain division by a zero sum is not defined; use \"weighting\": \"softmax\""] * 2),
]  # fmt: skip


@pytest.mark.parametrize(("args", "sentences"), REFUSED)
def test_what_cannot_be_compared_is_refused(args: tuple[str, ...], sentences: list[str]) -> None:
    """With every fault of every variant, once."""
    done = call("compare", *args)
    lines = done.err.splitlines()
    assert (done.code, done.out, len(lines)) == (2, "", len(sentences))
    assert all(line.startswith(f"attncalc: {wanted}") for line, wanted in zip(lines, sentences, strict=True))


def test_what_is_wrong_with_all_variants_is_said_once() -> None:
    """The fault of the scenario that they share."""
    done = call("compare", "-", "--with", "places=3", "--with", "places=4", stdin=b'{"scores": [1, "x"]}')
    assert (done.code, done.err) == (2, 'attncalc: stdin: scores[1]: is "x"; wanted is a number\n')


@pytest.mark.parametrize(
    ("args", "code"),
    [(("draw", "draw"), 0), (("draw", "bigram"), 1), (("draw", "--set", "v.0.0=1"), 1), (("draw", "--set", "places=3"), 0),
     (("draw", "--set", "v.0.0=1", "--step", "weights"), 0), (("draw", "--set", "weighting=linear", "--step", "exponentials"), 1)],
)  # fmt: skip
def test_a_difference_may_be_a_failure(args: tuple[str, ...], code: int) -> None:
    """1 with --fail-on-difference where one of the steps asked for differs; 0 without it, always."""
    assert call("compare", *args, "--fail-on-difference").code == code
    assert call("compare", *args, "--json", "--fail-on-difference").code == code
    assert call("compare", *args).code == 0


# --- forms ----------------------------------------------------------------------------------------


def test_json_has_its_keys_in_order_and_reads_back() -> None:
    """Strict, the digits of by hand kept, the same bytes when written again."""
    text = out(*LINEAR, "--json")
    found = json.loads(text, parse_constant=pytest.fail)
    assert list(found) == ["format", "variants", "same", "first_difference", "steps", "text"]
    assert list(found["variants"][0]) == ["name", "scenario", "changes", "arithmetic"]
    wanted = ["name", "title", "same", "in", "axes", "labels", "shape", "values", "largest_difference"]
    assert all(list(step) == wanted for step in found["steps"])
    assert step_of(found, "exponentials")["values"] == [[[6.05, 1.22, 1.82, 0.74]], None]
    assert '"values": [[9.83], [2.30]], "largest_difference": {"cell": "total draw", "value": -7.53}' in text
    assert written(parse(text.encode(), "text")) + "\n" == text


def test_numbers_outside_json_are_texts() -> None:
    """A score of minus infinity, and the endless difference to it."""
    scores = step_of(document("compare", "-", "--set", "scores.0=-Infinity", stdin=b'{"scores": [0, 0]}'), "scores")
    assert scores["values"] == [[[0, 0]], [["-Infinity", 0]]]
    assert scores["largest_difference"] == {"cell": "scores 1 0", "value": "-Infinity"}


def test_plain_lines_say_each_variant_by_name() -> None:
    """One cell a line; a hidden cell is a word."""
    assert "cell draw draw: draw 0.08, weighting=linear -0.13, difference -0.21\n" in out(*LINEAR, "--plain")
    text = out("compare", "mini-head", "--set", "mask=none", "--token", "We", "--plain")
    assert "cell We saw: mini-head hidden, mask=none 0." in text


@pytest.mark.parametrize("columns", [80, 40])
@pytest.mark.parametrize("args", [FOUR_WAYS, ("compare", "apple-fruit", "apple-company", "--lang", "zh")])
def test_a_terminal_holds_it(args: tuple[str, ...], columns: int) -> None:
    """No line is wider, and no number is lost."""
    seen = run_in_terminal(*args, columns=columns)
    assert (seen.code, widest(seen.lines) <= columns) == (0, True)
    assert max(map(len, seen.lines)) <= columns
    numbers = sorted(re.findall(r"\d\.\d+", out(*args)))
    assert sorted(re.findall(r"\d\.\d+", "\n".join(seen.lines))) == numbers


def test_ascii_is_ascii() -> None:
    """Signs and lines; the scenario has no other tokens."""
    assert out(*FOUR_WAYS, "--ascii").isascii()
    assert out("compare", "mini-head", "--set", "mask=none", "--ascii").isascii()


@pytest.mark.parametrize("format", ["table", "plain", "json"])
def test_hostile_tokens_come_out_safely(format: str) -> None:
    """Whatever a label holds; and each has its row."""
    scenario = json.dumps({"tokens": TOKENS, "scores": [json.loads(s) for s in SCORES]}).encode()
    text = out("compare", "-", "--set", "temperature=2", "--all", "--format", format, stdin=scenario)
    assert unsafe(text) == []
    weights = step_of(document("compare", "-", "--set", "temperature=2", stdin=scenario), "weights")
    assert len(weights["labels"]["key"]) == COUNT


def test_a_hostile_change_is_shown_safely() -> None:
    """The name of a variant is a text of the user's."""
    text = out("compare", "draw", "--with", "title=[/b]\x1b[31m\u202e")
    assert unsafe(text) == []
    assert "draw, title=[/b]\\u{1b}[31m\\u{… " in text
    assert "Full label  title=[/b]\\u{1b}[31m\\u{202e}\n" in text
