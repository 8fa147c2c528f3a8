"""A summary as arrays: an `.npz`, stored as they are."""

from __future__ import annotations

import io

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.summary import Summary


def render(found: Summary) -> bytes:
    """The arrays of a summary, (batch, head, query, …): context, top keys and weights, figures, the steps after."""
    file = io.BytesIO()
    np.savez(file, **arrays(found))  # type: ignore[arg-type]
    return file.getvalue()


def arrays(found: Summary) -> dict[str, Values]:
    """The arrays of a summary by name."""
    named = {"context": found.context, "keys": found.keys, "weights": found.weights}
    return {
        **{name: values for name, values in named.items() if values is not None},
        "largest": found.largest, **found.figures, "empty": found.empty, **found.steps,
    }  # fmt: skip
