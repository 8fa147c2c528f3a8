"""Long contexts on the command line: summaries, single queries, cells, refusals."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import trace_of
from calling import call, document, out

from attncalc.cli import long_roads
from attncalc.core import memory
from attncalc.errors import UsageError
from attncalc.long import rows
from attncalc.long.ahead import fitting

TOKENS = 300
SUMMARY = ("--summary", "--top", "3", "--near", "10")


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """A scenario with its arrays in files."""
    numbers = np.random.default_rng(4)
    for name in "qkv":
        np.save(tmp_path / f"{name}.npy", numbers.standard_normal((TOKENS, 8)).astype(np.float32))
    path = tmp_path / "big.json"
    path.write_text(json.dumps({**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal"}))
    return path


@pytest.fixture
def long_from_100_000(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scenarios of some hundred tokens are long."""
    monkeypatch.setattr(long_roads, "EAGER", 50_000)
    monkeypatch.setattr(long_roads, "SMALL", 100)


@pytest.fixture
def streamed(long_from_100_000: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """And so long that a row is read through the files."""
    monkeypatch.setattr(long_roads, "TOLD", 1000)
    monkeypatch.setattr(rows, "STREAMED", 64)


def whole(big: Path) -> Any:
    """The trace of all rows."""
    return trace_of(json.loads(big.read_text()), "float32", big.parent)


def test_a_summary_as_arrays_has_everything(big: Path) -> None:
    """Contexts, top keys and weights, figures: what the steps give."""
    target = big.parent / "rows.npz"
    assert out("run", str(big), *SUMMARY, "-o", str(target)) == ""
    found, trace = np.load(target), whole(big)
    np.testing.assert_allclose(found["context"][0, 0], trace["context"].values, 1e-5, 1e-5)
    np.testing.assert_allclose(found["weights"][0, 0, :, 0], trace["weights"].values.max(axis=-1), 1e-5)
    assert {*found} == {"context", "keys", "weights", "largest", "entropy", "itself", "first", "near", "empty"}
    assert found["context"].dtype == np.float32


def test_a_summary_as_json_has_the_same_numbers(big: Path) -> None:
    """Keys in order, of the rows asked for, and the means of all."""
    found = document("run", str(big), *SUMMARY, "--token", "299", "--token", "7")
    weights = whole(big)["weights"].values
    assert list(found) == ["format", "arithmetic", "grid", "top", "near", "queries", "mean", "axes", "rows"]
    assert (found["format"], found["arithmetic"], found["queries"]) == ("attncalc-summary/1", "float32", [299, 7])
    np.testing.assert_allclose(found["rows"]["largest"][0][0], weights[[299, 7]].max(axis=-1), 1e-5)
    np.testing.assert_allclose(found["mean"]["first"]["average"], weights[:, 0].mean(), 1e-5)
    assert len(document("run", str(big), *SUMMARY)["rows"]["entropy"][0][0]) == TOKENS


@pytest.mark.parametrize(("language", "words"), [("en", "all other keys"), ("zh", "其余的键合计")])
def test_a_summary_as_a_table_shows_the_row_asked_for(language: str, words: str, big: Path) -> None:
    """The largest weights with their keys, and what is left for the rest."""
    text = out("run", str(big), *SUMMARY, "--token", "299", "--places", "5", language=language)
    row = whole(big)["weights"].values[299]
    keys = np.argsort(-row)[:3]
    for key in keys:
        assert any(str(key) in line and f"{row[key]:.5f}" in line for line in text.splitlines())
    assert any(words in line and f"{1 - row[keys].sum():.5f}" in line for line in text.splitlines())


REST = [
    ({"weights": [[0.5, 0.3, 0.1]]}, "0.4000"),
    ({"scores": [[3, 2, -1, -2]], "weighting": "linear"}, "−0.5000"),
    ({"scores": [[1, 2]], "mask": {"keep": [[0, 0]]}, "sink": 0.5}, "1.0000"),
    ({"scores": [[1, 2]], "mask": {"keep": [[0, 0]]}, "empty_rows": "nan"}, "NaN"),
    ({"scores": [[1, 2]], "mask": {"keep": [[0, 0]]}}, "0.0000"),
    ({"q": [[0.3]], "k": [[0.7]], "v": [[1]], "arithmetic": "float32"}, "0.0000"),
]
"""Rows, and what all keys but the one with the largest weight have together."""


@pytest.mark.parametrize(("given", "rest"), REST)
def test_what_all_other_keys_have_is_what_is_left_of_the_row(given: dict[str, Any], rest: str, tmp_path: Path) -> None:
    """Of what its weights add to, with the sink, whichever way they come about."""
    path = tmp_path / "rest.json"
    path.write_text(json.dumps(given))
    text = out("run", str(path), "--summary", "--top", "1", "--token", "0")
    line = next(line for line in text.splitlines() if "all other keys" in line)
    assert line.split()[-1] == rest


def test_keys_that_are_all_shown_leave_no_rest(tmp_path: Path) -> None:
    """The rounding of float32 is not taken for a share."""
    numbers = np.random.default_rng(1)
    path = tmp_path / "all.json"
    path.write_text(json.dumps({name: numbers.standard_normal((40, 4)).tolist() for name in "qk"}))
    tokens = [word for row in range(40) for word in ("--token", str(row))]
    text = out("run", str(path), "--summary", "--top", "40", "--arithmetic", "float32", *tokens)
    assert {line.split()[-1] for line in text.splitlines() if "all other keys" in line} == {"0.0000"}


@pytest.mark.parametrize("weighting", ["softmax", "uniform", "self"])
def test_a_row_of_nan_has_no_largest_weight(weighting: str, tmp_path: Path) -> None:
    """With `empty_rows` "nan" every figure of a row that sees nothing is NaN."""
    path = tmp_path / "nan.json"
    given = {"scores": [[1, 2], [3, 4]], "mask": {"keep": [[0, 0], [1, 1]]}, "empty_rows": "nan"}
    path.write_text(json.dumps({**given, "weighting": weighting}))
    rows = document("run", str(path), "--summary")["rows"]
    for name in ("largest", "entropy", "first", "itself", "near"):
        assert (name, rows[name][0][0][0]) == (name, "NaN")


@pytest.mark.parametrize("queries", [1, 3])
def test_few_queries_of_very_many_keys_are_told_as_a_digest(queries: int, tmp_path: Path) -> None:
    """Also where a file has so few that all their scores would not be many."""
    numbers = np.random.default_rng(2)
    arrays = {"q": numbers.standard_normal((queries, 2)), "k": numbers.standard_normal((60_000, 2))}
    for name, values in arrays.items():
        np.save(tmp_path / f"{name}.npy", values)
    path = tmp_path / "few.json"
    path.write_text(json.dumps({name: {"npy": f"{name}.npy"} for name in arrays}))
    powers = np.exp(arrays["k"] @ arrays["q"][0] / np.sqrt(2))
    best = np.argsort(-powers)[0]
    for command in ("explain", "run"):
        text = out(command, str(path), "--token", "0", "--places", "8")
        assert any(line.split()[:2] == [str(best), f"{powers[best] / powers.sum():.8f}"] for line in text.splitlines())


def test_average_over_heads_is_called_a_mere_average(big: Path) -> None:
    """And stands after the heads."""
    text = out("run", str(big), "--summary", "--set", "heads=2")
    assert "a mere average over the heads" in text
    assert "head 1" in text


@pytest.mark.usefixtures("long_from_100_000")
@pytest.mark.parametrize("format", ["json", "table"])
def test_the_rows_asked_for_are_told_step_by_step(format: str, big: Path) -> None:
    """As they stand in the trace of all rows."""
    trace = whole(big)
    if format == "json":
        steps = document("run", str(big), "--token", "250")["steps"]
        found = {step["name"]: step["values"] for step in steps}
        assert len(found["weights"]) == 1
        for name in ("scaled", "weights", "context"):
            np.testing.assert_allclose(
                np.array(found[name][0]), trace[name].values[250], 1e-5, 1e-5, err_msg=name
            )  # fmt: skip
    else:
        context = trace["context"].values[250]
        text = out("explain", str(big), "--token", "250").replace("−", "-")
        assert all(f"{number:.4f}" in text for number in context)


@pytest.mark.usefixtures("long_from_100_000")
def test_a_cell_is_taken_apart_from_its_row(big: Path) -> None:
    """`why` needs no other row."""
    weight = whole(big)["weights"].values[250, 3]
    text = out("why", str(big), "weights", "250", "3", "--places", "8")
    assert abs(float(text.split()[4]) - weight) < 1e-7
    assert out("why", str(big), "weights[250][3]", "--places", "8") == text


@pytest.mark.usefixtures("streamed")
def test_a_row_of_very_many_keys_is_read_in_chunks(big: Path) -> None:
    """Top keys, rest, entropy and context as the steps give them."""
    trace = whole(big)
    found = document("explain", str(big), "--token", "250")["rows"]
    row = trace["weights"].values[250]
    np.testing.assert_allclose(found["context"][0][0][0], trace["context"].values[250], 1e-5, 1e-5)
    assert found["keys"][0][0][0] == np.argsort(-row)[:20].tolist()
    np.testing.assert_allclose(found["entropy"][0][0][0], -(row[:251] * np.log(row[:251])).sum(), 1e-5)
    text = out("explain", str(big), "--token", "250")
    assert "all other keys" in text


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("command", [("explain",), ("run", "--token", "0")])
def test_a_query_that_is_alone_is_one_of_many_keys_too(command: tuple[str, ...], big: Path) -> None:
    """Its keys are read in chunks, though there are few scores."""
    np.save(big.parent / "q.npy", np.load(big.parent / "q.npy")[:1])
    big.write_text(big.read_text().replace('"causal"', '"none"'))
    name, *options = command
    found = json.loads(out(name, str(big), *options, "--json"))
    weights = trace_of(json.loads(big.read_text()), "float32", big.parent)["weights"].values[0]
    assert found["rows"]["keys"][0][0][0] == np.argsort(-weights, kind="stable")[:20].tolist()


NOT_FINITE = [("run", "--summary", "--token", "200"), ("explain", "--token", "200")]


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("values", ["qkv", "qk"])
@pytest.mark.parametrize("command", NOT_FINITE)
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_seen(
    number: float, command: tuple[str, ...], values: str, big: Path
) -> None:  # fmt: skip
    """It is told of how many rows, and of which first, in both languages; and the figures are those of the steps."""
    arrays = {name: np.load(big.parent / f"{name}.npy") for name in values}
    arrays["q"][200, 1] = number
    arrays["k"][:200, 1] = np.abs(arrays["k"][:200, 1])
    np.save(big.parent / "q.npy", arrays["q"])
    np.save(big.parent / "k.npy", arrays["k"])
    big.write_text(json.dumps({name: {"npy": f"{name}.npy"} for name in values}))
    name, *options = command
    for language, words in (("en", "thatof200."), ("zh", "是200这一行。")):
        text = "".join(out(name, str(big), *options, language=language).split())
        assert ("NaN" in text, words in text) == (True, True)
    weights = document(name, str(big), *options)["rows"]["weights"][0][0]
    assert weights[200 if len(weights) > 1 else 0][0] == "NaN"


@pytest.mark.usefixtures("streamed")
def test_projections_come_before_the_rows(tmp_path: Path) -> None:
    """From x by matrices, with a rotation, a residual and a norm after: the row is the whole trace's."""
    numbers = np.random.default_rng(2)
    names = ("w_q", "w_k", "w_v", "w_o")
    text = {name: np.round(numbers.standard_normal((8, 8)), 2).tolist() for name in names}
    text |= {"x": np.round(numbers.standard_normal((TOKENS, 8)), 2).tolist(), "heads": 2, "rope": {"pairs": "halves"}}
    text |= {"residual": True, "norm": {"where": "post", "kind": "layer"}, "mask": "causal", "arithmetic": "float64"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(text))
    trace = trace_of(text, "float64")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_roads, "TOLD", 10**9)
        found = {s["name"]: s["values"] for s in document("run", str(path), "--token", "200")["steps"]}
    for name in ("context", "output", "residual", "post_normed"):
        got, wanted = np.array(found[name]), trace[name].values
        np.testing.assert_allclose(got[..., 0, :], wanted[..., 200, :], 1e-12, 1e-12, err_msg=name)
    rows_read = document("run", str(path), "--token", "200", "--token", "7")["rows"]
    np.testing.assert_allclose(np.array(rows_read["context"])[0], trace["context"].values[:, [200, 7]], 1e-12, 1e-12)
    for name in ("joined", "output", "residual", "post_normed"):
        got, wanted = np.array(rows_read[name])[0, 0], trace[name].values[[200, 7]]
        np.testing.assert_allclose(got, wanted, 1e-12, 1e-12, err_msg=name)


AFTER: list[dict[str, Any]] = [
    {"residual": "rows"}, {"w_o": "matrix", "residual": "rows", "heads": 2},
    {"heads": 2, "w_o": "matrix"}, {"w_o": "matrix", "residual": "rows", "norm": {"where": "post", "kind": "rms"}},
]  # fmt: skip
"""What may follow the context; arrays by their names."""


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("added", AFTER)
def test_what_follows_the_context_of_a_row_read_in_chunks(added: dict[str, Any], big: Path) -> None:
    """Output, residual and norm of the rows asked for: as JSON, as arrays and as a table, those of the whole trace."""
    numbers = np.random.default_rng(8)
    np.save(big.parent / "residual.npy", numbers.standard_normal((TOKENS, 8)).astype(np.float32))
    arrays = {
        "rows": {"npy": "residual.npy"},
        "matrix": np.round(numbers.standard_normal((8, 8)), 2).tolist(),
    }  # fmt: skip
    text = {name: arrays.get(value, value) if isinstance(value, str) else value for name, value in added.items()}
    big.write_text(json.dumps(json.loads(big.read_text()) | text))
    trace, call_of = whole(big), ("run", str(big), "--token", "250", "--token", "9")
    found = document(*call_of)["rows"]
    out(*call_of, "-o", str(big.parent / "rows.npz"))
    stored = np.load(big.parent / "rows.npz")
    after = [step.name for step in trace][[step.name for step in trace].index("context") + 1 :]
    assert after
    assert [name for name in found if name in after] == after
    table = out(*call_of, "--all").replace("−", "-")
    for name in after:
        wanted = trace[name].values[[250, 9]].reshape(2, -1)
        np.testing.assert_allclose(np.array(found[name])[0, 0], wanted, 1e-4, 1e-5, err_msg=name)
        np.testing.assert_array_equal(stored[name], np.array(found[name], np.float32))
        assert all(f"{number:.4f}" in table for number in stored[name][0, 0, 0])


REFUSALS: list[tuple[tuple[str, ...], str, str]] = [
    (("--summary", "--arithmetic", "exact"), "asks for exact", "要求 exact"),
    (("--summary", "--by-hand", "2"), "asks for by-hand", "要求 by-hand"),
    (("--summary", "--step", "weights"), "together with --summary", "与 --summary 一起用"),
    (("--top", "3"), "works with --summary only", "只能与 --summary 一起使用"),
    (("--threads", "3"), "--summary / --picture map only", "只能与 --summary / --picture map 一起使用"),
    (("--summary", "--top", "0"), "--top", "--top"),
    (("--summary", "--threads", "x"), "--threads", "--threads"),
    (("--summary", "--token", "nobody"), "nobody", "nobody"),
    (("--summary", "--format", "csv"), "csv", "csv"),
    (("--summary", "--json", "--indent", "2"), "--indent", "--indent"),
    (("--summary", "--head", "1"), "single head", "只有一个头"),
    (("--summary", "--head", "mean"), "single head", "只有一个头"),
    (("--summary", "--batch", "1"), "single batch", "只有一个批次"),
]


@pytest.mark.parametrize(("options", "english", "chinese"), REFUSALS)
def test_what_a_summary_cannot_do_is_refused(
    options: tuple[str, ...], english: str, chinese: str, big: Path
) -> None:  # fmt: skip
    """In both languages, with the place."""
    for language, words in (("en", english), ("zh", chinese)):
        done = call("run", str(big), *options, language=language)
        assert (done.code, done.out) == (2, "")
        assert words in done.err


@pytest.mark.parametrize(("asked", "megabytes", "had"), [
    (2, 10_000, 2), (2, 300, 2), (2, 200, 1), (8, 600, 4), (256, 600, 4), (1, 10, 1), (8, None, 8),
])  # fmt: skip
def test_no_more_threads_than_there_is_room_for(
    asked: int, megabytes: int | None, had: int, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """The library of their matrix products ends the program where it finds none."""
    monkeypatch.setattr(memory, "free_memory", lambda: None if megabytes is None else megabytes * 2**20)
    assert fitting(asked) == had


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize(("options", "words"), [
    (("--step", "weights"), "--step: is not read here"), (("--json", "--indent", "2"), "--indent: is not read here"),
    (("--head", "1"), "single head"), (("--format", "csv"), "csv"),
])  # fmt: skip
@pytest.mark.parametrize("command", [("explain",), ("run", "--token", "250")])
def test_what_a_digest_does_not_read_is_refused(
    command: tuple[str, ...], options: tuple[str, ...], words: str, big: Path
) -> None:  # fmt: skip
    """As in a summary."""
    done = call(command[0], str(big), *command[1:], *options)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.fixture
def heads(tmp_path: Path) -> Path:
    """Two batch entries of three heads."""
    numbers = np.random.default_rng(8)
    for name in "qkv":
        np.save(tmp_path / f"{name}.npy", numbers.standard_normal((2, 3, TOKENS, 4)).astype(np.float32))
    path = tmp_path / "heads.json"
    path.write_text(json.dumps({name: {"npy": f"{name}.npy"} for name in "qkv"}))
    return path


CHOSEN: list[tuple[tuple[str, ...], list[tuple[int, int]]]] = [
    ((), [(batch, head) for batch in (0, 1) for head in (0, 1, 2)]),
    (("--head", "1"), [(0, 1), (1, 1)]), (("--head", "0-1", "--batch", "1"), [(1, 0), (1, 1)]),
    (("--head", "all", "--batch", "0"), [(0, 0), (0, 1), (0, 2)]),
]  # fmt: skip


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("command", [("run", "--summary", "--token", "7"), ("explain", "--token", "7")])
@pytest.mark.parametrize(("options", "places"), CHOSEN)
def test_the_heads_that_are_asked_for_are_told(
    options: tuple[str, ...], places: list[tuple[int, int]], command: tuple[str, ...], heads: Path
) -> None:  # fmt: skip
    """And the means are those of their rows; an average over the heads is one of all of them."""
    text = out(command[0], str(heads), *command[1:], *options, "--width", "200", "--places", "3")
    told = re.findall(r"Row of 7 .*batch (\d), head (\d)", text)
    assert told == [(str(batch), str(head)) for batch, head in places]
    if "--summary" in command:
        largest = document("run", str(heads), "--summary")["rows"]["largest"]
        batches = sorted({batch for batch, _ in places})
        for head in sorted({head for _, head in places}):
            mean = np.mean([largest[batch][head] for batch in batches])
            assert f"{mean:.3f}" in re.findall(rf"^ +head {head} .*", text, re.MULTILINE)[0]
        assert ("average of the heads" in text) == (len({head for _, head in places}) == 3)


def test_arrays_hold_the_rows_that_are_asked_for(heads: Path) -> None:
    """And which they are; without --token all."""
    target, some = heads.parent / "all.npz", heads.parent / "some.npz"
    assert out("run", str(heads), "--summary", "-o", str(target)) == ""
    assert out("run", str(heads), "--summary", "--token", "7", "--token", "2", "-o", str(some)) == ""
    every, found = np.load(target), np.load(some)
    assert found["queries"].tolist() == [7, 2]
    assert {*found} == {*every, "queries"}
    for name in every:
        np.testing.assert_array_equal(found[name], every[name][:, :, [7, 2]])


def test_what_does_not_fit_is_refused_with_what_to_do(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before anything is calculated."""
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    for language, words in (("en", "--token"), ("zh", "空闲")):
        done = call("run", str(big), "--summary", language=language)
        assert (done.code, done.out) == (2, "")
        assert words in done.err
    for module in (long_roads, memory):
        monkeypatch.setattr(module, "EAGER", 50_000)
    monkeypatch.setattr(long_roads, "SMALL", 100)
    done = call("run", str(big))
    assert (done.code, "--summary" in done.err) == (2, True)


@pytest.mark.usefixtures("long_from_100_000")
def test_a_huge_trace_as_json_needs_force(big: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And is written with it."""
    monkeypatch.setattr(long_roads, "FORCED", 50_000)
    done = call("run", str(big), "--json")
    assert (done.code, "--force" in done.err) == (2, True)
    assert json.loads(call("run", str(big), "--json", "--force").out)["format"] == "attncalc-trace/1"


def test_a_mask_in_a_file_must_say_yes_or_no(big: Path) -> None:
    """A 2 among its cells is found when its rows are read."""
    np.save(big.parent / "keep.npy", np.full((TOKENS, TOKENS), 2.0))
    done = call("run", str(big), "--summary", "--set", 'mask={"keep": {"npy": "keep.npy"}}')
    assert (done.code, done.out) == (2, "")
    assert "mask.keep" in done.err


def test_no_file_is_left_half_written(big: Path) -> None:
    """An interrupt ends with 130 and without a file."""
    target = big.parent / "rows.npz"
    code = (
        "import sys, attncalc.long.summary as s, attncalc.__main__ as m\n"
        "def stopped(*_): raise KeyboardInterrupt\n"
        "s.block = stopped\n"
        f"sys.argv = ['attncalc', 'run', {str(big)!r}, '--summary', '-o', {str(target)!r}]\n"
        "m.main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (130, b"")
    assert not target.exists()


PEAK = """
import sys
def peak():
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmHWM'))
import numpy
from pathlib import Path
from attncalc.long.loading import load_long, ready
from attncalc.long.rows import streamed
from attncalc.long.summary import summarised
from attncalc.long.problem import Asked
from attncalc.scenario_files.sources import source_at
long = load_long(source_at(sys.argv[1]))
if sys.argv[2] == 'row':
    before = peak(); streamed(long, (len(long.scenario.tokens) - 1,), Asked(20))
else:
    problem = ready(long); before = peak(); summarised(problem, Asked())
print((peak() - before) / 1024)
"""


def peak(folder: Path, tokens: int, what: str, **settings: object) -> float:
    """The megabytes by which a calculation raises the peak of a process of its own."""
    numbers = np.random.default_rng(1)
    for name in "qkv":
        np.save(folder / f"{name}.npy", numbers.standard_normal((tokens, 64), dtype=np.float32))
    path = folder / "big.json"
    path.write_text(json.dumps({**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal", **settings}))
    command = [sys.executable, "-c", PEAK, str(path), what]
    done = subprocess.run(command, capture_output=True, timeout=300, check=True)
    return float(done.stdout)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_memory_does_not_grow_with_the_square_of_the_tokens(tmp_path: Path) -> None:
    """A summary of 8,192 tokens takes less than 60 MB above its inputs, a row of 400,000 keys less than 60.

    Also where every tile has larger scores than those before.
    """
    assert peak(tmp_path, 8192, "all") < 60
    assert peak(tmp_path, 8192, "all", alibi=True) < 60
    assert peak(tmp_path, 400_000, "row") < 60


def test_an_npz_is_what_numpy_reads(big: Path) -> None:
    """On standard output too."""
    done = subprocess.run(
        [sys.executable, "-m", "attncalc", "run", str(big), "--summary", "--format", "npz"],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert np.load(BytesIO(done.stdout))["keys"].shape == (1, 1, TOKENS, 5)


def test_the_number_of_threads_is_decided_before_numpy_is_loaded(big: Path) -> None:
    """Else each thread of a summary would have threads of its own."""
    code = (
        "import os, sys, importlib.abc, attncalc.__main__ as m\n"
        "class Watch(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'numpy': print(os.environ.get('OPENBLAS_NUM_THREADS'), file=sys.stderr)\n"
        "sys.meta_path.insert(0, Watch())\n"
        f"sys.argv = ['attncalc', 'run', {str(big)!r}, '--summary']\n"
        "m.main()\n"
    )
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS")}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, timeout=60, check=True, text=True, env=environment)
    assert done.stderr == "1\n"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_title_is_text_to_a_terminal(language: str) -> None:
    """What a terminal would obey in it is written out, in a summary too."""
    scenario = json.dumps({"title": "a\x1b[31mb\u202ec", "scores": [[1, 2], [3, 4]], "v": [[1], [2]]}).encode()
    shown = out("run", "-", "--summary", stdin=scenario, language=language)
    assert "\x1b" not in shown
    assert r"a\u{1b}[31mb\u{202e}c" in shown


@pytest.fixture
def from_x(tmp_path: Path) -> Path:
    """Embeddings in a file, with a rotation, norms of queries and keys, and a norm before."""
    numbers = np.random.default_rng(5)
    np.save(tmp_path / "x.npy", numbers.standard_normal((TOKENS, 8)))
    np.save(tmp_path / "y.npy", numbers.standard_normal((TOKENS - 1, 8)))
    text = {name: np.round(numbers.standard_normal((8, 8)), 2).tolist() for name in ("w_q", "w_k", "w_v")}
    text |= {"b_k": [1, 2, 3, 4, 5, 6, 7, 8], "heads": 2, "rope": {"pairs": "halves"}, "qk_norm": {}}
    text |= {"x": {"npy": "x.npy"}, "norm": {"where": "pre", "kind": "layer"}, "arithmetic": "float64"}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(text))
    return path


CELLS = [
    ("x", "250", "3"), ("normed", "250", "3"), ("q", "250", "3"), ("k", "7", "2"), ("v", "299", "1"),
    ("rotated_q", "250", "3"), ("rotated_k", "7", "2"), ("k", "0", "0"),
]  # fmt: skip


@pytest.mark.usefixtures("long_from_100_000")
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("head", ["0", "1"])
def test_a_cell_before_the_scores_goes_back_to_its_token(cell: tuple[str, ...], head: str, from_x: Path) -> None:
    """Down to the numbers of x and of the matrices, at the token's own position."""
    step = whole_float64(from_x)[cell[0]]
    place = [int(part) for part in cell[1:]]
    heads = ("--head", head) if "head" in step.axes else ()
    wanted = step.values[(int(head), *place) if heads else tuple(place)]
    said = out("why", str(from_x), *cell, *heads, "--places", "8").replace("−", "-")
    assert abs(float(said.split("= ")[1].split()[0]) - wanted) < 1e-7


def whole_float64(path: Path) -> Any:
    """The trace of all rows."""
    return trace_of(json.loads(path.read_text()), "float64", path.parent)


@pytest.mark.usefixtures("long_from_100_000")
@pytest.mark.parametrize(("language", "words"), [("en", "`attncalc why"), ("zh", "可以看到怎么算")])
def test_where_queries_and_keys_come_from_is_said(language: str, words: str, from_x: Path) -> None:
    """A weight of a long context ends at them; of given ones nothing is to be said."""
    text = out("why", str(from_x), "weights", "250", "3", language=language)
    assert words.replace(" ", "") in "".join(text.split())
    given = json.loads(from_x.read_text()) | {"memory": {"npy": "y.npy"}}
    from_x.write_text(json.dumps(given))
    crossed = out("why", str(from_x), "k", "298", "3", "--places", "8").replace("−", "-")
    wanted = whole_float64(from_x)["k"].values[0, 298, 3]
    assert abs(float(crossed.split("= ")[1].split()[0]) - wanted) < 1e-7


EVERYTHING: list[tuple[str, ...]] = [
    ("run", "FILE"), ("run", "FILE", "FILE", "--token", "3"), ("step", "FILE", "--plain"), ("verify", "FILE"),
    ("check", "FILE", "weights", "1"), ("quiz", "FILE"), ("sweep", "FILE", "scale", "0", "1"),
    ("compare", "FILE", "FILE"), ("compare", "FILE", "--with", "scale=1"),
]  # fmt: skip


@pytest.mark.parametrize("args", EVERYTHING)
def test_no_command_holds_more_scores_than_fit(args: tuple[str, ...], big: Path) -> None:
    """All scores of 400,000 tokens are refused in a sentence that says what to do, whichever command asks for them."""
    for name in "qkv":
        np.save(big.parent / f"{name}.npy", np.zeros((400_000, 1), np.float32))
    done = call(*(str(big) if arg == "FILE" else arg for arg in args), stdin=b"quit\n")
    assert (done.code, done.out) == (2, "")
    assert "--summary" in done.err
    assert re.search(r"some [\d,]+ numbers|about [\d.,]+ GB", done.err)


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("args", [("run", "--token", "3"), ("explain",), ("why", "weights", "3", "3")])
def test_projections_that_do_not_fit_are_refused(
    args: tuple[str, ...], from_x: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where rows need all keys and values made, and these are too large; those of files are read in parts."""
    monkeypatch.setattr(memory, "free_memory", lambda: 50_000)
    command, *rest = args
    done = call(command, str(from_x), *rest)
    assert (done.code, done.out) == (2, "")
    assert "the rows asked for need about" in done.err


@pytest.mark.parametrize(("language", "words"), [("en", "too many to change one"), ("zh", "不能在这里改其中一个")])
def test_a_number_of_a_huge_array_is_not_changed_by_copying_all(language: str, words: str, big: Path) -> None:
    """It would stand as text in the document; refused with what to do."""
    np.save(big.parent / "k.npy", np.zeros((200_000, 8), np.float32))
    done = call("run", str(big), "--set", "k.0.0=1", language=language)
    assert (done.code, done.out) == (2, "")
    assert words in done.err


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="what is used is read from /proc")
def test_the_limit_of_the_process_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free is what `ulimit -v` leaves, where that is less than the machine has."""
    resource = pytest.importorskip("resource")
    free = memory.free_memory()
    assert free
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (used + 10**8, used + 10**8))
    limited = memory.free_memory()
    assert limited is not None
    assert limited <= min(free + 10**8, 10**8 + 10**7)


FREE: list[tuple[str, str, str, int | None, int | None]] = [
    ("what is available", "MemTotal: 9 kB\nMemAvailable: 5 kB", "2 1", None, 5 * 1024),
    ("what the limit leaves", "MemAvailable: 50 kB", "2 1", 5, 3 * 4096),
    ("nothing beyond the limit", "MemAvailable: 50 kB", "6 1", 5, 0),
    ("the least", "MemAvailable: 5 kB", "2 1", 5, 5 * 1024),
    ("the limit alone", "", "2 1", 5, 3 * 4096),
    ("an older machine", "MemTotal: 9 kB", "2 1", 5, 3 * 4096),
    ("a number that is none", "MemAvailable: many", "2 1", 5, 3 * 4096),
    ("a use that nothing says", "MemAvailable: 50 kB", "", 5, 50 * 1024),
    ("nothing says", "", "", None, None),
]
"""What /proc/meminfo and /proc/self/statm hold, "" where there is none; the limit of the process in pages; what is free."""


@pytest.mark.parametrize(("meminfo", "statm", "limit", "free"), [row[1:] for row in FREE], ids=[row[0] for row in FREE])
def test_free_is_the_least_that_the_system_says(
    meminfo: str, statm: str, limit: int | None, free: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what the machine has and what the limit of the process leaves; None where nothing says."""
    resource = pytest.importorskip("resource")
    files = {"/proc/meminfo": meminfo, "/proc/self/statm": statm}

    class Faked:
        def __init__(self, path: str) -> None:
            self.text = files[path]

        def read_text(self, encoding: str) -> str:
            if not self.text:
                raise FileNotFoundError
            return self.text.encode(encoding).decode()

    limits = {resource.RLIMIT_AS: (resource.RLIM_INFINITY if limit is None else limit * 4096, resource.RLIM_INFINITY)}
    monkeypatch.setattr(memory, "Path", Faked)
    monkeypatch.setattr(os, "sysconf", {"SC_PAGE_SIZE": 4096}.__getitem__)
    monkeypatch.setattr(resource, "getrlimit", limits.__getitem__)
    assert memory.free_memory() == free


HAND: dict[str, Any] = {"by_hand": 2}
BOUNDS: list[tuple[tuple[int, ...], dict[str, Any] | None, int | None, str]] = [
    ((1, 1, 1000, 2000), None, 0, ""), ((1, 2, 1000, 1000), HAND, 0, ""),
    ((1, 1, 3, 666_667), None, 0, "big: all 3×666667 scores at once need about 160 MB of memory, and 0 B are free"),
    ((1, 1, 3, 666_667), None, 160_000_080, ""), ((1, 1, 3, 666_667), None, None, ""), ((1, 1, 3, 666_667), None, 160_000_079, "about 160 MB"),
    ((2, 5, 10**4, 10**6), None, 10**9, "all 10000×1000000 scores at once need about 8000.0 GB of memory, and 1.0 GB are"),
    ((1, 1, 10**5, 10**6), HAND, 10**9 - 1, "need about 200000.0 GB of memory, and 999 MB are free"),
    ((1, 1, 10**5, 10**6), {"arithmetic": "exact"}, 10**6, "need about 200000.0 GB of memory, and 1 MB are free"),
    ((1, 1, 10**5, 10**6), {"arithmetic": "float32", **HAND}, 10**6 - 1, "need about 8000.0 GB of memory, and 999999 B are free"),
]  # fmt: skip


@pytest.mark.parametrize(("grid", "settings", "free", "sentence"), BOUNDS)
def test_scores_need_memory_by_their_number_and_arithmetic(
    grid: tuple[int, ...],
    settings: dict[str, Any] | None,
    free: int | None,
    sentence: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """80 bytes each in floating point, 2000 in decimals; two million are calculated whatever is free."""
    monkeypatch.setattr(memory, "free_memory", lambda: free)
    try:
        memory.check_fits("big", grid, settings)
        told = ""
    except UsageError as refused:
        (told,) = refused.sentences("en")
    assert sentence in told
    assert bool(told) == bool(sentence)
