"""The derivations of many cells at once: their stage run over expressions on a window of its result.

What `attncalc.derive` does for one cell; here the numbers that cells share are one object in all their derivations.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from attncalc.core.arithmetic import Decimals
from attncalc.core.bounded import Values
from attncalc.core.expressions import Expressions, leaves
from attncalc.core.stage import Read, Source, Step, Trace
from attncalc.derive import DECIMAL_KINDS
from attncalc.fold import BOOLEAN_SLOTS

Window = tuple[slice, ...]
"""A slice of each axis of a step's array; of batch and head one place."""


def derivations(trace: Trace, step: Step, window: Window) -> Any:
    """The derivations of a computed step's cells inside a window, as an array of the window's shape."""
    stage = step.stage
    parts = [_part(trace, step, read, source, window) for read, source in zip(stage.reads, step.sources, strict=True)]
    result = stage.calculate(Expressions(), trace.scenario, parts).cells
    read_axes = {axis for read in stage.reads for axis in read.axes}
    inside = tuple(
        slice(None) if axis in read_axes or length == 1 else place
        for axis, place, length in zip(stage.layout, window, result.shape, strict=True)
    )
    shape = tuple(len(range(*place.indices(n))) for place, n in zip(window, step.cells.shape, strict=True))
    return np.broadcast_to(result[inside], shape)


def _part(trace: Trace, step: Step, read: Read, source: Source, window: Window) -> Any:
    """What of a read the cells of the window depend on."""
    cells = trace.scenario.arrays[source.name] if source.given else trace[source.name].cells
    slices = tuple(_slice(step, axis, n, window) for axis, n in zip(read.axes, cells.shape, strict=True))
    part: Values = cells[slices]
    if source.given and trace.kind in DECIMAL_KINDS and part.dtype == np.float64:
        part = Decimals().given(part, "").values  # as the calculation read them
    start = tuple(place.start or 0 for place in slices)
    return part if source.name in BOOLEAN_SLOTS else leaves(part, source.name, source.given, start)


def _slice(step: Step, axis: str, length: int, window: Window) -> slice:
    """The part of an axis that is read; whole where it is no axis of the result."""
    if axis == "kv_head":  # the shared head that the window's head reads; of keys and values it is that head itself
        head = window[1].start * length // step.cells.shape[1]
        return slice(head, head + 1)
    place = dict(zip(step.stage.layout, window, strict=True)).get(axis) if axis != "one" else None
    if place is None or (length == 1 and place.stop > 1):
        return slice(0, 1) if place is not None else slice(None)
    return place
