"""`sweep`: the values between two ends, the rows at them, the curves, and the words that sum them up."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from calling import call, document, out
from hostile import SCORES, TOKENS, unsafe
from rich.cells import cell_len
from running import run_in_terminal, widest
from samples import LANGUAGES, softmax
from surroundings import CHINESE

from attncalc.core.stage import Row
from attncalc.document.blocks import Curve, Plot
from attncalc.errors import UsageError
from attncalc.explore.sweep import sweep
from attncalc.explore.trends import Lead, furthest, leads, moves
from attncalc.explore.values import as_typed, values_between
from attncalc.renderers.plot import HEIGHT, plot_lines
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written as json_written
from attncalc.scenario_files.sources import source_at

DRAW = ("sweep", "draw", "scores.0", "-1", "3")
SCORES_OF_DRAW = [1.8, 0.2, 0.6, -0.3]
BRAILLE = re.compile("[\u2800-\u28ff]")


# --- the values -----------------------------------------------------------------------------------

VALUES: list[tuple[str, str, int, list[str]]] = [
    ("-1", "3", 11, ["-1.0", "-0.6", "-0.2", "0.2", "0.6", "1.0", "1.4", "1.8", "2.2", "2.6", "3.0"]),
    ("3", "-1", 3, ["3", "1", "-1"]),
    ("0", "1", 2, ["0", "1"]),
    ("-0.50", "0.5", 3, ["-0.5", "0.0", "0.5"]),
    ("0", "1", 4, ["0", "0.333333333333", "0.666666666667", "1"]),
    ("-1", "1", 4, ["-1", "-0.333333333333", "0.333333333333", "1"]),
    ("0.1", "0.3", 3, ["0.1", "0.2", "0.3"]),
    ("1e3", "2e3", 3, ["1000", "1500", "2000"]),
    ("0", "1", 9, ["0.000", "0.125", "0.250", "0.375", "0.500", "0.625", "0.750", "0.875", "1.000"]),
    ("1e-30", "3e-30", 3, ["1e-30", "2e-30", "3e-30"]),
    ("-1e300", "1e300", 3, ["-1e300", "0", "1e300"]),
]  # fmt: skip


@pytest.mark.parametrize(("first", "last", "count", "wanted"), VALUES)
def test_values_are_evenly_spaced_and_exact(first: str, last: str, count: int, wanted: list[str]) -> None:
    """Both ends are among them; a value whose digits do not end has twelve."""
    assert as_typed(values_between(Decimal(first), Decimal(last), count)) == wanted


def test_a_thousand_values_are_a_thousand() -> None:
    """The most there can be, in order, none twice."""
    values = [Decimal(text) for text in as_typed(values_between(Decimal(0), Decimal(1), 1000))]
    assert (len(set(values)), values) == (1000, sorted(values))


# --- the rows -------------------------------------------------------------------------------------


def test_weights_are_those_of_numpy() -> None:
    """A score that goes through its own value, by a softmax of three lines."""
    found = document(*DRAW, "--by-hand", "off")
    scores = np.tile(SCORES_OF_DRAW, (11, 1))
    scores[:, 0] = found["points"]
    assert found["points"] == pytest.approx(np.linspace(-1, 3, 11))
    assert np.allclose(found["values"], softmax(scores), rtol=1e-12)


@pytest.mark.parametrize("row", range(3))
def test_temperature_and_scale_are_those_of_numpy(row: int) -> None:
    """Each query of random queries and keys; a temperature divides, a scale multiplies."""
    random = np.random.default_rng(row)
    q, k = (random.integers(-20, 20, (3, 4)) / 10 for _ in range(2))
    scenario = json.dumps({"q": q.tolist(), "k": k.tolist(), "mask": "none"}).encode()
    for path, factor in (("temperature", lambda t: 1 / (2 * t)), ("scale", lambda s: s)):
        found = document("sweep", "-", path, "0.5", "2", "--points", "4", "--token", str(row), stdin=scenario)
        wanted = [softmax(q @ k.T * factor(value))[row] for value in (0.5, 1, 1.5, 2)]
        assert np.allclose(found["values"], wanted, rtol=1e-12)


def test_any_step_with_queries_can_be_followed() -> None:
    """The context by features, the total as a single number."""
    context = document(*DRAW, "--step", "context", "--points", "2", "--by-hand", "off")
    weights = softmax([[-1, 0.2, 0.6, -0.3], [3, 0.2, 0.6, -0.3]])
    v = [[0.9, 0.1, 0.4], [0.2, 0.8, 0.3], [0.5, 0.5, 0.6], [0.3, 0.2, 0.9]]
    assert (context["labels"], np.allclose(context["values"], weights @ v)) == (["0", "1", "2"], True)
    total = document(*DRAW, "--step", "total", "--points", "2", "--by-hand", "off")
    assert (total["labels"], [len(row) for row in total["values"]]) == (["total"], [1, 1])


def test_a_head_of_many_is_followed() -> None:
    """The row is that of the head, the entry and the query that are asked for, and is said to be."""
    found = document("sweep", "grouped", "scale", "0.5", "1", "--points", "2", "--head", "1", "--token", "fox")
    assert [found[key] for key in ("batch", "head", "query")] == [None, 1, "fox"]
    run = json.loads(call("run", "grouped", "--set", "scale=0.5", "--step", "weights", "--json").out)
    assert found["values"][0] == run["steps"][0]["values"][1][1]
    text = out("sweep", "grouped", "scale", "0.5", "1", "--points", "2")
    assert "The query is runs, head 0; --token and --head show others." in text


def test_by_hand_keeps_its_digits() -> None:
    """The table of the article at its own value, 0.70 as 0.70."""
    text = out(*DRAW, "--json")
    assert '"points": [-1.0, -0.6, -0.2, 0.2, 0.6, 1.0, 1.4, 1.8, 2.2, 2.6, 3.0]' in text
    assert "[0.62, 0.12, 0.19, 0.08], [0.70, 0.10, 0.14, 0.06]" in text


@pytest.mark.parametrize("path", ["q.1.0", "q[b].0", "mask.drop.1.0"])
def test_a_number_of_an_array_in_a_file_can_move(path: str, tmp_path: Path) -> None:
    """As --set changes it, by position or label, wherever the array stands; the own value is that of the file."""
    arrays = {"q": [[1, 2], [1, 4.5]], "k": [[0.5, 1], [2, 0.25]], "drop": [[0, 1], [1, 0]]}
    np.savez(tmp_path / "run.npz", **{name: np.array(numbers) for name, numbers in arrays.items()})
    q, k, drop = ({"npz": "run.npz", "key": name} for name in arrays)
    file = tmp_path / "mine.json"
    file.write_text(json.dumps({"tokens": ["a", "b"], "q": q, "k": k, "mask": {"drop": drop}}))
    found = document("sweep", str(file), path, "0", "1", "--points", "2")
    for value, row in zip((0, 1), found["values"], strict=True):
        run = json.loads(out("run", str(file), "--set", f"{path}={value}", "--step", "weights", "--json"))
        assert row == run["steps"][0]["values"][1]
    assert f"* marks the scenario's own value: {path} = 1" in out("sweep", str(file), path, "0", "1", "--points", "2")


def test_a_sweep_is_a_question_to_the_library() -> None:
    """Numbers by point, without a word or a sign; the row is the scenario's query where none is named."""
    swept = sweep(source_at({"scores": [0, 1, "-Infinity"]}), "scores.0", ["1", "0"])
    assert [point.text for point in swept.points] == ["1", "0"]
    assert np.allclose(swept.rows, softmax([[1, 1, -np.inf], [0, 1, -np.inf]]), rtol=1e-12)
    assert (swept.own, swept.own_point, swept.row) == (0, 1, (0, 0, 0))
    assert [point.hidden for point in swept.points] == [(False, False, True)] * 2
    last = sweep(source_at("mini-head"), "temperature", ["1", "2"], "scaled", Row(0, 0, 1))
    wanted = [call("run", "mini-head", "--set", f"temperature={t}", "--step", "scaled", "--json").out for t in (1, 2)]
    assert last.rows == [json.loads(text)["steps"][0]["values"][1] for text in wanted]


@pytest.mark.parametrize("name", ["v", "nothing"])
def test_the_library_refuses_a_step_without_rows(name: str) -> None:
    """In the sentences of the command line."""
    with pytest.raises(UsageError, match="there are scores, exponentials, total, weights, context, residual"):
        sweep(source_at("draw"), "scores.0", ["1", "2"], name)


def test_standard_input_is_read_once() -> None:
    """It comes only once, and every point needs it."""
    found = document("sweep", "-", "scores[0]", "0", "1", "--points", "3", stdin=b'{"scores": [0, 0]}')
    assert (found["scenario"], found["values"][0]) == ("stdin", [0.5, 0.5])


# --- the words ------------------------------------------------------------------------------------

NAN = float("nan")
LEADS: list[tuple[list[list[float]], list[Lead]]] = [
    ([[1, 2], [1, 3], [4, 3]], [Lead((1,), 0, 1), Lead((0,), 2, 2)]),
    ([[1, 2], [2, 2], [3, 2]], [Lead((1,), 0, 0), Lead((0, 1), 1, 1), Lead((0,), 2, 2)]),
    ([[1, 2], [NAN, NAN], [1, 2]], [Lead((1,), 0, 0), Lead((1,), 2, 2)]),
    ([[1, NAN], [1, 0], [NAN, 1]], [Lead((0,), 1, 1)]),
    ([[1, 1 + 1e-15], [2, 2 - 1e-15]], [Lead((0, 1), 0, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "wanted"), LEADS)
def test_the_lead_is_told_from_where_to_where(rows: list[list[float]], wanted: list[Lead]) -> None:
    """Equal numbers share it; a row with NaN has no lead."""
    assert leads(rows) == wanted


def test_what_moves_most_is_told_by_its_extremes() -> None:
    """In the order of the points, also where it turns back; what is not finite does not count."""
    found = moves([[0, 5, NAN], [3, 4, 1], [1, float("inf"), NAN]])
    assert [(move.column, move.first, move.last) for move in found] == [(0, 0, 1), (1, 0, 1), (2, 1, 1)]


FURTHEST: list[tuple[list[list[float]], list[tuple[int, ...]]]] = [
    ([[0, 0, 3], [2, 2 + 1e-15, 1], [2 - 1e-15, 2, 1]], [(0, 1), (2,)]),
    ([[0, 1], [2, 1]], [(0,)]),
    ([[0.5, 0.5 + 1e-16], [0.25, 0.25]], [(0, 1)]),
    ([[0, 0], [0, 0]], [(0, 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("rows", "wanted"), FURTHEST)
def test_all_that_move_furthest_are_found(rows: list[list[float]], wanted: list[tuple[int, ...]]) -> None:
    """To twelve digits; together where they go from the same number to the same."""
    assert [tuple(move.column for move in group) for group in furthest(rows)] == wanted


WORDS: list[tuple[tuple[str, ...], list[str]]] = [
    (DRAW, ["The largest weight is that of: to (-1.0 to 0.2); I and to (0.6); I (1.0 to 3.0).",
            "I moves most: 0.09 at -1.0, 0.84 at 3.0."]),
    (("sweep", "draw", "scores[to]", "3", "-1", "--points", "3"),
     ["The largest weight is that of: to (3); I (1 to -1).", "to moves most: 0.71 at 3, 0.04 at -1."]),
    (("sweep", "library", "temperature", "1", "3", "--points", "3"),
     ["book1 has the largest weight at every point.", "book1 moves most: 0.9991 at 1, 0.9116 at 3."]),
    (("sweep", "draw", "v.0.0", "1", "3"), ["Nothing moves here: the row is the same at every point. --step context shows the effect."]),
    (("sweep", "draw", "residual.0", "1", "3", "--step", "context"),
     ["Nothing moves here: the row is the same at every point. --step residual shows the effect."]),
    (("sweep", "draw", "places", "1", "3", "--by-hand", "2", "--points", "2"),
     ["Nothing moves: the row is the same at every point."]),
    (("sweep", "sink", "sink", "-2", "2", "--points", "5"),
     ["cat and . have the largest weight at every point.", "cat and . move most: 0.2677 at -2, 0.0174 at 2."]),
    *((("sweep", "padding", "temperature", "0.3", "3", "--points", "4", "--batch", "1", "--token", "0", *more),
       ["0 and 1 have the largest weight at every point.",
        "These move most, equally far: 0 and 1 (0.4567 at 0.3, 0.2793 at 3.0); 2 and 3 (0.0433 at 0.3, 0.2207 at 3.0)."])
      for more in ((), ("--arithmetic", "float64"))),
    ((*DRAW, "--step", "context", "--points", "2"), ["feature 0 moves most: 0.41 at -1, 0.82 at 3."]),
    ((*DRAW, "--step", "total", "--points", "2"), ["total moves most: 4.15 at -1, 23.87 at 3."]),
    *((("sweep", "draw", "scores.0", "900", "1001", "--points", "2", "--step", "total", "--places", "2", *more),
       ["total moves most: 7.33e390 at 900, 5.36e434 at 1001."]) for more in ((), ("--arithmetic", "exact"))),
    (("sweep", "draw", "scores.0", "0", "1001", "--points", "2", "--step", "exponentials", "--set", "scores.1=800"),
     ["I moves most: 1.00 at 0, 5.36e434 at 1001."]),
]  # fmt: skip


@pytest.mark.parametrize(("args", "sentences"), WORDS)
def test_words_say_who_leads_and_what_moves(args: tuple[str, ...], sentences: list[str]) -> None:
    """In the JSON and on the screen."""
    assert document(*args)["text"] == sentences
    text = " ".join(out(*args, "--plain").split())
    assert all(sentence in text for sentence in sentences)


OWN: list[tuple[tuple[str, ...], str, bool]] = [
    (DRAW, "* marks the scenario's own value: scores.0 = 1.8.", True),
    ((*DRAW, "--points", "2"), "The scenario's own value, scores.0 = 1.8, lies between two points.", True),
    ((*DRAW, "--set", "scores.0=0.6"), "* marks the scenario's own value: scores.0 = 0.6.", True),
    (("sweep", "mini-head", "temperature", "1", "2"), "* marks the scenario's own value: temperature = 1.", True),
    (("sweep", "draw", "scores.0", "2", "3"), "own value", False),
    (("sweep", "draw", "scores.0", "0", "1"), "own value", False),
    (("sweep", "mini-head", "scale", "0", "1"), "own value, scale = 1/√3 ≈ 0.577350269190, lies between two points.", True),
    (("sweep", "mini-head", "scale", "0", "1", "--set", "scale=d_k"), "own value, scale = 1/3 ≈ 0.333333333333, lies", True),
    (("sweep", "-", "scale", "0", "1", "--points", "3"), "* marks the scenario's own value: scale = 1/√4 = 0.5.", True),
    (("sweep", "mini-head", "scale", "0", "1", "--set", "scale=none"), "own value", False),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words", "there"), OWN)
def test_the_scenarios_own_value_is_marked(args: tuple[str, ...], words: str, there: bool) -> None:
    """Where it lies in the range: a star at its point, and a sign under the curves."""
    text = out(*args, stdin=b'{"q": [[1, 2, 3, 4]], "k": [[4, 3, 2, 1], [1, 0, 0, 1]]}')
    assert (words in " ".join(text.split())) is there
    assert ("▲" in text) is there
    assert bool(re.search(r"^ +−?[\d.]+ \*  ", text, re.MULTILINE)) is words.startswith("*")


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_languages(language: str) -> None:
    """The same numbers and curves; the words are Chinese or they are not."""
    text = out(*DRAW, language=language)
    assert sorted(re.findall(r"\d\.\d+", text)) == sorted(re.findall(r"\d\.\d+", out(*DRAW)))
    assert BRAILLE.findall(text) == BRAILLE.findall(out(*DRAW))
    assert bool(CHINESE.search(text)) is (language == "zh")


# --- forms ----------------------------------------------------------------------------------------


def table(text: str) -> list[list[str]]:
    """The rows of the table."""
    return [line.split() for line in text.split("─\n")[1].split("\n\n")[0].splitlines()]


def test_a_row_a_point_and_a_column_a_key() -> None:
    """As the steps of a run show them."""
    rows = table(out(*DRAW))
    assert (len(rows), rows[0], rows[7]) == (
        11, ["−1.0", "0.09", "0.29", "0.44", "0.18"], ["1.8", "*", "0.62", "0.12", "0.19", "0.08"]
    )  # fmt: skip


def test_a_hidden_key_is_no_zero() -> None:
    """A sign in the table, a word in plain text."""
    args = ("sweep", "mini-head", "temperature", "1", "2", "--points", "2", "--token", "saw")
    assert [row[-3:] for row in table(out(*args))] == [["·", "·", "·"]] * 2
    assert "temperature 2, key fly: hidden\n" in out(*args, "--plain")


def test_of_many_keys_those_that_move_most_are_shown() -> None:
    """Twelve columns, in their order, and a line; --all shows all of them."""
    scenario = json.dumps({"scores": [i / 10 for i in range(30)]}).encode()
    text = out("sweep", "-", "scores.29", "0", "9", "--points", "2", stdin=scenario)
    assert "12 of 30 columns shown, those that move most; --all shows every one." in text
    assert table(text)[0].__len__() == 13
    whole = out("sweep", "-", "scores.29", "0", "9", "--points", "2", "--all", stdin=scenario)
    assert (len(table(whole)[0]), "columns shown" in whole) == (31, False)


def test_json_has_its_keys_in_order_and_reads_back() -> None:
    """Strict, the same bytes when written again."""
    text = out(*DRAW, "--json")
    wanted = ["format", "scenario", "path", "step", "batch", "head", "query", "labels", "points", "values", "text"]
    assert list(json.loads(text, parse_constant=pytest.fail)) == wanted
    assert json_written(parse(text.encode(), "text")) + "\n" == text


def test_csv_is_tidy() -> None:
    """A number a line, its point first under the path, the labels as in the CSV of a trace."""
    text = out("sweep", "grouped", "scale", "-1", "1", "--points", "2", "--head", "2", "--format", "csv")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0] == ["scale", "step", "batch", "head", "query", "key", "feature", "value"]
    assert [row[:7] for row in rows[1:4]] == [
        ["-1", "weights", "", "2", "runs", key, ""] for key in ("red", "fox", "runs")
    ]
    found = document("sweep", "grouped", "scale", "-1", "1", "--points", "2", "--head", "2")
    assert [float(row[7]) for row in rows[1:]] == [x for values in found["values"] for x in values]
    features = out(*DRAW, "--step", "context", "--points", "2", "--format", "csv").splitlines()
    assert features[1] == "-1,context,,,draw,,0,0.41"


def test_plain_has_no_curves() -> None:
    """One statement a line, and no sign that only draws."""
    text = out(*DRAW, "--plain")
    assert "scores.0 1.8 *, key I: 0.62\n" in text
    assert not BRAILLE.search(text)
    assert not set("│└▲█") & set(text)


# --- curves ---------------------------------------------------------------------------------------


def plot(*curves: tuple[float | None, ...], names: str = "IJKLMNOP", own: float | None = None) -> Plot:
    """Curves between 0 and 1."""
    count = len(curves[0])
    at = tuple(number / (count - 1) for number in range(count))
    made = tuple(Curve(name, numbers) for name, numbers in zip(names, curves, strict=False))
    return Plot("x", tuple(map(str, range(count))), at, made, 0.0, 1.0, "0.0", "1.0", own)


def drawn(block: Plot, room: int = 76, ascii_only: bool = False) -> list[str]:
    """The lines of the canvas alone."""
    return [line[5:] for line in list(plot_lines(block, room, ascii_only))[:HEIGHT]]


@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_curve_lies_where_its_numbers_are(ascii_only: bool) -> None:
    """Along the upper edge, along the lower one, and from corner to corner."""
    top, bottom = (drawn(plot((y, y)), ascii_only=ascii_only) for y in (1.0, 0.0))
    assert [number for number, line in enumerate(top) if line.strip()] == [0]
    assert [number for number, line in enumerate(bottom) if line.strip()] == [HEIGHT - 1]
    rising = drawn(plot((0.0, 1.0)), ascii_only=ascii_only)
    starts = [len(line) - len(line.lstrip()) for line in rising]
    assert (starts, starts[-1], len(rising[0].rstrip())) == (sorted(starts, reverse=True), 0, 64)


@pytest.mark.parametrize("count", range(1, 9))
@pytest.mark.parametrize("room", [36, 76, 1000])
def test_every_curve_has_its_letter(count: int, room: int) -> None:
    """Even where all curves are one: no colour is needed to tell them apart."""
    lines = drawn(plot(*[(0.5, 0.5, 0.5)] * count), room)
    assert set(re.findall("[A-Z]", "".join(lines))) == set("ABCDEFGH"[:count])


def test_a_gap_stays_open() -> None:
    """Nothing is drawn between a point and one that is no number."""
    line = next(line for line in drawn(plot((0.5, 0.5, None, 0.5, 0.5))) if line.strip())
    assert line[20:44].strip() == ""
    assert line[:12].strip()
    assert line[-12:].strip()


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_point_alone_is_a_letter(place: int) -> None:
    """Where there is no line to stand on, the ends included."""
    lines = drawn(plot(tuple(0.0 if place == number else None for number in range(3))))
    assert "".join(lines).strip() == "A"
    assert lines[-1].index("A") == pytest.approx(32 * place, abs=1)


@pytest.mark.parametrize("ascii_only", [False, True])
@pytest.mark.parametrize("room", [36, 60, 76, 1000])
def test_curves_fit_and_wide_labels_do_not_shift_them(room: int, ascii_only: bool) -> None:
    """Every line within the room; the legend breaks between its entries."""
    lines = list(plot_lines(plot(*[(0.1, 0.9)] * 8, names="苹果香蕉樱桃葡萄", own=0.5), room, ascii_only))
    assert max(map(cell_len, lines)) <= room
    assert all(line.index("|" if ascii_only else "│") == 4 for line in lines[:HEIGHT])
    assert sorted(" ".join(lines[HEIGHT + 2 :]).split()) == sorted([*"ABCDEFGH", *"苹果香蕉樱桃葡萄"])


@pytest.mark.parametrize("columns", [120, 80, 40])
@pytest.mark.parametrize("args", [DRAW, ("sweep", "apple-fruit", "temperature", "0.2", "5", "--lang", "zh")])
def test_a_terminal_holds_it(args: tuple[str, ...], columns: int) -> None:
    """No line is wider; the curves are there."""
    seen = run_in_terminal(*args, columns=columns)
    assert (seen.code, widest(seen.lines) <= columns) == (0, True)
    assert max(map(len, seen.lines)) <= columns
    assert sum(bool(BRAILLE.search(line)) for line in seen.lines) > 5


def test_ascii_is_ascii() -> None:
    """Points instead of braille."""
    text = out(*DRAW, "--ascii")
    assert text.isascii()
    assert re.search(r"\.\.A\.\.|\.A\.", text)


EXTREME: list[tuple[str, ...]] = [
    ("scores.0", "1e-399", "2e-399"), ("scores.0", "0.1", "0.10000000000000000000000001"), ("scores.0", "-1e300", "1e300"),
    ("temperature", "1e-30", "1e30"), ("scores.1", "-1e308", "1e308"),
]  # fmt: skip


@pytest.mark.parametrize("args", EXTREME)
@pytest.mark.parametrize("step", ["weights", "scores"])
def test_extreme_values_are_drawn_or_refused_in_a_sentence(args: tuple[str, ...], step: str) -> None:
    """No ends that fall together as doubles, and no range beyond a double, is a fault."""
    done = call("sweep", "draw", *args, "--by-hand", "off", "--step", step)
    assert done.code in (0, 2)
    assert "fault of attncalc" not in done.err


@pytest.mark.parametrize("format", ["table", "plain", "json", "csv"])
def test_hostile_tokens_come_out_safely(format: str) -> None:
    """Whatever a label holds, in tables, curves and words."""
    scenario = json.dumps({"tokens": TOKENS, "scores": [json.loads(s) for s in SCORES]}).encode()
    for place in (0, 5, 20, 40):
        text = out(
            "sweep", "-", f"scores.{place}", "-9", "9", "--points", "2", "--all", "--format", format, stdin=scenario
        )
        assert unsafe(text) == []


# --- what is refused ------------------------------------------------------------------------------

NUMBER = "is not a decimal number, for example 0.5 or -1"
REFUSED: list[tuple[str, list[str]]] = [
    ("", ["name a scenario: a file, - for standard input, or a built-in; alibi, "]),
    ("draw scores.0 1", ["a scenario, a path, a first and a last value are wanted, for example attncalc sweep draw scores.0 -1 3"]),
    ("draw scores.0 1 1.0", ["both ends are 1; wanted is a range"]),
    ("draw scores.0 x nan", [f"FROM: x {NUMBER}", f"TO: nan {NUMBER}"]),
    ("draw scores.0 -inf 1e", [f"FROM: -inf {NUMBER}", f"TO: 1e {NUMBER}"]),
    ("draw scores.0 １ 1_0", [f"FROM: １ {NUMBER}", f"TO: 1_0 {NUMBER}"]),
    ("draw scores.0 1e999 -1e-999", ["FROM: is 1e999, too large for any arithmetic here", "TO: is -1e-999, too close to zero for any arithmetic here"]),
    (f"draw scores.0 0 0.{'1' * 200}", ["TO: has 200 digits; at most 100 are read"]),
    ("draw scores.0 0 1 --points 1", ["--points: 1 is not a whole number from 2 to 1000"]),
    ("draw scores.0 0 1 --points 1001", ["--points: 1001 is not a whole number from 2 to 1000"]),
    ("draw scores.9 0 1", ["scores.9: 9 is not a position in scores; positions go from 0 to 3"]),
    ("draw scores[x] 0 1", ["scores[x]: x is neither a position in scores nor a token; there are I, like, to, draw"]),
    ("draw scores 0 1", ["scores: holds a list, not a single number"]),
    ("draw scores.0.1 0 1", ["scores.0.1: scores.0 is a single value and has no parts"]),
    ("draw scores.0=1 0 1", ["scores.0=1: is not a path of the scenario, for example scores.0, scores[to] or temperature"]),
    ("draw skores 0 1", ["skores=0.0: draw: skores: is not a key that is known here; did you mean scores?"]),
    ("draw tokens.0 0 1", ["tokens.0=0.0: draw: tokens[0]: is 0.0; a label is a text, in quotes"]),
    ("draw temperature -1 1", ["temperature=-1.0: draw: temperature: is -1.0; wanted is a number above 0"]),
    ("draw temperature 1 -1", ["temperature=0.0: draw: temperature: is 0.0; wanted is a number above 0"]),
    ("draw scores.0 -3 -1 --set weighting=linear --set scores.1=2 --set scores.2=0 --set scores.3=0",
     ["scores.0=-2.0: draw: the visible scores of draw add to 0, and plain division by a zero sum is not defined"]),
    ("draw scores.0 0 1 --step v", ["--step: v has no row of numbers for each query; there are scores, exponentials, total, weights, context, residual"]),
    ("draw scores.0 0 1 --step weigths", ["--step: weigths is not a step of this scenario; did you mean weights?"]),
    ("draw scores.0 0 1 --step weights --step total", ["--step: names weights, total, but one at a time is followed"]),
    ("mini-head scale 0 1 --token We --token saw", ["--token: names We, saw, but one at a time is followed"]),
    ("grouped scale 0 1 --head all", ["--head: a single head is wanted here, not all"]),
    ("draw scores.0 -1 3 --tokne x", ["there is no option --tokne; did you mean --token?"]),
    ("draw scores.0 -1 --tokne 3", ["there is no option --tokne; did you mean --token?"]),
    ("draw scores.0 --nope -1 3", ["there is no option --nope; --help lists those there are"]),
    ("--nope draw scores.0 -1 3", ["there is no option --nope; --help lists those there are"]),
    ("draw scores.0 -1 3 -x", ["there is no option -x; --help lists those there are"]),
    ("grouped scale -- -1 1 --points 4 --head 3", ["--points stands after --, and what stands there is an argument; options go before it"]),
    ("draw scores.0 -1 3 5", ["there are more arguments than the command takes: 5"]),
    ("draw scores.0 -1 3 --points", ["the option --points needs a value"]),
    ("nope scores.0 -1 3", ["nope: is neither a built-in scenario nor a file; did you mean rope?"]),
    ("draw scores.0 -1 3 --format xlsx", ["--format: is xlsx; wanted is one of table, plain, json, markdown, latex, html, csv, svg"]),
]  # fmt: skip


@pytest.mark.parametrize(("line", "sentences"), REFUSED)
def test_what_cannot_be_swept_is_refused(line: str, sentences: list[str]) -> None:
    """A number as -1 is an argument; a mistyped option is still none."""
    done = call("sweep", *line.split())
    lines = done.err.splitlines()
    assert (done.code, done.out, len(lines)) == (2, "", len(sentences))
    assert all(found.startswith(f"attncalc: {wanted}") for found, wanted in zip(lines, sentences, strict=True))


@pytest.mark.parametrize(
    ("args", "place"),
    [(("1", "2", "--step", "context"), "heads"), (("2", "1", "--set", "heads=2", "--head", "1"), "heads=1")],
)
def test_a_number_that_changes_the_shape_is_refused(args: tuple[str, ...], place: str) -> None:
    """A row of another length, or of a head that is no more, is another row."""
    scenario = b'{"q": [[1, 2]], "k": [[3, 4]], "v": [[5, 6]]}'
    done = call("sweep", "-", "heads", *args, "--points", "2", stdin=scenario)
    sentence = f"attncalc: {place}: changes the shape of the calculation, so that no row can be followed\n"
    assert (done.code, done.out, done.err) == (2, "", sentence)


def test_a_step_that_is_not_there_at_every_value_is_refused() -> None:
    """Floating point takes off the row maximum only where it must."""
    args = ("--arithmetic", "float16", "--set", "scores.0=20", "--step", "shifted", "--points", "2")
    done = call("sweep", "draw", "scores.0", "20", "0", *args)
    wanted = "attncalc: scores.0=0: changes the shape of the calculation, so that no row can be followed\n"
    assert (done.code, done.out, done.err) == (2, "", wanted)


@pytest.mark.parametrize("number", ["-1", "-.5", "-0.5", "-1e-3", "-5E1"])
def test_negative_numbers_need_no_quotes(number: str) -> None:
    """A minus sign begins a number here, not an option."""
    assert document("sweep", "draw", "scores.0", number, "3", "--points", "2")["points"][0] == float(number)
