"""One number as it is told: what is put in, how exact the equality is, the result."""

from __future__ import annotations

from typing import NamedTuple

from attncalc.core.expression import Cell, Expression, Number
from attncalc.core.numbers import figure_of, operand
from attncalc.core.stage import Step, Trace
from attncalc.derive import derivation
from attncalc.document.relation import relation
from attncalc.document.view import View, shown_tree


class Derived(NamedTuple):
    """A derivation whose numbers are texts as their steps show them, the relation, and the result's text."""

    tree: Expression
    relation: str
    result: str


def derived(trace: Trace, view: View, step: Step, index: tuple[int, ...]) -> Derived:
    """The cell at an index of a computed step."""
    return told(trace, view, step, index, derivation(trace, step, index))


def told(trace: Trace, view: View, step: Step, index: tuple[int, ...], tree: Expression) -> Derived:
    """The same where its derivation is at hand."""
    put_in, result = shown_tree(trace, tree), figure_of(trace, step, step.cells[index])
    return Derived(put_in, relation(tree, put_in, result, view.signs), view.number(result))


def number_of(trace: Trace, view: View, cell: Cell, value: object) -> str:
    """The number of a cell or of a given number, as it is shown."""
    return view.number(operand(trace, Number(value, cell)))
