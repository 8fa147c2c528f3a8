"""The shapes of a scenario's arrays: do they fit together, and what sizes do they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import by
from attncalc.scenario_files.defaults import MATRICES, PROJECTIONS, from_scores, has_values, weighting_of
from attncalc.scenario_files.heads import KEY_SIDE, Counts, counts
from attncalc.scenario_files.kinds import Report, found
from attncalc.scenario_files.lifting import PER_QUERY_HEAD, heads_of, lift


class Length(NamedTuple):
    """A length and the key of the array it was read off."""

    number: int
    origin: str


class Fit(NamedTuple):
    """Two lengths that must be one, by name, and the message that says why."""

    key: str
    found: str
    wanted: str
    code: str


# Lengths are named `array.axis`: rows, columns, and for q, k and v the width of one head.
FITS: tuple[Fit, ...] = (
    Fit("k", "k.width", "q.width", "fit-dot-product"),
    Fit("v", "v.rows", "k.rows", "fit-one-value-a-key"),
    Fit("v", "v.rows", "scores.columns", "fit-one-value-a-score"),
    Fit("v", "v.rows", "weights.columns", "fit-one-value-a-weight"),
    Fit("past.k", "past.k.width", "k.width", "fit-past-width"),
    Fit("past.v", "past.v.width", "v.width", "fit-past-width"),
    Fit("past.v", "past.v.rows", "past.k.rows", "fit-one-value-a-key"),
    Fit("positions", "positions.rows", "ids.rows", "fit-positions"),
    Fit("positions", "positions.columns", "embedding.columns", "fit-positions-width"),
    Fit("w_q", "w_q.rows", "x.columns", "fit-projection"),
    Fit("w_k", "w_k.rows", "key_input.columns", "fit-projection"),
    Fit("w_v", "w_v.rows", "key_input.columns", "fit-projection"),
    Fit("b_q", "b_q.columns", "q.columns", "fit-bias"),
    Fit("b_k", "b_k.columns", "k.columns", "fit-bias"),
    Fit("b_v", "b_v.columns", "v.columns", "fit-bias"),
    Fit("qk_norm.q_gain", "qk_norm.q_gain.columns", "q.width", "fit-gain"),
    Fit("qk_norm.k_gain", "qk_norm.k_gain.columns", "k.width", "fit-gain"),
    Fit("w_o", "w_o.rows", "joined.columns", "fit-output"),
    Fit("b_o", "b_o.columns", "w_o.columns", "fit-bias"),
    Fit("norm.gain", "norm.gain.columns", "normed.columns", "fit-gain"),
    Fit("norm.bias", "norm.bias.columns", "normed.columns", "fit-gain"),
    Fit("alibi", "alibi.columns", "heads", "fit-per-head"),
    Fit("sink", "sink.columns", "heads", "fit-per-head"),
)


class Shapes:
    """The arrays of one document with all their lengths by name; reports every pair that does not fit."""

    def __init__(self, document: Mapping[str, Any], start: str, arrays: Mapping[str, Values], report: Report) -> None:
        self.document, self.start, self.report = document, start, report
        self.out_in = document.get("layout") == "out_in"
        self.arrays = dict(arrays)
        self.counts: Counts = counts(document, arrays, report)
        self.lengths: dict[str, Length] = {}
        self.unliftable = False  # whether an array cannot even be given its axes
        for name, values in arrays.items():
            self._measure(name, values)
        self._derive()

    def _measure(self, name: str, values: Values) -> None:
        """The lengths of a given array."""
        shape = values.shape if values.ndim > 1 else (1, *values.shape)
        if name == "ids":
            self.lengths["ids.rows"] = Length(values.shape[-1], "ids")
            return
        rows, columns = shape[-2:][::-1] if name in MATRICES and self.out_in else shape[-2:]
        self._note(name, rows, columns, name)
        if name in PER_QUERY_HEAD or name in KEY_SIDE or name in PROJECTIONS:
            split = values.ndim <= 2
            self._share(name, columns, split)

    def _note(self, name: str, rows: int, columns: int, origin: str) -> None:
        self.lengths[f"{name}.rows"] = Length(rows, origin)
        self.lengths[f"{name}.columns"] = Length(columns, origin)

    def _share(self, name: str, columns: int, split: bool) -> None:
        """The width of one head, where columns are shared out among the heads."""
        heads = heads_of(name, self.counts) if split else 1
        if self.counts.doubtful and name not in PER_QUERY_HEAD:  # reported, and nothing follows from a guess
            self.unliftable = True
            return
        if columns % heads:
            key_side = heads != self.counts.heads
            self.report(name, "not-divisible-kv" if key_side else "not-divisible", found=columns, heads=heads)
            self.unliftable = True
        self.lengths[f"{name}.width"] = Length(columns // heads, name)

    def _derive(self) -> None:
        """The lengths of what is computed: x from ids, q, k and v from x, the joined heads, what a norm reads."""
        lengths = self.lengths
        if "embedding.columns" in lengths and "ids.rows" in lengths:
            self._note("x", lengths["ids.rows"].number, lengths["embedding.columns"].number, "embedding")
        if "x.rows" in lengths:
            source = "memory" if "memory.rows" in lengths else "x"
            self._alias("key_input", source)
            for name, rows in (("q", "x"), ("k", source), ("v", source)):
                self._project(name, rows)
        if "v.width" in lengths:
            width = lengths["v.width"]
            self.lengths["joined.columns"] = Length(width.number * self.counts.heads, width.origin)
        lengths["heads"] = Length(self.counts.heads, "heads")
        norm = self.document.get("norm", {})
        normed = lengths.get("x.columns") if norm.get("where") == "pre" else self._output_columns()
        if normed is not None:
            lengths["normed.columns"] = normed

    def _alias(self, name: str, source: str) -> None:
        self.lengths[f"{name}.rows"] = self.lengths[f"{source}.rows"]
        self.lengths[f"{name}.columns"] = self.lengths[f"{source}.columns"]

    def _project(self, name: str, source: str) -> None:
        matrix = f"w_{name}"
        columns = self.lengths.get(f"{matrix}.columns", self.lengths[f"{source}.columns"])
        self._note(name, self.lengths[f"{source}.rows"].number, columns.number, columns.origin)
        if f"{matrix}.width" in self.lengths:
            self.lengths[f"{name}.width"] = self.lengths[f"{matrix}.width"]
        else:
            heads = heads_of(name, self.counts)
            if columns.number % heads:
                self.report(
                    source if source in self.document else "x", "not-divisible", found=columns.number, heads=heads
                )
                self.unliftable = True
            self.lengths[f"{name}.width"] = Length(columns.number // heads, columns.origin)

    def _output_columns(self) -> Length | None:
        return self.lengths.get("w_o.columns", self.lengths.get("joined.columns"))

    def check(self) -> None:
        """Reports the lengths that do not fit, each with both sizes and where they come from."""
        for fit in FITS:
            if fit.found in self.lengths and fit.wanted in self.lengths and self._is_read(fit):
                self._fit(fit)
        queries, keys = self.grid[2:]
        if weighting_of(self.document) == "self" and self.start != "weights" and queries != keys and not self.single:
            self.report("weighting", "self-needs-square", queries=queries, keys=keys)
        self._check_rope()
        self._check_residual()
        self._check_batches()
        self._check_broadcast()

    def _fit(self, fit: Fit) -> None:
        mine, wanted = self.lengths[fit.found], self.lengths[fit.wanted]
        one_for_all = fit.code == "fit-per-head" and mine.number == 1
        if mine.number != wanted.number and not one_for_all:
            place = fit.key if fit.key in self.arrays else mine.origin
            code = f"{fit.code}-out-in" if fit.code == "fit-projection" and self.out_in else fit.code
            self.unliftable |= fit.code == "fit-bias"  # its columns are shared out among the heads
            self.report(place, code, count=wanted.number, found=mine.number, wanted=wanted.number, other=wanted.origin)

    def _is_read(self, fit: Fit) -> bool:
        if "q.width" not in (fit.found, fit.wanted):
            return True
        missing = self.start in ("x", "ids") and ("w_q" in self.document) != ("w_k" in self.document)
        return from_scores(self.document, self.start) and not missing and not self._lies_otherwise()

    def _lies_otherwise(self) -> bool:
        """Whether a projection does not fit its rows: stored the other way, its width says nothing of a head."""
        pairs = (("w_q.rows", "x.columns"), ("w_k.rows", "key_input.columns"))
        known = [(self.lengths[a].number, self.lengths[b].number) for a, b in pairs if {a, b} <= set(self.lengths)]
        return any(rows != columns for rows, columns in known)

    def _check_rope(self) -> None:
        width = self.lengths.get("q.width")
        if "rope" in self.document and width is not None and width.number % 2:
            self.report("rope", "rope-needs-pairs", found=width.number, other=width.origin)

    def _check_residual(self) -> None:
        output = self._output_columns()
        if output is None or not has_values(self.document, self.start):
            return
        if "residual" in self.arrays:
            found = self.arrays["residual"].shape
            wanted = (self.grid[2], output.number)
            rows = found[-2:] if len(found) > 1 else (1, *found)
            if rows != wanted:
                self.report(
                    "residual", "fit-residual", found=by(rows), wanted=by(wanted),
                    other=output.origin,
                )  # fmt: skip
        width = self.lengths.get("x.columns")
        if self.document.get("residual") is True and width is not None and width.number != output.number:
            self.report("residual", "fit-residual-x", found=width.number, wanted=output.number, other=output.origin)

    def _check_batches(self) -> None:
        residual = self.arrays.get("residual")
        if residual is not None and residual.ndim == 3 and residual.shape[0] not in (1, self.counts.batch):
            self.report(
                "residual",
                "disagree-batch",
                found=residual.shape[0],
                wanted=self.counts.batch,
                other=self.counts.batch_origin,
            )

    def _check_broadcast(self) -> None:
        """Biases and masks must broadcast, from the right, to the grid of scores."""
        for name in ("bias", "mask.keep", "mask.drop"):
            if name in self.arrays and self.start != "weights" and not _broadcasts(self.arrays[name].shape, self.grid):
                self.report(name, "fit-broadcast", found=by(self.arrays[name].shape), wanted=by(self.grid))
                self.unliftable = True

    @property
    def single(self) -> bool:
        """Whether the scores or weights are those of one query, one-dimensional."""
        return self.start in ("scores", "weights") and self.arrays[self.start].ndim == 1

    @property
    def past(self) -> int:
        """How many keys were calculated before."""
        length = self.lengths.get("past.k.rows")
        return length.number if length else 0

    @property
    def grid(self) -> tuple[int, int, int, int]:
        """Batch, heads, queries, keys (those of the past included)."""
        queries, keys = (length.number if length else 0 for length in self._sides())
        return self.counts.batch, self.counts.heads, queries, keys + self.past

    def _sides(self) -> Iterator[Length | None]:
        if self.start in ("scores", "weights"):
            names = (f"{self.start}.rows", f"{self.start}.columns")
        else:
            names = ("v.rows", "v.rows") if self.start == "v" else ("q.rows", "k.rows")
        return (self.lengths.get(name) for name in names)

    def width(self) -> int | None:
        """What a named scale divides by, before its root."""
        scale = self.document.get("scale")
        if scale == "sqrt_d_model":
            known = self.lengths.get("x.columns")
            return known.number if known else int(self.document["d_model"])
        if scale in ("sqrt_d_k", "d_k") and from_scores(self.document, self.start):
            known = self.lengths.get("q.width")
            return known.number if known else int(self.document["d_k"])
        return None

    def sizes(self) -> dict[str, int]:
        """The widths that the shapes say."""
        names = {"d_k": "q.width", "d_v": "v.width", "d_model": "x.columns", "d_out": "w_o.columns"}
        sizes = {name: self.lengths[key].number for name, key in names.items() if key in self.lengths}
        return sizes | {"kv_heads": self.counts.kv_heads, "past": self.past}

    def lifted(self, with_places: bool = True) -> tuple[dict[str, Values], dict[str, Values]]:
        """The arrays with all four axes, and for each the flat place of every number in the array as written."""
        arrays, places = {}, {}
        for name, values in self.arrays.items():
            lifted_by = lift(name, values.ndim, self.counts, self.out_in)
            arrays[name] = lifted_by(values)
            if with_places:
                places[name] = lifted_by(np.arange(values.size).reshape(values.shape))
        if "ids" in arrays and "embedding" in arrays:
            for named in (arrays, places) if with_places else (arrays,):
                self._look_up(named, arrays["ids"])
        return arrays, places

    def _look_up(self, named: dict[str, Values], ids: Values) -> None:
        """Replaces the embedding table by the rows that the ids ask for."""
        table = named["embedding"][0, 0]
        outside = np.asarray((ids < 0) | (ids >= len(table)), dtype=bool)
        for index in np.argwhere(outside):
            place = "".join(f"[{i}]" for i in (index[-1:] if self.arrays["ids"].ndim == 1 else index[[0, -1]]))
            self.report(f"ids{place}", "id-out-of-range", id=found(ids[tuple(index)]), last=len(table) - 1)
        rows = np.asarray(np.frompyfunc(int, 1, 1)(np.where(outside, 0, ids)), dtype=int)
        named["embedding"] = table[rows[:, 0]][:, None]


def _broadcasts(shape: tuple[int, ...], grid: tuple[int, ...]) -> bool:
    return all(mine in (1, its) for mine, its in zip(shape[::-1], grid[::-1], strict=False))
