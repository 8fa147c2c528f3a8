"""What a change changed: the cells in which two traces differ."""

from __future__ import annotations

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Trace


def changed_cells(before: Trace, after: Trace) -> dict[str, Values]:
    """By step, where two traces differ, as booleans over the later one's cells; steps that are the same left out."""
    found = {}
    for step in after:
        if step.name in before and before[step.name].cells.shape == step.cells.shape:
            differs = _differs(before[step.name].cells, step.cells)
        else:
            differs = np.ones(step.cells.shape, dtype=bool)
        if differs.any():
            found[step.name] = differs
    return found


def _differs(old: Values, new: Values) -> Values:
    if old.dtype == new.dtype != object:
        return np.asarray((old != new) & ~(np.isnan(old) & np.isnan(new)))
    differs = np.frompyfunc(lambda a, b: a != b and not (a != a and b != b), 2, 1)
    return np.asarray(differs(old, new), dtype=bool)
