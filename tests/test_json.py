"""The JSON and CSV of a trace: strict, in the contract's order, the same bytes always, and read again as a scenario."""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any, NoReturn

import pytest
from calling import call
from running import run_program, run_shell
from samples import BUILT_IN, BY_HAND, DRAW, LANGUAGES, random_hand_texts, random_traces, trace_of_text

from attncalc import load, render, run
from attncalc.core.stage import AXES
from attncalc.errors import CalculationError
from attncalc.scenario_files.json_writing import MOST_INDENTED, written

TOP = ["format", "scenario", "arithmetic", "steps", "notes"]
STEP = ["name", "title", "formula", "latex", "given", "axes", "labels", "shape", "values"]
NOTE = ["code", "step", "text"]


def strict(text: str) -> Any:
    """The value of strict JSON with its numbers as decimals; NaN, Infinity and repeated keys are refused."""

    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs), pairs
        return dict(pairs)

    return json.loads(text, parse_constant=refuse, parse_float=Decimal, object_pairs_hook=once)


def json_of(source: Any, *changes: str, **options: str) -> str:
    """A trace as the program writes it."""
    return render(run(load(source, changes, options)), "json")


def values(text: str, step: str) -> Any:
    """The values of one step, numbers as the text of JSON, nested as they stand."""
    found = json.loads(text, parse_float=str, parse_int=str)
    return next(part["values"] for part in found["steps"] if part["name"] == step)


def assert_shaped(values: Any, shape: list[int]) -> None:
    """Nested lists have the shape that the step says."""
    if shape:
        assert len(values) == shape[0]
        for part in values:
            assert_shaped(part, shape[1:])
    else:
        assert isinstance(values, Decimal | int | str)


def assert_in_contract_order(document: Any) -> None:
    """The keys of section 3, in its order, and shapes that hold."""
    assert list(document) == TOP
    assert document["format"] == "attncalc-trace/1"
    assert list(document["arithmetic"]) == ["kind", "places", "rounding"]
    for step in document["steps"]:
        assert list(step) == STEP
        assert step["axes"] == [axis for axis in AXES if axis in step["axes"]]
        assert list(step["labels"]) == [axis for axis in step["axes"] if axis in ("query", "key")]
        lengths = dict(zip(step["axes"], step["shape"], strict=True))
        assert {axis: len(names) for axis, names in step["labels"].items()}.items() <= lengths.items()
        assert_shaped(step["values"], step["shape"])
    assert all(list(note) == NOTE for note in document["notes"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_json_is_strict_and_in_order(name: str, language: str) -> None:
    """Every built-in scenario in both languages: one line of strict JSON with the contract's keys."""
    text = render(run(load(name)), "json", language)
    assert text.count("\n") == 1
    assert_in_contract_order(strict(text))


def test_random_traces_are_strict_json_without_a_negative_zero() -> None:
    """100 random scenarios, hidden cells and NaN among them, exact, float64 and by hand."""
    texts = [render(trace, "json") for trace in random_traces(60, 7)]
    texts += [render(trace, "json") for trace in random_traces(20, 8, arithmetic="float64")]
    for document in random_hand_texts(60, 9):
        try:
            texts.append(render(trace_of_text(document), "json"))
        except CalculationError:
            continue
    for text in texts:
        assert_in_contract_order(strict(text))
        steps = text[text.index('"steps": ') :]
        assert not re.search(r"[\[ ]-0(\.0*)?[\],]", steps), text


# --- pipes ---------------------------------------------------------------------------------------


def test_show_pipes_into_run() -> None:
    """`attncalc show draw | attncalc run - --json`: the last step is the residual."""
    done = run_shell("attncalc show draw | attncalc run - --json")
    assert (done.code, done.err) == (0, "")
    last = strict(done.out)["steps"][-1]
    assert (last["name"], last["values"]) == ("residual", [[Decimal("1.10"), Decimal("0.17"), Decimal("0.67")]])
    assert done.out == json_of("draw")


def test_two_processes_write_the_same_bytes() -> None:
    """No order of a set, no time, no hash seed is in the JSON."""
    outs = {run_program("run", *BUILT_IN, "--json", env={"PYTHONHASHSEED": seed}).out for seed in ("1", "2")}
    assert len(outs) == 1
    assert outs.pop().count("\n") == len(BUILT_IN)


@pytest.mark.parametrize("arithmetic", [(), ("--arithmetic", "exact"), ("--by-hand", "3")])
def test_other_processors_write_the_same_bytes(arithmetic: tuple[str, ...]) -> None:
    """Exact and by hand: the kernels that NumPy's matrix products use elsewhere change nothing."""
    cores: list[dict[str, str]] = [{}, *({"OPENBLAS_CORETYPE": name} for name in ("Haswell", "Prescott"))]
    runs = [run_program("run", *BUILT_IN, *arithmetic, "--json", env=core) for core in cores]
    assert {done.code for done in runs} == {0}
    assert len({done.out for done in runs}) == 1


# --- read again ----------------------------------------------------------------------------------

CHANGES: list[tuple[tuple[str, ...], dict[str, str]]] = [
    ((), {}),
    ((), {"places": "7"}),
    ((), {"by_hand": "3"}),
    ((), {"by_hand": "off"}),
    ((), {"arithmetic": "float64"}),
    ((), {"arithmetic": "exact", "rounding": "truncate"}),
    ((), {"arithmetic": "by-hand"}),
    (("places=3", "title=mine", "expect="), {"by_hand": "1", "rounding": "half-even"}),
]


@pytest.mark.parametrize(("changes", "options"), CHANGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_trace_read_again_gives_the_same_trace(name: str, changes: tuple[str, ...], options: dict[str, str]) -> None:
    """The trace holds the whole of its scenario, changes of the command line folded in."""
    if name == "gpt2-block" and options.get("by_hand") == "1":
        return  # to one place every exponential of a row rounds to 0, which is refused
    document = load(name).document
    kept = tuple(change for change in changes if change != "expect=" or "expect" in document)
    text = json_of(name, *kept, **options)
    assert render(trace_of_text(text), "json") == text


@pytest.mark.parametrize("shift", [True, False])
def test_a_shifted_trace_read_again_gives_the_same_trace(shift: bool) -> None:
    """--shift and --no-shift are folded in too."""
    text = render(run(load(DRAW, (), {"shift": shift})), "json")
    assert strict(text)["scenario"]["shift"] is shift
    assert render(trace_of_text(text), "json") == text


def test_random_traces_read_again_give_the_same_traces() -> None:
    """Exact ones and those by hand."""
    for trace in random_traces(40, 3):
        text = render(trace, "json")
        assert render(trace_of_text(text), "json") == text


def test_a_trace_file_is_a_scenario_file(tmp_path: Path) -> None:
    """`run trace.json` on the command line, with other options on top and with an edit of the scenario in it."""
    path = tmp_path / "trace.json"
    path.write_text(json_of("mini-head", by_hand="2"), encoding="utf-8")
    assert call("run", str(path), "--json").out == path.read_text(encoding="utf-8")
    assert call("run", str(path), "--by-hand", "off", "--json").out == json_of("mini-head")
    assert call("run", str(path), "--set", "x.0.0=1", "--json").out == json_of("mini-head", "x.0.0=1", by_hand="2")


@pytest.mark.parametrize("text", ['{"format": "attncalc-trace/1"}', '{"format": "attncalc-trace/1", "scenario": 1}'])
@pytest.mark.parametrize("args", [(), ("--set", "places=1"), ("--places", "1")])
def test_a_trace_without_a_scenario_is_refused(text: str, args: tuple[str, ...]) -> None:
    """A sentence and exit code 2, with edits too; never a fault of the program."""
    done = call("run", "-", *args, stdin=text.encode())
    assert (done.code, done.out) == (2, "")


# --- numbers -------------------------------------------------------------------------------------


def test_given_numbers_keep_their_digits() -> None:
    """0.70 stays 0.70, 1e2 stays 1e2, and -0.0 is the writer's own."""
    text = '{"scores": [0.70, 1e2, 1.50E+1, 3.000], "places": 2, "expect": {"weights": [0.00, null, 0, 0.0]}}'
    found = render(trace_of_text(text), "json")
    assert '"scores": [0.70, 1e2, 1.50E+1, 3.000]' in found
    assert '"expect": {"weights": [0.00, null, 0, 0.0]}' in found
    assert values(found, "scores") != []


def test_numbers_by_hand_keep_their_places() -> None:
    """0.70 as 0.70, and a whole number without a point."""
    assert values(json_of("draw"), "context") == [["0.70", "0.27", "0.47"]]
    assert values(json_of("apple-chars"), "total") == ["22429", "22429"]


def test_nothing_by_hand_is_a_negative_zero() -> None:
    """A small negative number that is rounded away is 0.00."""
    document = {"weights": [0.5, 0.5], "v": [[-0.001], [-0.001]], "by_hand": 2}
    assert values(json_of(document), "context") == [["0.00"]]
    assert render(run(load(document)), "csv").splitlines()[-1] == "context,,,1,,0,0.00"


def test_exact_numbers_are_the_nearest_doubles() -> None:
    """Never cut to places: the shortest text that gives the double back."""
    third = json_of({"scores": [0, 0, 0], "places": 0})
    assert values(third, "weights") == [["0.3333333333333333"] * 3]


@pytest.mark.parametrize(
    ("document", "step", "wanted"),
    [
        ({"scores": [0, "-Infinity"]}, "scores", [["0.0", "-Infinity"]]),
        ({"scores": [["-Infinity"]], "empty_rows": "nan"}, "weights", [["NaN"]]),
        ({"scores": [["-Infinity"]], "empty_rows": "nan", "by_hand": 2}, "weights", [["NaN"]]),
        ({"scores": [["-Infinity"]], "empty_rows": "nan", "arithmetic": "float64"}, "weights", [["NaN"]]),
        ({"scores": [[1, 2], [3, 4]], "mask": "causal", "by_hand": 0}, "masked", [["1", "-Infinity"], ["3", "4"]]),
        ({"scores": [1000, 1000]}, "total", ["3.940142228034094e434"]),
        ({"scores": [1000, 1000], "by_hand": 2}, "total", ["3.940142228034094e434"]),
        ({"scores": [-1000, 1000], "by_hand": 0, "sink": 1000}, "weights", [["0", "1"]]),
        ({"scores": [1000], "arithmetic": "float64", "shift": False}, "total", ["Infinity"]),
        ({"q": [[1e200]], "k": [[-1e200]], "scale": "none", "weighting": "linear"}, "scores", [["-1e400"]]),
    ],
)  # fmt: skip
def test_what_no_double_holds_is_a_string(document: dict[str, Any], step: str, wanted: Any) -> None:
    """Non-finite numbers by name, a value beyond a double by its digits."""
    text = json_of(document)
    strict(text)
    assert values(text, step) == wanted


def test_texts_follow_the_language() -> None:
    """Titles and notes, and nothing else."""
    english, chinese = (strict(render(run(load("draw")), "json", language)) for language in LANGUAGES)
    assert english["steps"][2]["title"] == "Exponentiate"
    assert chinese["steps"][2]["title"] != "Exponentiate"
    assert [note["code"] for note in english["notes"]] == [note["code"] for note in chinese["notes"]]
    for document in (english, chinese):
        for part in (*document["steps"], *document["notes"]):
            part.pop("title", part.pop("text", None))
    assert english == chinese


# --- several scenarios, lines, indentation --------------------------------------------------------


def test_a_formula_calls_a_step_as_the_others_do() -> None:
    """On both sides, with `--ascii` too: the sum that the weights are divided by is the one that is calculated."""
    for more, total in (((), "Σ"), (("--ascii",), "Sum")):
        steps = {step["name"]: step["formula"] for step in strict(call("run", "draw", "--json", *more).out)["steps"]}
        assert steps["total"].startswith(f"{total} = E")
        assert steps["weights"] == f"A = E / {total}"


def test_several_scenarios_give_an_object_a_line() -> None:
    """`run a b --json`."""
    out = call("run", "draw", "bigram", "--json").out
    assert out == json_of("draw") + json_of("bigram")


def test_json_lines_give_an_object_a_line() -> None:
    """One scenario a line in, one trace a line out; blank lines are passed over, options hold for all."""
    lines = '{"scores": [1, 2]}\n\n{"weights": [0.5, 0.5], "v": [[1], [2]]}'
    done = call("run", "--jsonl", "--places", "3", stdin=lines.encode())
    assert (done.code, done.err) == (0, "")
    found = [strict(line) for line in done.out.splitlines()]
    assert [document["steps"][-1]["name"] for document in found] == ["weights", "context"]
    assert {document["scenario"]["places"] for document in found} == {3}


def test_every_faulty_line_is_named() -> None:
    """All faulty lines at once with their numbers, exit code 2, and nothing on standard output."""
    lines = b'{"scores": [1, 2]}\n{"scores": [1\n\n{"scoers": [1]}\n[1]\n{"scores": [1, -1], "weighting": "linear"}\n'
    done = call("run", "--jsonl", stdin=lines)
    assert (done.code, done.out) == (2, "")
    assert re.findall(r"^attncalc: stdin.*?(\d+)", done.err, re.MULTILINE) == ["2", "4", "5", "6"]


@pytest.mark.parametrize("indent", ["0", "2", "8"])
def test_indented_json_is_the_same_value(indent: str) -> None:
    """For people: more lines, the same document, a row of numbers on one line."""
    out = call("run", "mini-head", "--json", "--indent", indent).out
    assert strict(out) == strict(json_of("mini-head"))
    assert out.count("\n") > 100
    assert re.search(rf'^{" " * int(indent)}"format": "attncalc-trace/1",$', out, re.MULTILINE)
    assert re.search(r"\[0, 1, 0, 1, 0, 1\],?$", out, re.MULTILINE)


def test_what_is_deeper_than_a_scenario_stays_on_one_line() -> None:
    """Indentation cannot make a document of brackets many times as long; the value is the same."""
    deep = json.loads("[" * 40 + "]" * 40)
    document = {"scores": [deep] * 1000, "heads": [[[[1, 2], [3, 4]]]]}
    text = written(document, 2)
    assert strict(text) == document
    assert len(text) < 4 * len(written(document))
    assert max(len(line) - len(line.lstrip()) for line in text.splitlines()) == 2 * MOST_INDENTED
    assert "        [1, 2],\n" in text


# --- CSV -----------------------------------------------------------------------------------------


def rows(text: str) -> list[list[str]]:
    """The cells of CSV."""
    return list(csv.reader(io.StringIO(text)))


def test_csv_is_tidy() -> None:
    """A header, a number a line, a column empty where a step has no such axis."""
    header, *lines = rows(render(run(load("draw")), "csv"))
    assert header == ["step", "batch", "head", "query", "key", "feature", "value"]
    assert lines[0] == ["v", "", "", "", "I", "0", "0.9"]
    assert ["scores", "", "", "draw", "draw", "", "-0.3"] in lines
    assert ["total", "", "", "draw", "", "", "9.83"] in lines
    assert lines[-1] == ["residual", "", "", "draw", "", "2", "0.67"]


@pytest.mark.parametrize("name", BUILT_IN)
def test_csv_and_json_hold_the_same_numbers(name: str) -> None:
    """Cell for cell, digit for digit."""
    trace = run(load(name))
    text = render(trace, "json")
    lines = rows(render(trace, "csv"))[1:]
    for step in trace:
        wanted: list[Any] = [values(text, step.name)]
        while isinstance(wanted[0], list):
            wanted = [cell for part in wanted for cell in part]
        assert [line[-1] for line in lines if line[0] == step.name] == wanted


def test_repeated_labels_stay_apart() -> None:
    """In JSON a label is the token as it is; in CSV the second one is the#2."""
    document = {"tokens": ["the", "cat", "the"], "scores": [1, 2, 3], "query": 1}
    trace = run(load(document))
    labels = strict(render(trace, "json"))["steps"][0]["labels"]
    assert labels == {"query": ["cat"], "key": ["the", "cat", "the"]}
    lines = rows(render(trace, "csv"))
    assert [line[4] for line in lines if line[0] == "weights"] == ["the", "cat", "the#2"]


def test_csv_names_what_is_no_number() -> None:
    """The names of JSON, without quotes."""
    lines = rows(render(run(load({"scores": [[0, "-Infinity"], [0, 1]], "mask": "causal"})), "csv"))
    assert ["masked", "", "", "0", "1", "", "-Infinity"] in lines


def test_only_the_steps_that_are_asked_for() -> None:
    """`--step` in JSON and CSV; `terms` is made when it is asked for."""
    found = strict(call("run", "draw", "--json", "--step", "weights", "--step", "terms").out)
    assert [step["name"] for step in found["steps"]] == ["weights", "terms"]
    assert found["steps"][1]["axes"] == ["query", "key", "feature"]
    assert {line[0] for line in rows(call("run", "draw", "--format", "csv", "--step", "total").out)[1:]} == {"total"}


def test_by_hand_says_its_places() -> None:
    """`arithmetic` repeats what the scenario says, as it was written."""
    found = {name: strict(json_of(name))["arithmetic"] for name in BY_HAND}
    assert found["draw"] == {"kind": "by-hand", "places": 2, "rounding": "half-up"}
    assert found["apple-chars"]["places"] == {
        "default": 2, "scores": 0, "exponentials": 0, "total": 0, "weights": 3,
    }  # fmt: skip
    exact = strict(json_of("mini-head"))["arithmetic"]
    assert exact == {"kind": "exact", "places": None, "rounding": "half-up"}
