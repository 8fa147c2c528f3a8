"""The given numbers that move a cell most, as a table and as data."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from attncalc.core.expression import Cell
from attncalc.core.figures import figure
from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.derived import number_of
from attncalc.document.naming import name_in
from attncalc.document.view import View
from attncalc.explore.sensitivity import Influence, influences

MOST = 10


def strongest(trace: Trace, cell: Cell, view: View) -> Iterator[Block]:
    """The given numbers with the largest derivatives, largest first, and what the largest means."""
    found = influences(trace, cell)
    name = name_in(trace, cell, view)
    yield Heading(view.say("influences-title", cell=name))
    if not found:
        yield Prose(view.say("influences-none"))
        return
    shown = found if view.everything else found[:MOST]
    columns = tuple(view.say(f"column.{column}") for column in ("path", "value", "slope"))
    rows = tuple(_row(trace, influence, view) for influence in shown)
    names = tuple(name_in(trace, influence.cell, view) for influence in shown)
    yield Matrix("", view.say("column.given"), "", names, columns, rows, False)
    if len(shown) < len(found):
        yield Prose(view.aloud("influences-shown", shown=len(shown), all=len(found)))
    slope = _slope(trace, found[0], view)
    alike = [n for n, i in zip(names, shown, strict=True) if _slope(trace, i, view) == slope]
    code = "influences-reading" if len(alike) == 1 else "influences-reading-alike"
    yield Prose(view.say(code, name=view.listed(alike), cell=name, slope=slope), view.say("lead.reading"))
    if trace.kind == "by-hand":
        yield Prose(view.say("influences-by-hand"), view.say("lead.note"))


def _row(trace: Trace, influence: Influence, view: View) -> tuple[Figure, ...]:
    value = number_of(trace, view, influence.cell, influence.value)
    return Figure(influence.path), Figure(value), Figure(_slope(trace, influence, view))


def _slope(trace: Trace, influence: Influence, view: View) -> str:
    places = max(trace.scenario.places, 4)
    return view.number(figure(influence.slope, places, trace.scenario.rounding))


def as_data(trace: Trace, cell: Cell, view: View) -> list[dict[str, Any]]:
    """All of them as JSON values."""
    return [_datum(trace, influence, view) for influence in influences(trace, cell)]


def _datum(trace: Trace, influence: Influence, view: View) -> dict[str, Any]:
    value = influence.value if isinstance(influence.value, Decimal) else float(influence.value)
    name = name_in(trace, influence.cell, view)
    return {"name": name, "path": influence.path, "value": value, "derivative": _double(influence.slope)}


def _double(slope: Decimal) -> float:
    return float(slope) + 0.0
