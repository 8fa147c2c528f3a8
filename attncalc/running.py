"""Running a scenario: the steps in the arithmetic it asks for, and the notes on them."""

from __future__ import annotations

from decimal import localcontext

from attncalc.calculations import CALCULATIONS
from attncalc.core.certain import OWN
from attncalc.core.effort import check_effort
from attncalc.core.memory import check_fits
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.notes import notes
from attncalc.pipelines.cost import chosen_arithmetic


def run(scenario: Scenario, terms: bool = False) -> Trace:
    """The whole calculation of a scenario; `terms` adds the products of weights and value vectors as a step.

    Refused with a UsageError where all its scores at once would not fit into the memory that is free, and by the
    program where they would take too long.

    >>> from attncalc import load, run
    >>> run(load("draw"))["total"].exact.tolist()
    [Decimal('9.83')]
    """
    if not isinstance(scenario, Scenario):
        raise TypeError(f"run takes a Scenario, as load gives it, not {type(scenario).__name__}")
    check_fits(scenario.name, scenario.grid, scenario.document)
    check_effort(scenario)
    with localcontext(OWN):
        kind = chosen_arithmetic(scenario)
        steps, remarks = CALCULATIONS[kind](scenario, terms)
        trace = Trace(scenario, kind, steps, remarks)
        return Trace(scenario, kind, steps, (*remarks, *notes(trace)))
