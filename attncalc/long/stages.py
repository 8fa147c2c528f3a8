"""The stages of a long context, and which of them have a number for each query and key."""

from __future__ import annotations

from dataclasses import replace

from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage
from attncalc.pipelines.standard import stages


def steps(scenario: Scenario) -> tuple[Stage, ...]:
    """The rows that a scenario needs, those of the online algorithm aside: a long context has blocks of its own."""
    plain = {name: value for name, value in scenario.document.items() if name != "algorithm"}
    return stages(replace(scenario, document=plain) if scenario.online else scenario)


def of_cells(row: Stage) -> bool:
    """Whether a stage has a number for each query and key."""
    return "key" in row.axes and "query" in row.axes
