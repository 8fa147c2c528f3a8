"""Random scenarios that make good exercises: small numbers, nothing saturated, nothing that hides a mistake.

The rules are the cheap ones; whether every mistake that can be told apart gives another answer is asked afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.messages import LANGUAGES, speaker
from attncalc.practice.recipes import LEVELS, Recipe, coincident_sizes, recipe_for, shapes

__all__ = ["LEVELS", "Recipe", "acceptable", "coincident_sizes", "random_document", "recipe_for"]

LARGEST = 3
"""Scores, once scaled, lie within this: beyond it the softmax is nearly 0 or 1."""

WIDEST = 4
"""The scores of a row lie within this of each other: at two decimals each weight is more than 0.00."""

FILLED = 2.4
"""About so many numbers in each column of a projection are not 0, however long it is."""

MOST_TRIES = 2_000
MOST_DRAWN = 3_000_000
"""A draw is repeated until it keeps the rules; where that would take too long, the last one is taken."""

SENTENCES = tuple(
    sentence.split()
    for sentence in (
        "the cat sat down near my door", "we saw birds fly over two hills", "rain falls on green leaves all day",
        "I like to draw small red boats", "dogs run fast along cold sand", "she reads one long book each week",
        "bees find sweet flowers in spring", "old trees give deep shade here", "ships sail far from this shore",
        "you can hear waves at night",
    )
)  # fmt: skip
"""Where the tokens come from; no word stands twice in a sentence."""


class _Numbers:
    """Chance that is the same on every machine: whole numbers made from `random()` alone."""

    def __init__(self, seed: int, attempt: int) -> None:
        self.chance = Random(f"attncalc {seed} {attempt}").random

    def below(self, count: int) -> int:
        """One of 0 … count − 1."""
        return int(self.chance() * count)

    def between(self, low: int, high: int) -> int:
        """One of low … high."""
        return low + self.below(high - low + 1)


def random_document(recipe: Recipe, seed: int, attempt: int = 0) -> dict[str, Any]:
    """The scenario of a recipe, a seed and an attempt, as a document; each attempt is a draw of its own.

    >>> random_document(LEVELS[0], 7)["tokens"]
    ['old', 'trees', 'give', 'deep']
    """
    numbers = _Numbers(seed, attempt)
    tokens = _tokens(recipe.tokens, numbers)
    position = _query(recipe, numbers)
    arrays = _arrays(recipe, numbers)
    written = {name: _written(values, recipe.decimals) for name, values in arrays.items()}
    return {
        "title": {language: _title(recipe, language) for language in LANGUAGES},
        "made_up": True, "tokens": tokens, "query": tokens[position], **parts(recipe, written), "places": recipe.places,
    }  # fmt: skip


def parts(recipe: Recipe, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """What a document of a recipe says besides its words: the arrays, heads, mask and residual."""
    return {
        **arrays,
        **({"heads": recipe.heads} if recipe.heads > 1 else {}),
        **({"mask": "causal"} if recipe.causal else {}),
        **({"residual": True} if recipe.residual and recipe.projections else {}),
    }


def _title(recipe: Recipe, language: str) -> str:
    kind = "row" if recipe.one_row else recipe.start
    return speaker(language)(f"made-title-{kind}", count=recipe.heads)


def _tokens(count: int, numbers: _Numbers) -> list[str]:
    """The beginning of a sentence; where it is too short, the words of those after it, then numbers."""
    first = numbers.below(len(SENTENCES))
    words = dict.fromkeys(word for sentence in (*SENTENCES[first:], *SENTENCES[:first]) for word in sentence)
    return [*words, *(f"t{number}" for number in range(len(words), count))][:count]


def _query(recipe: Recipe, numbers: _Numbers) -> int:
    """The query that is asked: under a causal mask the last one from which something is hidden."""
    if recipe.causal or recipe.one_row:
        return max(0, recipe.tokens - (2 if recipe.causal else 1))
    return numbers.below(recipe.tokens)


def _arrays(recipe: Recipe, numbers: _Numbers) -> dict[str, Values]:
    """The arrays of the first draw that keeps the rules, in units of the last decimal."""
    wanted = shapes(recipe)
    size = sum(int(np.prod(shape)) for shape in wanted.values())
    for _ in range(max(1, min(MOST_TRIES, MOST_DRAWN // size))):
        arrays = {name: _drawn(name, shape, recipe, numbers) for name, shape in wanted.items()}
        if acceptable(recipe, arrays):
            break
    return arrays


def _drawn(name: str, shape: tuple[int, ...], recipe: Recipe, numbers: _Numbers) -> Values:
    """One array; of a matrix most numbers are 0, so that sums stay small and a hand can follow."""
    unit = 10**recipe.decimals
    low, high = recipe.low * unit, recipe.high * unit
    filled = min(1.0, FILLED / shape[0]) if name.startswith("w_") else 1.0

    def cell() -> int:
        if filled == 1:
            return numbers.between(low, high)
        return _other_than_zero(numbers, low, high) if numbers.chance() < filled else 0

    values = np.array([cell() for _ in range(int(np.prod(shape)))], dtype=np.int64).reshape(shape)
    return _without_empty_lines(values, numbers, low, high) if filled < 1 else values


def _other_than_zero(numbers: _Numbers, low: int, high: int) -> int:
    found = numbers.between(low, high)
    while not found:
        found = numbers.between(low, high)
    return found


def _without_empty_lines(values: Values, numbers: _Numbers, low: int, high: int) -> Values:
    """The matrix with a number put into each row, and then each column, that has only zeros."""
    rows, columns = values.shape
    for row in np.flatnonzero(~values.any(axis=1)):
        values[row, numbers.below(columns)] = _other_than_zero(numbers, low, high)
    for column in np.flatnonzero(~values.any(axis=0)):
        values[numbers.below(rows), column] = _other_than_zero(numbers, low, high)
    return values


def _written(values: Values, decimals: int) -> Any:
    """The numbers as they stand in a file."""
    if values.ndim:
        return [_written(part, decimals) for part in values]
    number = int(values)
    return number if not decimals else Literal(f"{'-' * (number < 0)}{abs(number) / 10**decimals:.{decimals}f}")


def acceptable(recipe: Recipe, arrays: Mapping[str, Values]) -> bool:
    """Whether a draw, in units of its last decimal, keeps the rules that are cheap to check.

    No row is zero or stands twice, nor a column of values or of a matrix; no matrix is symmetric, no two arrays or
    heads are alike; the scores stay where softmax is not saturated, and turning them over would be seen.
    """
    rows = [values for name, values in arrays.items() if not name.startswith("w_") and name != "scores"]
    matrices = [values for name, values in arrays.items() if name.startswith("w_")]
    by_head = [arrays[name] for name in ("q", "k", "w_q", "w_k") if name in arrays]
    return (
        all(map(_rows_differ, rows))
        and _columns_differ(arrays.get("v"))
        and all(_is_uneven(matrix) for matrix in matrices)
        and _differ(arrays, ("q", "k", "v")) and _differ(arrays, ("w_q", "w_k", "w_v"))
        and all(_heads_differ(values, recipe.heads) for values in by_head)
        and all(_is_readable(scores, limit) for scores, limit in _scores(recipe, arrays))
    )  # fmt: skip


def _rows_differ(values: Values) -> bool:
    """Whether no row is zero and none stands twice; of a single row whether it is not zero."""
    rows = np.atleast_2d(values)
    return bool(rows.any(axis=1).all()) and len({tuple(row) for row in rows.tolist()}) == len(rows)


def _columns_differ(values: Values | None) -> bool:
    """The same for columns, where so many can differ at all."""
    return values is None or values.shape[1] > 2 * values.shape[0] or _rows_differ(values.T)


def _is_uneven(matrix: Values) -> bool:
    """Whether a matrix has no empty row, no column that is empty or stands twice, and is not its own transpose."""
    symmetric = matrix.shape[0] == matrix.shape[1] and np.array_equal(matrix, matrix.T)
    return bool(matrix.any(axis=1).all()) and _rows_differ(matrix.T) and not symmetric


def _differ(arrays: Mapping[str, Values], names: tuple[str, ...]) -> bool:
    there = [arrays[name] for name in names if name in arrays]
    return not any(np.array_equal(one, other) for i, one in enumerate(there) for other in there[i + 1 :])


def _heads_differ(values: Values, heads: int) -> bool:
    blocks = np.split(values, heads, axis=-1)
    return not any(np.array_equal(one, other) for i, one in enumerate(blocks) for other in blocks[i + 1 :])


def _scores(recipe: Recipe, arrays: Mapping[str, Values]) -> Iterator[tuple[Values, float]]:
    """The scores of each head, and the largest that they may be before they are scaled."""
    unit = 10**recipe.decimals
    if recipe.start == "scores":
        yield arrays["scores"], LARGEST * unit
        return
    q, k = arrays.get("q"), arrays.get("k")
    if q is None or k is None:
        q, k, unit = arrays["x"] @ arrays["w_q"], arrays["x"] @ arrays["w_k"], unit * unit
    for queries, keys in zip(np.split(q, recipe.heads, -1), np.split(k, recipe.heads, -1), strict=True):
        yield queries @ keys.T, LARGEST * unit * unit * recipe.d_k**0.5


def _is_readable(scores: Values, limit: float) -> bool:
    """Whether scores are small and near each other, differ within each row, and are not those of their transpose."""
    rows = np.atleast_2d(scores)
    spread = np.ptp(rows, axis=1)
    symmetric = len(rows) > 1 and np.array_equal(rows, rows.T)
    near = bool(np.abs(rows).max() <= limit and spread.max() <= limit * WIDEST / LARGEST)
    repeated = scores.ndim == 1 and len(set(scores.tolist())) < len(scores)
    return near and (scores.shape[-1] == 1 or bool(spread.min() > 0)) and not symmetric and not repeated
