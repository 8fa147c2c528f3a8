"""Where a result goes: standard output, or a file that is either the old one or the new one, never half."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attncalc.errors import OutputError, shortened

if TYPE_CHECKING:
    from attncalc.cli.half_made import Part, Parts

UNREACHABLE = (OSError, RuntimeError, ValueError)
"""What a path can raise: the system's refusals, a loop of links, a character that no path has."""

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


def write(result: str | bytes, target: str | None = None, force: bool = False) -> None:
    """Writes a result, text as UTF-8, to a file, or to standard output where there is no target or it is `-`."""
    data = as_bytes(result)
    if target and target not in STANDARD_OUTPUT:
        write_file(data, Path(target), force)
    elif sys.stdout is None:
        raise OutputError.of("no-stdout")
    elif isinstance(result, bytes) and sys.stdout.isatty():
        raise OutputError.of("binary-to-terminal")
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def as_bytes(result: str | bytes) -> bytes:
    """A result as it stands in a file: text as UTF-8."""
    return result if isinstance(result, bytes) else result.encode("utf-8", "backslashreplace")


def is_file(target: str | None) -> bool:
    """Whether a result goes to a file, not to standard output."""
    return bool(target) and target not in STANDARD_OUTPUT


def check_target(target: str | None, force: bool) -> None:
    """Refuses a target that cannot be written before anything is calculated."""
    if target == "":
        raise OutputError.of("target-empty", "-o")
    if not target or target in STANDARD_OUTPUT:
        return
    try:
        _check(target, Path(target), force)
    except UNREACHABLE as error:
        raise OutputError.of("cannot-write", shortened(target), reason=reason_of(error)) from None


def _check(target: str, path: Path, force: bool) -> None:
    if path.is_dir() or target.endswith(("/", os.sep)):
        raise OutputError.of("target-is-directory", target)
    if not path.parent.is_dir():
        raise OutputError.of("no-folder", target, folder=str(path.parent))
    with contextlib.suppress(FileNotFoundError):
        path.stat()  # a link that leads to itself; from Python 3.13 on, resolving it is no error
    if path.is_file() and not force:
        raise OutputError.of("file-exists", target)


def write_file(data: bytes, path: Path, force: bool) -> None:
    """Writes beside the target and moves into its place; a special file (/dev/stdout) is written directly."""
    write_files({path: data}, force)


def write_files(results: Mapping[Path, bytes], force: bool) -> None:
    """Writes several, all of them beside their targets before the first takes its place."""
    from attncalc.cli.half_made import making  # loaded only where a file is written

    for path in results:
        check_target(str(path), force)
    written: dict[Path, Part] = {}
    with making() as parts:
        for path, data in results.items():
            with _reachable(path):
                if path.exists() and not path.is_file():
                    path.write_bytes(data)
                else:
                    written[path] = _write(path.resolve(), data, parts)
        for path, part in written.items():
            with _reachable(path):
                part.move(path.resolve())


@contextlib.contextmanager
def _reachable(path: Path) -> Iterator[None]:
    """What the system refuses is a sentence that names the file."""
    try:
        yield
    except UNREACHABLE as error:
        raise OutputError.of("cannot-write", shortened(str(path)), reason=reason_of(error)) from None


def _write(place: Path, data: bytes, parts: Parts) -> Part:
    """Writes beside the place, with the rights that the file there has or a new one would have."""
    from attncalc.cli.half_made import new_file

    part = new_file(place, parts)
    with open(part.descriptor, "wb", closefd=False) as file:
        file.write(data)
        file.flush()
        os.fsync(part.descriptor)
    os.chmod(part.path, place.stat().st_mode & 0o777 if place.exists() else 0o666 & ~_umask())
    return part


def reason_of(error: BaseException) -> str:
    """Why the system refuses, in its own words."""
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
