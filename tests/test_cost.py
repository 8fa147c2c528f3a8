"""What attention costs: whole numbers, set beside arrays of those sizes and the figures that an article prints."""

from __future__ import annotations

import random

import numpy as np
import pytest
from calling import call, document, out
from samples import LANGUAGES

from attncalc.core import names
from attncalc.document.costs import in_bytes
from attncalc.long.cost import BYTES, cache_bytes, products, score_bytes, scores
from attncalc.long.models import MODELS, Sizes

GPT2 = MODELS["gpt2"]


@pytest.mark.parametrize(
    ("tokens", "unit", "type", "printed"),
    [
        (10_000, "head", "fp16", "200 MB"),
        (10_000, "model", "fp16", "28.8 GB"),
        (10_000, "head", "fp32", "400 MB"),
        (1_000, "head", "fp16", "2 MB"),
    ],
)
def test_the_bytes_that_the_article_prints(tokens: int, unit: str, type: str, printed: str) -> None:
    """200 MB for the scores of one head, 28.8 GB for those of all heads and layers of GPT-2."""
    assert in_bytes(score_bytes(GPT2, tokens, unit, type)) == printed
    assert scores(GPT2, tokens, "head") == tokens**2


@pytest.mark.parametrize("seed", range(40))
def test_counts_are_those_of_real_arrays(seed: int) -> None:
    """The products of one layer really taken: shapes, multiply-adds as an einsum counts them, bytes of the arrays."""
    draw = random.Random(seed)
    kv_heads, group, d_k = draw.randint(1, 3), draw.randint(1, 3), draw.randint(1, 5)
    sizes, tokens = Sizes(draw.randint(1, 9), draw.randint(1, 3), kv_heads * group, kv_heads, d_k), draw.randint(1, 7)
    x = np.zeros((tokens, sizes.d_model), dtype=np.float16)
    q, k = (np.zeros((tokens, heads, d_k), dtype=np.float16) for heads in (sizes.heads, kv_heads))
    weights = np.zeros((sizes.heads, tokens, tokens), dtype=np.float16)
    factors = {
        "q": ("td,de->te", x, np.zeros((sizes.d_model, sizes.heads * d_k))),
        "k": ("td,de->te", x, np.zeros((sizes.d_model, kv_heads * d_k))),
        "v": ("td,de->te", x, np.zeros((sizes.d_model, kv_heads * d_k))),
        "scores": ("qhd,khd->hqk", q, np.repeat(k, group, axis=1)),
        "context": ("hqk,khd->qhd", weights, np.repeat(k, group, axis=1)),
        "output": ("te,ed->td", q.reshape(tokens, -1), np.zeros((sizes.heads * d_k, sizes.d_model))),
    }
    for row in products(sizes, tokens):
        letters, left, right = factors[row.step]
        lengths = dict(zip(letters.split("->")[0].replace(",", ""), (*left.shape, *right.shape), strict=True))
        assert row.multiply_adds == int(np.prod(list(lengths.values())))
    assert score_bytes(sizes, tokens, "layer", "fp16") == weights.nbytes
    assert cache_bytes(sizes, tokens, "model", "fp16") == 2 * k.nbytes * sizes.layers


def test_a_model_is_what_its_paper_says() -> None:
    """Heads share the width where they do; query heads share heads of keys and values."""
    assert tuple(MODELS) == names.MODELS
    for name, sizes in MODELS.items():
        assert sizes.heads * sizes.d_k == sizes.d_model, name
        assert sizes.heads % sizes.kv_heads == 0, name
        assert sizes.source


def test_json_says_every_number_whole() -> None:
    """The same counts, by unit and type; no digit is cut off."""
    found = document("cost", "10000", "123456789", "--model", "llama-3-70b")
    sizes = MODELS["llama-3-70b"]
    assert (found["format"], found["model"], found["sizes"]["kv_heads"]) == ("attncalc-cost/1", "llama-3-70b", 8)
    for cost in found["costs"]:
        tokens = cost["tokens"]
        assert cost["scores"]["model"] == tokens**2 * 64 * 80
        assert {t: cost["score_bytes"][t]["head"] for t in BYTES} == {t: n * tokens**2 for t, n in BYTES.items()}
        assert cost["cache_bytes"]["bf16"]["model"] == 2 * tokens * 128 * 8 * 80 * 2
        assert [row["multiply_adds"] for row in cost["layer"]] == [r.multiply_adds for r in products(sizes, tokens)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_shapes_of_the_article_are_shown(language: str) -> None:
    """X 4×768 times W_V 768×768 is V 4×768, and one head has a W_Q of 768×64."""
    page = out("cost", "4", "--shapes", language=language)
    assert "X 4×768 · W_V 768×768 → V 4×768" in page
    assert "768×64" in page
    assert "X 4x768 * W_V 768x768 -> V 4x768" in out("cost", "4", "--shapes", "--ascii", language=language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_screen_says_what_grows(language: str) -> None:
    """Scores by the square, the cache by the number of tokens; both numbers of the article stand there."""
    page = out("cost", "10000", "20000", language=language)
    for text in ("100,000,000", "400,000,000", "200 MB", "800 MB", "28.8 GB", "gpt2"):
        assert text in page


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("0",), "N: 0 is not a number of tokens; wanted is a whole number from 1 to 999999999"),
        (("1000", "1e3"), "N: 1e3 is not a number of tokens; wanted is a whole number from 1 to 999999999"),
        (("10,000",), "N: 10,000 is not"),
        (("--model", "gpt3"), "--model: is gpt3; did you mean gpt2?"),
        (("--d-model", "64"), "--d-model, --heads: give the sizes"),
        (("--d-model", "64", "--heads", "5"), "--heads: 5 does not divide 64; give the width of a head with --d-k"),
        (("--d-model", "64", "--heads", "4", "--kv-heads", "3"), "--kv-heads: 3 does not divide 4"),
        (("--model", "gpt2", "--heads", "4"), "--model gpt2: has its own sizes; leave out --heads"),
    ],
)
def test_what_cannot_be_costed_is_said(args: tuple[str, ...], sentence: str) -> None:
    """In a sentence, exit 2."""
    done = call("cost", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {sentence}")


@pytest.mark.parametrize("count", [1, 999, 1000, 1001, 12_345, 999_499, 999_999, 10**6, 10**9 - 1, 123 * 10**15])
def test_bytes_have_three_digits(count: int) -> None:
    """Rounded to three digits that count, in units of a thousand."""
    number, unit = in_bytes(count).split()
    scale = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12, "PB": 10**15}[unit]
    assert abs(float(number) * scale - count) <= count * 0.005
