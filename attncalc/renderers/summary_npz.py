"""A summary as arrays: an `.npz`, stored as they are."""

from __future__ import annotations

import io

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.pooling import Map
from attncalc.long.summary import Summary


def render(found: Summary) -> bytes:
    """The arrays of a summary, (batch, head, query, …): context, top keys and weights, figures, the steps after."""
    file = io.BytesIO()
    alone = found.map is not None and found.map.pooling.alone
    listed = {} if alone else arrays(found)
    np.savez(file, **listed, **(map_arrays(found.map) if found.map else {}))  # type: ignore[arg-type]
    return file.getvalue()


def arrays(found: Summary) -> dict[str, Values]:
    """The arrays of a summary by name."""
    named = {"context": found.context, "keys": found.keys, "weights": found.weights}
    return {
        **{name: values for name, values in named.items() if values is not None},
        "largest": found.largest, **found.figures, "empty": found.empty, **found.steps,
    }  # fmt: skip


def map_arrays(found: Map) -> dict[str, Values]:
    """The arrays of a map by name, each (place, query bin, key bin) or the edges of the bins."""
    heads = [-1 if head is None else head for _, head in found.places]
    queries, keys = map(np.array, found.edges)
    return {
        "map": found.values, "map_visible": found.visible, "map_query_edges": queries, "map_key_edges": keys,
        "map_batch": np.array([batch for batch, _ in found.places]), "map_head": np.array(heads),
        "map_pooling": np.array(found.pooling.name),
    }  # fmt: skip
