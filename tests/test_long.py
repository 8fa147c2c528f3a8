"""A long attention in blocks of rows and tiles of keys says what the steps say."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import trace_of
from long_scenarios import KEYS, assert_summarises, in_files, long_document, prepared
from rivals.random_options import documents
from rivals.random_scenarios import as_json

from attncalc.errors import CalculationError
from attncalc.long import softmax
from attncalc.long.blocks import block, cells, jobs
from attncalc.long.extents import extent_of
from attncalc.long.problem import Asked, Job, Pooling
from attncalc.long.summary import summarised

TOLERANCES = {"float64": 1e-12, "float32": 1e-5}
RANDOM, CHUNKS = 200, 10
ASKED = Asked(3, 4)


@cache
def random_documents() -> tuple[dict[str, Any], ...]:
    """Made once."""
    return tuple(documents(7, RANDOM))


@pytest.mark.parametrize("kind", TOLERANCES)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_summary_equals_the_steps(chunk: int, kind: str) -> None:
    """200 random scenarios over all the options, in blocks of one, two and all rows."""
    for document in random_documents()[chunk::CHUNKS]:
        trace, text = trace_of(document, kind), as_json(document)
        problem = prepared(text, kind)
        for rows in (1, 2, 256):
            assert_summarises(summarised(problem, ASKED, 2, rows=rows), trace, ASKED, TOLERANCES[kind], text)


@pytest.mark.parametrize("kind", TOLERANCES)
@pytest.mark.parametrize("seed", range(20))
def test_tiles_and_files_change_nothing(
    seed: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """More keys than a tile, with the arrays in files, the blocks as large as the edges of the rows."""
    document = long_document(Random(seed))
    text = in_files(document, tmp_path, kind)
    trace, problem = trace_of(json.loads(text), kind, tmp_path), prepared(text, kind, tmp_path)
    monkeypatch.setattr(softmax, "SUMMARY_TILE", 64)
    for rows in (1, 3, KEYS - 1, KEYS, KEYS + 1):
        found = summarised(problem, ASKED, 2, rows=rows)
        assert_summarises(found, trace, ASKED, TOLERANCES[kind], str({**document, "q": 0, "k": 0, "v": 0, "bias": 0}))


@pytest.mark.parametrize("kind", TOLERANCES)
@pytest.mark.parametrize("size", [1.0, 40.0])
def test_the_row_maximum_is_left_out_only_where_no_score_can_be_large(size: float, kind: str) -> None:
    """Large queries and keys fall back to the maximum; taking it where it is not needed changes nothing."""
    numbers = np.random.default_rng(5)
    q, k, v = (numbers.standard_normal((KEYS, 8)) for _ in range(3))
    document = {"q": (size * q).tolist(), "k": (size * k).tolist(), "v": v.tolist(), "mask": "causal"}
    problem, trace = prepared(json.dumps(document), kind), trace_of(document, kind)
    assert problem.problem.bounded == (size == 1.0)
    for bounded in {problem.problem.bounded, False}:
        changed = problem._replace(problem=problem.problem._replace(bounded=bounded))
        assert_summarises(summarised(changed, ASKED), trace, ASKED, TOLERANCES[kind] * size**2)


def test_without_the_maximum_large_scores_would_be_lost() -> None:
    """What the fall-back is for: forced onto the quick path the same numbers overflow."""
    q = np.full((4, 4), 40.0).tolist()
    problem = prepared(json.dumps({"q": q, "k": q, "v": q}), "float32")
    assert not problem.problem.bounded
    forced = problem._replace(problem=problem.problem._replace(bounded=True))
    lost, kept = (summarised(one).context for one in (forced, problem))
    assert lost is not None
    assert kept is not None
    assert np.isnan(lost).all()
    assert (kept == 40).all()


@pytest.mark.parametrize(
    ("kind", "size"), [("float32", 1e-30), ("float32", 3.0), ("float32", 1e30), ("float64", 1e-200), ("float64", 1e200)]
)
def test_the_length_of_a_row_is_that_of_its_numbers_and_not_of_their_squares(kind: str, size: float) -> None:
    """Squares that vanish would call large scores small; squares that overflow would warn."""
    values = np.array([[size, -size, size, size], [0, size, 0, 0]], kind)
    assert extent_of(values).longest == pytest.approx(math.hypot(size, size, size, size), rel=1e-6, abs=0)


def test_scores_that_only_the_scale_makes_large_keep_their_maximum() -> None:
    """The squares of q vanish in single precision, and yet the scores go to 400."""
    document = {"q": [[1e-24], [1e-24]], "k": [[4e18], [1e18]], "v": [[1.0], [2.0]], "scale": 1e8}
    found = summarised(prepared(json.dumps(document), "float32"), ASKED)
    assert_summarises(found, trace_of(document, "float32"), ASKED, TOLERANCES["float32"])


@pytest.mark.parametrize("hidden", ["q", "k", "v"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("mask", ["causal", "none"])
def test_what_is_not_finite_counts_as_in_the_steps(hidden: str, number: float, mask: str, tmp_path: Path) -> None:
    """A NaN or an infinity behind a mask does not leak, one that is seen does, into every figure."""
    document = long_document(Random(3)) | {"mask": mask, "heads": 1, "kv_heads": 1, "scale": "sqrt_d_k"}
    arrays = {name: np.random.default_rng(1).standard_normal((KEYS, 4)) for name in "qkv"}
    arrays[hidden][50, 2] = number
    for name, values in arrays.items():
        np.save(tmp_path / f"{name}.npy", values)
        document[name] = {"npy": f"{name}.npy"}
    document = {key: document[key] for key in ("q", "k", "v", "mask")}
    found = summarised(prepared(json.dumps(document), "float64", tmp_path), ASKED)
    trace = trace_of(document, "float64", tmp_path)
    assert_summarises(found, trace, ASKED, 1e-12)
    assert found.context is not None
    assert np.isfinite(found.context[0, 0, :50]).all() == (mask == "causal" or hidden == "q")


def test_a_row_that_sees_nothing_can_be_refused() -> None:
    """`empty_rows` "error" names the query."""
    document = {"q": [[1.0], [2.0]], "k": [[1.0], [3.0]], "tokens": ["a", "b"], "empty_rows": "error"}
    document |= {"mask": {"keep": [[1, 1], [0, 0]]}}
    with pytest.raises(CalculationError) as caught:
        summarised(prepared(json.dumps(document), "float64"), ASKED)
    assert caught.value.faults[0].fields["query"] == "b"


def test_equal_scores_come_in_the_order_of_their_keys() -> None:
    """And a row has no more keys than it sees."""
    q = np.zeros((40, 2)).tolist()
    for kind in TOLERANCES:
        found = summarised(prepared(json.dumps({"q": q, "k": q, "v": q, "mask": "causal"}), kind), ASKED)
        assert found.keys is not None
        assert found.keys[0, 0, 39].tolist() == [0, 1, 2]
        assert found.keys[0, 0, 1].tolist() == [0, 1, -1]


def test_blocks_of_many_keys_come_first() -> None:
    """So that no thread is left with a long one at the end; together they are all rows, once."""
    q = np.zeros((40, 2)).tolist()
    problem = prepared(json.dumps({"q": q, "k": q, "v": q, "mask": "causal"}), "float64").problem
    found = jobs(problem, 7)
    sizes = [cells(problem, job) for job in found]
    assert sizes == sorted(sizes, reverse=True)
    assert sum(sizes) < 40 * 40
    assert sorted(row for job in found for row in range(job.first, job.last)) == list(range(40))


def test_a_block_is_a_function_of_its_problem_alone() -> None:
    """It may be sent elsewhere and gives the same bytes."""
    import pickle

    q = np.random.default_rng(2).standard_normal((40, 2)).tolist()
    problem = prepared(json.dumps({"q": q, "k": q, "v": q, "mask": "causal"}), "float32").problem
    asked = ASKED._replace(pooling=Pooling("mean", 4, 6, ((0, 0),)))
    here, there = block(problem, Job(0, 0, 5, 20), asked), pickle.loads(pickle.dumps(problem))
    for one, other in zip(here, block(there, Job(0, 0, 5, 20), asked), strict=True):
        assert one is not None
        assert other is not None
        assert one.tobytes() == other.tobytes()
