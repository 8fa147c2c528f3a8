"""Do the numbers of a scenario tell the mistakes of the catalogue apart: does each give an answer of its own.

Some mistakes never can be told apart in a kind of scenario (no scale where d_k is 1). Which, is seen from the same
scenario over random real numbers, in which nothing coincides by chance.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.practice.catalogue import plans
from attncalc.practice.generator import random_document
from attncalc.practice.plan import Plan, given_numbers, plan_of, with_arrays
from attncalc.practice.recipes import Recipe
from attncalc.practice.simulation import Simulation
from attncalc.scenario_files.load import scenario_of

RIGHT = ""
"""The name of the right calculation among the mistakes."""

SAME = 1e-9
NEAR = 5.5
"""Answers this many units of the last digit from the right ones could be right ones, rounded on the way."""

MOST_ATTEMPTS = 200


class Coincidence(NamedTuple):
    """Two mistakes (or the right calculation) that give the same answers."""

    first: str
    second: str


class Drawn(NamedTuple):
    """A random scenario, how many draws it took, and what its numbers still do not tell apart."""

    document: dict[str, object]
    scenario: Scenario
    attempts: int
    coincidences: tuple[Coincidence, ...]


def drawn(recipe: Recipe, seed: int, asked: Sequence[str], among: Collection[str] | None = None) -> Drawn:
    """The first draw that tells every mistake apart which can be; after many, the best of them.

    `among` are the mistakes that count; where it is left out, all.
    """
    tried = list(_draws(recipe, seed, asked, among))
    return min(tried, key=lambda one: len(one.coincidences))._replace(attempts=len(tried))


def _draws(recipe: Recipe, seed: int, asked: Sequence[str], among: Collection[str] | None) -> Iterator[Drawn]:
    for attempt in range(MOST_ATTEMPTS):
        document = random_document(recipe, seed, attempt)
        scenario = scenario_of(_as_read(document), "practice")
        found = coincidences(scenario, asked, recipe.places)
        found = tuple(pair for pair in found if among is None or {*pair} <= {RIGHT, *among})
        yield Drawn(document, scenario, attempt + 1, found)
        if not found:
            return


def _as_read(document: dict[str, object]) -> object:
    from attncalc.scenario_files.json_text import parse
    from attncalc.scenario_files.json_writing import written

    return parse(written(document).encode(), "practice")


def coincidences(scenario: Scenario, asked: Sequence[str], places: int) -> tuple[Coincidence, ...]:
    """Pairs of mistakes that give the same answers to the asked steps at so many places, although they need not."""
    answers = _answers(plan_of(scenario), tuple(asked))
    unavoidable = _twins(scenario, tuple(asked))
    unit = 10.0**-places
    table = np.stack(list(answers.values()))
    written = np.round(table / unit) * unit
    names = list(answers)
    found = []
    for place, name in enumerate(names):
        apart = np.abs(table - written[place]).max(axis=1) / unit
        limits = np.where(np.array(names) == RIGHT, NEAR, 0.5 + 1e-6)
        for other in np.flatnonzero(apart <= limits):
            pair = tuple(sorted((name, names[other])))
            if other != place and name != RIGHT and pair not in unavoidable:
                found.append(Coincidence(*pair))
    return tuple(dict.fromkeys(found))


def _answers(plan: Plan, asked: tuple[str, ...]) -> dict[str, Values]:
    """By mistake, the asked numbers in one row; those of another shape than the right ones are left out."""
    simulation = Simulation(plan)
    right = simulation.run(plan)
    if right is None:
        raise ValueError("the right plan cannot be calculated")
    answers = {RIGHT: np.concatenate([right[name].ravel() for name in asked])}
    for mistake, changed in plans(plan):
        steps = simulation.run(changed) or {}
        if all(step in steps and steps[step].shape == right[step].shape for step in asked):
            row = np.concatenate([steps[step].ravel() for step in asked])
            answers |= {mistake.name: row} if np.isfinite(row[np.isfinite(answers[RIGHT])]).all() else {}
    finite = np.isfinite(answers[RIGHT])
    return {name: np.where(finite, row, 0.0) for name, row in answers.items()}


def _twins(scenario: Scenario, asked: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    """Pairs that give the same answers whatever the numbers are."""
    options = tuple(sorted((key, str(value)) for key, value in scenario.document.items() if _is_option(value)))
    shapes = tuple((name, values.shape) for name, values in scenario.arrays.items())
    return _twins_of(_Shaped((scenario.start, scenario.grid, options, shapes), scenario), asked)


def _is_option(value: object) -> bool:
    return isinstance(value, str | bool | dict)


class _Shaped:
    """A scenario that stands for all of its shape and options."""

    def __init__(self, key: tuple[object, ...], scenario: Scenario) -> None:
        self.key, self.scenario = key, scenario

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Shaped) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@lru_cache(maxsize=32)
def _twins_of(shaped: _Shaped, asked: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    scenario = shaped.scenario
    chance = np.random.default_rng(0)
    real = {n: np.asarray(chance.standard_normal(a.shape)) for n, a in given_numbers(scenario).items()}
    answers = _answers(with_arrays(plan_of(scenario), real), asked)
    names = list(answers)
    return frozenset(
        tuple(sorted((one, other)))
        for place, one in enumerate(names) for other in names[place + 1 :]
        if np.allclose(answers[one], answers[other], rtol=0, atol=SAME)
    )  # fmt: skip
