"""The weights of one query as bars, a panel for each query that is asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from heapq import nlargest
from typing import NamedTuple

from attncalc.core.expression import Cell
from attncalc.core.rows import hidden_cells
from attncalc.core.stage import Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Prose
from attncalc.document.matrices import figure
from attncalc.document.pictures.drawing import Box, Part, Picture, Shape, Way, Words, stacked
from attncalc.document.pictures.frame import PAGE, framed
from attncalc.document.pictures.grid import PAD, legend
from attncalc.document.pictures.letters import LOOKS, height_of, paragraphs, width_of, written
from attncalc.document.reading import reading, share_of_rest
from attncalc.document.view import View

MOST = 24
"""Bars of a panel."""
LENGTH, ROW, THICK = 360, 30, 18


class Bar(NamedTuple):
    """One key: its label, its number as it is shown, and how long it is."""

    label: str
    figure: Figure
    weight: float


def bars(trace: Trace, view: View, told: bool, quiet: bool) -> Picture:
    """The queries that are asked for, in each batch entry and head that is shown."""
    queries = view.queries if view.queries is not None else trace.scenario.queries
    rows = [(*place, query) for place in view.places(trace.scenario) for query in queries]
    panels = {row: _bars(trace, view, row) for row in rows}
    finite = [bar.weight for panel in panels.values() for bar in panel if math.isfinite(bar.weight)]
    scale = (min([*finite, 0.0]), _round_end(max([*finite, 0.0])))
    hidden = any(bar.figure.hidden for panel in panels.values() for bar in panel)
    parts = [_panel(trace, view, row, panel, scale) for row, panel in panels.items()]
    key = [legend([(view.say("hidden"), "hidden", None)])] if hidden else []
    said = " ".join(text for row in rows for text in _texts(reading(trace, view, row)))
    return framed(trace, view, stacked([*parts, *key], 24), said or view.say("picture-bars"), quiet, queries)


def _round_end(largest: float) -> float:
    """The end of the scale: the first of … 0.1, 0.2, 0.5, 1 … that no bar goes beyond."""
    if largest <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next(power * step for step in (1, 2, 5, 10, 20) if power * step >= largest * (1 - 1e-9))


def _bars(trace: Trace, view: View, row: tuple[int, int, int]) -> list[Bar]:
    """The keys in their order; of too many those with the largest weights."""
    step, names = trace["weights"], labels(trace.scenario.tokens)
    cells, hidden = step.cells[row], hidden_cells(trace, step, row[:2])
    numbers = [float(cell) for cell in cells]
    most = MOST if view.most_side else len(numbers)
    sizes = [-math.inf if math.isnan(number) else number for number in numbers]
    keys = sorted(nlargest(most, range(len(numbers)), key=lambda key: (sizes[key], -key)))
    figures = (figure(trace, step, view, cells[k], hidden is not None and bool(hidden[row[2], k])) for k in keys)
    pairs = zip(keys, figures, strict=True)
    return [Bar(names[k], shown._replace(cell=Cell(step.name, (*row, k))), numbers[k]) for k, shown in pairs]


def _panel(
    trace: Trace, view: View, row: tuple[int, int, int], panel: Sequence[Bar], scale: tuple[float, float]
) -> Part:
    """A heading, the bars, and the weights read aloud."""
    asking = labels(trace.scenario.query_tokens)[row[2]]
    place = view.place_name(trace.scenario, *row[:2])
    name = view.say("plain-place", axis=view.say("axis.query"), label=asking)
    heading = written([view.say("list-comma").join(part for part in (place, name) if part)], "heading")
    drawn = _drawn(panel, scale)
    shown = [bar.figure.cell.place[-1] for bar in panel if bar.figure.cell]
    texts = [*_texts(share_of_rest(trace, view, row, shown)), *_texts(reading(trace, view, row))]
    return stacked([heading, drawn, *paragraphs(texts, min(max(drawn.width, 420), PAGE))], 8)


def _drawn(panel: Sequence[Bar], scale: tuple[float, float]) -> Part:
    """Labels, bars from the line of 0, numbers at their ends, and the scale below."""
    low, high = scale
    left = max(width_of(bar.label, "label") for bar in panel) + PAD
    below = max(width_of(bar.figure.text, "number") for bar in panel) + 2 * PAD if low < 0 else 0
    start = left + below

    def place(weight: float) -> float:
        return start + LENGTH * (weight - low) / (high - low)

    height = ROW * len(panel)
    shapes: list[Shape] = []
    for number, bar in enumerate(panel):
        shapes += _bar(bar, number * ROW, left, place)
    shapes.append(Way(((place(0), 0), (place(0), height)), "rule"))
    ends = [end for end in (low, 0.0, high) if end or low <= 0]
    for end in dict.fromkeys(ends):
        shapes.append(Way(((place(end), height), (place(end), height + 5)), "rule"))
    shapes += [Words(place(end), height + 18, f"{end:g}", "corner", "middle") for end in (0.0, high)]
    right = max(width_of(bar.figure.text, "number") for bar in panel) + PAD
    return Part(start + LENGTH + right + PAD, height + height_of("corner") + 5, tuple(shapes))


def _bar(bar: Bar, top: float, left: float, place: Callable[[float], float]) -> Iterator[Shape]:
    """The label, the bar or what stands for a hidden key, and the number at its end."""
    zero, end = place(0), place(bar.weight) if math.isfinite(bar.weight) else place(0)
    baseline = top + ROW / 2 + LOOKS["number"].size * 0.35
    yield Words(left - PAD, baseline, bar.label, "label", "end")
    if bar.figure.hidden:
        yield Box(zero, top + (ROW - THICK) / 2, THICK, THICK, "hidden")
        end = zero + THICK
    elif end != zero:
        yield Box(min(zero, end), top + (ROW - THICK) / 2, abs(end - zero), THICK, "bar")
    x, anchor = (end + PAD, "start") if end >= zero else (end - PAD, "end")
    yield Words(x, baseline, bar.figure.text, "number", anchor, cell=bar.figure.cell)


def _texts(blocks: Iterator[Block]) -> list[str]:
    return [block.text for block in blocks if isinstance(block, Prose)]
