"""How much of a trace a page carries: which heads have their tables on it, and which cells say where they come from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncalc.core.expression import numbers_in
from attncalc.core.rows import own_place
from attncalc.core.stage import Step, Trace
from attncalc.derive import derivation
from attncalc.document.explain import MOST_FEATURES
from attncalc.document.view import View

MOST_FIGURES = 60_000
"""Numbers in the tables of a page, about 15 bytes each; the tables of one head are always there."""
A_TABLE = 250
"""What the frame of a table takes, in numbers: of a thousand heads with a row each the frames are most of the page."""
MOST_OPERANDS = 150_000
"""Numbers put into derivations, about 3 bytes and 3 microseconds each; those of one query are always there."""
MOST_STORIES = 18_000
"""Numbers in the stories of queries that are not asked for."""

Place = tuple[int, int]
"""A batch entry and a query head."""


class Extent(NamedTuple):
    """What a page carries: places with tables, places whose cells are told, and the rows told of each step."""

    places: tuple[Place, ...]
    of: int  # the places that are asked for
    told: tuple[Place, ...]
    rows: tuple[int, ...]
    rows_of: int
    stories: int  # queries that can be told besides those asked for

    @property
    def all_told(self) -> bool:
        """Whether every cell of the tables says where it comes from."""
        return len(self.told) == len(self.places) and len(self.rows) >= self.rows_of


def steps_shown(trace: Trace, view: View, told: bool) -> list[Step]:
    """The steps that a page shows; a story holds the products already, so that they are left out unless asked for."""
    return [step for step in trace if (view.draws(step) if told else view.wants(step))]


def extent(trace: Trace, view: View, first: Sequence[int], told: bool) -> Extent:
    """As many heads as a page carries; then cell by cell of as many heads, or else of as many rows, `first` first."""
    asked = _places(trace, view)
    steps = steps_shown(trace, view, told)
    figures = sum(A_TABLE + _figures(trace, step, view) for step in steps) or 1
    places = asked if view.everything else asked[: max(1, MOST_FIGURES // figures)]
    rows = _rows(trace, view, first)
    of_cells = {step.name: _cost_of_cell(trace, step) for step in steps if not step.stage.given}
    computed = [step for step in steps if step.name in of_cells]
    costs = [
        sum(_in_a_row(step, view) * of_cells[step.name] for step in computed if ("head" in step.axes) is per)
        for per in (False, True)
    ]
    cost = sum(costs) or 1
    heads = (MOST_OPERANDS // len(rows) - costs[0]) // (costs[1] or 1)
    fitting = rows if heads > 0 else rows[: max(1, MOST_OPERANDS // cost)]
    return Extent(
        tuple(places), len(asked), tuple(places[: max(1, heads)]), tuple(sorted(fitting)), len(rows),
        MOST_STORIES // (sum(_cost_of_story(step, of_cells.get(step.name, 0)) for step in steps) or 1),
    )  # fmt: skip


def windows(rows: Sequence[int], length: int) -> Iterator[slice]:
    """The rows that a step has, in runs of neighbours."""
    runs: list[list[int]] = []
    for row in (row for row in rows if row < length):
        if runs and runs[-1][-1] == row - 1:
            runs[-1].append(row)
        else:
            runs.append([row])
    return (slice(run[0], run[-1] + 1) for run in runs)


def _places(trace: Trace, view: View) -> list[Place]:
    """The batch entries and heads that are asked for; all of them where none is named."""
    batches, heads = trace.scenario.grid[:2]
    return view._replace(
        batches=tuple(range(batches)) if view.batches is None else view.batches,
        heads=tuple(range(heads)) if view.heads is None else view.heads,
    ).places(trace.scenario)  # fmt: skip


def _rows(trace: Trace, view: View, first: Sequence[int]) -> list[int]:
    """The rows that tables show, those that come first in front; what is asked for by name beyond them too."""
    longest = max(step.cells.shape[2] for step in trace)
    shown = range(min(longest, view.most_side or longest))
    return list(dict.fromkeys((*first, *shown)))


def _shown(count: int, view: View) -> int:
    return min(count, view.most_side or count)


def _figures(trace: Trace, step: Step, view: View) -> int:
    """The numbers that a step's tables show for one place; a step that has no heads counts once for all."""
    count = 1
    for length in step.cells.shape[2:]:
        count *= _shown(length, view)
    return count // (1 if "head" in step.axes else max(1, trace.scenario.heads))


def _in_a_row(step: Step, view: View) -> int:
    """The shown cells of one row of a step."""
    count = 1
    for length in step.cells.shape[3:]:
        count *= _shown(length, view)
    return count


def _cost_of_story(step: Step, of_cell: int) -> int:
    """The numbers that a story has at a step: a row, or a table for the keys."""
    rows, columns = step.cells.shape[2], step.cells.shape[-1]
    if step.stage.layout[2] == "key":
        return int(rows * columns)
    if step.stage.given:
        return 0
    shown = min(columns, MOST_FEATURES) if step.stage.layout[-1] == "feature" else columns
    return int(shown) * of_cell


def _cost_of_cell(trace: Trace, step: Step) -> int:
    """The numbers put into a cell of a step, and a few for the cell itself."""
    one = derivation(trace, step, (*own_place(trace, step, 0, 0), *(0,) * (step.cells.ndim - 2)))
    return 4 + sum(1 for _ in numbers_in(one))
