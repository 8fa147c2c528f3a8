"""The worksheet to fill in: right answers turn green, wrong ones red, and the key is out of sight."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import office
import pytest
from samples import LANGUAGES

from attncalc.core.expression import Cell
from attncalc.document.blocks import Matrix
from attncalc.document.printing import Printing
from attncalc.document.sheets import sheet as paper
from attncalc.document.view import view_in
from attncalc.document.worksheet_sheets import Page
from attncalc.practice.exercise import Order, blanks, exercise
from attncalc.practice.recipes import LEVELS
from attncalc.renderers.worksheet_xlsx import worksheet_workbook

KEY = "key"
MASKED = 3, ("masked", "weights")


class Sheet(NamedTuple):
    """A worksheet: its level and the steps left blank (none: those of the level)."""

    level: int
    blank: tuple[str, ...] = ()
    language: str = "en"


SHEETS = [*(Sheet(level) for level in range(1, len(LEVELS) + 1)), Sheet(*MASKED), Sheet(2, (), "zh")]


@cache
def printing(sheet: Sheet) -> Printing:
    """The exercise with seed 7."""
    places = LEVELS[sheet.level - 1].places
    order = Order(sheet.level, 7, blanks(sheet.level, sheet.blank), places)
    return Printing(exercise(order), view_in(sheet.language, "markdown"), "1.0", "attncalc worksheet")


@cache
def page(sheet: Sheet) -> Page:
    """Where its blanks stand."""
    made = Page(printing(sheet))
    made.sheets()
    return made


def rounded_on_the_way(sheet: Sheet, cell: Cell) -> str:
    """What comes out where every step was rounded; the same as the right answer, or another that is right too."""
    made = printing(sheet).made
    return str(made.texts(made.rounded)[cell.name][cell.place]) if made.rounded is not None else ""


def right(sheet: Sheet, cell: Cell) -> str:
    """The right answer as its key has it."""
    return str(printing(sheet).made.answers[cell.name][cell.place])


ANSWERS: list[tuple[str, int]] = [
    ("right", 1), ("half more", 1), ("half less", 1), ("a unit more", 0), ("0.51 more", 0), ("0.51 less", 0),
    ("a word", 0), ("nothing", 0),
]  # fmt: skip
"""How an answer lies to the right number, and whether it is right."""


def answer(sheet: Sheet, cell: Cell, kind: str) -> Any:
    """An answer of a kind."""
    text = right(sheet, cell)
    if text == "-inf":
        return {"right": "-inf", "half more": "−∞", "half less": "-∞", "a word": "hidden", "nothing": None}.get(kind, 1)
    made = printing(sheet).made
    exact, unit = made.trace[cell.name].cells[cell.place], Decimal(1).scaleb(-made.order.places)
    shift = {"half more": "0.5", "half less": "-0.5", "0.51 more": "0.51", "0.51 less": "-0.51", "a unit more": "1"}
    if kind in shift:
        return float(exact + Decimal(shift[kind]) * unit)
    return {"right": float(text), "a word": "one", "nothing": None}[kind]


def filled(sheet: Sheet) -> Iterator[tuple[Any, Any, int]]:
    """Every blank of a sheet with an answer, the kinds one after another, and whether it is right."""
    for number, blank in enumerate(page(sheet).blanks):
        kind, good = ANSWERS[number % len(ANSWERS)]
        yield blank, answer(sheet, blank.of, kind), good


@pytest.fixture(scope="session")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The worksheets filled in, each rule of green and red beside its cell as a formula, calculated by LibreOffice."""
    files = {}
    for number, sheet in enumerate(SHEETS):
        made, changes = page(sheet), {}
        for blank, content, _ in filled(sheet):
            changes[made.name, blank.row, blank.column] = content
        files[str(number)] = with_rules(office.changed(worksheet_workbook(printing(sheet)), changes), made)
    return office.calculated(tmp_path_factory.mktemp("sheets"), files)


BESIDE = 100
"""So many columns to the right of a cell its rules stand as formulas: 1 for green, 2 for red."""


def with_rules(content: bytes, made: Page) -> bytes:
    """The file with the tests of its conditional formats written into cells."""
    book = office.formulas(content)
    sheet, changes = book[made.name], {}
    for region in sheet.conditional_formatting:
        for rule in region.rules:
            color = 1 if rule.dxf.fill.bgColor.rgb.endswith("C6EFCE") else 2
            first = next(iter(region.sqref.ranges))
            for row, column in first.cells:
                test = office.moved(rule.formula[0], column - first.min_col)
                place = made.name, row - 1, column - 1 + BESIDE
                changes[place] = f"{changes.get(place, '=0')}+{color}*({test})"
    return office.changed(content, changes)


@pytest.mark.parametrize("number", range(len(SHEETS)))
def test_right_answers_turn_green_and_wrong_ones_red(number: int, sheets: dict[str, Any]) -> None:
    """To half a unit of the last place either way; an empty cell stays white."""
    sheet = SHEETS[number]
    cells = sheets[str(number)][page(sheet).name]
    for blank, content, good in filled(sheet):
        also = rounded_on_the_way(sheet, blank.of)
        accepted = good or (also and isinstance(content, float) and abs(content - float(also)) < 1e-9)
        wanted = 0 if content is None else 1 if accepted else 2
        found = cells.cell(blank.row + 1, blank.column + 1 + BESIDE).value
        assert found == wanted, f"{blank}: {content} for {right(sheet, blank.of)}"


@pytest.mark.parametrize("number", range(len(SHEETS)))
def test_the_score_counts_the_right_answers(number: int, sheets: dict[str, Any]) -> None:
    """Under the title, in words."""
    sheet = SHEETS[number]
    cells = sheets[str(number)][page(sheet).name]
    green = sum(cells.cell(blank.row + 1, blank.column + 1 + BESIDE).value == 1 for blank in page(sheet).blanks)
    score = printing(sheet).view.say("workbook-score", right=green, all=len(page(sheet).blanks))
    assert score in [row[0].value for row in cells.iter_rows(max_row=5)]
    assert green > 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_key_is_out_of_sight(language: str) -> None:
    """Right numbers stand on the very hidden sheet alone; the sheet is locked but for its blanks, which are empty."""
    sheet = Sheet(3, (), language)
    book = office.formulas(worksheet_workbook(printing(sheet)))
    seen, key = book[page(sheet).name], book[KEY]
    assert (seen.sheet_state, key.sheet_state) == ("visible", "veryHidden")
    assert seen.protection.sheet
    assert key.protection.sheet
    assert page(sheet).blanks
    for blank in page(sheet).blanks:
        cell = seen.cell(blank.row + 1, blank.column + 1)
        assert (cell.value, cell.protection.locked) == (None, False)
    beside = [name for name, width in seen.column_dimensions.items() if width.hidden]
    assert beside
    free = {(cell.row, cell.column) for row in seen.iter_rows() for cell in row if not cell.protection.locked}
    assert free == {(blank.row + 1, blank.column + 1) for blank in page(sheet).blanks}


def test_the_sheet_shows_what_the_paper_shows() -> None:
    """Every label and number of the Markdown sheet's tables, and its sentences."""
    sheet = Sheet(4)
    seen = office.values(worksheet_workbook(printing(sheet)))[page(sheet).name]
    texts = {str(cell.value) for row in seen.iter_rows() for cell in row if cell.value is not None}
    matrices = [block for block in paper(printing(sheet)) if isinstance(block, Matrix)]
    assert matrices
    for matrix in matrices:
        assert {*matrix.rows, *matrix.columns} <= texts
        numbers = {figure.text.replace("−", "-") for row in matrix.cells for figure in row} - {"____"}
        held = set(map(as_number, texts))
        assert {text for text in numbers if text not in texts and as_number(text) not in held} == set()


def as_number(text: str) -> float | None:
    """The number of a text, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def test_the_same_sheet_is_the_same_file() -> None:
    """On every run."""
    assert worksheet_workbook(printing(Sheet(1))) == worksheet_workbook(printing(Sheet(1)))
