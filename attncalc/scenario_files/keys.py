"""The keys of a scenario file: one table that the reader follows and that `attncalc schema` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attncalc.core.bounded import Values
from attncalc.core.figures import ROUNDINGS, Literal
from attncalc.core.names import ARITHMETICS, MOST_PLACES
from attncalc.pipelines.standard import STEP_NAMES
from attncalc.scenario_files.kinds import (
    Choice,
    Either,
    Fields,
    Flag,
    Keys,
    Kind,
    Name,
    Number,
    Refused,
    Report,
    Text,
)
from attncalc.scenario_files.number_arrays import KINDS, Numbers
from attncalc.scenario_files.word_kinds import Label, Many

SCALES = ("sqrt_d_k", "d_k", "sqrt_d_model", "none")
WEIGHTINGS = ("softmax", "linear", "uniform", "self")
POLICIES = ("zero", "nan", "uniform", "error")
PAIRS = ("halves", "neighbours")
CORNERS = ("top-left", "bottom-right")
STARTS = ("scores", "q", "x", "ids", "weights")

PLACES = Number(least=0, most=MOST_PLACES, whole=True)
SIZE = Number(least=1, whole=True)
HEADS = Number(least=1, most=1024, whole=True)  # no array need say them, so a small file could ask for any number
PER_HEAD = Numbers((2, 3, 4))
MATRIX = Numbers((2,))
PROJECTION = Numbers((2,), word="identity")
VECTOR = Numbers((1,))
SCORES = Numbers((1, 2, 3, 4), hiding=True)
PRINTED = Numbers((0, 1, 2, 3, 4, 5), hiding=True, gaps=True, references=False)

BY_STEP = Fields(dict.fromkeys(("default", *STEP_NAMES), PLACES))


class MaskParts(Fields):
    """The parts of a mask; an array in a file, like a bare array, does not say what its 1 means."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """The parts by name."""
        if isinstance(value, dict) and {*KINDS, "key"} & set(value):
            return report(path, "bare-mask")
        super().check(value, path, report)


MASK = MaskParts(
    {
        "causal": Either((((bool,), Flag(True, "true")), ((str,), Choice(CORNERS)))),
        "window": SIZE,
        "hide": Many(Label()),
        "key_lengths": Either((((Literal,), Number(least=0, whole=True)), ((list, dict), Numbers((1,), whole=True)))),
        "keep": Numbers((1, 2, 3, 4), flags=True),
        "drop": Numbers((1, 2, 3, 4), flags=True),
    }
)
NORM = Fields(
    {
        "where": Choice(("pre", "post")),
        "kind": Choice(("layer", "rms")),
        "gain": VECTOR,
        "bias": VECTOR,
        "eps": Number(least=0),
    }
)


class ByLabel(Numbers):
    """Printed results: an array, or an object from query label to row."""

    def check(self, value: Any, path: str, report: Any) -> None:
        """Rows under labels are checked like arrays."""
        if not isinstance(value, dict):
            return super().check(value, path, report)
        shape = self._plain_shape(list(value.values()))  # one look at them all, where nothing is wrong
        if shape is None or len(shape) - 1 not in self.ranks:
            for label, row in value.items():
                super().check(row, f"{path}.{label}", report)

    def schema(self) -> dict[str, Any]:
        """An array or an object of arrays."""
        array = super().schema()
        return {"anyOf": [array, {"type": "object", "additionalProperties": array}]}


EXPECTED = ByLabel(PRINTED.ranks, hiding=True, gaps=True, references=False)

KEYS: dict[str, Kind] = {
    "$schema": Text(),
    "title": Text(),
    "about": Text(),
    "source": Fields({"title": Text(), "url": Text()}),
    "made_up": Either((((bool,), Flag(True, "wanted-made-up")), ((list,), Keys())), "wanted-made-up"),
    "tokens": Many(Name("not-a-label")),
    "query_tokens": Many(Name("not-a-label")),
    "query": Either((((str, Literal), Label()), ((list,), Many(Label())))),
    "scores": SCORES,
    "q": PER_HEAD,
    "k": PER_HEAD,
    "v": PER_HEAD,
    "x": Numbers((2, 3)),
    "memory": Numbers((2, 3)),
    "ids": Numbers((1, 2), whole=True),
    "embedding": MATRIX,
    "positions": MATRIX,
    "weights": Numbers((1, 2, 3, 4)),
    "w_q": PROJECTION,
    "w_k": PROJECTION,
    "w_v": PROJECTION,
    "b_q": VECTOR,
    "b_k": VECTOR,
    "b_v": VECTOR,
    "w_o": MATRIX,
    "b_o": VECTOR,
    "layout": Choice(("in_out", "out_in")),
    "heads": HEADS,
    "kv_heads": HEADS,
    "qk_norm": Fields({"eps": Number(least=0), "q_gain": VECTOR, "k_gain": VECTOR}),
    "rope": Fields({"base": Number(above=0), "pairs": Choice(PAIRS)}),
    "past": Fields({"k": PER_HEAD, "v": PER_HEAD}),
    "scale": Either((((str,), Choice(SCALES, "wanted-scale")), ((Literal,), Number())), "wanted-scale"),
    "d_k": SIZE,
    "d_model": SIZE,
    "temperature": Number(above=0),
    "softcap": Number(above=0),
    "alibi": Either((((bool,), Flag(True, "true")), ((list, dict), VECTOR))),
    "bias": SCORES,
    "mask": Either((((str,), Choice(("none", "causal"))), ((dict,), MASK), ((list,), Refused("bare-mask")))),
    "sink": Either((((Literal,), Number()), ((list, dict), VECTOR))),
    "weighting": Choice(WEIGHTINGS),
    "base": Number(above=0, other_than=1),
    "shift": Flag(),
    "empty_rows": Choice(POLICIES),
    "algorithm": Choice(("plain", "online")),
    "block": SIZE,
    "norm": NORM,
    "residual": Either(
        (((bool,), Flag(True, "wanted-residual")), ((list, dict), Numbers((1, 2, 3)))), "wanted-residual"
    ),
    "arithmetic": Choice(ARITHMETICS),
    "places": PLACES,
    "by_hand": Either((((Literal,), PLACES), ((dict,), BY_STEP)), "wanted-by-hand"),
    "rounding": Choice(tuple(ROUNDINGS)),
    "expect": Fields(dict.fromkeys((*STEP_NAMES, "weights_sum"), EXPECTED)),
}

SCENARIO = Fields(KEYS)


def number_arrays(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The arrays of a document with their paths (`q`, `past.k`), written out or as references to files."""
    for key, kind in KEYS.items():
        if key != "expect" and key in document:
            yield from _arrays_in(kind, document[key], key)


def _arrays_in(kind: Kind, value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(kind, Either):
        for types, part in kind.kinds:
            if isinstance(value, types):
                yield from _arrays_in(part, value, path)
    elif isinstance(kind, Numbers):
        if isinstance(value, list | dict):
            yield path, value
    elif isinstance(kind, Fields) and isinstance(value, dict):
        for name, part in value.items():
            if name in kind.fields:
                yield from _arrays_in(kind.fields[name], part, f"{path}.{name}")


def check_loaded(path: str, values: Values, report: Report) -> None:
    """What the form of a written array says, for one from a file: its number of axes, whole numbers."""
    kind: Any = KEYS[path.split(".")[0]]
    for name in path.split(".")[1:]:
        kind = _alternative(kind, Fields).fields[name]
    _alternative(kind, Numbers).check_loaded(values, path, report)


def _alternative(kind: Any, wanted: type) -> Any:
    """The kind itself, or that of its alternatives which is of the wanted sort."""
    if isinstance(kind, Either):
        return next(part for _, part in kind.kinds if isinstance(part, wanted))
    return kind


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
