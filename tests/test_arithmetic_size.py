"""How large a calculation may be and still be exact: the choice by count, over heads and batches, and what it means."""

from __future__ import annotations

import json
import subprocess
from typing import Any

import numpy as np
import pytest
from agreement import Document, listed
from calling import document, out
from running import PROGRAM, SECONDS, environment, run_program

from attncalc import load
from attncalc.pipelines.cost import Count, chosen_arithmetic, count, results

ALLOWED = 200_000  # microseconds, of 0.4 a multiplication and 15 an exponential
NEW_SCENARIOS = (
    "alibi", "cached", "causal-head", "cross", "gpt2-block", "grouped", "padding", "rope", "sink", "window",
)  # fmt: skip


def ones(*shape: int) -> Any:
    """An array of ones."""
    return listed(np.ones(shape, dtype=int))


@pytest.mark.parametrize("name", NEW_SCENARIOS)
def test_the_new_scenarios_are_exact_by_default(name: str) -> None:
    """gpt2-block with its twelve heads too."""
    assert chosen_arithmetic(load(name)) == "exact"


COUNTS: list[tuple[Document, int, int]] = [
    # document, multiplications, exponentials
    ({"scores": ones(3, 4, 5)}, 0, 60), ({"scores": ones(2, 3, 4, 5)}, 0, 120),
    ({"q": ones(3, 4, 2), "k": ones(3, 5, 2), "v": ones(3, 5, 6)}, 3 * 4 * 5 * (2 + 6), 60),
    ({"q": ones(2, 4, 4, 2), "k": ones(2, 2, 5, 2), "v": ones(2, 2, 5, 6)}, 2 * 4 * 4 * 5 * (2 + 6), 160),
    ({"q": ones(4, 6), "k": ones(5, 6), "heads": 3}, 3 * 4 * 5 * 2, 60),
    ({"x": ones(2, 4, 6), "heads": 3}, 2 * 3 * 4 * 4 * (2 + 2), 96),
    ({"x": ones(4, 6), "heads": 6, "kv_heads": 2, "w_q": ones(6, 12), "w_k": ones(6, 4), "w_v": ones(6, 4), "w_o": ones(12, 5)},
     4 * 6 * (12 + 4 + 4) + 6 * 4 * 4 * (2 + 2) + 4 * 12 * 5, 96),
    ({"x": ones(2, 4, 6), "w_q": ones(6, 3), "w_k": ones(6, 3), "w_v": ones(6, 3)},
     2 * (3 * 4 * 6 * 3 + 4 * 4 * (3 + 3)), 32),
]  # fmt: skip


@pytest.mark.parametrize(("document", "multiplications", "exponentials"), COUNTS)
def test_heads_and_batches_are_counted(document: Document, multiplications: int, exponentials: int) -> None:
    """Every product of a matrix product, and an exponential for each score of each head."""
    assert count(load(document)) == Count(multiplications, exponentials)


def test_a_cache_is_counted_by_its_work_not_by_its_length_alone() -> None:
    """Its keys are compared, not projected again."""
    matrices = {name: ones(6, 3) for name in ("w_q", "w_k", "w_v")}
    document = {"x": ones(2, 6), **matrices, "past": {"k": ones(50, 3), "v": ones(50, 3)}, "mask": "causal"}
    assert count(load(document)) == Count(3 * 2 * 6 * 3 + 2 * 52 * (3 + 3), 2 * 52)


RESULTS: list[tuple[Document, int]] = [
    ({"scores": ones(3, 4, 5)}, 0), ({"q": ones(4, 6), "k": ones(5, 6), "heads": 3}, 0),
    ({"scores": ones(3, 4), "v": ones(4, 1), "w_o": ones(1, 900)}, 3 + 3 * 900),
    ({"q": ones(2, 4, 4, 2), "k": ones(2, 2, 5, 2), "v": ones(2, 2, 5, 6)}, 2 * 4 * 4 * 6),
    ({"x": ones(4, 6), "heads": 6, "kv_heads": 2, "w_q": ones(6, 12), "w_k": ones(6, 4), "w_v": ones(6, 4), "w_o": ones(12, 5)},
     4 * (12 + 4 + 4) + 4 * 12 + 4 * 5),
    ({"x": ones(2, 4, 6), "w_q": ones(6, 3), "w_k": ones(6, 3), "w_v": ones(6, 3)}, 2 * 4 * 3 * (3 + 1)),
]  # fmt: skip


@pytest.mark.parametrize(("document", "wanted"), RESULTS)
def test_numbers_that_come_out_are_counted(document: Document, wanted: int) -> None:
    """Of the projections, the context and the output, in all heads and batches."""
    assert results(load(document)) == wanted


EDGE: list[tuple[Document, float, str]] = [
    # document, its microseconds, the arithmetic
    ({"q": ones(8, 25, 25), "k": ones(8, 40, 25)}, 8 * 25 * 40 * (0.4 * 25 + 15), "exact"),
    ({"q": ones(8, 25, 26), "k": ones(8, 40, 26)}, 8 * 25 * 40 * (0.4 * 26 + 15), "float64"),
    ({"q": ones(2, 4, 25, 25), "k": ones(2, 4, 40, 25)}, 2 * 4 * 25 * 40 * (0.4 * 25 + 15), "exact"),
    ({"q": ones(2, 4, 25, 25), "k": ones(2, 1, 40, 25)}, 2 * 4 * 25 * 40 * (0.4 * 25 + 15), "exact"),
    ({"q": ones(2, 4, 25, 26), "k": ones(2, 1, 40, 26)}, 2 * 4 * 25 * 40 * (0.4 * 26 + 15), "float64"),
    ({"q": ones(25, 200), "k": ones(40, 200), "heads": 8}, 8 * 25 * 40 * (0.4 * 25 + 15), "exact"),
    ({"scores": ones(3, 11, 404)}, 3 * 11 * 404 * 15, "exact"),
    ({"scores": ones(3, 11, 405)}, 3 * 11 * 405 * 15, "float64"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "microseconds", "kind"), EDGE)
def test_exact_ends_at_a_fifth_of_a_second_over_all_heads_and_batches(
    document: Document, microseconds: float, kind: str
) -> None:
    """By count, so that no machine chooses otherwise."""
    assert chosen_arithmetic(load(document)) == kind
    assert (microseconds <= ALLOWED) == (kind == "exact")


@pytest.mark.parametrize(
    ("keys", "kind", "said"), [(404, "exact", "exact, 4 places shown"), (405, "float64", "float64, 4 places shown")]
)
def test_the_choice_is_said_on_the_screen_and_in_json(keys: int, kind: str, said: str) -> None:
    """At both sides of the edge."""
    scenario = json.dumps({"scores": ones(3, 11, keys)}).encode()
    assert said in out("explain", "-", stdin=scenario)
    assert document("run", "-", stdin=scenario)["arithmetic"]["kind"] == kind


CORES = ("Haswell", "Prescott")


@pytest.mark.parametrize("name", NEW_SCENARIOS)
def test_exact_numbers_are_the_same_bytes_on_every_processor(name: str) -> None:
    """Whichever kernels the linear algebra library picks."""
    first, second = (run_program("run", name, "--json", env={"OPENBLAS_CORETYPE": core}).out for core in CORES)
    assert first == second
    assert json.loads(first)["arithmetic"]["kind"] == "exact"


MASKED_BY_A_BILLION: list[Document] = [
    {"scores": [[0, -1_000_000_000]]}, {"scores": [[-1_000_000_000, -1_000_000_000]]},
    {"q": [[0.1, 0.3], [1, 2]], "k": [[0.3, 2], [0.7, 5]], "bias": [[0, -1e9], [0, 0]]},
]  # fmt: skip


@pytest.mark.parametrize("command", ["run", "explain"])
@pytest.mark.parametrize("document", MASKED_BY_A_BILLION)
def test_a_mask_of_minus_a_billion_is_quick_in_exact_arithmetic(document: Document, command: str) -> None:
    """The usual stand-in for −∞: e^−1e9 is a decimal like any other."""
    done = subprocess.run(
        [*PROGRAM, command, "-"],
        input=json.dumps(document).encode(),
        capture_output=True,
        env=environment(),
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0
