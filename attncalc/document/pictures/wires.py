"""Arrows between boxes that stand in layers: down, along a track of the gap below, down again; none runs over a box.

A net is all that leaves one box. It has one track in each gap in which it turns, and one lane: the way down past the
layers between, where they have room for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from attncalc.document.pictures.drawing import Dot, Part, Shape, Way, moved

APART = 12
"""Between two wires beside each other, and between a wire and a box."""
SPACE = 18
"""Above the first and below the last track of a gap."""
TIP = 7
"""The length of an arrow's head."""


class Placed(NamedTuple):
    """A box of a layer: its name, its left edge, and what it holds."""

    name: str
    x: float
    part: Part

    @property
    def middle(self) -> float:
        """The middle of it."""
        return self.x + self.part.width / 2


class Net:
    """What leaves one box: where it starts, the gaps in which it turns, and where it arrives."""

    def __init__(self, source: str, layer: int) -> None:
        self.source, self.layer = source, layer
        self.ports: dict[int, list[float]] = {}  # by the layer above them, the places where it arrives
        self.start = self.lane = 0.0

    @property
    def last(self) -> int:
        """The last gap in which it turns."""
        return max(self.ports)

    @property
    def passes(self) -> bool:
        """Whether it goes on past the next layer."""
        return self.last > self.layer

    def turns(self, gap: int) -> list[float]:
        """Where it has to be along a gap."""
        if gap != self.layer and gap not in self.ports:
            return []
        begin = self.start if gap == self.layer else self.lane
        return [begin, *self.ports.get(gap, []), *([self.lane] if self.passes and gap < self.last else [])]


def wired(layers: Sequence[Sequence[Placed]], sources: Mapping[str, Sequence[str]]) -> Part:
    """The layers under each other, with arrows from each box to those that read it."""
    nets = _Routes(layers, sources).nets
    tops: list[float] = []
    shapes: list[Shape] = []
    y, tracks = 0.0, {}
    for number, layer in enumerate(layers):
        tops.append(y)
        y += max(placed.part.height for placed in layer)
        turning = [net for net in nets if len({*net.turns(number)}) > 1]
        tracks.update({(net.source, number): y + SPACE + APART * i for i, net in enumerate(turning)})
        y += 2 * SPACE + APART * max(len(turning) - 1, 0) + TIP
    for top, layer in zip(tops, layers, strict=True):
        for placed in layer:
            shapes += moved(placed.part, placed.x, top)
    for net in nets:
        shapes += _drawn(net, layers, tops, tracks)
    return _bounded(shapes, layers, nets, tops[-1] + max(placed.part.height for placed in layers[-1]))


def _bounded(shapes: Sequence[Shape], layers: Sequence[Sequence[Placed]], nets: Sequence[Net], height: float) -> Part:
    """The shapes with their left edge at 0."""
    lanes = [net.lane for net in nets if net.passes]
    left = min([placed.x for layer in layers for placed in layer] + lanes)
    right = max([placed.x + placed.part.width for layer in layers for placed in layer] + lanes)
    return Part(right - left, height, moved(Part(0, 0, tuple(shapes)), -left, 0))


class _Routes:
    """Where the wires arrive, pass and start, found in this order: no two of them share a way down."""

    def __init__(self, layers: Sequence[Sequence[Placed]], sources: Mapping[str, Sequence[str]]) -> None:
        self.layers, self.sources = layers, sources
        self.layer_of = {placed.name: number for number, layer in enumerate(layers) for placed in layer}
        self.box = {placed.name: placed for layer in layers for placed in layer}
        readers = {name: [reader for reader in sources if name in sources[reader]] for name in self.box}
        self.net = {name: Net(name, self.layer_of[name]) for name in self.box if readers[name]}
        self.taken: dict[int, list[tuple[float, str]]] = {number: [] for number in range(len(layers))}
        for name in self.box:
            self._arrive(name)
        for net in self.nets:
            self._pass(net)
        for net in self.nets:
            self._start(net)

    @property
    def nets(self) -> list[Net]:
        """The nets in the order of the boxes they leave."""
        return list(self.net.values())

    def _arrive(self, name: str) -> None:
        """A port for each wire at the top of a box, in the order in which they come."""
        read = sorted(self.sources[name], key=lambda source: self.box[source].middle)
        box, gap = self.box[name], self.layer_of[name] - 1
        apart = min(2 * APART, box.part.width / (len(read) + 1))
        for number, source in enumerate(read):
            x = round(box.middle + (number - (len(read) - 1) / 2) * apart, 1)
            self.net[source].ports.setdefault(gap, []).append(x)
            self.taken[gap].append((x, source))

    def _pass(self, net: Net) -> None:
        """The free way down past the layers between that is nearest to both ends."""
        if not net.passes:
            return
        between = [box for layer in self.layers[net.layer + 1 : net.last + 1] for box in layer]
        ends = [self.box[net.source].middle, *net.ports[net.last]]
        edges = [edge for box in between for edge in (box.x - APART, box.x + box.part.width + APART)]
        places = [*ends] + [edge + side * APART * k for edge in edges for side in (-1, 1) for k in range(12)]
        gaps = range(net.layer, net.last + 1)

        def detour(x: float) -> float:
            return sum(abs(x - end) for end in ends)

        free = [x for x in places if self._free(x, gaps, net.source) and not any(_covers(box, x) for box in between)]
        nearest: float = min(sorted(free), key=detour)
        net.lane = round(nearest, 1)
        for gap in gaps:
            self.taken[gap].append((net.lane, net.source))

    def _start(self, net: Net) -> None:
        """Straight above where it arrives or passes, where it can be; else near the middle of the box."""
        box = self.box[net.source]
        straight = [*net.ports.get(net.layer, []), *([net.lane] if net.passes else [])]
        near = [box.middle + side * APART * k / 2 for k in range(40) for side in (1, -1)]
        inside = [x for x in (*straight, *near) if box.x + APART / 2 <= x <= box.x + box.part.width - APART / 2]
        found = next((x for x in inside if self._free(x, [net.layer], net.source)), box.middle)
        net.start = round(found, 1)
        self.taken[net.layer].append((net.start, net.source))

    def _free(self, x: float, gaps: Sequence[int], source: str) -> bool:
        """Whether no wire is near; one of the same box may be at the same place."""
        wires = (wire for gap in gaps for wire in self.taken[gap])
        return all(abs(x - other) >= APART - 1 or (name == source and x == other) for other, name in wires)


def _covers(box: Placed, x: float) -> bool:
    return box.x - APART + 1 < x < box.x + box.part.width + APART - 1


def _drawn(
    net: Net, layers: Sequence[Sequence[Placed]], tops: Sequence[float], tracks: Mapping[tuple[str, int], float]
) -> Iterator[Shape]:
    """The lines of a net, with a dot where it branches."""
    box = next(placed for placed in layers[net.layer] if placed.name == net.source)
    above = tops[net.layer] + box.part.height
    for gap in range(net.layer, net.last + 1):
        turns = net.turns(gap)
        if not turns:
            continue
        track = tracks.get((net.source, gap))
        begin, below = turns[0], tops[gap + 1]
        if track is None:
            yield from _ends(net, gap, begin, above, below)
        else:
            yield Way(((begin, above), (begin, track)), "wire")
            yield Way(((min(turns), track), (max(turns), track)), "wire")
            for x in sorted({*turns[1:]}):
                yield from _ends(net, gap, x, track, below)
            inner = [x for x in {*turns} if min(turns) < x < max(turns) or (x == begin and x in turns[1:])]
            yield from (Dot(x, track, "wire") for x in sorted(inner))
        above = track if track is not None else above


def _ends(net: Net, gap: int, x: float, above: float, below: float) -> Iterator[Shape]:
    """The way down from a track: to a box, or on to the next gap in which the net turns."""
    if x in net.ports.get(gap, []):
        yield Way(((x, above), (x, below - 1)), "wire", True)
