"""`verify`: a line for every printed number, and how many hold; or for every number that is put right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import arithmetic_in_words, full_labels
from attncalc.document.naming import in_brackets
from attncalc.document.view import View
from attncalc.explore.correcting import Correction
from attncalc.explore.verify import Verdict, step_of
from attncalc.messages.safe_text import escaped

MOST_LINES, MOST_WRONG = 200, 1000
"""Printed numbers that are told whether they hold or not; and those that do not hold."""


def verification(trace: Trace, verdicts: Sequence[Verdict], view: View) -> Iterator[Block]:
    """Every verdict; of very many only those that are wrong, the first thousand of them."""
    yield _heading(trace, view)
    if not verdicts:
        yield Prose(view.say("verify-nothing"), view.say("lead.note"))
        return
    listed = verdicts if len(verdicts) <= MOST_LINES else [verdict for verdict in verdicts if not verdict.right]
    if listed:
        told = listed[:MOST_WRONG]
        yield _table(trace, told, ("printed", "calculated", "verdict"), tuple(_row(one, view) for one in told), view)
        yield from _more(listed, "verify-more", view)
    right = sum(verdict.right for verdict in verdicts)
    yield Prose(view.say("verify-summary", right=right, all=len(verdicts)))
    changes = trace.scenario.changes
    if right < len(verdicts) and changes and not any(change.startswith("expect") for change in changes):
        yield Prose(view.aloud("verify-hint"), view.say("lead.note"))
    yield from full_labels(trace, view)


def together(found: Sequence[Sequence[Verdict]], view: View) -> Iterator[Block]:
    """How many hold in all, where there are several scenarios."""
    if len(found) > 1:
        every = [verdict.right for verdicts in found for verdict in verdicts]
        yield Heading(view.say("verify-together"))
        yield Prose(view.say("verify-all", right=sum(every), all=len(every), count=len(found)))


def update(trace: Trace, verdicts: Sequence[Verdict], corrections: Sequence[Correction], view: View) -> Iterator[Block]:
    """Every number that is put right, the first thousand of them, as it was printed and as it is written now."""
    yield _heading(trace, view)
    if corrections:
        told = corrections[:MOST_WRONG]
        rows = tuple((_number(c.verdict.printed, view), _number(c.written, view)) for c in told)
        yield _table(trace, [c.verdict for c in told], ("printed", "written"), rows, view)
        yield from _more(corrections, "update-more", view)
    elif not verdicts:
        yield Prose(view.say("verify-nothing"), view.say("lead.note"))
        return
    code = "update-summary" if corrections else "update-none"
    yield Prose(view.say(code, count=len(corrections), all=len(verdicts)))
    yield from full_labels(trace, view)


def _more(listed: Sequence[object], code: str, view: View) -> Iterator[Block]:
    if (more := len(listed) - MOST_WRONG) > 0:
        yield Prose(view.say(code, count=more))


def _heading(trace: Trace, view: View) -> Heading:
    return Heading(escaped(trace.scenario.name), aside=arithmetic_in_words(trace, view))


def _table(
    trace: Trace, verdicts: Sequence[Verdict], columns: Sequence[str], rows: tuple[tuple[Figure, ...], ...], view: View
) -> Matrix:
    """A line for each verdict under its cell's name."""
    names = tuple(verdict.cell + in_brackets(step_of(trace, verdict), verdict.place, view) for verdict in verdicts)
    heads = tuple(view.say(f"column.{name}") for name in columns)
    return Matrix("", view.say("column.cell"), "", names, heads, rows, False)


def _row(verdict: Verdict, view: View) -> tuple[Figure, ...]:
    word = view.say("verdict-right" if verdict.right else "verdict-wrong")
    return _number(verdict.printed, view), _number(verdict.shown, view), Figure(word)


def _number(text: str, view: View) -> Figure:
    return Figure(view.number(text))
