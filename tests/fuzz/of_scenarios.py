"""Readers of scenarios: JSON, whole scenarios, changes, cells, numbers, arrays in files."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import numpy as np
from samples import DRAW

from attncalc.core.labels import WORD, known, places_named
from attncalc.explore.cells import cell_name, find_cell
from attncalc.explore.values import decimal_of
from attncalc.messages import LANGUAGES, catalogue
from attncalc.practice.answer_files import kind_of
from attncalc.practice.arithmetic_typed import NoNumber
from attncalc.practice.cells_typed import cell_typed
from attncalc.practice.numbers_typed import row_typed, typed, unlabelled
from attncalc.scenario_files import builtin
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.edits import edited, segments_of, value_at, value_of
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written
from attncalc.scenario_files.load import scenario_of
from attncalc.scenario_files.opened_arrays import NotRead, opened

from .judging import Lie, must
from .lies import check_number, check_scenario
from .mutating import crossed, json_changed, text_of
from .shared import NAME, attempt, lot, scratch, small_scenarios, traces


def read_json(data: bytes) -> None:
    """A text is JSON as Python has it, and what is written of it is read as the same."""
    value = parse(data, NAME)
    try:
        json.loads(data.decode("utf-8-sig"), parse_int=str)
    except ValueError as error:
        raise Lie(f"no JSON was read as JSON: {error}") from None
    text = written(value)
    must(written(parse(text.encode("utf-8", "surrogatepass"), NAME)) == text, "JSON written is read as another", text)


def read_scenario(data: bytes) -> None:
    """A scenario is read, calculated where it is small, and what came of it looked at."""
    document = parse(data, NAME)
    check_scenario(document, scenario_of(document, NAME, folder=builtin.folder()), data)


def scenario_changed(data: bytes, random: Random) -> bytes:
    """A scenario with something changed, or with a key of another's."""
    return json_changed(crossed(data, small_scenarios(), random) if random.random() < 0.3 else data, random)


def make_change(data: bytes) -> None:
    """A `--set` leaves its document alone, and what it sets stands in the new one."""
    change = text_of(data)
    for document in _editable():
        before = written(document)
        result = attempt(edited, document, [change])
        must(written(document) == before, "a change is made in the document it was made from", change)
        if result is not None:
            _check_set(result, change)
            attempt(scenario_of, result, NAME)


def _check_set(document: Any, change: str) -> None:
    """What was put in stands there."""
    _, end = segments_of(change)
    value = value_of(change[end + 1 :])
    if change[end + 1 :]:
        found = value_at(document, change[:end])
        must(found == value or found is value, "what was set is not there", f"{change!r} {found!r}")


@cache
def _editable() -> tuple[Any, ...]:
    heads = {"q": [[[1, 2]], [[3, 4]]], "k": [[[1, 2]], [[3, 4]]], "tokens": ["the"], "mask": {"causal": True}}
    return tuple(parse(json.dumps(document).encode(), NAME) for document in (DRAW, heads))


# --- cells and numbers ----------------------------------------------------------------------------


def find_a_cell(data: bytes) -> None:
    """A cell that is found has a name that finds it again."""
    text = text_of(data)
    trace = lot(traces(), data)
    for words in (WORD.findall(text), [text]):
        cell = attempt(find_cell, trace, words, 0, 0)
        if cell is not None:
            said = cell_name(trace, cell)
            must(find_cell(trace, WORD.findall(said)) == cell, "a cell's name means another", f"{text!r} {said!r}")
    labels = traces()[3].scenario.tokens
    must(len(places_named(labels, text)) <= len(labels), "more places than labels")
    known(labels)


def read_numbers(data: bytes) -> None:
    """A number, and the same text as a row, as an end of a sweep, and behind labels."""
    text = text_of(data)
    if (number := typed(text)) is not None:
        check_number(text, number)
    try:
        cell_typed(text)
    except NoNumber as wrong:
        attempt_word(wrong.code)
    attempt(row_typed, text)
    attempt(decimal_of, text, "FROM")
    attempt(row_typed, unlabelled(text, ["I", "like", "to", "draw", "the", "the"]))


def attempt_word(code: str) -> None:
    """The words for what is wanted are in both catalogues."""
    must(all(catalogue(language).get(code) for language in LANGUAGES), "no words for what is wanted", code)


# --- arrays in files ------------------------------------------------------------------------------


def read_arrays(data: bytes) -> None:
    """Arrays in a file are read, none larger than its file."""
    kind = kind_of(data) if kind_of(data) in ("npy", "npz", "safetensors") else "npy"
    name = f"array.{kind}"
    (scratch() / name).write_bytes(data)
    keys: Sequence[str] = ("weights",)
    try:
        file = opened(kind, io.BytesIO(data))
        keys = file.keys
    except NotRead:
        pass
    for key in keys[:3]:
        reference = {kind: name, **({} if kind == "npy" else {"key": key})}
        values = attempt(load_array, reference, Folder(scratch()), "q")
        if values is not None:
            must(values.dtype == np.float64 and values.size <= 8 * len(data) + 64, "an array larger than its file")
