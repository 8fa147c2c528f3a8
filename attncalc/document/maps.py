"""The map of the weights at any length: pooled cells as levels of shade, what they are, and where they lie."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import figure, scientific
from attncalc.core.scenario import Scenario
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Heading, HeatMap, Matrix, Prose, Remark
from attncalc.document.heading import first_of_several
from attncalc.document.view import View
from attncalc.long.pooling import Map

DECADES = 4
"""The shades of pooled weights begin at a number at most so many times smaller, in powers of ten, than the largest."""

ALIKE = 2
"""Cells that differ by less than this factor are much the same."""

FAINTEST = 0.05
"""The share of the cells that may lie below them."""

FINEST = 5
"""Places after the point up to which a bound is written without an exponent."""


def maps(found: Map, scenario: Scenario, view: View, levels: int) -> Iterator[Block]:
    """The map of each place in so many levels of shade; with none, as a table of numbers."""
    yield Heading(title(found, view))
    yield Prose(each_cell(found, view))
    bounds = _bounds(found, levels) if levels else []
    for at in range(len(found.places)):
        yield _heat(found, at, bounds, scenario, view) if levels else _table(found, at, scenario, view)
    if any(head is None for _, head in found.places):
        yield Remark("mere-average", view.say("map-mere-average"))
    yield from first_of_several(scenario, view)


def _is_whole(found: Map) -> bool:
    return found.pooling.queries == found.pooling.keys == 1


def title(found: Map, view: View) -> str:
    """What the map is, and how it is pooled."""
    return view.say("map-title" if _is_whole(found) else f"map-title-{found.pooling.name}")


def each_cell(found: Map, view: View) -> str:
    """What a cell is."""
    if _is_whole(found):
        return view.say("map-each-single")
    queries, keys = found.pooling.queries, found.pooling.keys
    said = view.say(f"map-each-{found.pooling.name}", queries=queries, keys=keys)
    return said + (view.say("map-edge") if found.grid[0] % queries or found.grid[1] % keys else "")


def _place(found: Map, at: int, scenario: Scenario, view: View) -> str:
    batch, head = found.places[at]
    parts = [view.place_name(scenario, batch, head)]
    parts += [view.say("map-average", count=found.heads)] if head is None else []
    return view.say("list-comma").join(part for part in parts if part)


# --- levels ---------------------------------------------------------------------------------------


def _bounds(found: Map, levels: int) -> list[Decimal]:
    """Where each level above the lowest begins: even steps to 1 where a cell is one weight, else even factors.

    Cells that are much the same have even steps too, up to the largest.
    """
    seen = found.values[found.visible & np.isfinite(found.values) & (found.values > 0)]
    high = float(seen.max()) if seen.size and not _is_whole(found) else 1.0
    low = max(float(np.quantile(seen, FAINTEST)), high / 10**DECADES) if seen.size else high
    shares = [step / levels for step in range(1, levels)]
    if not _is_whole(found) and low < high / ALIKE:
        shares = [(low / high) ** (1 - step / (levels - 1)) for step in range(levels - 1)]
    return [Decimal(f"{high * share:.2g}") for share in shares]


def _levels(values: Values, visible: Values, bounds: Sequence[Decimal]) -> tuple[tuple[int | None, ...], ...]:
    """The level of each cell: None where it is hidden, −1 where it is no number."""
    levels = np.searchsorted([float(bound) for bound in bounds], values, side="right")
    levels = np.where(np.isnan(values), -1, levels)
    return tuple(
        tuple(int(level) if sees else None for level, sees in zip(*row, strict=True))
        for row in zip(levels, visible, strict=True)
    )


def _text(value: Decimal | float, view: View, digits: int = 2) -> str:
    """A number with so many digits that count."""
    number = Decimal(f"{float(value):.{digits}g}")
    if digits - 1 - number.adjusted() > FINEST:
        return view.number(scientific(number, digits - 1, "half-even"))
    return view.number(f"{number.normalize():f}")


# --- blocks ---------------------------------------------------------------------------------------


def _heat(found: Map, at: int, bounds: Sequence[Decimal], scenario: Scenario, view: View) -> HeatMap:
    values, visible = found.values[at], found.visible[at]
    tokens = (scenario.query_tokens, scenario.tokens)
    sides = zip(found.edges, (found.pooling.queries, found.pooling.keys), tokens, strict=True)
    rows, columns = (_marks(edges[:-1], size, names) for edges, size, names in sides)
    seen = values[visible & np.isfinite(values)]
    largest = float(seen.max()) if seen.size else 0.0
    place = _place(found, at, scenario, view)
    said = view.say("list-comma").join(part for part in (title(found, view), place) if part)
    return HeatMap(
        place, view.say("axis.query"), view.say("axis.key"), rows, columns, _levels(values, visible, bounds),
        tuple(_text(bound, view) for bound in bounds), _text(largest, view, 3),
        view.say("map-said", title=said, each=each_cell(found, view)),
    )  # fmt: skip


FEW = 40
"""Tokens whose labels stand at a side, if each has a row or a column of its own."""


def _marks(starts: Sequence[int], size: int, tokens: Sequence[str]) -> tuple[str, ...]:
    """What the bins of a side are called: tokens where they are few, else the position where each begins."""
    return labels(tokens) if size == 1 and len(starts) <= FEW else tuple(map(str, starts))


def _table(found: Map, at: int, scenario: Scenario, view: View) -> Matrix:
    """The cells as numbers, each under the positions that it is made of."""
    tokens, sizes = (scenario.query_tokens, scenario.tokens), (found.pooling.queries, found.pooling.keys)
    rows, columns = (_ranges(*side) for side in zip(found.edges, sizes, tokens, strict=True))
    pairs = zip(found.values[at], found.visible[at], strict=True)
    cells = tuple(tuple(_figure(*cell, scenario, view) for cell in zip(*row, strict=True)) for row in pairs)
    caption, names = _place(found, at, scenario, view), (view.say("axis.query"), view.say("axis.key"))
    return Matrix(caption, *names, rows, columns, cells)


def _figure(value: float, visible: bool, scenario: Scenario, view: View) -> Figure:
    if not visible:
        return Figure(view.signs.hidden, hidden=True)
    share = min(max(value, 0.0), 1.0) if math.isfinite(value) else None
    return Figure(view.number(figure(float(value), scenario.places, scenario.rounding)), share=share)


def _ranges(edges: Sequence[int], size: int, tokens: Sequence[str]) -> tuple[str, ...]:
    """The tokens, or the positions of each bin."""
    if size == 1:
        return _marks(edges[:-1], size, tokens)
    return tuple(str(a) if b - a == 1 else f"{a}–{b - 1}" for a, b in pairwise(edges))
