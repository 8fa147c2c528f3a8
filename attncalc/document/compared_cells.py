"""The cells of one step in several variants, as a table: what each shows, and the difference of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attncalc.core.figures import as_decimal
from attncalc.core.figures import figure as figure_text
from attncalc.core.rows import hidden_cells
from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.matrices import figure
from attncalc.document.naming import in_brackets
from attncalc.document.signs import PLAIN
from attncalc.document.view import View
from attncalc.explore.cells import Index, places_said
from attncalc.explore.compare import Compared

FEW_CELLS, MOST_ROWS = 16, 12
"""Cells of a step that all have a row, and of more how many of those that differ."""


def cells_table(step: Compared, names: Sequence[str], cells: Sequence[Index], view: View) -> Matrix:
    """A row for each cell: its name, the number of each variant, and of two variants the difference."""
    shown = Shown(step, view)
    columns = tuple(tuple(shown.cell(number, index) for index in cells) for number in range(len(names)))
    heads = tuple(names)
    if len(names) == 2 and None not in step.steps:
        columns, heads = (*columns, tuple(map(shown.difference, cells))), (*heads, view.say("column.difference"))
    rows = tuple(cell_label(step.first, index, view) for index in cells)
    return Matrix("", view.say("column.cell"), "", rows, heads, tuple(zip(*columns, strict=True)))


class Shown:
    """The numbers of a step as each variant's own trace shows them."""

    def __init__(self, step: Compared, view: View) -> None:
        self.step, self.view = step, view
        self.hidden: dict[tuple[int, Index], Any] = {}  # by variant, batch entry and head

    def cell(self, number: int, index: Index) -> Figure:
        """One number; a word where the variant has no such step."""
        if self.step.steps[number] is None:
            return Figure(self.view.say("absent"))
        trace, step = self.step.traces[number], self.step.step(number)
        return cell(trace, step, self.view, self.step.value(number, index), self._is_hidden(number, index))

    def difference(self, index: Index) -> Figure:
        """What the second has more; NaN where both are NaN."""
        change, rounding = self.step.largest_at(index), self.step.traces[0].scenario.rounding
        amount = change.before if change.before.is_nan() else change.amount
        return Figure(self.view.number(figure_text(amount, self.step.places, rounding)))

    def all_hidden(self, index: Index) -> bool:
        """Whether every variant hides the cell, or has the same infinity there."""
        having = self.step.having
        values = [as_decimal(self.step.value(number, index)) for number in having]
        zeros = (self._is_hidden(n, index) and not x for n, x in zip(having, values, strict=True))
        return all(x.is_infinite() and x == values[0] for x in values) or all(zeros)

    def _is_hidden(self, number: int, index: Index) -> bool:
        place = self.step.at(number, index)
        key = number, place[:2]
        if key not in self.hidden:
            self.hidden[key] = hidden_cells(self.step.traces[number], self.step.step(number), (place[0], place[1]))
        where = self.hidden[key]
        return where is not None and bool(where[place[2:4]])


def cell(trace: Trace, step: Step, view: View, value: Any, hidden: bool) -> Figure:
    """A number of a table that has no shades; a hidden one as the sign, or in plain text as the word."""
    shown = figure(trace, step, view, value, hidden)
    return Figure(view.say("hidden") if shown.hidden and view.signs == PLAIN else shown.text)


def cell_label(step: Step, index: Index, view: View) -> str:
    """`draw I`, or `draw I (head 2)` where the step has heads."""
    return " ".join(places_said(step, index)) + in_brackets(step, index, view)
