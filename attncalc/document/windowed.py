"""The derivations of many cells at once: their stage run over expressions on a window of its result.

What `attncalc.derive` does for one cell; here the numbers that cells share are one object in all their derivations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attncalc.core.expressions import Expressions
from attncalc.core.stage import Step, Trace
from attncalc.derive import Window, parts_read


def derivations(trace: Trace, step: Step, window: Window) -> Any:
    """The derivations of a computed step's cells inside a window, as an array of the window's shape."""
    stage = step.stage
    result = stage.calculate(Expressions(), trace.scenario, parts_read(trace, step, window)).cells
    read_axes = {axis for read in stage.reads for axis in read.axes}
    inside = tuple(
        slice(None) if axis in read_axes or length == 1 else place
        for axis, place, length in zip(stage.layout, window, result.shape, strict=True)
    )
    shape = tuple(len(range(*place.indices(n))) for place, n in zip(window, step.cells.shape, strict=True))
    return np.broadcast_to(result[inside], shape)
