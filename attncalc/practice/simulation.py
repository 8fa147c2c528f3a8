"""Running plans in float64, many of them over one scenario: what a mistake leaves as it is, is calculated once.

Numbers of the learner's own may stand in for those of a step, so that what follows is calculated from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from attncalc.calculations import decimal
from attncalc.core.arithmetic import Array, Floats
from attncalc.core.bounded import Values
from attncalc.core.stage import Stage, Step
from attncalc.errors import CalculationError
from attncalc.fold import fold
from attncalc.practice.plan import Plan

Own = Mapping[str, Values]
"""By step, numbers that stand in for what is calculated, NaN where none does; on all axes of the step's cells."""

Watch = Callable[[str, Values], bool]
"""Sees each step as it is calculated; false ends the run."""

Finish = Callable[[Values], Values]
"""What becomes of a step's result before the next uses it: by hand it is rounded."""


class _Ended(Exception):
    """The rest of a run is not wanted."""


class _Shared(Floats):
    """float64, with each given array converted once."""

    def __init__(self) -> None:
        super().__init__("float64")
        self.converted: dict[int, tuple[Values, Values]] = {}
        self.own: Own = {}

    def given(self, values: Values, path: str) -> Values:
        """The array as floats, the learner's own numbers in it."""
        if id(values) not in self.converted:
            self.converted[id(values)] = (values, super().given(values, path))
        converted = self.converted[id(values)][1]
        return mixed(self.own[path], converted) if path in self.own else converted


def mixed(own: Values, calculated: Values) -> Values:
    """The learner's own numbers where there are some; the calculated ones where the shapes are others."""
    return np.where(np.isnan(own), calculated, own) if own.shape == calculated.shape else calculated


class Simulation:
    """One scenario, its right plan, and runs of other plans."""

    def __init__(self, right: Plan) -> None:
        self.right = right
        self._arithmetic = _Shared()
        self._kept: dict[tuple[Any, ...], tuple[tuple[Array, ...], Array]] = {}

    def run(
        self, plan: Plan, own: Own | None = None, watch: Watch | None = None, finish: Finish | None = None
    ) -> dict[str, Values] | None:
        """Each step's cells; None where `watch` ended the run, or the plan cannot be calculated."""
        own = own or {}
        self._arithmetic.own = own
        seen: dict[str, Values] = {}

        def evaluate(row: Stage, arrays: list[Array]) -> Array:
            array = self._calculated(plan, row, arrays)
            array = array if finish is None else finish(array)
            if row.name in own:
                array = self._with_own(plan, own[row.name], array)
            seen[row.name] = array
            if watch is not None and not watch(row.name, array):
                raise _Ended
            return array

        try:
            with np.errstate(all="ignore"):
                results = fold(plan.rows, plan.scenario, self._arithmetic, evaluate)
        except (_Ended, ValueError, CalculationError):  # a ValueError: shapes that do not go together
            return None
        return {result.stage.name: result.array for result in results}

    def _with_own(self, plan: Plan, own: Values, calculated: Array) -> Array:
        key = ("own", id(own), id(calculated))
        return self._kept_or(key, (own, calculated), plan, lambda: mixed(own, calculated))

    def _calculated(self, plan: Plan, row: Stage, arrays: list[Array]) -> Array:
        key = (row.compute, id(plan.scenario.document), *map(id, arrays))
        return self._kept_or(
            key, tuple(arrays), plan, lambda: row.calculate(self._arithmetic, plan.scenario, arrays)
        )  # fmt: skip

    def _kept_or(
        self, key: tuple[Any, ...], read: tuple[Array, ...], plan: Plan, calculate: Callable[[], Array]
    ) -> Array:
        """What the right plan calculated from the same arrays, else a new result."""
        if key in self._kept:
            return self._kept[key][1]
        array = calculate()
        if plan is self.right:  # the arrays read are kept too: their addresses are the key
            self._kept[key] = (read, array)
        return array


def rounding(places: int, how: str) -> Finish:
    """Rounds each step by hand: half-up, half-even or truncate, as far as floats can tell a tie."""
    unit = 10.0**places

    def finish(values: Values) -> Values:
        if values.dtype == bool:
            return values
        scaled = values * unit
        nudge = np.copysign(1e-9 * np.maximum(1, np.abs(scaled)), scaled)
        if how == "half-even":
            halves = np.round(scaled * 2) / 2
            tied = np.abs(scaled - halves) < 1e-9
            return np.asarray(np.round(np.where(tied, halves, scaled)) / unit)
        whole = np.trunc(scaled + nudge) if how == "truncate" else np.trunc(scaled + nudge + np.copysign(0.5, scaled))
        return np.asarray(np.where(np.isfinite(values), whole / unit, values))

    return finish


def exactly(plan: Plan) -> tuple[Step, ...]:
    """The steps of a plan in exact arithmetic."""
    return decimal(plan.scenario, lambda step: False, plan.terms, plan.rows)[0]
