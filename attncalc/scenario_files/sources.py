"""A scenario from wherever it is, read once; loaded without NumPy, so that completion is quick."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attncalc.errors import UsageError, nearest
from attncalc.scenario_files import builtin
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.json_text import MOST_BYTES, parse
from attncalc.scenario_files.json_writing import written
from attncalc.scenario_files.known import Known
from attncalc.scenario_files.plain_files import NotRead, named_file
from attncalc.scenario_files.python_values import as_lists


class Source(NamedTuple):
    """A scenario that was read: standard input comes only once, and several calculations may start from it.

    `name` is how messages call it, `folder` is where its arrays in files are, `changes` are those made in its document,
    `data` are its bytes as they were read, and `known` is what its readings, with changes or without, have in common.
    """

    name: str
    folder: Folder
    document: Any
    changes: tuple[str, ...] = ()
    data: bytes = b""
    known: Known | None = None


def source_at(place: str | Path | Mapping[str, Any], outside: bool = False) -> Source:
    """What is read from a file, from `-` (standard input), under a built-in name, or from Python values.

    `outside`: what it refers to may lie out of its folder.
    """
    if isinstance(place, Mapping):
        name = "scenario"
        data = written(as_lists(place, name)).encode()
    else:
        name, data = shown_name(str(place)), read(str(place))
    return Source(name, Folder(folder_of(place), outside), parse(data, name), data=data, known=Known())


def folder_of(place: str | Path | Mapping[str, Any]) -> Path:
    """Where the arrays in files of a source are: beside its file, else in the current folder."""
    if isinstance(place, Mapping) or place == "-":
        return Path()
    if builtin.is_name(str(place)) and str(place) in builtin.names():
        return builtin.folder()
    return Path(place).parent


def shown_name(source: str) -> str:
    """How messages call a source."""
    return "stdin" if source == "-" else source


def read(source: str) -> bytes:
    """The bytes of a source."""
    if not source:
        raise UsageError.of("no-scenario", known=", ".join(builtin.names()))
    if source != "-" and builtin.is_name(source):
        if source not in builtin.names() and not _exists(source):
            near = nearest(source, builtin.names())
            raise UsageError.of("no-such-scenario", source, near=near, known=", ".join(builtin.names()))
        if source in builtin.names():
            return builtin.path_of(source).read_bytes()
    try:
        return bytes_at(source, MOST_BYTES, NO_SCENARIO)
    except FileNotFoundError:
        stem = Path(source).stem
        code = "file-missing-builtin" if stem in builtin.names() else "file-missing"
        raise UsageError.of(code, source, name=stem) from None


def _exists(source: str) -> bool:
    try:
        return Path(source).exists()
    except OSError:  # a name longer than any file's
        return False


class NoBytes(NamedTuple):
    """The messages where there is nothing to read: no standard input, a terminal, a directory."""

    no_stdin: str
    terminal: str
    directory: str


NO_SCENARIO = NoBytes("no-stdin", "stdin-is-terminal", "is-a-directory")


def bytes_at(source: str, most: int, without: NoBytes) -> bytes:
    """What a file or standard input (`-`) holds, of more than `most` bytes only one beyond.

    Raises a FileNotFoundError where there is no such file, else a UsageError.
    """
    if source == "-":
        return _standard_input(most, without)
    path = Path(source)
    try:
        if path.is_dir():
            raise UsageError.of(without.directory, source)
        with named_file(path) as file:
            return file.read(most + 1)
    except NotRead as refused:
        raise UsageError.of(refused.code, source, **refused.fields) from None
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError.of("file-unreadable", source, reason=reason) from None


def _standard_input(most: int, without: NoBytes) -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError.of(without.no_stdin, "stdin")
    if sys.stdin.isatty():
        raise UsageError.of(without.terminal, "stdin")
    return sys.stdin.buffer.read(most + 1)
