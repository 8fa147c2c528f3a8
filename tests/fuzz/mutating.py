"""Changes to an input: of its bytes, of a JSON document as a tree, of a text with pathological words in it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, NamedTuple

from attncalc.scenario_files.keys import KEYS

NUMBERS = (
    "0", "-0", "-0.0", "1", "-1", "2", "3", "7", "64", "1e400", "-1e400", "1e308", "1.8e308", "5e-324", "1e-400",
    "1e999999999999999999", "-1e-999999999999999999", "1E+2", "0.70", "0.1", "1e5", "1.50", "1e-5", "2147483648",
    "9223372036854775808", "18446744073709551616", "1" * 300, "0." + "3" * 1300, "1" * 1300, "4300" * 1200,
    "1e50", "1e-50", "0.5", "10", "50", "51", "1e15", "700", "-700", "1e4",
)  # fmt: skip
"""Numbers as JSON writes them."""

WORDS = (
    "", " ", "1e400", "-1e400", "١٢", "－１", "½", "²", "0x10", "1_000", "1,5", "1.5.2", "−0", "+0", "--1", "+-1", "1e",
    "e", "e^", ".", "..", "-", "_", "inf", "-inf", "-Infinity", "Infinity", "NaN", "nan", "∞", "-∞", "null", "true",
    "false", "[]", "{}", "[1]", "[[1]]", '"', "'", "\\", "\0", "\x1b[31m", "\x7f", "\x85", "\u202e", "\u200b", "\ufeff",
    "\ud800", "\udc80", "\u2028", "\r\n", "\t", "é", "e\u0301", "注意", "🤗", "𝟙", "Ⅷ", "%", "%s", "{0}", "{x}", "$(x)",
    "=", "==", "=1", "a=b", "[", "]", "[[", "]]", "[0", "0]", '["', '"]', "#", "#2", "the#2", "the#0", "#-1", "scores",
    "weights", "scores.0", "scores[0]", "v.to.2", "0", "-1", "1", "2", "3", "99", "9" * 20, "1" * 5000, "a" * 300,
    "(" * 60, ")" * 60, "√" * 60, "9^9^9^9", "e^9999", "e^10000", "1/0", "0/0", "√-1", "√(-1)", "2^0.5", "(-8)^(1/3)",
    "-2^2", "1/√2", "62 %", "%%", "百分之十", "百分之", "约 0.6", "≈", "1/3/3", "2√3", "1e5e5", "0.5^-1000", "1·2",
    "causal", "none", "sqrt_d_k", "uniform", "self", "linear", "softmax", "en", "zh", "off", "all", "0-1", "1-0",
    "İ", "ß", "ŉ", "ﬁ", "K", "²³", "１．５", "e^１", "|1|2|", "1 & 2 \\\\",
)  # fmt: skip
"""Texts as strangers type them: numbers that are none, signs, brackets, halves of characters."""

PART = re.compile(r"[^\s\[\].=,;]+")
"""A word of a text: a number, a label, a key."""

PIECES = (*'[]{}",:.=-+eE0123456789 \n\t\\/#()^√%;|&_', "\\u0000", "\\ud800", "NaN", "-Infinity", "null")

Mutate = Callable[[bytes, Random], bytes]


# --- bytes and texts ------------------------------------------------------------------------------


def bytes_changed(data: bytes, random: Random) -> bytes:
    """The bytes with one to four of them, or a stretch, changed, doubled, left out or moved."""
    for _ in range(random.choice((1, 1, 2, 4))):
        data = random.choice(BYTE_CHANGES)(data, random)
    return data


def _flipped(data: bytes, random: Random) -> bytes:
    if not data:
        return bytes([random.randrange(256)])
    place = random.randrange(len(data))
    return data[:place] + bytes([data[place] ^ (1 << random.randrange(8))]) + data[place + 1 :]


def _inserted(data: bytes, random: Random) -> bytes:
    place = random.randint(0, len(data))
    new = random.choice((random.randbytes(1), random.choice(PIECES).encode(), _encoded(random.choice(WORDS))))
    return data[:place] + new + data[place:]


def _cut(data: bytes, random: Random) -> bytes:
    start = random.randint(0, len(data))
    return data[:start] + data[start + random.randint(1, 8) :]


def _doubled(data: bytes, random: Random) -> bytes:
    start = random.randint(0, len(data))
    stretch = data[start : start + random.randint(1, 30)]
    return data[:start] + stretch * random.randint(2, 4) + data[start:]


def _ended(data: bytes, random: Random) -> bytes:
    return data[: random.randint(0, len(data))]


def _overwritten(data: bytes, random: Random) -> bytes:
    start, size = random.randint(0, len(data)), random.choice((1, 2, 4, 8))
    number = random.choice((0, 1, -1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, len(data), random.getrandbits(8 * size)))
    return data[:start] + (number % 2 ** (8 * size)).to_bytes(size, "little") + data[start + size :]


BYTE_CHANGES = (_flipped, _inserted, _inserted, _cut, _doubled, _ended, _overwritten)


def text_changed(data: bytes, random: Random) -> bytes:
    """A text with one change, at times up to three: a word put in, a part replaced, cut; or another word altogether."""
    text = data.decode("utf-8", "surrogatepass") if _decodes(data) else data.decode("latin-1")
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        start, end = _stretch(text, random)
        new = random.choice((random.choice(PIECES), random.choice(WORDS), random.choice(NUMBERS)[:40], ""))
        text = new if random.random() < 0.03 else text[:start] + new + text[end:]
    return _encoded(text)


def _stretch(text: str, random: Random) -> tuple[int, int]:
    """Where a change goes: a whole word of the text, or a few characters anywhere."""
    words = list(PART.finditer(text))
    if words and random.random() < 0.6:
        return random.choice(words).span()
    start = random.randint(0, len(text))
    return start, min(len(text), start + random.choice((0, 0, 0, 1, 1, 2, 4)))


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def text_of(data: bytes) -> str:
    """The text that bytes stand for, halves of characters as they are, whatever the bytes."""
    return data.decode("utf-8", "surrogatepass") if _decodes(data) else data.decode("utf-8", "surrogateescape")


# --- JSON -----------------------------------------------------------------------------------------


class Raw(NamedTuple):
    """A number, or anything else, that is written as it is."""

    text: str


class Pairs(NamedTuple):
    """A JSON object, whose keys may repeat."""

    items: list[tuple[str, Any]]


def read(data: bytes) -> Any:
    """The tree of a JSON text, changeable."""
    return json.loads(data, parse_float=Raw, parse_int=Raw, parse_constant=Raw, object_pairs_hook=Pairs)


def json_of(tree: Any) -> str:
    """The text of a tree."""
    if isinstance(tree, Raw):
        return tree.text
    if isinstance(tree, Pairs):
        return "{" + ", ".join(f"{json.dumps(key)}: {json_of(value)}" for key, value in tree.items) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(json_of, tree)) + "]"
    return json.dumps(tree)


def json_changed(data: bytes, random: Random) -> bytes:
    """A JSON text with one to four changes in its tree; now and then in its bytes instead."""
    if random.random() < 0.08:
        return bytes_changed(data, random)
    try:
        tree = read(data)
    except (ValueError, RecursionError):
        return bytes_changed(data, random)
    for _ in range(random.choice((1, 1, 1, 1, 2, 3))):
        tree = _tree_changed(tree, random)
    text = json_of(tree)
    if random.random() < 0.01:
        return text.encode(random.choice(("utf-16", "utf-8-sig", "utf-16-le", "utf-32")), "replace")
    return _encoded(text)


def _tree_changed(tree: Any, random: Random) -> Any:
    """The tree with a change at a node that is found on a random way down."""
    if isinstance(tree, list) and tree and random.random() < 0.75:
        place = random.randrange(len(tree))
        return [*tree[:place], _tree_changed(tree[place], random), *tree[place + 1 :]]
    if isinstance(tree, Pairs) and tree.items and random.random() < 0.75:
        place = random.randrange(len(tree.items))
        key, value = tree.items[place]
        return Pairs([*tree.items[:place], (key, _tree_changed(value, random)), *tree.items[place + 1 :]])
    return _node_changed(tree, random)


def _node_changed(node: Any, random: Random) -> Any:
    if random.random() < 0.15:
        return any_value(random)
    if isinstance(node, list):
        return _list_changed(node, random)
    if isinstance(node, Pairs):
        return Pairs(_items_changed(node.items, random))
    if isinstance(node, Raw):
        return Raw(random.choice(NUMBERS)) if random.random() < 0.8 else Raw(random.choice(WORDS[:30]) or "0")
    if isinstance(node, str) and random.random() < 0.5:
        return text_of(text_changed(_encoded(node), random))
    return any_value(random)


def _list_changed(cells: list[Any], random: Random) -> Any:
    place = random.randint(0, len(cells))
    part = cells[place : place + 1]
    return random.choice((
        [*cells[:place], *cells[place + 1 :]], [*cells[:place], *part, *cells[place:]], [cells], part and part[0],
        [*cells[:place], any_value(random), *cells[place:]], cells[:place], [[cell] for cell in cells], cells * 2, [],
        cells[::-1], list(map(list, zip(*cells, strict=False))) if all(isinstance(c, list) for c in cells) else cells,
        cells[:1], {"": 0} and cells[-1:],
    ))  # fmt: skip


def _items_changed(items: list[tuple[str, Any]], random: Random) -> list[tuple[str, Any]]:
    """The items with one left out, twice, under another key, or added."""
    place = random.randint(0, len(items))
    before, part, after = items[:place], items[place : place + 1], items[place + 1 :]
    name = random.choice((random.choice(tuple(KEYS)), random.choice(WORDS)))
    return random.choice((
        [*before, *after], [*before, *part, *part, *after], [*before, *((name, v) for _, v in part), *after],
        [*items, (random.choice(tuple(KEYS)), random.choice(items)[1] if items else [])],
        [*items, (random.choice(tuple(KEYS)), any_value(random))], [*before, *((k[:-1], v) for k, v in part), *after],
    ))  # fmt: skip


def any_value(random: Random, depth: int = 0) -> Any:
    """A JSON value of any kind, most of them small."""
    kind = random.random()
    if kind < 0.3:
        return Raw(random.choice(NUMBERS))
    if kind < 0.5:
        return random.choice(WORDS)
    if kind < 0.65:
        return random.choice((None, True, False, [], Pairs([]), Raw("NaN"), Raw("-Infinity"), "-Infinity", "causal"))
    if kind < 0.85 and depth < 3:
        part = any_value(random, depth + 1)
        return random.choice(([part] * random.randint(0, 4), [any_value(random, depth + 1), part]))
    if depth < 2:
        return Pairs([(_key(random), any_value(random, depth + 1)) for _ in range(random.randint(0, 3))])
    return nested(random.choice((3, 5, 63, 64, 65, 5000)))


INNER = (
    "causal", "window", "hide", "key_lengths", "keep", "drop", "k", "v", "eps", "q_gain", "where", "kind", "gain",
    "bias", "base", "pairs", "npy", "npz", "key", "index", "columns", "en", "zh", "default", "weights", "exponentials",
    "title", "url", "terms", "weights_sum", "scores", "format", "scenario",
)  # fmt: skip


def _key(random: Random) -> str:
    return random.choice((random.choice(INNER), random.choice(tuple(KEYS)), random.choice(WORDS)))


def nested(levels: int) -> Raw:
    """A number inside so many brackets."""
    return Raw("[" * levels + "1" + "]" * levels)


def crossed(data: bytes, others: Sequence[bytes], random: Random) -> bytes:
    """A JSON object with one key as another object has it."""
    try:
        tree, other = read(data), read(random.choice(others))
    except (ValueError, RecursionError):
        return data
    if not (isinstance(tree, Pairs) and isinstance(other, Pairs) and other.items):
        return data
    key, value = random.choice(other.items)
    return _encoded(json_of(Pairs([*((k, v) for k, v in tree.items if k != key), (key, value)])))
