"""What a mistake changes: a scenario and the rows of its calculation, and the few ways to change a row.

A mistake is a function from one plan to another, or to none where it cannot be made. Its rows are run like those of any
calculation, in exact arithmetic or in floats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage
from attncalc.pipelines.standard import stages

Compute = Callable[..., Array]
"""(arithmetic, scenario, *arrays), as in a row."""

FROM_POSITIONS = ("distance", "slope_exponents", "query_positions", "key_positions", "ids")


class Plan(NamedTuple):
    """A scenario and the rows that calculate it; `shift` and `terms` as `stages` takes them."""

    scenario: Scenario
    rows: tuple[Stage, ...]
    shift: bool = False
    terms: bool = False

    def row(self, name: str) -> Stage | None:
        """The row that makes a step, if there is one."""
        return next((row for row in self.rows if row.name == name), None)

    def has(self, *names: str) -> bool:
        """Whether all these steps are calculated or given."""
        return all(self.row(name) is not None for name in names)


def plan_of(scenario: Scenario, shift: bool = False, terms: bool = False) -> Plan:
    """The plan of the right calculation."""
    return Plan(scenario, stages(scenario, shift, terms), shift, terms)


def with_row(plan: Plan, name: str, change: Callable[[Stage], Stage]) -> Plan | None:
    """The plan with one calculated row changed; None where there is no such row, or its numbers are given."""
    row = plan.row(name)
    if row is None or row.given:
        return None
    return plan._replace(rows=tuple(change(each) if each is row else each for each in plan.rows))


def computing(plan: Plan, name: str, compute: Compute) -> Plan | None:
    """The plan with another function for a row."""
    return with_row(plan, name, lambda row: row._replace(compute=compute))


def after(plan: Plan, name: str, change: Callable[[Array], Array]) -> Plan | None:
    """The plan with the numbers of a step changed once they are there, calculated or given."""
    row = plan.row(name)
    if row is not None and row.given:
        return with_arrays(plan, {name: change(plan.scenario.arrays[name])})

    def changed(row: Stage) -> Stage:
        def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
            return change(row.calculate(arithmetic, scenario, list(read)))

        return row._replace(compute=compute)

    return with_row(plan, name, changed)


def before(plan: Plan, name: str, change: Callable[..., Sequence[Array]]) -> Plan | None:
    """The plan with the arrays changed that a row reads."""

    def changed(row: Stage) -> Stage:
        def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
            return row.calculate(arithmetic, scenario, list(change(*read)))

        return row._replace(compute=compute)

    return with_row(plan, name, changed)


def reading(plan: Plan, name: str, slot: str, instead: str) -> Plan | None:
    """The plan with a row that reads another slot in place of one."""

    def changed(row: Stage) -> Stage:
        reads = tuple(read._replace(slot=instead) if read.slot == slot else read for read in row.reads)
        return row._replace(reads=reads)

    return with_row(plan, name, changed)


def unchanged(plan: Plan, name: str) -> Plan | None:
    """The plan with a row left out: its step shows what it reads first."""
    return computing(plan, name, lambda arithmetic, scenario, first, *rest: first)


def given_numbers(scenario: Scenario) -> dict[str, Values]:
    """The decimals that a scenario gives, without masks and what is made from positions or stands for them."""
    return {
        name: values
        for name, values in scenario.arrays.items()
        if values.dtype == object and name not in FROM_POSITIONS and not name.startswith("mask.")
    }


def with_arrays(plan: Plan, arrays: Mapping[str, Values]) -> Plan:
    """The plan with other given numbers."""
    return plan._replace(scenario=replace(plan.scenario, arrays={**plan.scenario.arrays, **arrays}))


def with_options(plan: Plan, **options: Any) -> Plan:
    """The plan of a scenario with other values of its keys, of which no shape depends."""
    scenario = replace(plan.scenario, document={**plan.scenario.document, **options})
    return Plan(scenario, stages(scenario, plan.shift, plan.terms), plan.shift, plan.terms)


def both(plan: Plan | None, *changes: Callable[[Plan], Plan | None]) -> Plan | None:
    """Several changes one after another; None where one of them cannot be made."""
    for change in changes:
        if plan is None:
            return None
        plan = change(plan)
    return plan
