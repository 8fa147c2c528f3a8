"""Binary numbers that are off by as much as a narrower type than their file's leaves: float16 in a file of float32."""

from __future__ import annotations

import math

import numpy as np

from attncalc.core.bounded import Values
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import NOISE
from attncalc.practice.verdicts import Finding

WIDE = ("float64", "float32")
"""Types that may hold numbers of a narrower one."""

SPREAD = 0.2
"""Of numbers that are not 0, the share that a narrower type moves at least."""

LEAST_NOISE = 16
LEAST_JUMPS = 1.0
"""So many numbers show whether their errors jump: the least ratio of squared jumps to squared errors; noise has 2."""


def narrower_types(sheet: Sheet) -> list[str]:
    """The types narrower than the file's that leave errors as large as these, all over the place."""
    distance = sheet.distance(sheet.step.cells)
    if sheet.answered.precision not in WIDE or distance is None:
        return []
    off, some = distance > sheet.within, np.abs(sheet.values) > 0
    if off.sum() < SPREAD * some.sum():  # a single number off is not noise
        return []
    narrower = (name for name in NOISE if NOISE[name] > NOISE[sheet.answered.precision])
    return [name for name in narrower if bool((distance <= sheet.widened(name).within).all())]


def of_a_narrower_type(sheet: Sheet) -> Finding | None:
    """Numbers that are all of a narrower type, and as near the right ones as that type comes."""
    names = (name for name in narrower_types(sheet)[::-1] if _stored_as(sheet.values, name))
    return next((Finding("rounded", name, sheet.name) for name in names), None)


def low_precision(sheet: Sheet) -> Finding | None:
    """Numbers that are off by chance, by as much as a narrower type leaves."""
    names = narrower_types(sheet)
    return Finding("rounded", names[0], sheet.name) if names and _like_noise(sheet) else None


def _stored_as(values: Values, name: str) -> bool:
    """Whether all numbers are numbers of a type."""
    values = values[np.isfinite(values)]
    if name == "bfloat16":  # the upper half of a float32
        narrow = (values.astype(np.float32).view(np.uint32) >> 16 << 16).view(np.float32)
    else:
        narrow = values.astype(name)
    return bool(np.array_equal(narrow, values))


def _like_noise(sheet: Sheet) -> bool:
    """Whether the answers are off to both sides, each by chance: not the more the larger they are.

    Along each row, from its smallest to its largest number, the errors of noise jump (Durbin and Watson's ratio is near
    2), those of another scale, temperature or bound run smoothly.
    """
    right = np.where(sheet.given, sheet.right.astype(np.float64), np.nan)
    order = np.argsort(right)
    right, given = (np.take_along_axis(cells, order, axis=-1) for cells in (right, sheet.answered.values))
    off = np.where(right == 0, np.nan, (given - right) / np.abs(right))
    known = off[np.isfinite(off)]
    steps = np.diff(off)
    steps = steps[np.isfinite(steps)]
    if len(known) < LEAST_NOISE or not known.any() or not len(steps):
        return False
    outward = float(np.nansum(off * np.sign(right))) / len(known)
    biased = abs(outward) > (SPREAD + 2 / math.sqrt(len(known))) * float(np.abs(known).mean())
    return not biased and float((steps**2).mean()) >= LEAST_JUMPS * float((known**2).mean())
