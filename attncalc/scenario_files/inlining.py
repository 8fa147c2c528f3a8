"""Arrays in files written into the document itself, so that a single number can change or the file can move."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from attncalc.core.figures import Literal
from attncalc.errors import UsageError
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.edits import segments_of
from attncalc.scenario_files.json_text import inside_a_trace
from attncalc.scenario_files.number_arrays import KINDS, REFERENCE

PARTS = (*KINDS, "key", "index", "columns")
"""What a reference itself is made of: a change of these leaves it one."""

MOST_WRITTEN = 1_000_000
"""Numbers of a file that are written into a document: some hundred megabytes."""

Place = tuple[str, ...]


def is_reference(value: Any) -> bool:
    """Whether a value of a document stands for an array in a file; what is wrong with one is said by the reading."""
    if not isinstance(value, dict) or not any(kind in value for kind in KINDS):
        return False
    faults: list[str] = []
    REFERENCE.check(value, "", lambda path, code, **fields: faults.append(code))
    return not faults


def references(document: Any) -> Iterator[dict[str, Any]]:
    """The references to files in a document, which may be nested deeper than functions can be called."""
    values = [document]
    while values:
        value = values.pop()
        if is_reference(value):
            yield value
        elif isinstance(value, dict):
            values += value.values()


def opened(document: Any, changes: Iterable[str], folder: Folder) -> Any:
    """The document with those arrays in files put in of which a change means a single number."""
    inside = inside_a_trace(document) if isinstance(document, dict) else None
    if isinstance(inside, dict):
        return {**document, "scenario": opened(inside, changes, folder)}
    paths = [tuple(segment.text for segment in segments_of(change)[0]) for change in changes]

    def meant(place: Place, reference: dict[str, Any]) -> bool:
        ahead = [path[len(place)] for path in paths if path[: len(place)] == place and len(path) > len(place)]
        return any(part not in PARTS for part in ahead)

    return _put_in(document, (), meant, folder)


def moved(document: dict[str, Any], old: Folder, new: Path) -> dict[str, Any]:
    """The document as it can be read from another folder: arrays in files that are others there are put in."""
    from attncalc.scenario_files.array_files import file_of

    def away(place: Place, reference: dict[str, Any]) -> bool:
        return file_of(reference, old) != file_of(reference, old._replace(path=new))

    result: dict[str, Any] = _put_in(document, (), away, old)
    return result


def _put_in(value: Any, place: Place, chosen: Callable[[Place, dict[str, Any]], bool], folder: Folder) -> Any:
    """The value with the chosen references below it as lists of numbers; what does not change is shared."""
    if is_reference(value):
        return _numbers(value, folder, ".".join(place)) if chosen(place, value) else value
    if not isinstance(value, dict):
        return value
    parts = {key: _put_in(part, (*place, key), chosen, folder) for key, part in value.items()}
    if all(parts[key] is value[key] for key in value):
        return value
    result = copy.copy(value)
    result.update(parts)
    return result


def _numbers(reference: dict[str, Any], folder: Folder, place: str) -> Any:
    """The numbers of a reference as lists; refused where they are too many to stand in a document."""
    from attncalc.scenario_files.array_files import load_array

    values = load_array(reference, folder, place)
    if values.size > MOST_WRITTEN:
        file = next(reference[kind] for kind in KINDS if kind in reference)
        raise UsageError.of("array-not-written", place, file=file, count=f"{values.size:,}", most=f"{MOST_WRITTEN:,}")
    return _literals(values.tolist())


def _literals(value: Any) -> Any:
    if isinstance(value, list):
        return [_literals(part) for part in value]
    return "-Infinity" if value == float("-inf") else Literal(repr(value))
