"""What stands above the numbers: title, arithmetic, about, source; and below them: notes and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.stage import Note, Step, Trace
from attncalc.derive import formula
from attncalc.document.blocks import Block, Equation, Heading, Prose, Remark
from attncalc.document.tokens import cropped, visible
from attncalc.document.view import View
from attncalc.messages import Word, text_in


def opening(trace: Trace, view: View) -> Iterator[Block]:
    """Title with the arithmetic, then about and source."""
    document = trace.scenario.document
    title = text_in(document.get("title"), view.language) or visible(trace.scenario.name)
    yield Heading(visible(title), aside=arithmetic_in_words(trace, view))
    about = text_in(document.get("about"), view.language)
    if about:
        yield Prose(visible(about))
    source = document.get("source") or {}
    parts = [text_in(source.get(key), view.language) for key in ("title", "url")]
    if any(parts):
        yield Prose(visible(" ".join(part for part in parts if part)), view.say("lead.source"))


def arithmetic_in_words(trace: Trace, view: View) -> str:
    """exact, 4 places; by hand, 2 places; float64."""
    scenario = trace.scenario
    rounding = (
        ""
        if scenario.rounding == "half-up"
        else view.say("aside.rounding", rounding=Word(f"rounding.{scenario.rounding}"))
    )
    by_hand = scenario.option("by_hand")
    places = scenario.hand_places("") if trace.kind == "by-hand" else scenario.places
    mixed = trace.kind == "by-hand" and isinstance(by_hand, dict) and len(by_hand) > 1
    code = "aside.by-hand-mixed" if mixed else f"aside.{trace.kind}"
    return view.say(code, places=places) + rounding


def step_heading(trace: Trace, step: Step, view: View, number: str) -> Heading:
    """A step's title and formula, numbered unless it is given."""
    tree = formula(trace, step)
    equation = Equation(view.notation().symbol_text(step.stage.symbol), tree) if tree is not None else None
    return Heading(view.say(f"title.{step.stage.texts()}"), number, equation)


def note_text(note: Note, view: View) -> str:
    """A note's sentence; steps in it by their title."""
    fields = {
        name: visible(value) if isinstance(value, str) and not isinstance(value, Word) else value
        for name, value in note.fields.items()
    }
    for name in ("step", "first"):
        if name in fields:
            fields[name] = view.say(f"name.{fields[name]}")
    return view.say(note.message(), **fields)


def closing(trace: Trace, view: View, queries: Sequence[int] | None = None) -> Iterator[Block]:
    """The notes (with `queries` those on them or on the whole), and the labels that the tables could not show whole."""
    for note in trace.notes:
        if queries is not None and note.queries and not set(queries) & set(note.queries):
            continue
        yield Remark(note.code, note_text(note, view))
    for text in cropped(tuple(dict.fromkeys((*trace.scenario.tokens, *trace.scenario.query_tokens)))):
        yield Prose(text, view.say("lead.label"))
