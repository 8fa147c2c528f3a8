"""The exact rival over all the options: each step from those before it, in fractions and rigorous balls.

One plan of steps serves three questions. Exact: the whole plan at more and more bits until every shown digit is sure.
By hand: each step by itself, from the rounded numbers before it. In floating point: each step by itself from the very
numbers that the program had before it, every rounding inside a step allowed for, so that nothing is judged by
tolerances of the whole. Where a mask shows, and where queries stand, is read as in ``straight_line``; all that
calculates is here. Arrays are (batch, head, rows, columns), 1 where a step has no such axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np
from flint import arb, fmpq

from . import straight_line
from .straight_line import DEFAULT_EPS, Document, count_heads, has_mask, past_length, visible

Array = Any
"""An array of cells: a fraction (``fmpq``), a ball (``arb``), or HIDDEN."""
Slots = Callable[[str], Array]
Step = tuple[str, Callable[[Slots], Array]]
Reader = Callable[[Any], Any]

HIDDEN = float("-inf")
ZERO, ONE = fmpq(0), fmpq(1)


class Beyond(Exception):
    """More digits than this rival has: of a number, or between it and a round one."""


# --- cells ------------------------------------------------------------------------------------


def fraction(number: Any) -> Any:
    """A given number exactly as it is written."""
    return fmpq(*Decimal(number).as_integer_ratio())


def each(function: Callable[..., Any], *arrays: Array) -> Array:
    """The function of every cell."""
    return np.frompyfunc(function, len(arrays), 1)(*arrays)


def seen(function: Callable[..., Any], *arrays: Array) -> Array:
    """The function where the first array is not hidden."""
    return each(lambda cell, *rest: cell if isinstance(cell, float) else function(cell, *rest), *arrays)


def ball(cell: Any) -> arb:
    """A fraction at the present precision; a ball as it is."""
    return cell if isinstance(cell, arb) else arb(cell)


def exponential(base: Any, cell: Any) -> Any:
    """base^cell, e without a base; 0 of a hidden one. A fraction wherever the result is one."""
    if isinstance(cell, float):
        return ZERO
    if isinstance(cell, fmpq) and cell == 0:
        return ONE
    if base is None:
        return ball(cell).exp()
    if isinstance(cell, fmpq) and isinstance(base, fmpq) and cell.q == 1:
        return base ** int(cell.p)
    return ball(base) ** ball(cell)


def root(cell: Any) -> Any:
    """The square root; a fraction where it is one."""
    if isinstance(cell, fmpq) and cell.p.is_square() and cell.q.is_square():
        return fmpq(cell.p.isqrt(), cell.q.isqrt())
    return ball(cell).sqrt()


def hyperbolic(cell: Any) -> Any:
    """tanh, and 0 of 0; far out it is nearer to 1 than can be told."""
    if abs(ball(cell)) > 1000:
        raise Beyond
    return ZERO if isinstance(cell, fmpq) and cell == 0 else ball(cell).tanh()


def turned_by(angle: Any) -> tuple[Any, Any]:
    """Cosine and sine, those of 0 as fractions."""
    return (ONE, ZERO) if isinstance(angle, fmpq) and angle == 0 else (ball(angle).cos(), ball(angle).sin())


def minus(cell: Any, other: Any) -> Any:
    """The difference; 0 where both are the same cell, however little is known of it."""
    return ZERO if cell is other else cell - other


def over(cell: Any, total: Any) -> Any:
    """The quotient; 1 where the total is this cell alone."""
    return ONE if cell is total else cell / total


def largest(cells: Any) -> Any:
    """The largest that is not hidden, itself wherever it is known to be that."""
    found = HIDDEN
    for cell in cells:
        if isinstance(found, float):
            found = cell
        elif not isinstance(cell, float):
            found = larger(cell, found)
    return found


def larger(cell: Any, other: Any) -> Any:
    """The larger of two; of balls that overlap what may be the larger."""
    if isinstance(cell, fmpq) and isinstance(other, fmpq):
        return max(cell, other)
    if ball(cell) > ball(other):
        return cell
    return other if ball(other) > ball(cell) else ball(other).max(ball(cell))


def added(cells: Any) -> Any:
    """The sum; the only cell that is not 0 itself, where there is but one."""
    cells = [cell for cell in cells if not (isinstance(cell, fmpq) and cell == 0)]
    if not cells:
        return ZERO
    total = cells[0]
    for cell in cells[1:]:
        total = total + cell
    return total


def by_rows(function: Callable[[Any], Any], array: Array) -> Array:
    """The function of every row: (…, n) → (…, 1)."""
    result = np.empty((*array.shape[:-1], 1), dtype=object)
    for place in np.ndindex(*array.shape[:-1]):
        result[place][0] = function(array[place])
    return result


# --- the plan ---------------------------------------------------------------------------------


class Calculation:
    """The steps of a document.

    ``read`` makes a cell of a given number; ``unit`` is the rounding unit of a floating point type, 0 for none;
    ``shift`` is whether the row maximum goes first, where the document leaves that open.
    """

    def __init__(self, document: Document, read: Reader = fraction, unit: float = 0.0, shift: bool = False) -> None:
        self.document, self.read, self.unit = document, read, unit
        self.heads = count_heads(document)
        self.shift = bool(document.get("shift", shift))
        self.weighting = document.get("weighting", "softmax")
        self.from_x = "x" in document or "ids" in document
        self.scored = "weights" not in document and self.weighting in ("softmax", "linear")
        self.valued = "v" in document or self.from_x
        self.base = read(document["base"]) if "base" in document else None

    def steps(self) -> list[Step]:
        """The name and the function of every step that is calculated, in an order in which they can be."""
        return [*self._inputs(), *self._weighing(), *self._afterwards()]

    # --- given arrays

    def array(self, value: Any) -> Array:
        """A nested list as an array of cells."""
        cells = np.array(value, dtype=object)
        return each(lambda cell: HIDDEN if cell == "-Infinity" else self.read(cell), cells)

    def square(self, value: Any) -> Array:
        """Scores, weights, a bias: the axes that are missing on the left are 1."""
        cells = self.array(value)
        return cells.reshape((1,) * (4 - cells.ndim) + cells.shape)

    def rows(self, value: Any) -> Array:
        """Vectors that have no heads."""
        cells = self.array(value)
        return cells[np.newaxis, np.newaxis] if cells.ndim == 2 else cells[:, np.newaxis]

    def by_head(self, value: Any, heads: int) -> Array:
        """Vectors of heads, side by side where there are two dimensions."""
        cells = self.array(value)
        return split(cells[np.newaxis, np.newaxis], heads) if cells.ndim == 2 else self.square(value)

    def given(self) -> dict[str, Array]:
        """The steps that the document gives."""
        document, found = self.document, {}
        for name in ("scores", "weights"):
            if name in document:
                found[name] = self.square(document[name])
        if "x" in document:
            found["x"] = self.rows(document["x"])
        for name, heads in (("q", self.heads.queries), ("k", self.heads.keys), ("v", self.heads.keys)):
            if name in document:
                found[name] = self.by_head(document[name], heads)
        return found

    # --- what happens inside a step

    def near(self, cell: Any) -> Any:
        """A number that is rounded inside a step."""
        return cell * arb(1, 4 * self.unit) if self.unit and not isinstance(cell, float) else cell

    def blurred(self, cell: Any, size: Any, terms: int) -> Any:
        """A sum of so many terms, whose sizes add to ``size``, each rounded on the way."""
        return cell + arb(0, float(ball(size).abs_upper()) * (terms + 4) * self.unit) if self.unit else cell

    def summed(self, array: Array) -> Array:
        """The sums of the rows."""
        sums = by_rows(added, array)
        sizes = by_rows(added, each(abs, array)) if self.unit else sums
        return each(lambda cell, size: self.blurred(cell, size, array.shape[-1]), sums, sizes)

    def product(self, left: Array, right: Array) -> Array:
        """left · right for every batch entry and head; of fewer heads on the right each serves several on the left."""
        group = left.shape[1] // right.shape[1]
        result = np.empty((*left.shape[:3], right.shape[3]), dtype=object)
        for entry, head, row, column in np.ndindex(*result.shape):
            line, other = left[entry, head, row], right[entry if len(right) > 1 else 0, head // group, :, column]
            parts = [a * b for a, b in zip(line, other, strict=True)]
            size = added([abs(part) for part in parts]) if self.unit else ZERO
            result[entry, head, row, column] = self.blurred(added(parts), size, len(parts))
        return result

    def power(self, cell: Any) -> Any:
        """base^cell."""
        return exponential(self.base, cell)

    # --- from x to q, k and v

    def _inputs(self) -> Iterator[Step]:
        document = self.document
        if "ids" in document:
            yield "x", self._embedded
        if not self.from_x:
            return
        source, norm = "x", document.get("norm", {"where": "post"})
        if norm["where"] == "pre":
            yield from self._norm(norm, "x", "")
            source = "gained" if {"gain", "bias"} & norm.keys() else "normed"
        for name in "qkv" if self.scored else "v":
            yield name, partial(self._projected, name, source)

    def _embedded(self, slots: Slots) -> Array:
        table = self.array(self.document["embedding"])
        ids = np.array(self.document["ids"], dtype=int)
        result = table[ids]
        if "positions" in self.document:
            result = result + self.array(self.document["positions"])
        return result[np.newaxis, np.newaxis] if result.ndim == 2 else result[:, np.newaxis]

    def _projected(self, name: str, source: str, slots: Slots) -> Array:
        elsewhere = name != "q" and "memory" in self.document
        values = self.rows(self.document["memory"]) if elsewhere else slots(source)
        values = self._multiplied(values, f"w_{name}", f"b_{name}")
        return split(values, self.heads.queries if name == "q" else self.heads.keys)

    def _multiplied(self, values: Array, matrix: str, bias: str) -> Array:
        given = self.document.get(matrix, "identity")
        if given != "identity":
            cells = self.array(given)
            cells = cells.T if self.document.get("layout") == "out_in" else cells
            values = self.product(values, cells[np.newaxis, np.newaxis])
        return values + self.array(self.document[bias]) if bias in self.document else values

    def _norm(self, norm: Document, source: str, prefix: str) -> Iterator[Step]:
        layer = norm["kind"] == "layer"
        if layer:
            yield f"{prefix}mean", lambda slots: self._mean(slots(source))
        yield f"{prefix}variance", partial(self._variance, source, f"{prefix}mean" if layer else "")
        yield f"{prefix}normed", partial(self._normed, norm, source, prefix, f"{prefix}mean" if layer else "")
        if {"gain", "bias"} & norm.keys():
            yield f"{prefix}gained", partial(self._gained, norm, f"{prefix}normed")

    def _mean(self, values: Array) -> Array:
        return self.summed(values) / fmpq(values.shape[-1])

    def _centred(self, source: str, mean: str, slots: Slots) -> Array:
        return each(self.near, slots(source) - slots(mean)) if mean else slots(source)

    def _variance(self, source: str, mean: str, slots: Slots) -> Array:
        values = self._centred(source, mean, slots)
        return self._mean(values * values)

    def _normed(self, norm: Document, source: str, prefix: str, mean: str, slots: Slots) -> Array:
        eps = self.read(Decimal(str(norm.get("eps", DEFAULT_EPS))))
        return self._centred(source, mean, slots) / each(root, slots(f"{prefix}variance") + eps)

    def _gained(self, norm: Document, source: str, slots: Slots) -> Array:
        values = slots(source)
        if "gain" in norm:
            values = each(self.near, values * self.array(norm["gain"]))
        return values + self.array(norm["bias"]) if "bias" in norm else values

    # --- scores

    def _weighing(self) -> Iterator[Step]:
        if "weights" in self.document:
            return
        if "past" in self.document and self.valued:
            yield "all_v", partial(self._after_past, "v", "v")
        if not self.scored:
            yield from self._unscored()
            return
        logits = "scores"
        if "scores" not in self.document:
            yield from self._vectors()
        for name, function in self._logits():
            yield name, partial(function, logits)
            logits = name
        yield from self._linear(logits) if self.weighting == "linear" else self._softmax(logits)

    def _vectors(self) -> Iterator[Step]:
        last = {"q": "q", "k": "k"}
        for key, prefix, function in (("qk_norm", "normed", self._unit), ("rope", "rotated", self._rotated)):
            if key in self.document:
                for name in "qk":
                    yield f"{prefix}_{name}", partial(function, name, last[name])
                    last[name] = f"{prefix}_{name}"
        if "past" in self.document:
            yield "all_k", partial(self._after_past, "k", last["k"])
            last["k"] = "all_k"
        yield "scores", lambda slots: self.product(slots(last["q"]), slots(last["k"]).swapaxes(2, 3))

    def _unit(self, name: str, source: str, slots: Slots) -> Array:
        norm, values = self.document["qk_norm"], slots(source)
        eps = self.read(Decimal(str(norm.get("eps", DEFAULT_EPS))))
        square = each(self.near, self._mean(values * values))
        values = values / each(root, square + eps)
        return values * self.array(norm[f"{name}_gain"]) if f"{name}_gain" in norm else values

    def _rotated(self, name: str, source: str, slots: Slots) -> Array:
        values, rope = slots(source), self.document["rope"]
        first, width = past_length(self.document, self.heads), values.shape[3]
        result, base = values.copy(), self.read(rope.get("base", 10000))
        for token, pair in np.ndindex(values.shape[2], width // 2):
            one, other = (pair, pair + width // 2) if rope["pairs"] == "halves" else (2 * pair, 2 * pair + 1)
            turn = exponential(base, fmpq(-2 * pair, width)) * fmpq(first + token)
            cosine, sine = turned_by(turn * arb(1, 16 * self.unit) if self.unit else turn)
            left, right = values[:, :, token, one], values[:, :, token, other]
            result[:, :, token, one] = each(self.near, left * cosine) - each(self.near, right * sine)
            result[:, :, token, other] = each(self.near, right * cosine) + each(self.near, left * sine)
        return result

    def _after_past(self, name: str, source: str, slots: Slots) -> Array:
        past = self.by_head(self.document["past"][name], self.heads.keys)
        return np.concatenate([past, slots(source)], axis=2)

    def _logits(self) -> Iterator[tuple[str, Callable[[str, Slots], Array]]]:
        document = self.document
        scale = document.get("scale", "none" if "scores" in document else "sqrt_d_k")
        if scale != "none" or Decimal(document.get("temperature", 1)) != 1:
            yield "scaled", partial(self._scaled, scale)
        if "softcap" in document:
            yield "capped", self._capped
        if document.get("alibi", False) is not False or "bias" in document:
            yield "biased", self._biased
        if has_mask(document):
            yield "masked", self._masked

    def _scaled(self, scale: Any, logits: str, slots: Slots) -> Array:
        temperature = self.read(self.document.get("temperature", 1))
        factor = self._factor(scale, slots)
        return seen(lambda cell: cell * factor / temperature, slots(logits))

    def _factor(self, scale: Any, slots: Slots) -> Any:
        if scale == "none":
            return ONE
        if not isinstance(scale, str):
            return self.read(scale)
        if scale == "sqrt_d_model":
            width = slots("x").shape[3] if self.from_x else self.document["d_model"]
        else:
            width = self.document["d_k"] if "scores" in self.document else slots("q").shape[3]
        return ONE / (root(fmpq(width)) if scale.startswith("sqrt_") else fmpq(width))

    def _capped(self, logits: str, slots: Slots) -> Array:
        cap = self.read(self.document["softcap"])
        return seen(lambda cell: cap * hyperbolic(self.near(cell / cap)), slots(logits))

    def _biased(self, logits: str, slots: Slots) -> Array:
        result = slots(logits)
        if self.document.get("alibi", False) is not False:
            away = self._slopes(result.shape[1]).reshape(1, -1, 1, 1) * self._distances(*result.shape[2:])
            result = seen(lambda cell, less: self.near(cell - self.near(less)), result, away)
        if "bias" not in self.document:
            return result
        bias = np.broadcast_to(self.square(self.document["bias"]), result.shape)
        return seen(lambda cell, more: HIDDEN if isinstance(more, float) else cell + more, result, bias)

    def _slopes(self, heads: int) -> Array:
        if self.document["alibi"] is not True:
            return self.array(self.document["alibi"])
        return each(lambda exponent: self.near(exponential(fmpq(2), exponent)), slope_exponents(heads))

    def _distances(self, queries: int, keys: int) -> Array:
        places = straight_line.query_places(self.document, self.heads, queries, keys)
        return np.array([[fmpq(abs(place - key)) for key in range(keys)] for place in places], dtype=object)

    def _masked(self, logits: str, slots: Slots) -> Array:
        cells = slots(logits)
        return np.where(visible(self.document, self.heads, cells.shape), cells, HIDDEN)

    # --- weights

    def _softmax(self, logits: str) -> Iterator[Step]:
        if self.document.get("algorithm") == "online":
            yield from self._online(logits)
            return
        if self.shift:
            yield "maximum", lambda slots: by_rows(largest, self._with_sinks(slots(logits)))
            yield "shifted", lambda slots: seen(minus, slots(logits), slots("maximum"))
        last = "shifted" if self.shift else logits
        yield "exponentials", lambda slots: each(self.power, slots(last))
        yield "total", self._total
        yield "weights", lambda slots: self._shares(slots("exponentials"), slots("total"), slots(logits))

    def _sinks(self, cells: Array) -> Array | None:
        """The sink of every row."""
        if "sink" not in self.document:
            return None
        sink = self.document["sink"]
        given = self.array(sink if isinstance(sink, list) else [sink] * cells.shape[1])
        return np.broadcast_to(given.reshape(1, -1, 1, 1), (*cells.shape[:3], 1))

    def _with_sinks(self, cells: Array) -> Array:
        sinks = self._sinks(cells)
        return cells if sinks is None else np.concatenate([cells, sinks], axis=3)

    def _total(self, slots: Slots) -> Array:
        cells, sinks = slots("exponentials"), self._sinks(slots("exponentials"))
        if sinks is None:
            return self.summed(cells)
        if self.shift:
            sinks = each(lambda sink, top: self.near(minus(sink, top)), sinks, slots("maximum"))
        return self.summed(np.concatenate([cells, each(lambda cell: self.near(self.power(cell)), sinks)], axis=3))

    def _linear(self, logits: str) -> Iterator[Step]:
        def bare(slots: Slots) -> Array:
            return each(lambda cell: ZERO if isinstance(cell, float) else cell, slots(logits))

        yield "total", lambda slots: self.summed(bare(slots))
        yield "weights", lambda slots: self._shares(bare(slots), slots("total"), slots(logits))

    def _unscored(self) -> Iterator[Step]:
        if self.weighting == "self":
            yield "weights", lambda slots: self._own(self._flags(slots))
            return
        yield "masked", lambda slots: np.where(self._flags(slots), ONE, ZERO)
        yield "total", lambda slots: self.summed(slots("masked"))
        yield (
            "weights",
            lambda slots: self._shares(slots("masked"), slots("total"), np.where(self._flags(slots), ONE, HIDDEN)),
        )

    def _flags(self, slots: Slots) -> Any:
        name = "all_v" if "past" in self.document else "v"
        steps = {name: np.zeros(slots(name).shape)} if self.valued else {}
        if self.from_x:
            steps["x"] = np.zeros(slots("x").shape)[:, 0]
        return visible(self.document, self.heads, straight_line.weight_shape(self.document, self.heads, steps))

    def _own(self, flags: Any) -> Array:
        own = np.where(flags & np.eye(*flags.shape[2:], dtype=bool), ONE, ZERO)
        return self._shares(own, np.full((*own.shape[:3], 1), ONE), np.where(own == ONE, ONE, HIDDEN))

    def _empty(self, logits: Array) -> Any:
        """The rows that see nothing."""
        sunk = "sink" in self.document and self.weighting == "softmax"
        return each(lambda cell: isinstance(cell, float), logits).all(axis=3, keepdims=True).astype(bool) & (not sunk)

    def _filling(self, keys: int) -> Any:
        policy = self.document.get("empty_rows", "zero")
        return {"zero": ZERO, "nan": arb("nan"), "uniform": ONE / fmpq(keys)}[policy]

    def _shares(self, cells: Array, totals: Array, logits: Array) -> Array:
        filling = self._filling(cells.shape[3])
        return each(
            lambda cell, total, empty: filling if empty else over(cell, total), cells, totals, self._empty(logits)
        )

    # --- in blocks

    def _online(self, logits: str) -> Iterator[Step]:
        size = int(self.document.get("block", 2))
        count = -(-self._keys() // size)
        for now in range(1, count + 1):
            part = slice((now - 1) * size, now * size)
            yield f"maximum_{now}", partial(self._block_maximum, logits, part, now)
            if now > 1:
                yield f"rescale_{now}", partial(self._rescale, now)
            yield f"total_{now}", partial(self._block_total, logits, part, now)
            if self.valued:
                yield f"output_{now}", partial(self._block_output, logits, part, now)
        if self.valued:
            yield "context", partial(self._online_context, logits, count)

    def _keys(self) -> int:
        if "scores" in self.document:
            return int(np.array(self.document["scores"], dtype=object).shape[-1])
        where = "memory" if "memory" in self.document else next(n for n in ("x", "ids", "k") if n in self.document)
        shape = np.array(self.document[where], dtype=object).shape
        return past_length(self.document, self.heads) + int(shape[-1] if where == "ids" else shape[-2])

    def _block_maximum(self, logits: str, part: slice, now: int, slots: Slots) -> Array:
        cells = slots(logits)
        before = self._sinks(cells) if now == 1 else slots(f"maximum_{now - 1}")
        return by_rows(
            largest, cells[..., part] if before is None else np.concatenate([cells[..., part], before], axis=3)
        )

    def _rescale(self, now: int, slots: Slots) -> Array:
        before, after = slots(f"maximum_{now - 1}"), slots(f"maximum_{now}")
        return each(lambda old, new: self.near(self.power(self.near(seen_minus(old, new)))), before, after)

    def _block_powers(self, logits: str, part: slice, now: int, slots: Slots) -> Array:
        shifted = each(
            lambda cell, top: self.near(seen_minus(cell, top)), slots(logits)[..., part], slots(f"maximum_{now}")
        )
        return each(lambda cell: self.near(self.power(cell)), shifted)

    def _block_total(self, logits: str, part: slice, now: int, slots: Slots) -> Array:
        own = self.summed(self._block_powers(logits, part, now, slots))
        if now > 1:
            return each(self.near, slots(f"rescale_{now}") * slots(f"total_{now - 1}")) + own
        sinks = self._sinks(own)
        if sinks is None:
            return own
        return each(lambda s, top: self.near(self.power(self.near(minus(s, top)))), sinks, slots("maximum_1")) + own

    def _block_output(self, logits: str, part: slice, now: int, slots: Slots) -> Array:
        own = self.product(self._block_powers(logits, part, now, slots), self._values(slots)[:, :, part])
        return own if now == 1 else each(self.near, slots(f"rescale_{now}") * slots(f"output_{now - 1}")) + own

    def _online_context(self, logits: str, last: int, slots: Slots) -> Array:
        output, total, values = slots(f"output_{last}"), slots(f"total_{last}"), self._values(slots)
        shares = np.full((*output.shape[:3], values.shape[2]), self._filling(values.shape[2]))
        filling = self.product(shares, values)
        empty = self._empty(slots(logits))
        return each(lambda out, all_, fill, none: fill if none else over(out, all_), output, total, filling, empty)

    # --- after the weights

    def _values(self, slots: Slots) -> Array:
        return slots("all_v" if "past" in self.document and "weights" not in self.document else "v")

    def _afterwards(self) -> Iterator[Step]:
        if not self.valued:
            return
        document, last = self.document, "context"
        if document.get("algorithm") != "online":
            yield "context", lambda slots: self.product(slots("weights"), self._values(slots))
        if self.heads.queries > 1:
            yield "joined", lambda slots: side_by_side(slots("context"))
            last = "joined"
        if "w_o" in document:
            yield "output", lambda slots, source=last: self._multiplied(slots(source), "w_o", "b_o")  # type: ignore[misc]
            last = "output"
        if document.get("residual", False) is not False:
            yield "residual", partial(self._residual, last)
            last = "residual"
        if document.get("norm", {"where": "pre"})["where"] == "post":
            yield from self._norm(document["norm"], last, "post_")

    def _residual(self, source: str, slots: Slots) -> Array:
        values, given = slots(source), self.document["residual"]
        return values + (slots("x") if given is True else self.array(given).reshape(values.shape))


def split(values: Array, heads: int) -> Array:
    """(batch, 1, token, heads · d) as (batch, head, token, d)."""
    batch, _, tokens, width = values.shape
    return values.reshape(batch, tokens, heads, width // heads).swapaxes(1, 2)


def side_by_side(values: Array) -> Array:
    """(batch, head, token, d) as (batch, 1, token, heads · d)."""
    batch, heads, tokens, width = values.shape
    return values.swapaxes(1, 2).reshape(batch, 1, tokens, heads * width)


def seen_minus(cell: Any, top: Any) -> Any:
    """The difference; a hidden cell stays hidden."""
    return HIDDEN if isinstance(cell, float) else minus(cell, top)


def slope_exponents(heads: int) -> Array:
    """−8/n, −16/n, …; for other counts those of the power below, then every other one of twice that."""
    power = 1 << (heads.bit_length() - 1)
    first = [fmpq(-8 * (head + 1), power) for head in range(power)]
    between = [fmpq(-8 * (head + 1), 2 * power) for head in range(0, 2 * power, 2)]
    return np.array([*first, *between][:heads], dtype=object)
