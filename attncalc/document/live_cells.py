"""The live formulas of a step's cells, minus infinity and rounding by hand in their places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.bounded import Values
from attncalc.core.expression import Expression, Number, Operation
from attncalc.core.figures import round_to
from attncalc.core.numbers import places_of
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Source, Step, Trace
from attncalc.document.live_formulas import Leaves, Line, LiveExpressions, seen
from attncalc.fold import BOOLEAN_SLOTS

AGGREGATES = ("maximum", "sum", "dot", "all_hidden")
"""What leaves out of its numbers those that are minus infinity."""

IRRATIONAL = {"exp", "power", "sqrt", "tanh", "cos", "sin"}
"""What hardly ever gives a number that lies halfway between two figures."""

SUMS = {"add", "subtract", "sum", "negate", "maximum", "hidden", "choice"}

MASKED = ("masked", "shifted")
"""The steps whose cells become minus infinity where the mask comes to hide them."""


class LiveCells:
    """The formulas of a trace's cells."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.arithmetic = LiveExpressions(frozenset(_hidden_names(trace)))
        options = trace.scenario.document
        if options.get("empty_rows") == "error":  # no row is empty; one that becomes so shows as an error too
            options = {**options, "empty_rows": "nan"}
        self.scenario: Scenario = replace(trace.scenario, document=options)

    def of(self, step: Step, batch: int, head: int) -> Any:
        """An object array of the trees of a step's cells for one of its batch entries and heads."""
        parts = [self._part(step, *pair, (batch, head)) for pair in zip(step.stage.reads, step.sources, strict=True)]
        result = step.stage.calculate(self.arithmetic, self.scenario, parts)  # type: ignore[arg-type]
        place = tuple(min(i, n - 1) for i, n in zip((batch, head), result.shape, strict=False))
        finished = np.frompyfunc(lambda tree: self._guarded(self._rounded(step, tree)), 1, 1)
        return np.asarray(finished(result.cells[place]), dtype=object)

    def options(self, step: Step) -> list[Number]:
        """The options that the formulas of a step read as numbers."""
        asked = _Asked(self.arithmetic.hidden_names)
        pairs = zip(step.stage.reads, step.sources, strict=True)
        step.stage.calculate(asked, self.scenario, [self._part(step, *pair, (0, 0), 1) for pair in pairs])  # type: ignore[arg-type]
        return asked.found

    def _part(self, step: Step, read: Read, source: Source, place: tuple[int, int], most: int | None = None) -> Any:
        """What a read reads for a batch entry and a head: for all queries or the first few."""
        cells = cells_of(self.trace, source)
        starts = [_start(step, axis, n, place) for axis, n in zip(read.axes[:2], cells.shape[:2], strict=True)]
        slices = [slice(None) if start is None else slice(start, start + 1) for start in starts]
        part = cells[(*slices, slice(most if read.axes[2] == "query" else None))]
        start = (*(start or 0 for start in starts), *(0 for _ in cells.shape[2:]))
        if source.name in BOOLEAN_SLOTS and source.given:
            return seen(part, source.name, start)
        return Leaves(part, source.name, source.given, start)

    def _rounded(self, step: Step, tree: Expression) -> Expression:
        """A cell's tree with its result rounded as by hand; what is chosen is rounded, not the choice."""
        if self.trace.kind != "by-hand":
            return tree
        if isinstance(tree, Operation) and tree.kind == "choice":
            condition, *branches = tree.arguments
            return Operation("choice", (condition, *(self._rounded(step, branch) for branch in branches)))
        if isinstance(tree, Number) and tree.cell is None:
            scenario = self.trace.scenario
            return Number(round_to(Decimal(tree.value), scenario.hand_places(step.name), scenario.rounding))
        fine = all(self._as_fine(step, number) for number in _numbers_in(tree))
        if fine and (isinstance(tree, Number) or _kind(tree) == "maximum"):
            return tree
        kinds = set(_kinds_in(tree))
        ties = not kinds & IRRATIONAL and not (fine and kinds <= SUMS)
        ties |= self.trace.scenario.rounding == "truncate"  # LibreOffice cannot cut off a number such as 1e-304
        return Operation("round_ties" if ties else "round", (tree,))

    def _as_fine(self, step: Step, number: Number) -> bool:
        """Whether a number was rounded to the places of a step, or fewer, before."""
        if number.cell is None or number.cell.given:
            return False
        source = self.trace[number.cell.name]
        return not source.stage.given and places_of(self.trace, source) <= places_of(self.trace, step)

    def _guarded(self, tree: Expression) -> Expression:
        """The tree where no number minus infinity is calculated with: what is hidden stays hidden, e to it is 0."""
        if isinstance(tree, Number):
            return tree
        for leaf in dict.fromkeys(self._open(tree)):
            other = Number(Decimal(0) if _is_exponential(tree) else MINUS_INFINITY)
            tree = Operation("choice", (Operation("hidden", (leaf,)), other, tree))
        return tree

    def _open(self, tree: Expression) -> Iterator[Expression]:
        """The numbers of a tree that may be minus infinity and are calculated with whatever they are."""
        if self.arithmetic.may_hide(tree):
            yield tree
        elif isinstance(tree, Operation) and tree.kind == "choice":
            condition, *branches = tree.arguments
            shut = condition.arguments[0] if isinstance(condition, Operation) and condition.kind == "hidden" else None
            found = (leaf for branch in branches if not isinstance(branch, Number) for leaf in self._open(branch))
            yield from (leaf for leaf in found if not _same(leaf, shut))
        elif isinstance(tree, Operation) and tree.kind not in AGGREGATES:
            for argument in tree.arguments:
                yield from self._open(argument)


class _Asked(LiveExpressions):
    """Notes the options that a stage asks for."""

    def __init__(self, hidden_names: frozenset[tuple[str, bool]]) -> None:
        super().__init__(hidden_names)
        self.found: list[Number] = []

    def number(self, value: Decimal, path: str = "") -> Expression:
        """A constant, or the number of an option."""
        number = Number(value, None) if not path else super().number(value, path)
        if path:
            self.found.append(number)  # type: ignore[arg-type]
        return number


def _numbers_in(tree: Expression) -> Iterator[Number]:
    """The numbers of a tree, those of its lines among them."""
    if isinstance(tree, Number):
        yield tree
    parts = tree.arguments if isinstance(tree, Operation) else tree.numbers if isinstance(tree, Line) else ()
    for part in parts:
        yield from _numbers_in(part)


def _kinds_in(tree: Expression) -> Iterator[str]:
    """The operations of a tree."""
    if isinstance(tree, Operation):
        yield tree.kind
        for argument in tree.arguments:
            yield from _kinds_in(argument)


def _is_exponential(tree: Expression) -> bool:
    """Whether it is e to something, rounded or not."""
    return isinstance(tree, Operation) and "exp" in (tree.kind, _kind(tree.arguments[0]))


def _kind(tree: Expression) -> str:
    return tree.kind if isinstance(tree, Operation) else ""


def _same(leaf: Expression, other: Expression | None) -> bool:
    return isinstance(leaf, Number) and isinstance(other, Number) and leaf.cell == other.cell


def _start(step: Step, axis: str, length: int, place: tuple[int, int]) -> int | None:
    """Where a read begins on the axis of batch entries or heads; None where it is read whole."""
    if axis == "batch":
        return min(place[0], length - 1)
    if axis not in ("head", "kv_head"):
        return None
    heads = step.cells.shape[1]
    return place[1] * length // heads if length < heads else min(place[1], length - 1)


def cells_of(trace: Trace, source: Source) -> Values:
    """The numbers of a step or of an array that the scenario gives."""
    return trace.scenario.arrays[source.name] if source.given else trace[source.name].cells


def _hidden_names(trace: Trace) -> Iterator[tuple[str, bool]]:
    """The steps and arrays (those given) in which minus infinity stands, or comes to stand when the mask changes."""
    for step in trace:
        masked = step.name in MASKED and "masked" in trace and trace.scenario.needs_scores
        if masked or (step.name != "maximum" and np.isneginf(step.values).any()):
            yield step.name, False
        for source in step.sources:
            is_numbers = source.given and source.name not in BOOLEAN_SLOTS
            if is_numbers and np.isneginf(trace.scenario.arrays[source.name].astype(np.float64)).any():
                yield source
