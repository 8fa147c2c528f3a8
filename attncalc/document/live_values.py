"""Whether a live formula gives what the calculation gave, although a spreadsheet calculates in doubles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from attncalc.core.arithmetic import Floats
from attncalc.core.bounded import Values
from attncalc.core.figures import as_decimal, round_to
from attncalc.core.numbers import places_of
from attncalc.core.stage import Source, Step, Trace
from attncalc.document.live_cells import cells_of
from attncalc.errors import CalculationError
from attncalc.fold import BOOLEAN_SLOTS

CLOSE = 1e-9
"""What a formula gives in doubles may differ from an exact number by so much, and no more."""

SMALLEST = 1e-300
"""Below it, powers lose digits and vanish."""

MOST_SPARE, DIGITS = 8, 13
"""Rounding to a few more places first takes off what the binary form of a number adds to a half.

LibreOffice's ROUND is not exact where that asks for more digits than a double has.
"""


def faithful(trace: Trace, step: Step) -> Values:
    """Where a step's formulas, calculated in doubles from the numbers they read, give the step's numbers.

    In narrow floating point they need not: there it is enough that both are finite. What no double holds they never do.
    """
    arithmetic, wanted = Floats("float64"), step.cells.astype(np.float64)
    parts = [_as_floats(cells_of(trace, source), source, arithmetic) for source in step.sources]
    with np.errstate(all="ignore"):
        try:
            found = step.stage.calculate(arithmetic, trace.scenario, parts)
        except CalculationError:
            return np.zeros(wanted.shape, dtype=bool)
        lost = _lost_powers(trace, step, parts, found)
        if trace.kind == "by-hand":
            found = _as_by_hand(trace, step, found)
        near = np.abs(found - wanted) <= CLOSE * np.maximum(1.0, np.abs(wanted))
        if trace.kind in ("float32", "float16"):
            near = np.isfinite(found) & np.isfinite(wanted)
    hidden = np.isneginf(found) & (step.cells == -np.inf)
    return np.asarray((near | hidden | (np.isnan(found) & np.isnan(wanted))) & ~lost)


def _lost_powers(trace: Trace, step: Step, parts: Sequence[Values], found: Values) -> Values:
    """Where a power is too small for a double: LibreOffice's POWER is an error there."""
    if step.name != "exponentials" or trace.scenario.option("base") is None:
        return np.zeros(found.shape, dtype=bool)
    return np.asarray(np.isfinite(parts[0]) & (np.abs(found) < SMALLEST))


def spare_places(value: float, places: int) -> int:
    """To how many places more a number is rounded before it is rounded by hand."""
    digits = as_decimal(value).adjusted() + 1 if value and np.isfinite(value) else 0
    return max(0, min(MOST_SPARE, DIGITS - places - max(digits, 0)))


def _as_by_hand(trace: Trace, step: Step, found: Values) -> Values:
    """The numbers rounded by hand as a spreadsheet does it, to more places first; exactly those count."""
    places, rounding = places_of(trace, step), trace.scenario.rounding

    def rounded(value: float) -> float:
        first = round_to(as_decimal(value), places + spare_places(value, places), "half-up")
        return float(round_to(first, places, rounding))

    return np.asarray(np.frompyfunc(rounded, 1, 1)(found), dtype=np.float64)


def _as_floats(cells: Values, source: Source, arithmetic: Floats) -> Values:
    boolean = source.given and source.name in BOOLEAN_SLOTS
    return cells if boolean else arithmetic.given(cells, source.name)
