"""The text of every number of a trace: one place, so that all formats agree digit for digit."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from attncalc.core.expression import Cell, Number
from attncalc.core.figures import Literal, as_decimal, figure
from attncalc.core.stage import Step, Trace

MOST_WRITTEN = 12
MOST_KEPT = 2048
"""Fractions that are kept: the same numbers are put in again with every row that reads them."""


def places_of(trace: Trace, step: Step) -> int:
    """The decimals a step is shown with: by hand those it was rounded to."""
    by_hand = trace.kind == "by-hand" and not step.stage.given
    return trace.scenario.hand_places(step.name) if by_hand else trace.scenario.places


def figure_of(trace: Trace, step: Step, value: Any) -> str:
    """One number of a step: as it was written if it was, else by the step's places. ASCII minus sign."""
    return figure_with(value, places_of(trace, step), trace.scenario.rounding)


def figure_with(value: Any, places: int, rounding: str) -> str:
    """The same for a number that was taken out of its step, with the places of that."""
    if isinstance(value, Literal):
        return value.text
    return figure(value if isinstance(value, Decimal) else float(value), places, rounding)


def figures_of(trace: Trace, step: Step, values: Iterable[Any]) -> list[str]:
    """The same for many numbers of a step."""
    places, rounding = places_of(trace, step), trace.scenario.rounding
    return [figure_with(value, places, rounding) for value in values]


def figures(trace: Trace, name: str) -> np.ndarray[Any, Any]:
    """All numbers of a step as they are shown, along the step's axes."""
    step = trace[name]
    return np.array(figures_of(trace, step, step.cells.flat), dtype=object).reshape(step.shape)


def operand(trace: Trace, number: Number) -> str:
    """The text of a number inside a derivation: as its step shows it, or as it was given."""
    if isinstance(number.cell, Cell) and not number.cell.given:
        return figure_of(trace, trace[number.cell.name], number.value)
    if isinstance(number.value, Literal):
        return number.value.text
    value = as_decimal(number.value)
    if isinstance(number.cell, Cell) and len(value.as_tuple().digits) > MOST_WRITTEN:
        return figure(value, trace.scenario.places, trace.scenario.rounding)  # a number of a file has no written digits
    whole = not value.is_finite() or value == value.to_integral_value()
    return figure(value, 0) if whole else format(value, "f")


@lru_cache(MOST_KEPT)
def as_fraction(text: str) -> Fraction | None:
    """The value that a shown number states, or None where it is not finite."""
    exponent = text.partition("e")[2]
    if len(exponent) > 5:  # a fraction of ten thousand digits and more helps nobody
        return None
    try:
        return Fraction(text)
    except ValueError:
        return None
