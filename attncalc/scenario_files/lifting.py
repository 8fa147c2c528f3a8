"""Giving every array its four axes: (batch, head, row, column)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from attncalc.core.bounded import Values
from attncalc.scenario_files.defaults import MATRICES, PROJECTIONS
from attncalc.scenario_files.heads import KEY_SIDE, Counts

Lift = Callable[[Values], Values]

PER_QUERY_HEAD = ("q",)
BIASES = ("b_q", "b_k", "b_v")
ROWS = ("x", "memory")


def heads_of(name: str, counts: Counts) -> int:
    """How many heads share the columns of an array."""
    if name in ("q", "w_q", "b_q"):
        return counts.heads
    return counts.kv_heads if name in (*KEY_SIDE, *PROJECTIONS, *BIASES) else 1


def lift(name: str, rank: int, counts: Counts, out_in: bool) -> Lift:
    """How the array of that name and number of axes gets its four axes."""
    heads = heads_of(name, counts)
    if name in PER_QUERY_HEAD or name in KEY_SIDE:
        return _rows_per_head(heads, rank)
    if name in MATRICES:
        return _matrix(heads, out_in)
    if name in BIASES:
        return lambda a: a.reshape(1, heads, 1, -1)
    if name == "ids":
        return lambda a: a.reshape(-1, 1, a.shape[-1])
    if name in ROWS:
        return lambda a: a[:, None] if rank == 3 else a[None, None]
    if name in ("sink", "alibi"):
        return lambda a: a.reshape(1, -1, 1, 1)
    if name == "residual":
        return _output_rows(rank)
    if name in ("scores", "weights") and rank < 3:  # without an axis of heads they are those of every head
        return lambda a: np.broadcast_to(a.reshape((1,) * (4 - rank) + a.shape), (1, counts.heads, *_rows(a)))
    return lambda a: a.reshape((1,) * (4 - rank) + a.shape)


def _rows(a: Values) -> tuple[int, ...]:
    """Rows and columns; of a single row 1 and its length."""
    return (1, *a.shape)[-2:]


def _rows_per_head(heads: int, rank: int) -> Lift:
    if rank == 2 and heads > 1:
        return lambda a: a.reshape(len(a), heads, -1).swapaxes(0, 1)[None]
    return lambda a: a.reshape((1,) * (4 - rank) + a.shape)


def _matrix(heads: int, out_in: bool) -> Lift:
    def lifted(matrix: Values) -> Values:
        matrix = matrix.T if out_in else matrix
        return matrix.reshape(len(matrix), heads, -1).swapaxes(0, 1)[None]

    return lifted


def _output_rows(rank: int) -> Lift:
    """One row, rows, or rows for each batch entry: an output has no heads."""
    return lambda a: a[:, None] if rank == 3 else a.reshape((1,) * (4 - rank) + a.shape)
