"""What a diagnosis works with: the right calculation, the answers beside it, and runs of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.stage import Trace
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS, Answered
from attncalc.practice.catalogue import plans
from attncalc.practice.mistake import Mistake
from attncalc.practice.plan import Plan, plan_of, with_options
from attncalc.practice.simulation import Finish, Own, Simulation

MOST_CELLS = 4096
"""Of scores: beyond, nobody calculates by hand, and only the catalogue itself is tried."""

EMPTY_ROWS = ("zero", "nan", "uniform")
"""What becomes of a query that sees no key."""


class Case:
    """The answers to one scenario."""

    def __init__(self, trace: Trace, answers: Sequence[Answered]) -> None:
        self.trace = trace
        self.sheets = tuple(Sheet.of(trace, answered) for answered in answers)
        shift = "shifted" in trace and trace.scenario.option("shift") is not True
        self.plan = plan_of(trace.scenario, shift, any(sheet.name == "terms" for sheet in self.sheets))
        self.simulation = Simulation(self.plan)

    @cached_property
    def by_hand(self) -> bool:
        """Whether somebody may have calculated this by hand."""
        cells = int(np.prod(self.trace.scenario.grid))
        return cells <= MOST_CELLS and all(sheet.answered.precision == DIGITS for sheet in self.sheets)

    def own(self, before: Sheet, only: Sequence[str] | None = None) -> Own:
        """The answers to earlier steps as numbers that stand in for those of the steps."""
        earlier = self.sheets[: self.sheets.index(before)]
        return {
            sheet.name: sheet.own for sheet in earlier if sheet.own is not None and (only is None or sheet.name in only)
        }

    def cells(self, plan: Plan, sheet: Sheet, own: Own | None = None, finish: Finish | None = None) -> Values | None:
        """The cells of the sheet's step in a run of a plan."""
        found: list[Values] = []

        def watch(name: str, values: Values) -> bool:
            if name == sheet.name:
                found.append(values)
            return not found

        self.simulation.run(plan, own, watch, finish)
        return found[0] if found else None

    def explains(self, plan: Plan, sheet: Sheet, own: Own, finish: Finish | None = None) -> bool:
        """Whether a plan gives exactly the answers of a sheet.

        From the learner's own earlier numbers, unless it would have made others of them; or by itself, and then it must
        give the earlier answers as well.
        """
        cells = self.cells(plan, sheet, own, finish)
        if cells is not None and sheet.agrees(cells):
            return all(self._may_precede(plan, earlier, finish) for earlier in self.sheets[: self.sheets.index(sheet)])
        return bool(own) and self._explains_all(plan, sheet, finish)

    def _may_precede(self, plan: Plan, earlier: Sheet, finish: Finish | None) -> bool:
        """Whether a plan leaves a step as it is, or gives the answers to it."""
        cells = self.cells(plan, earlier, None, finish)
        right = self.cells(self.plan, earlier, None, finish)
        if cells is None or right is None:
            return False
        return cells is right or np.array_equal(cells, right, equal_nan=True) or earlier.agrees(cells)

    def _explains_all(self, plan: Plan, last: Sheet, finish: Finish | None) -> bool:
        wanted = {sheet.name: sheet for sheet in self.sheets[: self.sheets.index(last) + 1]}
        explained: list[bool] = []

        def watch(name: str, values: Values) -> bool:
            agrees = name not in wanted or wanted[name].agrees(values)
            if name == last.name:
                explained.append(agrees)
            return agrees and name != last.name

        self.simulation.run(plan, None, watch, finish)
        return explained == [True]

    @cached_property
    def plans(self) -> tuple[tuple[Mistake, Plan], ...]:
        """Every mistake that can be made in this scenario, the commonest first.

        Where one hides all keys from a query, once for each thing that libraries make of such a row.
        """
        made = sorted(plans(self.plan), key=lambda made: made[0].rank)
        return tuple((row, variant) for row, plan in made for variant in (plan, *self._for_empty_rows(plan)))

    def _for_empty_rows(self, plan: Plan) -> Iterator[Plan]:
        visible, right = (each.scenario.arrays["visible"] for each in (plan, self.plan))
        emptied = bool((right.any(axis=-1) & ~visible.any(axis=-1)).any())
        if emptied and plan.rows is self.plan.rows:  # a mask and nothing else
            policies = (name for name in EMPTY_ROWS if name != plan.scenario.option("empty_rows"))
            yield from (with_options(plan, empty_rows=policy) for policy in policies)
