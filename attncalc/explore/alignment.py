"""Which cells of a step belong together in several variants: by their places, or by their labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.labels import distinct
from attncalc.core.stage import Step

LABELLED = ("query", "key")


class Alignment(NamedTuple):
    """For each axis where the places of the first step are in another one; -1 where they are not."""

    places: tuple[Values, ...]
    by_place: bool = False  # every place is the same in both

    @property
    def found(self) -> Values:
        """Which cells of the first step are in the other, as booleans."""
        found = np.ones([len(places) for places in self.places], dtype=bool)
        for axis, places in enumerate(self.places):
            found &= (places >= 0).reshape([-1 if n == axis else 1 for n in range(found.ndim)])
        return found

    def cells(self, step: Step) -> Values:
        """The cells of the other step in the order of the first; any that are not found hold some other number."""
        return np.asarray(step.cells[np.ix_(*self.places)])

    def at(self, index: Sequence[int]) -> tuple[int, ...]:
        """The index in the other step of a cell of the first."""
        if self.by_place:
            return tuple(index)
        return tuple(int(places[place]) for places, place in zip(self.places, index, strict=True))


def aligned(first: Step, other: Step, by_label: bool = False) -> Alignment | None:
    """Place by place where the shapes are the same, unless labels are asked for; else by labels of queries and keys.

    None where other axes differ, or no label is in both.
    """
    if first.cells.shape == other.cells.shape and not by_label:
        return Alignment(tuple(np.arange(length) for length in first.cells.shape), by_place=True)
    if first.stage.layout != other.stage.layout:
        return None
    places = [_on_axis(first, other, axis) for axis in range(first.cells.ndim)]
    found = tuple(on_axis for on_axis in places if on_axis is not None)
    return Alignment(found) if len(found) == len(places) else None


def _on_axis(first: Step, other: Step, axis: int) -> Values | None:
    """Where the places of one axis are in the other step; None where the axis has nothing in common."""
    name, lengths = first.stage.layout[axis], (first.cells.shape[axis], other.cells.shape[axis])
    if name not in LABELLED or not (first.labels.get(name) and other.labels.get(name)):
        return np.arange(lengths[0]) if lengths[0] == lengths[1] else None
    names = {label: place for place, label in enumerate(distinct(other.labels[name]))}
    places = np.array([names.get(label, -1) for label in distinct(first.labels[name])])
    return places if (places >= 0).any() else None
