"""The JSON of a comparison (`attncalc-compare/1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attncalc.core.expression import Cell
from attncalc.core.figures import WIDE
from attncalc.core.stage import Step, Trace
from attncalc.document.comparison import conclusions
from attncalc.document.view import View
from attncalc.explore.cells import typed_name
from attncalc.explore.compare import Compared, Part, Variant, by_size, cells_of
from attncalc.renderers.json import arithmetic_of, number, values


def as_document(
    variants: Sequence[Variant], steps: Sequence[Compared], part: Part, view: View
) -> dict[str, Any]:  # fmt: skip
    """A comparison as JSON values, keys in order; of all `steps` those that are wanted are listed."""
    different = [step.name for step in steps if not step.same]
    view = view.in_data()
    return {
        "format": "attncalc-compare/1",
        "variants": [_variant(variant) for variant in variants],
        "same": not different,
        "first_difference": different[0] if different else None,
        "steps": [_step(step, view) for step in steps if view.wants(step.first)],
        "text": conclusions(variants, steps, part, view),
    }


def _variant(variant: Variant) -> dict[str, Any]:
    return {
        "name": variant.name,
        "scenario": variant.source,
        "changes": list(variant.changes),
        "arithmetic": arithmetic_of(variant.trace),
    }


def _step(step: Compared, view: View) -> dict[str, Any]:
    first = step.first
    pairs = zip(step.traces, step.steps, strict=True)
    return {
        "name": step.name,
        "title": view.say(f"title.{first.stage.texts()}"),
        "same": step.same,
        "in": list(step.having),
        "axes": list(first.axes),
        "labels": {axis: list(names) for axis, names in first.labels.items()},
        "shape": list(first.shape),
        "values": [_values(trace, found, first) if found is not None else None for trace, found in pairs],
        "largest_difference": _largest(step),
    }


def _values(trace: Trace, step: Step, first: Step) -> Any:
    """The numbers along the axes of the first variant, where the two have as many cells on each of the four."""
    nested = values(trace, step)
    if step.cells.shape != first.cells.shape or step.shape == first.shape:
        return nested
    flat = np.asarray(nested, dtype=object).reshape(first.shape)
    return flat.tolist()


def _largest(step: Compared) -> dict[str, Any] | None:
    """The cell that differs most and by how much: the second number minus the first."""
    cells = cells_of(step, Part(), True) if step.differing is not None else []
    if not cells:
        return None
    index = by_size(step, cells)[0]
    both = all(trace.kind == "by-hand" for trace in step.traces)
    base = step.traces[0] if both else next(trace for trace in step.traces if trace.kind != "by-hand")
    cell = typed_name(step.traces[step.having[0]], Cell(step.name, index))
    return {"cell": cell, "value": number(base, step.largest_at(index).exact.normalize(WIDE))}
