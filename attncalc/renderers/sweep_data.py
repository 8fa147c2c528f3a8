"""The JSON (`attncalc-sweep/1`) and the CSV of a sweep."""

from __future__ import annotations

import csv
import io
from typing import Any

from attncalc.core.figures import Literal
from attncalc.core.labels import distinct
from attncalc.core.stage import AXES
from attncalc.document.sweeping import raw_names, reading
from attncalc.document.view import View
from attncalc.explore.sweep import Swept
from attncalc.messages.safe_text import escaped
from attncalc.renderers.csv import label_cell, value_cell
from attncalc.renderers.json import number


def as_document(swept: Swept, view: View) -> dict[str, Any]:
    """A sweep as JSON values, keys in order."""
    scenario, view = swept.trace.scenario, view.in_data()
    return {
        "format": "attncalc-sweep/1",
        "scenario": scenario.name,
        "path": swept.path,
        "step": swept.step.name,
        "batch": swept.row.batch if "batch" in swept.step.axes else None,
        "head": swept.row.head if "head" in swept.step.axes else None,
        "query": scenario.query_tokens[swept.row.query],
        "labels": list(raw_names(swept)),
        "points": [Literal(point.text) for point in swept.points],
        "values": [[number(swept.trace, value) for value in point.cells] for point in swept.points],
        "text": reading(swept, view),
    }


def as_csv(swept: Swept) -> str:
    """Tidy CSV: the columns of a trace's, and before them the value of the number, under its path."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow((escaped(swept.path), "step", *AXES, "value"))
    query = label_cell(distinct(swept.trace.scenario.query_tokens), swept.row.query)
    place = {"batch": str(swept.row.batch), "head": str(swept.row.head), "query": query}
    axis = swept.step.stage.layout[3]
    keys = distinct(swept.step.labels[axis]) if axis in swept.step.labels else None
    for point in swept.points:
        for column, value in enumerate(point.cells):
            here = {**place, axis: label_cell(keys, column)}
            cells = (here[name] if name in swept.step.axes else "" for name in AXES)
            writer.writerow((point.text, swept.step.name, *cells, value_cell(number(swept.trace, value))))
    return text.getvalue()
