"""The JSON of a summary (`attncalc-summary/1`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.pooling import Map
from attncalc.long.summary import Summary
from attncalc.renderers.summary_npz import arrays
from attncalc.scenario_files.json_writing import written


def render(found: Summary, queries: Sequence[int] | None = None) -> str:
    """The summary on one line: what was asked, then a nested list for each array; of some queries only where named."""
    batch, heads, count, keys = found.problem.grid
    named = found.queries if queries is None else tuple(queries)
    rows: Any = slice(None) if queries is None else list(queries)
    head: dict[str, Any] = {
        "format": "attncalc-summary/1", "arithmetic": found.problem.kind,
        "grid": {"batch": batch, "heads": heads, "queries": count, "keys": keys},
        "top": found.asked.top if found.asked else None, "near": found.asked.near if found.asked else None,
        "queries": None if named is None else list(named), "mean": means(found) if found.queries is None else None,
    }  # fmt: skip
    if found.map is not None:
        head["map"] = map_data(found.map)
    parts = [f"{written(name)}: {''.join(_listed(values[:, :, rows]))}" for name, values in
             arrays(found).items()]  # fmt: skip
    return written(head)[:-1] + ", " + '"axes": ["batch", "head", "query"], "rows": {' + ", ".join(parts) + "}}\n"


def map_alone(found: Summary) -> str:
    """A map and nothing else (`attncalc-map/1`), on one line."""
    assert found.map is not None
    batch, heads, queries, keys = found.problem.grid
    head: dict[str, Any] = {
        "format": "attncalc-map/1", "arithmetic": found.problem.kind,
        "grid": {"batch": batch, "heads": heads, "queries": queries, "keys": keys},
    }  # fmt: skip
    return written(head | map_data(found.map)) + "\n"


def map_data(found: Map) -> dict[str, Any]:
    """The cells of each place, null where no query of the cell may see a key of it, and the edges of the bins."""
    queries, keys = found.edges
    cells = np.where(found.visible, found.values.astype(object), np.array(None)).tolist()
    places = [
        {"batch": batch, "head": "mean" if head is None else head, "cells": rows}
        for (batch, head), rows in zip(found.places, cells, strict=True)
    ]
    return {"pooling": found.pooling.name, "query_edges": queries, "key_edges": keys, "maps": places}


def means(found: Summary) -> dict[str, Any]:
    """The mean over all rows, by head, and the mere average over the heads."""
    return {
        name: {"by_head": values.tolist(), "average": float(values.mean())} for name, values in found.means().items()
    }


def _listed(values: Values) -> Iterator[str]:
    """The nested lists of an array; a float with so many digits as give it back."""
    if values.ndim > 1:
        yield "["
        for place, part in enumerate(values):
            yield ", " if place else ""
            yield from _listed(part)
        yield "]"
    elif values.dtype.kind != "f":
        yield written(values.tolist())
    elif np.isfinite(values).all():
        pattern = "%.9g" if values.dtype == np.float32 else "%.17g"
        yield "[" + ", ".join([pattern] * len(values)) % tuple(values.tolist()) + "]"
    else:
        yield written(values.astype(np.float64).tolist())
