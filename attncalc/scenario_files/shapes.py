"""The shapes of a scenario's arrays: do they fit together, and what sizes do they say."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.scenario_files.defaults import from_scores, has_values, weighting_of
from attncalc.scenario_files.kinds import Report

ROWS, COLUMNS = 0, 1


class Fit(NamedTuple):
    """Two lengths that must be one: the axis of a key, the axis of another, and the message that says why."""

    key: str
    axis: int
    other: str
    other_axis: int
    code: str


FITS: tuple[Fit, ...] = (
    Fit("k", COLUMNS, "q", COLUMNS, "fit-dot-product"),
    Fit("v", ROWS, "k", ROWS, "fit-one-value-a-key"),
    Fit("v", ROWS, "scores", COLUMNS, "fit-one-value-a-score"),
    Fit("v", ROWS, "weights", COLUMNS, "fit-one-value-a-weight"),
    Fit("positions", ROWS, "ids", ROWS, "fit-positions"),
    Fit("positions", COLUMNS, "embedding", COLUMNS, "fit-positions-width"),
    Fit("w_q", ROWS, "x", COLUMNS, "fit-projection"),
    Fit("w_k", ROWS, "key_input", COLUMNS, "fit-projection"),
    Fit("w_v", ROWS, "key_input", COLUMNS, "fit-projection"),
    Fit("b_q", COLUMNS, "q", COLUMNS, "fit-bias"),
    Fit("b_k", COLUMNS, "k", COLUMNS, "fit-bias"),
    Fit("b_v", COLUMNS, "v", COLUMNS, "fit-bias"),
    Fit("w_o", ROWS, "v", COLUMNS, "fit-output"),
    Fit("b_o", COLUMNS, "w_o", COLUMNS, "fit-bias"),
)


class Shape(NamedTuple):
    """The rows and columns of an array and the key they come from."""

    rows: int
    columns: int
    origin: str


class Shapes:
    """The arrays of one document, as matrices; finds every pair of lengths that do not fit."""

    def __init__(self, document: Mapping[str, Any], start: str, given: Mapping[str, Values], report: Report) -> None:
        self.document, self.start, self.report = document, start, report
        swapped = document.get("layout") == "out_in"
        self.arrays = {
            key: values.T if swapped and key in ("w_q", "w_k", "w_v", "w_o") else np.atleast_2d(values)
            for key, values in given.items()
        }
        if "ids" in self.arrays:
            self._embed()
        self.shapes = {key: Shape(values.shape[0], values.shape[1], key) for key, values in self.arrays.items()}
        self._derive()

    def _embed(self) -> None:
        """Replaces the embedding table by the rows that the ids ask for."""
        ids = [int(i) for i in self.arrays.pop("ids").flat]
        table = self.arrays.get("embedding")
        if table is None:
            return
        for position, row in enumerate(ids):
            if not 0 <= row < len(table):
                self.report(f"ids[{position}]", "id-out-of-range", id=row, last=len(table) - 1)
        rows = [row if 0 <= row < len(table) else 0 for row in ids]
        self.arrays["embedding"] = table[rows]

    def _derive(self) -> None:
        """The shapes of what is computed: x from ids, q, k and v from x."""
        shapes = self.shapes
        if "embedding" in shapes:
            shapes["x"] = Shape(shapes["embedding"].rows, shapes["embedding"].columns, "embedding")
            shapes["ids"] = Shape(shapes["embedding"].rows, 1, "ids")
        if "x" not in shapes:
            return
        shapes["key_input"] = shapes.get("memory", shapes["x"])
        for name, source in (("q", "x"), ("k", "key_input"), ("v", "key_input")):
            matrix = shapes.get(f"w_{name}", shapes[source])
            shapes[name] = Shape(shapes[source].rows, matrix.columns, matrix.origin)

    def check(self) -> None:
        """Reports the lengths that do not fit, each with both sizes and where they come from."""
        for fit in FITS:
            if fit.key in self.shapes and fit.other in self.shapes and self._is_read(fit):
                self._fit(fit)
        rows, columns = self.grid[2:]
        if weighting_of(self.document) == "self" and self.start != "weights" and rows != columns and not self.single:
            self.report("weighting", "self-needs-square", queries=rows, keys=columns)
        self._check_residual()

    def _fit(self, fit: Fit) -> None:
        mine, other = self.shapes[fit.key], self.shapes[fit.other]
        found, wanted = mine[fit.axis], other[fit.other_axis]
        if found != wanted:
            place = mine.origin if fit.key not in self.document else fit.key
            self.report(place, fit.code, found=found, wanted=wanted, other=other.origin)

    def _is_read(self, fit: Fit) -> bool:
        if {fit.key, fit.other} == {"q", "k"}:
            return from_scores(self.document, self.start)
        return True

    @property
    def single(self) -> bool:
        """Whether the scores or weights are those of one query, one-dimensional."""
        value = self.document.get(self.start)
        return self.start in ("scores", "weights") and isinstance(value, list) and not isinstance(value[0], list)

    @property
    def grid(self) -> tuple[int, int, int, int]:
        """Batch, heads, queries, keys."""
        shapes = self.shapes
        if self.start in ("scores", "weights"):
            queries, keys = shapes[self.start][:2]
        elif self.start == "v":
            queries = keys = shapes["v"].rows
        else:
            queries, keys = (shapes[name].rows if name in shapes else 0 for name in ("q", "k"))
        return 1, 1, queries, keys

    def _output(self) -> Shape | None:
        if not has_values(self.document, self.start) or "v" not in self.shapes:
            return None
        last = self.shapes.get("w_o", self.shapes["v"])
        return Shape(self.grid[2], last.columns, last.origin)

    def _check_residual(self) -> None:
        output, residual = self._output(), self.shapes.get("residual")
        if output is None:
            return
        if residual is not None and residual[:2] != output[:2]:
            found, wanted = (f"{shape.rows}×{shape.columns}" for shape in (residual, output))
            self.report("residual", "fit-residual", found=found, wanted=wanted, other=output.origin)
        if self.document.get("residual") is True and "x" in self.shapes and self.shapes["x"].columns != output.columns:
            x = self.shapes["x"]
            self.report("residual", "fit-residual-x", found=x.columns, wanted=output.columns, other=output.origin)

    def width(self) -> int | None:
        """What a named scale divides by, before its root."""
        scale = self.document.get("scale")
        if scale == "sqrt_d_model":
            return self.shapes["x"].columns if "x" in self.shapes else int(self.document["d_model"])
        if scale in ("sqrt_d_k", "d_k") and from_scores(self.document, self.start):
            return self.shapes["q"].columns if "q" in self.shapes else int(self.document["d_k"])
        return None

    def lifted(self) -> tuple[dict[str, Values], tuple[int, int, int, int], dict[str, int]]:
        """The arrays with all four axes, the grid, and the widths that the shapes say."""
        self.check()
        sizes = {name: self.shapes[key].columns for name, key in SIZES.items() if key in self.shapes}
        return {key: values.reshape(1, 1, *values.shape) for key, values in self.arrays.items()}, self.grid, sizes


SIZES = {"d_k": "q", "d_v": "v", "d_model": "x"}
