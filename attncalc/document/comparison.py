"""`compare`: what the variants are, which steps are the same, a table for each that differs, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.tokens import cropped, labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose, Remark
from attncalc.document.compared_cells import FEW_CELLS, MOST_ROWS, Shown, cells_table
from attncalc.document.compared_weights import moved_weights
from attncalc.document.heading import arithmetic_in_words, title_of
from attncalc.document.view import View
from attncalc.errors import by
from attncalc.explore.compare import Compared, Part, Variant, by_size, cells_of
from attncalc.messages.safe_text import visible


def comparison(variants: Sequence[Variant], steps: Sequence[Compared], part: Part, view: View) -> Iterator[Block]:
    """The blocks of a whole comparison; `steps` are all of them, of which those that the view wants are shown."""
    names = labels([variant.name for variant in variants])
    shown = [step for step in steps if view.wants(step.first)]
    yield from _opening(variants, names, view)
    yield from _without_tables(shown, names, view)
    with_tables = [step for step in shown if step.differs]
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
    fields = {"step": view.step_name(first.name), "variants": _having(first, names, view)}
    code = "compare-first-only" if None in first.steps else "compare-first"
    weights = [step for step in steps if step.name == "weights" and view.wants(step.first)]
    return [view.say(code, **fields), *(text for step in weights for text in moved_weights(step, names, part, view))]


def _opening(variants: Sequence[Variant], names: Sequence[str], view: View) -> Iterator[Block]:
    """The variants by name; their titles, arithmetic and changes, each said once where it is the same for all."""
    titles = [title_of(variant.trace.scenario, view) for variant in variants]
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


def _without_tables(steps: Sequence[Compared], names: Sequence[str], view: View) -> Iterator[Block]:
    """The steps that are the same, those that only some variants have, and those of different shapes."""
    same = [view.step_name(step.name) for step in steps if step.same]
    if same:
        yield Prose(view.say("list-comma").join(same), view.say("lead.same"))
    partial: dict[str, list[str]] = {}
    for step in steps:
        if None in step.steps:
            partial.setdefault(_having(step, names, view), []).append(view.step_name(step.name))
    for having, found in partial.items():
        text = view.say("compare-only-in", variants=having, steps=view.say("list-comma").join(found))
        yield Prose(text, view.say("lead.only-in"))
    alone = [step for step in steps if step.differing is None]
    if alone:
        yield Prose(view.say("compare-shapes"), view.say("lead.shapes"))
        yield _shapes(alone, names, view, ())
    yield from _by_label([step for step in steps if step.differing is not None and not step.whole], names, view)


def _by_label(steps: Sequence[Compared], names: Sequence[str], view: View) -> Iterator[Block]:
    """The steps of which only some cells are set side by side: how many, and which steps have the same there."""
    if steps:
        yield Prose(view.say("compare-shapes-shared"), view.say("lead.shapes"))
        yield _shapes(steps, names, view, tuple(Figure(_shared(step, view)) for step in steps))
    same = [view.step_name(step.name) for step in steps if not step.differs]
    if same:
        yield Prose(view.say("compare-shared-same", steps=view.say("list-comma").join(same)))


def _shapes(steps: Sequence[Compared], names: Sequence[str], view: View, shared: Sequence[Figure]) -> Matrix:
    """The shapes of steps in each variant, and how many of their cells are shared."""
    rows = tuple(view.step_name(step.name) for step in steps)
    shapes = [tuple(Figure(by(s.shape) if s else view.say("absent")) for s in step.steps) for step in steps]
    if not shared:
        return Matrix("", view.say("column.step"), "", rows, tuple(names), tuple(shapes), False)
    cells = tuple((*shape, count) for shape, count in zip(shapes, shared, strict=True))
    return Matrix("", view.say("column.step"), "", rows, (*names, view.say("column.shared")), cells, False)


def _shared(step: Compared, view: View) -> str:
    """`4 of 36, 25`: how many cells have the same labels everywhere, of those of each variant."""
    counts = (str(found.cells.size) for found in step.steps if found is not None)
    return view.say("compare-of", shared=len(cells_of(step, Part(), False)), counts=view.say("list-comma").join(counts))


def _having(step: Compared, names: Sequence[str], view: View) -> str:
    return view.say("list-comma").join(names[number] for number in step.having)


def _labels_differ(step: Compared) -> bool:
    return step.whole and len({tuple(s.labels.items()) for s in step.steps if s is not None}) > 1


def _step(step: Compared, names: Sequence[str], part: Part, view: View) -> Iterator[Block]:
    """The title and a row for each cell: all of few, else those that differ, the largest difference first."""
    titles = dict.fromkeys(view.say(f"title.{found.stage.texts()}") for found in step.steps if found)
    yield Heading(" / ".join(titles), aside=step.name, below=True)
    cells, differing = (cells_of(step, part, only) for only in (False, True))
    if not differing:
        yield Prose(view.say("compare-none-here"))
        return
    few = len(cells) <= FEW_CELLS
    largest_first = by_size(step, differing)[: None if view.everything else MOST_ROWS] if not few else []
    hidden = Shown(step, view).all_hidden
    shown = [index for index in cells if not hidden(index)] if few else largest_first
    if not few:
        code = "compare-differ" if len(shown) == len(differing) else "compare-shown"
        say = view.say if code == "compare-differ" else view.aloud
        yield Prose(say(code, shown=len(shown), differing=len(differing), all=len(cells)))
    yield cells_table(step, names, shown, view)
