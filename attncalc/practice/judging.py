"""The calculation that answers are judged against: exact whatever the scenario asks for, float64 where that is slow."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import localcontext
from pathlib import Path
from typing import Any

from attncalc.core.certain import OWN
from attncalc.core.figures import Literal
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.pipelines.cost import count, exact_is_quick
from attncalc.practice.answered import DIGITS, Answered
from attncalc.running import run
from attncalc.scenario_files.json_text import each_once
from attncalc.scenario_files.load import load

MOST_PLACES = 14
"""Digits beyond these no answer asks for: numbers with more are those of a program."""

FEW_PRODUCTS = 4096
"""So few products of weights and values are made whether they are answered or not."""

SPARE_PLACES = 2
"""With so many more places than the answers have, the numbers of a derivation lead to its result."""


def right_calculation(
    source: str | Path | Mapping[str, Any], changes: Sequence[str], options: Mapping[str, Any],
    allow_outside: bool = False,
) -> Trace:  # fmt: skip
    """The trace of a scenario that answers to it are set beside.

    The scenario keeps its `by_hand`, as one way of rounding that answers may show.
    """
    scenario = right(load(source, changes, {**options, "arithmetic": "exact"}, allow_outside))
    products = math.prod(scenario.grid) * scenario.sizes.get("d_v", 0)
    few = scenario.option("arithmetic") == "exact" and products <= FEW_PRODUCTS
    return run(scenario, terms=scenario.has_values and few)


def right(scenario: Scenario) -> Scenario:
    """An exact scenario, in float64 where exact arithmetic would be slow."""
    return scenario if exact_is_quick(count(scenario)) else _with(scenario, arithmetic="float64")


def as_asked(trace: Trace, answers: Iterable[Answered], places: bool) -> Trace:
    """The same calculation with the products that answers are to, and shown more finely than they are written.

    `places`: the places are chosen, and stay.
    """
    answers = tuple(answers)
    terms = "terms" in trace or any(answered.step == "terms" for answered in answers)
    wanted = max(map(places_of, answers), default=0) + SPARE_PLACES
    scenario = trace.scenario
    if not places and wanted > scenario.places:
        scenario = _with(scenario, places=Literal(str(wanted)))
    return trace if scenario is trace.scenario and terms == ("terms" in trace) else run(scenario, terms)


def places_of(answered: Answered, otherwise: int = 0) -> int:
    """The most decimals that answers are written with; of binary numbers, and of 2/9, what is said otherwise."""
    if answered.precision != DIGITS:
        return otherwise
    units = [unit for unit in each_once(answered.unit[answered.given].tolist()) if unit is not None]
    with localcontext(OWN):
        decimals = [max(0, -unit.adjusted()) for unit in units]
    return max((places for places in decimals if places <= MOST_PLACES), default=otherwise)


def _with(scenario: Scenario, **settings: Any) -> Scenario:
    return replace(scenario, document={**scenario.document, **settings})
