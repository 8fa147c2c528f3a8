"""Where a cell comes from: its stage run once more, over expressions, on the slices that the cell depends on."""

from __future__ import annotations

from decimal import Decimal
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from attncalc.core.arithmetic import Decimals
from attncalc.core.bounded import Values, bounded
from attncalc.core.expression import Cell, Expression, Number, Symbol, evaluate, symbols_in
from attncalc.core.expressions import ExpressionArray, Expressions, leaves
from attncalc.core.figures import as_decimal
from attncalc.core.names import DECIMAL_KINDS
from attncalc.core.stage import Read, Source, Step, Trace
from attncalc.fold import BOOLEAN_SLOTS
from attncalc.pipelines.symbols import GIVEN

Index = tuple[int, ...]

Window = tuple[slice, ...]
"""A slice of each axis of a step's array; of batch and head one place."""


def derivation(trace: Trace, step: Step, index: Index) -> Expression:
    """How the cell at a four-axis index of a step arises from the cells of earlier steps and the given numbers.

    The numbers in it know their cells; a given step's cell is just its number.
    """
    stage = step.stage
    if stage.given:
        return Number(step.cells[index], Cell(step.name, index))
    result = stage.calculate(
        Expressions(), trace.scenario, parts_read(trace, step, tuple(slice(i, i + 1) for i in index))
    )
    read_axes = {axis for read in stage.reads for axis in read.axes}
    place = tuple(0 if axis in read_axes else i for axis, i in zip(stage.layout, index, strict=True))
    cell: Expression = result.cells[tuple(min(i, n - 1) for i, n in zip(place, result.shape, strict=True))]
    return cell


def parts_read(trace: Trace, step: Step, window: Window) -> list[Any]:
    """What of each read of a computed step the cells inside a window depend on, as numbers that know their cells."""
    reads = zip(step.stage.reads, step.sources, strict=True)
    return [_part(trace, step, read, source, window) for read, source in reads]


def _part(trace: Trace, step: Step, read: Read, source: Source, window: Window) -> Any:
    cells = trace.scenario.arrays[source.name] if source.given else trace[source.name].cells
    slices = tuple(_slice(step, axis, n, window) for axis, n in zip(read.axes, cells.shape, strict=True))
    part: Values = cells[slices]
    if source.given and trace.kind in DECIMAL_KINDS and part.dtype == np.float64:
        part = Decimals().given(part, "").values  # as the calculation read them
    start = tuple(place.start or 0 for place in slices)
    return part if source.name in BOOLEAN_SLOTS else _leaves(trace, part, source, start)


KEPT: WeakKeyDictionary[Trace, dict[Any, ExpressionArray]] = WeakKeyDictionary()
MOST_KEPT = 8
"""Parts of a trace that were read last: all the cells of a row read the same row."""


def _leaves(trace: Trace, part: Values, source: Source, start: Index) -> ExpressionArray:
    """The numbers of a part, which are not made anew for the next cell that reads it."""
    if part.size == 1:
        return leaves(part, source.name, source.given, start)
    kept, place = KEPT.setdefault(trace, {}), (source, start, part.shape)
    found = kept.pop(place, None)
    kept[place] = leaves(part, source.name, source.given, start) if found is None else found
    if len(kept) > MOST_KEPT:
        del kept[next(iter(kept))]
    return kept[place]


def _slice(step: Step, axis: str, length: int, window: Window) -> slice:
    """The part of an axis that is read; whole where it is no axis of the result."""
    if axis == "kv_head":  # the shared head that the window's head reads; of keys and values it is that head itself
        head = window[1].start * length // int(step.cells.shape[1])
        return slice(head, head + 1)
    layout = step.stage.layout
    place = window[layout.index(axis)] if axis in layout and axis != "one" else None
    if place is None or (length == 1 and place.stop > 1):
        return slice(0, 1) if place is not None else slice(None)
    return place


def formula(trace: Trace, step: Step) -> Expression | None:
    """The step's formula over the symbols that were really read; None for a given step."""
    if step.stage.formula is None:
        return None
    symbols = [GIVEN[name] if given else Symbol(trace[name].stage.symbol) for name, given in step.sources]
    return step.stage.formula(trace.scenario, *symbols)


def sources_in_formula(trace: Trace, step: Step) -> list[Source]:
    """The sources whose letters stand in a step's formula: a stage may read more, to know what is hidden."""
    if step.stage.formula is None:
        return []
    symbols = [Symbol(str(number)) for number in range(len(step.sources))]
    found = symbols_in(step.stage.formula(trace.scenario, *symbols))
    written = {id(symbol if symbol.whole is None else symbol.whole) for symbol in found}
    return [source for source, symbol in zip(step.sources, symbols, strict=True) if id(symbol) in written]


class DecimalFunctions:
    """What evaluating a derivation needs besides the operators, on single decimals."""

    leaf = staticmethod(as_decimal)
    exp = staticmethod(Decimal.exp)
    sqrt = staticmethod(Decimal.sqrt)

    @staticmethod
    def tanh(x: Decimal) -> Decimal:
        """The hyperbolic tangent."""
        return Decimals().tanh(bounded([x])).values.item()  # type: ignore[no-any-return]

    @staticmethod
    def cos(x: Decimal) -> Decimal:
        """The cosine."""
        return Decimals().cos(bounded(x)).values.item()  # type: ignore[no-any-return]

    @staticmethod
    def sin(x: Decimal) -> Decimal:
        """The sine."""
        return Decimals().sin(bounded(x)).values.item()  # type: ignore[no-any-return]

    @staticmethod
    def power(base: Decimal, exponent: Decimal) -> Decimal:
        """base^exponent."""
        return base**exponent


def recomputed(tree: Expression) -> Any:
    """The value of a derivation from its own numbers, in the decimal context at hand."""
    return evaluate(tree, DecimalFunctions)
