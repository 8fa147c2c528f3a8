"""Where the numbers of a trace stand in a workbook: its sheets, its tables, the address of every cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import prod
from typing import NamedTuple

from attncalc.core.bounded import Values
from attncalc.core.expression import Cell, Number
from attncalc.core.stage import Source, Step, Trace
from attncalc.document.live_cells import LiveCells, cells_of
from attncalc.document.view import MOST_SIDE, View
from attncalc.fold import BOOLEAN_SLOTS

MOST_CELLS = 400_000
"""Numbers of a workbook with live formulas; more would take long to write and to open."""

MOST_SHEETS = 250
"""Batch entries and heads, each with a sheet of its own: among more of them nobody finds one."""

SHEET_ROWS, SHEET_COLUMNS = 1_048_000, 16_000
"""A little less than a sheet has."""

FIRST_ROW = 3
"""Above it stand the title and the name of the sheet."""


class Home(NamedTuple):
    """The sheet of a batch entry and a query head; of what several share, the part of the calculation it belongs to."""

    batch: int | None = None
    head: int | None = None
    part: str = ""

    def order(self) -> tuple[int, ...]:
        """Given numbers, what comes before the heads, the heads, what comes after; that for each batch entry."""
        last = self.batch is None and self.part == "after"
        batch, head = (-1 if place is None else place for place in (self.batch, self.head))
        return last, batch, ("given", "before", "", "after").index(self.part), head


class Table(NamedTuple):
    """A part of a step or of a given array along its last two axes, and the row of its first numbers."""

    source: Source
    lead: tuple[int, ...]  # where it stands on the axes before
    axes: tuple[str, str]
    home: Home
    row: int
    height: int
    width: int


class Plan:
    """The tables of a trace in the order of the calculation, as many as a view asks for and a workbook carries."""

    def __init__(self, trace: Trace, view: View) -> None:
        self.trace, self.cells = trace, LiveCells(trace)
        self.steps = [step for step in trace if view.draws(step)]
        self.arrays = dict(self._arrays())
        self.axes = dict(self._axes())
        self.places, self.asked = self._places(view)
        self.live = view.everything or self._size(self.places) <= MOST_CELLS
        self.most_side = None if self.live else MOST_SIDE
        self.cut = False  # whether a table is not all there
        self.options = self._options() if self.live else {}
        self.tables_of: dict[Home, list[Table]] = {}
        self._found: dict[tuple[str, bool, tuple[int, ...]], Table] = {}
        self._next: dict[Home, int] = {}
        self.options_row = self._room(self.options_home, len(self.options), 1) if self.options else 0
        for source in sorted(self.arrays, key=lambda source: not self.is_given(source)):
            self._lay_out(source)

    def is_given(self, source: Source) -> bool:
        """Whether the scenario gives the numbers."""
        return source.given or self.trace[source.name].stage.given

    @property
    def homes(self) -> list[Home]:
        """The sheets in their order."""
        return sorted(self._next, key=Home.order)

    @property
    def options_home(self) -> Home:
        """The sheet of the options."""
        several = self.trace.scenario.grid[:2] != (1, 1)
        return Home(part="given") if several else Home()

    def find(self, cell: Cell) -> tuple[Home, int, int, bool] | None:
        """The sheet, row and column of a cell, and whether it stands alone; None where it is not there."""
        if cell in self.options:
            return self.options_home, self.options_row + self.options[cell][0], 1, True
        table = self._table(cell.name, cell.given, cell.place[:-2]) if cell.place else None
        if table is None:
            return None
        row, column = cell.place[-2:]
        if row >= table.height or column >= table.width:
            return None
        return table.home, table.row + row, 1 + column, (table.height, table.width) == (1, 1)

    # --- what is shown ---

    def _arrays(self) -> Iterator[tuple[Source, Values]]:
        """The arrays that are given and the steps, in the order they are read and written.

        Of a mask that is the same for all heads or batch entries there is one.
        """
        for step in self.steps:
            for source in step.sources:
                if source.given:
                    yield source, self._once(source)
            yield Source(step.name), step.cells

    def _once(self, source: Source) -> Values:
        cells = cells_of(self.trace, source)
        if source.name in BOOLEAN_SLOTS:
            cells = cells[:1] if (cells == cells[:1]).all() else cells
            cells = cells[:, :1] if (cells == cells[:, :1]).all() else cells
        return cells

    def _axes(self) -> Iterator[tuple[Source, tuple[str, ...]]]:
        for step in self.steps:
            yield from ((s, read.axes) for s, read in zip(step.sources, step.stage.reads, strict=True) if s.given)
            yield Source(step.name), step.stage.layout

    def _places(self, view: View) -> tuple[list[tuple[int, int]], int]:
        """The batch entries and heads that are asked for, as many as may be live, and how many were asked for."""
        batches, heads = self.trace.scenario.grid[:2]
        chosen_heads = view.heads if view.heads is not None else range(heads)
        asked = [(b, h) for b in (view.batches or range(batches)) for h in chosen_heads]
        counts = range(1, min(len(asked), MOST_SHEETS) + 1)
        most = bisect_right(counts, MOST_CELLS, key=lambda count: self._size(asked[:count]))
        return asked if view.everything else asked[: max(most, 1)], len(asked)

    def _size(self, places: Sequence[tuple[int, int]]) -> int:
        """How many numbers belong to some batch entries and heads."""
        return sum(len(self._leads(cells, places)) * prod(cells.shape[2:]) for cells in self.arrays.values())

    def _options(self) -> dict[Cell, tuple[int, Number]]:
        """The options that formulas read as numbers, and their order."""
        found = [number for step in self.steps if not step.stage.given for number in self.cells.options(step)]
        numbers = {number.cell: number for number in found if number.cell is not None}
        return {cell: (order, number) for order, (cell, number) in enumerate(numbers.items())}

    # --- where it stands ---

    def _leads(self, cells: Values, places: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        """Where an array keeps what belongs to batch entries and query heads."""
        batches, heads = cells.shape[:2]
        shared = self.trace.scenario.shared_head
        return list(dict.fromkeys((min(batch, batches - 1), shared(head, heads)) for batch, head in places))

    def _table(self, name: str, given: bool, lead: tuple[int, ...]) -> Table | None:
        """The table of a place on the first axes; of a mask that there is once, the only one."""
        found = self._found.get((name, given, lead))
        cells = self.arrays.get(Source(name, given))
        if found is not None or cells is None:
            return found
        return self._found.get((name, given, tuple(min(i, n - 1) for i, n in zip(lead, cells.shape, strict=False))))

    def _lay_out(self, source: Source) -> None:
        cells = self.arrays[source]
        first, last = self.axes[source][-2:]
        height, width = cells.shape[-2:]
        shown = min(height, self.most_side or height), min(width, self.most_side or SHEET_COLUMNS)
        self.cut |= shown != (height, width)
        queries = [(query,) for query in range(cells.shape[2])[: self.most_side]] if cells.ndim == 5 else [()]
        for lead in ((*lead, *query) for lead in self._leads(cells, self.places) for query in queries):
            home = self._home(source, lead)
            if self._next.get(home, FIRST_ROW) + shown[0] > SHEET_ROWS:
                self.cut = True
                continue
            row = self._room(home, shown[0], 2 if self.is_given(source) else 3)
            table = self._found[(*source, lead)] = Table(source, lead, (first, last), home, row, *shown)
            self.tables_of.setdefault(home, []).append(table)

    def _room(self, home: Home, height: int, above: int) -> int:
        """The first free row of a sheet below so many lines of headings."""
        row = self._next.get(home, FIRST_ROW) + above
        self._next[home] = row + height + 1
        return row

    def _home(self, source: Source, lead: tuple[int, ...]) -> Home:
        scenario = self.trace.scenario
        batches, heads = self.arrays[source].shape[:2]
        batch = lead[0] if batches > 1 else None
        head = scenario.first_reader(lead[1], heads) if heads > 1 else None
        if scenario.heads == 1:
            return self.options_home if batch is None else Home(batch)
        if head is not None:
            return Home(batch, head)
        if self.is_given(source):
            return Home(batch, None, "given" if batch is None else "before")
        return Home(batch, None, "after" if self._after_heads(self.trace[source.name]) else "before")

    def _after_heads(self, step: Step) -> bool:
        """Whether a step without heads comes after one with heads."""
        before = self.trace.steps[: self.trace.steps.index(step)]
        return any("head" in other.axes and not other.stage.given for other in before)
