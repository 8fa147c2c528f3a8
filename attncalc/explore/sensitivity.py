"""Which given number moves a cell most: the exact derivatives of a cell by all the numbers it comes from."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.arithmetic import Decimals, Floats
from attncalc.core.bounded import UNKNOWN, Bounded, Values
from attncalc.core.certain import FIRST_DIGITS, OWN, spread
from attncalc.core.expression import Cell
from attncalc.core.figures import as_decimal
from attncalc.core.names import DECIMAL_KINDS
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage, Trace
from attncalc.core.tape import Tape, Taped, put_back, slopes
from attncalc.fold import BOOLEAN_SLOTS, Result, fold
from attncalc.pipelines.cost import count, exact_is_quick
from attncalc.pipelines.standard import stages

SIZES = ("d_k", "d_model")  # whole numbers: there is nothing between two of them
MOST_SPREAD = 500  # digits: the weights of a saturated row still have their slopes
DIGITS_OF_ALL = 200_000  # more digits for few exponentials, fewer for many: each stays as quick as it has to be
SURE = Decimal("1e-20")
TIES = Context(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])

Slopes = dict[str, Values]
"""Derivatives by every number of an array as it was written, or by an option (an array of one number)."""


class Influence(NamedTuple):
    """What a given number does to a cell: when it grows by a little, the cell grows by `slope` times as much."""

    cell: Cell  # of a given step, or of an array that the scenario gives
    path: str  # where the number stands in the document: `w_q.0.1`
    value: Any  # as it was given
    slope: Decimal


def influences(trace: Trace, cell: Cell) -> list[Influence]:
    """Every given number that the cell depends on, with its derivative, the largest (in absolute value) first.

    Ties keep the document's order. The derivative is that of the calculation itself: by hand, that of the calculation
    without its roundings; where several scores are the largest of their row, the maximum follows the first of them.
    In exact arithmetic and by hand it is calculated with at least 50 digits, in floating point and where the scenario
    is large in float64. Sizes (`d_k`) are not among the numbers, nor is a temperature of 1, which divides nothing. What
    is hidden or not a number depends on nothing.
    """
    scenario = trace.scenario
    if cell.given or trace[cell.name].stage.given:
        return [Influence(cell, scenario.path_of(cell.name, cell.place), _value(scenario, cell), Decimal(1))]
    if not as_decimal(trace[cell.name].cells[cell.place]).is_finite():
        return []
    found = _slopes(trace, cell)
    ordered = sorted(found, key=lambda name: _standing(scenario, name))
    every = (influence for name in ordered for influence in _of_one(trace, name, found[name]))
    return sorted(every, key=lambda influence: _size(influence.slope), reverse=True)


def _slopes(trace: Trace, cell: Cell) -> Slopes:
    if trace.kind in DECIMAL_KINDS and exact_is_quick(count(trace.scenario)):
        return _certain(trace, cell)
    with np.errstate(all="ignore"):
        return _backwards(trace, cell, _forwards(trace, cell, Floats("float64")))


def _certain(trace: Trace, cell: Cell) -> Slopes:
    """On decimals, twice: where more digits change a slope altogether, its parts cancel and it is 0."""
    given = [Decimals().given(a, name) for name, a in trace.scenario.arrays.items() if name not in BOOLEAN_SLOTS]
    most = min(MOST_SPREAD, DIGITS_OF_ALL // max(1, count(trace.scenario).exponentials))
    with localcontext(OWN, prec=FIRST_DIGITS + min(spread(given), most)):
        powers: list[Bounded] = []
        results = _forwards(trace, cell, Decimals(last=True, powers=powers))
        reached = [Bounded(result.array.values, UNKNOWN) for result in results]
    digits = FIRST_DIGITS + min(spread([*given, *powers, *reached]), most)
    rough, fine = (_with_digits(trace, cell, digits + more) for more in (0, FIRST_DIGITS))
    with localcontext(OWN, prec=FIRST_DIGITS):
        return {name: _settled(rough[name], fine[name]) for name in fine}


def _with_digits(trace: Trace, cell: Cell, digits: int) -> Slopes:
    with localcontext(OWN, prec=digits):
        return _backwards(trace, cell, _forwards(trace, cell, Decimals(last=True)))


def _settled(rough: Values, fine: Values) -> Values:
    """The slopes of the second run, 0 where the first one's were others."""
    settled = +fine
    settled[np.abs(rough - fine) > np.abs(fine) * SURE] = Decimal(0)
    return settled


def _forwards(trace: Trace, cell: Cell, numbers: Floats | Decimals) -> list[Result]:
    """The calculation as far as the cell's step, remembered."""
    scenario, tape = trace.scenario, Tape(numbers)

    def evaluate(row: Stage, arrays: list[Any]) -> Taped:
        result: Taped = row.calculate(tape, scenario, arrays)
        return result

    rows = stages(scenario, _shifted(trace, cell, numbers), terms="terms" in trace)
    last = [row.name for row in rows].index(cell.name)
    return fold(rows[: last + 1], scenario, tape, evaluate)


def _shifted(trace: Trace, cell: Cell, numbers: Floats | Decimals) -> bool:
    """Whether the row maximum is taken off: as the trace did, and where doubles stand in for decimals.

    Exponentials of decimals may be beyond all doubles; what comes after their total does not change by the shift.
    """
    if "shifted" in trace or trace.kind not in DECIMAL_KINDS or not isinstance(numbers, Floats):
        return "shifted" in trace
    names = [step.name for step in trace]
    return "exponentials" in names and names.index(cell.name) > names.index("total")


def _backwards(trace: Trace, cell: Cell, results: list[Result]) -> Slopes:
    """The derivatives by all the numbers of the document; what a number does in several ways is added up."""
    scenario = trace.scenario
    found: Slopes = {}
    for name, slope in slopes(results[-1].array, cell.place):
        if name in scenario.origins or (name not in scenario.arrays and name not in SIZES):
            places, shape = _written(scenario, name)
            more = put_back(slope, places, shape).reshape(-1)
            found[name] = found[name] + more if name in found else more
    return found


def _written(scenario: Scenario, name: str) -> tuple[Values, tuple[int, ...]]:
    """The flat place in the document of every number of an array, and the shape there; of an option its only one."""
    return scenario.origins.get(name, (np.zeros((), dtype=int), ()))


def _of_one(trace: Trace, name: str, slope: Values) -> Iterator[Influence]:
    """The influences of one array or option, those that are not 0, in the order of the document."""
    scenario, own_step = trace.scenario, name in trace and trace[name].stage.given
    places, shape = _written(scenario, name)
    positions = np.flatnonzero(slope != 0)
    first = np.zeros(slope.size, dtype=int)
    first[places.reshape(-1)[::-1]] = np.arange(places.size)[::-1]  # of several the last one stays, which is the first
    standing, written = _indices(first[positions], places.shape), _indices(positions, shape)
    for place, path, number in zip(standing, written, slope.reshape(-1)[positions].tolist(), strict=True):
        cell = Cell(name, place, not own_step)
        yield Influence(cell, ".".join((name, *map(str, path))), _value(scenario, cell), as_decimal(number))


def _indices(flat: Values, shape: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Flat places as places on axes."""
    return (
        list(zip(*(axis.tolist() for axis in np.unravel_index(flat, shape)), strict=True))
        if shape
        else [()] * len(flat)
    )


def _value(scenario: Scenario, cell: Cell) -> Any:
    """The number as it was given."""
    if cell.name in scenario.arrays:
        return scenario.arrays[cell.name][cell.place]
    return scenario.setting(cell.name) if "." in cell.name else scenario.option(cell.name)


def _standing(scenario: Scenario, name: str) -> tuple[int, ...]:
    """Where an array or option stands in the document: the position of its key, and of the key inside that."""
    key, _, inner = name.partition(".")
    keys = [list(scenario.document).index(key)]
    return (*keys, list(scenario.document[key]).index(inner)) if inner else tuple(keys)


def _size(slope: Decimal) -> Decimal:
    """The absolute value without the last digits, which rounding decides; NaN is below all."""
    return Decimal(-1) if slope.is_nan() else TIES.plus(slope.copy_abs())
