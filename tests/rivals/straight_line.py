"""Attention of every kind, in straight-line NumPy float64, from the contract alone.

An independent rival: it shares no code and no reading with the program. Inside, whatever belongs
to a head is a four-dimensional array (batch, head, rows, columns) and whatever does not is a
three-dimensional one (batch, rows, columns); the axes that the scenario does not have fall away
at the very end. Nothing here is fast, and nothing checks the document: it must be valid.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor, inf, log2, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

Document = dict[str, Any]
Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Steps = dict[str, Array]

DEFAULT_EPS = 1e-5
# Steps that have no head axis; every other step has one where the scenario does.
BEFORE_HEADS = ("x", "mean", "variance", "normed", "gained")
AFTER_HEADS = ("joined", "output", "residual", "post_mean", "post_variance", "post_normed", "post_gained")
WITHOUT_HEADS = BEFORE_HEADS + AFTER_HEADS


@dataclass(frozen=True)
class Heads:
    """How many heads there are, and which axes the scenario has."""

    queries: int
    keys: int
    has_batch: bool
    has_head: bool

    def read_by(self, head: int) -> int:
        """The key and value head that a query head reads."""
        return head // (self.queries // self.keys)


def calculate(document: Document) -> Steps:
    """Every step of the contract by name, each with exactly the axes that the scenario has."""
    heads = count_heads(document)
    steps: Steps = {}
    if "x" in document or "ids" in document:
        start_from_x(document, steps)
    read_vectors(document, heads, steps)
    if "weights" in document:
        steps["weights"] = square(document["weights"])
    elif document.get("weighting", "softmax") in ("softmax", "linear"):
        weigh_by_scores(document, heads, steps)
    else:
        weigh_without_scores(document, heads, steps)
    if "v" in steps:
        sum_values(document, heads, steps)
    return {name: without_absent_axes(name, values, heads) for name, values in steps.items()}


def without_absent_axes(name: str, values: Array, heads: Heads) -> Array:
    """The step with the batch and the head axis left out where there is none."""
    if name not in WITHOUT_HEADS and not heads.has_head:
        values = values[:, 0]
    return values if heads.has_batch else values[0]


# --- reading ----------------------------------------------------------------------------------


def number(value: Any) -> float:
    """A JSON number, or the string of minus infinity, as a float."""
    return float(value)


def array(value: Any) -> Array:
    """A nested list of JSON numbers as a float64 array."""
    return np.array(plain(value), dtype=np.float64)


def plain(value: Any) -> Any:
    """A nested list with every number made a float."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return number(value)


def dimensions(value: Any) -> int:
    """How deeply a list is nested."""
    return 1 + dimensions(value[0]) if isinstance(value, (list, tuple)) else 0


def count_heads(document: Document) -> Heads:
    """The heads as a shape or a key of the document says, and the axes of its starting point."""
    start = next(name for name in ("scores", "weights", "q", "x", "ids", "v") if name in document)
    depth = dimensions(document[start])
    queries = heads_by_shape(document, start) if start != "v" else 0
    keys = heads_by_shape(document, "k") or heads_by_shape(document, "v") or int(document.get("kv_heads", 0))
    queries = queries or int(document.get("heads", 0)) or (keys if start == "v" else 1) or 1
    if start in ("x", "ids"):
        return Heads(queries, keys or queries, depth == (3 if start == "x" else 2), queries > 1)
    return Heads(queries, keys or queries, depth == 4, queries > 1 or depth > 2)


def heads_by_shape(document: Document, name: str) -> int:
    """The heads that the shape of an array says; 0 where it says none."""
    if name in ("x", "ids") or name not in document:
        return 0
    shape = array(document[name]).shape
    return int(shape[-3]) if len(shape) > 2 else 0


def square(value: Any) -> Array:
    """Scores or weights as (batch, head, query, key); one dimension is one query."""
    values = array(value)
    return values.reshape((1,) * (4 - values.ndim) + values.shape)


def by_head(value: Any, heads: int) -> Array:
    """Vectors as (batch, head, token, feature); two dimensions hold the heads side by side."""
    values = array(value)
    if values.ndim == 2:
        return split(values[np.newaxis], heads)
    return values if values.ndim == 4 else values[np.newaxis]


def split(values: Array, heads: int) -> Array:
    """(batch, token, heads · d) as (batch, head, token, d): head h has the h-th block of columns."""
    width = values.shape[2] // heads
    blocks = [values[:, :, head * width : (head + 1) * width] for head in range(heads)]
    return np.stack(blocks, axis=1)


# --- from x to q, k and v ---------------------------------------------------------------------


def start_from_x(document: Document, steps: Steps) -> None:
    """x as (batch, token, feature), from the embedding where ids are given, and its norm."""
    if "ids" in document:
        steps["x"] = embedded(document)
    else:
        steps["x"] = rows(document["x"])
    norm = document.get("norm")
    if norm is not None and norm["where"] == "pre":
        apply_norm(norm, steps["x"], "", steps)


def rows(value: Any) -> Array:
    """Vectors without heads as (batch, token, feature)."""
    values = array(value)
    return values if values.ndim == 3 else values[np.newaxis]


def embedded(document: Document) -> Array:
    """The row of the embedding for each id, plus that of its position."""
    table = array(document["embedding"])
    ids = document["ids"] if dimensions(document["ids"]) == 2 else [document["ids"]]
    values = np.stack([np.stack([table[int(token)] for token in line]) for line in ids])
    if "positions" in document:
        values = values + array(document["positions"])
    return values


def apply_norm(norm: Document, values: Array, prefix: str, steps: Steps) -> Array:
    """Layer or RMS norm over the features, each of its steps written down; the last is returned."""
    eps = number(norm.get("eps", DEFAULT_EPS))
    centred: Array = values
    if norm["kind"] == "layer":
        mean = values.mean(axis=-1)
        steps[prefix + "mean"] = mean
        centred = values - mean[..., np.newaxis]
    variance = (centred * centred).mean(axis=-1)
    steps[prefix + "variance"] = variance
    result: Array = centred / np.sqrt(variance + eps)[..., np.newaxis]
    steps[prefix + "normed"] = result
    if "gain" in norm or "bias" in norm:
        if "gain" in norm:
            result = result * array(norm["gain"])
        if "bias" in norm:
            result = result + array(norm["bias"])
        steps[prefix + "gained"] = result
    return result


def read_vectors(document: Document, heads: Heads, steps: Steps) -> None:
    """q, k and v: given, or made from x; q and k only where scores are made of them."""
    scored = document.get("weighting", "softmax") in ("softmax", "linear")
    if "x" in steps:
        for name in ("q", "k", "v") if scored else ("v",):
            steps[name] = projected(document, name, heads, steps)
        return
    if scored and "q" in document:
        steps["q"] = by_head(document["q"], heads.queries)
        steps["k"] = by_head(document["k"], heads.keys)
    if "v" in document:
        steps["v"] = by_head(document["v"], heads.keys)


def projected(document: Document, name: str, heads: Heads, steps: Steps) -> Array:
    """One of q, k, v by its matrix: from x (normed, where a norm comes first), or from the memory."""
    values = next(steps[step] for step in ("gained", "normed", "x") if step in steps)
    if name != "q" and "memory" in document:
        values = rows(document["memory"])
    values = multiplied(document, values, "w_" + name, "b_" + name)
    return split(values, heads.queries if name == "q" else heads.keys)


def multiplied(document: Document, values: Array, matrix_name: str, bias_name: str) -> Array:
    """values · W + b, each where it is given; "identity" is no matrix."""
    given = document.get(matrix_name, "identity")
    if given != "identity":
        matrix = array(given)
        if document.get("layout") == "out_in":
            matrix = matrix.T
        values = values @ matrix
    if bias_name in document:
        values = values + array(document[bias_name])
    return values


# --- norm, rotation and cache of q and k ------------------------------------------------------


def prepare_vectors(document: Document, heads: Heads, steps: Steps) -> None:
    """qk_norm, then rope, then past: each step written down, q and k used in their last form."""
    if "qk_norm" in document:
        norm = document["qk_norm"]
        steps["normed_q"] = rms_normed(steps["q"], norm.get("eps", DEFAULT_EPS), norm.get("q_gain"))
        steps["normed_k"] = rms_normed(steps["k"], norm.get("eps", DEFAULT_EPS), norm.get("k_gain"))
    if "rope" in document:
        first = past_length(document, heads)
        steps["rotated_q"] = rotated(latest(steps, "normed_q", "q"), document["rope"], first)
        steps["rotated_k"] = rotated(latest(steps, "normed_k", "k"), document["rope"], first)
    if "past" in document:
        past = by_head(document["past"]["k"], heads.keys)
        steps["all_k"] = np.concatenate([past, latest(steps, "rotated_k", "normed_k", "k")], axis=2)


def join_past_values(document: Document, heads: Heads, steps: Steps) -> None:
    """The values of the cache before those of now."""
    if "past" in document and "v" in steps:
        past = by_head(document["past"]["v"], heads.keys)
        steps["all_v"] = np.concatenate([past, steps["v"]], axis=2)


def latest(steps: Steps, *names: str) -> Array:
    """The first of these steps that there is."""
    return next(steps[name] for name in names if name in steps)


def past_length(document: Document, heads: Heads) -> int:
    """How many keys the cache holds."""
    if "past" not in document:
        return 0
    return int(by_head(document["past"]["k"], heads.keys).shape[2])


def rms_normed(values: Array, eps: Any, gain: Any) -> Array:
    """Each vector over the root of its mean square, times the gain."""
    mean_square = (values * values).mean(axis=-1)
    result: Array = values / np.sqrt(mean_square + number(eps))[..., np.newaxis]
    return result if gain is None else result * array(gain)


def rotated(values: Array, rope: Document, first: int) -> Array:
    """Each pair of features turned by position · base^(−2i/d)."""
    width = values.shape[3]
    base = number(rope.get("base", 10000))
    result = values.copy()
    for token in range(values.shape[2]):
        for pair in range(width // 2):
            one, other = (pair, pair + width // 2) if rope["pairs"] == "halves" else (2 * pair, 2 * pair + 1)
            angle = (first + token) * base ** (-2 * pair / width)
            cosine, sine = np.cos(angle), np.sin(angle)
            left, right = values[:, :, token, one], values[:, :, token, other]
            result[:, :, token, one] = left * cosine - right * sine
            result[:, :, token, other] = right * cosine + left * sine
    return result


# --- scores -----------------------------------------------------------------------------------


def weigh_by_scores(document: Document, heads: Heads, steps: Steps) -> None:
    """Scores, what is done to them, and the weights that they become."""
    if "scores" in document:
        steps["scores"] = square(document["scores"])
    else:
        prepare_vectors(document, heads, steps)
        steps["scores"] = dot_products(heads, steps)
    join_past_values(document, heads, steps)
    scores = scaled(document, steps)
    if "softcap" in document:
        cap = number(document["softcap"])
        scores = np.where(scores == -inf, -inf, cap * np.tanh(scores / cap))
        steps["capped"] = scores
    if document.get("alibi", False) is not False or "bias" in document:
        scores = biased(document, heads, scores)
        steps["biased"] = scores
    if has_mask(document):
        scores = np.where(visible(document, heads, scores.shape), scores, -inf)
        steps["masked"] = scores
    if document.get("weighting", "softmax") == "softmax":
        softmax(document, scores, steps)
    else:
        linear(document, scores, steps)


def dot_products(heads: Heads, steps: Steps) -> Array:
    """q kᵀ for each batch entry and head."""
    q = latest(steps, "rotated_q", "normed_q", "q")
    k = latest(steps, "all_k", "rotated_k", "normed_k", "k")
    result = np.zeros((q.shape[0], heads.queries, q.shape[2], k.shape[2]))
    for entry in range(q.shape[0]):
        for head in range(heads.queries):
            result[entry, head] = q[entry, head] @ k[entry, heads.read_by(head)].T
    return result


def scaled(document: Document, steps: Steps) -> Array:
    """The scores times the scale and over the temperature, where either is at work."""
    scores = steps["scores"]
    scale = document.get("scale", "none" if "scores" in document else "sqrt_d_k")
    temperature = number(document.get("temperature", 1))
    if scale == "none" and temperature == 1:
        return scores
    factor = scale_factor(document, scale, steps)
    finite = np.where(scores == -inf, 0, scores)
    steps["scaled"] = np.where(scores == -inf, -inf, finite * factor / temperature)
    return steps["scaled"]


def scale_factor(document: Document, scale: Any, steps: Steps) -> float:
    """A number multiplies; a name divides."""
    if scale == "none":
        return 1.0
    if scale == "sqrt_d_model":
        width = steps["x"].shape[2] if "x" in steps else number(document["d_model"])
        return float(1 / np.sqrt(width))
    if scale in ("sqrt_d_k", "d_k"):
        width = steps["q"].shape[3] if "q" in steps else number(document["d_k"])
        return float(1 / np.sqrt(width)) if scale == "sqrt_d_k" else float(1 / width)
    return number(scale)


def biased(document: Document, heads: Heads, scores: Array) -> Array:
    """ALiBi and the bias added."""
    result = scores.copy()
    if document.get("alibi", False) is not False:
        slopes = published_slopes(heads.queries) if document["alibi"] is True else plain(document["alibi"])
        places = query_places(document, heads, scores.shape[2], scores.shape[3])
        for head in range(heads.queries):
            for query, place in enumerate(places):
                for key in range(scores.shape[3]):
                    result[:, head, query, key] -= slopes[head] * abs(place - key)
    if "bias" in document:
        result = result + np.broadcast_to(array(document["bias"]), scores.shape)
    return result


def published_slopes(heads: int) -> list[float]:
    """2^(−8/n), 2^(−16/n), …; for other counts those of the power below, then every other one of twice that."""
    power: int = 2 ** floor(log2(heads))
    slopes = [2.0 ** (-8 * (head + 1) / power) for head in range(power)]
    between = [2.0 ** (-8 * (head + 1) / (2 * power)) for head in range(0, 2 * power, 2)]
    return slopes + between[: heads - power]


# --- masks ------------------------------------------------------------------------------------


def has_mask(document: Document) -> bool:
    """Whether the document has a mask that is a step."""
    return bool(document.get("mask", "none") != "none")


def mask_parts(document: Document) -> Document:
    """The mask as an object."""
    mask = document.get("mask", "none")
    if isinstance(mask, str):
        return {"causal": True} if mask == "causal" else {}
    return dict(mask)


def query_places(document: Document, heads: Heads, queries: int, keys: int) -> Sequence[int]:
    """Where each query stands among the keys: what causal, window and ALiBi count from."""
    if "scores" in document and dimensions(document["scores"]) == 1:
        return [single_query(document, keys)]
    corner = mask_parts(document).get("causal")
    if corner == "bottom-right":
        return range(keys - queries, keys)
    if corner != "top-left" and "past" not in document and queries != keys:
        raise ValueError("the corner of the mask is left out")
    first = past_length(document, heads)
    return range(first, first + queries)


def single_query(document: Document, keys: int) -> int:
    """The place of the one query that one-dimensional scores are."""
    query = document.get("query", keys - 1)
    return place_of(document, query[0] if isinstance(query, list) else query)


def place_of(document: Document, label: Any) -> int:
    """The position of a key named by its label or its position."""
    if not isinstance(label, str):
        return int(label)
    return int(document["tokens"].index(label)) if "tokens" in document else int(label)


def visible(document: Document, heads: Heads, shape: tuple[int, ...]) -> Flags:
    """The cells (batch, head, query, key) that every part of the mask allows."""
    parts = mask_parts(document)
    result = np.ones(shape, dtype=np.bool_)
    if parts.get("causal", False) is not False or "window" in parts:
        hide_by_place(document, heads, parts, result)
    for label in parts.get("hide", []):
        result[..., place_of(document, label)] = False
    if "key_lengths" in parts:
        hide_past_lengths(parts["key_lengths"], result)
    if "keep" in parts:
        result &= np.broadcast_to(array(parts["keep"]) == 1, shape)
    if "drop" in parts:
        result &= np.broadcast_to(array(parts["drop"]) == 0, shape)
    return result


def hide_by_place(document: Document, heads: Heads, parts: Document, result: Flags) -> None:
    """Keys after the query, and keys outside the window, which counts the token itself."""
    causal = parts.get("causal", False) is not False
    window = number(parts.get("window", inf))
    places = query_places(document, heads, result.shape[2], result.shape[3])
    for query, place in enumerate(places):
        for key in range(result.shape[3]):
            if (causal and key > place) or abs(place - key) >= window:
                result[:, :, query, key] = False


def hide_past_lengths(lengths: Any, result: Flags) -> None:
    """The keys from the length on, of every batch entry or of each its own."""
    for entry in range(result.shape[0]):
        length = lengths[entry] if isinstance(lengths, list) else lengths
        result[entry, :, :, int(length) :] = False


# --- weights ----------------------------------------------------------------------------------


def softmax(document: Document, scores: Array, steps: Steps) -> None:
    """Exponentials over their total, the sink counted, the row maximum taken off where that is asked for."""
    sinks = sink_scores(document, scores.shape[1])
    shift = bool(document["shift"]) if "shift" in document else goes_out_of_range(document, scores, sinks)
    if shift:
        maximum = np.max(scores, axis=-1)
        if sinks is not None:
            maximum = np.maximum(maximum, sinks[np.newaxis, :, np.newaxis])
        steps["maximum"] = maximum
        zero_if_empty = np.where(maximum == -inf, 0, maximum)
        steps["shifted"] = scores - zero_if_empty[..., np.newaxis]
        scores = steps["shifted"]
    exponentials = powers(document, scores)
    total = exponentials.sum(axis=-1)
    if sinks is not None:
        offset = steps["maximum"] if shift else np.zeros(total.shape)
        total = total + powers(document, sinks[np.newaxis, :, np.newaxis] - offset)
    steps["exponentials"] = exponentials
    steps["total"] = total
    steps["weights"] = divided(document, exponentials, total, scores != -inf, sinks is not None)


def goes_out_of_range(document: Document, scores: Array, sinks: Array | None) -> bool:
    """Whether float64 overflows, or a row vanishes, without the row maximum taken off."""
    with np.errstate(all="ignore"):
        total = powers(document, scores).sum(axis=-1)
        if sinks is not None:
            total = total + powers(document, sinks)[np.newaxis, :, np.newaxis]
    seen = (scores != -inf).any(axis=-1) | (sinks is not None)
    return bool((~np.isfinite(total)).any() or ((total == 0) & seen).any())


def sink_scores(document: Document, heads: int) -> Array | None:
    """The extra score of each head."""
    if "sink" not in document:
        return None
    sink = document["sink"]
    return array(sink) if isinstance(sink, list) else array([sink] * heads)


def powers(document: Document, scores: Array) -> Array:
    """base^score; a hidden score gives 0 for every base."""
    hidden = scores == -inf
    finite = np.where(hidden, 0, scores)
    values = np.exp(finite) if "base" not in document else np.power(number(document["base"]), finite)
    return np.where(hidden, 0, values)


def linear(document: Document, scores: Array, steps: Steps) -> None:
    """Each visible score over the sum of the visible ones."""
    seen = scores != -inf
    values = np.where(seen, scores, 0)
    total = values.sum(axis=-1)
    if ((total == 0) & seen.any(axis=-1)).any():
        raise ValueError("the visible scores of a row add to zero")
    steps["total"] = total
    steps["weights"] = divided(document, values, total, seen, False)


def divided(document: Document, values: Array, total: Array, seen: Flags, sunk: bool) -> Array:
    """Each row over its total; a row that sees nothing (and has no sink) as empty_rows says."""
    result = np.zeros(values.shape)
    for entry, head, query in np.ndindex(*total.shape):
        if not seen[entry, head, query].any() and not sunk:
            result[entry, head, query] = empty_weight(document, values.shape[3])
        else:
            result[entry, head, query] = values[entry, head, query] / total[entry, head, query]
    return result


def empty_weight(document: Document, keys: int) -> float:
    """The weight of every key in a row that sees none."""
    choice = document.get("empty_rows", "zero")
    if choice == "error":
        raise ValueError("a row sees no key")
    return {"zero": 0.0, "nan": nan, "uniform": 1 / keys}[choice]


def weigh_without_scores(document: Document, heads: Heads, steps: Steps) -> None:
    """Equal weights over the visible keys, or all weight on the token itself."""
    join_past_values(document, heads, steps)
    seen = visible(document, heads, weight_shape(document, heads, steps))
    if document["weighting"] == "uniform":
        steps["masked"] = seen.astype(np.float64)
    else:
        own = np.eye(seen.shape[2], seen.shape[3], dtype=np.bool_)
        seen = seen & own
    values = seen.astype(np.float64)
    total = values.sum(axis=-1)
    if document["weighting"] == "uniform":
        steps["total"] = total
    steps["weights"] = divided(document, values, total, seen, False)


def weight_shape(document: Document, heads: Heads, steps: Steps) -> tuple[int, int, int, int]:
    """(batch, head, query, key) of the weights where no scores say it."""
    if "scores" in document:
        batch, _, queries, keys = square(document["scores"]).shape
        return batch, heads.queries, queries, keys
    if "q" in document:
        batch, _, queries, _ = by_head(document["q"], heads.queries).shape
        keys = past_length(document, heads) + by_head(document["k"], heads.keys).shape[2]
        return batch, heads.queries, queries, keys
    values = latest(steps, "all_v", "v")
    queries = steps["x"].shape[1] if "x" in steps else values.shape[2]
    return values.shape[0], heads.queries, queries, values.shape[2]


# --- after the weights ------------------------------------------------------------------------


def sum_values(document: Document, heads: Heads, steps: Steps) -> None:
    """Context, joined heads, projection, residual sum and the norm after it."""
    context = weighted_sum(heads, steps)
    steps["context"] = context
    result = np.concatenate([context[:, head] for head in range(heads.queries)], axis=-1)
    if heads.queries > 1:
        steps["joined"] = result
    if "w_o" in document or "b_o" in document:
        result = multiplied(document, result, "w_o", "b_o")
        steps["output"] = result
    if document.get("residual", False) is not False:
        residual = document["residual"]
        result = result + (steps["x"] if residual is True else array(residual).reshape(result.shape))
        steps["residual"] = result
    norm = document.get("norm")
    if norm is not None and norm["where"] == "post":
        apply_norm(norm, result, "post_", steps)


def weighted_sum(heads: Heads, steps: Steps) -> Array:
    """weights · V; a key of weight 0 is left out, whatever its value holds."""
    weights = steps["weights"]
    values = latest(steps, "all_v", "v")
    result = np.zeros((*weights.shape[:3], values.shape[3]))
    for entry, head, query, key in np.ndindex(*weights.shape):
        weight = weights[entry, head, query, key]
        if weight != 0:
            result[entry, head, query] += weight * values[entry, heads.read_by(head), key]
    return result
