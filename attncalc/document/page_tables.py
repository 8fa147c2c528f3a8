"""The tables of a step on a page: numbers made once, and the words around them in every language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.expression import Cell
from attncalc.core.rows import own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Matrix
from attncalc.document.extent import Extent
from attncalc.document.matrices import crops, has_mask_picture, mask_picture, matrices
from attncalc.document.view import View


def page_tables(
    trace: Trace, step: Step, views: Sequence[View], carried: Extent, told: bool
) -> Iterator[tuple[Matrix, ...]]:
    """The tables of the places that the page carries, each in every language; with `told` those of all queries."""
    batches, heads = (tuple(dict.fromkeys(numbers)) for numbers in zip(*carried.places, strict=True))
    queries = None if told else views[0].queries
    here = [view._replace(batches=batches, heads=heads) for view in views]
    if has_mask_picture(trace, step):
        keys = range(len(trace.scenario.tokens))
        yield from zip(*(mask_picture(trace, view, queries, keys) for view in here), strict=True)
    places = {own_place(trace, step, *place) for place in carried.places}
    for table in matrices(trace, step, here[0], queries):
        first = _first(table)
        if first is None or first.place[:2] in places:
            yield tuple(_said(trace, step, view, table, first, queries) for view in here)


def _first(table: Matrix) -> Cell | None:
    return table.cells[0][0].cell if table.cells and table.cells[0] else None


def _said(
    trace: Trace, step: Step, view: View, table: Matrix, first: Cell | None, queries: Sequence[int] | None
) -> Matrix:
    """A table with its words in the language of a view: caption and axes."""
    if first is None:
        return table
    batch, head, *before = first.place[:-2]
    axes = step.stage.layout
    place = view.place_name(
        trace.scenario, batch if "batch" in step.axes else None, head if axes[1] == "head" else None
    )
    tokens = [labels(trace.scenario.query_tokens)[query] for query in before]
    rows, columns = step.cells.shape[-2:]
    if queries is not None and axes[-2] == "query":
        rows = len(queries)
    cut = crops(view, (len(table.rows), len(table.columns)), (rows, columns))
    return table._replace(
        caption=view.say("list-comma").join(part for part in (place, *tokens, *cut) if part),
        rows_are=view.say(f"axis.{axes[-2]}"), columns_are=view.say(f"axis.{axes[-1]}"),
    )  # fmt: skip
