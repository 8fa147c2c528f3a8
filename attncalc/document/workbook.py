"""The sheets of a trace: what it is about, then every number with its label and its live formula."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.figures import Literal
from attncalc.core.stage import Trace
from attncalc.core.wrapping import cells as width_of
from attncalc.document.heading import title_of
from attncalc.document.view import View
from attncalc.document.workbook_about import about
from attncalc.document.workbook_plan import Home, Plan
from attncalc.document.workbook_sheets import Entry, Rule, Sheet, written_format
from attncalc.document.workbook_tables import Book, Filled

LEAST_LABEL, MOST_LABEL = 12, 40
TITLE = {0: 24.0}
"""The height of the row of a title."""

LEAST_NUMBER, MOST_NUMBER = 9, 18


def sheets_of(trace: Trace, view: View, quiet: bool = False) -> list[Sheet]:
    """The sheets of a workbook, the one about it first; `quiet` leaves its notes out."""
    book = Book(trace, view, Plan(trace, view))
    made = [_sheet(book, home) for home in book.names]
    return [about(book, quiet), *made]


def _sheet(book: Book, home: Home) -> Sheet:
    """A sheet with its title, the options where they belong to it, and its tables."""
    name, rules, notation = book.names[home], list[Rule](), book.notation(home)
    entries = [Entry(0, 0, title_of(book.trace.scenario, book.view), "title"), Entry(1, 0, name, "subtitle")]
    if book.plan.options and book.plan.options_home == home:
        entries += _options(book)
    for table in book.plan.tables_of.get(home, ()):
        filled = Filled(book, table, notation)
        entries += filled.entries()
        rules += filled.rules()
    return Sheet(name, entries, rules, _widths(book, entries), TITLE, (2, 1))


def _options(book: Book) -> Iterator[Entry]:
    """The options that formulas read, a line each."""
    row, say = book.plan.options_row, book.view.say
    yield Entry(row - 1, 0, say("workbook-options"), "step")
    for cell, (order, number) in book.plan.options.items():
        words = say(f"option.{cell.name}")
        yield Entry(row + order, 0, say("workbook-option", name=cell.name, words=words), "down")
        shown = written_format(number.value) if isinstance(number.value, Literal) else "General"
        yield Entry(row + order, 1, float(number.value), "given", format=shown)


def _widths(book: Book, entries: list[Entry]) -> tuple[int, ...]:
    """The width of the labels, and of the numbers: as wide as their places and most of the labels above them."""
    down = [width_of(str(entry.value)) for entry in entries if entry.style in ("down", "corner")]
    across = [width_of(str(entry.value)) for entry in entries if entry.style == "across"]
    numbers = max(book.trace.scenario.places + 5, *across, LEAST_NUMBER)
    return min(max(*down, LEAST_LABEL), MOST_LABEL) + 1, min(numbers, MOST_NUMBER) + 1
