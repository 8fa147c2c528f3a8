"""Scenarios with more keys than a tile, and what a summary must say of a trace."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from attncalc import Trace
from attncalc.long.loading import Ready, load_long, ready
from attncalc.long.problem import Asked
from attncalc.long.summary import Summary
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.sources import Source

AFTER = ("joined", "output", "residual", "post_mean", "post_variance", "post_normed", "post_gained")
KEYS = 70
POLICIES = ("zero", "nan", "uniform")


def prepared(text: str, kind: str, folder: Path = Path()) -> Ready:
    """The problem of a scenario file's text."""
    source = Source("scenario", Folder(folder), parse(text.encode(), "scenario"))
    return ready(load_long(source, (), {"arithmetic": kind}))


def long_document(rng: Random) -> dict[str, Any]:
    """Queries, keys and values over several tiles, with some of the options."""
    numbers = np.random.default_rng(rng.randrange(2**32))
    heads, kv_heads, batch = rng.choice([(1, 1, 1), (2, 1, 1), (4, 2, 1), (2, 2, 2)])
    lead = () if heads == 1 else (heads,) if batch == 1 else (batch, heads)
    kv_lead = () if heads == 1 else (kv_heads,) if batch == 1 else (batch, kv_heads)

    def array(*shape: int, size: float = 1.0) -> Any:
        return np.round(size * numbers.standard_normal(shape), 3).tolist()

    document: dict[str, Any] = {"q": array(*lead, KEYS, 6), "k": array(*kv_lead, KEYS, 6)}
    document |= {"v": array(*kv_lead, KEYS, 3), "heads": heads, "kv_heads": kv_heads}
    for key, value in {
        "softcap": 1.5, "alibi": True, "bias": array(KEYS, KEYS), "sink": 0.7, "base": 2, "temperature": 3,
        "scale": -0.4, "rope": {"pairs": "halves"}, "qk_norm": {}, "empty_rows": rng.choice(POLICIES),
    }.items():  # fmt: skip
        if rng.random() < 0.3:
            document[key] = value
    if rng.random() < 0.8:
        document["mask"] = _mask(rng, numbers, batch)
    return document


def _mask(rng: Random, numbers: np.random.Generator, batch: int) -> dict[str, Any]:
    """Some of the parts, so that now and then a row sees nothing."""
    parts = {
        "causal": True, "window": rng.choice((1, 5, 20, 69)), "hide": [0, 17, 18, 40],
        "key_lengths": [33, 70][:batch] if batch == 2 else 50, "keep": (numbers.random((KEYS, KEYS)) < 0.3).tolist(),
        "drop": (numbers.random(KEYS) < 0.4).tolist(),
    }  # fmt: skip
    return {name: value for name, value in parts.items() if rng.random() < 0.4} or {"causal": True}


def in_files(document: dict[str, Any], folder: Path, kind: str) -> str:
    """The text of the document with its large arrays in files of a type of number."""
    changed = dict(document)
    for name in ("q", "k", "v", "x", "memory", "scores", "weights", "bias", "residual"):
        if isinstance(changed.get(name), list):
            np.save(folder / f"{name}.npy", np.array(changed[name], dtype=kind))
            changed[name] = {"npy": f"{name}.npy"}
    mask = changed.get("mask")
    if isinstance(mask, dict) and "keep" in mask:
        np.savez(folder / "mask.npz", keep=np.array(mask["keep"]))
        changed["mask"] = {**mask, "keep": {"npz": "mask.npz", "key": "keep"}}
    return json.dumps(changed)


def assert_summarises(found: Summary, trace: Trace, asked: Asked, tolerance: float, words: str = "") -> None:
    """Every array of the summary is what the steps of the trace say."""

    def close(name: str, got: Any, wanted: Any) -> None:
        wanted = np.asarray(wanted, dtype=np.float64)
        np.testing.assert_allclose(
            np.asarray(got, dtype=np.float64), wanted, tolerance, tolerance, err_msg=f"{name} of {words}"
        )

    weights = trace["weights"].cells.astype(np.float64)
    if "context" in trace:
        close("context", found.context, trace["context"].cells)
    assert set(found.steps) == {step.name for step in trace if step.name in AFTER}
    for name, values in found.steps.items():
        close(name, values, trace[name].cells)
    keys = weights.shape[-1]
    close("first", found.figures["first"], weights[..., 0])
    with np.errstate(all="ignore"):
        terms = np.where(weights == 0, 0, weights * np.log(weights))
    close("entropy", found.figures["entropy"], -terms.sum(axis=-1))
    places = found.problem.hiding.positions
    if found.problem.own:
        far = np.abs(np.arange(keys) - places[:, None])
        close("itself", found.figures["itself"], np.where(far == 0, weights, 0).sum(axis=-1))
        close("near", found.figures["near"], np.where(far < asked.near, weights, 0).sum(axis=-1))
    assert found.keys is not None
    assert found.weights is not None
    there = found.keys >= 0
    at = np.take_along_axis(weights, np.where(there, found.keys, 0), axis=-1)
    close("weights of the keys", np.where(there, found.weights, 0), np.where(there, at, 0))
    if not (weights < 0).any():
        close("the largest", found.largest, weights.max(axis=-1))
    if not (np.isnan(weights).any() or (weights < 0).any()):
        wanted = -np.sort(-weights, axis=-1)[..., : asked.top]
        close("largest", np.where(there, found.weights, 0)[..., : wanted.shape[-1]], wanted)
