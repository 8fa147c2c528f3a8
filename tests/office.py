"""Workbooks through LibreOffice: one start calculates many files again; and a workbook read as its reader sees it."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Iterator, Mapping
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import openpyxl
from openpyxl.formula.translate import Translator
from openpyxl.utils import get_column_letter
from programs import needed

from attncalc.core.figures import figure, plain_minus

ALWAYS = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item>
</oor:items>
"""
"""The setting that formulas are calculated again when a file is opened."""

STORED = re.compile(rb"(<c [^>]*?)( t=\"\w+\")?(>)(<f>[^<]*</f>)<v>[^<]*</v>")

DECIMALS = re.compile(r"0(?:\.(0+))?$")


class Grid(NamedTuple):
    """A table of a sheet: its labels and, row by row, its cells."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Any, ...], ...]


def calculated(folder: Path, files: Mapping[str, bytes]) -> dict[str, Any]:
    """The files by name after LibreOffice calculated all their formulas, whose stored results were taken out before."""
    soffice, (profile, before, after) = needed("soffice"), (folder / name for name in ("profile", "before", "after"))
    for place in (profile / "user", before):
        place.mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS, encoding="utf-8")
    for name, content in files.items():
        (before / f"{name}.xlsx").write_bytes(_without_results(content))
    setting = f"-env:UserInstallation={profile.as_uri()}"
    command = [soffice, "--headless", "--norestore", setting, "--convert-to", "xlsx", "--outdir", after]
    subprocess.run([*command, *sorted(before.iterdir())], check=True, capture_output=True, timeout=600)
    return {name: values(after / f"{name}.xlsx") for name in files}


def _without_results(content: bytes) -> bytes:
    """The file with its formulas and without what was stored with them."""
    source, target = zipfile.ZipFile(BytesIO(content)), BytesIO()
    with zipfile.ZipFile(target, "w") as copy:
        for name in source.namelist():
            data = source.read(name)
            copy.writestr(name, STORED.sub(rb"\1\3\4", data) if name.startswith("xl/worksheets/") else data)
    return target.getvalue()


def values(file: Path | bytes) -> Any:
    """A workbook with the results of its formulas."""
    return openpyxl.load_workbook(BytesIO(file) if isinstance(file, bytes) else file, data_only=True)


def formulas(file: bytes) -> Any:
    """A workbook with its formulas."""
    return openpyxl.load_workbook(BytesIO(file))


def changed(file: bytes, changes: Mapping[tuple[str, int, int], Any]) -> bytes:
    """The file with other contents in some cells (sheet, row and column from 0)."""
    book, target = formulas(file), BytesIO()
    for (sheet, row, column), content in changes.items():
        book[sheet].cell(row + 1, column + 1).value = content
    book.save(target)
    return target.getvalue()


def grids(book: Any) -> Iterator[tuple[str, Grid]]:
    """The tables of all sheets with their titles: below a bold title of its size a line of labels, then numbers."""
    for sheet in book.worksheets[1:]:
        title = ""
        rows = list(sheet.iter_rows())
        for number, cells in enumerate(rows):
            first = cells[0]
            if first.font.bold and first.font.sz == 12:
                title = str(first.value)
            elif title and any(cell.font.bold and cell.border.bottom.style for cell in cells[1:]):
                yield title, _grid(rows[number:])
                title = ""


def _grid(rows: list[Any]) -> Grid:
    """The table whose line of labels is the first of these rows."""
    columns = [cell for cell in rows[0][1:] if cell.font.bold]
    below = []
    for cells in rows[1:]:
        if not cells[0].font.bold or cells[0].font.sz == 12:
            break
        below.append(cells)
    body = tuple(tuple(cells[1 : len(columns) + 1]) for cells in below)
    return Grid(tuple(_text(cells[0]) for cells in below), tuple(map(_text, columns)), body)


def _text(cell: Any) -> str:
    return "" if cell.value is None else str(cell.value)


def shown(cell: Any) -> str:
    """What a cell shows, in plain signs: its text, or its number in its number format."""
    if not isinstance(cell.value, int | float):
        return plain_minus(_text(cell)).replace("∞", "inf")
    number, format = Decimal(cell.value), cell.number_format
    assert ";" not in format, "LibreOffice leaves out the sign where a format has sections with conditions"
    if format.endswith("E+0"):
        digits, exponent = f"{number:.{len(format[2:-3])}e}".split("e")
        return f"{digits}e{int(exponent)}"
    if format == "General":
        return format_general(cell.value)
    match = DECIMALS.search(format)
    return figure(number, len(match[1] or "") if match else 0)


def format_general(number: float) -> str:
    """A number as a spreadsheet writes one without a format."""
    return str(int(number)) if float(number).is_integer() else repr(number)


def moved(formula: str, columns: int) -> str:
    """A formula as it counts so many columns to the right of the cell it was written for."""
    return str(Translator(f"={formula}", "A1").translate_formula(f"{get_column_letter(1 + columns)}1"))[1:]
