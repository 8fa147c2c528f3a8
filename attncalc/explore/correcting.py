"""What printed numbers that are off have to be, and the text of their file with these in their places."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext
from typing import NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.figures import Literal, figure
from attncalc.core.numbers import places_of
from attncalc.core.stage import Trace
from attncalc.errors import Fault, ScenarioError
from attncalc.explore.verify import Verdict, agrees, expects_terms, step_of, verify
from attncalc.running import run
from attncalc.scenario_files.json_writing import quoted
from attncalc.scenario_files.load import scenario_from
from attncalc.scenario_files.sources import Source
from attncalc.scenario_files.updating import replaced, standing, written_like

HIDDEN = Decimal("-Infinity")
MOST_PLACES = 400


class Correction(NamedTuple):
    """A printed number that is off, and the right one as it is written instead."""

    verdict: Verdict
    written: str


class Corrected(NamedTuple):
    """A scenario file as it was read, what has to change, and its text with the changes."""

    source: Source
    trace: Trace
    verdicts: list[Verdict]
    corrections: list[Correction]
    text: str


def corrected(source: Source) -> Corrected:
    """A scenario file with all its printed numbers right; a ScenarioError where that cannot be.

    Nothing else of its text changes: a number that is off is replaced where it stands.
    """
    text = source.data.decode()
    with localcontext(OWN):
        scenario = scenario_from(source)
    printed = standing(source.document, text)
    scenario = replace(scenario, document={**scenario.document, "expect": printed})
    trace = run(scenario, expects_terms(scenario.document))
    verdicts = verify(trace)
    found = corrections(trace, verdicts)
    changes = {c.verdict.number.span: quoted(c.written) if c.verdict.value == HIDDEN else c.written for c in found}
    return Corrected(source, trace, verdicts, found, replaced(text, changes))


def corrections(trace: Trace, verdicts: Sequence[Verdict]) -> list[Correction]:
    """What has to change for every printed number to hold; a ScenarioError where no JSON number says the right one."""
    found = [Correction(verdict, _written(trace, verdict)) for verdict in verdicts if not verdict.right]
    faults = [
        Fault(f"{trace.scenario.name}: expect: {verdict.cell}", "update-no-number", {"found": verdict.shown})
        for verdict, written in found if not written
    ]  # fmt: skip
    if faults:
        raise ScenarioError(faults)
    return found


def _written(trace: Trace, verdict: Verdict) -> str:
    """The first way of writing the number that holds; an empty text where JSON has none."""
    if not verdict.value.is_finite():
        return str(HIDDEN) if verdict.value == HIDDEN else ""
    rounding, weight = trace.scenario.rounding, verdict.step == "weights"
    for text in _ways(trace, verdict):
        if text and agrees(verdict.value, Literal(text), rounding, weight):
            return text if _fits(text) else ""
    return ""


def _ways(trace: Trace, verdict: Verdict) -> Iterator[str]:
    """As the printed number is, as it is shown, then with more and more places."""
    rounding, places = trace.scenario.rounding, places_of(trace, step_of(trace, verdict))
    if verdict.printed != str(HIDDEN):
        yield written_like(verdict.value, verdict.printed, rounding)
    yield verdict.shown
    yield from (figure(verdict.value, more, rounding) for more in range(places + 1, MOST_PLACES))


def _fits(text: str) -> bool:
    """Whether a scenario may hold the number, as a double does."""
    number = float(text)
    return math.isfinite(number) and bool(number or not Literal(text))
