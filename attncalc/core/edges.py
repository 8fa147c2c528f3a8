"""The values at which what is shown of a number changes, and which numbers of an array could be near one."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Bounded, Values
from attncalc.core.figures import NEAR, WIDE, edge, edges

CLOSE = 1e-6
"""Nearer than this part of a unit a number is looked at with all its digits; every sound bound is far smaller."""

LARGE = 1e9


class Edges(NamedTuple):
    """The edges of one way to show numbers: so many places, and with `doubles` as the nearest double too.

    Without `doubles` only rounding to the places counts, as by hand: nothing is scientific there.
    """

    places: int
    rounding: str
    doubles: bool

    def near(self, value: Decimal) -> list[Decimal]:
        """The edges next to a number."""
        if not self.doubles:
            return [edge(value, -self.places, self.rounding)]
        return edges(value, self.places, self.rounding) + between_doubles(value)

    def suspects(self, array: Bounded) -> Iterator[tuple[int, ...]]:
        """Where a number may be near an edge: a quick look in floating point that leaves out the clear cases."""
        with np.errstate(all="ignore"):
            values = array.values.astype(np.float64)
            doubtful = np.isfinite(values) | _beyond_doubles(array.values, values)
            if self.places <= 15 and array.absolute < -self.places - 12 and array.relative < -25:
                doubtful &= self._near_a_figure(np.abs(values))
                if self.doubles:
                    doubtful |= np.isfinite(values) & _near_a_midpoint(array.values, values)
        for index in np.argwhere(doubtful):
            yield tuple(int(i) for i in index)

    def _near_a_figure(self, sizes: Values) -> Values:
        """Near a change of the shown digits, or small or large enough to be shown otherwise."""
        scaled = sizes * 10.0**self.places
        part = scaled - np.floor(scaled)
        distance = np.minimum(part, 1 - part) if self.rounding == "truncate" else np.abs(part - 0.5)
        return np.asarray((distance < CLOSE + scaled * 1e-14) | (scaled < 2) | (scaled > LARGE) | (sizes > LARGE))


def _beyond_doubles(decimals: Values, values: Values) -> Values:
    """Finite decimals that no double holds."""
    finite = np.asarray(np.frompyfunc(Decimal.is_finite, 1, 1)(decimals), dtype=bool)
    return np.asarray(np.isinf(values) & finite)


def _near_a_midpoint(decimals: Values, values: Values) -> Values:
    """Where the rest beyond the nearest double is about half of its last unit."""
    finite = np.isfinite(values)
    exact, near = decimals[finite], values[finite]
    rest = np.frompyfunc(lambda number, double: float(NEAR.subtract(number, Decimal(double))), 2, 1)(exact, near)
    halves = np.spacing(np.abs(near)) / 2
    result = np.zeros(values.shape, dtype=bool)
    result[finite] = np.abs(np.abs(np.asarray(rest, dtype=np.float64)) - halves) < halves * CLOSE
    return result


def between_doubles(value: Decimal) -> list[Decimal]:
    """The midpoint of two neighbouring doubles, where the value is near one."""
    near = float(value)
    if not math.isfinite(near):
        return []
    rest = float(NEAR.subtract(value, Decimal(near)))
    half = math.ulp(near) / 2
    if abs(abs(rest) - half) > half * 1e-9:
        return []
    other = Decimal(math.nextafter(near, math.copysign(math.inf, rest)))
    return [WIDE.multiply(WIDE.add(Decimal(near), other), Decimal("0.5"))]
