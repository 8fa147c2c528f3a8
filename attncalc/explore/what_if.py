"""Changes on a walk: one number, an option, undo and redo. Each is checked as a file is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from attncalc.errors import UsageError
from attncalc.explore.walk import Walk, arrived, moment
from attncalc.scenario_files.edits import edited
from attncalc.scenario_files.inlining import opened
from attncalc.scenario_files.json_text import written


def change(walk: Walk, text: str) -> Walk:
    """The walk after a change `PATH=VALUE`, checked as a file is; the errors are those of a file."""
    document = opened(walk.now.document, [text], walk.origin.folder)
    now = moment(edited(document, [text]), (*walk.now.changes, text), walk.origin)
    return arrived(replace(walk, past=(*walk.past, walk.now), future=()), now)


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


# --- toggles --------------------------------------------------------------------------------------


def toggle(walk: Walk, key: str) -> Walk:
    """The mask, the scale or the rounding by hand off, or on again as it was at the start."""
    return change(walk, f"{key}={TOGGLES[key](walk)}")


def _mask(walk: Walk) -> str:
    now, first = (point.trace.scenario.option("mask") or "none" for point in (walk.now, walk.start))
    return "none" if now != "none" else _as_text(first if first != "none" else "causal")


def _scale(walk: Walk) -> str:
    now, first = (point.trace.scenario.option("scale") or "none" for point in (walk.now, walk.start))
    return "none" if now != "none" else _as_text(first if first != "none" else "sqrt_d_k")


def _arithmetic(walk: Walk) -> str:
    return "exact" if walk.trace.kind == "by-hand" else "by-hand"


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else written(value)


TOGGLES: dict[str, Callable[[Walk], str]] = {"mask": _mask, "scale": _scale, "arithmetic": _arithmetic}
