"""The first sheet of a workbook: title, source, arithmetic, how to use it, notes."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.wrapping import cells as width_of
from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import Heading, Prose, Remark
from attncalc.document.heading import closing, opening
from attncalc.document.workbook_sheets import Entry, Sheet
from attncalc.document.workbook_tables import Book

MOST_TEXT = 32_000
"""Characters of a cell; Excel takes 32,767."""

WIDTHS = (18, 95)
LINE, MOST_LINES = 15.0, 27  # a row can be 409 points high

COLOURS = (("given", "workbook-colour-given"), ("number", "workbook-colour-formula"), ("kept", "workbook-colour-kept"))


def about(book: Book, quiet: bool = False) -> Sheet:
    """The sheet about a workbook whose other sheets are made; `quiet` without notes."""
    entries: list[Entry] = []
    heights = {0: 24.0}
    for row, (lead, text, style) in enumerate(_lines(book, quiet)):
        entries += [Entry(row, 0, lead, "lead")] if lead else []
        entries.append(Entry(row, 0 if style == "title" else 1, in_a_cell(text), style))
        if row and width_of(text) > WIDTHS[1]:
            heights[row] = LINE * min(len(wrapped(text, WIDTHS[1])), MOST_LINES)
    return Sheet(book.view.say("sheet.about"), entries, [], WIDTHS, heights)


def in_a_cell(text: str) -> str:
    """As much of a text as a cell holds."""
    return text if len(text) <= MOST_TEXT else text[:MOST_TEXT] + "…"


def _lines(book: Book, quiet: bool) -> Iterator[tuple[str, str, str]]:
    """Lead, text and style of every line."""
    view = book.view
    everywhere = view._replace(batches=view.batches or (0,), heads=view.heads or (0,))  # every head has its sheet
    first, last = list(opening(book.trace, view)), list(closing(book.trace, everywhere))
    long = any(len(block.text) > MOST_TEXT for block in (*first, *last) if isinstance(block, Prose))
    for block in first:
        if isinstance(block, Heading):
            yield "", block.text, "title"
            yield "", block.aside, "text"
        elif isinstance(block, Prose):
            yield block.lead, block.text, "text"
    yield "", "", "text"
    for place, sentence in enumerate(_how(book)):
        yield view.say("lead.use") if not place else "", sentence, "text"
    for place, (style, code) in enumerate(COLOURS):
        if style != "kept" or book.kept:
            yield view.say("lead.colours") if not place else "", view.say(code), f"sample-{style}"
    yield "", "", "text"
    remarks = [] if quiet else [block.text for block in last if isinstance(block, Remark)]
    remarks += [*_limits(book), *([view.say("workbook-long")] if long else [])]
    for place, text in enumerate(remarks):
        yield view.say("lead.note") if not place else "", text, "text"
    for block in last:
        if isinstance(block, Prose):
            yield block.lead, block.text, "text"


def _how(book: Book) -> Iterator[str]:
    """What a reader has to know to use the sheets."""
    say, trace = book.view.say, book.trace
    if book.plan.live:
        yield say("workbook-how")
        if "masked" in trace and trace.scenario.needs_scores:
            yield say("workbook-mask", hidden=book.hidden)
    yield say("workbook-by-hand" if trace.kind == "by-hand" else "workbook-shown")
    if trace.kind != "by-hand" and trace.scenario.rounding != "half-up":
        yield say("workbook-half-up")
    if trace.kind in ("float32", "float16"):
        yield say("workbook-doubles", kind=trace.kind)
    if book.has_nan:
        yield say("workbook-nan")


def _limits(book: Book) -> Iterator[str]:
    """What is not in this file, or has no formula."""
    view, plan = book.view, book.plan
    if len(plan.places) < plan.asked:
        yield view.say("workbook-places", count=len(plan.places), all=plan.asked)
    if plan.cut:
        yield view.say("workbook-cut")
    if not plan.live:
        yield view.say("workbook-not-live")
    elif book.kept:
        yield view.say("workbook-kept", steps=view.listed([view.step_name(name) for name in book.kept]))
