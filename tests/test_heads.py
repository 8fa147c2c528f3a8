"""Scores and weights that have no axis of heads are those of every head."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from attncalc import load, run

SCORES = [[1, 2, 0], [0.5, -1, 3]]
WEIGHTS = [[0.2, 0.3, 0.5], [1, 0, 0]]
VALUES = [[1, 2, 3, 4], [5, 6, 7, 8], [-1, 0, 2, 9]]
OUTPUT = [[1, 0.5], [-1, 2], [0.25, 1], [3, -2]]
BY_HEAD = np.array(VALUES, dtype=float).reshape(3, 2, 2).swapaxes(0, 1)

SHARED: list[tuple[str, Any, dict[str, Any]]] = [
    ("scores", SCORES, {"v": VALUES, "heads": 2}),
    ("scores", SCORES, {"v": VALUES, "heads": 2, "w_o": OUTPUT}),
    ("scores", SCORES, {"v": BY_HEAD.tolist(), "w_o": OUTPUT}),
    ("scores", SCORES, {"v": VALUES, "heads": 4, "kv_heads": 2, "mask": "none"}),
    ("scores", SCORES[0], {"v": VALUES, "heads": 2, "w_o": OUTPUT}),
    ("weights", WEIGHTS, {"v": VALUES, "heads": 2, "w_o": OUTPUT}),
    ("weights", WEIGHTS[1], {"v": VALUES, "heads": 4}),
]


@pytest.mark.parametrize("arithmetic", ["float64", "exact"])
@pytest.mark.parametrize(("start", "rows", "others"), SHARED)
def test_scores_without_heads_are_those_of_each(start: str, rows: Any, others: dict[str, Any], arithmetic: str) -> None:
    """The same as where they are written once for every head."""
    heads = int(others.get("heads", 2))
    each = [np.atleast_2d(rows).tolist()] * heads
    shared, written = (run(load({start: given, **others, "arithmetic": arithmetic})) for given in (rows, each))
    assert [step.name for step in shared] == [step.name for step in written]
    for one, other in zip(shared, written, strict=True):
        np.testing.assert_array_equal(one.cells, other.cells, err_msg=one.name)


def test_joined_heads_are_a_straight_product() -> None:
    """Every head weighs its own columns of the values."""
    trace = run(load({"weights": WEIGHTS, "v": VALUES, "heads": 2, "w_o": OUTPUT, "arithmetic": "float64"}))
    joined = np.concatenate([np.array(WEIGHTS) @ values for values in BY_HEAD], axis=1)
    np.testing.assert_allclose(trace["joined"].values, joined, rtol=1e-15)
    np.testing.assert_allclose(trace["output"].values, joined @ np.array(OUTPUT), rtol=1e-15)
