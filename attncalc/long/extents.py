"""How large the numbers of a table are: what decides which way a problem may be calculated."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.tables import Held, Table

NORM_ROWS = 65_536
"""Rows whose norms are taken at a time."""

SQUARABLE = 1e-30
"""A sum of squares from here on, and finite, has lost nothing that counts, even in single precision."""


class Extent(NamedTuple):
    """Whether all numbers of a table are finite, and the length of its longest row."""

    finite: bool
    longest: float


def extent_of(values: Values) -> Extent:
    """The extent of an array, or of a part of one."""
    return Extent(_finite(values), _longest(values))


def joined(parts: Iterable[Extent]) -> Extent:
    """The extent of a table from those of its parts."""
    found = list(parts)
    return Extent(all(part.finite for part in found), max(part.longest for part in found))


def is_finite(table: Table, known: Extent | None = None) -> bool:
    """Whether all numbers are finite, as far as that can be said without reading a file."""
    if known is not None:
        return known.finite
    return not isinstance(table, Held) or _finite(table.values)


def longest_row(table: Table | None, known: Extent | None = None) -> float | None:
    """The length of the longest row; None where that cannot be said without reading a file."""
    if known is not None:
        return known.longest
    return _longest(table.values) if isinstance(table, Held) else None


def _finite(values: Values) -> bool:
    return bool(np.isfinite(values.min()) and np.isfinite(values.max()))


def _longest(values: Values) -> float:
    flat = values.reshape(-1, values.shape[-1])
    parts = (flat[at : at + NORM_ROWS] for at in range(0, len(flat), NORM_ROWS))
    with np.errstate(over="ignore"):
        square = max(float(np.vecdot(part, part).max()) for part in parts)
    if SQUARABLE <= square < math.inf:
        return math.sqrt(square)
    # The squares left the range of the numbers, the numbers did not: no row is longer than this.
    return max(abs(float(values.min())), abs(float(values.max()))) * math.sqrt(values.shape[-1])
