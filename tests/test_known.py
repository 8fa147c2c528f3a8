"""What is the same in a document that is read again with changes is looked at once, and what differs every time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call

from attncalc.errors import ScenarioError
from attncalc.explore.sweep import sweep
from attncalc.scenario_files import array_files, build, number_arrays, word_kinds
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.json_writing import scalar, written
from attncalc.scenario_files.load import load, scenario_from
from attncalc.scenario_files.sources import source_at

VALUES = ["1", "2", "3", "4"]
DOCUMENT: dict[str, Any] = {
    "q": [[1, 2], [3, 4]], "k": [[5, 6], [7, 8]], "tokens": ["a", "b"], "query": [1, 0, 1, 1],
    "mask": {"hide": [0, 0, 0], "keep": [[1, 1], [1, 1]]},
}  # fmt: skip


def counted(monkeypatch: pytest.MonkeyPatch, owner: Any, name: str) -> list[Any]:
    """What a function is called with from now on, its first argument each."""
    seen: list[Any] = []
    function: Callable[..., Any] = getattr(owner, name)

    def counting(*given: Any, **named: Any) -> Any:
        seen.append(given[0])
        return function(*given, **named)

    monkeypatch.setattr(owner, name, counting)
    return seen


def test_a_sweep_reads_what_does_not_change_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Arrays and words too, however many values there are."""
    arrays = counted(monkeypatch, build, "array")
    checks = counted(monkeypatch, number_arrays.Numbers, "check")
    lists = counted(monkeypatch, word_kinds.Many, "check")
    swept = sweep(source_at(DOCUMENT), "temperature", VALUES)
    assert len(swept.points) == len(VALUES)
    assert (len(arrays), len(checks), len(lists)) == (3, 3, 3)  # q, k and keep; tokens, query and hide


def test_variants_of_a_scenario_read_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """In `compare` too."""
    arrays = counted(monkeypatch, build, "array")
    assert call("compare", "-", "--set", "temperature=2", stdin=json.dumps(DOCUMENT).encode()).code == 0
    assert len(arrays) == 3


def test_an_array_in_a_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its numbers are those of the first reading for every value."""
    np.save(tmp_path / "q.npy", np.array([[1.0, 2.0], [3.0, 4.0]]))
    (tmp_path / "a.json").write_text('{"q": {"npy": "q.npy"}, "k": [[1, 2]]}', encoding="utf-8")
    files = counted(monkeypatch, array_files, "load_array")
    sweep(source_at(tmp_path / "a.json"), "temperature", VALUES)
    assert len(files) == 1


PATHS = ("temperature", "q.0.0", "k.1.0", "mask.window", "query.0", "places")


@pytest.mark.parametrize("path", PATHS)
def test_what_changes_is_read_anew(path: str) -> None:
    """A scenario that is read after another one is the one that would be read alone."""
    source = source_at(DOCUMENT)
    for value in ("1", "0.5", "1"):
        if value == "0.5" and path in ("mask.window", "query.0", "places"):
            with pytest.raises(ScenarioError) as found:
                scenario_from(changed(source, [f"{path}={value}"]))
            assert path.split(".")[0] in found.value.faults[0].place
            continue
        again, alone = scenario_from(changed(source, [f"{path}={value}"])), load(DOCUMENT, [f"{path}={value}"])
        assert (again.document, again.queries, again.tokens) == (alone.document, alone.queries, alone.tokens)
        assert set(again.arrays) == set(alone.arrays)
        assert all((again.arrays[name] == alone.arrays[name]).all() for name in alone.arrays)


@pytest.mark.parametrize("key", ["q", "nothing", "a.b"])
def test_a_fault_is_said_at_every_reading(key: str) -> None:
    """A document with a fault is not taken for right the next time."""
    source = source_at({**DOCUMENT, key: [["x"]]})
    for _ in range(2):
        with pytest.raises(ScenarioError, match=key):
            scenario_from(source)


def test_words_that_stand_again_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of half a million times the same query is read in no time."""
    labels = counted(monkeypatch, word_kinds.Label, "check")
    assert load({"scores": [[1], [2]], "query": [1] * 1000}).queries == (1,)
    assert load({"scores": [[1, 2]], "mask": {"hide": [1] * 1000}}).arrays["visible"].tolist() == [[[[True, False]]]]
    assert len(labels) == 2


FAULTY: list[tuple[dict[str, Any], list[str]]] = [
    ({"scores": [[1], [2]], "query": [5, 0, 5]}, ["query[0]", "query[2]"]),
    ({"scores": [[1], [2]], "query": [0.5, 0, 0.5]}, ["query[0]", "query[2]"]),
    ({"scores": [[1], [2]], "query": ["x", 0, "x"]}, ["query[0]", "query[2]"]),
    ({"scores": [[1, 2]], "tokens": ["a", "a"], "mask": {"hide": ["a", 0, "a"]}}, ["mask.hide[0]", "mask.hide[2]"]),
    ({"scores": [[1, 2]], "tokens": [1, "a"]}, ["tokens[0]"]),
]


@pytest.mark.parametrize(("document", "places"), FAULTY)
def test_every_place_of_a_faulty_word_is_named(document: dict[str, Any], places: list[str]) -> None:
    """Also where the same word stands again."""
    with pytest.raises(ScenarioError) as found:
        load(document)
    assert [fault.place for fault in found.value.faults] == [f"scenario: {place}" for place in places]


@pytest.mark.parametrize("row", [["a", "b"], ["a\u200b", 'q"', "é", "\\"], ["a", 1], ["Infinity"], []])
def test_words_together_are_written_as_each_alone(row: list[Any]) -> None:
    """A list of words is one text, the same as word by word."""
    assert written(row) == "[" + ", ".join(map(scalar, row)) + "]"
