"""What the cells of a file say: numbers as people type them, what programs print that is none, or no answer."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

from attncalc.practice.numbers_typed import GAPS, TypedNumber, number_of, one_form
from attncalc.practice.working_out import KEPT

PRINTED = {
    **dict.fromkeys(("nan", "+nan", "-nan"), Decimal("NaN")),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in ("inf", "infinity", "∞")), Decimal("Infinity")),
}
"""What programs print that is no number at all, for a cell to refuse."""


@lru_cache(KEPT)
def cell_typed(text: str) -> TypedNumber | None:
    """The number that a text says, None for no answer; what is neither is a NoNumber that says what is wanted."""
    form = one_form(text)
    if form in GAPS:
        return None
    value = PRINTED.get(form)
    return number_of(text) if value is None else TypedNumber(value, Decimal(0), text.strip())
