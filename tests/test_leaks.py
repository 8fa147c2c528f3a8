"""What is hidden stays hidden: NaN and Infinity behind a mask, and rows that see nothing, reach no visible result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import Document, assert_close, listed, refusal, steps_of, trace_of

from attncalc import render
from attncalc.document.explain import explain
from attncalc.document.view import View, say_in
from attncalc.errors import CalculationError
from attncalc.renderers import block_renderer

KINDS = ("exact", "float64", "float32", "float16", "by-hand")
DECIMAL = ("exact", "by-hand")
NEAR = {"float64": 1e-12, "float32": 1e-5, "float16": 2e-2}

HIDINGS: dict[str, tuple[Document, int]] = {
    # how key 2 is hidden, and from how many of the three queries
    "hide": ({"mask": {"hide": [2]}}, 3), "key_lengths": ({"mask": {"key_lengths": 2}}, 3),
    "keep": ({"mask": {"keep": [1, 1, 0]}}, 3), "drop": ({"mask": {"drop": [[False, False, True]]}}, 3),
    "causal": ({"mask": "causal"}, 2), "window": ({"mask": {"window": 2}}, 1), "bias": ({"bias": [0, 0, "-Infinity"]}, 3),
}  # fmt: skip
OPTIONS: list[Document] = [
    {}, {"softcap": 3, "alibi": True}, {"sink": 0.3}, {"sink": 0.3, "shift": True}, {"shift": True, "base": 2},
    {"base": 0.5, "temperature": 2, "empty_rows": "nan"}, {"qk_norm": {}, "rope": {"pairs": "halves"}},
    {"weighting": "linear"}, {"w_o": listed(np.eye(8, 3)), "norm": {"where": "post", "kind": "layer"}},
]  # fmt: skip
POISONS = [(np.nan, "k"), (np.inf, "k"), (-np.inf, "k"), (np.nan, "v"), (np.inf, "v"), (np.nan, "kv")]

each_kind = pytest.mark.parametrize("kind", KINDS)
each_hiding = pytest.mark.parametrize("hiding", HIDINGS)


def vectors(heads: int = 2, tokens: int = 3, width: int = 4) -> dict[str, Any]:
    """q, k and v of small numbers."""
    random = np.random.default_rng(5)
    return {name: random.integers(-20, 21, (heads, tokens, width)) / 10 for name in "qkv"}


def in_files(folder: Path, arrays: dict[str, Any]) -> Document:
    """The arrays as files in the folder, and the references to them: JSON itself has no NaN."""
    np.savez(folder / "arrays.npz", **arrays)
    return {name: {"npz": "arrays.npz", "key": name} for name in arrays}


def assert_same(got: Any, wanted: Any, kind: str, message: str = "") -> None:
    """Decimals exactly; floating point may add in another order."""
    assert_close(got, wanted, 0 if kind in DECIMAL else NEAR[kind], message)


# --- behind a mask --------------------------------------------------------------------------------


def poisoned(value: float, names: str) -> dict[str, Any]:
    """The vectors with the value in all of key 2, or of its value."""
    arrays = vectors()
    for name in names:
        arrays[name][:, 2] = value
    return arrays


@each_kind
@each_hiding
def test_nan_and_infinity_behind_a_mask_reach_no_row_that_does_not_see_them(
    hiding: str, kind: str, tmp_path: Path
) -> None:
    """Whatever else is done to the scores, and whichever way a key is hidden."""
    hides, rows = HIDINGS[hiding]
    for options in OPTIONS:
        document = {**in_files(tmp_path, vectors()), **hides, **options, "places": 6}
        wanted = steps_of(document, kind, tmp_path)
        for value, names in POISONS:
            in_files(tmp_path, poisoned(value, names))
            got = steps_of(document, kind, tmp_path)
            for step in ("weights", list(wanted)[-1]):
                message = f"{step}: {value} in {names} with {options}"
                assert_same(got[step][..., :rows, :], wanted[step][..., :rows, :], kind, message)


@each_kind
@pytest.mark.parametrize("weighting", ["uniform", "self"])
def test_values_behind_a_mask_reach_nothing_without_scores_either(weighting: str, kind: str, tmp_path: Path) -> None:
    """`uniform` and `self` mix values too."""
    given = in_files(tmp_path, vectors())
    document = {"v": given["v"], "weighting": weighting, "mask": "causal", "places": 6}
    wanted = steps_of(document, kind, tmp_path)["context"]
    in_files(tmp_path, poisoned(np.nan, "v"))
    got = steps_of(document, kind, tmp_path)["context"]
    assert_same(got[:, :2], wanted[:, :2], kind)
    assert np.isnan(got[:, 2]).all()


@each_kind
def test_a_padded_token_of_nan_reaches_no_other_row_of_a_block(kind: str, tmp_path: Path) -> None:
    """From x: norms, projections and residual work row by row."""
    random = np.random.default_rng(6)
    x = random.integers(-20, 21, (3, 4)) / 10
    block = {f"w_{letter}": listed(random.integers(-9, 10, (4, 4)) / 10) for letter in "qkvo"}
    block |= {"norm": {"where": "pre", "kind": "layer"}, "mask": {"key_lengths": 2}, "heads": 2, "residual": True}
    wanted = steps_of({**in_files(tmp_path, {"x": x}), **block, "places": 6}, kind, tmp_path)["residual"]
    x[2] = np.nan
    got = steps_of({**in_files(tmp_path, {"x": x}), **block, "places": 6}, kind, tmp_path)["residual"]
    assert_same(got[:2], wanted[:2], kind)
    assert np.isnan(got[2]).all()


@each_kind
def test_nan_in_one_head_or_batch_entry_stays_there(kind: str, tmp_path: Path) -> None:
    """Also where two query heads share the key-value head beside it."""
    random = np.random.default_rng(7)
    clean = {"q": random.integers(-9, 10, (2, 4, 3, 2)) / 10}
    clean |= {name: random.integers(-9, 10, (2, 2, 3, 2)) / 10 for name in "kv"}
    wanted = steps_of({**in_files(tmp_path, clean), "places": 6}, kind, tmp_path)["context"]
    clean["k"][1, 1, 0, 0] = np.nan
    clean["v"][1, 1, 1, 1] = np.inf
    got = steps_of({**in_files(tmp_path, clean), "places": 6}, kind, tmp_path)["context"]
    assert_same(got[0], wanted[0], kind)
    assert_same(got[1, :2], wanted[1, :2], kind)
    assert np.isnan(got[1, 2:]).all()


@each_kind
def test_a_hidden_key_of_the_cache_reaches_nothing(kind: str, tmp_path: Path) -> None:
    """The past is put before the new keys, and hidden like them."""
    past = {"past_k": np.array([[1.0, 2], [3, 4]]), "past_v": np.array([[1.0], [2]])}
    new = {"q": [[1, 0], [0, 1]], "k": [[1, 1], [0.5, 2]], "v": [[3], [4]], "mask": {"causal": True, "hide": [1]}}

    def context(arrays: dict[str, Any]) -> Any:
        given = in_files(tmp_path, arrays)
        return steps_of({**new, "past": {"k": given["past_k"], "v": given["past_v"]}}, kind, tmp_path)["context"]

    wanted = context(past)
    past["past_k"][1], past["past_v"][1] = np.nan, np.inf
    assert_same(context(past), wanted, kind)


@each_kind
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=str)
def test_what_is_not_finite_is_shown_and_no_fault(value: float, kind: str, tmp_path: Path) -> None:
    """Every format and `explain`, in rows that see it, with a sink and without."""
    for options in OPTIONS[:-1]:
        document = {**in_files(tmp_path, poisoned(value, "kv")), **options, "mask": "causal", "places": 3}
        trace = trace_of(document, kind, tmp_path)
        assert all(render(trace, form) for form in ("table", "plain", "json", "csv"))
        view = View(say_in("en"), heads=(0, 1))
        assert "NaN" in block_renderer("table")(list(explain(trace, view)), view)


# --- rows that see nothing ------------------------------------------------------------------------

SCORES = [[1, 2, 0.5], [0.3, -1, 2], [1, 1, 4]]
NOTHING = ["-Infinity"] * 3
EMPTY: dict[str, Document] = {
    "keep": {"scores": SCORES, "mask": {"keep": [[1, 1, 1], [0, 0, 0], [1, 1, 1]]}},
    "drop": {"scores": SCORES, "mask": {"drop": [[0], [1], [0]]}},
    "bias": {"scores": SCORES, "bias": [[0, 0, 0], NOTHING, [0, 0, 0]]},
    "scores": {"scores": [SCORES[0], NOTHING, SCORES[2]]},
}
FILLED = {"zero": 0.0, "nan": np.nan, "uniform": 1 / 3}
V = [[1, 2], [3, 4], [5, 9]]


EVERYWHERE = [
    *({**document, "weighting": weighting} for document in EMPTY.values() for weighting in ("softmax", "linear")),
    *({"mask": EMPTY[way]["mask"], "weighting": "uniform"} for way in ("keep", "drop")),
]


@each_kind
@pytest.mark.parametrize("policy", FILLED)
@pytest.mark.parametrize("document", EVERYWHERE, ids=lambda d: f"{list(d)[-2]}, {d['weighting']}")
def test_an_empty_row_follows_its_policy_and_leaves_the_others_alone(
    document: Document, policy: str, kind: str
) -> None:
    """The other rows are what they are without it, and a note says so."""
    trace = trace_of({**document, "v": V, "empty_rows": policy, "places": 8}, kind)
    others = {"scores": SCORES} if "scores" in document else {}
    full = steps_of({**others, "v": V, "weighting": document["weighting"], "places": 8}, kind)
    for step in ("weights", "context"):
        assert_same(trace[step].values[[0, 2]], full[step][[0, 2]], kind)
    near = {"by-hand": 1e-8, "exact": 1e-15}.get(kind) or NEAR[kind]
    assert_close(trace["weights"].values[1], [FILLED[policy]] * 3, near)
    assert_close(trace["context"].values[1], [9 * FILLED[policy], 15 * FILLED[policy]], 20 * near)
    assert f"empty-row-{policy}" in {note.words for note in trace.notes}


@each_kind
@pytest.mark.parametrize("document", EVERYWHERE, ids=lambda d: f"{list(d)[-2]}, {d['weighting']}")
def test_an_empty_row_can_be_refused_by_name(document: Document, kind: str) -> None:
    """`error` names the query, in both languages."""
    with pytest.raises(CalculationError) as caught:
        trace_of({**document, "v": V, "empty_rows": "error", "tokens": ["I", "draw", "you"]}, kind)
    assert caught.value.sentences("en") == [
        'scenario: the query draw sees no key, and "empty_rows" is "error"; let it see one, or write "zero", "nan" or '
        '"uniform" there'
    ]
    assert caught.value.sentences("zh") == [
        'scenario: 查询 draw 看不见任何键，而 "empty_rows" 是 "error"；请让它至少看见一个键，或者改写成 "zero"、"nan" 或 "uniform"'
    ]


@each_kind
def test_a_row_that_sees_only_a_sink_is_not_empty(kind: str) -> None:
    """Its weights are 0 because the sink has all of it, whatever the policy."""
    for policy in ("nan", "uniform", "error"):
        trace = trace_of({**EMPTY["keep"], "v": V, "sink": 0.5, "empty_rows": policy}, kind)
        assert listed(trace["weights"].values[1]) == [0, 0, 0]
        assert "empty-row" not in {note.code for note in trace.notes}


# --- lengths and head counts ----------------------------------------------------------------------


def ones(*shape: int) -> Any:
    """An array of ones."""
    return listed(np.ones(shape))


LENGTHS = [
    # document, who is too short, who is longer
    ({"q": ones(3, 2), "k": ones(5, 2), "v": ones(4, 2)}, "v", "k"),
    ({"q": ones(2, 3, 2), "k": ones(2, 5, 2), "v": ones(2, 4, 2)}, "v", "k"),
    ({"q": ones(2, 1, 3, 2), "k": ones(2, 1, 5, 2), "v": ones(2, 1, 4, 2)}, "v", "k"),
    (
        {"q": ones(1, 2), "k": ones(1, 2), "v": ones(1, 2), "past": {"k": ones(5, 2), "v": ones(4, 2)}},
        "past.v",
        "past.k",
    ),
]


@pytest.mark.parametrize(("document", "short", "other"), LENGTHS)
def test_keys_and_values_of_different_length_are_refused_by_both_lengths(
    document: Document, short: str, other: str
) -> None:
    """Where PyTorch's CPU path answers with the shorter, in silence."""
    assert refusal(document) == [f"scenario: {short}: has 4 rows, but {other} has 5; each key has one value"]
    assert refusal(document, "zh") == [f"scenario: {short}: 有 4 行，而 {other} 有 5 行；每个键对应一个值"]


GROUPS = [
    # document, the kv heads, the heads, the legal numbers
    ({"x": ones(3, 12), "heads": 6, "kv_heads": 4}, 4, 6, "1, 2, 3, 6"),
    ({"x": ones(3, 14), "heads": 7, "kv_heads": 2}, 2, 7, "1, 7"),
    ({"q": ones(3, 12), "k": ones(3, 10), "heads": 6, "kv_heads": 5}, 5, 6, "1, 2, 3, 6"),
    ({"q": ones(8, 3, 2), "k": ones(3, 3, 2)}, 3, 8, "1, 2, 4, 8"),
    ({"scores": ones(6, 2, 3), "v": ones(4, 3, 2)}, 4, 6, "1, 2, 3, 6"),
]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("document", "kv_heads", "heads", "legal"), GROUPS)
def test_kv_heads_that_do_not_divide_the_heads_are_refused_with_the_legal_numbers(
    document: Document, kv_heads: int, heads: int, legal: str, language: str
) -> None:
    """In one sentence, which nothing follows that only follows from it."""
    (sentence,) = refusal(document, language)
    assert sentence.endswith(legal)
    assert f" {kv_heads}" in sentence
    assert f" {heads} " in sentence
