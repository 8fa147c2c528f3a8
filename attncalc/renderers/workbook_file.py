"""Sheets as the bytes of an .xlsx file; the same bytes on every run."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from io import BytesIO
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from attncalc.document.workbook_sheets import Entry, Rule, Sheet

LEAST_PRINTED = 10

LAST_COLUMN = 16_383

CREATED = datetime(2000, 1, 1)
"""The date of every file, so that its bytes do not change."""

AS_TEXT = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}

GREY, BLUE, YELLOW, LINE = "#595959", "#1F3864", "#FFF2CC", "#BFBFBF"

STYLES: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 16, "font_color": BLUE},
    "subtitle": {"font_color": GREY},
    "step": {"bold": True, "font_color": BLUE, "font_size": 12},
    "why": {"italic": True, "font_color": GREY},
    "corner": {"italic": True, "font_color": GREY},
    "across": {"bold": True, "align": "right", "bottom": 1, "bottom_color": LINE},
    "down": {"bold": True},
    "given": {"bg_color": YELLOW, "border": 1, "border_color": LINE, "align": "right"},
    "number": {"align": "right"},
    "kept": {"italic": True, "font_color": GREY, "align": "right"},
    "lead": {"bold": True, "valign": "top", "font_color": BLUE},
    "text": {"text_wrap": True, "valign": "top"},
    "sample-given": {"bg_color": YELLOW, "border": 1, "border_color": LINE},
    "sample-number": {},
    "sample-kept": {"italic": True, "font_color": GREY},
    "text-line": {},
    "blank": {"border": 1, "border_color": GREY, "align": "right", "locked": False},
}
GREEN = {"bg_color": "#C6EFCE", "font_color": "#006100"}
RED = {"bg_color": "#FFC7CE", "font_color": "#9C0006"}


def file_of(sheets: Sequence[Sheet], title: str) -> bytes:
    """The file of some sheets."""
    target = BytesIO()
    with xlsxwriter.Workbook(target, AS_TEXT) as book:
        book.set_properties({"title": title, "created": CREATED})
        formats = _Formats(book)
        for sheet in sheets:
            _write(book.add_worksheet(sheet.name, _Worksheet), sheet, formats)
    return target.getvalue()


class _Worksheet(Worksheet):  # type: ignore[misc]
    """Takes formulas as they are: to look in each for functions that it must rename takes longer than all else."""

    def _prepare_formula(self, formula: str, expand_future_functions: bool = False) -> str:
        return formula.removeprefix("=")


class _Formats:
    """The formats of a workbook, each made once."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        self.book = book
        self.made: dict[tuple[str, str], Format] = {}

    def of(self, style: str, number: str = "") -> Format:
        """The format of a style and a number format."""
        known = self.made.get((style, number))
        if known is None:
            shown = {"num_format": number} if number else {}
            known = self.made[style, number] = self.book.add_format(STYLES[style] | shown)
        return known

    def fill(self, look: dict[str, Any]) -> Format:
        """A format of a rule."""
        made: Format = self.book.add_format(look)
        return made


def _write(worksheet: Worksheet, sheet: Sheet, formats: _Formats) -> None:
    *first, last = sheet.widths
    for column, width in enumerate(first):
        worksheet.set_column(column, column, width)
    used = max((entry.column for entry in sheet.entries), default=0)
    if used >= len(first):  # all the sheet has would be 16,384 descriptions of columns, megabytes a sheet
        worksheet.set_column(len(first), used, last)
    if sheet.hidden_from is not None:
        worksheet.set_column(sheet.hidden_from, LAST_COLUMN, None, None, {"hidden": True})
    for row, height in sheet.heights.items():
        worksheet.set_row(row, height)
    for entry in sheet.entries:
        _write_entry(worksheet, entry, formats)
    for rule in sheet.rules:
        _write_rule(worksheet, rule, formats)
    _set_page(worksheet, sheet)


def _write_entry(worksheet: Worksheet, entry: Entry, formats: _Formats) -> None:
    row, column, value, style, formula, number = entry
    format = formats.of(style, number)
    if formula:
        worksheet.write_formula(row, column, formula, format, value)
    elif value == "":
        worksheet.write_blank(row, column, None, format)
    elif isinstance(value, str):
        worksheet.write_string(row, column, value, format)
    else:
        worksheet.write_number(row, column, value, format)


def _write_rule(worksheet: Worksheet, rule: Rule, formats: _Formats) -> None:
    ends = (*rule.first, *rule.last)
    for look in RULES[rule.kind](rule.test, formats):
        worksheet.conditional_format(*ends, look)
    if rule.kind == "flag":
        worksheet.data_validation(*ends, {"validate": "integer", "criteria": "between", "minimum": 0, "maximum": 1})


RULES: dict[str, Any] = {
    "shade": lambda test, formats: [
        {"type": "2_color_scale", "min_type": "num", "max_type": "num", "min_value": 0, "max_value": 1,
         "min_color": "#FFFFFF", "max_color": "#5B9BD5"},
    ],
    "hidden": lambda test, formats: [
        {"type": "formula", "criteria": f"=ISTEXT({test})", "format": formats.fill({"font_color": "#7F7F7F"})}
    ],
    "right": lambda test, formats: [{"type": "formula", "criteria": f"={test}", "format": formats.fill(GREEN)}],
    "wrong": lambda test, formats: [{"type": "formula", "criteria": f"={test}", "format": formats.fill(RED)}],
    "flag": lambda test, formats: [
        {"type": "cell", "criteria": "==", "value": 0, "format": formats.fill({"bg_color": "#D9D9D9"})}
    ],
}  # fmt: skip
"""By kind of rule, the conditional formats: of a test (the first cell of the range) and the formats of the book."""


def _set_page(worksheet: Worksheet, sheet: Sheet) -> None:
    """How it is looked at and printed."""
    if sheet.frozen != (0, 0):
        worksheet.freeze_panes(*sheet.frozen)
        worksheet.repeat_rows(0, sheet.frozen[0] - 1)
    worksheet.hide_gridlines(2)
    worksheet.set_landscape()
    worksheet.set_paper(9)
    worksheet.fit_to_pages(1, 0)
    if not sheet.hidden:  # sentences reach beyond the columns of numbers
        seen = [entry for entry in sheet.entries if sheet.hidden_from is None or entry.column < sheet.hidden_from]
        last_column = max(LEAST_PRINTED if sheet.rules else 1, *(entry.column for entry in seen))
        worksheet.print_area(
            0, 0, max(entry.row for entry in seen), min(last_column, (sheet.hidden_from or LAST_COLUMN) - 1)
        )
    if sheet.locked:
        worksheet.protect()
    if sheet.hidden:
        worksheet.very_hidden()
