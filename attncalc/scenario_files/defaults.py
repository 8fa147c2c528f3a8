"""What a key means when it is left out, and which keys a scenario reads at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attncalc.core.figures import Literal

INNER_DEFAULTS = {
    "rope": {"base": Literal("10000")},
    "norm": {"eps": Literal("1e-5")},
    "qk_norm": {"eps": Literal("1e-5")},
}
PROJECTIONS = ("w_q", "w_k", "w_v")
MATRICES = (*PROJECTIONS, "w_o")


def weighting_of(document: Mapping[str, Any]) -> str:
    """How the scores become weights."""
    return str(document.get("weighting", "softmax"))


def from_scores(document: Mapping[str, Any], start: str) -> bool:
    """Whether the weights are made from scores."""
    return start in ("scores", "q", "x", "ids") and weighting_of(document) in ("softmax", "linear")


def softmax(document: Mapping[str, Any], start: str) -> bool:
    """Whether exponentials are taken."""
    return from_scores(document, start) and weighting_of(document) == "softmax"


def has_values(document: Mapping[str, Any], start: str) -> bool:
    """Whether there are values to mix."""
    return "v" in document or start in ("x", "ids")


def has_matrices(document: Mapping[str, Any]) -> bool:
    """Whether a weight matrix is given by its numbers."""
    return any(isinstance(document.get(name), list | dict) for name in MATRICES)


def with_defaults(document: Mapping[str, Any], start: str) -> dict[str, Any]:
    """The document and, after its own keys, the defaults that have a value and that this scenario reads."""
    filled = dict(document)
    if from_scores(document, start):
        filled.setdefault("scale", "none" if start == "scores" else "sqrt_d_k")
        filled.setdefault("temperature", Literal("1"))
    if start != "weights":
        filled.setdefault("mask", "none")
        filled.setdefault("weighting", "softmax")
        filled.setdefault("empty_rows", "zero")
    if document.get("algorithm") == "online":
        filled.setdefault("block", Literal("2"))
    if has_matrices(document):
        filled.setdefault("layout", "in_out")
    for key, inner in INNER_DEFAULTS.items():
        if isinstance(filled.get(key), dict):
            filled[key] = {**inner, **filled[key]}
    filled.setdefault("places", Literal("4"))
    filled.setdefault("rounding", "half-up")
    return filled
