"""The lines of a CSV, whatever separates its cells, and the numbers in them."""

from __future__ import annotations

import csv
import io
from typing import NamedTuple

from attncalc.errors import Fault, UsageError, shortened
from attncalc.messages import Word
from attncalc.practice.arithmetic_typed import NoNumber
from attncalc.practice.assembling import Assembly
from attncalc.practice.cells_typed import cell_typed
from attncalc.practice.numbers_typed import DECIMAL_COMMA, TypedNumber


class Line(NamedTuple):
    """A line of the file: its number from 1, and its cells."""

    number: int
    cells: list[str]


def lines_of(text: str, name: str) -> list[Line]:
    """The lines that hold anything; commas, semicolons, tabs or blanks separate the cells."""
    lines = text.splitlines()
    first = next((line for line in lines if line.strip()), "")
    delimiter = next((sign for sign in ("\t", ";", ",") if sign in first), "")
    if not delimiter:
        return [Line(number, line.split()) for number, line in enumerate(lines, start=1) if line.strip()]
    spaced = f"{delimiter} " in first
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=spaced)
    found = []
    try:
        for cells in reader:
            found.append(Line(reader.line_num, [_pointed(cell) for cell in cells] if delimiter != "," else cells))
    except csv.Error as error:
        raise UsageError.of("answers-broken", f"{name}:{reader.line_num}", kind="csv", reason=str(error)) from None
    return [line for line in found if any(cell.strip() for cell in line.cells)]


def _pointed(cell: str) -> str:
    """A cell with a decimal comma as one with a point: what separates the cells is no comma."""
    return cell.replace(",", ".") if DECIMAL_COMMA.fullmatch(cell.strip()) else cell


def number_in(assembly: Assembly, line: int, cell: str) -> TypedNumber | None:
    """The number of a cell, None where there is no answer, or after a report."""
    try:
        return cell_typed(cell)
    except NoNumber as wrong:
        fault(assembly, line, "answers-no-number", found=f'"{shortened(cell.strip())}"', wanted=Word(wrong.code))
        return None


def fault(assembly: Assembly, number: int, code: str, **fields: object) -> None:
    """Notes a fault in a line of the file: `answers.csv:5`."""
    assembly.add(Fault(line_of(assembly, number), code, fields))


def line_of(assembly: Assembly, number: int) -> str:
    """A line of the file, as editors and compilers write it."""
    return f"{assembly.name}:{number}"


def is_word(cell: str) -> bool:
    """Whether a cell is a label rather than a number or no answer."""
    try:
        cell_typed(cell)
    except NoNumber:
        return True
    return False
