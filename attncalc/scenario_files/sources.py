"""The bytes of a scenario from wherever it is; loaded without NumPy, so that completion is quick."""

from __future__ import annotations

import sys
from pathlib import Path

from attncalc.errors import UsageError, nearest
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import MOST_BYTES


def shown_name(source: str) -> str:
    """How messages call a source."""
    return "stdin" if source == "-" else source


def read(source: str) -> bytes:
    """The bytes of a source."""
    if not source:
        raise UsageError.of("no-scenario", known=", ".join(builtin.names()))
    if source == "-":
        return _standard_input()
    if builtin.is_name(source):
        if source not in builtin.names() and not _exists(source):
            near = nearest(source, builtin.names())
            raise UsageError.of("no-such-scenario", source, near=near, known=", ".join(builtin.names()))
        if source in builtin.names():
            return builtin.path_of(source).read_bytes()
    return _file(source)


def _exists(source: str) -> bool:
    try:
        return Path(source).exists()
    except OSError:  # a name longer than any file's
        return False


def _standard_input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise UsageError.of("no-stdin", "stdin")
    if sys.stdin.isatty():
        raise UsageError.of("stdin-is-terminal", "stdin")
    return sys.stdin.buffer.read(MOST_BYTES + 1)


def _file(source: str) -> bytes:
    path = Path(source)
    try:
        if path.is_dir():
            raise UsageError.of("is-a-directory", source)
        with path.open("rb") as file:
            return file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        stem = path.stem
        code = "file-missing-builtin" if stem in builtin.names() else "file-missing"
        raise UsageError.of(code, source, name=stem) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError.of("file-unreadable", source, reason=reason) from None
