"""Tidy CSV: one number a line, the axes it stands on as columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from itertools import chain, product
from operator import add
from typing import Any

from attncalc.core.keeping import kept
from attncalc.core.labels import distinct
from attncalc.core.stage import AXES, Step, Trace
from attncalc.document.view import View
from attncalc.messages.safe_text import escaped
from attncalc.renderers.json import values
from attncalc.scenario_files.json_writing import gathered, scalar, texts


def render(trace: Trace, view: View) -> str:
    """The header and every cell of every step that is asked for."""
    return "".join(parts(trace, view))


def parts(trace: Trace, view: View) -> Iterator[str]:
    """The same piece by piece."""
    yield ",".join(("step", *AXES, "value")) + "\n"
    for step in trace:
        if view.wants(step):
            yield from gathered(_lines(trace, step))


def _lines(trace: Trace, step: Step) -> Iterator[str]:
    """The lines of a step, those along its last axis together: what stands before their numbers is made once."""
    names = [_names(step, axis) for axis in AXES]
    last = AXES.index(step.axes[-1])
    starts = (",".join((step.name, *outer)) + "," for outer in product(*names[:last]))
    ends = [",".join(inner) + "," for inner in product(*names[last:])]
    for start, row in zip(starts, _rows(values(trace, step), len(step.axes)), strict=True):
        numbers = (text.strip('"') for text in texts(row))
        yield start + f"\n{start}".join(map(add, ends, numbers)) + "\n"


def _rows(nested: list[Any], axes: int) -> list[Any]:
    """The innermost lists of nested ones, in order."""
    for _ in range(axes - 2):
        nested = list(chain.from_iterable(nested))
    return [nested] if axes == 1 else nested


def _names(step: Step, axis: str) -> list[str]:
    """The column of an axis at each of its positions; empty where the step has no such axis."""
    if axis not in step.axes:
        return [""]
    if axis in step.labels:
        return _labels(step.labels[axis])
    return [label_cell(None, place) for place in range(step.shape[step.axes.index(axis)])]


@kept
def _labels(labels: Sequence[str]) -> list[str]:
    """The column of an axis that has labels: the same tokens stand in nearly every step."""
    told = distinct(labels)
    return [_quoted(label_cell(told, place)) for place in range(len(told))]


def _quoted(text: str) -> str:
    """A cell as it stands between commas."""
    line = io.StringIO(newline="")
    csv.writer(line, lineterminator="").writerow((text, ""))
    return line.getvalue()[:-1]


def label_cell(labels: tuple[str, ...] | None, position: int) -> str:
    """A label as a cell, or the position where an axis has no labels."""
    if labels is None:
        return str(position)
    text = escaped(labels[position])
    # A spreadsheet would calculate a cell that begins so; the quote makes it text there.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def value_cell(value: object) -> str:
    """A number of the JSON as a cell."""
    return scalar(value).strip('"')
