"""A checked scenario: the numbers of a file as arrays with all their axes, its words as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.notebooks import InNotebooks

MADE = frozenset((
    "visible", "own", "distance", "query_positions", "key_positions", "slope_exponents",
    "places", "hidden_keys", "key_lengths",
))  # fmt: skip
"""The arrays that are made for a scenario; all others are given."""


@dataclass(frozen=True, eq=False)
class Scenario(InNotebooks):
    """What a calculation starts from. Made by `attncalc.load`, never changed: an edit is a new document, read again.

    `arrays` hold (batch, head, row, column), weight matrices (1, head, in, out), all read-only, under their paths
    (`q`, `past.k`). Some are made for every scenario: `visible`, true where a query may see a key, `own`, true where it
    is the token itself and visible, `distance` between query and key, and the positions that a rotation counts.
    `origins` give the flat place of every number in the array as it was written, and that array's shape.
    """

    name: str
    document: Mapping[str, Any]
    start: str
    arrays: Mapping[str, Values]
    tokens: Sequence[str]
    query_tokens: Sequence[str]
    queries: tuple[int, ...]
    grid: tuple[int, int, int, int]  # batch, heads, queries, keys
    sizes: Mapping[str, int]  # d_k, d_v, d_model, where the shapes say them
    width: int | None = None  # what a named scale divides by, before its root
    axes: tuple[str, ...] = ("query", "key", "feature")
    origins: Mapping[str, tuple[Values, tuple[int, ...]]] = field(default_factory=dict)
    changes: tuple[str, ...] = ()  # what was changed in the document before it was read

    def __repr__(self) -> str:
        return f"<Scenario {'; '.join((self.name, *self.changes))}>"

    def has(self, *names: str) -> bool:
        """Whether all these arrays are given."""
        return all(name in self.arrays for name in names)

    def option(self, key: str) -> Any:
        """The value of a key, its default where the file leaves it out."""
        return self.document.get(key)

    @cached_property  # asked for with every number that is shown
    def places(self) -> int:
        """Decimals shown."""
        return int(self.document["places"])

    @cached_property
    def rounding(self) -> str:
        """half-up, half-even or truncate."""
        return str(self.document["rounding"])

    @property
    def weighting(self) -> str:
        """How scores become weights."""
        return str(self.document.get("weighting", "softmax"))

    def hand_places(self, step: str) -> int:
        """The decimals a step's result keeps by hand."""
        by_hand = self.document.get("by_hand")
        if isinstance(by_hand, Mapping):
            return int(by_hand.get(step, by_hand.get("default", self.places)))
        return self.places if by_hand is None else int(by_hand)

    def number(self, key: str) -> Decimal:
        """A numeric option."""
        return Decimal(self.document[key])

    def path_of(self, name: str, place: tuple[int, ...]) -> str:
        """Where a given number stands in the document: `w_q.0.1`."""
        if name not in self.origins:
            return name
        flat, shape = self.origins[name]
        written = np.unravel_index(int(flat[place]), shape) if shape else ()
        return ".".join((name, *(str(int(i)) for i in written)))

    @property
    def heads(self) -> int:
        """Query heads."""
        return self.grid[1]

    @property
    def kv_heads(self) -> int:
        """Heads of keys and values."""
        return self.sizes["kv_heads"]

    def shared_head(self, query_head: int, heads: int) -> int:
        """The head that a query head reads in a step of so many heads."""
        return query_head * heads // self.heads

    def first_reader(self, head: int, heads: int) -> int:
        """The first query head that reads a head of a step of so many heads."""
        return head * self.heads // heads

    def setting(self, path: str, default: Any = None) -> Any:
        """A value inside an object of the document: `norm.kind`."""
        key, name = path.split(".")
        value = self.document.get(key)
        return value.get(name, default) if isinstance(value, Mapping) else default

    def reads_start(self, name: str) -> bool:
        """Whether the calculation needs this given array, or another weighting leaves it aside."""
        if name in ("q", "k", "scores"):
            return self.start == ("scores" if name == "scores" else "q") and self.needs_scores
        return name != "x" or self.start == "x"

    @property
    def has_mask(self) -> bool:
        """Whether a mask is asked for."""
        return bool(self.document.get("mask", "none") != "none")

    @property
    def projected(self) -> bool:
        """Whether queries, keys and values come from embeddings."""
        return self.start in ("x", "ids")

    @property
    def online(self) -> bool:
        """Whether the keys are gone through in blocks, with a running maximum."""
        return self.document.get("algorithm") == "online"

    @property
    def needs_scores(self) -> bool:
        """Whether weights are made from scores."""
        return self.start not in ("weights", "v") and self.weighting in ("softmax", "linear")

    @property
    def has_values(self) -> bool:
        """Whether there is something to mix."""
        return self.has("v") or self.projected
