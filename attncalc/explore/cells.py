"""Cells by name: `weights draw I` is the cell of the step `weights` where the query `draw` meets the key `I`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from attncalc.core.expression import Cell
from attncalc.core.labels import known, places_named, unquoted
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.errors import AttncalcError, UsageError, nearest
from attncalc.messages import Word
from attncalc.scenario_files.edits import segments_of

IN_BRACKETS = re.compile(r"""\[("(?:[^"\\]|\\.)*"|.*?)\](?=\[|$)""", re.DOTALL)
"""A place in brackets; a label may have brackets of its own, `weights[0][[CLS]]`."""


def find_cell(trace: Trace, words: Sequence[str], batch: int = 0, head: int = 0) -> Cell:
    """The cell that the words name: a step, then a place on each of its axes but batch and head.

    A place is a label, a position from 0, or a label in quotes; brackets work too (`weights[draw][I]`). Axes of length
    1 may be left out, the first of them first. `head` is a query head: of a step with fewer heads the one that it reads
    is meant.
    Raises a UsageError that names the axes and their labels.
    """
    name, *places = _parts(trace, words)
    if name not in trace:
        steps = [step.name for step in trace]
        raise UsageError.of(
            "unknown-step", " ".join(words), found=name, known=", ".join(steps), near=nearest(name, steps)
        )
    step = trace[name]
    axes = [axis for axis in step.stage.layout[2:] if axis != "one"]
    spare = [axis for axis in axes if length(step, axis) == 1][: max(len(axes) - len(places), 0)]
    chosen = [axis for axis in axes if axis not in spare]
    if len(chosen) != len(places):
        raise _wrong_count(step, axes, words)
    found = {axis: position(step, axis, word, " ".join(words)) for axis, word in zip(chosen, places, strict=True)}
    return Cell(name, index_of(trace, step, batch, head, found))


def index_of(trace: Trace, step: Step, batch: int, head: int, found: dict[str, int]) -> tuple[int, ...]:
    """The index into a step's cells of a batch entry, a query head and positions by axis; the first where none is."""
    batches, heads = step.cells.shape[:2]
    return (
        min(batch, batches - 1),
        head * heads // trace.scenario.heads,
        *(found.get(axis, 0) for axis in step.stage.layout[2:]),
    )


def cell_name(trace: Trace, cell: Cell) -> str:
    """`weights draw I`: the step and the labels of the place, without batch and head; a path for a given number."""
    if cell.given:
        return trace.scenario.path_of(cell.name, cell.place)
    step = trace[cell.name]
    places = zip(step.stage.layout[2:], cell.place[2:], strict=True)
    return " ".join((cell.name, *(_spoken(step, axis, place) for axis, place in places if axis != "one")))


def length(step: Step, axis: str) -> int:
    """How many places an axis has."""
    return int(step.cells.shape[step.stage.layout.index(axis)])


def names_on(step: Step, axis: str) -> tuple[str, ...]:
    """The labels of an axis as they were given, or its positions."""
    return step.labels.get(axis) or tuple(map(str, range(length(step, axis))))


def _spoken(step: Step, axis: str, place: int) -> str:
    """A label as it may be typed: one that looks like another position stands in quotes."""
    label = labels(names_on(step, axis))[place]
    return f'"{label}"' if label.isascii() and label.isdigit() and int(label) != place else label


def _parts(trace: Trace, words: Sequence[str]) -> list[str]:
    """The step and the places; the first word may hold more of them (`weights[draw][I]`, `weights.draw.I`)."""
    if not words:
        raise UsageError.of("no-cell", known=", ".join(step.name for step in trace))
    first, *rest = words
    if first not in trace:
        step, bracket, places = first.partition("[")
        if step in trace and places.endswith("]"):
            return [step, *IN_BRACKETS.findall(bracket + places), *rest]
        segments, end = segments_of(first)
        if segments and end == len(first) and len(segments) > 1:
            return [*(json.dumps(s.text) if s.quoted else s.text for s in segments), *rest]
    return [first, *rest]


def position(step: Step, axis: str, word: str, place: str) -> int:
    """The position of a word on an axis, or a UsageError that lists the labels."""
    names = names_on(step, axis)
    found = places_named(names, word)
    if not found and word.startswith("[") and word.endswith("]"):
        return position(step, axis, word[1:-1], place)
    if len(found) > 1:
        raise UsageError.of("ambiguous-token", place, found=unquoted(word), count=len(found))
    if not found:
        code = "no-such-place" if axis in step.labels else "no-such-feature"
        fields = {"found": word or '""', "axis": Word(f"axis.{axis}"), "known": known(names), "last": len(names) - 1}
        raise UsageError.of(code, place, **fields)
    return found[0]


def _wrong_count(step: Step, axes: Sequence[str], words: Sequence[str]) -> AttncalcError:
    """A cell with too few or too many places: the axes, their labels, and an example."""
    unclear = {axis for axis in axes if names_on(step, axis).count(names_on(step, axis)[0]) > 1}
    example = " ".join((step.name, *("0" if axis in unclear else _spoken(step, axis, 0) for axis in axes)))
    known_on = {axis: known(names_on(step, axis)) for axis in axes if axis in step.labels}
    last = length(step, "feature") - 1 if "feature" in axes else 0
    fields = {"axes": Word(f"axes.{'-'.join(axes)}"), "example": example, "last": last, **known_on}
    return UsageError.of("cell-places", " ".join(words), **fields)
