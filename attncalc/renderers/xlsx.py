"""A trace as a spreadsheet whose numbers are live formulas."""

from __future__ import annotations

from attncalc.core.stage import Trace
from attncalc.document.heading import title_of
from attncalc.document.view import View
from attncalc.document.workbook import sheets_of
from attncalc.renderers.workbook_file import file_of


def render(trace: Trace, view: View, quiet: bool = False) -> bytes:
    """The bytes of an .xlsx file: change a given number in it and all that is made from it follows."""
    read = view._replace(options=False)  # whoever opens the file types no options
    return file_of(sheets_of(trace, read, quiet), title_of(trace.scenario, view))
