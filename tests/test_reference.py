"""Arrays that PyTorch and Hugging Face calculated: attncalc gives the same at every step that a file names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import Document, Steps, assert_close, listed, steps_of

FOLDER = Path(__file__).parent / "data" / "reference"
KINDS = ("float64", "exact")


class Arrays:
    """The arrays of one file: itself by key, and as references for a scenario."""

    def __init__(self, file: str) -> None:
        self.file = f"{file}.npz"
        with np.load(FOLDER / self.file) as archive:
            self.arrays = {key: archive[key] for key in archive.files}

    def __getitem__(self, key: str) -> Any:
        return self.arrays[key]

    def at(self, key: str, *index: int, columns: tuple[int, int] | None = None) -> Document:
        """A reference to an array, or to a part of it."""
        part: Document = {"index": list(index)} if index else {}
        part |= {"columns": list(columns)} if columns else {}
        return {"npz": self.file, "key": key, **part}


Seen = Callable[[Arrays], Any]


@dataclass(frozen=True, eq=False)
class Case:
    """A scenario made of one file's arrays, and for each step the keys that say what it must be."""

    name: str
    file: str
    document: Callable[[Arrays], Document]
    steps: dict[str, str]  # step: keys of the file
    wrong: str = ""  # a key that the context must not be
    only_where: str = ""  # cells of query and key are compared where this key is true


def qkv(a: Arrays, **options: Any) -> Document:
    """A scenario from q, k and v."""
    return {"q": a.at("q"), "k": a.at("k"), "v": a.at("v"), **options}


def gpt2(a: Arrays) -> Document:
    """The block of GPT-2, its three matrices cut out of one."""
    document: Document = {"x": a.at("x"), "heads": 12, "mask": "causal", "residual": True}
    document["norm"] = {"where": "pre", "kind": "layer", "eps": float(a["ln_1_eps"])}
    document["norm"] |= {"gain": a.at("ln_1_weight"), "bias": a.at("ln_1_bias")}
    for place, letter in enumerate("qkv"):
        cut = (48 * place, 48 * place + 48)
        document[f"w_{letter}"] = a.at("c_attn_weight", columns=cut)
        document[f"b_{letter}"] = a.at("c_attn_bias", columns=cut)
    return document | {"w_o": a.at("c_proj_weight"), "b_o": a.at("c_proj_bias")}


def linear_head(a: Arrays) -> Document:
    """x with the three matrices of nn.Linear, stored (out, in)."""
    matrices = {f"w_{letter}": a.at(f"w{letter}") for letter in "qkv"}
    return {"x": a.at("x"), "layout": "out_in", "mask": "causal", **matrices}


def crossed(a: Arrays) -> Document:
    """Queries from one sequence, keys and values from another."""
    matrices = {f"w_{letter}": a.at(f"w{letter}") for letter in "qkv"}
    return {"x": a.at("x_query"), "memory": a.at("x_context"), **matrices}


def cached(a: Arrays) -> Document:
    """Two new tokens after four old keys."""
    past = {"k": a.at("past_k"), "v": a.at("past_v")}
    return {"q": a.at("q_new"), "k": a.at("k_new"), "v": a.at("v_new"), "past": past, "mask": "causal"}


def rows_of_one(a: Arrays, entry: int) -> Document:
    """One sequence of the padded batch without its padding."""
    length = int(a["lengths"][entry])
    return {name: listed(a[name][entry, :, :length]) for name in "qkv"}


INPUTS = {"q": "q", "k": "k", "v": "v"}
RAW = {"scores": "scores_raw", "scaled": "scores_scaled scores_biased"}
SCALED = {"scaled": "scores_scaled"}
AFTER = {"masked": "scores_masked", "weights": "weights", "context": "out"}
ROPE = {"rotated_q": "q_{0}", "rotated_k": "k_{0}", "scaled": "scores_scaled_{0}"}
ROPE |= {"weights": "weights_{0}", "context": "out_{0}"}
EMPTY_ROW = {"keep": "allowed", "empty_rows": "nan"}


def with_keep(a: Arrays, policy: str, **options: Any) -> Document:
    """The scenario whose second row sees nothing."""
    return qkv(a, mask={"keep": a.at("allowed")}, empty_rows=policy, **options)


def rope(pairs: str, key: str) -> Case:
    """One pairing of the rotary embedding."""
    steps = {step: text.format(key) for step, text in ROPE.items()}
    return Case(
        f"rope, {pairs}", "rope", lambda a: qkv(a, rope={"pairs": pairs, "base": float(a["base"])}, mask="causal"),
        INPUTS | steps | {"masked": "allowed"},
    )  # fmt: skip


def corner(name: str) -> Case:
    """One corner of a causal mask that is not square."""
    key = name.replace("-", "_")
    return Case(
        f"causal, {name}", "causal_3x5_alignments", lambda a: qkv(a, mask={"causal": name}),
        INPUTS | {"masked": f"allowed_{key}", "weights": f"weights_{key}", "context": f"out_{key}"},
    )  # fmt: skip


CASES = [
    Case("one causal head", "causal_head_1337", linear_head,
         INPUTS | {"x": "x", "scaled": "scores", "masked": "masked", "weights": "weights", "context": "out"}),
    Case("the block of GPT-2", "gpt2_block", gpt2, {
        "x": "x", "mean": "ln_1_mean", "variance": "ln_1_var", "gained": "ln_1_out", **INPUTS, "scores": "scores_raw",
        "scaled": "scores_scaled", "masked": "scores_masked", "weights": "weights", "context": "context",
        "joined": "merged", "output": "proj", "residual": "out"}),
    Case("grouped heads", "gqa_8q2kv_causal", lambda a: qkv(a, mask="causal"),
         INPUTS | RAW | AFTER, wrong="out_if_tiled_wrong"),
    Case("grouped heads, said in numbers", "gqa_8q2kv_causal",
         lambda a: qkv(a, mask={"keep": a.at("allowed")}, heads=8, kv_heads=2), AFTER, wrong="out_if_tiled_wrong"),
    Case("grouped heads, repeated", "gqa_8q2kv_causal",
         lambda a: qkv(a, mask="causal") | {"k": a.at("k_repeated"), "v": a.at("v_repeated")},
         RAW | AFTER | {"k": "k_repeated", "v": "v_repeated"}, wrong="out_if_tiled_wrong"),
    Case("cross-attention", "cross_3x5", crossed,
         INPUTS | RAW | {"x": "x_query", "scaled": "scores_masked", "weights": "weights", "context": "out"}),
    Case("cross-attention from q and k", "cross_3x5", qkv, RAW | {"weights": "weights", "context": "out"}),
    corner("top-left"), corner("bottom-right"),
    Case("a window of 3", "window3_causal", lambda a: qkv(a, mask={"causal": True, "window": int(a["window"])}),
         INPUTS | RAW | AFTER, wrong="out_if_window_counts_only_past_keys"),
    Case("a window of 4 is the off-by-one", "window3_causal", lambda a: qkv(a, mask={"causal": True, "window": 4}),
         {"context": "out_if_window_counts_only_past_keys"}, wrong="out"),
    Case("padding by lengths", "padding_mask", lambda a: qkv(a, mask={"key_lengths": listed(a["lengths"])}),
         INPUTS | RAW | AFTER),
    Case("padding by what is kept", "padding_mask",
         lambda a: qkv(a, mask={"keep": listed(a["keep"].reshape(2, 1, 1, 5))}), AFTER),
    Case("padding by what PyTorch drops", "padding_mask",
         lambda a: qkv(a, mask={"drop": listed(a["key_padding_mask_torch_mha"].reshape(2, 1, 1, 5))}), AFTER),
    Case("padding, real rows", "padding_mask", lambda a: rows_of_one(a, 1), {"context": "out_rows_real"}),
    Case("an empty row is NaN", "fully_masked_row", lambda a: with_keep(a, "nan"), INPUTS | RAW | AFTER),
    Case("an empty row is zero", "fully_masked_row", lambda a: with_keep(a, "zero"),
         {"weights": "weights_zero", "context": "out_zero sdpa_out"}, wrong="out"),
    Case("an empty row is uniform", "fully_masked_row", lambda a: with_keep(a, "uniform"),
         {"weights": "weights_with_finfo_min_added"}),
    Case("ALiBi", "alibi", lambda a: qkv(a, alibi=True, mask="causal"),
         INPUTS | {"scores": "scores_raw", "scaled": "scores_scaled"} | AFTER),
    Case("ALiBi before the mask", "alibi", lambda a: qkv(a, alibi=True, mask="causal"),
         {"biased": "scores_biased"}, only_where="allowed"),
    Case("ALiBi by its slopes", "alibi", lambda a: qkv(a, alibi=a.at("slopes"), mask="causal"), AFTER),
    Case("ALiBi as a bias", "alibi", lambda a: qkv(a, bias=a.at("bias"), mask="causal"),
         {"biased": "scores_biased"} | AFTER),
    rope("halves", "half"), rope("neighbours", "interleaved"),
    Case("a soft cap of 5", "softcap5_causal", lambda a: qkv(a, softcap=float(a["softcap"]), mask="causal"),
         INPUTS | SCALED | {"capped": "scores_capped"} | AFTER),
    Case("a sink per head", "sink_causal", lambda a: qkv(a, sink=a.at("sink"), mask="causal"), INPUTS | SCALED | AFTER),
    Case("softmax off by one", "sink_causal", lambda a: qkv(a, sink=0, mask="causal"),
         {"weights": "weights_softmax_off_by_one", "context": "out_softmax_off_by_one"}, wrong="out"),
    Case("a cache of 4", "kv_cache_4plus2", cached,
         {"q": "q_new", "k": "k_new", "v": "v_new", "weights": "weights_new", "context": "out_new",
          "all_k": "k_full", "all_v": "v_full"}),
    Case("a cache of 4, the full run", "kv_cache_4plus2",
         lambda a: {"q": a.at("q_full"), "k": a.at("k_full"), "v": a.at("v_full"), "mask": "causal"},
         {"context": "out_full"}),
]  # fmt: skip


def each_way(cases: list[Case]) -> list[Any]:
    """Each case in each arithmetic."""
    return [pytest.param(case, kind, id=f"{case.name}, {kind}") for case in cases for kind in KINDS]


@cache
def arrays(file: str) -> Arrays:
    """A file is read once."""
    return Arrays(file)


@cache
def steps(case: Case, kind: str) -> Steps:
    """A case is calculated once in each arithmetic."""
    return steps_of(case.document(arrays(case.file)), kind, FOLDER)


def wanted_at(a: Arrays, key: str, shape: tuple[int, ...]) -> Any:
    """A file's array in the step's shape: axes of length 1 come and go, a mask goes over all heads."""
    values = a[key]
    if values.dtype == bool:
        return np.broadcast_to(values, shape)
    assert values.size == int(np.prod(shape)), key
    return values.reshape(shape)


@pytest.mark.parametrize(("case", "kind"), each_way(CASES))
def test_every_step_that_a_file_names_is_reproduced(case: Case, kind: str) -> None:
    """float64 to 1e-12, float32 to 1e-6, in exact arithmetic too."""
    a = arrays(case.file)
    for step, keys in case.steps.items():
        for key in keys.split():
            got = steps(case, kind)[step]
            wanted = wanted_at(a, key, got.shape)
            if wanted.dtype == bool:
                got = np.isfinite(got)
            if case.only_where:
                seen = np.broadcast_to(a[case.only_where], got.shape)
                got, wanted = got[seen], wanted[seen]
            assert_close(got, wanted, 1e-6 if wanted.dtype == np.float32 else 1e-12, f"{step} = {key}")


@pytest.mark.parametrize(("case", "kind"), each_way([case for case in CASES if case.wrong]))
def test_the_wrong_variant_of_a_file_is_not_what_comes_out(case: Case, kind: str) -> None:
    """Heads that are tiled, windows that do not count the token itself, and the like."""
    got = steps(case, kind)["context"]
    wrong = wanted_at(arrays(case.file), case.wrong, got.shape)
    assert not np.allclose(got, wrong, rtol=1e-3, atol=1e-3)


GIVEN = """wq wk wv scale n_head offset window softcap sink base positions slopes bias keep key_padding_mask_torch_mha
    lengths past_k past_v q_full k_full v_full x_context ln_1_weight ln_1_bias ln_1_eps c_attn_weight c_attn_bias
    c_proj_weight c_proj_bias allowed"""
IN_THE_TESTS_BELOW = """qkv head_map slopes_8 slopes_12 slopes_16 mean_over_real_tokens mean_over_all_rows_wrong
    weights_with_minus_1e9_added"""
INSIDE_A_ROTATION = "inv_freq angles cos sin perm_interleaved_to_half"


def test_every_key_of_every_file_is_looked_at() -> None:
    """What no case names is given, is compared below, or stays inside a step."""
    elsewhere = set(" ".join((GIVEN, IN_THE_TESTS_BELOW, INSIDE_A_ROTATION)).split())
    for file in (path.stem for path in FOLDER.glob("*.npz")):
        cases = [case for case in CASES if case.file == file]
        looked_at = set(" ".join(" ".join((*case.steps.values(), case.wrong)) for case in cases).split())
        assert set(arrays(file).arrays) - elsewhere <= looked_at, file


# --- what a file says beside its steps ------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_the_fused_projection_of_gpt2_is_q_k_and_v_side_by_side(kind: str) -> None:
    """The columns of `qkv`, heads joined."""
    found = steps(CASES[1], kind)
    joined = [found[letter].swapaxes(1, 2).reshape(1, 6, 48) for letter in "qkv"]
    assert_close(np.concatenate(joined, axis=-1), arrays("gpt2_block")["qkv"], 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_a_query_head_reads_the_kv_head_of_the_map(kind: str) -> None:
    """Values that are the number of their head come out as the map."""
    a = arrays("gqa_8q2kv_causal")
    numbers = np.broadcast_to(np.arange(2.0).reshape(1, 2, 1, 1), (1, 2, 5, 1))
    context = steps_of({"q": a.at("q"), "k": a.at("k"), "v": listed(numbers)}, kind, FOLDER)["context"]
    assert_close(context[0, :, 0, 0], a["head_map"].astype(float), 1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("key", ["slopes", "slopes_8", "slopes_12", "slopes_16"])
def test_the_published_slopes(key: str, kind: str) -> None:
    """Read off the bias of a key one step away, for head counts that are powers of two and others."""
    slopes = arrays("alibi")[key]
    zeros = np.zeros((len(slopes), 2, 2))
    biased = steps_of({"scores": listed(zeros), "alibi": True}, kind)["biased"]
    assert_close(-biased[:, 1, 0], slopes, 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_means_over_real_tokens_differ_from_means_over_padding_too(kind: str) -> None:
    """The padded rows are calculated, and nobody should average them."""
    a = arrays("padding_mask")
    context = steps(next(case for case in CASES if case.name == "padding by lengths"), kind)["context"]
    real = [context[entry, :, :length].mean(axis=1) for entry, length in enumerate(a["lengths"])]
    assert_close(np.stack(real), a["mean_over_real_tokens"], 1e-12)
    assert_close(context.mean(axis=2), a["mean_over_all_rows_wrong"], 1e-12)
    assert not np.allclose(np.stack(real), a["mean_over_all_rows_wrong"], atol=1e-3)


def test_a_billion_taken_off_hides_nothing_where_all_scores_lose_it() -> None:
    """−1e9 added to a whole row leaves its softmax as it was: not uniform, and not empty."""
    a = arrays("fully_masked_row")
    bias = np.where(a["allowed"], 0, -1e9)
    weights = steps_of(qkv(a, bias=listed(bias)), "float64", FOLDER)["weights"]
    assert_close(weights, a["weights_with_minus_1e9_added"], 1e-12)
    assert np.ptp(weights[1]) > 0.05
