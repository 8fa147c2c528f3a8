"""What a quiz says: to an answer, and as a hint."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell, Expression, Number, with_numbers
from attncalc.core.figures import figure
from attncalc.core.numbers import figure_of, operand
from attncalc.core.stage import Step
from attncalc.document.blocks import Block, Derivation, Line, Prose
from attncalc.document.findings import together, told
from attncalc.document.heading import equation, name_of, why_code
from attncalc.document.matrices import has_mask_picture, mask_picture
from attncalc.document.naming import name_in
from attncalc.document.quiz_task import cell_labels, here, points
from attncalc.document.reading import reading
from attncalc.document.view import View, shown_tree
from attncalc.explore.cells import Index
from attncalc.messages.safe_text import visible
from attncalc.practice.quiz import Question
from attncalc.practice.quiz_own import OwnNumbers, last_wrong, own_numbers, wrong_cells
from attncalc.practice.quiz_state import MOST_HINTS, QUARTERS, Judged, State
from attncalc.practice.verdicts import FOLLOW_THROUGH, MISTAKE, Finding

MOST_OTHERS = 3


# --- an answer ------------------------------------------------------------------------------------


def judged(before: State, found: Judged, view: View) -> Iterator[Block]:
    """What is said to an answer."""
    view = here(before.quiz, view)
    if found.short:
        code, lead = ("quiz-short", "right") if found.as_written else ("quiz-too-short", "decimals")
        yield Prose(view.say(code, places=before.quiz.places), view.say(f"quiz-lead-{lead}"))
    elif found.accepted:
        yield from _right(before, found, view)
    else:
        yield from _wrong(before, found, view)
        if found.again:
            yield Prose(view.say("quiz-same"))


def _right(before: State, found: Judged, view: View) -> Iterator[Block]:
    verdict, done = found.verdict, found.state.done[-1]
    texts = [] if done.quarters == QUARTERS else [view.say("quiz-points", points=points(done.quarters))]
    if verdict.verdict == FOLLOW_THROUGH:
        texts.append(view.say("quiz-from-yours"))
    texts += [told(found.diagnosis, verdict, finding, view).what for finding in verdict.findings]
    yield Prose(together(texts, view), view.say("quiz-lead-right")) if texts else Prose(view.say("quiz-right"))
    if not verdict.sheet.all_right and verdict.verdict != FOLLOW_THROUGH:
        yield _answer(before, view, view.say("quiz-lead-exact"))
    if done.step == "weights" and verdict.verdict != FOLLOW_THROUGH:
        yield from reading(before.quiz.trace, view, before.quiz.row)


def _wrong(before: State, found: Judged, view: View) -> Iterator[Block]:
    """What went wrong, as far as it is known, and never the right number."""
    findings = found.verdict.findings
    mistakes = [finding for finding in findings if finding.kind == MISTAKE]
    slips = [finding for finding in findings if finding.kind.startswith("slip")]
    if mistakes:
        yield from _mistakes(found, mistakes, view)
    elif slips:
        first, *others = (_slip(found, finding, view) for finding in slips[: MOST_OTHERS + 1])
        yield Prose(_careful(found, first, view), view.say("quiz-lead-wrong"))
        yield from (Prose(text, view.say("quiz-lead-or")) for text in others)
    else:
        yield Prose(_first_wrong(before, found, view), view.say("quiz-lead-wrong"))


def _careful(found: Judged, text: str, view: View) -> str:
    """One number alone proves nothing."""
    return view.say("check-consistent", text=text) if found.verdict.alone else text


def _mistakes(found: Judged, mistakes: Sequence[Finding], view: View) -> Iterator[Block]:
    """The likeliest mistake with why and how, and those that give the same numbers."""
    first, *others = (told(found.diagnosis, found.verdict, finding, view) for finding in mistakes)
    yield Prose(_careful(found, first.what, view), view.say("quiz-lead-wrong"))
    yield Prose(first.why, view.say("lead.why"))
    yield Prose(first.how, view.say("lead.how"))
    for other in others[:MOST_OTHERS]:
        yield Prose(other.what, view.say("quiz-lead-or"))


def _slip(found: Judged, finding: Finding, view: View) -> str:
    """A slip without the right number, which is still asked for."""
    code = "quiz-inside" if finding.kind == "slip-inside" else f"quiz-slip.{finding.name}"
    fields = {name: _said(found, value, view) for name, value in finding.fields.items()}
    return view.say(code, **fields)


def _said(found: Judged, value: Any, view: View) -> Any:
    """A field of a slip in words: cells by name, terms and numbers as they are shown."""
    if isinstance(value, Cell):
        return name_in(found.diagnosis.trace, value, view)
    if isinstance(value, Expression):
        return view.notation().print(shown_tree(found.diagnosis.trace, value))
    if isinstance(value, Decimal | float):
        return view.number(figure(value, found.state.quiz.places))
    return view.number(value) if isinstance(value, str) else value


def _first_wrong(before: State, found: Judged, view: View) -> str:
    """The first number that is off, from the learner's own numbers where they went on from some."""
    sheet = found.verdict.sheet
    wrong = wrong_cells(own_numbers(before), sheet)
    if not wrong:  # each fits by itself, but not together
        return view.say("quiz-wrong")
    given = view.number(str(sheet.answered.texts[wrong[0]]))
    return view.say("quiz-first-wrong", cell=name_in(before.quiz.trace, Cell(sheet.name, wrong[0]), view), given=given)


# --- hints and answers ----------------------------------------------------------------------------


def hinted(before: State, view: View) -> Iterator[Block]:
    """The next hint: the formula, then the numbers put in, then the answer."""
    asked = before.question
    if asked is None:
        return
    view, step = here(before.quiz, view), before.quiz.trace[asked.step]
    lead = view.say("quiz-hint", number=before.hints + 1, all=MOST_HINTS)
    if before.hints == 0:
        shown = equation(before.quiz.trace, step, view)
        yield Prose(view.equation(shown) if shown else "", lead)
        yield Prose(view.say(f"why.{why_code(before.quiz.trace.scenario, step)}"))
    elif before.hints == 1:
        yield Prose(view.say("quiz-put-in"), lead)
        yield from _put_in(before, asked, step, view)
    else:
        yield _answer(before, view, lead)


def _put_in(before: State, asked: Question, step: Step, view: View) -> Iterator[Block]:
    """The numbers put in, without what they give: of the first wrong number, or of the whole row; a mask as it is."""
    if has_mask_picture(before.quiz.trace, step):
        keys = [cell[3] for cell in asked.cells]
        yield from mask_picture(before.quiz.trace, view, [before.quiz.row.query], keys)
        return
    wrong = last_wrong(before)
    own = own_numbers(before)
    lines = []
    for cell, label, hidden in zip(asked.cells, cell_labels(before.quiz, asked), asked.hidden, strict=True):
        if (wrong and cell != wrong[0]) or (hidden and step.cells[cell] == MINUS_INFINITY):
            continue
        tree = _shown(own, own.tree(step, cell))
        lines.append(Line(name_in(before.quiz.trace, Cell(step.name, cell), view), label, tree, view.signs.equals, "?"))
    yield Derivation(tuple(lines))


def _shown(own: OwnNumbers, tree: Expression) -> Expression:
    """The tree with every number as a text: the learner's as typed, the others as their step shows them."""

    def text(number: Number) -> str:
        typed = own.texts.get((number.cell.name, number.cell.place)) if number.cell is not None else None
        return operand(own.trace, number) if typed is None else typed

    return with_numbers(tree, text)


def _answer(before: State, view: View, lead: str) -> Block:
    """The right row, or what follows from the learner's own numbers, cell by cell in one line."""
    quiz, asked = before.quiz, before.question
    if asked is None:
        raise ValueError("no question")
    own, step = own_numbers(before), quiz.trace[asked.step]
    texts = [view.number(figure_of(quiz.trace, step, _value(own, step, cell))) for cell in asked.cells]
    texts = [
        view.signs.hidden if hidden and _is_hidden(step, cell) else text
        for text, hidden, cell in zip(texts, asked.hidden, asked.cells, strict=True)
    ]
    by_key = step.stage.layout[3] == "key"
    named = [f"{label} {text}" for label, text in zip(cell_labels(quiz, asked), texts, strict=True)]
    return Prose(view.say("list-comma").join(named if by_key else texts), lead)


def _value(own: OwnNumbers, step: Step, cell: Index) -> Any:
    return own.value(step.name, cell) if step.name in own.touched else step.cells[cell]


def _is_hidden(step: Step, cell: Index) -> bool:
    return bool(step.cells[cell] == 0 or step.cells[cell] == MINUS_INFINITY)


def so_far(state: State, view: View) -> Iterator[Block]:
    """The row of each question behind: as it was typed, or the right one where nothing that counts was."""
    for number, done in enumerate(state.done):
        before = State(state.quiz, state.done[:number])
        step = state.quiz.trace[done.step]
        lead = name_of(step, view)
        yield Prose(visible(done.answers[-1]), lead) if done.counts else _answer(before, here(state.quiz, view), lead)


def skipped(before: State, view: View) -> Iterator[Block]:
    """The answer to a question that was skipped."""
    yield _answer(before, here(before.quiz, view), view.say("quiz-lead-answer"))
