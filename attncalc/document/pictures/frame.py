"""What stands around a picture: the title, the arithmetic, what was changed; below it notes and the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.stage import Trace
from attncalc.document.blocks import Prose, Remark
from attncalc.document.heading import arithmetic_in_words, closing, full_labels, title_of
from attncalc.document.pictures.drawing import Part, Picture, moved, stacked
from attncalc.document.pictures.letters import lines_of, paragraphs, written
from attncalc.document.view import View
from attncalc.messages import text_in
from attncalc.messages.safe_text import visible

PAGE = 960
"""The width that a picture keeps to, where its widest table does."""
MARGIN = 20
NARROWEST = 520
TOLD = ("first-head", "made-up", "rounded-sum", "empty-row", "sink-share")
"""The notes without which a picture would mislead."""


def framed(
    trace: Trace, view: View, body: Part, description: str, quiet: bool, queries: Sequence[int] | None = None
) -> Picture:
    """The body with what stands above and below it."""
    room = max(body.width, NARROWEST)
    title = title_of(trace.scenario, view)
    above = [written(lines_of(title, "title", room / 1.1), "title"), *paragraphs(_above(trace, view), room)]
    below = list(paragraphs(_below(trace, view, quiet, queries), room))
    whole = stacked([stacked(above, 2), body, *([stacked(below, 2)] if below else [])], 16)
    return Picture(title, description, with_margin(whole))


def with_margin(part: Part) -> Part:
    """The part with the same margin on all sides."""
    return Part(part.width + 2 * MARGIN, part.height + 2 * MARGIN, moved(part, MARGIN, MARGIN))


def _above(trace: Trace, view: View) -> list[str]:
    changes = trace.scenario.changes
    changed = [_led(view, "lead.changed", visible(view.say("list-comma").join(changes)))] if changes else []
    return [arithmetic_in_words(trace, view), *changed]


def _below(trace: Trace, view: View, quiet: bool, queries: Sequence[int] | None) -> Iterator[str]:
    notes = () if quiet else closing(trace, view, queries)
    for note in notes:
        if isinstance(note, Remark) and note.code in TOLD:
            yield _led(view, "lead.note", note.text)
    for block in full_labels(trace, view):
        if isinstance(block, Prose) and len(block.text) < MOST:
            yield _led(view, "lead.label", block.text)
    source = text_in((trace.scenario.document.get("source") or {}).get("title"), view.language)
    if source:
        yield _led(view, "lead.source", visible(source))


MOST = 400
"""Letters of a label that is told in full below the picture."""


def _led(view: View, lead: str, text: str) -> str:
    return view.say("with-lead", lead=view.say(lead), text=text)
