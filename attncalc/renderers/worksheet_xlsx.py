"""A worksheet as a spreadsheet: a right answer turns green, a wrong one red."""

from __future__ import annotations

from attncalc.document.heading import title_of
from attncalc.document.printing import Printing
from attncalc.document.worksheet_sheets import worksheet_sheets
from attncalc.renderers.workbook_file import file_of


def worksheet_workbook(printing: Printing) -> bytes:
    """The bytes of an .xlsx file: the sheet with its blanks, and the right answers on a sheet that is very hidden.

    Nobody is kept from the answers for good: a file that judges by itself has to hold them.
    """
    return file_of(worksheet_sheets(printing), title_of(printing.made.scenario, printing.view))
