"""A trace as one page of HTML: its steps with tables, stories of queries, and where each cell comes from.

The script of the page only shows what is written here: it makes no number.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from attncalc.core.names import TAGS, languages_from
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.document import page as composing
from attncalc.document.blocks import Figure, Heading, Line, without_remarks
from attncalc.document.cell_stories import cell_stories, flat, runs
from attncalc.document.extent import Extent, extent, steps_shown
from attncalc.document.heading import title_of
from attncalc.document.page import OPENING, READING, Section, Story
from attncalc.document.tables import beginning
from attncalc.document.view import View
from attncalc.renderers.html import page
from attncalc.renderers.hypertext import Piece, Speech, asset, pieces, table

ESCAPES = {"<": r"\u003c", ">": r"\u003e", "&": r"\u0026", "\u2028": r"\u2028", "\u2029": r"\u2029"}
"""What could end a script or a line of it, inside the texts of JSON."""

MOST_CHOICES = 1000
"""Queries that a list offers."""

SENTENCES = ("page-hint", "page-given", "page-not-told", "page-from")
"""What the script says of cells."""


def render(trace: Trace, view: View, told: bool = False, quiet: bool = False) -> str:
    """The page of a trace in all languages, that of the view first; `told` with the stories of queries."""
    views = tuple(map(view.in_language, languages_from(view.language)))
    asked = view.queries if view.queries is not None else trace.scenario.queries
    carried = extent(trace, view, asked, told)
    speech = Speech(views, lambda items: _cells(trace, items))
    stories = composing.stories(trace, views, carried) if told else []
    shown = [_section(speech, part, stories) for part in composing.sections(trace, views, carried, told)]
    begun = [list(beginning(trace, one)) for one in views]
    ending = [without_remarks(composing.ending(trace, one, carried, told), quiet) for one in views]
    fields = {
        "beginning": list(pieces(speech, begun)), "sections": shown, "ending": list(pieces(speech, ending)),
        "openings": _told(speech, stories, OPENING), "readings": _told(speech, stories, READING),
        "choices": _choices(trace, carried, asked),
        "data": _data(trace, speech, steps_shown(trace, view, told), carried), "script": asset("page.js"), "told": told,
    }  # fmt: skip
    return page("trace.html.j2", speech, title_of(trace.scenario, view), fields)


def _section(speech: Speech, part: Section, stories: Sequence[Story]) -> dict[str, Any]:
    above = [[heading] for heading in part.headings]
    (heading,) = pieces(speech, above)
    tables = [table(speech, same, [one.text for one in part.headings]) for same in part.tables]
    return {
        "name": part.name, "rows": part.rows, "heading": heading.fields,
        "before": list(pieces(speech, part.before)), "tables": tables,
        "stories": _told(speech, stories, part.name, part.headings),
    }  # fmt: skip


def _told(
    speech: Speech, stories: Sequence[Story], name: str, headings: Sequence[Heading] = ()
) -> list[tuple[Story, list[Piece]]]:
    """What each query's story says at a step."""
    found = ((story, story.parts.get(name)) for story in stories)
    return [(story, list(pieces(speech, blocks, (3, 3), headings))) for story, blocks in found if blocks and blocks[0]]


def _choices(trace: Trace, carried: Extent, asked: Sequence[int]) -> dict[str, list[tuple[int, str]]]:
    """What can be chosen on the page: batch entries, heads and queries, where there are several."""
    tokens = labels(trace.scenario.query_tokens)
    found = {
        "batch": [(batch, str(batch)) for batch in dict.fromkeys(batch for batch, _ in carried.places)],
        "head": [(head, str(head)) for head in dict.fromkeys(head for _, head in carried.places)],
        "query": [(query, tokens[query]) for query in sorted({*range(len(tokens))[:MOST_CHOICES], *asked})],
    }
    return {name: choices for name, choices in found.items() if len(choices) > 1}


def _cells(trace: Trace, items: Sequence[Figure | Line]) -> str:
    """The cells of the trace that a table or a line shows, in its order: `weights:0+16`; nothing where one has none."""
    places = [item.cell if isinstance(item, Figure) else item.of for item in items]
    if not places or any(place is None for place in places):
        return ""
    step = trace[places[0].name]  # type: ignore[union-attr]
    return " ".join(f"{step.name}:{run}" for run in runs(flat(step, p.place) for p in places if p).split())


def _data(trace: Trace, speech: Speech, steps: Sequence[Step], carried: Extent) -> Markup:
    """What the script shows of cells."""
    stories = cell_stories(trace, speech.views[0], steps, carried)
    told = {
        name: {
            "at": one.at, "trees": one.trees, "relations": " ".join(one.relations), "sources": one.sources,
            "hidden": one.hidden,
        }
        for name, one in stories.items()
    }  # fmt: skip
    words = {code: {TAGS[one.language]: one.say(code) for one in speech.views} for code in SENTENCES}
    document = {"told": told, "given": [step.name for step in trace if step.stage.given], "words": words}
    return script_json(document)


def script_json(document: object) -> Markup:
    """A value as JSON inside a script element, which no text in it can end."""
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    for sign, code in ESCAPES.items():
        text = text.replace(sign, code)
    return Markup(text)
