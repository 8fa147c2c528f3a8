"""A scenario that refers to the arrays of files, each found by its name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from attncalc.errors import AttncalcError, ScenarioError, UsageError, nearest, shortened, some
from attncalc.scenario_files.array_names import kind_of, names_in
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.defaults import has_matrices
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.keys import KEYS
from attncalc.scenario_files.kinds import Either, Fields, Kind
from attncalc.scenario_files.load import scenario_from
from attncalc.scenario_files.number_arrays import Numbers
from attncalc.scenario_files.sources import Source


class Start(NamedTuple):
    """Where a calculation may start: the arrays it needs, and those that go with them."""

    needs: tuple[str, ...]
    takes: tuple[str, ...] = ()
    with_values: tuple[str, ...] = ("w_o", "b_o")  # read only where there are values


PROJECTED = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v", "memory", "w_o", "b_o")

STARTS: tuple[Start, ...] = (
    Start(("x", "w_q", "w_k", "w_v"), PROJECTED),
    Start(("ids", "embedding", "w_q", "w_k", "w_v"), (*PROJECTED, "positions")),
    Start(("q", "k"), ("v",)),
    Start(("scores",), ("v",)),
    Start(("weights",), ("v",)),
    Start(("ids", "embedding"), ("positions", "memory", "w_o", "b_o")),
    Start(("x",), ("memory", "w_o", "b_o")),
)
"""From the first number of a calculation on: what a later one starts from is a result of an earlier."""

KEY_OF = {
    "query": "q", "queries": "q", "key": "k", "keys": "k", "value": "v", "values": "v",
    **{key.replace("_", ""): key for start in STARTS for key in (*start.needs, *start.takes, *start.with_values)},
}  # fmt: skip
"""Which array a name means, in small letters and without underscores."""


class Found(NamedTuple):
    """One array: its name, the file it is in, and how a scenario refers to it."""

    name: str
    file: str
    reference: dict[str, Any]


class Referring(NamedTuple):
    """A document that refers to arrays, and the names of those that it leaves aside."""

    document: dict[str, Any]
    unused: tuple[str, ...]


def referring(files: Sequence[str], folder: Folder, maps: Sequence[str] = ()) -> Referring:
    """The document, for a scenario in the folder, of the arrays in the files; `maps` are such as `q=query_states`.

    An array is used for the key of its name, in small letters or capitals, `w_q` also as `wq`.
    """
    arrays = {found.name: found for found in _all_found(files, folder)}
    mapped = _mapped(maps, arrays)
    left = [name for name in arrays if name not in mapped.values()]
    named = sorted(left, key=lambda name: name != key_of(name))  # the very name goes before one in capitals
    by_key = {**{key: name for name in reversed(named) if (key := key_of(name))}, **mapped}
    start = _start(by_key, mapped)
    if start is None:
        raise _no_start(", ".join(files), by_key, arrays)
    used = {**{key: by_key[key] for key in _read(start, by_key)}, **mapped}
    document: dict[str, Any] = {}
    for key in sorted(used, key=array_keys().index):
        _put(document, key, arrays[used[key]].reference)
    return Referring(document, tuple(name for name in arrays if name not in used.values()))


class Fitted(NamedTuple):
    """A source that can be read, and whether its weight matrices had to be taken as nn.Linear stores them."""

    source: Source
    turned: bool


def fitting(source: Source, changes: Sequence[str], options: Mapping[str, Any]) -> Fitted:
    """The source with its changes, weight matrices as x·W reads them or, where only that fits, as nn.Linear has them.

    Raises a ScenarioError where neither fits.
    """
    made = changed(source, changes, options)
    try:
        scenario_from(made)
    except ScenarioError:
        other = made._replace(document={**made.document, "layout": "out_in"})
        if "layout" in made.document or not has_matrices(made.document) or not _loads(other):
            raise
        return Fitted(other, True)
    return Fitted(made, False)


def _loads(source: Source) -> bool:
    try:
        scenario_from(source)
    except ScenarioError:
        return False
    return True


def _all_found(files: Sequence[str], folder: Folder) -> Iterator[Found]:
    seen: dict[str, str] = {}
    for file in files:
        kind, beside = kind_of(file), _beside(file, folder)
        for name in names_in(file):
            if name in seen:
                raise UsageError.of("from-same-name", file, name=name, other=seen[name])
            seen[name] = file
            yield Found(name, file, {kind: beside, **({} if kind == "npy" else {"key": name})})


def _beside(file: str, folder: Folder) -> str:
    """The file's path as a scenario in the folder writes it."""
    here, there = os.path.abspath(folder.path), os.path.abspath(file)
    try:
        path = os.path.relpath(there, here)
    except ValueError:  # another drive
        path = there if folder.outside else os.pardir
    if PurePath(path).parts[0] == os.pardir and not folder.outside:
        raise UsageError.of("from-outside", file, folder=here, example=os.path.join(os.path.dirname(there), "new.json"))
    return PurePath(path).as_posix()


def key_of(name: str) -> str:
    """The key of a scenario that an array of that name is meant for, or an empty text."""
    return KEY_OF.get(name.lower().replace("_", ""), "")


def _mapped(maps: Sequence[str], arrays: Mapping[str, Found]) -> dict[str, str]:
    """Key to name as it is asked for."""
    mapped: dict[str, str] = {}
    for text in maps:
        place = f"--map {shortened(text)}"
        key, equals, name = text.partition("=")
        if not (key and equals and name):
            raise UsageError.of("map-syntax", place, example="q=query_states")
        if key not in array_keys():
            known = ", ".join(array_keys())
            raise UsageError.of("map-key", place, found=key, near=nearest(key, array_keys()), known=known)
        if name not in arrays:
            raise UsageError.of(
                "no-such-array", place, found=name, near=nearest(name, arrays), known=some(tuple(arrays))
            )
        if key in mapped:
            raise UsageError.of("map-twice", place, found=key)
        mapped[key] = name
    return mapped


def _start(by_key: Mapping[str, str], mapped: Mapping[str, str]) -> Start | None:
    """The first starting point that is there; one that was asked for goes before the others."""
    there = [start for start in STARTS if all(key in by_key for key in start.needs)]
    asked = [start for start in there if set(start.needs) & set(mapped)]
    return next(iter((*asked, *there)), None)


def _no_start(place: str, by_key: Mapping[str, str], arrays: Mapping[str, Found]) -> AttncalcError:
    """What is missing beside the arrays of the start that is most nearly there."""
    known = some(tuple(arrays))
    parted = (_parted(start, by_key) for start in STARTS)
    there, missing = max(parted, key=lambda parts: (len(parts[0]), -len(parts[1])))
    if not there:
        return UsageError.of("from-no-start", place, known=known)
    found = ", ".join(by_key[key] for key in there)
    return UsageError.of("from-half", place, found=found, missing=", ".join(missing), known=known, key=missing[0])


def _parted(start: Start, by_key: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """The keys a start needs: those that are there, and those that are not."""
    return [key for key in start.needs if key in by_key], [key for key in start.needs if key not in by_key]


def _read(start: Start, by_key: Mapping[str, str]) -> Iterator[str]:
    """The keys that a scenario with this start reads, of those that are there."""
    values = "v" in by_key or start.needs[0] in ("x", "ids")
    for key in dict.fromkeys((*start.needs, *start.takes, *(start.with_values if values else ()))):
        if key in by_key and (key != "b_o" or "w_o" in by_key):
            yield key


def _put(document: dict[str, Any], path: str, value: Any) -> None:
    *before, last = path.split(".")
    for name in before:
        document = document.setdefault(name, {})
    document[last] = value


def array_keys() -> list[str]:
    """The paths of a scenario that take arrays from files: `q`, `past.k`, …"""
    return [path for key, kind in KEYS.items() if key != "expect" for path in _paths(kind, key)]


def _paths(kind: Kind, path: str) -> Iterator[str]:
    if isinstance(kind, Numbers):
        yield path
    elif isinstance(kind, Either):
        yield from dict.fromkeys(found for _, part in kind.kinds for found in _paths(part, path))
    elif isinstance(kind, Fields):
        for name, part in kind.fields.items():
            yield from _paths(part, f"{path}.{name}")
