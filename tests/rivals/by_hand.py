"""The rival for by-hand arithmetic: each step's result is rounded before the next uses it.

The steps are those of ``balls``; here each is refined by itself from exact decimals, so nothing
inside a step is rounded. Only steps that are computed are rounded, what is given never is.
"""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from .balls import (
    NAN,
    NEG_INF,
    Document,
    Nested,
    Ratio,
    Slots,
    decide,
    grid_point,
    plan,
    refine,
    round_quotient,
    start,
    to_balls,
)


def hand_figures(document: Document) -> dict[str, Nested]:
    """Every computed step, calculated by hand with the places of ``by_hand`` (else ``places``).

    Decimals have the step's number of places (0.70 stays 0.70); −∞ and NaN are Decimals too.
    ZeroDivisionError where a total rounds to 0 and its row sees a key.
    """
    rounding = document.get("rounding", "half-up")
    slots: Slots = start(document)
    results: dict[str, Nested] = {}
    for name, function in plan(document):
        settle = partial(_settle, places_of(document, name), rounding)
        slots[name] = refine(partial(_evaluate, function, slots), settle)
        results[name] = slots[name]
    return results


def places_of(document: Document, step: str) -> int:
    """The number of places that ``by_hand`` asks for in a step."""
    places = document.get("places", 4)
    by_hand: Any = document.get("by_hand", places)
    if isinstance(by_hand, dict):
        by_hand = by_hand.get(step, by_hand.get("default", places))
    return int(by_hand)


def rounded(value: Ratio, places: int, rounding: str) -> Decimal:
    """A fraction as a Decimal with ``places`` places; never −0."""
    units = round_quotient(abs(value.num) * 10**places, value.den, rounding)
    sign = 1 if value.num < 0 and units else 0
    return Decimal((sign, Decimal(units).as_tuple().digits, -places))


def _evaluate(function: Callable[[Slots], Nested], slots: Slots) -> Nested:
    return function(to_balls(slots))


def _settle(places: int, rounding: str, cell: Any, last: bool) -> Decimal:
    if isinstance(cell, str):
        return {NEG_INF: Decimal("-Infinity"), NAN: Decimal("NaN")}[cell]
    show = partial(rounded, places=places, rounding=rounding)
    return decide(cell, show, partial(grid_point, digits=places), last)
