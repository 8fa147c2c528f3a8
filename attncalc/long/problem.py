"""What a block of rows is calculated from, and what comes out of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.long.hiding import Hiding
from attncalc.long.tables import Table

FLOOR = {"float32": -1e38, "float64": -1e300}
"""A hidden score: finite, so that it times its exponential 0 is 0, and below any that counts."""

FILLED = ("uniform", "nan")
"""What may become of a row that sees nothing so that it has weights, seen or not."""

BOUND = {"float32": 70.0, "float64": 650.0}
"""No exponential of a smaller number overflows, nor the sum of a million of them, and none vanishes."""


class Problem(NamedTuple):
    """Attention over queries and keys that are ready to be compared; everything that a block of rows needs.

    Scores are q kᵀ · factor, or the given `scores` · factor. Plain functions and arrays only, so that a block may be
    calculated anywhere.
    """

    grid: tuple[int, int, int, int]  # batch, heads, queries, keys
    kind: str  # float32 or float64
    hiding: Hiding
    q: Table | None = None
    k: Table | None = None
    v: Table | None = None
    scores: Table | None = None
    factor: float = 1.0
    softcap: float | None = None
    slopes: tuple[float, ...] | None = None  # of ALiBi, one a head
    bias: Table | None = None
    log_base: float | None = None
    sink: tuple[float, ...] | None = None  # one a head
    empty: str = "zero"  # what becomes of a row that sees nothing
    bounded: bool = False  # whether every score is so small that the row maximum need not be taken off
    own: bool = True  # whether the queries are among the keys, so that a weight on itself means something
    softmax: bool = True  # whether tiles can be used: else whole rows are calculated as the steps do it
    weights: Table | None = None  # given
    settings: Mapping[str, Any] | None = None  # the keys of the scenario that say how scores become weights
    start: str = "q"
    width_said: int | None = None  # what a named scale divides by, before its root
    name: str = ""
    labels: Sequence[str] = ()  # of the queries

    @property
    def dtype(self) -> Any:
        """The type of the numbers."""
        return np.dtype(self.kind)

    @property
    def width(self) -> int:
        """The width of a value; 0 where there are none."""
        return self.v.shape[3] if self.v is not None else 0


class Pooling(NamedTuple):
    """How the map of the weights is pooled: by max or mean, so many queries and keys a bin, in which places."""

    name: str
    queries: int
    keys: int
    places: tuple[tuple[int, int], ...]  # batch entry and head
    alone: bool = False  # whether nothing else is asked for, so that the other places need not be calculated

    def takes(self, job: Job) -> bool:
        """Whether a block of rows is of one of the places."""
        return (job.batch, job.head) in self.places


class Asked(NamedTuple):
    """What is reported of each row besides the context: the largest weights, and the weight near the token.

    With `pooling` a map of the weights too.
    """

    top: int = 5
    near: int = 64
    pooling: Pooling | None = None


class Job(NamedTuple):
    """A block of rows of one batch entry and query head."""

    batch: int
    head: int
    first: int
    last: int

    @property
    def rows(self) -> slice:
        """The rows of the block."""
        return slice(self.first, self.last)


class Block(NamedTuple):
    """What is known of the rows of a job; None where it was not asked for."""

    context: Values | None  # (rows, width)
    keys: Values | None = None  # (rows, top); −1 where a row sees fewer
    weights: Values | None = None  # (rows, top)
    entropy: Values | None = None
    itself: Values | None = None
    first: Values | None = None
    near: Values | None = None
    empty: Values | None = None  # whether a row sees nothing
    binned: Values | None = None  # (rows, key bins): the largest weight of each bin, or the sum
    visible: Values | None = None  # (rows, key bins): whether the row sees a key of the bin


FIGURES = ("entropy", "itself", "first", "near")
"""The numbers of a row, in the order in which they are shown after the largest weight."""
