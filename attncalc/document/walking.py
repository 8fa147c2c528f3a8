"""Where a walk stands, in words: the step, the cell's derivation, the cells it is made from, what was changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from attncalc.core.expression import Cell
from attncalc.derive import derivation
from attncalc.document.blocks import Block, Branch, Heading, Prose, Tree
from attncalc.document.derived import number_of, told
from attncalc.document.heading import equation, name_of, notes_on, why_code
from attncalc.document.matrices import has_mask_picture, mask_picture, matrices
from attncalc.document.naming import name_in
from attncalc.document.view import View
from attncalc.explore.walk import Walk, query_head
from attncalc.explore.why import given_behind

MOST_GIVEN = 4
"""Of the many numbers of a weight matrix the first are enough to see where they stand."""


class Place(NamedTuple):
    """Where one is: the position of the step among all, its title with its name, and its formula."""

    position: str
    title: str
    formula: str


def place(walk: Walk, view: View) -> Place:
    """The step of a walk in words."""
    steps = [step.name for step in walk.trace]
    position = view.say("walk-position", number=steps.index(walk.cell.name) + 1, all=len(steps))
    shown = equation(walk.trace, walk.step, view)
    return Place(position, name_of(walk.step, view), view.equation(shown) if shown else "")


def cell_blocks(walk: Walk, view: View) -> Iterator[Block]:
    """The cell's number with what is put in; of a given number, where it stands in the scenario."""
    trace, step, cell = walk.trace, walk.step, walk.cell
    name, number = name_in(trace, cell, view), number_of(trace, view, cell, step.cells[cell.place])
    if step.stage.given:
        yield Tree((Branch(0, name, None, view.signs.equals, number),))
        yield Prose(view.say("why-given", path=trace.scenario.path_of(cell.name, cell.place)))
        yield from _was(walk, view, number)
        return
    yield Tree((Branch(0, name, *told(trace, view, step, cell.place, derivation(trace, step, cell.place))),))
    yield from _was(walk, view, number)


def _was(walk: Walk, view: View, number: str) -> Iterator[Block]:
    """What the cell was at the start, where it is marked as changed."""
    cell, before = walk.cell, walk.start.trace
    if cell.name not in walk.changed or not walk.changed[cell.name][cell.place] or cell.name not in before:
        return
    old = before[cell.name].cells
    if old.shape == walk.step.cells.shape:
        was = number_of(before, view, cell, old[cell.place])
        yield Prose(view.say("walk-was-near" if was == number else "walk-was", number=was))


def source_texts(walk: Walk, view: View) -> list[str]:
    """`weights draw I = 0.62` for each cell that the cell is made from."""
    return [_with_number(walk, cell, view, walk.trace[cell.name].cells[cell.place]) for cell in walk.sources]


def given_blocks(walk: Walk, view: View) -> Iterator[Block]:
    """`given: residual.0 = 0.4`: the numbers put in that no step shows, the first of them where they are many."""
    numbers = given_behind(walk.trace, walk.cell)
    shown = numbers if view.everything else numbers[:MOST_GIVEN]
    texts = [_with_number(walk, number.cell, view, number.value) for number in shown if number.cell is not None]
    texts += [view.signs.dots] if len(shown) < len(numbers) else []
    if texts:
        yield Prose(view.say("why-from-given", numbers=view.say("list-comma").join(texts)))


def _with_number(walk: Walk, cell: Cell, view: View, value: Any) -> str:
    name = name_in(walk.trace, cell, view, walk.cell)
    return f"{name} {view.signs.equals} {number_of(walk.trace, view, cell, value)}"


def why_line(walk: Walk, view: View) -> str:
    """One sentence of why the step is taken; of a given step that it is given."""
    if walk.step.stage.given:
        return view.say("walk-given-step")
    return view.say(f"why.{why_code(walk.trace.scenario, walk.step)}")


def step_blocks(walk: Walk, view: View) -> Iterator[Block]:
    """The whole step as a table, in the batch entry and head of the cell."""
    here = place(walk, view)
    yield Heading(
        view.say("with-lead", lead=here.position, text=here.title), formula=equation(walk.trace, walk.step, view)
    )
    yield Prose(why_line(walk, view))
    batch, head = query_head(walk)
    there = view._replace(batches=(batch,), heads=(head,))
    if has_mask_picture(walk.trace, walk.step):
        yield from mask_picture(walk.trace, there, None, range(len(walk.trace.scenario.tokens)))
    yield from matrices(walk.trace, walk.step, there)
    yield from notes_on(walk.trace, walk.cell, view)


def change_blocks(walk: Walk, view: View) -> Iterator[Block]:
    """What is not as it was at the start: the changes, and the steps side by side."""
    from attncalc.document.comparison import comparison  # loaded when it is asked for: the first screen comes sooner
    from attncalc.explore.compare import Part, Variant, compared

    if not walk.now.changes:
        yield Prose(view.say("walk-unchanged"))
        return
    name = view.say("list-comma").join(walk.now.changes)
    before = Variant(view.say("walk-start"), "", (), walk.start.trace)
    variants = [before, Variant(name, "", walk.now.changes, walk.trace)]
    yield from comparison(variants, compared([v.trace for v in variants]), Part(), view)
