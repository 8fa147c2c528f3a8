"""Which arithmetic a scenario is calculated in, and where exact stops being quick."""

from __future__ import annotations

from typing import Any

import pytest
from samples import DRAW

from attncalc import load, run
from attncalc.pipelines.cost import chosen_arithmetic, count

ALLOWED = 200_000  # microseconds
A_MULTIPLICATION, AN_EXPONENTIAL = 0.4, 15


def ones(rows: int, columns: int) -> list[list[int]]:
    """A matrix of ones."""
    return [[1] * columns] * rows


DOCUMENTS: list[tuple[dict[str, Any], int, int]] = [
    # document, multiplications, exponentials
    ({"scores": ones(1, 4)}, 0, 4),
    ({"scores": ones(3, 4), "v": ones(4, 5)}, 3 * 4 * 5, 12),
    ({"scores": ones(3, 4), "v": ones(4, 5), "weighting": "linear"}, 3 * 4 * 5, 0),
    ({"q": ones(3, 2), "k": ones(4, 2), "v": ones(4, 5)}, 3 * 4 * (2 + 5), 12),
    ({"q": ones(3, 2), "k": ones(4, 2), "v": ones(4, 5), "w_o": ones(5, 6)}, 3 * 4 * (2 + 5) + 3 * 5 * 6, 12),
    ({"q": ones(3, 2), "k": ones(3, 2), "v": ones(3, 5), "weighting": "uniform"}, 3 * 3 * 5, 0),
    ({"weights": ones(3, 4), "v": ones(4, 5)}, 3 * 4 * 5, 0),
    ({"v": ones(4, 5), "weighting": "self"}, 4 * 4 * 5, 0),
    ({"x": ones(4, 5)}, 4 * 4 * (5 + 5), 16),
    (
        {"x": ones(4, 5), "memory": ones(3, 6), "w_q": ones(5, 2), "w_k": ones(6, 2), "w_v": ones(6, 7)},
        4 * 5 * 2 + 3 * 6 * 2 + 3 * 6 * 7 + 4 * 3 * (2 + 7), 12,
    ),
]  # fmt: skip


@pytest.mark.parametrize(("document", "multiplications", "exponentials"), DOCUMENTS)
def test_operations_are_counted_from_shapes(document: dict[str, Any], multiplications: int, exponentials: int) -> None:
    """Every product of a matrix product, and an exponential for each score."""
    assert count(load(document)) == (multiplications, exponentials)


def queries_and_keys(queries: int, keys: int, width: int) -> dict[str, Any]:
    """A document whose cost is queries · keys · (0.4 · width + 15) microseconds."""
    return {"q": ones(queries, width), "k": ones(keys, width)}


EDGE: list[tuple[dict[str, Any], float, str]] = [
    # document, its microseconds, the arithmetic
    (queries_and_keys(100, 80, 25), 200_000, "exact"),
    (queries_and_keys(100, 80, 26), 203_200, "float64"),
    (queries_and_keys(127, 63, 25), 200_025, "float64"),
    (queries_and_keys(127, 63, 24), 196_824.6, "exact"),
    ({"scores": ones(1, 13_333)}, 199_995, "exact"),
    ({"scores": ones(1, 13_334)}, 200_010, "float64"),
    ({"scores": ones(1, 13_334), "weighting": "linear"}, 0, "exact"),
    ({"weights": ones(250, 200), "v": ones(200, 10)}, 200_000, "exact"),
    ({"weights": ones(251, 200), "v": ones(200, 10)}, 200_800, "float64"),
]


@pytest.mark.parametrize(("document", "microseconds", "kind"), EDGE)
def test_exact_until_a_fifth_of_a_second_by_count(document: dict[str, Any], microseconds: float, kind: str) -> None:
    """0.4 µs a multiplication and 15 µs an exponential: 0.2 s and no more."""
    scenario = load(document)
    taken = count(scenario)
    assert taken[0] * A_MULTIPLICATION + taken[1] * AN_EXPONENTIAL == pytest.approx(microseconds, abs=0.1)
    assert (microseconds <= ALLOWED) == (kind == "exact")
    assert chosen_arithmetic(scenario) == kind


LARGE = queries_and_keys(100, 80, 26)
CHOICES: list[tuple[dict[str, Any], dict[str, str], str]] = [
    # document, options of the command line, the arithmetic
    (DRAW, {}, "exact"),
    (LARGE, {}, "float64"),
    ({**DRAW, "by_hand": 2}, {}, "by-hand"),
    ({**LARGE, "by_hand": 2}, {}, "by-hand"),
    ({**DRAW, "arithmetic": "float64"}, {}, "float64"),
    ({**DRAW, "arithmetic": "float64", "by_hand": 2}, {}, "float64"),
    ({**LARGE, "arithmetic": "exact"}, {}, "exact"),
    ({**DRAW, "by_hand": 2}, {"by_hand": "off"}, "exact"),
    ({**LARGE, "by_hand": 2}, {"by_hand": "off"}, "float64"),
    ({**DRAW, "arithmetic": "by-hand"}, {"by_hand": "off"}, "exact"),
    ({**DRAW, "arithmetic": "float64"}, {"by_hand": "off"}, "float64"),
    ({**DRAW, "arithmetic": "float64"}, {"by_hand": "2"}, "by-hand"),
    ({**DRAW, "by_hand": 2}, {"arithmetic": "exact"}, "exact"),
    ({**DRAW, "by_hand": 2}, {"arithmetic": "exact", "by_hand": "3"}, "exact"),
    (DRAW, {"arithmetic": "by-hand"}, "by-hand"),
    (DRAW, {"arithmetic": "by-hand", "by_hand": "off"}, "by-hand"),
]


@pytest.mark.parametrize(("document", "options", "kind"), CHOICES)
def test_what_goes_before_what(document: dict[str, Any], options: dict[str, str], kind: str) -> None:
    """--arithmetic, else --by-hand, else `arithmetic`, else `by_hand`, else exact where that is quick."""
    assert chosen_arithmetic(load(document, (), options)) == kind


@pytest.mark.parametrize("kind", ["exact", "float64", "by-hand"])
def test_the_trace_says_its_arithmetic(kind: str) -> None:
    """What was chosen stands in the trace."""
    assert run(load(DRAW, (), {"arithmetic": kind})).kind == kind
