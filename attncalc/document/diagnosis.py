"""`check`: the verdict on answers as a sentence, what made them wrong, and each number beside the right one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.stage import Trace
from attncalc.document.blocks import Block, Branch, Heading, Prose, Remark, Tree
from attncalc.document.derived import derived
from attncalc.document.diagnosis_cells import (
    Shown,
    averaged,
    cells_tables,
    differences,
    named,
    sheet_of,
    steps_table,
)  # fmt: skip
from attncalc.document.findings import note_of, together, told
from attncalc.document.heading import equation, full_labels
from attncalc.document.view import View
from attncalc.messages.safe_text import escaped
from attncalc.practice.verdicts import (
    FOLLOW_THROUGH,
    MISTAKE,
    RIGHT,
    ROUNDED_INPUTS,
    ROUNDING,
    SLIP,
    UNKNOWN,
    Diagnosis,
    Finding,
    StepVerdict,
)  # fmt: skip

MOST_TOLD = 3
"""Of more mistakes that give the same numbers only what was done is said, unless everything is asked for."""


def diagnosis(found: Diagnosis, view: View) -> Iterator[Block]:
    """The blocks of a whole diagnosis, the verdict first."""
    yield from verdict(found, view)
    yield Heading(escaped(found.trace.scenario.name), aside=view.say(f"check-against.{found.trace.kind}"))
    yield steps_table(found, view)
    yield from first_off(found, view)
    yield from cells_tables(found, view)
    yield from differences(found, view)
    headline = _headline(found)
    for code, text in notes(found, view, without=headline):
        yield Remark(code, text)
    yield from full_labels(found.trace, view)


# --- the verdict ----------------------------------------------------------------------------------


def verdict(found: Diagnosis, view: View) -> Iterator[Block]:
    """The verdict as a sentence, with why and how where a mistake is known; then other mistakes in later steps."""
    by_step = list(groups(found))
    if found.verdict not in (MISTAKE, SLIP):
        yield Prose(_sentence(found, view), view.say(f"check-lead.{found.verdict}"))
    for number, (step, findings) in enumerate(by_step):
        later = number > 0 or found.verdict not in (MISTAKE, SLIP)
        yield from _group(found, step, findings, view, later)


def _sentence(found: Diagnosis, view: View) -> str:
    """What is said of answers in which no mistake and no slip comes first."""
    if found.verdict == RIGHT:
        return view.say("check-right", count=sum(step.sheet.count for step in found.steps))
    if found.verdict in (ROUNDING, ROUNDED_INPUTS):
        step = next(step for step in found.steps if step.verdict == found.verdict)
        finding = _headline(found)
        text = told(found, step, finding, view).what if finding else view.say("check-word.rounding")
        return view.say("check-consistent", text=text) if step.alone else text
    step = next(step for step in found.steps if step.verdict in (UNKNOWN, FOLLOW_THROUGH))
    code = "check-follows" if found.verdict == FOLLOW_THROUGH else "check-unknown"
    return view.say(code, step=view.step_name(step.name))


def _headline(found: Diagnosis) -> Finding | None:
    """The way of rounding that the verdict speaks of."""
    steps = (step for step in found.steps if step.verdict == found.verdict and found.verdict != RIGHT)
    findings = (finding for step in steps for finding in step.findings if finding.kind == "rounded")
    return next(findings, None) if found.verdict in (ROUNDING, ROUNDED_INPUTS) else None


def groups(found: Diagnosis) -> Iterator[tuple[StepVerdict, list[Finding]]]:
    """The mistakes and slips by the step whose answers show them, each where it shows first."""
    said: list[Finding] = []
    for step in found.steps:
        findings = [f for f in step.findings if f.kind in ("mistake", "slip", "slip-inside") and f not in said]
        said += findings
        if findings:
            yield step, findings


def _group(
    found: Diagnosis, step: StepVerdict, findings: Sequence[Finding], view: View, later: bool
) -> Iterator[Block]:  # fmt: skip
    """One mistake with its why and how, or all that give the same numbers, numbered."""
    lead = view.say("check-lead-alone" if step.alone else f"check-lead.{step.verdict}")
    if later:
        lead = view.say("check-lead-in", lead=lead, step=view.step_name(step.name))
    sentences = [told(found, step, finding, view) for finding in findings]
    if len(sentences) == 1:
        (only,) = sentences
        yield Prose(view.say("check-consistent", text=only.what) if step.alone else only.what, lead)
        if only.why:
            yield Prose(only.why, view.say("lead.why"))
            yield Prose(only.how, view.say("lead.how"))
        return
    kind = "mistakes" if step.verdict == MISTAKE else "slips"
    yield Prose(view.say(f"check-{kind}-{'alone' if step.alone else 'all'}"), lead)
    for number, each in enumerate(sentences, 1):
        yield Prose(each.what, str(number))
        if each.why and (view.everything or len(sentences) <= MOST_TOLD):
            yield Prose(together((each.why, each.how), view))


# --- the first number that is off -----------------------------------------------------------------


def first_off(found: Diagnosis, view: View) -> Iterator[Block]:
    """The first number that is not right: how it arises from the right ones, and what was given."""
    first = found.first_wrong
    sheet = sheet_of(found, first.cell.name) if first is not None else None
    if first is None or sheet is None:
        return
    yield Heading(view.say("check-first", cell=named(found, first.cell, view)))
    branch = first_branch(found, view)
    if branch is not None:
        yield Tree((branch,))
    elif sheet.step.stage.given:
        yield Prose(view.say("why-given", path=found.trace.scenario.path_of(first.cell.name, first.cell.place)))
    shown = Shown(found.trace, sheet)
    given, right = shown.given(first.cell.place), shown.right(first.cell.place)
    yield Prose(view.say("check-given", given=view.number(given), right=view.number(right)))


def first_branch(found: Diagnosis, view: View) -> Branch | None:
    """How the first number that is off arises; None where it was given, or is an average over heads."""
    first = found.first_wrong
    sheet = sheet_of(found, first.cell.name) if first is not None else None
    if first is None or sheet is None or sheet.step.stage.given or averaged(sheet):
        return None
    trace: Trace = found.trace
    step, place = trace[first.cell.name], first.cell.place
    hidden = view.say("hidden") if step.cells[place] == MINUS_INFINITY else ""
    arisen = derived(trace, view, step, place)
    return Branch(0, named(found, first.cell, view), *arisen, hidden, equation(trace, step, view))


# --- notes ----------------------------------------------------------------------------------------


def notes(found: Diagnosis, view: View, without: Finding | None = None) -> Iterator[tuple[str, str]]:
    """The code and the sentence of each note: conventions, ways of rounding, what was judged against."""
    said: list[Finding] = [without] if without is not None else []
    for step in found.steps:
        for finding in step.findings:
            if finding.kind in ("rounded", "convention") and finding not in said:
                said.append(finding)
                yield f"{finding.kind}-{finding.name}", note_of(found, step, finding, view)
    if found.trace.kind != "exact":
        yield "judged-in-float64", view.say("check-float64")
