"""Cells by name: `weights draw I` is the cell of the step `weights` where the query `draw` meets the key `I`."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import partial

from attncalc.core.expression import Cell
from attncalc.core.keeping import kept
from attncalc.core.labels import WHOLE, Numbered, known, places_by_label, places_named, unquoted
from attncalc.core.rows import own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.errors import AttncalcError, UsageError, nearest
from attncalc.messages import Word
from attncalc.scenario_files.edits import segments_of

Index = tuple[int, ...]

IN_BRACKETS = re.compile(r"""\[("(?:[^"\\]|\\.)*"|.*?)\](?=\[|$)""", re.DOTALL)
"""A place in brackets; a label may have brackets of its own, `weights[0][[CLS]]`."""


def find_cell(trace: Trace, words: Sequence[str], batch: int = 0, head: int = 0) -> Cell:
    """The cell that the words name: a step, then a place on each of its axes but batch and head.

    A place is a label, a position from 0, or a label in quotes; brackets work too (`weights[draw][I]`). Axes of length
    1 may be left out, the first of them first. `head` is a query head: of a step with fewer heads the one that it reads
    is meant.
    Raises a UsageError that names the axes and their labels.
    """
    name, *places = parted([step.name for step in trace], words)
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
    return (*own_place(trace, step, batch, head), *(found.get(axis, 0) for axis in step.stage.layout[2:]))


def cell_name(trace: Trace, cell: Cell) -> str:
    """`weights draw I`: the step and its places as they may be typed; a path for a given number."""
    if cell.given:
        return trace.scenario.path_of(cell.name, cell.place)
    return name_in(trace[cell.name], cell.place)


def name_in(step: Step, index: Index) -> str:
    """The same for a place in a step that is at hand."""
    return " ".join((step.name, *places_said(step, index)))


def typed_name(trace: Trace, cell: Cell) -> str:
    """`weights draw I --head 2`: what is typed after `why SCENARIO` to come to the cell, in every language."""
    return cell_name(trace, cell) + ("" if cell.given else as_options(trace, trace[cell.name], cell.place))


def places_said(step: Step, index: Index) -> tuple[str, ...]:
    """The label or position on each axis but batch and head, as it may be typed."""
    places = zip(step.stage.layout[2:], index[2:], strict=True)
    return tuple(_spoken(step, axis, place) for axis, place in places if axis != "one")


def as_options(trace: Trace, step: Step, index: Index) -> str:
    """` --batch 0 --head 2`, as far as the step has these axes; of a shared head its first query head."""
    if "batch" not in step.axes and "head" not in step.axes:
        return ""
    batch, head = index[:2]
    said = {"batch": batch, "head": trace.scenario.first_reader(head, step.cells.shape[1])}
    return "".join(f" --{axis} {place}" for axis, place in said.items() if axis in step.axes)


def length(step: Step, axis: str) -> int:
    """How many places an axis has."""
    return int(step.cells.shape[step.stage.layout.index(axis)])


def names_on(step: Step, axis: str) -> Sequence[str]:
    """The labels of an axis as they were given, or its positions."""
    return step.labels.get(axis) or tuple(map(str, range(length(step, axis))))


def _spoken(step: Step, axis: str, place: int) -> str:
    """A label as it may be typed, or a position where there are no labels."""
    return _as_typed(step.labels[axis], place) if step.labels.get(axis) else str(place)


@kept
def _said(names: Sequence[str]) -> dict[int, str]:
    """What was said of the labels so far: the same few with every cell of a tree."""
    return {}


def _as_typed(names: Sequence[str], place: int) -> str:
    """The first of these that comes back: as the tables show it, in quotes, as the first of several, the position."""
    if isinstance(names, Numbered) and names.numbers[place] == place:
        return str(place)
    said = _said(names)
    if place not in said:
        shown = labels(names)[place]
        forms = [shown] if places_by_label(names)[names[place]][0] < place else [shown, f"{shown}#1"]
        words = (quote(form) for form in forms for quote in (str, partial(json.dumps, ensure_ascii=False)))
        said[place] = next((word for word in words if _comes_back(names, word, place)), str(place))
    return said[place]


def _comes_back(names: Sequence[str], word: str, place: int) -> bool:
    """Whether a line of words keeps a word whole, no command takes it for an option, and it means this place."""
    option = word.startswith("-") and len(word) > 1
    return not option and bool(WHOLE.fullmatch(word)) and _places(names, word) == [place]


def _places(names: Sequence[str], word: str) -> list[int]:
    """The places that a word may mean, by label or position, or else as the tables show the label."""
    if found := places_named(names, word):
        return found
    shown = places_by_label(labels(names))
    return sorted({*shown.get(word, ()), *shown.get(unquoted(word), ())})


def parted(steps: Sequence[str], words: Sequence[str]) -> list[str]:
    """The step and the places; the first word may hold more of them (`weights[draw][I]`, `weights.draw.I`)."""
    if not words:
        raise UsageError.of("no-cell", known=", ".join(steps))
    first, *rest = words
    if first not in steps:
        step, bracket, places = first.partition("[")
        if step in steps and places.endswith("]"):
            return [step, *IN_BRACKETS.findall(bracket + places), *rest]
        segments, end = segments_of(first)
        if segments and end == len(first) and len(segments) > 1:
            return [*(json.dumps(s.text) if s.quoted else s.text for s in segments), *rest]
    return [first, *rest]


def position(step: Step, axis: str, word: str, place: str) -> int:
    """The position of a word on an axis, or a UsageError that lists the labels."""
    names = names_on(step, axis)
    found = _places(names, word)
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
    example = " ".join((step.name, *(_spoken(step, axis, 0) for axis in axes)))
    known_on = {axis: known(names_on(step, axis)) for axis in axes if axis in step.labels}
    last = length(step, "feature") - 1 if "feature" in axes else 0
    fields = {"axes": Word(f"axes.{'-'.join(axes)}"), "example": example, "last": last, **known_on}
    return UsageError.of("cell-places", " ".join(words), **fields)
