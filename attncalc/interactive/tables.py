"""The tables of a walk: the current step with its cursor, and the steps that the cell is made from."""

from __future__ import annotations

from collections.abc import Collection

from attncalc.core.expression import Cell
from attncalc.core.rows import hidden_cells
from attncalc.core.stage import Step
from attncalc.document.matrices import axis_labels, figure
from attncalc.document.view import View
from attncalc.explore.walk import Walk
from attncalc.interactive.window import Table


def step_table(walk: Walk, view: View) -> Table:
    """The current step in the batch entry and head of the cell, the cursor on it."""
    place = walk.cell.place
    return _table(walk, view, walk.step, place, walk.marked, place[-2:])


def source_tables(walk: Walk, view: View, most: int) -> list[tuple[Step, Table]]:
    """The steps that the cell is made from, those cells marked, each at the first of them or the chosen one."""
    steps = dict.fromkeys(cell.name for cell in walk.sources)
    tables = []
    for name in list(steps)[:most]:
        mine = [cell for cell in walk.sources if cell.name == name]
        focus = walk.chosen if walk.chosen in mine else mine[0]
        if focus is not None:
            tables.append((walk.trace[name], _table(walk, view, walk.trace[name], focus.place, mine, None)))
    return tables


def _table(
    walk: Walk, view: View, step: Step, at: tuple[int, ...], sources: Collection[Cell], cursor: tuple[int, ...] | None
) -> Table:  # fmt: skip
    trace, leading = walk.trace, at[:-2]
    row_axis, column_axis = step.stage.layout[-2:]
    rows, columns = step.cells.shape[-2:]
    hidden = hidden_cells(trace, step, (leading[0], leading[1])) if len(leading) == 2 else None
    differs = walk.changed.get(step.name)
    marked = set(sources)
    symbol = view.notation().symbol_text(step.stage.symbol)
    return Table(
        corner=_corner(view, row_axis, column_axis),
        rows=axis_labels(trace, row_axis, rows),
        columns=axis_labels(trace, column_axis, columns) if column_axis != "one" else (symbol,),
        figure=lambda r, c: figure(
            trace, step, view, step.cells[(*leading, r, c)], hidden is not None and bool(hidden[r, c])
        ),
        marks=lambda r, c: (
            Cell(step.name, (*leading, r, c)) in marked,
            differs is not None and bool(differs[(*leading, r, c)]),
        ),
        cursor=(cursor[0], cursor[1]) if cursor is not None else None,
        focus=(at[-2], at[-1]),
        signs=view.signs,
    )


def _corner(view: View, rows: str, columns: str) -> str:
    across = view.say(f"axis.{columns}")
    return f"{view.say(f'axis.{rows}')}\\{across}" if across else view.say(f"axis.{rows}")
