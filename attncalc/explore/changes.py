"""What a change changed: the cells in which two traces differ, by the same rule as `compare`."""

from __future__ import annotations

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Trace


def changed_cells(before: Trace, after: Trace) -> dict[str, Values]:
    """By step, where two traces differ, as booleans over the later one's cells; steps that are the same left out."""
    if before is after:
        return {}
    from attncalc.explore.compare import compared  # not for the first screen of `step`

    found = {}
    for step in compared([before, after]):
        now = step.steps[1]
        if now is None:
            continue
        whole = not step.whole or None in step.steps
        differs = np.ones(now.cells.shape, dtype=bool) if whole else step.differing
        if differs is not None and differs.any():
            found[step.name] = differs
    return found
