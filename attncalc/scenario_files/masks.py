"""Which keys a query may see: the parts of a mask, ANDed, and the positions they count from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.messages import Lines
from attncalc.scenario_files.kinds import Report

Grid = tuple[int, int, int, int]
VISIBLE_SIGN, HIDDEN_SIGN = "■", "·"
MOST_DRAWN = 24


class Masks:
    """The mask of one document over a grid; reports a causal mask whose corner is open."""

    def __init__(
        self, document: Mapping[str, Any], arrays: Mapping[str, Values], grid: Grid, past: int, place: int | None,
        find_all: Callable[[Sequence[Any], str], list[int]], report: Report,
    ) -> None:  # fmt: skip
        self.grid, self.past, self.place, self.find_all, self.report = grid, past, place, find_all, report
        mask = document.get("mask", "none")
        self.parts: Mapping[str, Any] = mask if isinstance(mask, dict) else {}
        self.causal = self.parts.get("causal") or (True if mask == "causal" else None)
        self.wants_positions = bool(self.causal or "window" in self.parts or "alibi" in document)
        self.arrays = arrays

    def positions(self) -> Values:
        """The position of each query among the keys, (queries, 1)."""
        queries, keys = self.grid[2:]
        if self.place is not None:
            return np.full((queries, 1), self.place)
        rows = np.arange(queries)[:, None] + self.past
        if self.causal == "bottom-right":
            return rows - self.past + keys - queries
        if self.wants_positions and self.causal != "top-left" and queries != keys and not self.past:
            some = _some(queries)[:, None], _some(keys)
            pictures = (_picture(some[0] >= some[1]), _picture(some[0] + keys - queries >= some[1]))
            self.report(
                "mask" if self.causal or self.parts else "alibi", "causal-corner" if self.causal else "corner-open",
                queries=queries, keys=keys,
                top_left=pictures[0], bottom_right=pictures[1],
            )  # fmt: skip
        return rows

    def visible(self, positions: Values) -> Values:
        """True where a query may see a key, over the whole grid."""
        keys = np.arange(self.grid[3])
        seen = np.ones((1, 1, self.grid[2], self.grid[3]), dtype=bool)
        if self.causal:
            seen = seen & (keys <= positions)
        if "window" in self.parts:
            seen = seen & (np.abs(positions - keys) < int(self.parts["window"]))
        if hidden := self.hidden_keys():
            seen = seen & ~np.isin(keys, hidden)
        for name, wanted in (("mask.keep", 1), ("mask.drop", 0)):
            if name in self.arrays:
                seen = seen & (self.arrays[name] == wanted)
        seen = seen & (keys < np.array(self.key_lengths()).reshape(-1, 1, 1, 1))
        return np.broadcast_to(seen, self.grid)

    def hidden_keys(self) -> list[int]:
        """The positions of the keys that nobody sees."""
        return self.find_all(self.parts.get("hide", ()), "mask.hide")

    def key_lengths(self) -> list[int]:
        """How many keys there are: one number, or one for each batch entry."""
        lengths = self.arrays.get("mask.key_lengths")
        if lengths is None:
            number = self.parts.get("key_lengths")
            if number is not None and number > self.grid[3]:
                self.report("mask.key_lengths", "key-length-too-long", found=int(number), keys=self.grid[3])
            return [self.grid[3] if number is None else int(number)]
        flat = [int(n) for n in lengths.flat]
        if len(flat) not in (1, self.grid[0]):
            self.report("mask.key_lengths", "fit-per-batch", found=len(flat), wanted=self.grid[0])
            flat = flat[:1]
        for position, number in enumerate(flat):
            if not 0 <= number <= self.grid[3]:
                self.report(f"mask.key_lengths[{position}]", "key-length-too-long", found=number, keys=self.grid[3])
        return flat


def _some(count: int) -> Values:
    """All positions, or so many of them, evenly spread, as a drawing has room for."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_DRAWN)).astype(int))


def _picture(visible: Values) -> Lines:
    """A mask drawn, a line a query."""
    return Lines("\n".join("    " + " ".join(VISIBLE_SIGN if cell else HIDDEN_SIGN for cell in row) for row in visible))
