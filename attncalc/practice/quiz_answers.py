"""A line that is typed as the answer to a question of a quiz: which cell each number is for, and what it may not be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.figures import as_decimal
from attncalc.core.numbers import figure_of
from attncalc.core.tokens import labels
from attncalc.errors import UsageError
from attncalc.explore.cells import Index
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS, Answered
from attncalc.practice.assembling import HIDING, Assembly
from attncalc.practice.fitting import Fitted
from attncalc.practice.numbers_typed import TypedNumber, entries_of, one_form, row_typed, unlabelled
from attncalc.practice.quiz import Question, Quiz

DOT = "·"
ZERO = TypedNumber(Decimal(0), Decimal(0), "0")
NEVER = TypedNumber(MINUS_INFINITY, Decimal(0), "-inf")
ONE_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")

LONGEST = 10_000
"""Characters of an answer."""

Entry = TypedNumber | None


def answered(quiz: Quiz, question: Question, text: str) -> Answered:
    """The answer that a line is; a UsageError that says why it is none.

    There is a number for each cell, or for each that is seen. A hidden cell may be left out, or have what stands for
    hidden: a dot, −∞, after the mask 0.
    """
    if len(text) > LONGEST:
        raise UsageError.of("quiz-long", count=len(text), most=LONGEST)
    by_key = any(question.hidden) or _is_by_key(quiz, question)
    entries = _entries(question, unlabelled(text, _tokens(quiz, question)))
    numbers = [_number(quiz, question, entry, number, by_key) for entry, number in entries]
    placed = _placed(quiz, question, numbers)
    gaps = [place for place, number in enumerate(placed) if number is None and not question.hidden[place]]
    if gaps:
        raise UsageError.of("quiz-gap", number=gaps[0] + 1, all=len(question.cells))
    step = quiz.trace[question.step]
    cells = np.full(step.cells.shape, None, dtype=object)
    for cell, number in zip(question.cells, placed, strict=True):
        cells[cell] = number
    assembly = Assembly(quiz.trace, "")
    return assembly.answers([assembly.typed(step, Fitted(cells))])[0]


def _is_by_key(quiz: Quiz, question: Question) -> bool:
    return quiz.trace[question.step].stage.layout[3] == "key"


def _tokens(quiz: Quiz, question: Question) -> list[str]:
    """The tokens of the asked cells; none where these are no cells of keys."""
    tokens = labels(quiz.trace.scenario.tokens)
    return [tokens[cell[3]] for cell in question.cells] if _is_by_key(quiz, question) else []


def _entries(question: Question, text: str) -> list[tuple[str, Entry]]:
    """The entries of a line as texts and as numbers; a comma in a single number is a decimal one."""
    plain = one_form(text)
    if len(question.cells) == 1 and ONE_DECIMAL_COMMA.fullmatch(plain):
        text = plain.replace(",", ".")
    return list(zip(entries_of(text), row_typed(text), strict=True))


def _number(quiz: Quiz, question: Question, entry: str, number: Entry, by_key: bool) -> Entry:
    """What an entry says: a dot, or −∞, that the cell is hidden; an expression is as good as the asked decimals."""
    hidden = one_form(entry) == DOT or (number is not None and number.value == MINUS_INFINITY)
    if not (hidden and by_key):
        wide = number is not None and number.unit is None and number.value.is_finite()
        return replace(number, within=max(number.within, half(quiz))) if number is not None and wide else number
    if question.step not in HIDING:
        return ZERO
    return NEVER if _is_masked(quiz, question) else None


def half(quiz: Quiz) -> Decimal:
    """Half a unit of the last decimal that is asked for."""
    return Decimal((0, (5,), -quiz.places - 1))


def _is_masked(quiz: Quiz, question: Question) -> bool:
    """Whether hidden cells of the step are −∞ already."""
    step = quiz.trace[question.step]
    return any(step.cells[cell] == MINUS_INFINITY for cell in question.cells) or question.step == "masked"


def _placed(quiz: Quiz, question: Question, numbers: Sequence[Entry]) -> list[Entry]:
    """A number, or none, for each cell: those that are given may be for the seen cells alone."""
    if len(numbers) == len(question.cells):
        return list(numbers)
    if len(numbers) == question.visible and question.step != "masked":
        given = iter(numbers)
        return [None if hidden else next(given) for hidden in question.hidden]
    fields: dict[str, Any] = {"found": len(numbers), "count": len(question.cells)}
    if not _is_by_key(quiz, question):
        raise UsageError.of("numbers-wanted", **fields)
    raise UsageError.of("numbers-wanted-for", names=", ".join(_tokens(quiz, question)), **fields)


def too_short(quiz: Quiz, sheet: Sheet) -> bool:
    """Whether a right answer has fewer decimals than are asked for, and could be another number as well."""
    if sheet.answered.precision != DIGITS:  # with all the digits that a program prints
        return False
    return any(_is_short(quiz, sheet, tuple(cell)) for cell in np.argwhere(sheet.given).tolist())


def _is_short(quiz: Quiz, sheet: Sheet, cell: Index) -> bool:
    """Fewer digits than the number is shown with; a number that is whole already needs no zeros."""
    right = as_decimal(sheet.step.cells[cell])
    if not right.is_finite():
        return False
    shown = Decimal(figure_of(quiz.trace, quiz.trace[sheet.name], sheet.step.cells[cell]))
    enough = max(half(quiz), Decimal((0, (5,), int(shown.as_tuple().exponent) - 1)))
    is_exact = sheet.answered.exact[cell] == shown == right
    return bool(sheet.answered.within[cell] > enough and not is_exact)
