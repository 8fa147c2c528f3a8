"""A worksheet as a sheet to fill in: every blank is judged by a hidden cell beside the page, against a hidden key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from attncalc.core.expression import Cell
from attncalc.core.figures import as_decimal, plain_minus
from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.printing import Printing
from attncalc.document.sheet_notation import Address, a1
from attncalc.document.sheets import BLANK, sheet
from attncalc.document.workbook_sheets import Entry, Rule, Sheet

KEY = "key"
"""The name of the sheet of right answers, which no reader sees."""

NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

LINE_WIDTH = 95
LABEL_WIDTH, NUMBER_WIDTH = 24, 11

LEAST_COLUMNS = 10
"""Seen columns: sentences reach over them."""

TO_SPARE = "1E-9"
"""A half is taken either way, whatever its binary form is."""

UNSEEN = ";;;"
"""The number format that shows nothing."""

HIDDEN_WORDS = ("−∞", "-∞", "-inf", "−inf")


class Blank(NamedTuple):
    """A cell to fill in, and the number of the calculation that belongs there."""

    row: int
    column: int
    of: Cell


class Page:
    """A worksheet on its way into a sheet."""

    def __init__(self, printing: Printing) -> None:
        self.printing, self.view, self.made = printing, printing.view, printing.made
        self.name = self.view.say("sheet.worksheet")
        self.entries: list[Entry] = []
        self.blanks: list[Blank] = []
        self.row = 0

    def sheets(self) -> list[Sheet]:
        """The sheet to fill in and the key, which is very hidden; both are locked but for the blanks."""
        score_row = self._blocks()
        self.beside = max(LEAST_COLUMNS, *(entry.column + 2 for entry in self.entries))
        rules = list(self._rules())
        self.entries += [*self._marks(), self._score(score_row)]
        widths = (LABEL_WIDTH, *[NUMBER_WIDTH] * (self.beside - 1))
        page = Sheet(self.name, self.entries, rules, widths, {0: 24.0}, (1, 0), locked=True, hidden_from=self.beside)
        right = [Entry(blank.row, blank.column, self._right(blank.of), "number") for blank in self.blanks]
        return [page, Sheet(KEY, right, [], (LABEL_WIDTH, NUMBER_WIDTH), hidden=True, locked=True)]

    # --- the page ---

    def _blocks(self) -> int:
        """Writes every block; the score stands under the title, in the row that comes back."""
        title, *blocks = sheet(self.printing)
        self._block(title)
        score_row = self.row
        self.row += 2
        self._lines(self.view.say("workbook-fill"), "text-line")
        for block in blocks:
            self._block(block)
        return score_row

    def _block(self, block: Block) -> None:
        if isinstance(block, Heading):
            self.row += bool(self.row)
            self._lines(self._heading(block), "step" if self.row else "title")
        elif isinstance(block, Prose):
            lead = block.lead and self.view.say("with-lead", lead=block.lead, text=block.text)
            self._lines(lead or block.text, "text-line")
        elif isinstance(block, Matrix):
            self._matrix(block)

    def _heading(self, heading: Heading) -> str:
        parts = [" ".join(filter(None, (heading.number, heading.text))), heading.aside]
        if heading.formula is not None:
            parts.append(self.view.equation(heading.formula))
        return "   ".join(filter(None, parts))

    def _lines(self, text: str, style: str) -> None:
        for line in wrapped(text, LINE_WIDTH):
            self._write(0, line, style)
            self.row += 1

    def _write(self, column: int, value: float | str, style: str, format: str = "") -> None:
        self.entries.append(Entry(self.row, column, value, style, format=format))

    def _matrix(self, matrix: Matrix) -> None:
        if matrix.caption:
            self._lines(matrix.caption, "why")
        self._write(0, matrix.corner("\\"), "corner")
        for column, label in enumerate(matrix.columns, 1):
            self._write(column, label, "across")
        self.row += 1
        for label, figures in zip(matrix.rows, matrix.cells, strict=True):
            self._write(0, label, "down")
            for column, figure in enumerate(figures, 1):
                self._figure(column, figure)
            self.row += 1
        self.row += 1

    def _figure(self, column: int, figure: Figure) -> None:
        if figure.text == BLANK and figure.cell is not None:
            self.blanks.append(Blank(self.row, column, figure.cell))
            self._write(column, "", "blank", "General")
            return
        text = plain_minus(figure.text)
        if NUMBER.fullmatch(text):
            decimals = len(text.partition(".")[2])
            self._write(column, float(text), "number", f"0.{'0' * decimals}" if decimals else "0")
        else:
            self._write(column, figure.text, "number")

    # --- right or wrong ---

    def _right(self, cell: Cell) -> float | str:
        """The right number, or the text of minus infinity."""
        number = as_decimal(self.made.trace[cell.name].cells[cell.place])
        return float(number) if number.is_finite() else self.view.number("-inf")

    def _marks(self) -> Iterator[Entry]:
        """Beside every blank, out of sight: 1 where the answer is right, else 0."""
        for blank in self.blanks:
            yield Entry(blank.row, blank.column + self.beside, 0.0, "number", f"={self._test(blank)}", UNSEEN)

    def _test(self, blank: Blank) -> str:
        answer = a1(Address(self.name, blank.row, blank.column))
        if isinstance(self._right(blank.of), str):
            words = ",".join(f'{answer}="{word}"' for word in HIDDEN_WORDS)
            return f"IF(OR({words}),1,0)"
        half = f"0.5E-{self.made.order.places}+{TO_SPARE}"
        near = f"ABS({answer}-{KEY}!{answer})<={half}"
        other = self._rounded_on_the_way(blank.of)
        near = f"OR({near},ABS({answer}-{other})<={TO_SPARE})" if other else near
        return f"IF(ISNUMBER({answer}),IF({near},1,0),0)"

    def _rounded_on_the_way(self, cell: Cell) -> str:
        """What comes out where every step was rounded, if it is another answer: right too."""
        if self.made.rounded is None:
            return ""
        text = str(self.made.texts(self.made.rounded)[cell.name][cell.place])
        return text if text != self.made.answers[cell.name][cell.place] and NUMBER.fullmatch(text) else ""

    def _score(self, row: int) -> Entry:
        """`Right so far: 7 of 12`, as a formula."""
        first, last = (place(blank.row for blank in self.blanks) for place in (min, max))
        marks = (Address(self.name, first, self.beside), Address(self.name, last, 2 * self.beside))
        count = f'"&SUM({a1(marks[0])}:{a1(marks[1])})&"'
        formula = '="' + self.view.say("workbook-score", right=count, all=len(self.blanks)) + '"'
        return Entry(row, 0, self.view.say("workbook-score", right=0, all=len(self.blanks)), "step", formula)

    def _rules(self) -> Iterator[Rule]:
        """Green and red, a rule for every row of blanks."""
        rows: dict[int, list[int]] = {}
        for blank in self.blanks:
            rows.setdefault(blank.row, []).append(blank.column)
        for row, columns in rows.items():
            ends = (row, min(columns)), (row, max(columns))
            answer, mark = (a1(Address(self.name, row, min(columns) + shift)) for shift in (0, self.beside))
            yield Rule("right", *ends, f'AND({answer}<>"",{mark}=1)')
            yield Rule("wrong", *ends, f'AND({answer}<>"",{mark}=0)')


def worksheet_sheets(printing: Printing) -> list[Sheet]:
    """The sheets of a worksheet to fill in."""
    return Page(printing).sheets()
