"""Random scenarios for practice: they can be run, are the same everywhere, and hide no mistake by their numbers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
from running import run_program

from attncalc import load, run
from attncalc.core.figures import Literal
from attncalc.practice.generator import SENTENCES, acceptable, random_document
from attncalc.practice.recipes import LEVELS, Recipe, coincident_sizes, recipe_for
from attncalc.scenario_files.json_writing import written

DRAWS = 1000
EVERY = 10  # so many are also run exactly
levels = pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))

Rows = list[list[float]]


def text_of(level: int, seed: int, attempt: int = 0) -> str:
    """The file that a draw makes."""
    return written(random_document(LEVELS[level - 1], seed, attempt), 2)


@cache
def draws(level: int) -> list[dict[str, Any]]:
    """A thousand scenarios of a level."""
    return [random_document(LEVELS[level - 1], seed) for seed in range(DRAWS)]


def test_tokens_are_words_and_none_stands_twice_in_a_sentence() -> None:
    """Short plain words, in lower case but for I."""
    for words in SENTENCES:
        assert len({*words}) == len(words)
        assert all(word == "I" or (word.isascii() and word.isalpha() and word.islower()) for word in words)


@levels
def test_every_draw_can_be_run(level: int) -> None:
    """A thousand of each level load, and come to weights that add to 1."""
    for seed, document in enumerate(draws(level)):
        options = {} if seed % EVERY == 0 else {"arithmetic": "float64"}
        weights = run(load(document, options=options))["weights"].values
        assert abs(weights.sum(axis=-1) - 1).max() < 1e-12, seed


# --- the rules, counted again in the file, with plain lists -----------------------------------------


def rows_of(value: Any) -> Rows:
    """A matrix of floats; of one row a matrix too."""
    rows = value if isinstance(value[0], list) else [value]
    return [[float(cell) for cell in row] for row in rows]


def times(left: Rows, right: Rows) -> Rows:
    """The product of two matrices."""
    return [
        [sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*right, strict=True)] for row in left
    ]


def turned(rows: Rows) -> Rows:
    """The transpose."""
    return [list(column) for column in zip(*rows, strict=True)]


def blocks(rows: Rows, heads: int) -> list[Rows]:
    """The columns of each head."""
    width = len(rows[0]) // heads
    return [[row[head * width : (head + 1) * width] for row in rows] for head in range(heads)]


def scores_of(document: dict[str, Any]) -> list[Rows]:
    """The scaled scores of each head."""
    if "scores" in document:
        return [rows_of(document["scores"])]
    given = {name: rows_of(document[name]) for name in ("q", "k", "x", "w_q", "w_k") if name in document}
    q = given["q"] if "q" in given else times(given["x"], given["w_q"])
    k = given["k"] if "k" in given else times(given["x"], given["w_k"])
    heads = document.get("heads", 1)
    pairs = zip(blocks(q, heads), blocks(k, heads), strict=True)
    return [[[s / math.sqrt(len(a[0])) for s in row] for row in times(a, turned(b))] for a, b in pairs]


def stands_twice(rows: Rows) -> bool:
    """Whether two rows are alike."""
    return len(set(map(tuple, rows))) < len(rows)


def broken_rules(document: dict[str, Any]) -> Iterator[str]:
    """What an exercise must not have, found in it."""
    given = {name: rows_of(value) for name, value in document.items() if isinstance(value, list) and name != "tokens"}
    n = len(document["tokens"])
    if n < 3 or len(set(document["tokens"])) < n:
        yield "tokens"
    if document.get("mask") == "causal" and document["tokens"].index(document["query"]) in (0, n - 1):
        yield "a query from which nothing is hidden, or all but one key"
    for name, rows in given.items():
        if any(not any(row) for row in rows) or (not name.startswith("w_") and stands_twice(rows)):
            yield f"{name}: a row of zeros, or one that stands twice"
        if name == "v" or name.startswith("w_"):
            columns = turned(rows)
            if any(not any(column) for column in columns) or stands_twice(columns) or rows == columns:
                yield f"{name}: a column of zeros, or one that stands twice, or symmetric"
    yield from (f"{a} is {b}" for a in given for b in given if a < b and given[a] == given[b])
    for rows in scores_of(document):
        if max(abs(s) for row in rows for s in row) > 3.0000001:
            yield "saturated"
        if any(max(row) - min(row) > 4.0000001 or max(row) == min(row) for row in rows):
            yield "a row that is too wide, or flat"
        if len(rows) > 1 and rows == turned(rows):
            yield "symmetric scores"


@levels
def test_every_draw_keeps_the_rules(level: int) -> None:
    """Each of the thousand: nothing is zero, repeated, symmetric or saturated, and the mask hides something."""
    found = {seed: list(broken_rules(document)) for seed, document in enumerate(draws(level))}
    assert {seed: rules for seed, rules in found.items() if rules} == {}


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"tokens": ["a", "a", "b"]}, "tokens"),
    ({"mask": "causal", "query": "c"}, "a query from which nothing is hidden, or all but one key"),
    ({"q": [[0, 0], [1, 0], [0, 1]]}, "q: a row of zeros, or one that stands twice"),
    ({"w_o": [[1, 2], [2, 1]]}, "w_o: a column of zeros, or one that stands twice, or symmetric"),
    ({"k": [[1, 1], [1, 0], [0, 1]]}, "k is q"),
    ({"q": [[9, 1], [1, 0], [0, 1]]}, "saturated"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "rule"), BROKEN)
def test_a_broken_rule_is_found(change: dict[str, Any], rule: str) -> None:
    """The counting itself."""
    sound = {"tokens": ["a", "b", "c"], "query": "b", "q": [[1, 1], [1, 0], [0, 1]], "k": [[1, -1], [2, 1], [1, 2]]}
    assert rule not in list(broken_rules(sound))
    assert rule in list(broken_rules(sound | change))


Q, K, V = [[-1, 1], [0, 1], [1, -1]], [[0, -1], [1, 0], [1, 1]], [[1, 1], [1, -1], [-1, 0]]
W_Q, W_K = [[0, 1], [-1, 1]], [[1, 1], [-1, 1]]
START: dict[str, dict[str, Any]] = {
    "q": {"q": Q, "k": K, "v": V}, "x": {"x": [[1, 1], [-1, 0], [1, 0]], "w_q": W_Q, "w_k": W_K, "w_v": [[1, 0], [-1, 1]]},
    "scores": {"scores": [[1, 0, 2], [1, 0, 2], [0, 1, 2]], "v": V},
}  # fmt: skip
UNFIT: list[tuple[str, dict[str, Any]]] = [
    # rows and columns of zeros, or that stand twice
    ("q", {"q": [[0, 0], [0, 1], [1, -1]]}), ("q", {"k": [[1, 0], [1, 0], [1, 1]]}), ("q", {"v": [[1, 1], [0, 0], [-1, 0]]}),
    ("q", {"v": [[0, 1], [0, 2], [0, -1]]}), ("x", {"x": [[1, 1], [1, 1], [1, 0]]}), ("x", {"w_v": [[0, 0], [2, 1]]}),
    ("x", {"w_v": [[1, 1], [2, 2]]}), ("scores", {"v": [[1, 1], [1, 1], [0, 2]]}),
    # symmetric, or alike
    ("x", {"w_v": [[1, 2], [2, 1]]}), ("q", {"k": Q}), ("q", {"v": Q}), ("q", {"v": K}), ("x", {"w_q": W_K}), ("x", {"w_v": W_Q}),
    ("x", {"w_v": W_K}), ("scores", {"scores": [[1, 0, 2], [0, 1, 3], [2, 3, 0]]}),
    # too large, too far apart, all equal
    ("q", {"q": [[9, 1], [0, 1], [1, -1]]}), ("scores", {"scores": [[4, 3, 2], [1, 0, 2], [0, 1, 2]]}),
    ("scores", {"scores": [[3, -2, 1], [1, 0, 2], [0, 1, 2]]}), ("scores", {"scores": [[1, 1, 1], [1, 0, 2], [0, 1, 2]]}),
]  # fmt: skip


@pytest.mark.parametrize(("start", "change"), UNFIT)
def test_a_draw_that_breaks_one_rule_is_drawn_again(start: str, change: dict[str, Any]) -> None:
    """And the same numbers without the change are taken: equal rows of scores alone hide nothing."""
    recipe = Recipe(start, tokens=3, d_model=2, d_k=2, d_v=2)
    sound = START[start]
    assert acceptable(recipe, {name: np.array(rows) for name, rows in sound.items()})
    assert not acceptable(recipe, {name: np.array(rows) for name, rows in (sound | change).items()})


PARTS = {1: "scores", 2: "q", 3: "q causal", 4: "x causal w_o", 5: "x causal w_o residual heads"}


@levels
def test_a_level_has_the_parts_that_it_is_for(level: int) -> None:
    """One row of scores; queries and keys; a causal mask; a head from x; two heads and the residual."""
    document = random_document(LEVELS[level - 1], 1)
    there = {name for name in ("w_o", "residual", "heads") if document.get(name) is not None}
    there |= {"causal"} if document.get("mask") == "causal" else set()
    assert there | {"x" if "x" in document else "q" if "q" in document else "scores"} == set(PARTS[level].split())


# --- the same everywhere, and another each time ----------------------------------------------------

ONE = """{
  "title": {
    "en": "Practice: from one row of scores to the context",
    "zh": "练习：从一行分数算到上下文向量"
  },
  "made_up": true,
  "tokens": ["bees", "find", "sweet", "flowers"],
  "query": "flowers",
  "scores": [1.4, 1.6, 1.3, 2.0],
  "v": [
    [0.3, -1.2, 0.9],
    [-0.1, -1.9, 1.6],
    [-0.9, 0.9, -1.3],
    [-0.7, 0.0, -0.4]
  ],
  "places": 2
}"""
W_Q = [[-1, -1, 0, 1, 0, 1], [-1, 1, 0, 0, -1, 0], [0, 0, 0, 0, -1, -1], [0, 0, -1, 1, 0, -1], [0, 0, -1, 0, 0, -1], [0, 0, 1, 0, 0, 0]]  # fmt: skip


def test_a_draw_is_the_same_on_every_machine() -> None:
    """The numbers of a seed, written down here."""
    assert text_of(1, 1) == ONE
    assert random_document(LEVELS[4], 1)["w_q"] == W_Q


@levels
def test_a_seed_gives_the_same_bytes_in_every_process(level: int) -> None:
    """Whatever order Python keeps its sets in."""
    texts = [
        run_program("new", "--random", "--level", str(level), "--seed", "5", env={"PYTHONHASHSEED": seed}).out
        for seed in "12"
    ]
    assert texts[0] == texts[1]
    assert json.loads(texts[0]).items() >= json.loads(text_of(level, 5)).items()


@levels
def test_seeds_and_attempts_are_draws_of_their_own(level: int) -> None:
    """Two hundred of each, all different."""
    texts = {text_of(level, seed) for seed in range(200)} | {text_of(level, 0, attempt) for attempt in range(1, 200)}
    assert len(texts) == 399


# --- sizes ------------------------------------------------------------------------------------------


@levels
def test_no_two_sizes_of_a_level_are_alike(level: int) -> None:
    """n, √n, d_k, √d_k, √d_model: no divisor is taken for another unseen."""
    recipe = LEVELS[level - 1]
    assert coincident_sizes(recipe) == ()
    sizes = [recipe.tokens**2, recipe.tokens, recipe.d_k**2, recipe.d_k, recipe.d_model]
    assert recipe.tokens != recipe.d_k
    assert recipe.start == "scores" or len({size for size in sizes[1:] if size}) == sum(size > 0 for size in sizes[1:])


ALIKE = [
    ((4, 6, 2), []),
    ((4, 4, 2), ["√n = d_k", "√n = √d_model", "d_k = √d_model"]),
    ((3, 6, 2), ["√n = √d_k"]),
    ((4, 2, 2), ["√d_k = d_k"]),
    ((5, 3, 1), ["√d_k = √d_model"]),
    ((9, 6, 2), ["√n = d_k"]),
]  # fmt: skip


@pytest.mark.parametrize(("sizes", "alike"), ALIKE)
def test_sizes_that_are_alike_are_named(sizes: tuple[int, int, int], alike: list[str]) -> None:
    """Each pair of divisors that is one number."""
    assert [f"{one} = {other}" for one, other in coincident_sizes(recipe_for(*sizes))] == alike


@pytest.mark.parametrize("sizes", [(1, 1, 1), (2, 2, 1), (2, 2, 2), (3, 4, 4), (7, 12, 3), (40, 16, 4), (12, 96, 2)])
def test_any_sizes_give_a_scenario_that_runs(sizes: tuple[int, int, int]) -> None:
    """Also where no draw can keep all the rules; the shapes are those asked for."""
    tokens, d_model, heads = sizes
    trace = run(load(random_document(recipe_for(*sizes), 3), options={"arithmetic": "float64"}))
    assert trace["x"].values.shape == trace["residual"].values.shape == (tokens, d_model)
    assert trace["weights"].values.shape[-3:] == ((heads, tokens, tokens) if heads > 1 else (tokens, tokens))[-3:]
    assert [trace[name].values.shape[-1] for name in "qkv"] == [d_model // heads] * 3
    assert len(set(trace.scenario.tokens)) == tokens


@pytest.mark.parametrize(
    "recipe",
    [Recipe("scores", low=-1, high=1, decimals=2), Recipe("q", d_k=2, d_v=3, decimals=1, residual=True),
     Recipe("scores", one_row=True, causal=True, residual=True), Recipe("q", heads=2, d_k=3, d_v=2, w_o=True)],
)  # fmt: skip
def test_other_recipes_have_their_parts(recipe: Recipe) -> None:
    """Decimals as they are asked for, a residual array where there is no x, projections of the output."""
    document = random_document(recipe, 1)
    trace = run(load(document))
    assert ("residual" in trace) is recipe.residual
    assert ("output" in trace) is recipe.w_o
    cells = [cell for row in rows_as_written(document["v"]) for cell in row]
    decimals = {len(cell.text.partition(".")[2]) if isinstance(cell, Literal) else 0 for cell in cells}
    assert decimals == {recipe.decimals}


def rows_as_written(value: Any) -> list[list[Any]]:
    """The rows of an array with their numbers as they are."""
    return [list(row) for row in value]
