"""The JSON of `why` (`attncalc-why/1`): the tree of a cell, each number with the expression it comes from."""

from __future__ import annotations

from typing import Any

from attncalc.core.expression import Cell
from attncalc.core.stage import Step, Trace
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
        "cell": _Nodes(trace, view).node(why(trace, cell, depth)),
    }
    if slopes:
        from attncalc.document.influences import as_data

        document["sensitivity"] = as_data(trace, cell, view)
    return document


class _Nodes:
    """Writes the cells of a tree; what all cells of a step have alike is made once."""

    def __init__(self, trace: Trace, view: View) -> None:
        self.trace, self.view = trace, view
        self.notation = view._replace(everything=True).notation()  # a program can read every term
        self.latex = LatexNotation(as_put_in, view.say, self.notation.most)
        self.formulas: dict[str, str] = {}  # by step; empty: it has none

    def node(self, part: Because) -> dict[str, Any]:
        """One cell with those it is made from."""
        trace, cell = self.trace, part.cell
        node: dict[str, Any] = {
            "name": name_in(trace, cell, self.view),
            "step": cell.name,
            "place": _place(trace, cell),
            "value": number(trace, part.value),
            "shown": number_of(trace, self.view, cell, part.value),
            "given": part.given,
        }
        if part.tree is not None and not (part.above or part.cut) and (formula := self._formula(trace[cell.name])):
            shown = told(trace, self.view, trace[cell.name], cell.place, part.tree)
            node["formula"] = formula
            node["expression"] = self.notation.print(shown.tree)
            node["relation"] = shown.relation
            node["latex"] = self.latex.print(shown.tree)
        if part.above:
            node["above"] = True
        if part.cut:
            node["cut"] = True
        if part.causes:
            node["from"] = list(map(self.node, part.causes))
        return node

    def _formula(self, step: Step) -> str:
        if step.name not in self.formulas:
            found = equation(self.trace, step, self.view)
            self.formulas[step.name] = f"{found.left} = {self.notation.print(found.right)}" if found else ""
        return self.formulas[step.name]


def _place(trace: Trace, cell: Cell) -> dict[str, int] | str:
    """Positions by axis; of a number that the scenario gives outside the steps its path."""
    if cell.given:
        return trace.scenario.path_of(cell.name, cell.place)
    step = trace[cell.name]
    return {axis: int(cell.place[step.stage.layout.index(axis)]) for axis in step.axes}
