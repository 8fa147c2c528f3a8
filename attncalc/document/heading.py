"""What stands above the numbers: title, arithmetic, about, source; and below them: notes and what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncalc.core.expression import Cell
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Note, Row, Step, Trace
from attncalc.core.tokens import cropped, labels
from attncalc.derive import formula
from attncalc.document.blocks import Block, Equation, Heading, Prose, Remark
from attncalc.document.view import View
from attncalc.messages import Word, text_in
from attncalc.messages.safe_text import visible

DIVISORS = ("sqrt_d_k", "d_k", "sqrt_d_model")
"""The scales that divide by a width."""

MOST_ROWS = 6
"""Rows that a note names."""


def title_of(scenario: Scenario, view: View) -> str:
    """The title in the view's language, or the name; safe to show."""
    return visible(text_in(scenario.document.get("title"), view.language) or scenario.name)


def opening(trace: Trace, view: View) -> Iterator[Block]:
    """Title with the arithmetic, then about and source."""
    document = trace.scenario.document
    yield Heading(title_of(trace.scenario, view), aside=arithmetic_in_words(trace, view))
    changes = trace.scenario.changes
    if changes:
        yield Prose(visible(view.say("list-comma").join(changes)), view.say("lead.changed"))
    about = text_in(document.get("about"), view.language)
    if about:
        yield Prose(visible(about), view.say("lead.original") if changes else "")
    source = document.get("source") or {}
    parts = [text_in(source.get(key), view.language) for key in ("title", "url")]
    if any(parts):
        yield Prose(visible(" ".join(part for part in parts if part)), view.say("lead.source"))
    if trace.scenario.heads > 1 or (trace.scenario.needs_scores and trace.scenario.start != "scores"):
        yield Prose(_sizes(trace, view), view.say("lead.sizes"))


def arithmetic_in_words(trace: Trace, view: View) -> str:
    """exact, 4 places; by hand, 2 places; float64."""
    scenario = trace.scenario
    usual = scenario.rounding == "half-up"
    rounding = "" if usual else view.say("aside.rounding", rounding=Word(f"rounding.{scenario.rounding}"))
    by_hand = scenario.option("by_hand")
    places = scenario.hand_places("") if trace.kind == "by-hand" else scenario.places
    mixed = trace.kind == "by-hand" and isinstance(by_hand, dict) and len(by_hand) > 1
    code = "aside.by-hand-mixed" if mixed else f"aside.{trace.kind}"
    return view.say(code, places=places) + rounding


def _sizes(trace: Trace, view: View) -> str:
    """d_model, heads, d_k and the divisor as numbers, and which query heads read which kv head."""
    scenario = trace.scenario
    parts = [f"d_model = {scenario.sizes['d_model']}"] if "d_model" in scenario.sizes else []
    parts.append(view.say("sizes-heads", count=scenario.heads))
    parts += [f"d_k = {scenario.sizes['d_k']}"] if "d_k" in scenario.sizes and scenario.needs_scores else []
    scale = str(scenario.option("scale"))
    if scenario.width is not None and scale in DIVISORS:
        parts.append(view.say("sizes-divisor", divisor=f"{view.signs.root if scale != 'd_k' else ''}{scenario.width}"))
    if scenario.kv_heads != scenario.heads:
        parts.append(_head_map(trace, view))
    return view.say("list-comma").join(parts)


def _head_map(trace: Trace, view: View) -> str:
    scenario = trace.scenario
    group = scenario.heads // scenario.kv_heads
    return view.say("list-comma").join(
        view.say("sizes-group", first=kv * group, last=(kv + 1) * group - 1, kv=kv) if group > 1
        else view.say("sizes-alone", first=kv, kv=kv)
        for kv in range(scenario.kv_heads)
    )  # fmt: skip


def step_numbers(trace: Trace) -> dict[str, str]:
    """The number of each step: those that are calculated, from 1; a given one, and the terms of a sum, have none."""
    calculated = [step.name for step in trace if not step.stage.given and step.name != "terms"]
    return {step.name: "" for step in trace} | {name: str(number) for number, name in enumerate(calculated, 1)}


def step_heading(trace: Trace, step: Step, view: View, numbered: bool = True) -> Heading:
    """A step's number, title and formula; without the number where the step stands alone."""
    number = step_numbers(trace)[step.name] if numbered else ""
    return Heading(view.say(f"title.{step.stage.texts()}"), number, equation(trace, step, view))


def name_of(step: Step, view: View) -> str:
    """`Divide (weights)`: a step's title and its name."""
    return f"{view.say(f'title.{step.stage.texts()}')} ({step.name})"


def equation(trace: Trace, step: Step, view: View) -> Equation | None:
    """A step's formula with its letter; None for a given step."""
    tree = formula(trace, step)
    return Equation(view.notation().symbol_text(step.stage.symbol), tree) if tree is not None else None


def why_code(scenario: Scenario, step: Step) -> str:
    """The code of a step's why: some say another thing under another option."""
    code = step.stage.texts()
    if code == "weights" and scenario.has("sink"):
        return "weights-sink"
    return "variance-rms" if code == "variance" and scenario.setting("norm.kind") == "rms" else code


def head_columns(trace: Trace, step: Step, view: View) -> Iterator[Block]:
    """Which columns of the whole matrix go to which head, where a step shares them out or puts them together."""
    splits = (step.name in ("q", "k", "v") and "head" in step.axes) or step.name == "joined"
    if not splits or trace.scenario.heads == 1:
        return
    heads = step.cells.shape[1] if step.name != "joined" else trace.scenario.heads
    width = step.cells.shape[3] // (heads if step.name == "joined" else 1)
    if heads > 1:
        fields = {"first": f"0–{width - 1}" if width > 1 else "0", "last": heads - 1, "count": width}
        fields["columns"] = f"{(heads - 1) * width}–{heads * width - 1}" if width > 1 else str(heads - 1)
        yield Prose(view.say("head-columns", **fields))


def note_text(note: Note, trace: Trace, view: View) -> str:
    """A note's sentence; steps in it by their name, rows by their labels."""
    fields: dict[str, Any] = {
        name: visible(value) if isinstance(value, str) and not isinstance(value, Word) else value
        for name, value in note.fields.items()
    }
    for name in ("step", "first"):
        if name in fields:
            fields[name] = view.step_name(fields[name])
    if note.rows:
        fields["rows"] = _rows(note.rows, trace, view)
        fields["row"] = row_name(note.rows[0], trace, view)
    if "vectors" in note.fields:
        fields["vectors"] = _vectors(note.fields["vectors"], trace[note.step], trace, view)
    return view.say(note.message(), **fields)


def notes_on(trace: Trace, cell: Cell, view: View) -> list[Remark]:
    """The notes on a cell's step that speak of its row, or of the whole."""
    row = Row(*cell.place[:3])
    found = (note for note in trace.notes if note.step == cell.name and (not note.rows or row in note.rows))
    return [Remark(note.code, note_text(note, trace, view)) for note in found]


def row_name(row: Row, trace: Trace, view: View, of_head: bool = True) -> str:
    """`saw`, or `saw (head 2)` where there are heads and the row is that of one."""
    scenario = trace.scenario
    token = labels(scenario.query_tokens)[row.query]
    where = view.place_name(scenario, row.batch, row.head if of_head and scenario.heads > 1 else None)
    return f"{token}{view.say('in-brackets', text=where)}" if where else token


def which_row(scenario: Scenario, row: Row, view: View) -> Iterator[Prose]:
    """Which query, head and batch entry is told where there are several, and the options that choose another."""
    query, where = labels(scenario.query_tokens)[row.query], view.place_name(scenario, row.batch, row.head)
    if where:
        options = ["--token", *(f"--{axis}" for axis in ("head", "batch") if axis in scenario.axes)]
        yield Prose(view.aloud("explain-query-in", query=query, where=where, options=view.listed(options)))
    elif len(scenario.query_tokens) > 1:
        yield Prose(view.aloud("explain-query", query=query))


def _rows(rows: Sequence[Row], trace: Trace, view: View) -> str:
    """The rows by name, those that are alike in every head once, the first few of many."""
    in_all = _in_every_head(rows, trace.scenario.heads)
    named = [row for row in rows if row.head == 0] if in_all else list(rows)
    texts = [row_name(row, trace, view, of_head=not in_all) for row in named[:MOST_ROWS]]
    texts += [view.signs.dots] if len(named) > MOST_ROWS else []
    return view.say("list-comma").join(texts)


def _in_every_head(rows: Sequence[Row], heads: int) -> bool:
    """Whether there are several heads, and the rows are the same in each."""
    if heads == 1 or len({row.head for row in rows}) < heads:
        return False
    return len({(row.batch, row.query) for row in rows}) * heads == len(set(rows))


def _vectors(vectors: Sequence[tuple[Row, str]], step: Step, trace: Trace, view: View) -> str:
    """The exact vectors of the rows that moved; the row is named where there is more than one."""
    of_head = "head" in step.axes  # joined heads have none
    named = len(trace.scenario.query_tokens) > 1 or of_head or "batch" in step.axes
    texts = [
        view.say("with-lead", lead=row_name(row, trace, view, of_head), text=vector) if named else vector
        for row, vector in vectors
    ]
    return "; ".join(texts)


def closing(trace: Trace, view: View, queries: Sequence[int] | None = None) -> Iterator[Block]:
    """The notes (with `queries` those on them or on the whole), and what the tables could not show whole."""
    yield from first_of_several(trace.scenario, view)
    for note in trace.notes:
        if queries is not None and note.rows and not set(queries) & {row.query for row in note.rows}:
            continue
        yield Remark(note.code, note_text(note, trace, view))
    yield from full_labels(trace, view)


def first_of_several(scenario: Scenario, view: View) -> Iterator[Remark]:
    """That only the first batch entry or head is shown, where there are several and none is asked for."""
    axes = zip(("batch", "head"), (view.batches, view.heads), scenario.grid, strict=False)
    if several := [axis for axis, chosen, count in axes if chosen is None and count > 1]:
        yield Remark("first-head", view.aloud(f"note.first-{'-and-'.join(several)}"))


def full_labels(trace: Trace, view: View) -> Iterator[Block]:
    """The labels that the tables could not show whole."""
    for text in dict.fromkeys((*cropped(trace.scenario.tokens), *cropped(trace.scenario.query_tokens))):
        yield Prose(text, view.say("lead.label"))
