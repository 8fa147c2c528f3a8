"""SVG read back: the texts with the room they take, the boxes, the lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple
from xml.etree import ElementTree

from attncalc.core.expression import Cell
from attncalc.document.pictures.letters import LOOKS, width_of

SVG = "{http://www.w3.org/2000/svg}"


class Room(NamedTuple):
    """A rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def inside(self, other: Room, slack: float = 0.2) -> bool:
        """Whether it lies in another."""
        begins = self.left >= other.left - slack and self.top >= other.top - slack
        return begins and self.right <= other.right + slack and self.bottom <= other.bottom + slack

    def meets(self, other: Room) -> bool:
        """Whether they share more than an edge."""
        across = min(self.right, other.right) - max(self.left, other.left)
        return across > 0.2 and min(self.bottom, other.bottom) - max(self.top, other.top) > 0.2


class Text(NamedTuple):
    """A text and where it stands."""

    text: str
    looks: tuple[str, ...]
    room: Room
    cell: Cell | None


class Read(NamedTuple):
    """What a file holds."""

    root: ElementTree.Element
    page: Room
    texts: list[Text]
    boxes: list[tuple[str, Room]]
    ways: list[tuple[str, list[tuple[float, float]]]]
    patches: list[tuple[str, list[Room]]]

    def cells(self) -> dict[Cell, str]:
        """The numbers by their places in the trace."""
        return {text.cell: text.text for text in self.texts if text.cell}


def read(svg: str) -> Read:
    """A file, which has to be well-formed."""
    root = ElementTree.fromstring(svg)
    page = Room(0, 0, float(root.get("width", "")), float(root.get("height", "")))
    texts = [_text(node) for node in root.iter(f"{SVG}text")]
    rects = [node for node in root.iter(f"{SVG}rect") if node.get("class") != "paper"]
    boxes = [(node.get("class") or "hidden", _rect(node)) for node in rects]
    paths = list(root.iter(f"{SVG}path"))
    ways = [(node.get("class", ""), _points(node.get("d", ""))) for node in paths if not _is_patches(node)]
    patches = [(node.get("class") or "hidden", _rooms(node.get("d", ""))) for node in paths if _is_patches(node)]
    return Read(root, page, texts, boxes, ways, patches)


def _is_patches(node: ElementTree.Element) -> bool:
    return node.get("shape-rendering") is not None


def _rooms(path: str) -> list[Room]:
    """The rectangles of a path."""
    found = re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v([\d.]+)h-([\d.]+)z", path)
    assert len(found) == path.count("z")
    return [Room(x, y, x + width, y + height) for x, y, width, height, _ in (map(float, one) for one in found)]


def _text(node: ElementTree.Element) -> Text:
    """The measured width, and from the baseline three quarters of the size up and a quarter down."""
    looks = tuple(node.get("class", "").split())
    x, y, text = float(node.get("x", "")), float(node.get("y", "")), node.text or ""
    size, width = LOOKS[looks[0]].size, width_of(text, looks[0])
    left = x - {"start": 0, "middle": width / 2, "end": width}[node.get("text-anchor", "start")]
    up, down = size * 0.75, size * 0.25
    upwards = node.get("transform") is not None
    room = Room(x - up, y - width, x + down, y) if upwards else Room(left, y - up, left + width, y + down)
    words = (node.get("data-cell") or "").split()
    return Text(text, looks, room, Cell(words[0], tuple(map(int, words[1:]))) if words else None)


def _rect(node: ElementTree.Element) -> Room:
    x, y, width, height = (float(node.get(name, "")) for name in ("x", "y", "width", "height"))
    return Room(x, y, x + width, y + height)


def _points(path: str) -> list[tuple[float, float]]:
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", path)]
    return list(zip(numbers[::2], numbers[1::2], strict=True))


def overlapping(rooms: list[Room]) -> Iterator[tuple[int, int]]:
    """The pairs of rooms that meet."""
    order = sorted(range(len(rooms)), key=lambda number: rooms[number].top)
    for place, first in enumerate(order):
        for second in order[place + 1 :]:
            if rooms[second].top >= rooms[first].bottom:
                break
            if rooms[first].meets(rooms[second]):
                yield first, second
