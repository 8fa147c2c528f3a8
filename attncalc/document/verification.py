"""`verify`: a line for every printed number, and how many hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import arithmetic_in_words, full_labels
from attncalc.document.naming import in_brackets
from attncalc.document.view import View
from attncalc.explore.verify import Verdict, step_of
from attncalc.messages.safe_text import escaped

MOST_LINES = 200


def verification(trace: Trace, verdicts: Sequence[Verdict], view: View) -> Iterator[Block]:
    """Every verdict; of very many only those that are wrong."""
    yield Heading(escaped(trace.scenario.name), aside=arithmetic_in_words(trace, view))
    if not verdicts:
        yield Prose(view.say("verify-nothing"), view.say("lead.note"))
        return
    listed = verdicts if len(verdicts) <= MOST_LINES else [verdict for verdict in verdicts if not verdict.right]
    if listed:
        columns = tuple(view.say(f"column.{name}") for name in ("printed", "calculated", "verdict"))
        rows = tuple(_row(verdict, view) for verdict in listed)
        names = tuple(v.cell + in_brackets(step_of(trace, v), v.place, view) for v in listed)
        yield Matrix("", view.say("column.cell"), "", names, columns, rows, False)
    right = sum(verdict.right for verdict in verdicts)
    yield Prose(view.say("verify-summary", right=right, all=len(verdicts)))
    changes = trace.scenario.changes
    if right < len(verdicts) and changes and not any(change.startswith("expect") for change in changes):
        yield Prose(view.say("verify-hint"), view.say("lead.note"))
    yield from full_labels(trace, view)


def _row(verdict: Verdict, view: View) -> tuple[Figure, ...]:
    word = view.say("verdict-right" if verdict.right else "verdict-wrong")
    return Figure(view.number(verdict.printed)), Figure(view.number(verdict.shown)), Figure(word)
