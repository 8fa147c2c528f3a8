"""A walk through a calculation: where one stands, what was changed, and every move as a function to another walk.

Nothing is drawn and nothing is read here. The full-screen program and the line dialogue are two faces of this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

from attncalc.core.bounded import Values
from attncalc.core.expression import Cell
from attncalc.core.stage import Step, Trace
from attncalc.errors import UsageError
from attncalc.explore.cells import find_cell
from attncalc.explore.changes import changed_cells
from attncalc.explore.why import cells_behind
from attncalc.messages import Word
from attncalc.running import run
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.json_text import inside_a_trace
from attncalc.scenario_files.load import scenario_from
from attncalc.scenario_files.sources import Source


class Moment(NamedTuple):
    """What undo goes back to: the document, the changes that led to it, and its trace."""

    document: dict[str, Any]
    changes: tuple[str, ...]
    trace: Trace


@dataclass(frozen=True, eq=False)
class Walk:
    """A place in a calculation; `trail` are the cells that were followed, the first one first."""

    source: Source
    start: Moment
    now: Moment
    cell: Cell
    trail: tuple[Cell, ...] = ()
    past: tuple[Moment, ...] = ()
    future: tuple[Moment, ...] = ()
    choice: int = 0
    kept: Mapping[str, int] = field(default_factory=dict)  # where one was on the axes that the step lacks

    @property
    def trace(self) -> Trace:
        """The calculation as it is now."""
        return self.now.trace

    @property
    def step(self) -> Step:
        """The step that is looked at."""
        return self.trace[self.cell.name]

    @cached_property
    def sources(self) -> tuple[Cell, ...]:
        """The cells of earlier steps that the cell is made from, in the order of its derivation."""
        return cells_behind(self.trace, self.cell)

    @property
    def chosen(self) -> Cell | None:
        """The cell that `follow` goes to."""
        return self.sources[self.choice % len(self.sources)] if self.sources else None

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where one is on each axis: as the cell says, on the others as it was kept; heads are query heads."""
        step = self.step
        at = dict(self.kept)
        at |= {axis: i for axis, i in zip(step.stage.layout, self.cell.place, strict=True) if axis != "one"}
        if step.stage.layout[1] == "head":
            scenario, heads, mine = self.trace.scenario, step.cells.shape[1], self.cell.place[1]
            before = self.kept.get("head", -1)
            at["head"] = before if scenario.shared_head(before, heads) == mine else scenario.first_reader(mine, heads)
        return at

    @cached_property
    def marked(self) -> frozenset[Cell]:
        """The cells that the last cell of the trail is made from, to be lit up where they are seen."""
        return frozenset(cells_behind(self.trace, self.trail[-1])) if self.trail else frozenset()

    @cached_property
    def changed(self) -> Mapping[str, Values]:
        """By step, where numbers are not what they were at the start (booleans like the step's cells)."""
        return changed_cells(self.start.trace, self.trace)


def begin(source: Source, changes: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> Walk:
    """A walk that starts in the first step, at the scenario's query where that step has queries.

    `changes` and `options` are those of the command line; they belong to the start.
    """
    document = changed(source, changes, options).document
    inside = inside_a_trace(document) if isinstance(document, dict) else None
    start = moment(source, inside if isinstance(inside, dict) else document, ())
    return Walk(source, start, start, _cell(start.trace, start.trace.steps[0], {}))


def moment(source: Source, document: Any, changes: tuple[str, ...]) -> Moment:
    """A document calculated; `changes` are what a reader is told about it."""
    return Moment(document, changes, run(scenario_from(source._replace(document=document, changes=changes))))


def to_step(walk: Walk, name: str) -> Walk:
    """The same query, key and feature in another step, as far as it has them."""
    cell = _cell(walk.trace, walk.trace[name], walk.places)
    return replace(walk, cell=cell, trail=(), choice=0, kept=walk.places)


def beside(walk: Walk, way: int) -> Walk:
    """The next step (1) or the one before (−1); at the end it stays."""
    names = [step.name for step in walk.trace]
    position = names.index(walk.cell.name) + way
    return to_step(walk, names[position]) if 0 <= position < len(names) else walk


def move(walk: Walk, rows: int, columns: int) -> Walk:
    """So many rows and columns on, not beyond the table."""
    *leading, row, column = walk.cell.place
    last_row, last_column = (n - 1 for n in walk.step.cells.shape[-2:])
    place = (*leading, _within(row + rows, last_row), _within(column + columns, last_column))
    return replace(walk, cell=Cell(walk.cell.name, place), choice=0)


def move_to(walk: Walk, row: int, column: int) -> Walk:
    """The cell of that row and column of the same table."""
    return move(walk, row - walk.cell.place[-2], column - walk.cell.place[-1])


def other(walk: Walk, axis: str, way: int) -> Walk:
    """The next or previous query, head or batch entry, round and round."""
    layout = walk.step.stage.layout
    if axis not in layout or axis not in walk.step.axes:
        raise UsageError.of("walk-no-axis", walk.cell.name, axis=Word(f"axis.{axis}"))
    number = layout.index(axis)
    place = list(walk.cell.place)
    place[number] = (place[number] + way) % walk.step.cells.shape[number]
    return replace(walk, cell=Cell(walk.cell.name, tuple(place)), choice=0)


def go(walk: Walk, words: Sequence[str]) -> Walk:
    """The cell that the words name, in the batch entry and head of the cell at hand."""
    if len(words) == 1 and words[0] in walk.trace:
        return to_step(walk, words[0])
    cell = find_cell(walk.trace, words, *query_head(walk))
    return replace(walk, cell=cell, trail=(), choice=0, kept=walk.places)


def query_head(walk: Walk) -> tuple[int, int]:
    """The batch entry, and the query head one came with, or the first that reads the head of the cell."""
    return walk.places.get("batch", 0), walk.places.get("head", 0)


def follow(walk: Walk, number: int | None = None) -> Walk:
    """To a cell that the cell is made from: the chosen one, or that of a number from 0.

    Raises a UsageError where the cell is given.
    """
    if not walk.sources:
        raise UsageError.of("walk-given", walk.cell.name)
    cell = walk.sources[(walk.choice if number is None else number) % len(walk.sources)]
    return replace(walk, cell=cell, trail=(*walk.trail, walk.cell), choice=0, kept=walk.places)


def come_back(walk: Walk) -> Walk:
    """Back to the cell that was followed from; a UsageError at the start of the trail."""
    if not walk.trail:
        raise UsageError.of("walk-no-trail")
    cell = walk.trail[-1]
    found = cells_behind(walk.trace, cell)
    choice = found.index(walk.cell) if walk.cell in found else 0
    return replace(walk, cell=cell, trail=walk.trail[:-1], choice=choice)


def choose(walk: Walk, way: int) -> Walk:
    """Another of the cells that the cell is made from, for `follow`."""
    count = len(walk.sources)
    return replace(walk, choice=(walk.choice + way) % count) if count else walk


def arrived(walk: Walk, now: Moment) -> Walk:
    """The walk in another trace: at the same cell, or the nearest one that there is."""
    step = walk.cell.name if walk.cell.name in now.trace else now.trace.steps[-1].name
    here = _cell(now.trace, now.trace[step], walk.places)
    same = here == walk.cell and all(_is_cell(now.trace, cell) for cell in walk.trail)
    return replace(walk, now=now, cell=here, trail=walk.trail if same else (), choice=walk.choice if same else 0)


def _cell(trace: Trace, step: Step, places: Mapping[str, int]) -> Cell:
    """The cell of a step at these places, or the nearest; the head is the one that the query head reads."""
    at = {"query": trace.scenario.queries[0]} | dict(places)
    query_head = _within(at.get("head", 0), trace.scenario.heads - 1)
    at["head"] = trace.scenario.shared_head(query_head, step.cells.shape[1])
    shape = zip(step.stage.layout, step.cells.shape, strict=True)
    return Cell(step.name, tuple(_within(at.get(axis, 0), length - 1) for axis, length in shape))


def _is_cell(trace: Trace, cell: Cell) -> bool:
    if cell.name not in trace:
        return False
    shape = trace[cell.name].cells.shape
    return len(shape) == len(cell.place) and all(i < n for i, n in zip(cell.place, shape, strict=True))


def _within(position: int, last: int) -> int:
    return max(0, min(position, last))
