"""The keys of a scenario file: one table that the reader follows and that `attncalc schema` prints."""

from __future__ import annotations

from typing import Any

from attncalc.core.figures import ROUNDINGS, Literal
from attncalc.pipelines.standard import STEP_NAMES
from attncalc.scenario_files.kinds import (
    Choice,
    Either,
    Fields,
    Flag,
    Kind,
    Label,
    Labels,
    Many,
    Number,
    Text,
)
from attncalc.scenario_files.number_arrays import Numbers

SCALES = ("sqrt_d_k", "d_k", "sqrt_d_model", "none")
WEIGHTINGS = ("softmax", "linear", "uniform", "self")
MASKS = ("none", "causal")
POLICIES = ("zero", "nan", "uniform", "error")
ARITHMETICS = ("exact", "float64", "by-hand")
STARTS = ("scores", "q", "x", "ids", "weights")
MOST_PLACES = 50

PLACES = Number(least=0, most=MOST_PLACES, whole=True)
SIZE = Number(least=1, whole=True)
MATRIX = Numbers((2,))
PROJECTION = Numbers((2,), word="identity")
BIAS = Numbers((1,))
SCORES = Numbers((1, 2), hiding=True)
PRINTED = Numbers((0, 1, 2, 3), hiding=True, gaps=True)


class ByLabel(Numbers):
    """Printed results: an array, or an object from query label to row."""

    def check(self, value: Any, path: str, report: Any) -> None:
        """Rows under labels are checked like arrays."""
        if not isinstance(value, dict):
            return super().check(value, path, report)
        for label, row in value.items():
            super().check(row, f"{path}.{label}", report)

    def schema(self) -> dict[str, Any]:
        """An array or an object of arrays."""
        array = super().schema()
        return {"anyOf": [array, {"type": "object", "additionalProperties": array}]}


EXPECTED = ByLabel((0, 1, 2, 3), hiding=True, gaps=True)

KEYS: dict[str, Kind] = {
    "$schema": Text(),
    "title": Text(),
    "about": Text(),
    "source": Fields({"title": Text(), "url": Text()}),
    "made_up": Either((((bool,), Flag(only=True)), ((list,), Labels()))),
    "tokens": Labels(),
    "query_tokens": Labels(),
    "query": Either((((str, Literal), Label()), ((list,), Many(Label())))),
    "scores": SCORES,
    "q": MATRIX,
    "k": MATRIX,
    "v": MATRIX,
    "x": MATRIX,
    "memory": MATRIX,
    "ids": Numbers((1,), whole=True),
    "embedding": MATRIX,
    "positions": MATRIX,
    "weights": Numbers((1, 2)),
    "w_q": PROJECTION,
    "w_k": PROJECTION,
    "w_v": PROJECTION,
    "b_q": BIAS,
    "b_k": BIAS,
    "b_v": BIAS,
    "w_o": MATRIX,
    "b_o": BIAS,
    "layout": Choice(("in_out", "out_in")),
    "scale": Either((((str,), Choice(SCALES)), ((Literal,), Number()))),
    "d_k": SIZE,
    "d_model": SIZE,
    "temperature": Number(above=0),
    "mask": Choice(MASKS),
    "weighting": Choice(WEIGHTINGS),
    "base": Number(above=0, other_than=1),
    "shift": Flag(),
    "empty_rows": Choice(POLICIES),
    "residual": Either((((bool,), Flag(only=True)), ((list,), Numbers((1, 2))))),
    "arithmetic": Choice(ARITHMETICS),
    "places": PLACES,
    "by_hand": Either((((Literal,), PLACES), ((dict,), Fields(dict.fromkeys(("default", *STEP_NAMES), PLACES))))),
    "rounding": Choice(tuple(ROUNDINGS)),
    "expect": Fields(dict.fromkeys((*STEP_NAMES, "terms", "weights_sum"), EXPECTED)),
}

SCENARIO = Fields(KEYS)


def holds_numbers(kind: Kind) -> bool:
    """Whether a key's list is an array of numbers of the calculation."""
    if isinstance(kind, Either):
        return any(isinstance(part, Numbers) for _, part in kind.kinds)
    return isinstance(kind, Numbers)


def json_schema() -> dict[str, Any]:
    """The JSON Schema of a scenario file, from the same table that the reader follows."""
    starts: list[dict[str, Any]] = [{"required": [name]} for name in STARTS]
    alone = {"required": ["v"], "not": {"anyOf": starts}, "properties": {"weighting": {"enum": ["uniform", "self"]}}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "attncalc scenario",
        **SCENARIO.schema(),
        "oneOf": [*starts, alone | {"required": ["v", "weighting"]}],
    }
