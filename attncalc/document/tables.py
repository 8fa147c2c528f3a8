"""`run`: every step as a table."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Block, Prose, Remark
from attncalc.document.given import other_numbers
from attncalc.document.heading import closing, head_columns, opening, step_heading
from attncalc.document.matrices import has_mask_picture, mask_picture, matrices
from attncalc.document.view import View


def tables(trace: Trace, view: View) -> Iterator[Block]:
    """The blocks of a whole trace: each step's formula and table, then the notes."""
    yield from beginning(trace, view)
    for step in trace:
        if view.wants(step):
            yield step_heading(trace, step, view)
            if has_mask_picture(trace, step):
                yield from mask_picture(trace, view, view.queries, range(len(trace.scenario.tokens)))
            yield from head_columns(trace, step, view)
            yield from matrices(trace, step, view, view.queries)
    if any(is_cut(step, view) for step in trace if view.wants(step)):
        yield Remark("cropped", view.say("note.cropped-sides", most=view.most_side))
    yield from closing(trace, view, view.queries)


def beginning(trace: Trace, view: View) -> Iterator[Block]:
    """Title, about, source, how the tables are read, and for a page the given numbers that are no step."""
    yield from opening(trace, view)
    if any(step.axes[-2:] == ("query", "key") for step in trace):
        yield Prose(view.say("rows-ask"))
    if not view.options:
        yield from other_numbers(trace, view)


def is_cut(step: Step, view: View) -> bool:
    """Whether a page shows the tables of a step in part only."""
    sides = dict(zip(step.stage.layout[2:], step.cells.shape[2:], strict=True))
    if view.queries is not None and "query" in sides:
        sides["query"] = len(view.queries)
    return view.most_side is not None and max(sides.values()) > view.most_side
