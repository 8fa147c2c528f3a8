"""What is true of attention whatever the numbers are."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from agreement import Document, Steps, assert_close, listed, steps_of
from rivals.random_options import documents
from rivals.random_scenarios import as_json

KINDS = ("exact", "float64")
SEEDS = range(12)
TOLERANCE = {"exact": 0.0, "float64": 1e-13, "by-hand": 0.0}
LOGITS = ("masked", "biased", "capped", "scaled", "scores")

each_kind = pytest.mark.parametrize("kind", KINDS)
each_kind_by_hand_too = pytest.mark.parametrize("kind", [*KINDS, "by-hand"])
each_seed = pytest.mark.parametrize("seed", SEEDS)


# --- making scenarios -----------------------------------------------------------------------------


class Maker:
    """Numbers with one decimal, sizes and options, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)

    def array(self, *shape: int) -> Any:
        """Numbers from −3 to 3."""
        return self.random.integers(-30, 31, shape) / 10

    def size(self, least: int = 1, most: int = 4) -> int:
        """A small size."""
        return int(self.random.integers(least, most + 1))

    def options(self, *left_out: str) -> Document:
        """About half of the options that act on scores."""
        every: Document = {
            "softcap": 2.5, "temperature": 0.7, "scale": 0.3, "base": 2, "sink": 0.5, "qk_norm": {"eps": 0.001},
            "shift": True, "empty_rows": "uniform",
        }  # fmt: skip
        return {key: value for key, value in every.items() if key not in left_out and self.random.random() < 0.5}

    def heads(self, heads: int, tokens: int, width: int = 2, values: int = 3) -> Document:
        """q, k and v with a head axis."""
        return {
            "q": listed(self.array(heads, tokens, width)), "k": listed(self.array(heads, tokens, width)),
            "v": listed(self.array(heads, tokens, values)),
        }  # fmt: skip


def assert_same(got: Any, wanted: Any, kind: str) -> None:
    """Exactly in exact arithmetic and by hand, to 1e-13 in floating point."""
    assert_close(got, wanted, TOLERANCE[kind])


def turned(values: Any, order: Any, axis: int) -> Any:
    """The nested lists of an array in another order along an axis."""
    return listed(np.take(np.asarray(values), order, axis))


# --- rows of weights ------------------------------------------------------------------------------


@cache
def random_steps(kind: str) -> tuple[tuple[Document, Steps], ...]:
    """200 documents over all the options, less those with given weights or `self`, which show no hidden scores."""
    made = [d for d in documents(11, 200) if "weights" not in d and d.get("weighting") != "self"]
    return tuple((document, steps_of(document, kind)) for document in made)


def empty_rows(document: Document, steps: Steps) -> Any:
    """Which rows see no key; with a sink none is empty."""
    if document.get("weighting", "softmax") == "softmax" and "sink" in document:
        return np.zeros(steps["weights"].shape[:-1], dtype=bool)
    return hidden(document, steps).all(axis=-1)


def hidden(document: Document, steps: Steps) -> Any:
    """Which keys are hidden, read off the last scores, or off the ones and zeros of `uniform`."""
    weighting = document.get("weighting", "softmax")
    if weighting == "uniform":
        return steps["masked"] == 0
    return np.isneginf(next(steps[name] for name in LOGITS if name in steps))


def sinks_share(document: Document, steps: Steps) -> Any:
    """What the sink has of each row: its exponential, shifted like the others, over the total."""
    if "sink" not in document or document.get("weighting", "softmax") != "softmax":
        return 0
    sinks = np.asarray(document["sink"], dtype=float)
    sinks = sinks[:, None] if sinks.size > 1 else sinks.reshape(())
    maximum = steps.get("maximum", np.zeros_like(steps["total"]))
    return float(document.get("base", np.e)) ** (sinks - maximum) / steps["total"]


@each_kind
def test_rows_of_weights_add_to_1_less_the_share_of_the_sink(kind: str) -> None:
    """Under every weighting; an empty row adds to what its policy says."""
    for document, steps in random_steps(kind):
        sums = steps["weights"].sum(axis=-1)
        policy = {"zero": 0, "nan": np.nan, "uniform": 1}[document.get("empty_rows", "zero")]
        wanted = np.where(empty_rows(document, steps), policy, 1 - sinks_share(document, steps))
        assert_close(sums, np.broadcast_to(wanted, sums.shape), 1e-12, as_json(document))


@each_kind
def test_a_hidden_key_has_weight_0_and_nothing_else_will_do(kind: str) -> None:
    """Not a small number: 0, in every row that sees something."""
    seen_any = 0
    for document, steps in random_steps(kind):
        cells = hidden(document, steps) & ~empty_rows(document, steps)[..., None]
        assert (steps["weights"][cells] == 0).all(), as_json(document)
        seen_any += int(cells.sum())
    assert seen_any > 500


# --- causal masks ---------------------------------------------------------------------------------


@each_kind_by_hand_too
@each_seed
def test_a_later_key_and_value_move_no_earlier_output(seed: int, kind: str) -> None:
    """Under a causal mask, with and without a window."""
    made = Maker(seed)
    heads, tokens = made.size(), made.size(2, 5)
    mask = {"causal": True, "window": 2} if seed % 2 else "causal"
    document = {**made.heads(heads, tokens), "mask": mask, "places": 6, **made.options()}
    other = {name: np.asarray(document[name]).copy() for name in "qkv"}
    for values in other.values():
        values[:, -1] += 1.7
    before = steps_of(document, kind)["context"]
    after = steps_of(document | {name: listed(values) for name, values in other.items()}, kind)["context"]
    assert_same(after[:, :-1], before[:, :-1], kind)
    assert (after[:, -1] != before[:, -1]).any()


@each_kind
@each_seed
def test_a_later_token_moves_no_earlier_row_of_a_block(seed: int, kind: str) -> None:
    """From x through norm, projections, rotation, heads, output and residual."""
    made = Maker(100 + seed)
    x = made.array(4, 4)
    document = {
        "x": listed(x), "heads": 2, "rope": {"pairs": "halves"}, "mask": "causal", "residual": True,
        "norm": {"where": ("pre", "post")[seed % 2], "kind": ("layer", "rms")[seed // 2 % 2]},
        **{f"w_{letter}": listed(made.array(4, 4)) for letter in "qkvo"}, **made.options("scale"),
    }  # fmt: skip
    x[-1] += [0.5, -1, 2, 0.1]
    before, after = steps_of(document, kind), steps_of({**document, "x": listed(x)}, kind)
    last = list(before)[-1]
    assert_same(after[last][:-1], before[last][:-1], kind)
    assert (after[last][-1] != before[last][-1]).any()


# --- orders ---------------------------------------------------------------------------------------


@each_kind_by_hand_too
@each_seed
def test_a_key_and_its_value_moved_together_change_no_output(seed: int, kind: str) -> None:
    """Without positions the keys are a set; the weights move with them."""
    made = Maker(200 + seed)
    heads, keys = made.size(), made.size(2, 5)
    document = {**made.heads(heads, keys), "places": 6, **made.options()}
    document["q"] = listed(made.array(heads, 2, 2))
    keep = made.random.integers(0, 2, (2, keys))
    document["mask"] = {"keep": listed(keep)}
    order = made.random.permutation(keys)
    moved = {**document, **{name: turned(document[name], order, 1) for name in "kv"}}
    moved["mask"] = {"keep": turned(keep, order, 1)}
    before, after = steps_of(document, kind), steps_of(moved, kind)
    assert_same(after["weights"], before["weights"][..., order], kind)
    assert_same(after["context"], before["context"], kind)


@each_kind_by_hand_too
@each_seed
def test_heads_in_another_order_give_results_in_that_order(seed: int, kind: str) -> None:
    """Sinks, slopes and biases per head move too; an output projection with its rows moved gives the same."""
    made = Maker(300 + seed)
    heads = made.size(2, 4)
    document = {**made.heads(heads, 3), "mask": "causal", "places": 6, **made.options("sink")}
    document |= {"sink": listed(made.array(heads)), "alibi": listed(made.array(heads))}
    document |= {"bias": listed(made.array(heads, 3, 3)), "w_o": listed(made.array(3 * heads, 2))}
    order = made.random.permutation(heads)
    moved = {
        **document,
        **{name: turned(document[name], order, 0) for name in ("q", "k", "v", "sink", "alibi", "bias")},
    }
    moved["w_o"] = listed(np.asarray(document["w_o"]).reshape(heads, 3, 2)[order].reshape(-1, 2))
    before, after = steps_of(document, kind), steps_of(moved, kind)
    for name in ("biased", "weights", "context"):
        assert_same(after[name], before[name][order], kind)
    assert_same(after["output"], before["output"], kind)


@each_kind_by_hand_too
@each_seed
def test_batch_entries_know_nothing_of_each_other(seed: int, kind: str) -> None:
    """Each is what it is alone, with its own key length, bias and residual."""
    made = Maker(400 + seed)
    batch, tokens = made.size(2, 3), made.size(2, 4)
    x, bias, residual = made.array(batch, tokens, 4), made.array(batch, 1, 1, tokens), made.array(batch, tokens, 4)
    lengths = [made.size(1, tokens) for _ in range(batch)]
    common = {
        "heads": 2,
        "places": 6,
        **made.options("qk_norm"),
        "shift": True,
        "norm": {"where": "post", "kind": "rms"},
    }
    common |= {f"w_{letter}": listed(made.array(4, 4)) for letter in "qkv"}

    def part(chosen: slice | int, mask: Any) -> Document:
        parts = {"x": x[chosen], "bias": bias[chosen], "residual": residual[chosen]}
        return {**common, **{name: listed(values) for name, values in parts.items()}, "mask": {"key_lengths": mask}}

    whole = steps_of(part(slice(None), lengths), kind)
    for entry in range(batch):
        alone = steps_of(part(entry, lengths[entry]), kind)
        assert list(alone) == list(whole)
        for name, values in alone.items():
            assert_same(values, whole[name][entry], kind)


# --- the same calculation written in another way --------------------------------------------------


@each_kind
@each_seed
def test_softmax_does_not_see_a_number_added_to_a_row(seed: int, kind: str) -> None:
    """Nor whether the row maximum was taken off first; a sink has to move along."""
    made = Maker(500 + seed)
    scores, added = made.array(3, 4), made.array(3, 1)
    options = made.options("scale", "softcap", "temperature", "qk_norm", "sink", "shift")
    plain = steps_of({"scores": listed(scores), **options}, kind)["weights"]
    moved = steps_of({"scores": listed(np.round(scores + added, 1)), **options}, kind)["weights"]
    assert_same(moved, plain, kind)
    for sink in ({}, {"sink": 0.5}):
        shifted, unshifted = (
            steps_of({"scores": listed(scores), **options, **sink, "shift": shift}, kind)["weights"]
            for shift in (True, False)
        )
        assert_same(shifted, unshifted, kind)
    with_sink = steps_of({"scores": listed(scores), **options, "sink": 0.5}, kind)["weights"]
    moved_too = steps_of({"scores": listed(np.round(scores + 1.3, 1)), **options, "sink": 1.8}, kind)["weights"]
    assert_same(moved_too, with_sink, kind)


@each_kind
@each_seed
def test_a_cache_gives_the_last_rows_of_the_full_run(seed: int, kind: str) -> None:
    """With rotation, norm of q and k, ALiBi, windows and grouped heads; the past is normed and rotated already."""
    made = Maker(600 + seed)
    kv_heads, group, tokens, past = made.size(1, 2), made.size(1, 2), 5, made.size(1, 4)
    full: Document = {"q": listed(made.array(kv_heads * group, tokens, 4)), "places": 6, **made.options()}
    full |= {name: listed(made.array(kv_heads, tokens, 4)) for name in "kv"}
    full["mask"] = {"causal": True, "window": 3} if seed % 2 else "causal"
    full |= {"rope": {"pairs": "neighbours"}} if seed % 3 else {}
    full |= {"alibi": True} if seed % 4 else {}
    whole = steps_of(full, kind)
    ready = next(whole[name] for name in ("rotated_k", "normed_k", "k") if name in whole)
    new = full | {name: listed(np.asarray(full[name])[:, past:]) for name in "qkv"}
    new["past"] = {"k": listed(ready[:, :past]), "v": listed(whole["v"][:, :past])}
    part = steps_of(new, kind)
    for name in ("scores", "weights", "context"):
        assert_close(part[name], whole[name][:, past:], 1e-13)  # the past was written with a double's digits
    assert_close(part["all_k"], ready, 1e-15)


@each_kind_by_hand_too
@pytest.mark.parametrize("shared", ["past", "x"])
def test_a_past_or_embeddings_without_a_batch_serve_every_entry(shared: str, kind: str) -> None:
    """As if they were given once for each; here two entries of three tokens, after two that are past."""
    made = Maker(650)
    batch: Document = {
        "x": listed(made.array(2, 3, 4)), "heads": 2, "mask": "causal",
        "past": {name: listed(made.array(2, 2, 2, 2)) for name in "kv"},
    }  # fmt: skip
    if shared == "past":
        first = {name: batch["past"][name][0] for name in "kv"}
        one, every = {**batch, "past": first}, {**batch, "past": {name: [first[name]] * 2 for name in "kv"}}
    else:
        one, every = {**batch, "x": batch["x"][0]}, {**batch, "x": [batch["x"][0]] * 2}
    found, wanted = steps_of(one, kind), steps_of(every, kind)
    for name in ("all_k", "all_v", "weights", "context"):
        assert_same(found[name], wanted[name], kind)


@each_kind_by_hand_too
@each_seed
def test_grouped_heads_are_repeated_heads(seed: int, kind: str) -> None:
    """k0 k0 k1 k1, not k0 k1 k0 k1."""
    made = Maker(700 + seed)
    kv_heads, group = made.size(2, 3), made.size(2, 3)
    document = {**made.heads(kv_heads, 3), "mask": "causal", "places": 6, **made.options()}
    document["q"] = listed(made.array(kv_heads * group, 3, 2))
    repeated = document | {name: listed(np.repeat(document[name], group, 0)) for name in "kv"}
    tiled = document | {name: listed(np.tile(document[name], (group, 1, 1))) for name in "kv"}
    grouped = steps_of(document, kind)
    for name in ("scores", "weights", "context", "joined"):
        assert_same(grouped[name], steps_of(repeated, kind)[name], kind)
    assert not np.allclose(grouped["context"], steps_of(tiled, kind)["context"])


@each_kind_by_hand_too
@each_seed
def test_columns_shared_out_are_heads_written_out(seed: int, kind: str) -> None:
    """Head h has the h-th block of columns of q, k and v."""
    made = Maker(800 + seed)
    heads = made.size(2, 3)
    document = {**made.heads(heads, 3), "places": 6, **made.options()}
    joined = {name: listed(np.concatenate(np.asarray(document[name]), axis=1)) for name in "qkv"}
    stacked, split = steps_of(document, kind), steps_of({**document, **joined, "heads": heads}, kind)
    assert list(stacked) == list(split)
    for name, values in split.items():
        assert_same(values, stacked[name], kind)


@each_kind_by_hand_too
@each_seed
def test_out_in_is_the_transposed_matrix(seed: int, kind: str) -> None:
    """All four matrices, biases and heads among them."""
    made = Maker(900 + seed)
    matrices = {"w_q": made.array(3, 4), "w_k": made.array(3, 4), "w_v": made.array(3, 6), "w_o": made.array(6, 5)}
    document = {"x": listed(made.array(4, 3)), "heads": 2, "mask": "causal", "places": 6, **made.options()}
    document |= {"b_q": listed(made.array(4)), "b_o": listed(made.array(5))}
    stored = {name: listed(matrix) for name, matrix in matrices.items()}
    turned_over = {name: listed(matrix.T) for name, matrix in matrices.items()}
    there, back = steps_of(document | stored, kind), steps_of(document | turned_over | {"layout": "out_in"}, kind)
    assert list(there) == list(back)
    for name, values in back.items():
        assert_same(values, there[name], kind)
