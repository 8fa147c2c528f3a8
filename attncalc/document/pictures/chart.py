"""A plot as a line chart: two axes, a line for each curve with its name at its end, the scenario's own value marked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from attncalc.core.tokens import short
from attncalc.document.blocks import Curve, Plot
from attncalc.document.pictures.drawing import Dot, Part, Shape, Way, Words
from attncalc.document.pictures.letters import LOOKS, width_of
from attncalc.document.view import View

WIDTH, HEIGHT = 560, 320
LINE, SAMPLE, GAP = 20, 28, 12
TICK = 5


def chart(plot: Plot, view: View) -> Part:
    """The chart of a plot."""
    left = max(width_of(text, "corner") for text in (plot.lowest, plot.highest)) + GAP
    bottom = max(HEIGHT, LINE * len(plot.curves)) + 2 * LINE
    names = max(width_of(curve.name, "label") for curve in plot.curves)
    shapes = [*_axes(plot, left), *_own(plot, view, left), *_lines(plot, left), *_names(plot, left)]
    last = width_of(plot.points[-1], "corner")
    return Part(left + WIDTH + max(2 * GAP + SAMPLE + names, last), bottom + LINE, tuple(shapes))


def _place(left: float, across: float, up: float) -> tuple[float, float]:
    """Where a point at a share of the width and of the height lies."""
    return left + WIDTH * across, LINE + HEIGHT * (1 - up)


def _axes(plot: Plot, left: float) -> Iterator[Shape]:
    """The two axes, their ends, a tick for each point, and the texts of as many of them as have room."""
    floor = LINE + HEIGHT
    yield Way(((left, LINE), (left, floor)), "rule")
    yield Way(((left, floor), (left + WIDTH, floor)), "rule")
    for text, y in ((plot.highest, LINE), (plot.lowest, floor)):
        yield Words(left - GAP, y + 4, text, "corner", "end")
        yield Way(((left - TICK, y), (left, y)), "rule")
    room = WIDTH / max(len(plot.points) - 1, 1)
    widest = max(width_of(text, "corner") for text in plot.points) + GAP
    every = math.ceil(widest / room)
    for number, (text, share) in enumerate(zip(plot.points, plot.at, strict=True)):
        x, last = left + WIDTH * share, len(plot.points) - 1
        if number == last or (number % every == 0 and last - number >= every):
            yield Way(((x, floor), (x, floor + TICK)), "rule")
            yield Words(x, floor + LINE, text, "corner", "middle")
    yield Words(left + WIDTH / 2, floor + 2 * LINE, short(plot.axis), "label", "middle")


def _own(plot: Plot, view: View, left: float) -> Iterator[Shape]:
    """A line at the scenario's own value."""
    if plot.own is None:
        return
    x = left + WIDTH * plot.own
    text = view.say("picture-own")
    half = width_of(text, "prose") / 2
    yield Way(((x, LINE - 4), (x, LINE + HEIGHT)), "own")
    yield Words(min(max(x, half), left + WIDTH - half), 10, text, "prose", "middle")


def _lines(plot: Plot, left: float) -> Iterator[Shape]:
    """Each curve in the pieces between its gaps; a number alone is a dot."""
    for number, curve in enumerate(plot.curves):
        for piece in plot.pieces(curve):
            points = [_place(left, *shares) for shares in piece]
            if len(points) > 1:
                yield Way(tuple(points), f"curve{number}")
            else:
                yield Dot(*points[0], f"curve{number}")


def _names(plot: Plot, left: float) -> Iterator[Shape]:
    """The names beside the ends of the curves, apart from each other, each with a piece of its line."""
    ends = sorted((_end(plot, left, curve), number) for number, curve in enumerate(plot.curves))
    for y, (end, number) in zip(_apart([end for end, _ in ends]), ends, strict=True):
        x = left + WIDTH + GAP
        curve = plot.curves[number]
        if curve.numbers[-1] is not None and abs(y - end) > 1:
            yield Way(((left + WIDTH, end), (x, y)), "rule")
        yield Way(((x, y), (x + SAMPLE, y)), f"curve{number}")
        yield Words(x + SAMPLE + GAP / 2, y + LOOKS["label"].size * 0.35, curve.name, "label")


def _end(plot: Plot, left: float, curve: Curve) -> float:
    """How high a curve is at its last point."""
    last = next((number for number in reversed(curve.numbers) if number is not None), plot.low)
    return _place(left, 1, plot.share(last))[1]


def _apart(heights: Sequence[float]) -> list[float]:
    """Heights as near as can be to these, from above, at least a line apart, none below the floor."""
    found: list[float] = []
    for height in heights:
        found.append(max(height, found[-1] + LINE) if found else height)
    lowest: float = LINE + max(HEIGHT, LINE * len(heights))
    for place in range(len(found) - 1, -1, -1):
        found[place] = min(found[place], lowest)
        lowest = found[place] - LINE
    return found
