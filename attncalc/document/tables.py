"""`run`: every step as a table."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Prose
from attncalc.document.heading import closing, head_columns, opening, step_heading
from attncalc.document.matrices import mask_picture, matrices
from attncalc.document.view import View


def tables(trace: Trace, view: View) -> Iterator[Block]:
    """The blocks of a whole trace: each step's formula and table, then the notes."""
    yield from opening(trace, view)
    if any(step.axes[-2:] == ("query", "key") for step in trace):
        yield Prose(view.say("rows-ask"))
    number = 0
    for step in trace:
        number += not step.stage.given
        if view.wants(step):
            yield step_heading(trace, step, view, "" if step.stage.given else str(number))
            if step.name == "masked" and trace.scenario.needs_scores:
                yield from mask_picture(trace, view, view.queries, range(len(trace.scenario.tokens)))
            yield from head_columns(trace, step, view)
            yield from matrices(trace, step, view, view.queries)
    yield from closing(trace, view, view.queries)
