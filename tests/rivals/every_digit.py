"""What the steps of ``every_step`` are shown as: exact digits, by-hand numbers, and wrong numbers of a type."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from flint import arb, ctx, fmpq

from .balls import NAN, NEG_INF, START_BITS, Ratio, decide, grid_point, refine, text_boundary, text_of
from .by_hand import places_of, rounded
from .every_step import HIDDEN, Array, Beyond, Calculation, ball, fraction
from .straight_line import Document

TIE_BITS = 3000
"""Numbers of a few digits and moderate size that agree for so long are equal."""


MOST_BITS = 70_000


def exact_texts(document: Document, tie_bits: int = TIE_BITS) -> dict[str, Array]:
    """Every calculated step as the texts that the contract prescribes."""
    places, rounding = int(document.get("places", 4)), document.get("rounding", "half-up")
    show = partial(text_of, places=places, rounding=rounding)
    calculation = Calculation(document)
    given, shapes = calculation.given(), {}

    def evaluate() -> list[list[Any]]:
        slots = dict(given)
        for name, function in calculation.steps():
            slots[name] = function(slots.__getitem__)
            shapes[name] = slots[name].shape
        return [slots[name].ravel().tolist() for name in shapes]

    texts = refine(evaluate, partial(_settled, show, partial(text_boundary, places=places), str), tie_bits)
    return {name: _shaped(cells, shape) for (name, shape), cells in zip(shapes.items(), texts, strict=True)}


def hand_numbers(document: Document, tie_bits: int = TIE_BITS) -> dict[str, Array]:
    """Every calculated step, rounded to its places before the next uses it. ZeroDivisionError where a total is 0."""
    calculation, rounding = Calculation(document), document.get("rounding", "half-up")
    slots, found = calculation.given(), {}
    for name, function in calculation.steps():
        places = places_of(document, name)
        shape: list[tuple[int, ...]] = []

        def evaluate(function: Any = function, shape: Any = shape) -> list[Any]:
            cells = function(slots.__getitem__)
            shape[:] = [cells.shape]
            return list(cells.ravel().tolist())

        show = partial(_written, places=places, rounding=rounding)
        cells = refine(evaluate, partial(_settled, show, partial(grid_point, digits=places), _decimal), tie_bits)
        found[name] = _shaped(cells, shape[0])
        slots[name] = _shaped(list(map(_cell, cells)), shape[0])
    return found


def _shaped(cells: list[Any], shape: tuple[int, ...]) -> Array:
    result = np.empty(len(cells), dtype=object)
    result[:] = cells
    return result.reshape(shape)


def _settled(
    show: Callable[[Ratio], Any],
    tie: Callable[[Ratio, Ratio], Ratio],
    word: Callable[[str], Any],
    cell: Any,
    last: bool,
) -> Any:
    """A cell as it is shown; a fraction is what it is, a ball may be undecided."""
    if isinstance(cell, float):
        return word(NEG_INF)
    if isinstance(cell, fmpq):
        return show(Ratio(int(cell.p), int(cell.q)))
    if cell.is_nan():
        return word(NAN)
    return decide(cell, show, tie, last)


def _written(value: Ratio, places: int, rounding: str) -> Decimal:
    if abs(value.num).bit_length() - value.den.bit_length() > MOST_BITS:
        raise Beyond
    return rounded(value, places, rounding)


def _decimal(word: str) -> Decimal:
    return Decimal({NEG_INF: "-Infinity", NAN: "NaN"}[word])


def _cell(number: Decimal) -> Any:
    if number.is_nan():
        return arb("nan")
    return fraction(number) if number.is_finite() else HIDDEN


# --- floating point ---------------------------------------------------------------------------


class Strange(NamedTuple):
    """A number of a type that no rounding inside its step explains."""

    step: str
    place: tuple[int, ...]
    found: float
    right: str


def strange(document: Document, cells: dict[str, Any], kind: str) -> Iterator[Strange]:
    """The numbers of a program's steps that are not their step's result from the numbers before.

    ``cells`` are its steps (batch, head, rows, columns) by name. Allowed are a rounding of every number inside the
    step and of the result. Where a number before is infinite or not a number, nothing is said.
    """
    kept, ctx.prec = ctx.prec, START_BITS
    try:
        yield from _strange(document, cells, np.dtype(kind).type)
    finally:
        ctx.prec = kept


def _strange(document: Document, cells: dict[str, Any], kind: Any) -> Iterator[Strange]:
    unit = float(np.finfo(kind).eps) / 2
    calculation = Calculation(document, lambda number: _held(kind(float(number))), unit, "shifted" in cells)
    slots = {name: np.frompyfunc(_held, 1, 1)(values.astype(np.float64)) for name, values in cells.items()}
    slots |= {name: values for name, values in calculation.given().items() if name not in slots}
    least = float(np.finfo(kind).smallest_subnormal) * 8
    for name, function in calculation.steps():
        wanted = function(slots.__getitem__)
        for place in np.ndindex(*wanted.shape):
            found = float(cells[name][place])
            if not _explained(found, wanted[place], unit, least, float(np.finfo(kind).max)):
                yield Strange(name, place, found, str(wanted[place]))


def _held(number: Any) -> Any:
    number = float(number)
    if number == HIDDEN:
        return HIDDEN
    return fmpq(*number.as_integer_ratio()) if np.isfinite(number) else arb("nan")


def _explained(found: float, wanted: Any, unit: float, least: float, most: float) -> bool:
    if isinstance(wanted, float) or found == HIDDEN:
        return (isinstance(wanted, float)) == (found == HIDDEN)
    if not ball(wanted).is_finite():
        return True if not ball(wanted).is_nan() else not np.isfinite(found) or found == 0
    room = ball(wanted) * arb(1, 8 * unit) + arb(0, least)
    return bool(room.contains(arb(found))) if np.isfinite(found) else float(room.abs_upper()) > most / 4
