"""Do answers agree with numbers: cell by cell, within the digits they are written with."""

from __future__ import annotations

from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import NEAR, WIDE
from attncalc.core.stage import Step, Trace
from attncalc.practice.answered import DIGITS, NOISE, Answered

SPARE = 1e-9
"""Floats stand for exact numbers here: a tie may fall to either side."""

TIED = 1 + Decimal("1e-25")
"""A true tie that is reached through roots or angles is off it by the last of the digits at hand."""

BY_ROW = ("weights", "exponentials")


class Sheet:
    """The answers to one step beside the right step; with `cuts` numbers that are cut off are right too."""

    def __init__(self, answered: Answered, step: Step, cuts: bool = False) -> None:
        self.answered, self.step, self.cuts = answered, step, cuts
        self.name = answered.step
        self.given: Values = answered.given
        self.values: Values = answered.values[self.given]

    @classmethod
    def of(cls, trace: Trace, answered: Answered) -> Sheet:
        """The answers beside their step in the right calculation, cut off where its scenario cuts off."""
        return cls(answered, trace[answered.step], trace.scenario.rounding == "truncate")

    @cached_property
    def right(self) -> Values:
        """The right numbers, laid out as the answers are."""
        return self.laid_out(self.step.cells)

    def _noise(self, *numbers: Values) -> Values:
        """How far the noise of its type may put each answer: a share of the largest finite number beside it.

        Of weights that is the largest of the row, twice: rows of many keys have small numbers only. Of other steps it
        is the largest of the head, since sums of products may cancel.
        """
        sizes = np.abs(np.stack([cells.astype(np.float64) for cells in numbers]))
        finite = np.where(np.isfinite(sizes), sizes, 0.0).max(axis=0)
        by_row = self.name in BY_ROW
        largest = finite.max(axis=-1 if by_row else (-2, -1), keepdims=True) * (2 if by_row else 1)
        scales = np.broadcast_to(largest, self.given.shape)[self.given]
        return np.asarray(NOISE[self.answered.precision] * scales)

    @cached_property
    def within(self) -> Values:
        """How far a number may be from each answer."""
        if self.answered.precision != DIGITS:
            return self._noise(self.right, self.answered.values)
        within = self.answered.within[self.given].astype(np.float64)
        return np.asarray(within * (1 + SPARE) + SPARE * 1e-3 * np.maximum(1, np.abs(self._finite)))

    @cached_property
    def margins(self) -> Values:
        """How far a number may be from each answer, on all axes; 0 where there is none."""
        margins = np.zeros(self.given.shape)
        margins[self.given] = self.within
        return margins

    @cached_property
    def units(self) -> Values:
        """The last digit that each answer is written with."""
        return np.asarray(2 * self.within)

    @property
    def _finite(self) -> Values:
        return np.where(np.isfinite(self.values), self.values, 0.0)

    @property
    def count(self) -> int:
        """How many cells are answered."""
        return int(self.given.sum())

    @property
    def own(self) -> Values | None:
        """The answers as numbers that may stand in for the step's; None where they are written in another layout."""
        return self.answered.values if self.answered.values.shape == self.step.cells.shape else None

    def laid_out(self, cells: Values) -> Values:
        """The cells of a step as the answers have them: averaged over the heads where they are."""
        if self.answered.convention == "heads-averaged" and cells.ndim > 1 and cells.shape[1] > 1:
            return np.asarray(cells.sum(axis=1, keepdims=True) / cells.shape[1])
        return cells

    def picked(self, cells: Values) -> Values | None:
        """Those cells of a step that are answered; None where the step has another shape."""
        laid_out = self.laid_out(cells)
        return laid_out[self.given] if laid_out.shape == self.given.shape else None

    def distance(self, cells: Values) -> Values | None:
        """How far each answer is from the cells of a step; equal infinities and two NaN are at 0."""
        found = self.picked(cells)
        if found is None:
            return None
        found = found.astype(np.float64)
        with np.errstate(invalid="ignore"):
            apart = np.abs(found - self.values)
        same = (found == self.values) | (np.isnan(found) & np.isnan(self.values))
        return np.where(same, 0.0, np.where(np.isnan(apart), np.inf, apart))

    def agrees(self, cells: Values, slack: float = 1.0) -> bool:
        """Whether every answer may be written for the cells, or is within so many times that."""
        distance = self.distance(cells)
        return distance is not None and bool((distance <= self.within * slack).all())

    @cached_property
    def right_cells(self) -> Values:
        """Which answers are right, on all axes; false where there is none."""
        marks = np.zeros(self.given.shape, dtype=bool)
        marks[self.given] = self._right() | self.cut if self.cuts else self._right()
        return marks

    @cached_property
    def cut(self) -> Any:
        """Which answers are the right number cut off after its last digit, or that number itself."""
        right = self.picked(self.step.cells)
        if right is None or self.step.stage.given or self.answered.precision != DIGITS:  # nothing was rounded there
            return np.zeros(self.values.shape, dtype=bool)
        right = right.astype(np.float64)
        with np.errstate(invalid="ignore"):
            lost = np.abs(right) - np.abs(self.values)
        same_side = (np.sign(right) == np.sign(self.values)) | (self.values == 0)
        shorter = same_side & (lost >= -1e-12) & (lost < self.units * (1 - 1e-6))  # a whole unit is too much
        return shorter | (right == self.values)

    def _right(self) -> Any:
        distance = self.distance(self.step.cells)
        if distance is None:
            return False
        if self.answered.precision != DIGITS:  # a wrong number beside it, however large, makes no room
            return distance <= self._noise(self.right)
        if self.step.cells.dtype != object:
            return distance <= self.within
        sure = np.abs(distance - self.within) > 1e-6 * (self.within + np.abs(self._finite))
        right = distance <= self.within
        exact, given = self.right[self.given], self.answered.exact[self.given]
        for place in np.flatnonzero(~sure):  # too near a tie for floats to tell
            right[place] = _agrees(exact[place], given[place], self.answered.within[self.given][place])
        return right

    def widened(self, precision: str) -> Sheet:
        """The same answers, taken for numbers of a narrower type."""
        return Sheet(self.answered.narrowed(precision), self.step, self.cuts)

    @property
    def all_right(self) -> bool:
        """Whether every answer is right."""
        return bool(self.right_cells[self.given].all())


def _agrees(right: Decimal, given: Decimal, within: Decimal) -> bool:
    if not (right.is_finite() and given.is_finite()):
        return right == given
    return NEAR.subtract(right, given).copy_abs() <= WIDE.multiply(within, TIED)
