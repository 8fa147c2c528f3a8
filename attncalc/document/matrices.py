"""A step as a table: rows, columns, labels, and what is hidden or worth a bar."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import repeat, starmap
from typing import Any

import numpy as np

from attncalc.core.expression import Cell
from attncalc.core.numbers import figure_of, figures_of
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Figure, Matrix
from attncalc.document.view import View

WITH_BARS = ("weights",)


def matrices(
    trace: Trace, step: Step, view: View, queries: Sequence[int] | None = None, keys: Sequence[int] | None = None
) -> Iterator[Matrix]:
    """The tables of a step: one for each batch entry and head that is shown, and (terms) for each query.

    `queries` and `keys` are the only ones that are shown; None: all.
    """
    for place in dict.fromkeys(own_place(trace, step, batch, head) for batch, head in view.places(trace.scenario)):
        layout = step.stage.layout
        name = view.place_name(
            trace.scenario, place[0] if "batch" in step.axes else None, place[1] if layout[1] == "head" else None
        )
        if layout[2:] == ("query", "key", "feature"):
            asked = queries if queries is not None else range(len(trace.scenario.query_tokens))
            for query in asked[: view.most_side]:
                token = labels(trace.scenario.query_tokens)[query]
                caption = view.say("list-comma").join(part for part in (name, token) if part)
                yield _matrix(trace, step, view, (*place, query), ("key", "feature"), {}, caption)
            continue
        yield _matrix(trace, step, view, place, layout[2:4], _chosen(trace, step, queries, keys), name)


def _chosen(
    trace: Trace, step: Step, queries: Sequence[int] | None, keys: Sequence[int] | None
) -> dict[str, Sequence[int]]:
    """The positions of an axis that are shown, where not all are; the keys of the past come first."""
    chosen = {} if queries is None else {"query": queries}
    if keys is not None and "key" in step.stage.layout:
        first = len(trace.scenario.tokens) - step.cells.shape[step.stage.layout.index("key")]
        chosen["key"] = [key - first for key in keys if key >= first]
    return chosen


def _matrix(
    trace: Trace, step: Step, view: View, at: tuple[int, ...], axes: tuple[str, ...],
    chosen: Mapping[str, Sequence[int]], name: str,
) -> Matrix:  # fmt: skip
    """The part of a step at the start of a place, cut to what is shown of each side."""
    row_axis, column_axis = axes
    cells, place = step.cells[at], (at[0], at[1])
    all_rows, all_columns = (chosen.get(axis, range(n)) for axis, n in zip(axes, cells.shape[:2], strict=True))
    rows, columns = all_rows[: view.most_side], all_columns[: view.most_side]
    hidden = hidden_cells(trace, step, place)
    values = cells[np.ix_(rows, columns)].tolist()
    covered = repeat(repeat(False)) if hidden is None else hidden[np.ix_(rows, columns)].tolist()
    places = ([Cell(step.name, (*at, row, column)) for column in columns] for row in rows)
    figures = tuple(starmap(partial(_row, trace, step, view), zip(values, covered, places, strict=False)))
    captions = [name, *crops(view, (len(rows), len(columns)), (len(all_rows), len(all_columns)))]
    row_names = axis_labels(trace, row_axis, len(cells))
    column_names = axis_labels(trace, column_axis, cells.shape[1]) if column_axis != "one" else (step.stage.symbol,)
    return Matrix(
        view.say("list-comma").join(part for part in captions if part), view.say(f"axis.{row_axis}"),
        view.say(f"axis.{column_axis}"), tuple(row_names[r] for r in rows), tuple(column_names[c] for c in columns),
        figures, True, place[0] if "batch" in step.axes else None, _readers(trace, step, place[1]),
    )  # fmt: skip


def _row(
    trace: Trace, step: Step, view: View, values: Sequence[Any], hidden: Iterable[bool], cells: Iterable[Cell]
) -> tuple[Figure, ...]:
    """One row of a table: its numbers, which of them are hidden, and where they stand."""
    texts = figures_of(trace, step, values)
    return tuple(map(partial(_figure, step, view), values, texts, hidden, cells))


def crops(view: View, shown: Sequence[int], all_: Sequence[int]) -> list[str]:
    """What a caption says of a table that shows only the first of its rows or columns."""
    sides = zip(("rows-of", "columns-of"), shown, all_, strict=True)
    return [view.say(code, first=1, last=last, all=length) for code, last, length in sides if last < length]


def _readers(trace: Trace, step: Step, head: int) -> tuple[int, ...]:
    """The query heads that a head of a step belongs to or is read by; none where the step has no heads."""
    if "head" not in step.axes:
        return ()
    first, end = (trace.scenario.first_reader(place, step.cells.shape[1]) for place in (head, head + 1))
    return tuple(range(first, end))


def axis_labels(trace: Trace, axis: str, length: int) -> tuple[str, ...]:
    """The labels of an axis: tokens (of new keys the last ones), or positions from 0."""
    tokens = {"query": trace.scenario.query_tokens, "key": trace.scenario.tokens}.get(axis)
    return labels(tokens)[-length:] if tokens is not None else tuple(map(str, range(length)))


def has_mask_picture(trace: Trace, step: Step) -> bool:
    """Whether a step masks scores, so that the mask is drawn before it; uniform weights show theirs themselves."""
    return step.name == "masked" and trace.scenario.needs_scores


def mask_picture(trace: Trace, view: View, queries: Sequence[int] | None, keys: Sequence[int]) -> Iterator[Matrix]:
    """Visible and hidden, drawn before the mask is applied; once where all heads have the same mask."""
    visible = trace.scenario.arrays["visible"]
    names, asking = labels(trace.scenario.tokens), labels(trace.scenario.query_tokens)
    rows = (list(queries) if queries is not None else list(range(len(asking))))[: view.most_side]
    keys = keys[: view.most_side]
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
    return _figure(step, view, value, figure_of(trace, step, value), hidden)


def _figure(step: Step, view: View, value: Any, text: str, hidden: bool, cell: Cell | None = None) -> Figure:
    """The same with its text, and the cell where it can be asked about."""
    if hidden and value == 0:
        return Figure(view.signs.hidden, True, None, cell)
    share = float(value) if step.name in WITH_BARS and value == value and 0 <= value <= 1 else None
    return Figure(view.signs.number(text), False, share, cell)
