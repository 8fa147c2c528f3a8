"""Answers one number a line, each with its place, as `run --format csv` writes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import AXES, Step
from attncalc.errors import Fault, UsageError, nearest, shortened, some
from attncalc.explore.cells import length, names_on
from attncalc.messages import Word
from attncalc.practice.answered import Answered
from attncalc.practice.assembling import Assembly
from attncalc.practice.csv_lines import Line, fault, line_of, number_in
from attncalc.practice.fitting import AVERAGED, FROM_ONE, Fitted, Positions, full_shape, meant, positions_of, step_named

COLUMNS = ("step", *AXES, "value")
LABELLED = ("query", "key")
"""The columns of labels, which may have blanks at their ends."""


class Entry(NamedTuple):
    """A line of answers: its number, and what stands under each column."""

    line: int
    words: Mapping[str, str]


def is_tidy(header: Sequence[str]) -> bool:
    """Whether a first line names the columns of such a file."""
    return "step" in header and "value" in header


def answers_by_line(
    assembly: Assembly, header: Sequence[str], lines: Iterable[Line], only: str | None
) -> tuple[Answered, ...]:
    """The answers to every step in the file, or to the one that is asked for."""
    _check_header(assembly, header)
    by_step: dict[str, list[Entry]] = {}
    named: dict[str, str] = {}
    for line in lines:
        if len(line.cells) != len(header):
            fault(assembly, line.number, "answers-line", found=len(line.cells), wanted=len(header))
            continue
        words = {c: cell if c in LABELLED else cell.strip() for c, cell in zip(header, line.cells, strict=True)}
        if words["step"] not in named:
            named[words["step"]] = meant(assembly.trace, words["step"])
        by_step.setdefault(named[words["step"]], []).append(Entry(line.number, words))
    if only is not None:
        wanted = step_named(assembly.trace, only, "--step").name
        if wanted not in by_step:
            raise UsageError.of("answers-not-there", assembly.name, step=wanted, known=some(list(by_step)))
        by_step = {wanted: by_step[wanted]}
    return assembly.answers([_answered(assembly, step, entries) for step, entries in by_step.items()])


def _check_header(assembly: Assembly, header: Sequence[str]) -> None:
    for place, column in enumerate(header):
        path = f"{assembly.name}: {column}"
        if column in header[:place]:
            assembly.add(Fault(path, "repeated-key", {}))
        elif column not in COLUMNS:
            fields = {"known": ", ".join(COLUMNS), "near": nearest(column, COLUMNS)}
            assembly.add(Fault(path, "answers-column", fields))


def _answered(assembly: Assembly, name: str, entries: Sequence[Entry]) -> Answered | None:
    """The answers to one step; None after a report, or where there are none."""
    before = len(assembly.faults)
    try:
        step = step_named(assembly.trace, name, line_of(assembly, entries[0].line))
    except UsageError as unknown:
        assembly.add(*unknown.faults)
        return None
    averaged = step.cells.shape[1] > 1 and not any(entry.words.get("head") for entry in entries)
    axes = [axis for axis in AXES if axis in step.stage.layout and not (axis == "head" and averaged)]
    named = {axis: _positions(assembly, step, axis, entries) for axis in axes}
    _check_other_axes(assembly, step, entries)
    if len(assembly.faults) > before:
        return None
    cells = _filled(assembly, step, named, entries, averaged)
    convention = AVERAGED if averaged else FROM_ONE if any(found.from_one for found in named.values()) else ""
    return assembly.typed(step, Fitted(cells, convention)) if len(assembly.faults) == before else None


def _positions(assembly: Assembly, step: Step, axis: str, entries: Sequence[Entry]) -> Positions:
    """What the words of a column mean; the first line of each that means nothing is reported."""
    first: dict[str, int] = {}
    for entry in entries:
        first.setdefault(entry.words.get(axis, ""), entry.line)
    labels = names_on(step, axis)
    found = positions_of(labels, [word for word in first if word or "" in labels], spelled=True)
    if length(step, axis) == 1:
        found.places[""] = 0
    for word, line in first.items():
        if found.places.get(word) is None:
            if word:
                assembly.unknown_at(line_of(assembly, line), step, axis, word)
            else:
                fault(assembly, line, "answers-no-place", axis=Word(f"axis.{axis}"), step=step.name)
    return found


def _check_other_axes(assembly: Assembly, step: Step, entries: Sequence[Entry]) -> None:
    """Reports a place on an axis that the step does not have; its only batch entry and head are number 0."""
    for axis in AXES:
        fine = ("", "0") if axis in ("batch", "head") else ("",)
        odd = next((entry for entry in entries if entry.words.get(axis, "") not in fine), None)
        if axis not in step.stage.layout and odd is not None:
            fields = {"axis": Word(f"axis.{axis}"), "found": shortened(odd.words[axis]), "step": step.name}
            fault(assembly, odd.line, "answers-no-axis", **fields)


def _filled(
    assembly: Assembly, step: Step, named: Mapping[str, Positions], entries: Sequence[Entry], averaged: bool
) -> Values:
    """The numbers of all lines in the cells of the step; a cell that stands twice is reported."""
    cells = np.full(full_shape(step, **({"head": 1} if averaged else {})), None, dtype=object)
    seen: dict[tuple[int, ...], int] = {}
    for entry in entries:
        index = tuple(
            named[axis].places[entry.words.get(axis, "")] or 0 if axis in named else 0 for axis in step.stage.layout
        )
        if index in seen:
            fault(assembly, entry.line, "answers-twice-line", line=seen[index])
            continue
        seen[index] = entry.line
        cells[index] = number_in(assembly, entry.line, entry.words["value"])
    return cells
