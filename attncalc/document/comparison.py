"""`compare`: what the variants are, which steps are the same, a table for each that differs, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncalc.core.figures import figure as figure_text
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import cropped, labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose, Remark
from attncalc.document.compared_weights import moved_weights
from attncalc.document.heading import arithmetic_in_words
from attncalc.document.matrices import figure, hidden_cells
from attncalc.document.signs import PLAIN
from attncalc.document.view import View
from attncalc.errors import by
from attncalc.explore.compare import Compared, Index, Part, Variant, by_size, cells_of
from attncalc.messages import text_in
from attncalc.messages.safe_text import visible

FEW_CELLS = 16
MOST_ROWS = 12


def comparison(variants: Sequence[Variant], steps: Sequence[Compared], part: Part, view: View) -> Iterator[Block]:
    """The blocks of a whole comparison."""
    names = labels([variant.name for variant in variants])
    yield from _opening(variants, names, view)
    yield from _without_tables(steps, names, view)
    with_tables = [step for step in steps if step.differing is not None and not step.agrees]
    for step in with_tables:
        yield from _step(step, names, part, view)
    for sentence in conclusions(variants, steps, part, view):
        yield Prose(sentence, view.say("lead.reading"))
    if any(_labels_differ(step) for step in with_tables):
        yield Remark("other-labels", view.say("compare-labels", first=names[0]))
    for text in cropped([variant.name for variant in variants]):
        yield Prose(text, view.say("lead.label"))


def conclusions(
    variants: Sequence[Variant], steps: Sequence[Compared], part: Part, view: View
) -> list[str]:  # fmt: skip
    """Whether all is the same; else the first step that differs, and what became of the weights."""
    names = labels([variant.name for variant in variants])
    first = next((step for step in steps if not step.same), None)
    if first is None:
        return [view.say("compare-same", count=len(steps))]
    fields = {"step": view.say(f"name.{first.name}"), "variants": _having(first, names, view)}
    code = "compare-first-only" if None in first.steps else "compare-first"
    weights = [step for step in steps if step.name == "weights"]
    return [view.say(code, **fields), *(text for step in weights for text in moved_weights(step, names, part, view))]


def _opening(variants: Sequence[Variant], names: Sequence[str], view: View) -> Iterator[Block]:
    """The variants by name; their titles, arithmetic and changes, each said once where it is the same for all."""
    titles = [_title(variant.trace, view) for variant in variants]
    kinds = [arithmetic_in_words(variant.trace, view) for variant in variants]
    one_source, one_kind = len({v.source for v in variants}) == 1, len(set(kinds)) == 1
    heading = view.say("compare-heading", names=view.say("list-comma").join(names))
    yield Heading(heading, aside=kinds[0] if one_kind else "")
    if one_source:
        yield Prose(titles[0])
    told = {"column.arithmetic": () if one_kind else kinds, "column.title": () if one_source else titles}
    columns = {code: texts for code, texts in told.items() if texts}
    if columns:
        rows = tuple(tuple(map(Figure, row)) for row in zip(*columns.values(), strict=True))
        heads = tuple(view.say(code) for code in columns)
        yield Matrix("", view.say("column.variant"), "", tuple(names), heads, rows, False)
    shared = variants[0].changes
    if shared:
        yield Prose(visible(view.say("list-comma").join(shared)), view.say("lead.changed"))


def _title(trace: Trace, view: View) -> str:
    return visible(text_in(trace.scenario.document.get("title"), view.language) or trace.scenario.name)


def _without_tables(steps: Sequence[Compared], names: Sequence[str], view: View) -> Iterator[Block]:
    """The steps that are the same, those that only some variants have, and those of different shapes."""
    same = [view.say(f"name.{step.name}") for step in steps if step.same]
    if same:
        yield Prose(view.say("list-comma").join(same), view.say("lead.same"))
    partial: dict[str, list[str]] = {}
    for step in steps:
        if None in step.steps:
            partial.setdefault(_having(step, names, view), []).append(view.say(f"name.{step.name}"))
    for having, found in partial.items():
        text = view.say("with-lead", lead=having, text=view.say("list-comma").join(found))
        yield Prose(text, view.say("lead.only-in"))
    other = [step for step in steps if step.differing is None]
    if other:
        yield Prose(view.say("compare-shapes"), view.say("lead.shapes"))
        cells = tuple(tuple(Figure(by(s.shape) if s else view.say("absent")) for s in step.steps) for step in other)
        rows = tuple(view.say(f"name.{step.name}") for step in other)
        yield Matrix("", view.say("column.step"), "", rows, tuple(names), cells, False)


def _having(step: Compared, names: Sequence[str], view: View) -> str:
    return view.say("list-comma").join(names[number] for number in step.having)


def _labels_differ(step: Compared) -> bool:
    return len({tuple(s.labels.items()) for s in step.steps if s is not None}) > 1


def _step(step: Compared, names: Sequence[str], part: Part, view: View) -> Iterator[Block]:
    """The title and a row for each cell: all of few, else those that differ, the largest difference first."""
    titles = dict.fromkeys(view.say(f"title.{found.stage.texts()}") for found in step.steps if found)
    yield Heading(" / ".join(titles), aside=step.name)
    cells, differing = (cells_of(step, part, only) for only in (False, True))
    if not differing:
        yield Prose(view.say("compare-none-here"))
        return
    few = len(cells) <= FEW_CELLS
    shown = cells if few else by_size(step, differing)[: None if view.everything else MOST_ROWS]
    if not few:
        code = "compare-differ" if len(shown) == len(differing) else "compare-shown"
        yield Prose(view.say(code, shown=len(shown), differing=len(differing), all=len(cells)))
    yield _table(step, names, shown, view)


def _table(step: Compared, names: Sequence[str], cells: Sequence[Index], view: View) -> Matrix:
    columns = tuple(_column(step, number, cells, view) for number in range(len(names)))
    heads = tuple(names)
    if len(names) == 2 and None not in step.steps:
        columns, heads = (*columns, _differences(step, cells, view)), (*heads, view.say("column.difference"))
    rows = tuple(cell_label(step.first, index, view) for index in cells)
    return Matrix("", view.say("column.cell"), "", rows, heads, tuple(zip(*columns, strict=True)))


def _column(step: Compared, number: int, cells: Sequence[Index], view: View) -> tuple[Figure, ...]:
    """The numbers of one variant as its own trace shows them."""
    found, trace = step.steps[number], step.traces[number]
    if found is None:
        return (Figure(view.say("absent")),) * len(cells)
    places = dict.fromkeys((index[0], index[1]) for index in cells)
    hidden = {place: hidden_cells(trace, found, place) for place in places}

    def shown(index: Index, step: Step) -> Figure:
        where = hidden[index[0], index[1]]
        return cell(trace, step, view, step.cells[index], where is not None and bool(where[index[2:4]]))

    return tuple(shown(index, found) for index in cells)


def cell(trace: Trace, step: Step, view: View, value: Any, hidden: bool) -> Figure:
    """A number of a table that has no shades; a hidden one as the sign, or in plain text as the word."""
    shown = figure(trace, step, view, value, hidden)
    return Figure(view.say("hidden") if shown.hidden and view.signs == PLAIN else shown.text)


def _differences(step: Compared, cells: Sequence[Index], view: View) -> tuple[Figure, ...]:
    rounding = step.traces[0].scenario.rounding
    texts = (figure_text(step.largest_at(index), step.places, rounding) for index in cells)
    return tuple(Figure(view.number(text)) for text in texts)


def cell_label(step: Step, index: Index, view: View) -> str:
    """`draw I`, or `draw I (head 2)` where the step has heads."""
    places = dict(zip(step.stage.layout, index, strict=True))
    said = [
        labels(step.labels[axis])[place] if axis in step.labels else str(place)
        for axis, place in places.items()
        if axis in step.axes and axis not in ("batch", "head")
    ]
    where = [view.say(f"place.{axis}", number=places[axis]) for axis in ("batch", "head") if axis in step.axes]
    return " ".join(said) + (view.say("in-brackets", text=view.say("list-comma").join(where)) if where else "")
