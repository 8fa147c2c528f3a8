"""Where written numbers stand on the axes of a step: axes of length 1 left out, heads side by side, one query's row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product, repeat
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Step
from attncalc.errors import by
from attncalc.explore.cells import Index


class WrongShape(Exception):
    """An array has neither the wanted shape nor one that stands for it; `fields` fill the sentence."""

    def __init__(self, found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
        super().__init__()
        self.fields = {"found": by(found), "wanted": by(wanted)}


class Places:
    """Where the numbers printed of a step stand on its axes: those of the whole, or `by_query` of one query each."""

    def __init__(self, axes: Sequence[str], lengths: Sequence[int], by_query: bool) -> None:
        self.axes = axes
        self.axis = axes.index("query") if by_query and "query" in axes else None
        self.shape = tuple(1 if i == self.axis else n for i, n in enumerate(lengths))
        self.fitting: set[tuple[int, ...]] = set()  # the shapes that were found to stand for it

    def of(self, printed: Any, query: int | None) -> Iterator[tuple[tuple[int, ...], Any]]:
        """The printed numbers, each with its place on the axes; gaps are left out."""
        numbers = unjoined(np.array(printed, dtype=object), self.axes, self.shape)
        if numbers.shape not in self.fitting and not leaves_out_ones(numbers.shape, self.shape):
            raise WrongShape(numbers.shape, self.shape)
        self.fitting.add(numbers.shape)
        ranges: list[Iterable[int]] = [*map(range, self.shape)]
        if self.axis is not None and query is not None:
            ranges[self.axis] = (query,)
        return (
            (place, number) for place, number in zip(product(*ranges), numbers.flat, strict=True) if number is not None
        )


def unjoined(numbers: Values, axes: Sequence[str], shape: tuple[int, ...]) -> Values:
    """Heads printed side by side, (…, T, heads·d), as a step has them, (…, heads, T, d)."""
    if "head" not in axes or axes[-1] != "feature":
        return numbers
    heads, rows, width = shape[-3:]
    if numbers.ndim < 1 or numbers.shape[-1] != heads * width or numbers.size != np.prod(shape):
        return numbers
    return np.moveaxis(numbers.reshape(*shape[:-3], rows, heads, width), -2, -3)


def leaves_out_ones(found: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    """Whether a shape is the wanted one with some of its axes of length 1 left out."""
    rest = list(found)
    for length in wanted:
        if rest and rest[0] == length:
            rest.pop(0)
        elif length != 1:
            return False
    return not rest


def full_index(step: Step, place: tuple[int, ...]) -> Index:
    """A place on the axes that the scenario has, on all axes; 0 on those that the place leaves out."""
    places = dict(zip(step.axes, place, strict=False))
    return tuple(map(places.get, step.stage.layout, repeat(0)))
