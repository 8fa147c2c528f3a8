"""A table of a workbook: its heading, its labels, its numbers and what they are calculated from."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.expression import Cell, Expression, Number, Operation
from attncalc.core.figures import Literal, as_decimal, figure
from attncalc.core.numbers import places_of
from attncalc.core.stage import Source, Step, Trace
from attncalc.core.tokens import labels
from attncalc.document.heading import step_heading, why_code
from attncalc.document.live_formulas import Line
from attncalc.document.live_values import faithful, spare_places
from attncalc.document.matrices import crops
from attncalc.document.sheet_notation import Address, NoFormulaError, SheetNotation, a1
from attncalc.document.view import View
from attncalc.document.workbook_plan import Home, Plan, Table
from attncalc.document.workbook_sheets import NOT_A_NUMBER, Entry, Rule, number_format, written_format
from attncalc.fold import BOOLEAN_SLOTS
from attncalc.pipelines.symbols import GIVEN

RULES = {"weights": "shade", "visible": "flag", "own": "flag"}


class Book:
    """A trace on its way into a workbook: what the tables of all sheets share, and what is to be said about them."""

    def __init__(self, trace: Trace, view: View, plan: Plan) -> None:
        self.trace, self.view, self.plan = trace, view, plan
        self.names = {home: self._name(home) for home in plan.homes}
        self.hidden = view.number("-inf")
        self.kept: dict[str, None] = {}  # steps with numbers without a formula, in their order
        self.has_nan = False
        self.floats, self.has_text = cache(self._floats), cache(self._has_text)
        self.faithful = cache(lambda name: faithful(trace, trace[name]))

    def find(self, cell: Cell) -> Address | None:
        """Where the number of a cell stands."""
        found = self.plan.find(cell)
        return None if found is None else Address(self.names[found[0]], *found[1:])

    def notation(self, home: Home) -> SheetNotation:
        """The printer of the formulas of a sheet."""
        return SheetNotation(self.find, self.names[home], self.view.say, self.hidden)

    def _name(self, home: Home) -> str:
        say, place = self.view.say, self.view.place_name(self.trace.scenario, home.batch, home.head)
        part = say(f"sheet.{home.part}") if home.part else ""
        return say("list-comma").join(filter(None, (place, part))) or say("sheet.calculation")

    def _floats(self, source: Source) -> Values:
        """The numbers of a source as doubles; what is beyond them is infinite."""
        return self.plan.arrays[source].astype(np.float64)

    def _has_text(self, source: Source) -> bool:
        """Whether a number of a source stands as text that is no minus infinity."""
        if source not in self.plan.arrays or (source.given and source.name in BOOLEAN_SLOTS):
            return False
        values, cells = self.floats(source), self.plan.arrays[source]
        return any(as_decimal(cells[tuple(index)]) != -np.inf for index in np.argwhere(np.isinf(values)))


class Filled:
    """The entries of one table."""

    def __init__(self, book: Book, table: Table, notation: SheetNotation) -> None:
        self.book, self.table, self.notation = book, table, notation
        self.trace, self.view = book.trace, book.view
        self.source, self.given = table.source, book.plan.is_given(table.source)
        self.cells: Values = book.plan.arrays[table.source][table.lead]
        self.values: Values = book.floats(table.source)[table.lead]
        self.rows, self.columns = (self._labels(axis, n) for axis, n in zip(table.axes, self.cells.shape, strict=True))

    def entries(self) -> Iterator[Entry]:
        """Heading, labels and numbers."""
        table, say = self.table, self.view.say
        yield Entry(table.row - (2 if self.given else 3), 0, self._title(), "step")
        if not self.given:
            step = self.trace[self.source.name]
            yield Entry(table.row - 2, 0, say(f"why.{why_code(self.trace.scenario, step)}"), "why")
        yield Entry(table.row - 1, 0, self._corner(), "corner")
        for column, label in enumerate(self.columns[: table.width], 1):
            yield Entry(table.row - 1, column, label, "across")
        for row, label in enumerate(self.rows[: table.height]):
            yield Entry(table.row + row, 0, label, "down")
        yield from self._given() if self.given else self._calculated(self.trace[self.source.name])

    def rules(self) -> Iterator[Rule]:
        """What the look of the numbers depends on."""
        table, name = self.table, self.source.name
        ends = (table.row, 1), (table.row + table.height - 1, table.width)
        if name in RULES and (name == "weights") != self.source.given:
            yield Rule(RULES[name], *ends)
        elif self.book.plan.cells.arithmetic.hides(name, self.source.given) or name == "maximum":
            yield Rule("hidden", *ends, a1(Address("", *ends[0])))

    # --- words ---

    def _title(self) -> str:
        say, notation = self.view.say, self.view.notation()
        if self.source.given:
            words, letter = say(f"array.{self.source.name}"), notation.symbol_text(GIVEN[self.source.name].text)
            text = words if self.source.name in BOOLEAN_SLOTS else f"{letter}  {words}"
            return text + self._caption()
        step = self.trace[self.source.name]
        heading = step_heading(self.trace, step, self.view)
        text = " ".join(filter(None, (heading.number, heading.text))) + self._caption()
        if heading.formula is None:
            return text
        return f"{text}   {self.view.equation(heading.formula)}"

    def _caption(self) -> str:
        """In brackets the batch entry and head, the query of products, and which part of a table it is."""
        say, table, lead = self.view.say, self.table, self.table.lead
        batches, heads = self.book.plan.arrays[self.source].shape[:2]
        parts = [
            self.view.place_name(self.trace.scenario, lead[0] if batches > 1 else None, lead[1] if heads > 1 else None)
        ]
        parts += [labels(self.trace.scenario.query_tokens)[query] for query in lead[2:]]
        parts += crops(self.view, (table.height, table.width), self.cells.shape)
        text = say("list-comma").join(filter(None, parts))
        return say("in-brackets", text=text) if text else ""

    def _corner(self) -> str:
        say = self.view.say
        names = (say(f"axis.{AXES.get(axis, axis)}") for axis in self.table.axes)
        return " \\ ".join(filter(None, names))

    def _labels(self, axis: str, length: int) -> tuple[str, ...]:
        """The tokens or positions along an axis; of what is the same for all there is no label."""
        scenario = self.trace.scenario
        tokens = {"query": scenario.query_tokens, "key": scenario.tokens}.get(axis, ())
        if self.source.name.startswith("past."):
            tokens = scenario.tokens[:length] if axis == self.table.axes[0] else ()
        if length <= len(tokens) and (length > 1 or len(tokens) == 1):
            return labels(tokens)[-length:] if len(tokens) > length else labels(tokens)
        if axis == "one":
            return (self.trace[self.source.name].stage.symbol,)
        return ("",) if length == 1 and axis != "feature" else tuple(map(str, range(length)))

    # --- numbers ---

    def _given(self) -> Iterator[Entry]:
        places = self.trace.scenario.places
        counted = self.source.given and self.source.name not in self.trace.scenario.origins  # positions, a mask
        for (row, column), value in np.ndenumerate(self.cells[: self.table.height, : self.table.width]):
            at, number = (self.table.row + row, 1 + column), float(value)
            if not np.isfinite(number):
                yield self._given_text(at, number)
                continue
            shown = "General" if counted else number_format(number, places)
            shown = written_format(value) if isinstance(value, Literal) else shown
            first = self._first((*self.table.lead, row, column))
            formula = self.notation.formula(Number(value, first)) if first is not None else ""
            yield Entry(*at, number, "number" if formula else "given", formula, shown)

    def _given_text(self, at: tuple[int, int], number: float) -> Entry:
        """A given NaN, or an infinity: no cell of a workbook holds one as a number."""
        if np.isnan(number):
            self.book.has_nan = True
            return Entry(*at, NOT_A_NUMBER, "given", "=NA()")
        return Entry(*at, self.view.number("-inf" if number < 0 else "inf"), "given")

    def _first(self, place: tuple[int, ...]) -> Cell | None:
        """Where the same number of the document stood before: a row of an embedding table that is read again."""
        if self.source.name != "embedding":
            return None
        flat = self.trace.scenario.origins["embedding"][0]
        first = tuple(int(i) for i in np.unravel_index(int(np.argmax(flat == flat[place])), flat.shape))
        found = Cell("embedding", first, True)
        return found if first != place and self.book.find(found) is not None else None

    def _calculated(self, step: Step) -> Iterator[Entry]:
        table, lead = self.table, self.table.lead
        formulas = self._formulas(step)
        places = places_of(self.trace, step)
        smallest = 10.0**-places / (1 if self.trace.scenario.rounding == "truncate" else 2)
        kept = False
        for row in range(table.height):
            for column in range(table.width):
                at, value = (table.row + row, 1 + column), float(self.values[row, column])
                formula = formulas[row, column] if formulas is not None else ""
                kept |= not formula
                style = "number" if formula else "kept"
                if np.isfinite(value):
                    own = self.cells[row, column]
                    shown = number_format(value, places, smallest)
                    format = written_format(own) if isinstance(own, Literal) else shown
                    yield Entry(*at, value + 0.0, style, formula, format)
                elif np.isnan(value):
                    self.book.has_nan = True
                    yield Entry(*at, NOT_A_NUMBER, style, formula or "=NA()")
                else:
                    yield Entry(*at, self._beyond(step, (*lead, row, column)), style, formula)
        if kept:
            self.book.kept[step.name] = None
        self.notation.forget()

    def _beyond(self, step: Step, index: tuple[int, ...]) -> str:
        """The text of minus infinity, or of what no double holds."""
        number = as_decimal(step.cells[index])
        return self.view.number(figure(number, places_of(self.trace, step), self.trace.scenario.rounding))

    def _formulas(self, step: Step) -> Any:
        """The formulas of a step's cells, "" where there is none; None where the workbook is without."""
        if not self.book.plan.live:
            return None
        lead = self.table.lead
        trees = self.book.plan.cells.of(step, *lead[:2])
        trees = trees[lead[2]] if len(lead) > 2 else trees
        good = self.book.faithful(step.name)[lead]
        unreadable = {source for source in step.sources if self.book.has_text(source)}
        places, rounding = places_of(self.trace, step), self.trace.scenario.rounding
        by_hand = self.trace.kind == "by-hand"
        texts = np.full(trees.shape, "", dtype=object)
        for index, tree in np.ndenumerate(trees):
            if good[index] and not (unreadable and self._reads_text(tree, unreadable)):
                try:
                    spare = spare_places(float(self.values[index]), places) if by_hand else 0
                    texts[index] = self.notation.formula(tree, places, rounding, spare)
                except NoFormulaError:
                    continue
        return texts

    def _reads_text(self, tree: Expression, sources: set[Source]) -> bool:
        """Whether a tree reads such a number."""
        if isinstance(tree, Operation):
            return any(self._reads_text(argument, sources) for argument in tree.arguments)
        if isinstance(tree, Line):
            return any(self._is_of(number, sources) for number in tree.numbers)
        if not isinstance(tree, Number) or not self._is_of(tree, sources):
            return False
        value = as_decimal(tree.value)
        return value != -np.inf and np.isinf(float(value))

    def _is_of(self, number: Expression, sources: set[Source]) -> bool:
        cell = number.cell if isinstance(number, Number) else None
        return cell is not None and Source(cell.name, cell.given) in sources


AXES = {"in": "feature", "any": "one"}
"""Names of axes that a reader knows by another."""
