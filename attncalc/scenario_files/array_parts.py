"""The part of an array that a reference means, where the numbers stay in their file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values


class Part(NamedTuple):
    """Positions on the leading axes, and columns of the last one."""

    taken: tuple[int, ...] = ()
    columns: tuple[int, int] | None = None

    def shape(self, whole: tuple[int, ...]) -> tuple[int, ...]:
        """The shape of the part of an array."""
        rest = whole[len(self.taken) :]
        return rest if self.columns is None else (*rest[:-1], self.columns[1] - self.columns[0])

    def before(self, lead: tuple[int, ...], whole: tuple[int, ...]) -> tuple[int, ...]:
        """The positions on all axes before the last two, of the matrix at a place of the part."""
        return (*self.taken, *lead)[: max(0, len(whole) - 2)]


def part_of(reference: Mapping[str, Any], whole: tuple[int, ...]) -> Part | None:
    """The part of an array of that shape; None where there is no such, or no number in it to be read alone."""
    if min(whole, default=0) == 0:
        return None
    taken = tuple(int(i) for i in reference.get("index", ()))
    columns = tuple(int(i) for i in reference["columns"]) if "columns" in reference else None
    fits = len(taken) <= max(0, len(whole) - 2) and all(i < n for i, n in zip(taken, whole, strict=False))
    fits = fits and (columns is None or columns[0] < columns[1] <= whole[-1])
    return Part(taken, columns) if fits else None  # type: ignore[arg-type]


def all_rows(read: Callable[[tuple[int, ...], slice], Values], shape: tuple[int, ...]) -> Values:
    """The whole part, of that shape, from its matrices."""
    parts = [read(place, slice(None)) for place in np.ndindex(*shape[:-2])]
    return (parts[0] if len(parts) == 1 else np.stack(parts)).reshape(shape)
