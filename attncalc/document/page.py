"""A trace as a page: its steps with tables and stories, in every language, and what the page leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Block, Heading, Matrix, Prose, Remark
from attncalc.document.explain import queries_told
from attncalc.document.extent import Extent, steps_shown
from attncalc.document.heading import closing, head_columns, step_heading, why_code
from attncalc.document.page_tables import page_tables
from attncalc.document.tables import is_cut
from attncalc.document.view import MOST_SIDE, View

Document = list[Block]


class Section(NamedTuple):
    """A step: its name, its heading, what is said of it, and its tables; everything in each language."""

    name: str
    rows: str  # the axis that the rows of its tables are
    headings: list[Heading]
    before: list[Document]
    tables: list[tuple[Matrix, ...]]


class Story(NamedTuple):
    """One query told: where it is, whether it is the one asked for, and its blocks by step, in each language.

    Two parts stand under no step: which query it is, and the reading of its weights.
    """

    batch: int
    head: int
    query: int
    asked: bool
    parts: dict[str, list[Document]]


OPENING, READING = "opening", "reading"
"""The parts of a story that belong to no step."""


def sections(trace: Trace, views: Sequence[View], carried: Extent, told: bool) -> Iterator[Section]:
    """The steps in order, numbered as the command numbers them."""
    shown = steps_shown(trace, views[0], told)
    for step in trace:
        if step in shown:
            headings = [step_heading(trace, step, view) for view in views]
            before = [list(_before(trace, step, view)) for view in views]
            yield Section(
                step.name, step.stage.layout[-2], headings, before, list(page_tables(trace, step, views, carried, told))
            )


def _before(trace: Trace, step: Step, view: View) -> Iterator[Block]:
    if not step.stage.given:
        yield Prose(view.say(f"why.{why_code(trace.scenario, step)}"))
    yield from head_columns(trace, step, view)


def ending(trace: Trace, view: View, carried: Extent, told: bool) -> Iterator[Block]:
    """What the page leaves out, then the notes; with `told` the one on rounding too."""
    yield from left_out(trace, view, carried, told)
    if told and trace.kind != "by-hand":
        yield Remark("shown-rounded", view.aloud("note.shown-rounded", places=trace.scenario.places))
    every = view._replace(batches=view.batches or (0,), heads=view.heads or (0,))  # those on the page can be chosen
    yield from closing(trace, every)


def left_out(trace: Trace, view: View, carried: Extent, told: bool) -> Iterator[Remark]:
    """The heads that are not on the page, the tables that are cut, and the cells that say nothing of themselves."""
    if len(carried.places) < carried.of:
        yield Remark("cropped", view.say("note.cropped-heads", count=len(carried.places), all=carried.of))
    sides = view._replace(queries=None) if told else view
    if any(is_cut(step, sides) for step in trace if view.wants(step)):
        yield Remark("cropped", view.say("note.cropped-sides", most=view.most_side))
    if not carried.all_told:
        fields = {"count": len(carried.told), "rows": len(carried.rows), "all": carried.rows_of}
        yield Remark("cropped", view.say("note.cropped-stories", **fields))


def stories(trace: Trace, views: Sequence[View], carried: Extent) -> list[Story]:
    """The queries that are asked for, then the others of the page as far as there is room."""
    queries = views[0].queries if views[0].queries is not None else trace.scenario.queries
    shown = [place for place in carried.places if place in views[0].places(trace.scenario)] or carried.places[:1]
    asked = [(*place, query) for place in shown for query in queries]
    same = [(*place, query) for query in queries for place in carried.places]
    others = [*same, *((*place, query) for place in carried.told for query in carried.rows)]
    others = [row for row in dict.fromkeys(others) if row not in asked and row[2] < len(trace.scenario.query_tokens)]
    told = [_story(trace, views, row, True) for row in asked]
    return [*told, *(_story(trace, views, row, False) for row in others[: carried.stories])]


def _story(trace: Trace, views: Sequence[View], row: tuple[int, int, int], asked: bool) -> Story:
    batch, head, query = row
    parts: dict[str, list[Document]] = {}
    for view in views:
        here = view._replace(batches=(batch,), heads=(head,), queries=(query,), most_side=None)
        for name, blocks in _by_step(trace, here, queries_told(trace, here)):
            parts.setdefault(name, []).append(blocks)
    return Story(batch, head, query, asked, parts)


def _by_step(trace: Trace, view: View, blocks: Iterable[Block]) -> Iterator[tuple[str, Document]]:
    """What is said of a query at each step, without the step's heading and reason, which the page has already."""
    steps = iter(step for step in trace if step.name != "terms" and view.wants(step))
    parts: list[tuple[Step | None, Document]] = [(None, [])]
    for block in blocks:
        if isinstance(block, Heading):
            parts.append((next(steps), []))
        else:
            parts[-1][1].append(block)
    yield OPENING, parts[0][1]
    for step, found in parts[1:]:
        if step is not None:
            before = list(_before(trace, step, view))
            yield step.name, [block for block in found if block not in before and _only_told(step, block)]
    yield READING, [b for b in parts[-1][1] if isinstance(b, Prose) and b.lead == view.say("lead.reading")]


def _only_told(step: Step, block: Block) -> bool:
    """Whether a block says what the step's section does not: lines, sums, the terms of a sum, what is left out."""
    if isinstance(block, Matrix):
        return not block.columns_are or max(step.cells.shape[2:]) > MOST_SIDE
    return not isinstance(block, Remark) and not (isinstance(block, Prose) and bool(block.lead))
