"""`check` of several files: a line for each, and how many are right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.view import View
from attncalc.messages.safe_text import escaped
from attncalc.practice.verdicts import ACCEPTED, Diagnosis, Finding

Judged = tuple[str, Diagnosis]
"""The name of a file, and what was found in it."""

NONE = "-"
MOST_NAMED = 2
"""Of mistakes that give the same numbers the likeliest."""


def diagnoses(found: Sequence[Judged], view: View) -> Iterator[Block]:
    """Verdict, first wrong step and mistakes of each file; then how many are right, and what went wrong how often."""
    trace = found[0][1].trace
    yield Heading(escaped(trace.scenario.name), aside=view.say(f"check-against.{trace.kind}"))
    columns = tuple(view.say(code) for code in ("column.verdict", "check-column.first-wrong", "check-column.mistakes"))
    names = tuple(escaped(name) for name, _ in found)
    rows = tuple(tuple(map(Figure, _row(one, view))) for _, one in found)
    yield Matrix("", view.say("check-column.file"), "", names, columns, rows, False)
    yield Prose(_summary(found, view))


def _row(found: Diagnosis, view: View) -> tuple[str, str, str]:
    first = next((step.name for step in found.steps if step.verdict not in ACCEPTED), NONE)
    names = _names(found)
    more = [view.say("check-more", count=len(names) - MOST_NAMED)] if len(names) > MOST_NAMED else []
    named = view.say("list-comma").join([*names[:MOST_NAMED], *more])
    return view.say(f"check-word.{found.verdict}"), first, named or NONE


def _summary(found: Sequence[Judged], view: View) -> str:
    """`1 of 3 files is right. Found: no-scale (2).`"""
    text = view.say("check-files", right=sum(one.accepted for _, one in found), all=len(found))
    counts = Counter(name for _, one in found for name in _names(one))
    if not counts:
        return text
    often = [name + view.say("in-brackets", text=str(count)) for name, count in counts.most_common()]
    return view.say("check-files-found", text=text, names=view.say("list-comma").join(often))


def _names(found: Diagnosis) -> list[str]:
    """The mistakes and slips, the first first, each once."""
    return list(dict.fromkeys(map(name_of, found.mistakes)))


def name_of(finding: Finding) -> str:
    """The name of a mistake or slip in data: `no-scale`, `slip-sign`."""
    return finding.name if finding.kind == "mistake" else f"{finding.kind}-{finding.name}"
