"""A step as a table: rows, columns, labels, and what is hidden or worth a bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.numbers import figure_of
from attncalc.document.tokens import labels
from attncalc.document.view import View

WITH_BARS = ("weights",)
ZERO_WHERE_HIDDEN = ("exponentials", "weights")


def matrices(trace: Trace, step: Step, view: View, queries: Sequence[int] | None = None) -> Iterator[Matrix]:
    """The tables of a step: one, or one for each query where the step has three axes (terms)."""
    if step.stage.layout[2:] == ("query", "key", "feature"):
        for query in queries if queries is not None else range(len(trace.scenario.query_tokens)):
            name = labels(trace.scenario.query_tokens)[query]
            yield _matrix(trace, step, view, step.cells[0, 0, query], "key", "feature", None, name)
        return
    row_axis, column_axis = step.stage.layout[2:4]
    chosen = list(queries) if queries is not None and row_axis == "query" else None
    yield _matrix(trace, step, view, step.cells[0, 0], row_axis, column_axis, chosen, "")


def _matrix(
    trace: Trace, step: Step, view: View, cells: Any, row_axis: str, column_axis: str, chosen: list[int] | None,
    name: str,
) -> Matrix:  # fmt: skip
    rows = chosen if chosen is not None else list(range(len(cells)))
    row_names = axis_labels(trace, row_axis, len(cells))
    hidden = hidden_cells(trace, step)
    figures = tuple(
        tuple(
            figure(trace, step, view, cells[r, c], hidden is not None and bool(hidden[r, c]))
            for c in range(cells.shape[1])
        )
        for r in rows
    )
    columns = axis_labels(trace, column_axis, cells.shape[1]) if column_axis != "one" else (step.stage.symbol,)
    return Matrix(
        name, view.say(f"axis.{row_axis}"), view.say(f"axis.{column_axis}"), tuple(row_names[r] for r in rows),
        tuple(columns), figures,
    )  # fmt: skip


def axis_labels(trace: Trace, axis: str, length: int) -> tuple[str, ...]:
    """The labels of an axis: tokens, or positions from 0."""
    tokens = {"query": trace.scenario.query_tokens, "key": trace.scenario.tokens}.get(axis)
    return labels(tokens) if tokens is not None else tuple(map(str, range(length)))


def hidden_cells(trace: Trace, step: Step) -> Any:
    """Where a step's 0 means "hidden", as booleans by query and key; None where it cannot."""
    if step.stage.given or step.name not in ZERO_WHERE_HIDDEN:
        return None
    if trace.scenario.needs_scores:
        return trace[trace["weights"].sources[-1].name].cells[0, 0] == MINUS_INFINITY
    return ~np.broadcast_to(trace.scenario.arrays["visible"][0, 0], step.cells.shape[2:])


def figure(trace: Trace, step: Step, view: View, value: Any, hidden: bool) -> Figure:
    """One cell; a weight with its share, a hidden zero as the sign for hidden."""
    if hidden and value == 0:
        return Figure(view.signs.hidden, hidden=True)
    share = float(value) if step.name in WITH_BARS and value == value and 0 <= value <= 1 else None
    return Figure(view.number(figure_of(trace, step, value)), share=share)
