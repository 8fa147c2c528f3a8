"""Shapes that do not fit, and meanings left open: what is said names both sides and the ways out, in both languages."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from agreement import Document, listed, refusal, steps_of
from samples import LANGUAGES

TABLE = Path(__file__).parent / "data" / "wrong_shapes.toml"
COUNTED_IN_CHINESE = {"heads": "头", "batch": "批次", "keys": "键", "queries": "查询"}
LEAST = 40
CONTRACT = """scores q k v x memory ids embedding positions weights w_q w_k w_v b_q b_k b_v w_o b_o residual bias sink alibi
    past.k past.v qk_norm.q_gain qk_norm.k_gain norm.gain norm.bias mask.keep mask.drop mask.key_lengths"""


class Row(NamedTuple):
    """One document, what its answer has to name, and the answer in each language."""

    name: str
    shapes: dict[str, list[int]]
    document: Document
    names: list[str]
    sentences: dict[str, str]


def filled(shapes: dict[str, list[int]], rest: Document) -> Document:
    """The document whose arrays have these shapes, all ones."""
    for path, shape in shapes.items():
        *outer, last = path.split(".")
        place: Any = rest
        for key in outer:
            place = place.setdefault(key, {})
        place[last] = listed(np.ones(shape, dtype=int))
    return rest


def rows() -> Iterator[Row]:
    """The rows of the table."""
    for name, row in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        document = filled(row["shapes"], json.loads(row.get("also", "{}")))
        yield Row(name, row["shapes"], document, row["names"], {language: row[language] for language in LANGUAGES})


ROWS = list(rows())
each_language = pytest.mark.parametrize("language", LANGUAGES)
each_row = pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])


@each_language
@each_row
def test_a_wrong_shape_gets_exactly_this_one_sentence(row: Row, language: str) -> None:
    """One place is wrong, so one place is named, and nothing that only follows from it."""
    assert refusal(row.document, language) == [f"scenario: {row.sentences[language]}"]


@each_language
@each_row
def test_the_sentence_names_both_sizes_and_where_each_comes_from(row: Row, language: str) -> None:
    """As words of their own: the 3 of 13 does not count."""
    said = " ".join(refusal(row.document, language)).removeprefix("scenario: ")
    words = {word.strip(".") for word in re.findall(r"[A-Za-z_.0-9×]+", said)}
    for name in row.names:
        counted = language == "zh" and COUNTED_IN_CHINESE.get(name, "?") in said
        assert name in words or counted, f"{name} is missing: {said}"


def test_the_table_has_every_array_that_has_a_shape() -> None:
    """In more than forty documents."""
    assert len(ROWS) >= LEAST
    assert set(CONTRACT.split()) <= {path for row in ROWS for path in row.shapes}


def test_the_documents_would_be_right_with_other_shapes() -> None:
    """The judge of the table: the same way of filling gives documents that run."""
    right = filled(
        {"q": [3, 4], "k": [5, 4], "v": [5, 6], "w_o": [6, 2], "past.k": [1, 4], "past.v": [1, 6]}, {"heads": 2}
    )
    assert steps_of(right)["output"].shape == (3, 2)


# --- meanings left open ---------------------------------------------------------------------------

SQUARE = {"q": [[1, 2], [3, 4]], "k": [[1, 2], [3, 4]]}
WIDE = {"q": [[1, 2], [3, 4]], "k": [[1, 2], [3, 4], [5, 6]]}
VALUES = {**SQUARE, "v": [[1], [2]]}
KEEP_OR_DROP = {
    "en": 'mask: does not say what 1 means; write {"keep": …} where 1 means visible, or {"drop": …} where 1 means hidden',
    "zh": 'mask: 没有说明 1 是什么意思；1 表示可见就写 {"keep": …}，1 表示被遮住就写 {"drop": …}',
}
BARE: list[Any] = [
    [[1, 0], [1, 1]], [[True, False], [True, True]], [[1.0, 0.0], [1.0, 1.0]], [1, 0], [[[1, 0], [1, 1]]],
    {"npy": "mask.npy"}, {"npz": "masks.npz", "key": "mask"}, {"safetensors": "masks.safetensors", "key": "mask"},
]  # fmt: skip


@each_language
@pytest.mark.parametrize("mask", BARE, ids=str)
def test_a_bare_mask_is_refused_with_the_two_words_to_choose_from(mask: Any, language: str) -> None:
    """Since one library's 1 is the other's 0; an array in a file is as bare as one written out."""
    assert refusal({**SQUARE, "mask": mask}, language) == [f"scenario: {KEEP_OR_DROP[language]}"]


BOTH_CORNERS = {
    "en": """mask: has {} queries and {} keys, so the triangle can start at either corner; say {{"causal": "top-left"}}:
{}
or {{"causal": "bottom-right"}}:
{}""",
    "zh": """mask: 有 {} 个查询、{} 个键，三角形可以从两个角中的任一个开始；请写 {{"causal": "top-left"}}：
{}
或 {{"causal": "bottom-right"}}：
{}""",
}
CORNERS: list[tuple[Any, Document, tuple[int, int, str, str]]] = [
    # mask, document, queries, keys, what is drawn at the top left and at the bottom right
    ("causal", WIDE, (2, 3, "■··\n■■·", "■■·\n■■■")),
    ({"causal": True}, WIDE, (2, 3, "■··\n■■·", "■■·\n■■■")),
    ({"causal": True, "window": 2}, WIDE, (2, 3, "■··\n■■·", "■■·\n■■■")),
    ("causal", {"q": WIDE["k"], "k": WIDE["q"]}, (3, 2, "■·\n■■\n■■", "··\n■·\n■■")),
    ("causal", {"x": WIDE["q"], "memory": WIDE["k"]}, (2, 3, "■··\n■■·", "■■·\n■■■")),
    ("causal", {"scores": [[1, 2, 3], [4, 5, 6]]}, (2, 3, "■··\n■■·", "■■·\n■■■")),
]


def drawn(picture: str) -> str:
    """A mask as the message draws it."""
    return "\n".join("    " + " ".join(line) for line in picture.split("\n"))


@each_language
@pytest.mark.parametrize(("mask", "document", "said"), CORNERS)
def test_a_causal_mask_without_a_corner_is_refused_with_both_masks_drawn(
    mask: Any, document: Document, said: tuple[int, int, str, str], language: str
) -> None:
    """Where queries and keys are not as many; each way out is then taken."""
    queries, keys, top_left, bottom_right = said
    sentence = BOTH_CORNERS[language].format(queries, keys, drawn(top_left), drawn(bottom_right))
    assert refusal({**document, "mask": mask}, language) == [f"scenario: {sentence}"]
    for corner, picture in (("top-left", top_left), ("bottom-right", bottom_right)):
        masked = steps_of({**document, "mask": {"causal": corner}})["masked"]
        seen = "\n".join("".join("·■"[int(np.isfinite(cell))] for cell in row) for row in masked)
        assert seen == picture


MISSING: list[tuple[Document, str, str]] = [
    # document, English, Chinese
    ({**SQUARE, "rope": {}}, 'rope: is without pairs: say "halves" (LLaMA, GPT-NeoX) or "neighbours" (the paper, GPT-J)',
     'rope: 缺少 pairs：请写 "halves"（LLaMA、GPT-NeoX）或 "neighbours"（原论文、GPT-J）'),
    ({**SQUARE, "rope": {"base": 100}},
     'rope: is without pairs: say "halves" (LLaMA, GPT-NeoX) or "neighbours" (the paper, GPT-J)',
     'rope: 缺少 pairs：请写 "halves"（LLaMA、GPT-NeoX）或 "neighbours"（原论文、GPT-J）'),
    ({"x": SQUARE["q"], "norm": {"kind": "rms"}},
     'norm: is without where: say "pre" (before the projections) or "post" (after the residual)',
     'norm: 缺少 where：请写 "pre"（在投影之前）或 "post"（在残差之后）'),
    ({"x": SQUARE["q"], "norm": {"where": "pre"}}, 'norm: is without kind: say "layer" or "rms"',
     'norm: 缺少 kind：请写 "layer" 或 "rms"'),
    ({**VALUES, "past": {"k": [[1, 2]]}}, "past: is without v: the values of the earlier tokens",
     "past: 缺少 v：之前各个 token 的值"),
    ({**VALUES, "past": {"v": [[1]]}}, "past: is without k: the keys of the earlier tokens",
     "past: 缺少 k：之前各个 token 的键"),
    ({**SQUARE, "past": {"k": [[1, 2]], "v": [[1]]}},
     "past: nothing would read this: there are no values to mix; remove it",
     "past: 写了也不会用到：没有可以加权求和的值；请删去"),
]  # fmt: skip


@each_language
@pytest.mark.parametrize(("document", "en", "zh"), MISSING)
def test_a_part_that_cannot_be_guessed_is_asked_for(document: Document, en: str, zh: str, language: str) -> None:
    """Libraries differ in what leaving it out would mean, so the ways are named."""
    assert refusal(document, language) == [f"scenario: {en if language == 'en' else zh}"]
