"""A summary as arrays: an `.npz`, stored as they are."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import PurePath

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.labels import distinct
from attncalc.long.pooling import Map
from attncalc.long.summary import Summary


def render(found: Summary, queries: Sequence[int] | None = None) -> bytes:
    """The arrays of a summary, (batch, head, query, …): context, top keys and weights, figures, the steps after.

    Of some queries only where named; `queries` says of which.
    """
    file = io.BytesIO()
    listed = {} if found.asked and found.asked.map_alone else _of_queries(found, queries)
    np.savez(file, **listed, **(map_arrays(found.map) if found.map else {}))  # type: ignore[arg-type]
    return file.getvalue()


def _of_queries(found: Summary, queries: Sequence[int] | None) -> dict[str, Values]:
    named = found.queries if queries is None else queries
    listed = arrays(found)
    if queries is not None:
        listed = {name: values[:, :, list(queries)] for name, values in listed.items()}
    return listed if named is None else {**listed, "queries": np.array(named)}


def render_all(found: Sequence[tuple[str, Summary, Sequence[int] | None]]) -> bytes:
    """The arrays of summaries with their names; of several as `layer-0/context`, after the file of each scenario."""
    if len(found) == 1:
        return render(*found[0][1:])
    names = distinct([PurePath(name).stem for name, *_ in found])
    file = io.BytesIO()
    named = {f"{name}/{key}": values for name, (_, one, queries) in zip(names, found, strict=True)
             for key, values in _of_queries(one, queries).items()}  # fmt: skip
    np.savez(file, **named)  # type: ignore[arg-type]
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
