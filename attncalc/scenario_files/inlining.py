"""Arrays in files written into the document itself, so that a single number can change or the file can move."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from attncalc.core.figures import Literal
from attncalc.scenario_files import builtin
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.edits import segments_of
from attncalc.scenario_files.json_text import inside_a_trace
from attncalc.scenario_files.number_arrays import FILES


def is_reference(value: Any) -> bool:
    """Whether a value of a document stands for an array in a file."""
    return isinstance(value, dict) and any(kind in value for kind in FILES)


def inlined(document: dict[str, Any], keys: Collection[str], folder: Path) -> dict[str, Any]:
    """The document with the arrays of these keys as lists of numbers, every digit of their doubles."""
    document = copy.copy(document)
    for key in keys:
        document[key] = _literals(load_array(document[key], folder, key).tolist())
    return document


def opened(document: Any, changes: Iterable[str], folder: Path) -> Any:
    """The document with those arrays in files put in of which a change means a single number."""
    target = (inside_a_trace(document) or document) if isinstance(document, dict) else document
    if not isinstance(target, dict):
        return document
    paths = (segments_of(change)[0] for change in changes)
    keys = {path[0].text for path in paths if len(path) > 1 and path[1].position is not None}
    inside = inlined(target, [key for key in keys if is_reference(target.get(key))], folder)
    return inside if target is document else {**document, "scenario": inside}


def moved(document: dict[str, Any], old: Path, new: Path) -> dict[str, Any]:
    """The document as it can be read from another folder: arrays in files that are not found there are put in."""
    if old.resolve() == new.resolve():
        return document
    away = [key for key, value in document.items() if is_reference(value) and not _built_in(value)]
    return inlined(document, away, old)


def _built_in(reference: dict[str, Any]) -> bool:
    """Whether the file belongs to the built-in scenarios, which are found from anywhere."""
    return any((builtin.folder() / str(reference[kind])).is_file() for kind in FILES if kind in reference)


def _literals(value: Any) -> Any:
    if isinstance(value, list):
        return [_literals(part) for part in value]
    return "-Infinity" if value == float("-inf") else Literal(repr(value))
