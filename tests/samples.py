"""Scenarios that tests start from, and the few lines that run them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from rivals.random_scenarios import as_json, documents, documents_by_hand

from attncalc import load, run
from attncalc.core.stage import Step, Trace
from attncalc.document.view import View, say_in
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

BUILT_IN = tuple(builtin.names())
BY_HAND = ("apple-chars", "bought-apple", "draw")
LANGUAGES = ("en", "zh")
DATA = Path(__file__).parent / "data"

DRAW: dict[str, Any] = {
    "tokens": ["I", "like", "to", "draw"],
    "scores": [1.8, 0.2, 0.6, -0.3],
    "v": [[0.9, 0.1, 0.4], [0.2, 0.8, 0.3], [0.5, 0.5, 0.6], [0.3, 0.2, 0.9]],
}
"""The numbers of `draw` without the words around them, exact by default."""


def trace_of(document: dict[str, Any], *changes: str, terms: bool = False, **options: str) -> Trace:
    """The trace of a document with changes and options as the command line would give them."""
    return run(load(document, changes, options), terms)


def trace_of_text(text: str, **options: str) -> Trace:
    """The trace of a scenario file's text."""
    return run(scenario_of(parse(text.encode(), "text"), "text", (), options))


def random_traces(count: int, seed: int, **options: str) -> Iterator[Trace]:
    """Traces of random documents."""
    for document in documents(seed, count):
        yield trace_of_text(as_json(document), **options)


def random_hand_texts(count: int, seed: int) -> Iterator[str]:
    """Texts of random documents with `by_hand`; some of them have a total that rounds to 0."""
    return map(as_json, documents_by_hand(seed, count))


def flat(nested: Any) -> list[Any]:
    """The cells of nested lists in order."""
    return list(chain.from_iterable(map(flat, nested))) if isinstance(nested, list) else [nested]


def softmax(scores: Any) -> Any:
    """Row by row, as a textbook writes it."""
    exponentials = np.exp(scores)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def computed(trace: Trace) -> Iterator[Step]:
    """The steps that were calculated."""
    return (step for step in trace if not step.stage.given)


def view_in(language: str = "en") -> View:
    """A view that asks for everything."""
    return View(say_in(language), language=language, everything=True)


def sentences(trace: Trace, language: str = "en") -> dict[str, list[str]]:
    """The notes of a trace as sentences, by code."""
    from attncalc.document.heading import note_text

    found: dict[str, list[str]] = {}
    for note in trace.notes:
        found.setdefault(note.code, []).append(note_text(note, trace, view_in(language)))
    return found
