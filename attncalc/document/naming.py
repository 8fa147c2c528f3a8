"""What a screen calls a cell: its name as it may be typed, batch entry and head in brackets behind it."""

from __future__ import annotations

from attncalc.core.expression import Cell
from attncalc.core.stage import Step, Trace
from attncalc.document.view import View
from attncalc.explore.cells import Index, cell_name


def name_in(trace: Trace, cell: Cell, view: View, at: Cell | None = None) -> str:
    """A cell's name, with its batch entry and head where the step has them and they are not those of the cell `at`."""
    where = _where(trace, cell, view)
    same = at is not None and where == _where(trace, at, view)
    return cell_name(trace, cell) + ("" if same else where)


def _where(trace: Trace, cell: Cell, view: View) -> str:
    return "" if cell.given else in_brackets(trace[cell.name], cell.place, view)


def in_brackets(step: Step, index: Index, view: View) -> str:
    """` (batch 0, head 1)`, as far as the step has these axes."""
    places = zip(("batch", "head"), index, strict=False)
    said = [view.say(f"place.{axis}", number=place) for axis, place in places if axis in step.axes]
    return view.say("in-brackets", text=view.say("list-comma").join(said)) if said else ""
