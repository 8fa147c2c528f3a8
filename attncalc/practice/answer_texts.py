"""Answers as they are typed after `--answer`: `weights[draw]=0.62 0.12 0.19 0.08`, a whole step, a row or a cell."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.labels import WORD
from attncalc.core.stage import Step, Trace
from attncalc.errors import AttncalcError, Fault, UsageError, shortened
from attncalc.explore.cells import IN_BRACKETS, Index, find_cell, index_of, length, places_said, position
from attncalc.explore.placing import WrongShape, leaves_out_ones
from attncalc.practice.answered import Answered
from attncalc.practice.assembling import Assembly
from attncalc.practice.fitting import COLUMNS, Fitted, filled_up, fitted, meant, step_named, with_terms
from attncalc.practice.numbers_typed import TypedNumber, entries_of, one_form, row_typed, unlabelled
from attncalc.practice.working_out import within_reason
from attncalc.scenario_files.edits import segments_of

OPTION = "--answer"
MOST_LEVELS = 5  # of brackets inside each other: a step has no more axes
NAME = re.compile(r"[^\s\[.]*")
FIRST = re.compile(r'((?:"[^"]*"|\[[^\]]*\]|[^="\[])*)=(.*)', re.DOTALL)
"""What stands before the first sign of equality that is in no brackets or quotes, and after it."""


class Target(NamedTuple):
    """What a text answers: a step, the words for a place on its first axes, the batch entry and the head."""

    step: Step
    words: list[str]
    batch: int
    head: int


class Found(NamedTuple):
    """Numbers with the index of each in the cells of a step, and their convention."""

    step: Step
    cells: list[tuple[Index, TypedNumber | None]]
    convention: str = ""


@within_reason()
def answers_in_texts(trace: Trace, texts: Sequence[str], batch: int = 0, head: int = 0) -> tuple[Answered, ...]:
    """The answers of texts such as `weights[draw][I]=0.62`, in the order of the steps.

    Rows of a table are separated by semicolons or stand in brackets. A row or table without its batch entry and head is
    that of `batch` and `head`. A cell that is answered twice is refused; raises a UsageError with every fault.
    """
    assembly = Assembly(trace, OPTION)
    cells: dict[str, Values] = {}
    found: list[Found] = []
    for text in texts:
        try:
            found.append(_found(trace, text, batch, head))
        except AttncalcError as error:
            place = f"{OPTION} {shortened(text)}"
            assembly.add(*(fault._replace(place=place) for fault in error.faults))
            if any(fault.code == "typed-many" for fault in error.faults):
                break
    for step, numbers, _ in found:
        whole = cells.setdefault(step.name, np.full(step.cells.shape, None, dtype=object))
        for index, number in numbers:
            if number is not None and whole[index] is not None:
                assembly.report(assembly.cell(step, index), "answers-twice")
            whole[index] = number if number is not None else whole[index]
    steps = {step.name: (step, convention) for step, _, convention in found}
    return assembly.answers([assembly.typed(step, Fitted(cells[name], said)) for name, (step, said) in steps.items()])


def _found(trace: Trace, text: str, batch: int, head: int) -> Found:
    """The numbers of one text, each with its cell."""
    whole = text if "=" in text else text.replace("＝", "=")
    left, equals, right = whole.rpartition("=")
    if not equals or not left.strip() or not right.strip():
        raise UsageError.of("answer-syntax")
    first = FIRST.fullmatch(whole)
    try:
        return _read(trace, left.strip(), right, batch, head)
    except AttncalcError:
        # Signs of equality may stand behind labels, before a sum, or be tokens.
        if not first or first[1] == left or _name(trace, first[1].strip())[1] not in trace:
            raise
    return _read(trace, first[1].strip(), first[2], batch, head)


def _read(trace: Trace, left: str, right: str, batch: int, head: int) -> Found:
    """The numbers on the right of a sign of equality, for the cells that stand left of it."""
    word, _ = _name(trace, left)
    step = step_named(trace, word)
    target = Target(step, _words(left[len(word) :].strip()), batch, head)
    trace = with_terms(trace, step.name)
    right = _in_order(step, right)
    if _is_single(right):
        (number,) = row_typed(right)
        return Found(step, [(find_cell(trace, [step.name, *target.words], batch, head).place, number)])
    return _table(trace, target, right)


def _name(trace: Trace, left: str) -> tuple[str, str]:
    """The word for a step that a text begins with, and the step that it means."""
    words = (re.split(r"[\[.]", left)[0].strip(), str(NAME.match(left)[0]))  # type: ignore[index]
    word = next((word for word in words if meant(trace, word) in trace), words[1])
    return word, meant(trace, word)


def _in_order(step: Step, text: str) -> str:
    """A row, its numbers in the order of the tokens where they stand behind their labels."""
    axis = [axis for axis in step.stage.layout if axis != "one"][-1]
    return unlabelled(text, step.labels[axis]) if axis in step.labels else text


def _words(rest: str) -> list[str]:
    """The words after a step: in brackets, after points, or between blanks."""
    if rest.startswith("[") and rest.endswith("]"):
        return [word.strip() for word in IN_BRACKETS.findall(rest)]
    if rest.startswith("."):
        segments, end = segments_of(rest)
        if end == len(rest):
            return [json.dumps(s.text) if s.quoted else s.text for s in segments]
    return WORD.findall(rest)


def _is_single(text: str) -> bool:
    """Whether a text is one number, not a row of one."""
    return len(entries_of(text)) == 1 and one_form(text)[-1] not in ",;]"


# --- rows and tables ------------------------------------------------------------------------------


def _table(trace: Trace, target: Target, text: str) -> Found:
    """The numbers of a row or a table, each with its cell."""
    step = target.step
    axes = [axis for axis in step.stage.layout[2:] if axis != "one"]
    if len(target.words) > len(axes):
        find_cell(trace, [step.name, *target.words])  # which says how many places there are
    refused: list[AttncalcError] = []
    for spare in _spare(step, axes, len(target.words)):
        chosen = [axis for axis in axes if axis not in spare]
        try:
            at = {axis: position(step, axis, word, "") for axis, word in zip(chosen, target.words, strict=False)}
            return _placed(trace, target, at, text)
        except AttncalcError as error:
            refused.append(error)
    raise refused[0]


def _spare(step: Step, axes: Sequence[str], words: int) -> Iterator[Sequence[str]]:
    """The axes of length 1 that the words may pass over, none first."""
    yield ()
    ones = [axis for axis in axes if words and length(step, axis) == 1]
    for count in range(1, len(ones) + 1):
        yield ones[:count]


def _placed(trace: Trace, target: Target, at: dict[str, int], text: str) -> Found:
    """The numbers on the axes that the words leave open."""
    step = target.step
    start = index_of(trace, step, target.batch, target.head, at)
    layout = step.stage.layout
    rest = tuple(1 if axis in at else n for axis, n in list(zip(layout, step.cells.shape, strict=True))[2:])
    rows = _nested(text, single=len([n for n in rest if n > 1]) < 2)
    given = numbers = _array(_seen(trace, target, at, rows))
    if not at and (whole := _whole(step, numbers)) is not None:
        return Found(step, list(np.ndenumerate(whole)))
    convention = ""
    if not leaves_out_ones(numbers.shape, rest):
        numbers, convention = numbers.swapaxes(-1, -2) if numbers.ndim > 1 and not at else numbers, COLUMNS
    if not leaves_out_ones(numbers.shape, rest):
        raise _misfit(target, at, given.shape, tuple(n for n in rest if n > 1) or (1,))
    inner = np.ndenumerate(numbers.reshape(rest))
    return Found(step, [((*start[:2], *map(sum, zip(start[2:], at_, strict=True))), n) for at_, n in inner], convention)


def _seen(trace: Trace, target: Target, at: dict[str, int], rows: list[Any]) -> list[Any]:
    """The rows, with gaps for hidden keys where they hold a number for each key that is seen."""
    queries = length(target.step, "query") if "query" in target.step.stage.layout else 0
    if "key" in at or not queries:
        return rows
    if "query" in at or queries == 1:
        return filled_up(trace, target.step, rows, at.get("query", 0), target.batch, target.head)
    if len(rows) != queries or not all(isinstance(row, list) for row in rows):
        return rows
    return [filled_up(trace, target.step, row, query, target.batch, target.head) for query, row in enumerate(rows)]


def _misfit(target: Target, at: dict[str, int], found: tuple[int, ...], wanted: tuple[int, ...]) -> AttncalcError:
    """Numbers that do not fit: rows that are too few, or too many, for those of the step; any other shape."""
    step = target.step
    last = (0,) * (step.cells.ndim - 2) + (wanted[0] - 1, 0)  # the row that `explain` shows
    example = f"{step.name}[{places_said(step, last)[0]}]" if not at and len(wanted) == 2 else ""
    if example and len(found) == 2 and found[1] == wanted[1]:
        fields: dict[str, Any] = {"count": found[0], "wanted": wanted[0], "step": step.name, "example": example}
        return UsageError.of("answers-rows", **fields)
    shapes = WrongShape(found, wanted).fields
    if example and (len(found) == 1 or found[0] == 1):
        return UsageError.of("answers-shape-typed", **shapes, step=step.name, example=example)
    return UsageError.of("answers-shape", **shapes, step=" ".join((step.name, *target.words)))


def _whole(step: Step, numbers: Values) -> Values | None:
    """The numbers of all heads and batch entries at once; None where they are those of one."""
    try:
        found = fitted(numbers, step)
    except WrongShape:
        return None
    return None if found.convention else found.numbers


def _nested(text: str, single: bool, level: int = 0) -> list[Any]:
    """Rows in brackets, rows between semicolons, or a single row, where there is but one."""
    inner = text.strip()
    if level == MOST_LEVELS:
        raise UsageError.of("answer-syntax")
    if re.match(r"\[\s*\[", inner) and inner.endswith("]"):
        parts = _bracketed(inner[1:-1])
        return [_nested(part, True, level + 1) for part in parts]
    if single:
        return list(row_typed(inner))
    return [row_typed(row) for row in re.split(r"[;；\n]|\\\\", inner.strip("[]")) if row.strip()]


def _bracketed(text: str) -> list[str]:
    """The outermost brackets of a text, one after another."""
    parts, depth, start = [], 0, 0
    for place, character in enumerate(text):
        if character == "[":
            start = place if depth == 0 else start
            depth += 1
        elif character == "]":
            depth -= 1
            if depth == 0:
                parts.append(text[start : place + 1])
    return parts


def _array(rows: list[Any]) -> Values:
    """Nested lists as an object array; a UsageError where a row is longer than the first."""
    shape: list[int] = []
    flat: list[Any] = [rows]
    while flat and isinstance(flat[0], list):
        lengths = [len(row) if isinstance(row, list) else -1 for row in flat]
        for number, found in enumerate(lengths, start=1):
            if found != lengths[0]:
                fault = Fault("", "answer-ragged", {"number": number, "found": found, "wanted": lengths[0]})
                raise UsageError([fault])
        shape.append(lengths[0])
        flat = [cell for row in flat for cell in row]
    cells = np.empty(len(flat), dtype=object)
    for at, number in enumerate(flat):
        cells[at] = number
    return cells.reshape(shape)
