"""Large results are made and written in parts: they take the memory of one step, and their time is that of a row."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from hypothesis import given
from hypothesis import strategies as st
from samples import BUILT_IN

from attncalc import derive, load, render, run
from attncalc.cli import commands, output
from attncalc.core.expressions import leaves
from attncalc.core.figures import round_to
from attncalc.core.labels import Numbered, distinct
from attncalc.core.stage import Trace
from attncalc.core.tokens import labels
from attncalc.document.view import view_in
from attncalc.renderers import FORMATS, trace_parts
from attncalc.scenario_files.json_writing import TOGETHER, gathered, pieces, written

IN_PARTS = tuple(name for name, format in FORMATS.items() if format.parts)
TOKENS = 300


def parts(trace: Trace, format: str) -> Iterator[Any]:
    """What is written of a trace, part by part."""
    return iter(trace_parts(format)(trace, view_in("en", format)))


def made(**settings: Any) -> Trace:
    """A trace of many steps with a cell for each query and key, and of few given numbers."""
    numbers = np.random.default_rng(8)
    arrays = {name: numbers.standard_normal((TOKENS, 1)).tolist() for name in "qk"}
    return run(load({**arrays, "mask": "causal", "softcap": 5, "alibi": True, "shift": True, **settings}))


@pytest.mark.parametrize("format", [name for name, format in FORMATS.items() if format.trace])
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_parts_are_the_whole(name: str, format: str) -> None:
    """Of every trace in every format that is made of one, whether it comes in parts or not."""
    trace = run(load(name))
    whole = render(trace, format)
    assert type(whole)().join(parts(trace, format)) == whole


@pytest.mark.parametrize("format", IN_PARTS)
def test_a_step_is_let_go_before_the_next_is_made(format: str) -> None:
    """What is written at no moment takes half of the room that the whole would."""
    trace = made(arithmetic="float64")
    whole = len(render(trace, format))
    tracemalloc.start()
    for _ in parts(trace, format):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1_000_000 < peak < whole / 2


STORIES = [
    ("float64", "table"),
    ("float64", "latex"),
    ("float64", "html"),
    ("float32", "plain"),
    ("float16", "markdown"),
]


@pytest.mark.parametrize(("arithmetic", "format"), STORIES)
def test_an_explanation_needs_no_products_of_all(
    arithmetic: str, format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In binary arithmetic the products of a row that is told, made on the way, are those of the step `terms`."""
    numbers = np.random.default_rng(9)
    arrays = {name: numbers.standard_normal((180, width)).tolist() for name, width in (("q", 3), ("k", 3), ("v", 65))}
    file = tmp_path / "many.json"
    file.write_text(json.dumps({**arrays, "mask": "causal", "arithmetic": arithmetic}), encoding="utf-8")
    made: list[bool] = []
    monkeypatch.setattr("attncalc.running.run", lambda scenario, terms: made.append(terms) or run(scenario, terms))
    told = out("explain", str(file), "--format", format)
    monkeypatch.setattr(commands, "EAGER", 10**9)
    assert out("explain", str(file), "--format", format) == told
    assert made == [False, True]


def test_distances_take_no_decimal_each() -> None:
    """A scenario with ALiBi takes a few bytes for each pair of tokens."""
    document = {"q": [[1]] * 500, "k": [[1]] * 500, "alibi": True}
    tracemalloc.start()
    scenario = load(document)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40 * 500 * 500
    assert run(load({**document, "q": [[1]] * 3, "k": [[1]] * 3}))["biased"].exact[2, 0] == 1 - Decimal(2) / 2**8
    assert scenario.arrays["distance"].dtype == np.float64


def test_an_archive_in_parts_is_one_file() -> None:
    """Its places are counted from the beginning: every entry is found and whole, and nothing else is there."""
    trace = made()
    with zipfile.ZipFile(io.BytesIO(b"".join(parts(trace, "npz")))) as archive:
        assert archive.testzip() is None
        assert len(archive.namelist()) == len(trace) + 3
        assert archive.infolist()[0].header_offset == 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)),
    lambda inside: st.lists(inside) | st.dictionaries(st.text("abc"), inside),
)  # fmt: skip


@given(JSON)
def test_json_is_written_as_any_json(value: Any) -> None:
    """On one line, whole or in pieces, the text that Python's own writer has; indented the same value."""
    assert written(value) == "".join(pieces(value)) == json.dumps(value)
    for indent in (0, 2):
        assert json.loads(written(value, indent)) == value


def test_lists_of_scalars_stay_on_one_line() -> None:
    """Indented, so that a matrix looks like one."""
    assert written({"a": [[1, 2], [3, "b"]], "b": {}, "c": [[]]}, 2).splitlines() == [
        "{", '  "a": [', "    [1, 2],", '    [3, "b"]', "  ],", '  "b": {},', '  "c": [', "    []", "  ]", "}",
    ]  # fmt: skip


def test_a_function_in_a_document_is_called_when_its_turn_comes() -> None:
    """Not before what stands in front of it is written."""
    called: list[str] = []
    found = pieces({"a": [[0]] * 3, "b": lambda: called.append("b") or [[1], [2]], "c": 3})
    assert [next(found) for _ in range(3)] == ['{"a": [[0]', ", [0]", ", [0]"]
    assert called == []
    assert "".join(found) == '], "b": [[1], [2]], "c": 3}'
    assert called == ["b"]


def test_few_pieces_are_written() -> None:
    """However many are made."""
    found = list(gathered(pieces([[[1]]] * TOGETHER * 10)))
    assert "".join(found) == written([[[1]]] * TOGETHER * 10)
    assert len(found) < 50


def test_what_fails_while_it_is_made_leaves_the_old_file(tmp_path: Path) -> None:
    """As it was, with nothing beside it; the fault is its own, not one of the file."""

    def failing() -> Iterator[str]:
        yield "new"
        raise ValueError("in the middle")

    (tmp_path / "a.json").write_text("old")
    with pytest.raises(ValueError, match="in the middle"):
        output.write(failing(), str(tmp_path / "a.json"), force=True)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a.json": "old"}


@pytest.mark.parametrize("numbers", [range(12), range(100_000, 100_012)])
def test_numbered_labels_are_what_any_labels_are(numbers: range) -> None:
    """Only that none is looked at."""
    given_ones = tuple(map(str, numbers))
    assert tuple(Numbered(numbers)) == given_ones
    assert (labels(Numbered(numbers)), distinct(Numbered(numbers))) == (labels(given_ones), distinct(given_ones))


def test_a_row_is_read_once_for_all_its_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    """Telling a row of weights takes as many numbers as it has keys, not as many for each."""
    trace = run(load({"scores": [[0.5] * TOKENS] * 2}))
    read: list[int] = []
    monkeypatch.setattr(derive, "leaves", lambda values, *of: read.append(values.size) or leaves(values, *of))
    for key in range(TOKENS):
        derive.derivation(trace, trace["weights"], (0, 0, 1, key))
    assert sum(read) == TOKENS + 2 * TOKENS  # the row, and for each key its term and the total


@pytest.mark.parametrize("rounding", ["half-up", "half-even", "truncate"])
@pytest.mark.parametrize("places", [1, 4])
def test_the_rows_whose_shown_weights_do_not_add_to_one(places: int, rounding: str) -> None:
    """Are those that rounding each weight as a decimal finds."""
    numbers = np.random.default_rng(places)
    scores = [*numbers.standard_normal((60, 5)).round(3).tolist(), [0] * 5, [0, 0, "-Infinity", "-Infinity", 0]]
    trace = run(load({"scores": scores, "places": places, "rounding": rounding, "arithmetic": "float64"}))
    found = {row.query for note in trace.notes if note.code == "rounded-sum" for row in note.rows}
    shown = [[round_to(Decimal(x), places, rounding) for x in row] for row in trace["weights"].values.tolist()]
    assert found == {query for query, row in enumerate(shown) if sum(row) != 1}
    assert found


def test_lines_of_json_are_estimated_as_json() -> None:
    """What is refused alone is refused as a line."""
    text = json.dumps({"q": [[1]] * 1000, "k": [[1]] * 1000}).encode()
    alone, line = (call("run", *words, stdin=text) for words in (("-", "--json"), ("--jsonl",)))
    assert (alone.code, line.code, line.out) == (2, 2, "")
    assert line.err == alone.err.replace("stdin:", "stdin:1:", 1)


def test_a_workbook_is_counted_with_every_head(tmp_path: Path) -> None:
    """It has a sheet for each; of a head alone it is not too large."""
    scores = [[[1] * 100] * 20] * 40
    (tmp_path / "a.json").write_text(json.dumps({"scores": scores}))
    words = ("run", str(tmp_path / "a.json"), "-o", str(tmp_path / "a.xlsx"))
    done = call(*words)
    assert done.code == 2
    assert "some 262,400 numbers as xlsx" in done.err
    assert out(*words, "--head", "3") == ""
