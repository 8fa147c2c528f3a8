"""Many numbers looked at together, which takes a tenth of the time that each by itself takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attncalc.core.figures import Literal
from attncalc.scenario_files.json_text import each_once
from attncalc.scenario_files.kinds import MOST_DIGITS

PLAIN = 300
"""Powers of ten that a double holds for certain."""


def all_fit(numbers: Sequence[Any]) -> bool:
    """Whether all are numbers that doubles can hold, as far as that is seen without looking at each closely."""
    if set(map(type, numbers)) != {Literal}:
        return False
    new = [number for number in each_once(numbers) if not number.fits]
    plain = all(
        number.is_finite() and abs(number.adjusted()) < PLAIN and len(number.text) < MOST_DIGITS for number in new
    )
    for number in new if plain else ():
        number.fits = True
    return plain
