"""What a row of numbers does from point to point: which of them is the largest, which moves furthest."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

ALIKE = 1e-12
"""Numbers nearer to each other than this share of them are equal: floating point parts what exact numbers do not."""


class Lead(NamedTuple):
    """The columns that have the largest number, and the first and the last point at which they have."""

    columns: tuple[int, ...]
    first: int
    last: int


def leads(rows: Sequence[Sequence[float]]) -> list[Lead]:
    """Who has the largest number along the points; a point at which one is NaN belongs to nobody."""
    tops = [_top(row) for row in rows]
    runs = groupby(range(len(rows)), key=lambda point: tops[point])
    return [Lead(columns, points[0], points[-1]) for columns, run in runs if (points := list(run)) and columns]


def _top(row: Sequence[float]) -> tuple[int, ...]:
    if any(math.isnan(x) for x in row):
        return ()
    return tuple(column for column, x in enumerate(row) if math.isclose(x, max(row), rel_tol=ALIKE))


class Move(NamedTuple):
    """A column, and the two points between which it moves furthest, in their order."""

    column: int
    first: int
    last: int
    width: float


def moves(rows: Sequence[Sequence[float]]) -> list[Move]:
    """How far each column moves, the furthest first; one that is never finite does not move."""
    found = (_move(column, [row[column] for row in rows]) for column in range(len(rows[0])))
    return sorted(found, key=lambda move: (-_in_12_digits(move.width), move.column))


def furthest(rows: Sequence[Sequence[float]]) -> list[tuple[Move, ...]]:
    """The columns that move furthest, those together that do so between the same numbers at the same points."""
    found = moves(rows)
    widest = max(move.width for move in found)
    together: dict[tuple[int, int, float, float], list[Move]] = {}
    for move in found:
        if math.isclose(move.width, widest, rel_tol=ALIKE):
            ends = (_in_12_digits(rows[point][move.column]) for point in (move.first, move.last))
            together.setdefault((move.first, move.last, *ends), []).append(move)  # type: ignore[arg-type]
    return [tuple(group) for group in together.values()]


def _in_12_digits(x: float) -> float:
    return float(f"{x:.11e}")


def _move(column: int, numbers: Sequence[float]) -> Move:
    points = [point for point, x in enumerate(numbers) if math.isfinite(x)]
    if not points:
        return Move(column, 0, 0, 0.0)
    lowest, highest = (choose(numbers[point] for point in points) for choose in (min, max))
    width = highest - lowest
    low, high = (
        next(point for point in points if abs(numbers[point] - end) <= ALIKE * width) for end in (lowest, highest)
    )
    return Move(column, min(low, high), max(low, high), width)
