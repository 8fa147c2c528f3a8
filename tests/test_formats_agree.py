"""The data formats hold the same numbers as each other, and as the tables, cell by cell."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import out
from samples import BUILT_IN, LANGUAGES, flat, random_traces

from attncalc import load, render, run
from attncalc.core.labels import distinct
from attncalc.core.stage import AXES, Step, Trace
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.tables import tables
from attncalc.document.view import view_in
from attncalc.messages import catalogue

OPTIONS: list[dict[str, str]] = [{}, {"by_hand": "off"}, {"arithmetic": "float64"}, {"rounding": "truncate"}]


def json_cells(trace: Trace) -> dict[str, list[str]]:
    """The numbers of each step in the JSON, as they are written there."""
    found = json.loads(render(trace, "json"), parse_float=str, parse_int=str)
    return {step["name"]: list(map(str, flat(step["values"]))) for step in found["steps"]}


def csv_lines(trace: Trace) -> dict[str, list[list[str]]]:
    """The lines of each step in the CSV."""
    header, *lines = csv.reader(io.StringIO(render(trace, "csv")))
    assert header == ["step", *AXES, "value"]
    found: dict[str, list[list[str]]] = {}
    for line in lines:
        found.setdefault(line[0], []).append(line[1:])
    return found


def places(step: Step) -> Iterator[list[str]]:
    """What the columns of a step's lines say, worked out cell by cell."""
    for index in np.ndindex(step.shape):
        at = dict(zip(step.axes, index, strict=True))
        yield [
            "" if axis not in at else distinct(step.labels[axis])[at[axis]] if axis in step.labels else str(at[axis])
            for axis in AXES
        ]


def assert_data_agrees(trace: Trace) -> None:
    """JSON and CSV digit for digit, the CSV in its places, the archive the doubles nearest to them."""
    cells, lines = json_cells(trace), csv_lines(trace)
    with np.load(io.BytesIO(render(trace, "npz"))) as arrays:
        assert [*cells] == [*lines] == arrays.files[: len(trace)] == [step.name for step in trace]
        for step in trace:
            assert [line[-1] for line in lines[step.name]] == cells[step.name]
            doubles = np.array([float(text) for text in cells[step.name]]).reshape(step.shape)
            np.testing.assert_array_equal(arrays[step.name].astype(np.float64), doubles)
            written = [line[:-1] for line in lines[step.name]]
            assert [[cell.removeprefix("'") for cell in line] for line in written] == list(places(step))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", BUILT_IN)
def test_csv_json_and_npz_agree(name: str, options: dict[str, str]) -> None:
    """Every cell of every step of every built-in scenario, the terms too."""
    trace = run(load(name, (), options))
    assert_data_agrees(run(trace.scenario, terms="context" in trace))


def test_they_agree_for_random_scenarios() -> None:
    """With masks, heads, batches, NaN."""
    for trace in random_traces(30, 11):
        assert_data_agrees(trace)
    for trace in random_traces(10, 12, arithmetic="float16"):
        assert_data_agrees(trace)


# --- the tables ----------------------------------------------------------------------------------


def figures(trace: Trace) -> Iterator[Figure]:
    """The cells of all tables, of every batch entry and head."""
    batches, heads = trace.scenario.grid[:2]
    view = view_in("en", "plain")._replace(batches=tuple(range(batches)), heads=tuple(range(heads)))
    for block in tables(trace, view):
        if isinstance(block, Matrix):
            yield from (figure for row in block.cells for figure in row if figure.cell is not None)


def is_shown(text: str, number: str, rounding: str) -> bool:
    """Whether a figure is a number at its own digits: a half unit off at most, cut ones less than a whole one."""
    shown, exact = Decimal(text), Decimal(number)
    unit = Decimal((0, (1,), int(shown.as_tuple().exponent)))
    room = unit if rounding == "truncate" else unit / 2
    return abs(shown - exact) <= room + abs(exact) * Decimal("1e-15")  # JSON has the nearest double


NO_NUMBERS = {"-∞": "-Infinity", "∞": "Infinity", "NaN": "NaN"}


def agrees(figure: Figure, number: str, trace: Trace) -> bool:
    """Whether a cell of a table shows a number of the JSON; a hidden cell holds 0."""
    if figure.hidden or figure.text in NO_NUMBERS or number in NO_NUMBERS.values():
        return float(number) == 0 if figure.hidden else NO_NUMBERS.get(figure.text) == number
    if trace.kind == "by-hand" and "e" not in figure.text:
        return Decimal(figure.text) == Decimal(number)
    return is_shown(figure.text, number, trace.scenario.rounding)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_tables_show_the_numbers_of_the_json(name: str, options: dict[str, str]) -> None:
    """Each cell of each table, and no number of the JSON without a cell."""
    trace = run(load(name, (), options))
    numbers = {
        step.name: np.array(json_cells(trace)[step.name], dtype=object).reshape(step.cells.shape) for step in trace
    }
    seen: dict[str, set[Any]] = {}
    for figure in figures(trace):
        assert figure.cell is not None
        step, place = figure.cell.name, figure.cell.place
        assert agrees(figure, numbers[step][place], trace), (figure, numbers[step][place])
        seen.setdefault(step, set()).add(place)
    assert {step: len(cells) for step, cells in seen.items()} == {step.name: step.cells.size for step in trace}


# --- what a page shows in part -------------------------------------------------------------------

MANY: dict[str, Any] = {"scores": [[(i * j) % 7 for j in range(70)] for i in range(70)], "arithmetic": "float64"}


@pytest.mark.parametrize(
    ("options", "cut"),
    [
        ((), True), (("--step", "total"), True), (("--token", "5"), True), (("--token", "5", "--step", "total"), False),
        (("--all",), False),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_a_page_says_that_its_tables_are_cut(
    format: str, language: str, options: tuple[str, ...], cut: bool, tmp_path: Path
) -> None:
    """Where a side is longer than 64, in its caption, and once for all in a note."""
    path = tmp_path / "many.json"
    path.write_text(json.dumps(MANY))
    text = out("run", str(path), "--format", format, *options, language=language)
    say = catalogue(language)
    captions = [say[code].format(first=1, last=64, all=70) for code in ("rows-of", "columns-of")]
    assert text.count(say["note.cropped-sides"].format(most=64)) == cut
    assert any(caption in text for caption in captions) == cut


def test_the_data_is_never_cut() -> None:
    """All 70 rows in JSON, CSV and the archive."""
    assert_data_agrees(run(load(MANY)))
