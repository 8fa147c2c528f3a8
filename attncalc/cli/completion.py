"""What completion offers for cells and paths, from the scenario's JSON alone: NumPy would make the key slow."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from attncalc.core import names
from attncalc.core.labels import distinct
from attncalc.errors import AttncalcError
from attncalc.scenario_files.edits import value_at

BY_KEY = ("scores", "scaled", "capped", "biased", "masked", "shifted", "exponentials", "weights", "terms")
OF_KEYS = ("k", "v", "normed_k", "rotated_k", "all_k", "all_v")
SAFE = re.compile(r"[^\W_][\w#.+-]*")
"""Labels that every shell takes as they are; the others are offered as positions."""

VALUES = {
    "mask": ("none", "causal"), "weighting": ("softmax", "linear", "uniform", "self"), "shift": ("true", "false"),
    "scale": ("sqrt_d_k", "d_k", "sqrt_d_model", "none"), "empty_rows": ("zero", "nan", "uniform", "error"),
    "arithmetic": names.ARITHMETICS, "rounding": names.ROUNDINGS,
}  # fmt: skip


def cell_words(context: typer.Context, incomplete: str) -> list[str]:
    """The next word of a cell: a step, then labels of its queries and keys."""
    words: Sequence[str] = context.params.get("cell") or []
    document = _document(context)
    if not words:
        return _starting(names.STEPS, incomplete)
    tokens = document.get("tokens")
    asking = document.get("query_tokens") or tokens
    labels = tokens if words[0] in OF_KEYS or (len(words) == 2 and words[0] in BY_KEY) else asking
    places = 2 if words[0] in BY_KEY else 1  # features are numbers
    return _starting(_words(labels), incomplete) if len(words) <= places else []


def path_words(context: typer.Context, incomplete: str) -> list[str]:
    """Paths of the scenario, `scores.0=`, and after the sign the words that a key takes."""
    document = _document(context)
    path, equals, _ = incomplete.partition("=")
    if equals:
        return _starting([f"{path}={value}" for value in VALUES.get(path, ())], incomplete)
    *before, begun = path.split(".")
    return _starting(_paths(document, before, begun), incomplete)


def _paths(document: dict[str, Any], before: Sequence[str], begun: str) -> Iterator[str]:
    """The paths that go on from some segments: keys, or positions; labels where one is begun."""
    value = _held(document, before) if before else document
    inside = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    labels = (*_words(document.get("query_tokens")), *_words(document.get("tokens"))) if before and begun else ()
    named = [label for label in labels if isinstance(value, list) and "." not in label]
    known = [*inside, *named, *(() if before else VALUES)]
    for key in dict.fromkeys(map(str, known)):
        held = _held(document, (*before, key))
        if held is not None or not before:
            yield ".".join((*before, key)) + ("." if isinstance(held, list | dict) else "=")


def _held(document: dict[str, Any], path: Sequence[str]) -> Any:
    """What stands at a path as `--set` would find it, None where it would not."""
    try:
        return value_at(document, ".".join(path))
    except AttncalcError:
        return None


def _words(labels: Any) -> list[str]:
    """Labels as a shell takes them: the first of several alike is `the#1`."""
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        return []
    shown = [f"{label}#1" if labels.count(label) > 1 else label for label in distinct(labels)]
    return [label if SAFE.fullmatch(label) and not label.isdigit() else str(i) for i, label in enumerate(shown)]


def _document(context: typer.Context) -> dict[str, Any]:
    """The scenario that the line names so far, or nothing where it cannot be read."""
    from attncalc.scenario_files.json_text import inside_a_trace, parse
    from attncalc.scenario_files.sources import read

    named = next(filter(None, map(context.params.get, ("scenario", "scenarios", "source", "name"))), None)
    named = named or context.args  # behind an option that waits for its value the arguments are not taken apart
    source = named[0] if isinstance(named, list | tuple) and named else named or ""
    if not source or source == "-":
        return {}
    try:
        document = parse(read(source), source)
    except AttncalcError:
        return {}
    inside = inside_a_trace(document) if isinstance(document, dict) else None
    found = inside if isinstance(inside, dict) else document
    return found if isinstance(found, dict) else {}


def _starting(words: Iterator[str] | Sequence[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
