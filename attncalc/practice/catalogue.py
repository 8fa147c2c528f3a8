"""The catalogue of mistakes: every one that is known, in the order of the calculation. Adding one is adding a row."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.practice import mistakes_after, mistakes_before, mistakes_scores, mistakes_weights
from attncalc.practice.mistake import Mistake
from attncalc.practice.plan import Plan

CATALOGUE: tuple[Mistake, ...] = (
    *mistakes_before.MISTAKES,
    *mistakes_scores.MISTAKES,
    *mistakes_weights.MISTAKES,
    *mistakes_after.MISTAKES,
)


def plans(right: Plan) -> Iterator[tuple[Mistake, Plan]]:
    """Every mistake that can be made in a scenario, and the plan that makes it."""
    for row in CATALOGUE:
        try:
            changed = row.change(right)
        except ValueError:  # shapes that do not go together
            continue
        if changed is not None:
            yield row, changed


def mistake(name: str) -> Mistake:
    """The row of that name."""
    return next(row for row in CATALOGUE if row.name == name)
