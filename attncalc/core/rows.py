"""What belongs to a row of the calculation inside the array of a step: where it stands, and what is hidden in it."""

from __future__ import annotations

from typing import Any

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.stage import Step, Trace

ZERO_WHERE_HIDDEN = ("exponentials", "weights")


def own_place(trace: Trace, step: Step, batch: int, head: int) -> tuple[int, int]:
    """Where a step keeps what belongs to a batch entry and a query head: its only one, or the shared kv head."""
    batches, heads = step.cells.shape[:2]
    return min(batch, batches - 1), trace.scenario.shared_head(head, heads)


def hidden_cells(trace: Trace, step: Step, place: tuple[int, int]) -> Any:
    """Where a step's 0 means "hidden", as booleans by query and key; None where it cannot."""
    if step.stage.given or step.name not in ZERO_WHERE_HIDDEN:
        return None
    if trace.scenario.needs_scores:
        logits = trace[trace["weights"].sources[-1].name].cells[place]
        return logits == MINUS_INFINITY if logits.dtype == object else np.isneginf(logits)
    return ~trace.scenario.arrays["visible"][place]
