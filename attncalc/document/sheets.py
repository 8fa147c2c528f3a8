"""The blocks of a worksheet: the given numbers, the steps with their formulas, and cells to fill in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.core.figures import Literal
from attncalc.core.stage import Step
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import head_columns, opening, step_heading
from attncalc.document.matrices import mask_picture, matrices
from attncalc.document.printing import Printing, listed, number_at, tables_with
from attncalc.pipelines.symbols import GIVEN
from attncalc.practice.exercise import MORE

BLANK = "____"
LINE = "_" * 30


def sheet(printing: Printing) -> Iterator[Block]:
    """What a learner gets: the given numbers, the steps with their formulas, and cells to fill in."""
    made, view = printing.made, printing.view
    yield printing.title()
    yield Prose(LINE, view.say("lead.name"))
    yield Prose(view.say("list-comma").join(labels(made.scenario.tokens)), view.say("lead.tokens"))
    yield from list(opening(made.trace, view))[1:]
    yield from _task(printing)
    for step in made.trace:
        if step.stage.given:
            yield step_heading(made.trace, step, view)
            yield from matrices(made.trace, step, view)
            yield from _weight_matrices(printing) if step.name == "x" else ()
        elif step in (*made.filled, *made.to_do):
            yield from _step(printing, step)
    yield from printing.about()


def _task(printing: Printing) -> Iterator[Block]:
    say, order = printing.say, printing.made.order
    steps = listed([say(f"name.{name}") for name in order.blank], printing.view)
    yield Prose(say("worksheet-task", blank=BLANK, steps=steps), say("lead.to-do"))
    if len(printing.made.to_do) > len(order.blank):
        yield Prose(say("worksheet-on-the-way", blank=BLANK))
    more = order.places + MORE
    text = say("worksheet-rounding", places=order.places, more=more)
    yield Prose(text, say("lead.rounding"))
    if printing.made.filled:
        yield Prose(say("worksheet-filled", more=more))


def _weight_matrices(printing: Printing) -> Iterator[Block]:
    """W_Q, W_K, …, as the scenario has them."""
    view, given = printing.view, printing.made.document
    names = [name for name in given if name.startswith("w_")]
    if names:
        yield Heading(view.say("worksheet-matrices"))
    for name in names:
        rows: Any = given[name]
        cells = tuple(tuple(Figure(view.number(_as_given(cell))) for cell in row) for row in rows)
        places = tuple(map(str, range(max(len(rows), len(rows[0])))))
        caption, axis = view.notation().symbol_text(GIVEN[name].text), view.say("axis.feature")
        yield Matrix(caption, axis, axis, places[: len(rows)], places[: len(rows[0])], cells)


def _as_given(number: Any) -> str:
    return number.text if isinstance(number, Literal) else str(number)


def _step(printing: Printing, step: Step) -> Iterator[Block]:
    """A step that is filled in, left blank, or, on the way, only named."""
    made, view = printing.made, printing.view
    yield step_heading(made.trace, step, view)
    yield from head_columns(made.trace, step, view)
    if step.name == "masked":
        yield from mask_picture(made.trace, view, None, range(len(made.scenario.tokens)))
        yield Prose(view.say("worksheet-mask", seen=view.signs.seen, hidden=view.signs.hidden))
    if step in made.filled:
        closer = made.closer[step.name]
        yield from tables_with(made.closer, closer, view, lambda index: number_at(made.closer, closer, view, index))
    elif step.name in made.order.blank:
        yield from tables_with(made.trace, step, view, lambda index: BLANK)
