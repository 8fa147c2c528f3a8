"""Right answers that are written in another convention: columns for rows, percent, tokens counted from 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncalc.core.stage import Trace
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import Answered

NEAR_HUNDRED = 5
"""So far may the rows of weights in percent, rounded, be from 100."""

BEFORE_SOFTMAX = ("scores", "scaled", "capped", "biased")
"""Steps whose transposed table is also that of a mistake, KQᵀ."""


def in_our_convention(trace: Trace, answers: Sequence[Answered]) -> tuple[Answered, ...]:
    """The answers as the calculation writes them; `convention` says what was put right."""
    changed = tuple(_percent(answered) for answered in answers)
    changed = tuple(_from_zero(trace, answered) for answered in changed)
    turned = [_turned(trace, answered) for answered in changed]
    sure = [t.step for t in turned if t is not None]
    if len(sure) == 1 and sure[0] in BEFORE_SOFTMAX:  # it may as well be the mistake
        return changed
    return tuple(t or answered for t, answered in zip(turned, changed, strict=True))


def _percent(answered: Answered) -> Answered:
    """Weights whose rows add to about 100."""
    if answered.step != "weights" or answered.convention:
        return answered
    whole = ~np.isnan(answered.values).any(axis=-1)
    sums = answered.values.sum(axis=-1)[whole]
    percent = len(sums) > 0 and bool((np.abs(sums - 100) <= NEAR_HUNDRED).all())
    return answered.hundredth("percent") if percent else answered


def _from_zero(trace: Trace, answered: Answered) -> Answered:
    """Rows under the numbers 1, 2, … that are the rows of the tokens before them."""
    labels = trace.scenario.tokens
    rows = answered.values.shape[2]
    if answered.convention or labels != tuple(map(str, range(len(labels)))) or rows < 2:
        return answered
    sheet = Sheet.of(trace, answered)
    if sheet.given[:, :, 0].any() or sheet.all_right or sheet.count < 2:
        return answered
    moved = answered.rearranged("counted-from-1", lambda array: np.roll(array, -1, axis=2))
    return moved if Sheet.of(trace, moved).all_right else answered


def _turned(trace: Trace, answered: Answered) -> Answered | None:
    """A square table that is right when rows and columns change places; None where it is not."""
    shape = answered.values.shape
    if answered.convention or len(shape) != 4 or shape[2] != shape[3] or shape[2] == 1:
        return None
    sheet = Sheet.of(trace, answered)
    if sheet.all_right or sheet.count < shape[2] + 1:
        return None
    turned = answered.rearranged("columns", lambda array: array.swapaxes(2, 3))
    return turned if Sheet.of(trace, turned).all_right else None
