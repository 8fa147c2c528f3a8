"""The live spreadsheet: labels, numbers and formulas, calculated again by LibreOffice, before and after changes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np
import office
import pytest
from hostile import HOSTILE, keys_document, queries_document
from rivals import random_options
from rivals.random_scenarios import as_json
from samples import BUILT_IN, LANGUAGES, random_hand_texts, trace_of, trace_of_text

from attncalc import load, run
from attncalc.core.expression import Cell
from attncalc.core.figures import Literal, plain_minus
from attncalc.core.names import ROUNDINGS
from attncalc.core.stage import Trace
from attncalc.document import workbook_plan
from attncalc.document.blocks import Heading, Matrix
from attncalc.document.tables import tables
from attncalc.document.view import View, view_in
from attncalc.document.workbook_plan import Plan
from attncalc.document.workbook_tables import Book
from attncalc.errors import AttncalcError
from attncalc.renderers.xlsx import render

RANDOM, BY_HAND = 16, 16
CLOSE = 1e-12
DIGITS = 1e12
"""By hand, numbers of so many units of their last place are exact; of longer ones LibreOffice loses the end."""


def file_of(trace: Trace, language: str = "en") -> bytes:
    """The workbook of a trace."""
    return render(trace, view_in(language, "xlsx"))


@cache
def built_in(name: str) -> Trace:
    """A built-in scenario, calculated once."""
    return run(load(name))


@cache
def places(trace: Trace) -> Book:
    """Where the numbers of a workbook stand."""
    view = view_in("en", "xlsx")
    return Book(trace, view, Plan(trace, view))


def numbers(trace: Trace, book: Any) -> Iterator[tuple[str, Any, float, float]]:
    """Every number of a trace that stands in a workbook: its name, what the cell holds, what is right, its unit."""
    found = places(trace)
    for step in trace:
        by_hand = trace.kind == "by-hand" and not step.stage.given
        unit = 10.0 ** -trace.scenario.hand_places(step.name) if by_hand else 0.0
        for index, value in np.ndenumerate(step.cells):
            address = found.find(Cell(step.name, tuple(map(int, index))))
            if address is not None:
                cell = book[address.sheet].cell(address.row + 1, address.column + 1)
                yield f"{step.name} {index} at {address.sheet}!{cell.coordinate}", cell.value, float(value), unit


def is_right(found: Any, wanted: float, unit: float) -> bool:
    """Whether a cell holds a number: by hand exactly, else to 1e-12; text for infinities and what no double holds."""
    if not math.isfinite(wanted):
        return found == "#N/A" if math.isnan(wanted) else isinstance(found, str) and not found.startswith("#")
    if not isinstance(found, int | float):
        return False
    if unit and abs(wanted) < DIGITS * unit:
        return float(found) == wanted
    return abs(found - wanted) <= CLOSE * max(1.0, abs(wanted))


def wrong(trace: Trace, book: Any) -> list[str]:
    """The numbers of a workbook that are not those of a trace."""
    every = list(numbers(trace, book))
    assert len(every) > 1
    return [
        f"{name}: {found!r}, not {wanted!r}" for name, found, wanted, unit in every if not is_right(found, wanted, unit)
    ]


# --- the files that LibreOffice calculates again -----------------------------------------------------


@cache
def random_traces() -> dict[str, Trace]:
    """Random scenarios over all the options, and others by hand with all roundings."""
    texts = [*map(as_json, random_options.documents(11, RANDOM)), *random_hand_texts(BY_HAND, 5)]
    found = {}
    for number, text in enumerate(texts):
        try:
            found[f"random-{number}"] = trace_of_text(text)
        except AttncalcError:  # by hand, a total may round to 0
            continue
    return found


class Change(NamedTuple):
    """Another number for a cell, and the path of `--set` that means the same."""

    cell: Cell
    path: str
    number: str


@cache
def changes_of(name: str) -> tuple[Change, ...]:
    """For one number of every array and every option that a built-in scenario gives, another one."""
    trace, rng, found = built_in(name), Random(name), []
    scenario, book = trace.scenario, places(trace)
    for array, (origin, _) in scenario.origins.items():
        values = scenario.arrays[array]
        drawn = tuple(rng.randrange(n) for n in values.shape)
        first = np.unravel_index(int(np.argmax(origin == origin[drawn])), origin.shape)  # a row may be read twice
        place = tuple(map(int, first))
        cell = Cell(array, place, array not in trace or not trace[array].stage.given)
        if book.find(cell) is not None:
            number = f"{float(values[place]) + rng.choice((-1, 1)) * rng.randint(10, 90) / 100:.2f}"
            found.append(Change(cell, scenario.path_of(array, place), number))
    options = (cell for cell in book.plan.options if cell.name in OPTIONS)
    return (*found, *(Change(cell, cell.name, OPTIONS[cell.name]) for cell in options))


OPTIONS = {"norm.eps": "0.01", "rope.base": "50"}


def in_cells(trace: Trace, changes: Iterable[Change]) -> dict[tuple[str, int, int], float]:
    """Where the numbers of changes stand in a workbook."""
    found = ((places(trace).find(change.cell), float(change.number)) for change in changes)
    return {address[:3]: number for address, number in found if address is not None}


MASK = ((2, 0), (4, 3))
"""Places of a mask that change."""


def changed_mask(trace: Trace) -> tuple[dict[tuple[str, int, int], float], str]:
    """Some cells of the mask as their opposite, and the mask of `--set` that means the same."""
    visible = trace.scenario.arrays["visible"][0, 0].copy()
    for place in MASK:
        visible[place] = not visible[place]
    changes = [Change(Cell("visible", (0, 0, *place), True), "", str(int(visible[place]))) for place in MASK]
    return in_cells(trace, changes), f"mask={json.dumps({'keep': visible.astype(int).tolist()})}"


ZERO_ROW = {"scores": [[1, 2], [0.5, 0.25]], "v": [[1, 2], [3, 4]], "mask": {"keep": [[1, 1], [0, 0]]}}


def halves(rounding: str) -> dict[str, Any]:
    """Means of two numbers of two decimals: by hand, half of them lie halfway between two figures."""
    rng = Random(3)
    rows = [[f"{rng.randint(-9999, 9999) / 100:.2f}" for _ in range(150)] for _ in range(2)]
    document = {"weights": [[0.5, 0.5]], "v": [list(map(Literal, row)) for row in rows]}
    return document | {"by_hand": Literal("2"), "rounding": rounding}


@pytest.fixture(scope="session")
def office_books(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Every workbook that the tests of this file ask LibreOffice for, calculated again."""
    files = {name: file_of(built_in(name)) for name in BUILT_IN}
    files |= {
        f"changed-{name}": office.changed(files[name], in_cells(built_in(name), changes_of(name))) for name in BUILT_IN
    }
    files |= {f"zh-{name}": file_of(built_in(name), "zh") for name in CHINESE}
    files["mask"] = office.changed(files["window"], changed_mask(built_in("window"))[0])
    files |= {name: file_of(trace) for name, trace in (random_traces() | special()).items()}
    return office.calculated(tmp_path_factory.mktemp("office"), files)


CHINESE = ("draw", "grouped", "mini-head")


@cache
def special() -> dict[str, Trace]:
    """Rows that see nothing, numbers that no double holds, labels that are meant to harm."""
    documents: dict[str, dict[str, Any]] = {
        **{f"empty-{policy}": ZERO_ROW | {"empty_rows": policy} for policy in ("zero", "nan", "uniform")},
        **{f"halves-{rounding}": halves(rounding) for rounding in ROUNDINGS},
        "beyond": {"scores": [[2000, 1, 1999]], "v": [[1], [2], [3]]},
        "vanishing": {"scores": [[-2000, -2001]], "v": [[1], [2]]},
        "hostile-keys": json.loads(keys_document()),
        "hostile-queries": json.loads(queries_document()),
    }
    return {name: trace_of(document) for name, document in documents.items()}


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_scenario_calculated_again_gives_its_numbers(name: str, office_books: dict[str, Any]) -> None:
    """Every formula that LibreOffice calculates gives the trace's number, by hand exactly; so does what is stored."""
    assert wrong(built_in(name), office_books[name]) == []
    assert wrong(built_in(name), office.values(file_of(built_in(name)))) == []


@pytest.mark.parametrize("name", CHINESE)
def test_chinese_sheets_calculate_the_same(name: str, office_books: dict[str, Any]) -> None:
    """The names of the sheets are in the formulas, in Chinese too."""
    english, chinese = (
        [list(grid.cells) for _, grid in office.grids(office_books[key])] for key in (name, f"zh-{name}")
    )
    assert [[cell.value for row in cells for cell in row] for cells in chinese] == [
        [cell.value for row in cells for cell in row] for cells in english
    ]


@pytest.mark.parametrize("name", BUILT_IN)
def test_all_that_is_calculated_is_a_formula(name: str) -> None:
    """No number of a calculated step stands there by itself."""
    book, found = office.formulas(file_of(built_in(name))), places(built_in(name))
    for step in built_in(name):
        for index in np.ndindex(step.cells.shape):
            address = found.find(Cell(step.name, index))
            assert address is not None
            content = book[address.sheet].cell(address.row + 1, address.column + 1).value
            assert str(content).startswith("=") != step.stage.given, f"{step.name} {index}: {content}"


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_change_in_the_workbook_is_the_change_of_set(name: str, office_books: dict[str, Any]) -> None:
    """A number of every given array changed in its cell, everything after it is as with `--set`."""
    changes = changes_of(name)
    assert changes
    after = run(load(name, [f"{change.path}={change.number}" for change in changes]))
    assert wrong(after, office_books[f"changed-{name}"]) == []
    assert wrong(built_in(name), office_books[f"changed-{name}"]) != []


def test_a_mask_can_be_changed_in_its_cells(office_books: dict[str, Any]) -> None:
    """A key hidden and another seen by 0 and 1 in the mask is what a mask of these numbers gives."""
    after = run(load("window", [changed_mask(built_in("window"))[1]]))
    assert wrong(after, office_books["mask"]) == []


@pytest.mark.parametrize("part", ["random", "special"])
def test_random_and_odd_scenarios_calculated_again(part: str, office_books: dict[str, Any]) -> None:
    """Over all the options, by hand in all roundings, with empty rows, and with numbers that no double holds."""
    traces = random_traces() if part == "random" else special()
    assert {name: found for name, trace in traces.items() if (found := wrong(trace, office_books[name]))} == {}


# --- what a reader sees -----------------------------------------------------------------------------


def in_terminal(trace: Trace, view: View) -> dict[str, Matrix]:
    """The tables of the terminal, each with its number, title, place and formula as a workbook has them."""
    found, title, formula = {}, "", ""
    for block in tables(trace, view):
        if isinstance(block, Heading):
            title = " ".join(filter(None, (block.number, block.text)))
            formula = ""
            if block.formula is not None:
                formula = f"   {block.formula.left} = {view.notation().print(block.formula.right)}"
        elif isinstance(block, Matrix) and block.numeric:
            caption = view.say("in-brackets", text=block.caption) if block.caption else ""
            found[f"{title}{caption}{formula}"] = block
    return found


def everything(trace: Trace, language: str) -> View:
    """The view of the terminal with all heads and batch entries."""
    batches, heads = trace.scenario.grid[:2]
    return view_in(language, "table")._replace(batches=tuple(range(batches)), heads=tuple(range(heads)))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_tables_are_those_of_the_terminal(name: str, language: str) -> None:
    """The same titles, formulas, labels, and each number shown with the same digits; 0 where the terminal has a dot."""
    trace = built_in(name)
    found = dict(office.grids(office.values(file_of(trace, language))))
    wanted = in_terminal(trace, everything(trace, language))
    assert set(wanted) <= set(found)
    for title, matrix in wanted.items():
        grid = found[title]
        assert (grid.rows, grid.columns) == (matrix.rows, matrix.columns), title
        for cells, figures in zip(grid.cells, matrix.cells, strict=True):
            texts = [plain_minus(figure.text).replace("∞", "inf") for figure in figures]
            hidden = [figure.hidden and cell.value == 0 for figure, cell in zip(figures, cells, strict=True)]
            assert [t for t, h in zip(texts, hidden, strict=True) if not h] == [
                office.shown(cell) for cell, h in zip(cells, hidden, strict=True) if not h
            ], title


@pytest.mark.parametrize("which", ["hostile-keys", "hostile-queries"])
def test_hostile_labels_are_text(which: str, office_books: dict[str, Any]) -> None:
    """A label that looks like a formula is a label, as the terminal shows it, before and after LibreOffice."""
    content = file_of(special()[which])
    for book in (office.formulas(content), office_books[which]):
        cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
        shown = {str(cell.value) for cell in cells if cell.data_type == "s"}
        assert {hostile.shown for hostile in HOSTILE} <= shown
    written = [cell for sheet in office.formulas(content) for row in sheet.iter_rows() for cell in row]
    calculated = sum(step.cells.size for step in special()[which] if not step.stage.given)
    assert sum(cell.data_type == "f" for cell in written) == calculated


def test_the_same_bytes_on_every_run() -> None:
    """A file made twice is the same file."""
    assert file_of(built_in("grouped")) == file_of(built_in("grouped"))


# --- what a workbook says about itself ----------------------------------------------------------------


def about(trace: Trace, view: View | None = None) -> str:
    """The texts of the first sheet."""
    book = office.values(render(trace, view or view_in("en", "xlsx")))
    return "\n".join(str(cell.value) for row in book.worksheets[0].iter_rows() for cell in row if cell.value)


def kept(content: bytes) -> set[str]:
    """The titles of the tables that have a number without a formula."""
    found = office.grids(office.formulas(content))
    return {
        title for title, grid in found
        if title[0].isdigit() and any(not str(cell.value).startswith("=") for row in grid.cells for cell in row)
    }  # fmt: skip


SAYS: list[tuple[str, dict[str, Any], str]] = [
    ("how to use it", {"scores": [1, 2]}, "Change a number in a yellow cell"),
    ("hidden scores", {"scores": [[1, 2], [3, 4]], "mask": "causal"}, "A hidden score is the text −∞"),
    ("by hand", {"scores": [1, 2], "by_hand": 2}, "Each step is rounded as by hand."),
    ("narrow numbers", {"scores": [1, 2], "arithmetic": "float16"}, "The stored numbers are those of float16."),
    ("no number", ZERO_ROW | {"empty_rows": "nan"}, "#N/A stands for NaN."),
    ("other rounding", {"scores": [1, 2], "rounding": "truncate"}, "halves rounded away from zero"),
    ("beyond a double", {"scores": [[2000, 1]]}, "Without live formulas: exponentials, total and weights."),
    ("source", {"scores": [1, 2], "source": {"title": "A course"}}, "A course"),
    ("a long text", {"scores": [1, 2], "about": "x" * 40_000}, "Texts longer than a cell can hold are cut."),
]


@pytest.mark.parametrize(("document", "sentence"), [row[1:] for row in SAYS], ids=[row[0] for row in SAYS])
def test_the_first_sheet_says(document: dict[str, Any], sentence: str) -> None:
    """How it is used, how it calculates, and what it cannot do."""
    assert sentence in about(trace_of(document))


def test_numbers_that_no_double_holds_are_text_without_a_formula() -> None:
    """So is the number beyond, and what is made from it; what a spreadsheet can calculate has its formula."""
    content = file_of(special()["beyond"])
    assert {title.split("   ")[0] for title in kept(content)} == {"1 Exponentiate", "2 Sum", "3 Divide"}
    cells = [cell for _, grid in office.grids(office.values(content)) for row in grid.cells for cell in row]
    assert any(str(cell.value) == "3.8812e868" for cell in cells)


def test_what_is_made_from_a_step_left_out_is_a_number() -> None:
    """With `--step weights` there are no exponentials to divide; the first sheet names the step."""
    view = view_in("en", "xlsx")._replace(steps=("weights",))
    assert kept(render(built_in("draw"), view)) == {"3 Divide   A = E / Σ"}
    assert "Without live formulas: weights." in about(built_in("draw"), view)


@pytest.mark.parametrize(
    ("most", "sheets", "sentence"),
    [
        (7000, 1 + 1 + 1 + 3 + 1, "Of 12 batch entries and heads this file holds the first 3."),
        (10, 1 + 1 + 1 + 1 + 1, "The calculation is too large for live formulas"),
    ],
)
def test_a_large_calculation_is_cut(most: int, sheets: int, sentence: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the heads that fit; where none does, to the beginning of each table, without formulas; it says so."""
    monkeypatch.setattr(workbook_plan, "MOST_CELLS", most)
    monkeypatch.setattr(workbook_plan, "MOST_SIDE", 5)
    trace = built_in("gpt2-block")
    assert sentence in about(trace)
    assert len(office.values(file_of(trace)).worksheets) == sheets
    whole = about(trace, view_in("en", "xlsx")._replace(everything=True))
    assert "this file holds" not in whole


def test_many_heads_are_cut_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a sheet; a sheet describes the columns that it uses, not all that there could be."""
    monkeypatch.setattr(workbook_plan, "MOST_SHEETS", 5)
    trace = trace_of({"scores": [[[1]]] * 12})
    assert "Of 12 batch entries and heads this file holds the first 5." in about(trace)
    book = office.values(file_of(trace))
    assert len(book.worksheets) == 1 + 5
    assert max(found.max for sheet in book.worksheets for found in sheet.column_dimensions.values()) < 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_names_of_sheets_are_valid(language: str) -> None:
    """At most 31 characters, none of those that a spreadsheet refuses, also with many batch entries and heads."""
    heads = [[[[1]], [[2]]]] * 11
    trace = trace_of({"q": heads, "k": heads, "v": heads, "w_o": [[1], [2]]})
    names = office.values(file_of(trace, language)).sheetnames
    assert len(names) == len(set(names)) == 1 + 1 + 22 + 11
    assert not [name for name in names if len(name) > 31 or set(name) & set("[]:*?/\\'")]
