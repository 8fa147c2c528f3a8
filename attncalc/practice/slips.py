"""One wrong number in a step that is right otherwise: what may have happened to it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.expression import Cell, Expression, Operation, numbers_in
from attncalc.core.figures import NEAR, as_decimal, figure
from attncalc.derive import derivation, recomputed
from attncalc.practice.agreement import Sheet
from attncalc.practice.answered import DIGITS
from attncalc.practice.case import Case
from attncalc.practice.verdicts import Finding

MOST_TERMS = 1000
POWERS = (-3, -2, -1, 1, 2, 3)


def slips(case: Case, sheet: Sheet) -> list[Finding]:
    """What explains the one wrong answer of a sheet; nothing where more than one is wrong."""
    wrong = np.argwhere(sheet.given & ~sheet.right_cells)
    if len(wrong) != 1 or sheet.answered.convention:
        return []
    place = tuple(int(i) for i in wrong[0])
    given, right = sheet.answered.number(place), as_decimal(sheet.right[place])
    fields = {"cell": Cell(sheet.name, place), "given": sheet.answered.text(place), "right": right}
    if sheet.answered.precision != DIGITS or not given.is_finite() or not right.is_finite():
        return [Finding("slip", "plain", sheet.name, fields)] if sheet.count > 1 else []
    found = [
        *_of_terms(case, sheet, place, given),
        *_of_digits(sheet, place, given, right),
        *_of_places(sheet, place, given),
    ]
    plain: list[tuple[str, dict[str, Any]]] = [("plain", {})] if sheet.count > 1 else []
    return [Finding("slip", name, sheet.name, {**fields, **more}) for name, more in found or plain]


Found = Iterator[tuple[str, dict[str, Any]]]


def _of_digits(sheet: Sheet, place: tuple[int, ...], given: Decimal, right: Decimal) -> Found:
    within = sheet.answered.within[place]
    if right and NEAR.add(given, right).copy_abs() <= within:
        yield "sign", {}
    for power in POWERS:
        moved = right.scaleb(power)
        unit = Decimal((0, (1,), int(given.as_tuple().exponent)))
        if given and NEAR.subtract(moved, given).copy_abs() <= max(within, unit / 2):
            yield "decimal-point", {}
    digits = _digits_alike(given, right)
    if digits is not None:
        wrong = [i for i, pair in enumerate(zip(*digits, strict=True)) if pair[0] != pair[1]]
        if len(wrong) == 1:
            yield "one-digit", {}
        elif len(wrong) == 2 and wrong[1] == wrong[0] + 1 and sorted(digits[0]) == sorted(digits[1]):
            yield "swapped-digits", {}


def _digits_alike(given: Decimal, right: Decimal) -> tuple[str, str] | None:
    """Both numbers with the digits of the first; None where their lengths or signs differ."""
    places = max(0, -int(given.as_tuple().exponent))
    texts = format(given, f".{places}f"), figure(right, places)
    return texts if len(texts[0]) == len(texts[1]) and given.is_signed() == right.is_signed() else None


def _of_places(sheet: Sheet, place: tuple[int, ...], given: Decimal) -> Found:
    """The number of another cell of the same row or column."""
    within, right = float(sheet.answered.within[place]), sheet.right.astype(np.float64)
    if not given:
        return
    for axis in (len(place) - 1, len(place) - 2):
        for other in range(sheet.right.shape[axis]):
            there = (*place[:axis], other, *place[axis + 1 :])
            if there != place and abs(right[there] - float(given)) <= within:
                yield "another-cell", {"other": Cell(sheet.name, there)}
                return


def _of_terms(case: Case, sheet: Sheet, place: tuple[int, ...], given: Decimal) -> Found:
    """A product of the sum left out, counted twice, or taken with the wrong sign."""
    if sheet.step.stage.given:
        return
    tree = derivation(case.trace, sheet.step, place)
    within = sheet.answered.within[place]
    off = NEAR.subtract(given, as_decimal(sheet.right[place]))
    for term in _terms(tree):
        value = as_decimal(recomputed(term))
        if value.copy_abs() <= 2 * within:
            continue
        for name, factor in (("missed-term", -1), ("extra-term", 1), ("term-sign", -2)):
            if NEAR.subtract(off, factor * value).copy_abs() <= within:
                yield name, {"term": term}
                return


def _terms(tree: Expression) -> list[Expression]:
    """The terms of the sum that a derivation is, or holds as its first part."""
    if not isinstance(tree, Operation) or sum(1 for _ in numbers_in(tree)) > MOST_TERMS:
        return []
    if tree.kind == "dot":
        half = len(tree.arguments) // 2
        pairs = zip(tree.arguments[:half], tree.arguments[half:], strict=True)
        return [Operation("multiply", pair) for pair in pairs] if half > 1 else []
    if tree.kind in ("sum", "add"):
        inner = [_terms(part) for part in tree.arguments]
        return [t for part, ts in zip(tree.arguments, inner, strict=True) for t in (ts or [part])]
    return []
