"""Numbers with four axes of which only some rows are read at a time, held in memory or in a file."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from attncalc.core.bounded import Values


class Table(Protocol):
    """Numbers (batch, head, row, column); an axis of length 1 serves all."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the four axes."""

    def rows(self, batch: int, head: int, heads: int, rows: slice) -> Values:
        """Some rows of one batch entry and query head, all columns; `heads` is how many query heads there are."""


class Held(NamedTuple):
    """A table that is an array."""

    values: Values

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the four axes."""
        return tuple(self.values.shape)

    def rows(self, batch: int, head: int, heads: int, rows: slice) -> Values:
        """A view of the rows; query head h reads head h // (heads / its own)."""
        batch, head = place(self.values.shape, batch, head, heads)
        return self.values[batch, head, rows if self.values.shape[2] > 1 else slice(None)]


def place(shape: tuple[int, ...], batch: int, head: int, heads: int) -> tuple[int, int]:
    """The batch entry and the head of a table that a query head reads."""
    return (batch if shape[0] > 1 else 0), head * shape[1] // heads


def held(values: Values) -> Held:
    """An array of four axes, each head's rows side by side in memory, as matrix products want them."""
    return Held(values if values[0, 0].flags.c_contiguous else np.ascontiguousarray(values))
