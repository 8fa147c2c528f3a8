"""The JSON of `why` (`attncalc-why/1`): the tree of a cell, each number with the expression it comes from."""

from __future__ import annotations

from typing import Any

from attncalc.core.expression import Cell
from attncalc.core.stage import Trace
from attncalc.document.derived import number_of, told
from attncalc.document.heading import equation
from attncalc.document.latex import LatexNotation
from attncalc.document.naming import name_in
from attncalc.document.notation import as_put_in
from attncalc.document.view import View
from attncalc.explore.why import Because, why
from attncalc.renderers.json import arithmetic_of, number


def as_document(trace: Trace, cell: Cell, view: View, depth: int | None, slopes: bool = False) -> dict[str, Any]:
    """The tree as JSON values, keys in a fixed order; with `slopes` also the given numbers that move the cell."""
    document: dict[str, Any] = {
        "format": "attncalc-why/1",
        "scenario": trace.scenario.document,
        "arithmetic": arithmetic_of(trace),
        "cell": _node(trace, why(trace, cell, depth), view),
    }
    if slopes:
        from attncalc.document.influences import as_data

        document["sensitivity"] = as_data(trace, cell, view)
    return document


def _node(trace: Trace, part: Because, view: View) -> dict[str, Any]:
    node: dict[str, Any] = {
        "name": name_in(trace, part.cell, view),
        "step": part.cell.name,
        "place": _place(trace, part.cell),
        "value": number(trace, part.value),
        "shown": number_of(trace, view, part.cell, part.value),
        "given": part.given,
    }
    if part.tree is not None and not (part.above or part.cut):
        node |= _expression(trace, part, view)
    if part.above:
        node["above"] = True
    if part.cut:
        node["cut"] = True
    if part.causes:
        node["from"] = [_node(trace, cause, view) for cause in part.causes]
    return node


def _place(trace: Trace, cell: Cell) -> dict[str, int] | str:
    """Positions by axis; of a number that the scenario gives outside the steps its path."""
    if cell.given:
        return trace.scenario.path_of(cell.name, cell.place)
    step = trace[cell.name]
    return {axis: int(cell.place[step.stage.layout.index(axis)]) for axis in step.axes}


def _expression(trace: Trace, part: Because, view: View) -> dict[str, Any]:
    step = trace[part.cell.name]
    shown = told(trace, view, step, part.cell.place, part.tree) if part.tree is not None else None
    formula = equation(trace, step, view)
    if shown is None or formula is None:
        return {}
    notation = view._replace(everything=True).notation()  # a program can read every term
    latex = LatexNotation(as_put_in, view.say, notation.most)
    return {
        "formula": f"{formula.left} = {notation.print(formula.right)}",
        "expression": notation.print(shown.tree),
        "relation": shown.relation,
        "latex": latex.print(shown.tree),
    }
