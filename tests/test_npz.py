"""A trace as NumPy's archive: what `numpy.load` finds in it, and that scenarios and `check` read it again."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from running import PROGRAM, environment, run_in_terminal
from samples import BUILT_IN, BY_HAND, trace_of

from attncalc import load, render, run
from attncalc.core.stage import Trace

TYPES = {"exact": "<f8", "by-hand": "<f8", "float64": "<f8", "float32": "<f4", "float16": "<f2"}
BESIDE = ["tokens", "query_tokens", "trace"]


def archive_of(trace: Trace) -> dict[str, Any]:
    """What NumPy finds in a trace's archive, pickled data refused."""
    with np.load(io.BytesIO(render(trace, "npz")), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


@pytest.mark.parametrize("arithmetic", [None, "float64", "float32", "float16"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_step_is_an_array(name: str, arithmetic: str | None) -> None:
    """In the order and the shape of the steps, in the floating point of the calculation; of decimals the doubles."""
    trace = run(load(name, (), {"arithmetic": arithmetic}))
    found = archive_of(trace)
    assert list(found) == [*(step.name for step in trace), *BESIDE]
    for step in trace:
        assert found[step.name].dtype == TYPES[trace.kind]
        np.testing.assert_array_equal(found[step.name], step.values, strict=arithmetic in (None, "float64"))


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_rest_of_the_json_is_there(name: str) -> None:
    """Tokens as texts; scenario, arithmetic, titles, formulas and notes as the JSON has them."""
    trace = run(load(name))
    found, document = archive_of(trace), json.loads(render(trace, "json"))
    for step in document["steps"]:
        assert np.shape(step.pop("values")) == found[step["name"]].shape
    assert json.loads(str(found["trace"])) == document
    assert tuple(found["tokens"].tolist()) == trace.scenario.tokens
    assert tuple(found["query_tokens"].tolist()) == trace.scenario.query_tokens


def test_no_step_is_named_as_what_stands_beside_them() -> None:
    """The names are free."""
    assert not {
        step for name in BUILT_IN for step in archive_of(run(load(name))) if step in trace_of({"scores": [1]})
    } & {*BESIDE}


def test_hidden_cells_and_rows_without_a_key() -> None:
    """−∞ before softmax, NaN where that is asked for."""
    found = archive_of(trace_of({"scores": [["-Infinity", "-Infinity"], [0, "-Infinity"]], "empty_rows": "nan"}))
    np.testing.assert_array_equal(found["scores"], [[-np.inf, -np.inf], [0, -np.inf]])
    np.testing.assert_array_equal(found["weights"], [[np.nan, np.nan], [1, 0]])


def test_only_the_steps_that_are_asked_for(tmp_path: Path) -> None:
    """`--step`, `terms` too."""
    file = tmp_path / "draw.npz"
    assert out("run", "draw", "--step", "weights", "--step", "terms", "-o", str(file)) == ""
    with np.load(file) as found:
        assert found.files == ["weights", "terms", *BESIDE]
        assert found["terms"].shape == (1, 4, 3)


def test_two_processes_write_the_same_bytes() -> None:
    """No time, no hash seed, no name of a machine: the entries are of 1980."""
    written = [raw("run", "grouped", "--format", "npz", env={"PYTHONHASHSEED": seed}) for seed in ("1", "2")]
    assert written[0] == written[1]
    with zipfile.ZipFile(io.BytesIO(written[0])) as archive:
        assert archive.testzip() is None
        assert {(entry.date_time[0], entry.create_system, entry.compress_type) for entry in archive.infolist()} == {
            (1980, 3, zipfile.ZIP_STORED)
        }


def raw(*args: str, env: dict[str, str] | None = None) -> bytes:
    """What a call writes into a pipe, as bytes."""
    done = subprocess.run([*PROGRAM, *args], capture_output=True, env=environment(env), check=True)
    assert done.stderr == b""
    return done.stdout


def test_a_pipe_takes_it_and_a_terminal_does_not(tmp_path: Path) -> None:
    """The bytes of the file in a pipe; on a terminal a sentence that names -o, exit code 2 and no byte of it."""
    file = tmp_path / "draw.npz"
    assert out("run", "draw", "-o", str(file)) == ""
    assert raw("run", "draw", "--format", "npz") == file.read_bytes()
    seen = run_in_terminal("run", "draw", "--format", "npz", columns=200)
    assert (seen.code, len(seen.lines)) == (2, 1)
    assert "-o FILE" in seen.lines[0]


# --- read again ----------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [(), ("--by-hand", "off"), ("--arithmetic", "float16")], ids=" ".join)
@pytest.mark.parametrize("name", sorted({*BY_HAND, "mini-head", "grouped", "bigram", "word-ids"} & {*BUILT_IN}))
def test_check_says_of_it_what_it_says_of_the_json(name: str, options: tuple[str, ...], tmp_path: Path) -> None:
    """Right; by hand the rounding is seen, since the file says how many places each step was rounded to."""
    files = [tmp_path / "trace.npz", tmp_path / "trace.json"]
    for file in files:
        assert out("run", name, *options, "-o", str(file)) == ""
    arrays, text = (call("check", name, str(file), "--all") for file in files)
    assert (arrays.code, arrays.err) == (0, "")
    assert arrays.out == text.out


def test_a_scenario_refers_to_it(tmp_path: Path) -> None:
    """The queries, keys and values of a run are those of another; `new --from` finds them."""
    assert out("run", "mini-head", "-o", str(tmp_path / "head.npz")) == ""
    document = {name: {"npz": "head.npz", "key": name} for name in "qkv"} | {"mask": "causal"}
    (tmp_path / "again.json").write_text(json.dumps(document))
    again, first = run(load(tmp_path / "again.json")), run(load("mini-head", (), {"by_hand": "off"}))
    np.testing.assert_allclose(again["context"].values, first["context"].values, rtol=1e-12)
    done = call("new", "--from", str(tmp_path / "head.npz"), "-o", str(tmp_path / "new.json"))
    assert done.code == 0
    made = json.loads((tmp_path / "new.json").read_text())
    assert {name: made[name]["key"] for name in "qkv"} == {"q": "q", "k": "k", "v": "v"}


HAND: dict[str, Any] = {"format": "attncalc-trace/1", "scenario": {"places": 4}}
STEPS = [{"name": "weights", "given": False}]


@pytest.mark.parametrize(
    "said",
    [
        "", "not JSON", "[" * 100_000, "[]", "{}", '{"format": "other"}', json.dumps(HAND),
        json.dumps(HAND | {"arithmetic": {"kind": "by-hand", "places": None}, "steps": STEPS}),
        json.dumps(HAND | {"arithmetic": {"kind": "by-hand", "places": 99}, "steps": STEPS}),
        json.dumps(HAND | {"arithmetic": {"kind": "by-hand", "places": -1}, "steps": STEPS}),
        json.dumps(HAND | {"arithmetic": {"kind": "by-hand", "places": 2}, "steps": [1, None]}),
        json.dumps(HAND | {"arithmetic": {"kind": "exact", "places": 2}, "steps": STEPS}), b"bytes", 3.5, [1, 2],
    ],
    ids=range(15),
)  # fmt: skip
def test_an_array_named_trace_that_says_nothing_is_no_harm(said: Any, tmp_path: Path) -> None:
    """The other arrays are doubles then, as from any program: two decimals are no rounding by hand."""
    np.savez(tmp_path / "a.npz", weights=[[0.62, 0.12, 0.19, 0.08]], trace=np.array(said))
    done = call("check", "draw", str(tmp_path / "a.npz"), "--json")
    assert (done.code in (0, 1), done.err) == (True, "")
    assert json.loads(done.out)["verdict"] != "right"
    rounded = HAND | {"arithmetic": {"kind": "by-hand", "places": {"default": 2}}, "steps": STEPS}
    np.savez(tmp_path / "b.npz", weights=[[0.62, 0.12, 0.19, 0.08]], trace=np.array(json.dumps(rounded)))
    assert json.loads(call("check", "draw", str(tmp_path / "b.npz"), "--json").out)["verdict"] == "right"
