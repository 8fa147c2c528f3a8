"""The map of the weights, pooled block by block, is the dense weights of the steps pooled by NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import trace_of
from long_scenarios import KEYS, in_files, long_document, prepared
from rivals.random_options import documents
from rivals.random_scenarios import as_json

from attncalc import Trace
from attncalc.core.rows import hidden_cells
from attncalc.long import softmax
from attncalc.long.pooling import Map, Part, averaged, put_together
from attncalc.long.problem import Asked, Job, Pooling
from attncalc.long.summary import summarised

TOLERANCES = {"float64": 1e-12, "float32": 1e-5}
RANDOM, CHUNKS = 120, 6
POOLS = {"max": np.max, "mean": np.mean}


def alone_of(pooling: Pooling) -> Asked:
    """A map and nothing else."""
    return Asked(1, 1, pooling._replace(alone=True))


def dense(trace: Trace, pooling: Pooling) -> tuple[Any, Any]:
    """The cells of each place, and which of them hold a weight that its query may see."""
    step = trace["weights"]
    values, seen = [], []
    for batch, head in pooling.places:
        weights = step.cells[batch, head].astype(np.float64)
        hidden = hidden_cells(trace, step, (batch, head))
        visible = np.ones(weights.shape, bool) if hidden is None else ~np.asarray(hidden, dtype=bool)
        visible = visible | np.isnan(weights) | (weights != 0)
        values.append(boxes(weights, pooling, POOLS[pooling.name]))
        seen.append(boxes(visible, pooling, np.any))
    return np.array(values), np.array(seen)


def boxes(cells: Any, pooling: Pooling, pool: Any) -> Any:
    """A function of each box of cells."""
    rows, columns = (range(0, count, size) for count, size in
                     zip(cells.shape, (pooling.queries, pooling.keys), strict=True))  # fmt: skip
    return [[pool(cells[r : r + pooling.queries, c : c + pooling.keys]) for c in columns] for r in rows]


def assert_is_dense(found: Map | None, trace: Trace, pooling: Pooling, tolerance: float, words: str) -> None:
    """The cells and which of them are seen."""
    assert found is not None
    values, visible = dense(trace, pooling)
    np.testing.assert_allclose(found.values, values, tolerance, tolerance, err_msg=words)
    np.testing.assert_array_equal(found.visible, visible, err_msg=words)


def every_place(trace: Trace) -> tuple[tuple[int, int], ...]:
    """All batch entries and heads."""
    return tuple(np.ndindex(*trace.scenario.grid[:2]))


@pytest.mark.parametrize("kind", TOLERANCES)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_map_is_the_weights_of_the_steps_pooled(chunk: int, kind: str) -> None:
    """Random scenarios over all the options, bins of one to three, blocks of one, two and all rows."""
    rng = Random(chunk)
    for document in list(documents(11, RANDOM))[chunk::CHUNKS]:
        trace, text = trace_of(document, kind), as_json(document)
        for rows in (1, 2, 256):
            pool, alone = rng.choice(("max", "mean")), rng.random() < 0.5
            pooling = Pooling(pool, rng.randint(1, 3), rng.randint(1, 3), every_place(trace), alone)
            found = summarised(prepared(text, kind), Asked(3, 4, pooling), 2, rows=rows)
            assert_is_dense(found.map, trace, pooling, TOLERANCES[kind], f"{pooling} {text}")


@pytest.mark.parametrize("kind", TOLERANCES)
@pytest.mark.parametrize("seed", range(20))
def test_bins_may_lie_across_tiles_and_blocks(
    seed: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """More keys than a tile; bins that are wider, narrower and as wide as it, and as the block."""
    rng = Random(seed)
    document = long_document(rng)
    text = in_files(document, tmp_path, kind)
    trace, problem = trace_of(json.loads(text), kind, tmp_path), prepared(text, kind, tmp_path)
    monkeypatch.setattr(softmax, "SUMMARY_TILE", 64)
    for rows in (1, 3, KEYS - 1, KEYS, KEYS + 1):
        pool = rng.choice(("max", "mean"))
        pooling = Pooling(pool, rng.choice((1, 3, 16, 69, 70)), rng.choice((1, 5, 16, 17, 70)), every_place(trace))
        found = summarised(problem, Asked(2, 4, pooling), 2, rows=rows)
        assert_is_dense(found.map, trace, pooling, TOLERANCES[kind], f"{pooling} {rows}")


@pytest.mark.parametrize("seed", range(4))
def test_a_map_alone_and_any_number_of_threads_give_the_same_bytes(seed: int) -> None:
    """The order in which blocks are done changes no digit; what is not asked for is not calculated, and not missed."""
    document = long_document(Random(seed)) | {"heads": 1, "kv_heads": 1}
    document |= {name: np.random.default_rng(seed).standard_normal((KEYS, 4)).tolist() for name in "qkv"}
    problem = prepared(json.dumps(document), "float32")
    for pool in POOLS:
        pooling = Pooling(pool, 9, 16, ((0, 0),))
        first, *others = (summarised(problem, Asked(2, 4, pooling), threads, rows=4).map for threads in (1, 2, 5))
        assert first is not None
        assert {other.values.tobytes() for other in others if other} == {first.values.tobytes()}
        alone = summarised(problem, alone_of(pooling)).map
        assert alone is not None
        np.testing.assert_allclose(alone.values, first.values, 1e-5, 1e-7)
        np.testing.assert_array_equal(alone.visible, first.visible)


def test_the_average_is_that_of_the_heads_cells_and_a_place_asked_for_stands_alone() -> None:
    """Over the heads that are asked for, by batch entry; the others are not there."""
    numbers = np.random.default_rng(3)
    q = numbers.standard_normal((2, 3, KEYS, 4)).tolist()
    text = json.dumps({"q": q, "k": q, "v": q, "heads": 3, "mask": "causal"})
    problem, trace = prepared(text, "float64"), trace_of(json.loads(text), "float64")
    for pool in POOLS:
        pooling = Pooling(pool, 8, 9, ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)))
        found = summarised(problem, Asked(2, 4, pooling)).map
        assert found is not None
        values, _ = dense(trace, pooling)
        mean = averaged(found)
        assert (mean.places, mean.heads) == (((0, None), (1, None)), 3)
        np.testing.assert_allclose(mean.values, values.reshape(2, 3, 9, 8).mean(axis=1), 1e-12)
        one = pooling._replace(places=((1, 2),))
        assert_is_dense(summarised(problem, alone_of(one)).map, trace, one, 1e-12, pool)


def test_parts_are_added_in_the_order_of_their_rows() -> None:
    """Whichever thread brought them first: sums whose last digit hangs on the order are the same."""
    pooling = Pooling("mean", 6, 1, ((0, 0),))
    numbers = (0.1, 1e16, 0.7, -1e16, 0.3, 1.0)
    parts = {
        Job(0, 0, row, row + 1): Part(0, np.array([[number]]), np.array([[True]])) for row, number in enumerate(numbers)
    }
    backwards = dict(reversed(parts.items()))
    one, other = (put_together(some, pooling, (6, 1)).values for some in (parts, backwards))
    assert sum(numbers) != sum(reversed(numbers))
    assert one.tobytes() == other.tobytes()
