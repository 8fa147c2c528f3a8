"""Curves in a terminal: a letter for each, so that colour is not needed; braille dots between, or points in ASCII."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

from attncalc.core.tokens import short
from attncalc.core.wrapping import cells
from attncalc.document.blocks import Curve, Plot

HEIGHT, WIDEST, NARROWEST = 12, 64, 12
BETWEEN, LEAST_PERIOD = 3, 12  # columns between letters of two curves, and of one
GAP = "   "
EMPTY = "\u2800"  # a braille character without dots, which would stand at the ends of lines

Place = tuple[float, float]


def plot_lines(plot: Plot, room: int, ascii_only: bool) -> Iterator[str]:
    """The lines of a plot: the curves between two axes, the ends of both, and whose letter is whose."""
    gutter = max(len(plot.lowest), len(plot.highest))
    width = max(min(room - gutter - 2, WIDEST), NARROWEST)
    corner, side, floor, mark = ("+", "|", "-", "^") if ascii_only else ("└", "│", "─", "▲")
    for number, line in enumerate(_drawn(plot, width, ascii_only)):
        label = {0: plot.highest, HEIGHT - 1: plot.lowest}.get(number, "")
        yield f"{label:>{gutter}} {side}{line}"
    own = round(plot.own * (2 * width - 1)) // 2 if plot.own is not None else None
    yield f"{'':{gutter}} {corner}" + "".join(mark if column == own else floor for column in range(width))
    yield f"{'':{gutter}}  " + _ends(plot, width)
    yield from _legend(plot.curves, room)


def _drawn(plot: Plot, width: int, ascii_only: bool) -> list[str]:
    """The curves, then over them the letters."""
    from plotille import Canvas  # loaded only where a plot is drawn

    # What lies on the upper edge of a canvas is left out, so that the edges are a dot further than the curves.
    top = plot.low + (plot.high - plot.low) * 4 * HEIGHT / (4 * HEIGHT - 1)
    canvas = Canvas(width, HEIGHT, xmin=0, ymin=plot.low, xmax=2 * width / (2 * width - 1), ymax=top)
    for curve in plot.curves:
        for (x0, y0), (x1, y1) in pairwise(zip(plot.at, curve.numbers, strict=True)):
            if y0 is not None and y1 is not None:
                _join(canvas, (x0, y0), (x1, y1), width if ascii_only else 0)
    for letter, share, number in _letters(plot, width):
        canvas.point(share, number, marker=letter)
    return [line.replace(EMPTY, " ") for line in canvas.plot("\n").split("\n")]


def _join(canvas: Any, start: Place, end: Place, columns: int) -> None:
    """A line of dots; with `columns` a point in each of them instead."""
    if not columns:
        canvas.line(*start, *end)
        return
    (x0, y0), (x1, y1) = start, end
    steps = max(round((x1 - x0) * columns), 1)
    for share in (step / steps for step in range(steps + 1)):
        canvas.point(x0 + (x1 - x0) * share, y0 + (y1 - y0) * share, marker=".")


def _letters(plot: Plot, width: int) -> Iterator[tuple[str, float, float]]:
    """Each curve's letter, again and again along it, never in a column of another curve's."""
    period = max(BETWEEN * len(plot.curves), LEAST_PERIOD)
    for number, curve in enumerate(plot.curves):
        shares = [(c + 0.5) / width for c in range(1 + number * period // len(plot.curves), width, period)]
        found = [(share, y) for share in shares if (y := _height(plot, curve, share)) is not None]
        single = [(x, y) for x, y in zip(plot.at, curve.numbers, strict=True) if y is not None]
        yield from ((ascii_uppercase[number], *place) for place in found or single[:1])


def _height(plot: Plot, curve: Curve, share: float) -> float | None:
    """How high a curve is at a share of the width, between its points; None in a gap."""
    after = next((i for i, x in enumerate(plot.at) if x > share), len(plot.at) - 1)
    (x0, x1), (y0, y1) = plot.at[after - 1 : after + 1], curve.numbers[after - 1 : after + 1]
    return None if y0 is None or y1 is None else y0 + (y1 - y0) * (share - x0) / (x1 - x0)


def _ends(plot: Plot, width: int) -> str:
    """The first and the last value under the axis, and between them what they are values of."""
    first, last, axis = plot.points[0], plot.points[-1], short(plot.axis)
    room = width - len(first) - len(last)
    axis = axis if cells(axis) + 2 <= room else ""
    before = max(room - cells(axis), 1) // 2
    return f"{first}{' ' * before}{axis}{' ' * max(room - before - cells(axis), 1)}{last}"


def _legend(curves: Sequence[Curve], room: int) -> Iterator[str]:
    line = ""
    for letter, curve in zip(ascii_uppercase, curves, strict=False):
        entry = f"{letter} {curve.name}"
        if line and cells(line + GAP + entry) > room:
            yield line
            line = ""
        line += (GAP if line else "") + entry
    yield line
