"""Tidy CSV: one number a line, the axes it stands on as columns."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

import numpy as np

from attncalc.core.labels import distinct
from attncalc.core.stage import AXES, Step, Trace
from attncalc.document.view import View
from attncalc.messages.safe_text import escaped
from attncalc.renderers.json import values


def render(trace: Trace, view: View) -> str:
    """The header and every cell of every step that is asked for."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("step", *AXES, "value"))
    for step in trace:
        if view.wants(step):
            writer.writerows(_rows(trace, step))
    return text.getvalue()


def _rows(trace: Trace, step: Step) -> Iterator[list[str]]:
    numbers = np.array(values(trace, step), dtype=object).reshape(step.shape)
    labels = {axis: distinct(step.labels[axis]) for axis in step.labels}
    for index, value in np.ndenumerate(numbers):
        place = dict(zip(step.axes, index, strict=True))
        columns = [label_cell(labels.get(axis), place[axis]) if axis in place else "" for axis in AXES]
        yield [step.name, *columns, value_cell(value)]


def label_cell(labels: tuple[str, ...] | None, position: int) -> str:
    """A label as a cell, or the position where an axis has no labels."""
    if labels is None:
        return str(position)
    text = escaped(labels[position])
    # A spreadsheet would calculate a cell that begins so; the quote makes it text there.
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) else text


def value_cell(value: object) -> str:
    """A number of the JSON as a cell."""
    from attncalc.scenario_files.json_text import scalar

    return scalar(value).strip('"')
