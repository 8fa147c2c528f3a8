"""The closed set of shapes between composing a picture and writing it, and how parts are put together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from attncalc.core.expression import Cell


class Words(NamedTuple):
    """A line of text: where its baseline begins, is centred or ends.

    `shade` is that of the box below it, `cell` the place of the trace that the number stands in, `turned` a label that
    reads upwards.
    """

    x: float
    y: float
    text: str
    look: str
    anchor: str = "start"
    shade: int | None = None
    cell: Cell | None = None
    turned: bool = False


class Box(NamedTuple):
    """A rectangle."""

    x: float
    y: float
    width: float
    height: float
    look: str
    shade: int | None = None


class Patches(NamedTuple):
    """Many rectangles (x, y, width, height) of one look, written as one."""

    boxes: tuple[tuple[float, float, float, float], ...]
    look: str
    shade: int | None = None


class Way(NamedTuple):
    """A line through points; an arrow ends with a head."""

    points: tuple[tuple[float, float], ...]
    look: str
    arrow: bool = False


class Dot(NamedTuple):
    """A small disc."""

    x: float
    y: float
    look: str


Shape = Words | Box | Patches | Way | Dot


class Part(NamedTuple):
    """Shapes with their own origin at the upper left, and how much room they take."""

    width: float
    height: float
    shapes: tuple[Shape, ...]


class Picture(NamedTuple):
    """A whole picture, with a title and a sentence for those who cannot see it."""

    title: str
    description: str
    part: Part


SHADES = 11
"""From the paper to the strongest."""


def shade_of(share: float) -> int:
    """The shade of a share between 0 and 1."""
    return round(share * (SHADES - 1))


def moved(part: Part, right: float, down: float) -> tuple[Shape, ...]:
    """The shapes of a part at another place."""
    return tuple(_moved(shape, right, down) for shape in part.shapes)


def _moved(shape: Shape, right: float, down: float) -> Shape:
    if isinstance(shape, Way):
        return shape._replace(points=tuple((x + right, y + down) for x, y in shape.points))
    if isinstance(shape, Patches):
        return shape._replace(boxes=tuple((x + right, y + down, w, h) for x, y, w, h in shape.boxes))
    return shape._replace(x=shape.x + right, y=shape.y + down)


def stacked(parts: Iterable[Part], gap: float) -> Part:
    """The parts under each other."""
    shapes: list[Shape] = []
    width = height = 0.0
    for part in parts:
        height += gap if height else 0
        shapes += moved(part, 0, height)
        width, height = max(width, part.width), height + part.height
    return Part(width, height, tuple(shapes))


def beside(parts: Sequence[Part], gap: float) -> Part:
    """The parts in a row, their upper edges in line."""
    shapes: list[Shape] = []
    width = 0.0
    for part in parts:
        width += gap if width else 0
        shapes += moved(part, width, 0)
        width += part.width
    return Part(width, max((part.height for part in parts), default=0), tuple(shapes))


def packed(parts: Sequence[Part], gap: float, room: float) -> Part:
    """The parts in as many rows as they need to stay within a width; one that is wider has a row of its own."""
    rows: list[list[Part]] = [[]]
    for part in parts:
        if rows[-1] and sum(other.width + gap for other in rows[-1]) + part.width > room:
            rows.append([])
        rows[-1].append(part)
    return stacked((beside(row, gap) for row in rows), gap)
