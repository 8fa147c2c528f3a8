"""Changes on a walk: one number, an option, undo and redo. Each is checked as a file is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.figures import Literal, as_decimal
from attncalc.errors import UsageError, shortened
from attncalc.explore.walk import Walk, arrived, moment
from attncalc.scenario_files.edits import Segment, segments_of
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.json_writing import written


def change(walk: Walk, text: str) -> Walk:
    """The walk after a change `PATH=VALUE`, checked as a file is; the errors are those of a file."""
    try:
        document = changed(walk.source._replace(document=walk.now.document), [text]).document
    except UsageError as error:  # nobody typed an option here
        places = [shortened(fault.place.removeprefix("--set ")) for fault in error.faults]
        faults = (fault._replace(place=place) for fault, place in zip(error.faults, places, strict=True))
        raise UsageError(faults) from None
    now = moment(walk.source, document, _changes(walk, text, document))
    return arrived(replace(walk, past=(*walk.past, walk.now), future=()), now)


def _changes(walk: Walk, text: str, document: dict[str, Any]) -> tuple[str, ...]:
    """The changes since the start: of one path the last, and none where it is again what it was."""
    path = _path(text)
    key = path[0].text
    if _as_at_start(walk, document, key, whole=len(path) == 1):
        return tuple(change for change in walk.now.changes if _path(change)[0].text != key)
    return (*(change for change in walk.now.changes if _path(change) != path), text)


def _as_at_start(walk: Walk, document: dict[str, Any], key: str, whole: bool) -> bool:
    """Whether a key says what it said at the start, by itself or by its default."""
    now, start = document.get(key), walk.start
    if key in start.document or not whole:
        return key in document and bool(now == start.document.get(key))
    default = start.trace.kind if key == "arithmetic" else start.trace.scenario.option(key)
    return default is not None and bool(now == default)


def _path(text: str) -> list[Segment]:
    return segments_of(text)[0]


def path_of(walk: Walk) -> str:
    """Where the number under the cursor stands in the scenario; a UsageError where it is calculated."""
    if not walk.step.stage.given:
        raise UsageError.of("walk-computed", walk.cell.name)
    return walk.trace.scenario.path_of(walk.cell.name, walk.cell.place)


def undo(walk: Walk) -> Walk:
    """As it was before the last change."""
    if not walk.past:
        raise UsageError.of("walk-nothing-to-undo")
    earlier = replace(walk, past=walk.past[:-1], future=(walk.now, *walk.future))
    return arrived(earlier, walk.past[-1])


def redo(walk: Walk) -> Walk:
    """The change that was undone, again."""
    if not walk.future:
        raise UsageError.of("walk-nothing-to-redo")
    later = replace(walk, past=(*walk.past, walk.now), future=walk.future[1:])
    return arrived(later, walk.future[0])


def edit(walk: Walk, number: str) -> Walk:
    """Another number in the place of the given one under the cursor."""
    path = path_of(walk)
    if not number.strip():
        raise UsageError.of("walk-no-number", path)
    return change(walk, f"{path}={number.strip()}")


def as_typed(walk: Walk) -> str:
    """The number under the cursor with every digit it has, as `edit` takes it."""
    value = walk.step.cells[walk.cell.place]
    if isinstance(value, Literal):
        return value.text
    number = as_decimal(value)
    return "-Infinity" if number == MINUS_INFINITY else format(number, "f")


# --- toggles --------------------------------------------------------------------------------------


def toggle(walk: Walk, key: str) -> Walk:
    """The mask, the scale or the rounding by hand off, or on again as it was at the start."""
    return change(walk, f"{key}={TOGGLES[key](walk)}")


def _mask(walk: Walk) -> str:
    now, first = (point.trace.scenario.option("mask") or "none" for point in (walk.now, walk.start))
    return "none" if now != "none" else _as_text(first if first != "none" else "causal")


def _scale(walk: Walk) -> str:
    if walk.start.trace.scenario.option("scale") == "none" and walk.trace.scenario.width is None:
        raise UsageError.of("walk-no-scale")
    now, first = (point.trace.scenario.option("scale") or "none" for point in (walk.now, walk.start))
    return "none" if now != "none" else _as_text(first if first != "none" else "sqrt_d_k")


def _arithmetic(walk: Walk) -> str:
    return "exact" if walk.trace.kind == "by-hand" else "by-hand"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else written(value)


TOGGLES: dict[str, Callable[[Walk], str]] = {"mask": _mask, "scale": _scale, "arithmetic": _arithmetic}
