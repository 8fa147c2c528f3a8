"""What each mistake of the catalogue gives, in straight-line NumPy float64, from the words that describe it.

An independent rival: nothing here is shared with the program, and only the reading of a document is shared with
``straight_line``. The right calculation is ``forward`` with ``RIGHT``; a mistake is the right calculation of another
document, or one of its parts done in another way. Every array has four axes, (batch, head, row, column); one that
does not apply has length 1. A mistake that cannot be made in a document is no concern of this file: it may fail there
or give the right numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import straight_line as read

Document = dict[str, Any]
Array = NDArray[np.float64]
Steps = dict[str, Array]
Parts = dict[str, Callable[..., Any]]
"""The parts of `forward` that a mistake does in its own way."""

LETTERS = ("q", "k", "v")


def calculate(document: Document, mistake: str = "") -> Steps:
    """Every step by name, after a mistake; without one the right numbers."""
    with np.errstate(all="ignore"):
        if mistake in OTHER_DOCUMENT:
            return forward(Case(OTHER_DOCUMENT[mistake](document)), {})
        return forward(Case(document), OTHER_PARTS[mistake] if mistake else {})


def changed(document: Document, **keys: Any) -> Document:
    """The document with other values of some keys; one of None is left out."""
    return {name: value for name, value in {**document, **keys}.items() if value is not None}


def changed_inside(document: Document, key: str, **parts: Any) -> Document:
    """The same within an object of the document."""
    return changed(document, **{key: changed(document[key], **parts)})


# --- the right calculation --------------------------------------------------------------------


@dataclass
class Case:
    """The plain arrays of a document, and what it asks for."""

    document: Document
    steps: Steps = field(default_factory=dict)

    def option(self, name: str, default: Any = None) -> Any:
        """What the document says under a key."""
        return self.document.get(name, default)

    @cached_property
    def heads(self) -> read.Heads:
        """How many query heads, and key and value heads."""
        return read.count_heads(self.document)

    @cached_property
    def x(self) -> Array | None:
        """The block's input, (batch, 1, token, d_model)."""
        if "ids" in self.document:
            return read.embedded(self.document)[:, np.newaxis]
        return read.rows(self.document["x"])[:, np.newaxis] if "x" in self.document else None

    def matrix(self, name: str) -> Array | None:
        """A matrix as (in, out); None where there is none."""
        given = self.document.get(name, "identity")
        if isinstance(given, str):
            return None
        return read.array(given).T if self.option("layout") == "out_in" else read.array(given)

    def bias(self, name: str) -> Array | float:
        """A bias, or nothing to add."""
        return read.array(self.document[name]) if name in self.document else 0.0

    @property
    def letters(self) -> tuple[str, ...]:
        """Which of q, k and v are used: without scores only v."""
        scored = self.option("weighting", "softmax") in ("softmax", "linear") and "weights" not in self.document
        return LETTERS if scored else ("v",)

    def heads_of(self, letter: str) -> int:
        """Into how many heads q, k or v is split."""
        return self.heads.queries if letter == "q" else self.heads.keys

    @cached_property
    def width(self) -> float:
        """d_k: numbers in one row of one head's queries."""
        return float(self.steps["q"].shape[3]) if "q" in self.steps else float(self.option("d_k"))


def forward(case: Case, other: Parts) -> Steps:
    """The whole calculation, one part after another."""
    part = {**RIGHT, **other}
    steps = case.steps
    if case.x is not None:
        steps["x"] = case.x
        entering = part["normed"](case, case.x)
        made = part["projected"](case, entering)
        steps |= {name: part["split"](case, name, made[name]) for name in case.letters}
    else:
        given = [name for name in case.letters if name in case.document]
        steps |= {name: read.by_head(case.option(name), case.heads_of(name)) for name in given}
    part["taken_for"](case)
    if "past" in case.document and "v" in steps:
        steps["all_v"] = joined_with_past(case, "v", steps["v"])
    if "weights" in case.document:
        steps["weights"] = read.square(case.option("weights"))
    elif case.option("weighting", "softmax") in ("softmax", "linear"):
        weigh_scores(case, part)
    else:
        weigh_places(case, part)
    if "v" in steps:
        after_weights(case, part)
    return steps


def weigh_scores(case: Case, part: Parts) -> None:
    """Scores, all that is done to them, weights."""
    steps = case.steps
    if "scores" in case.document:
        steps["scores"] = read.square(case.option("scores"))
    else:
        q, k = prepared(case)
        if "past" in case.document:
            k = steps["all_k"] = joined_with_past(case, "k", k)
        steps["scores"] = part["scores"](q, part["repeated"](k, case.heads.queries))
    scores = steps["scores"]
    for name in ("scaled", "capped", "biased", "masked"):
        before = scores
        scores = part[name](case, scores)
        if scores is not before:
            steps[name] = scores
    if case.option("shift") and case.option("weighting", "softmax") == "softmax":
        top = steps["maximum"] = with_sink(case, scores).max(axis=3, keepdims=True)
        scores = steps["shifted"] = np.where(np.isneginf(scores), scores, scores - np.where(np.isneginf(top), 0, top))
    steps["weights"] = part["weights"](case, scores)


def weigh_places(case: Case, part: Parts) -> None:
    """Equal weights over the visible keys, or all weight on the token itself."""
    three = {name: values[:, 0] if name == "x" else values for name, values in case.steps.items()}
    shape = read.weight_shape(case.document, case.heads, three)
    seen = part["visible"](case, shape)
    if case.option("weighting") == "self":
        seen = seen & np.eye(shape[2], shape[3], dtype=bool)
    case.steps["weights"] = shares(case, seen.astype(float), seen)


def after_weights(case: Case, part: Parts) -> None:
    """From the weights and the values to the end."""
    steps = case.steps
    values = part["repeated"](steps.get("all_v", steps["v"]), case.heads.queries)
    steps["context"] = part["context"](case, steps["weights"], values)
    joined = part["joined"](case, steps["context"])
    if case.heads.queries > 1:
        steps["joined"] = joined
    out = joined
    if "w_o" in case.document or "b_o" in case.document:
        out = steps["output"] = part["output"](case, joined)
    if case.option("residual", False) is not False:
        given = case.option("residual")
        entering = case.x if given is True else read.array(given).reshape(out.shape)
        out = steps["residual"] = part["residual"](case, entering, out)
    norm = case.option("norm")
    if norm is not None and norm["where"] == "post":
        steps["post_gained" if "gain" in norm or "bias" in norm else "post_normed"] = part["norm"](norm, out)


def normed(case: Case, x: Array, norm: Callable[..., Array] | None = None) -> Array:
    """What the projections read: x, after a norm that comes first."""
    given = case.option("norm")
    if given is None or given["where"] != "pre":
        return x
    result = (norm or norm_rows)(given, x)
    case.steps["gained" if "gain" in given or "bias" in given else "normed"] = result
    return result


def norm_rows(norm: Document, values: Array, sample: bool = False) -> Array:
    """Each row over its root mean square, its mean taken off first in a layer norm; gain and bias."""
    if norm["kind"] == "layer":
        values = values - values.mean(axis=-1, keepdims=True)
    count = values.shape[-1] - 1 if sample else values.shape[-1]
    variance = (values**2).sum(axis=-1, keepdims=True) / count
    result: Array = values / np.sqrt(variance + float(norm.get("eps", read.DEFAULT_EPS)))
    result = result * (read.array(norm["gain"]) if "gain" in norm else 1.0)
    return result + (read.array(norm["bias"]) if "bias" in norm else 0.0)


def read_by(case: Case, letter: str, entering: Array) -> Array:
    """What a projection reads: keys and values the memory, where there is one."""
    if letter != "q" and "memory" in case.document:
        return read.rows(case.option("memory"))[:, np.newaxis]
    return entering


def projected(case: Case, entering: Array, matrices: str = "qkv", turned: str = "") -> Steps:
    """q, k and v, all heads side by side; `matrices` says whose matrix and bias each takes."""
    made = {}
    for letter, owner in zip(LETTERS, matrices, strict=True):
        matrix = case.matrix(f"w_{owner}")
        values = read_by(case, letter, entering)
        if matrix is not None:
            values = values @ (matrix.T if owner in turned else matrix)
        made[letter] = values + case.bias(f"b_{owner}")
    return made


def split(case: Case, letter: str, joined: Array) -> Array:
    """Head h has the h-th block of columns."""
    return np.concatenate(np.split(joined, case.heads_of(letter), axis=3), axis=1)


def prepared(case: Case) -> tuple[Array, Array]:
    """q and k, normed and rotated."""
    q, k = case.steps["q"], case.steps["k"]
    if norm := case.option("qk_norm"):
        eps = norm.get("eps", read.DEFAULT_EPS)
        q, k = read.rms_normed(q, eps, norm.get("q_gain")), read.rms_normed(k, eps, norm.get("k_gain"))
        case.steps |= {"normed_q": q, "normed_k": k}
    if rope := case.option("rope"):
        first = read.past_length(case.document, case.heads)
        q, k = read.rotated(q, rope, first), read.rotated(k, rope, first)
        case.steps |= {"rotated_q": q, "rotated_k": k}
    return q, k


def joined_with_past(case: Case, letter: str, values: Array) -> Array:
    """Keys or values behind those of the cache."""
    return np.concatenate([read.by_head(case.option("past")[letter], case.heads.keys), values], axis=2)


def repeated(values: Array, heads: int) -> Array:
    """A A B B: each key and value head for the query heads of its group."""
    return np.repeat(values, heads // values.shape[1], axis=1)


def products(q: Array, k: Array) -> Array:
    """Q · Kᵀ."""
    return q @ k.swapaxes(2, 3)


def factor_of(case: Case, name: Any) -> float:
    """What a scale multiplies by: a name divides."""
    if name in ("sqrt_d_model", "d_k", "sqrt_d_k", "none"):
        divisors = {"sqrt_d_model": lambda: model_width(case) ** 0.5, "none": lambda: 1.0}
        divisors |= {"d_k": lambda: case.width, "sqrt_d_k": lambda: case.width**0.5}
        return 1 / divisors[name]()
    return float(name)


def model_width(case: Case) -> float:
    """d_model: of x, or as the document says, else what all heads are wide together."""
    if case.x is not None:
        return float(case.x.shape[3])
    return float(case.option("d_model", 0)) or case.heads.queries * case.width


def scale_of(case: Case) -> Any:
    """The scale, its default where the document does not say."""
    return case.option("scale", "none" if "scores" in case.document else "sqrt_d_k")


def scaled(case: Case, scores: Array, factor: float | None = None) -> Array:
    """The scores times a factor, the document's unless another is named, over the temperature."""
    if factor is None and scale_of(case) == "none" and "temperature" not in case.document:
        return scores
    factor = factor_of(case, scale_of(case)) if factor is None else factor
    finite = np.where(np.isneginf(scores), 0.0, scores)
    return np.where(np.isneginf(scores), scores, finite * factor / float(case.option("temperature", 1)))


def capped(case: Case, scores: Array) -> Array:
    """c · tanh(s / c)."""
    if "softcap" not in case.document:
        return scores
    cap = float(case.option("softcap"))
    return np.where(np.isneginf(scores), scores, cap * np.tanh(scores / cap))


def biased(case: Case, scores: Array) -> Array:
    """Less slope · distance, plus the bias."""
    slopes = case.option("alibi", False)
    if slopes is False and "bias" not in case.document:
        return scores
    result = scores + 0.0
    if slopes is not False:
        each = read.published_slopes(case.heads.queries) if slopes is True else read.plain(slopes)
        apart = np.abs(places(case, scores.shape) - np.arange(scores.shape[3]))
        result = result - np.reshape(each, (1, -1, 1, 1)) * apart
    return result + (read.array(case.option("bias")) if "bias" in case.document else 0.0)


def places(case: Case, shape: tuple[int, ...]) -> Array:
    """Where each query stands among the keys, as a column."""
    found = read.query_places(case.document, case.heads, shape[2], shape[3])
    return np.array(list(found), dtype=float)[:, np.newaxis]


def visible(case: Case, shape: tuple[int, ...], **other: Any) -> Any:
    """What every part of the mask allows; `other` has the rule of a part that is read wrongly."""
    parts = read.mask_parts(case.document)
    seen = np.ones(shape, dtype=bool)
    keys = np.arange(shape[3])
    rule = other.get("causal", lambda place, key: key <= place)
    place = other.get("place", places)(case, shape) if {"causal", "window"} & set(parts) else None
    if parts.get("causal", False) is not False:
        seen = seen & rule(place, keys)
    if "window" in parts:
        seen = seen & (np.abs(place - keys) < float(parts["window"]))
    padding = np.ones(shape, dtype=bool)
    for label in parts.get("hide", []):
        padding[..., read.place_of(case.document, label)] = False
    if "key_lengths" in parts:
        lengths = np.array(parts["key_lengths"], dtype=float).reshape(-1, 1, 1, 1)
        padding = padding & (keys < lengths)
    if "keep" in parts:
        seen = seen & (read.array(parts["keep"]) == 1)
    if "drop" in parts:
        seen = seen & (read.array(parts["drop"]) == 0)
    return seen & (padding.swapaxes(2, 3) if other.get("padding_turned") else padding)


def masked(case: Case, scores: Array, hidden: float = -np.inf, seen: Any = visible) -> Array:
    """Hidden scores set to minus infinity."""
    if not read.has_mask(case.document):
        return scores
    return np.where(seen(case, scores.shape), scores, hidden)


def powers(case: Case, scores: Array, sign: float = 1.0) -> Array:
    """base^score, 0 where hidden."""
    base = float(case.option("base", np.e))
    return np.where(np.isneginf(scores), 0.0, base ** (sign * np.where(np.isneginf(scores), 0.0, scores)))


def sinks(case: Case, scores: Array) -> Array | None:
    """The extra score of each row, as a column of scores."""
    if "sink" not in case.document:
        return None
    each = read.array(np.atleast_1d(case.option("sink")).tolist()).reshape(1, -1, 1, 1)
    return np.broadcast_to(each, (*scores.shape[:3], 1)) - case.steps.get("maximum", 0.0)


def with_sink(case: Case, scores: Array) -> Array:
    """The scores with the sink's beside them, if there is one."""
    sink = sinks(case, scores)
    return scores if sink is None else np.concatenate([scores, sink], axis=3)


def weights(case: Case, scores: Array, axes: Any = 3, sign: float = 1.0) -> Array:
    """Exponentials over the sum of their row, or the visible scores over theirs."""
    if case.option("weighting") == "linear":
        return shares(case, np.where(np.isneginf(scores), 0.0, scores), ~np.isneginf(scores))
    values = np.concatenate(
        [powers(case, scores, sign), powers(case, with_sink(case, scores)[..., scores.shape[3] :])], 3
    )
    total = values.sum(axis=axes, keepdims=True)[..., : scores.shape[3]]
    result: Array = values[..., : scores.shape[3]] / total
    return result if axes == 2 else empty_set(case, scores, result)


def shares(case: Case, values: Array, seen: Any) -> Array:
    """Each row over its sum."""
    return empty_set(case, np.where(seen, 0.0, -np.inf), values / values.sum(axis=3, keepdims=True))


def empty_set(case: Case, scores: Array, values: Array, rule: str = "") -> Array:
    """Rows that see no key and have no sink as the document says."""
    if "sink" in case.document:
        return values
    empty = np.isneginf(scores).all(axis=3, keepdims=True)
    weight = {"zero": 0.0, "nan": np.nan, "uniform": 1 / scores.shape[3], "error": np.nan}
    return np.where(empty, weight[rule or case.option("empty_rows", "zero")], values)


def context(case: Case, given: Array, values: Array) -> Array:
    """A · V."""
    return given @ values


def joined(case: Case, given: Array) -> Array:
    """The heads side by side, head 0 first."""
    return np.concatenate(np.split(given, given.shape[1], axis=1), axis=3)


def output(case: Case, given: Array, turned: bool = False) -> Array:
    """joined · W_O + b_O."""
    matrix = case.matrix("w_o")
    if matrix is not None:
        given = given @ (matrix.T if turned else matrix)
    return given + case.bias("b_o")


RIGHT: Parts = {
    "normed": normed, "projected": projected, "split": split, "taken_for": lambda case: None, "repeated": repeated,
    "scores": products, "scaled": scaled, "capped": capped, "biased": biased, "masked": masked, "visible": visible,
    "weights": weights, "context": context, "joined": joined, "output": output,
    "residual": lambda case, entering, out: entering + out, "norm": norm_rows,
}  # fmt: skip


# --- mistakes that are the right calculation of another document --------------------------------


def without_window(document: Document) -> Document:
    """The mask without its window."""
    rest = changed(document["mask"], window=None)
    return changed(document, mask=rest or None)


def other_pairs(document: Document) -> Document:
    """Halves for neighbours, neighbours for halves."""
    pairs = {"halves": "neighbours", "neighbours": "halves"}[document["rope"]["pairs"]]
    return changed_inside(document, "rope", pairs=pairs)


OTHER_DOCUMENT: dict[str, Callable[[Document], Document]] = {
    "norm-forgotten": lambda document: changed(document, norm=None),
    "norm-without-eps": lambda document: changed_inside(document, "norm", eps=0),
    "norm-pre-as-post": lambda document: changed_inside(document, "norm", where="post"),
    "norm-post-as-pre": lambda document: changed_inside(document, "norm", where="pre"),
    "norm-rms-as-layer": lambda document: changed_inside(document, "norm", kind="layer"),
    "norm-layer-as-rms": lambda document: changed_inside(document, "norm", kind="rms"),
    "projection-bias-forgotten": lambda document: changed(document, b_q=None, b_k=None, b_v=None),
    "qk-norm-forgotten": lambda document: changed(document, qk_norm=None),
    "rope-forgotten": lambda document: changed(document, rope=None),
    "rope-other-pairs": other_pairs,
    "no-scale": lambda document: changed(document, scale="none"),
    "scale-by-d_k": lambda document: changed(document, scale="d_k"),
    "scale-by-sqrt-d_model": lambda document: changed(document, scale="sqrt_d_model"),
    "scale-unasked": lambda document: changed(document, scale="sqrt_d_k"),
    "temperature-forgotten": lambda document: changed(document, temperature=None),
    "softcap-forgotten": lambda document: changed(document, softcap=None),
    "bias-forgotten": lambda document: changed(document, bias=None),
    "alibi-forgotten": lambda document: changed(document, alibi=None),
    "mask-unasked": lambda document: changed(document, mask="causal"),
    "window-forgotten": without_window,
    "base-2": lambda document: changed(document, base=2),
    "base-3": lambda document: changed(document, base=3),
    "base-10": lambda document: changed(document, base=10),
    "base-e": lambda document: changed(document, base=None),
    "sink-forgotten": lambda document: changed(document, sink=None),
    "empty-rows-zero": lambda document: changed(document, empty_rows="zero"),
    "empty-rows-nan": lambda document: changed(document, empty_rows="nan"),
    "empty-rows-uniform": lambda document: changed(document, empty_rows="uniform"),
    "output-projection-skipped": lambda document: changed(document, w_o=None, b_o=None),
    "output-bias-forgotten": lambda document: changed(document, b_o=None),
    "residual-forgotten": lambda document: changed(document, residual=None),
}
"""By mistake, the document that somebody calculates who makes it."""


# --- mistakes in one part of the calculation ----------------------------------------------------


def sample_normed(case: Case, x: Array) -> Array:
    """The pre-norm with the variance over n − 1."""
    return normed(case, x, lambda norm, values: norm_rows(norm, values, sample=True))


def unprojected(letters: str) -> Callable[..., Steps]:
    """x itself for some of q, k and v."""

    def made(case: Case, entering: Array) -> Steps:
        right = projected(case, entering)
        return {name: read_by(case, name, entering) if name in letters else right[name] for name in right}

    return made


def turned(letters: str) -> Callable[..., Steps]:
    """Some of the matrices transposed."""
    return lambda case, entering: projected(case, entering, turned=letters)


def taken_for(matrices: str) -> Parts:
    """q, k and v made by each other's matrices, or, where they are given, exchanged."""

    def exchange(case: Case) -> None:
        if case.x is None:
            owners = {letter: owner for letter, owner in zip(LETTERS, matrices, strict=True) if letter in case.steps}
            case.steps |= {name: read.by_head(case.option(o), case.heads_of(o)) for name, o in owners.items()}

    return {"projected": lambda case, entering: projected(case, entering, matrices), "taken_for": exchange}


def fused(cut: Callable[[Array, int, int], Array]) -> Callable[..., Steps]:
    """The queries, keys and values side by side, cut in a wrong way."""

    def made(case: Case, entering: Array) -> Steps:
        right = projected(case, entering)
        wide = np.concatenate([right[letter] for letter in LETTERS], axis=3)
        return {letter: cut(wide, place, case.heads.queries) for place, letter in enumerate(LETTERS)}

    return made


def by_head(wide: Array, place: int, heads: int) -> Array:
    """qkv.view(B, T, H, 3, d)[..., place, :]."""
    batch, one, tokens, columns = wide.shape
    cut = wide.reshape(batch, one, tokens, heads, 3, columns // heads // 3)[..., place, :]
    return cut.reshape(batch, one, tokens, columns // 3)


def heads_by_reshape(case: Case, letter: str, values: Array) -> Array:
    """(B, T, H·d).reshape(B, H, T, d)."""
    heads = case.heads_of(letter)
    return values.reshape(len(values), heads, values.shape[2], values.shape[3] // heads)


def heads_strided(case: Case, letter: str, values: Array) -> Array:
    """Every H-th column from h on."""
    heads = case.heads_of(letter)
    return np.concatenate([values[..., head::heads] for head in range(heads)], axis=1)


def resplit(cut: Callable[..., Array]) -> Parts:
    """q, k and v in other heads, whether they were made or given."""

    def again(case: Case) -> None:
        if case.x is None:
            joined_again = {letter: joined(case, case.steps[letter]) for letter in LETTERS if letter in case.steps}
            case.steps |= {letter: cut(case, letter, values) for letter, values in joined_again.items()}

    return {"split": cut, "taken_for": again}


def divided(divisor: Callable[[Case], float]) -> Callable[..., Array]:
    """The scores over another divisor."""
    return lambda case, scores: scaled(case, scores, 1 / divisor(case))


def tokens(case: Case) -> float:
    """The number of tokens: where queries are others, that of the keys."""
    return float(case.steps["scores"].shape[3])


def with_rule(rule: Callable[..., Any]) -> Parts:
    """Another triangle of the causal mask."""

    return hiding(lambda case, shape: visible(case, shape, causal=rule))


def hiding(seen: Callable[..., Any]) -> Parts:
    """Another mask."""
    return {"masked": lambda case, scores: masked(case, scores, seen=seen), "visible": seen}


def from_other_corner(case: Case, shape: tuple[int, ...]) -> Any:
    """The triangle, and the window beside it, from the other corner; the distances of ALiBi stay."""
    rows = np.arange(shape[2], dtype=float)[:, np.newaxis]
    bottom_right = rows + shape[3] - shape[2]
    other = rows if bool((places(case, shape) == bottom_right).all()) else bottom_right
    return visible(case, shape, place=lambda case, shape: other)


def inverted(case: Case, shape: tuple[int, ...]) -> Any:
    """Visible where hidden."""
    return ~visible(case, shape)


def padding_turned(case: Case, shape: tuple[int, ...]) -> Any:
    """The padding hides rows."""
    return visible(case, shape, padding_turned=True)


def cut_after(case: Case, scores: Array) -> Array:
    """Weights of all keys, those of the hidden set to 0."""
    return np.where(visible(case, scores.shape), weights(case, scores), 0.0)


def no_exponential(case: Case, scores: Array) -> Array:
    """Visible scores over their sum, the sink's counted."""
    seen = np.where(np.isneginf(scores), 0.0, scores)
    return empty_set(case, scores, seen / with_sink(case, seen).sum(axis=3, keepdims=True))


def maximum_above_only(case: Case, scores: Array) -> Array:
    """base^(s − m) over the sum of base^s."""
    top = with_sink(case, scores).max(axis=3, keepdims=True)
    total = powers(case, with_sink(case, scores)).sum(axis=3, keepdims=True)
    above = powers(case, np.where(np.isneginf(scores), -np.inf, scores - np.where(np.isneginf(top), 0, top)))
    return empty_set(case, scores, above / total)


def argmax(case: Case, scores: Array) -> Array:
    """1 for the largest of the row; several share it."""
    largest = (scores == scores.max(axis=3, keepdims=True)).astype(float)
    largest[np.isneginf(scores)] = 0.0
    return largest / np.maximum(1.0, largest.sum(axis=3, keepdims=True))


def sigmoid(case: Case, scores: Array) -> Array:
    """e^s / (1 + e^s), 0 where hidden, whatever the base."""
    exponentials = np.exp(scores)
    return exponentials / (1 + exponentials)


def softmax_twice(case: Case, scores: Array) -> Array:
    """A softmax of the weights, hidden ones as well."""
    again = powers(case, weights(case, scores))
    return again / again.sum(axis=3, keepdims=True)


def skipped(case: Case, scores: Array) -> Array:
    """The scores, 0 where hidden."""
    return np.where(np.isneginf(scores), 0.0, scores)


def times_own(letter: str) -> Callable[..., Array]:
    """The weights times the keys or the queries."""

    def mixed(case: Case, given: Array, values: Array) -> Array:
        return given @ repeated(last(case, letter), case.heads.queries)

    return mixed


def last(case: Case, letter: str) -> Array:
    """Queries or keys as they went into the scores."""
    names = (f"all_{letter}", f"rotated_{letter}", f"normed_{letter}", letter)
    return next(case.steps[name] for name in names if name in case.steps)


def averaged(case: Case, given: Array) -> Array:
    """The mean of the heads, in the place of each."""
    return joined(case, np.broadcast_to(given.mean(axis=1, keepdims=True), given.shape))


def summed(case: Case, given: Array) -> Array:
    """The sum of the heads, in the place of each."""
    return joined(case, np.broadcast_to(given.sum(axis=1, keepdims=True), given.shape))


def merged_by_reshape(case: Case, given: Array) -> Array:
    """(B, H, T, d).reshape(B, T, H·d)."""
    return given.reshape(len(given), 1, given.shape[2], -1)


def residual_of(letter: str) -> Callable[..., Array]:
    """q or v, heads side by side, in the place of what entered."""
    return lambda case, entering, out: joined(case, repeated(last(case, letter), case.heads.queries)) + out


def residual_of_normed(case: Case, entering: Array, out: Array) -> Array:
    """What came out of the norm in the place of what went in."""
    return case.steps.get("gained", case.steps.get("normed", entering)) + out


def tiled(values: Array, heads: int) -> Array:
    """A B A B."""
    return np.tile(values, (1, heads // values.shape[1], 1, 1))


OTHER_PARTS: dict[str, Parts] = {
    "norm-sample-variance": {
        "normed": sample_normed,
        "norm": lambda norm, values: norm_rows(norm, values, sample=True),
    },
    "projections-skipped": {"projected": unprojected("qkv")},
    "transposed-projections": {"projected": turned("qkv")},
    "transposed-w_q": {"projected": turned("q")},
    "transposed-w_k": {"projected": turned("k")},
    "transposed-w_v": {"projected": turned("v")},
    "value-not-projected": {"projected": unprojected("v")},
    "swapped-q-k": taken_for("kqv"),
    "swapped-q-v": taken_for("vkq"),
    "swapped-k-v": taken_for("qvk"),
    "fused-split-by-head": {"projected": fused(by_head)},
    "fused-split-every-third": {"projected": fused(lambda wide, place, heads: wide[..., place::3])},
    "heads-by-reshape": resplit(heads_by_reshape),
    "heads-strided": resplit(heads_strided),
    "grouped-heads-tiled": {"repeated": tiled},
    "scores-transposed": {"scores": lambda q, k: k @ q.swapaxes(2, 3)},
    "no-transpose": {"scores": lambda q, k: q @ k},
    "elementwise-product": {"scores": lambda q, k: q * k},
    "scale-by-sqrt-n": {"scaled": divided(lambda case: tokens(case) ** 0.5)},
    "multiply-by-sqrt-d_k": {"scaled": divided(lambda case: case.width**-0.5)},
    "scale-after-softmax": {
        "scaled": divided(lambda case: 1.0),
        "weights": lambda case, scores: weights(case, scores) / case.width**0.5,
    },
    "mask-with-zero": {"masked": lambda case, scores: masked(case, scores, 0.0)},
    "mask-forgotten": hiding(lambda case, shape: np.ones(shape, dtype=bool)),
    "mask-inverted": hiding(inverted),
    "wrong-triangle": with_rule(lambda place, key: key >= place),
    "diagonal-hidden": with_rule(lambda place, key: key < place),
    "one-future-visible": with_rule(lambda place, key: key <= place + 1),
    "padding-on-queries": hiding(padding_turned),
    "other-corner": hiding(from_other_corner),
    "mask-after-softmax": {"masked": lambda case, scores: scores, "weights": cut_after},
    "softmax-over-queries": {"weights": lambda case, scores: weights(case, scores, axes=2)},
    "softmax-over-all": {"weights": lambda case, scores: weights(case, scores, axes=(2, 3))},
    "no-exponential": {"weights": no_exponential},
    "not-divided": {"weights": lambda case, scores: powers(case, scores)},
    "negative-exponent": {"weights": lambda case, scores: weights(case, scores, sign=-1.0)},
    "maximum-in-numerator-only": {"weights": maximum_above_only},
    "argmax": {"weights": argmax},
    "sigmoid": {"weights": sigmoid},
    "softmax-twice": {"weights": softmax_twice},
    "softmax-skipped": {"weights": skipped},
    "weights-transposed": {"context": lambda case, given, values: given.swapaxes(2, 3) @ values},
    "weights-times-k": {"context": times_own("k")},
    "weights-times-q": {"context": times_own("q")},
    "weights-instead-of-context": {"context": lambda case, given, values: given},
    "merge-by-reshape": {"joined": merged_by_reshape},
    "heads-averaged": {"joined": averaged},
    "heads-summed": {"joined": summed},
    "heads-reversed": {"joined": lambda case, given: joined(case, given[:, ::-1])},
    "output-projection-transposed": {"output": lambda case, given: output(case, given, turned=True)},
    "residual-doubled": {"residual": lambda case, entering, out: entering + entering + out},
    "residual-subtracted": {"residual": lambda case, entering, out: entering - out},
    "residual-of-q": {"residual": residual_of("q")},
    "residual-of-v": {"residual": residual_of("v")},
    "residual-of-normed": {"residual": residual_of_normed},
}
"""By mistake, the parts that somebody does otherwise who makes it."""
