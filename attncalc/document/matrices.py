"""A step as a table: rows, columns, labels, and what is hidden or worth a bar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncalc.core.numbers import figure_of
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.view import View

WITH_BARS = ("weights",)


def matrices(trace: Trace, step: Step, view: View, queries: Sequence[int] | None = None) -> Iterator[Matrix]:
    """The tables of a step: one for each batch entry and head that is shown, and (terms) for each query."""
    for place in dict.fromkeys(own_place(trace, step, batch, head) for batch, head in view.places(trace.scenario)):
        batch, head = place
        layout = step.stage.layout
        name = view.place_name(
            trace.scenario, batch if "batch" in step.axes else None, head if layout[1] == "head" else None
        )
        if layout[2:] == ("query", "key", "feature"):
            for query in queries if queries is not None else range(len(trace.scenario.query_tokens)):
                token = labels(trace.scenario.query_tokens)[query]
                caption = view.say("list-comma").join(part for part in (name, token) if part)
                yield _matrix(
                    trace, step, view, step.cells[batch, head, query], ("key", "feature"), None, caption, place
                )
            continue
        chosen = list(queries) if queries is not None and layout[2] == "query" else None
        yield _matrix(trace, step, view, step.cells[place], layout[2:4], chosen, name, place)


def _matrix(
    trace: Trace, step: Step, view: View, cells: Any, axes: tuple[str, ...], chosen: list[int] | None, name: str,
    place: tuple[int, int],
) -> Matrix:  # fmt: skip
    row_axis, column_axis = axes
    rows = chosen if chosen is not None else list(range(len(cells)))
    row_names = axis_labels(trace, row_axis, len(cells))
    hidden = hidden_cells(trace, step, place)
    figures = tuple(
        tuple(
            figure(trace, step, view, cells[row, column], hidden is not None and bool(hidden[row, column]))
            for column in range(cells.shape[1])
        )
        for row in rows
    )
    columns = axis_labels(trace, column_axis, cells.shape[1]) if column_axis != "one" else (step.stage.symbol,)
    return Matrix(
        name, view.say(f"axis.{row_axis}"), view.say(f"axis.{column_axis}"), tuple(row_names[r] for r in rows),
        tuple(columns), figures,
    )  # fmt: skip


def axis_labels(trace: Trace, axis: str, length: int) -> tuple[str, ...]:
    """The labels of an axis: tokens (of new keys the last ones), or positions from 0."""
    tokens = {"query": trace.scenario.query_tokens, "key": trace.scenario.tokens}.get(axis)
    return labels(tokens)[-length:] if tokens is not None else tuple(map(str, range(length)))


def mask_picture(trace: Trace, view: View, queries: Sequence[int] | None, keys: Sequence[int]) -> Iterator[Matrix]:
    """Visible and hidden, drawn before the mask is applied; once where all heads have the same mask."""
    visible = trace.scenario.arrays["visible"]
    names, asking = labels(trace.scenario.tokens), labels(trace.scenario.query_tokens)
    rows = list(queries) if queries is not None else list(range(len(asking)))
    same = (visible == visible[:1, :1]).all()
    for batch, head in [(0, 0)] if same else view.places(trace.scenario):
        cells = tuple(
            tuple(Figure(view.signs.seen if visible[batch, head, row, key] else view.signs.hidden) for key in keys)
            for row in rows
        )
        caption = "" if same else view.place_name(trace.scenario, batch, head)
        yield Matrix(
            caption, view.say("axis.query"), view.say("axis.key"), tuple(asking[row] for row in rows),
            tuple(names[key] for key in keys), cells, False,
        )  # fmt: skip


def figure(trace: Trace, step: Step, view: View, value: Any, hidden: bool) -> Figure:
    """One cell; a weight with its share, a hidden zero as the sign for hidden."""
    if hidden and value == 0:
        return Figure(view.signs.hidden, hidden=True)
    share = float(value) if step.name in WITH_BARS and value == value and 0 <= value <= 1 else None
    return Figure(view.number(figure_of(trace, step, value)), share=share)
