"""Where a result goes: standard output, or a file that is either the old one or the new one, never half."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING

from attncalc.errors import OutputError, shortened

if TYPE_CHECKING:
    from attncalc.cli.half_made import Part, Parts

UNREACHABLE = (OSError, RuntimeError, ValueError)
"""What a path can raise: the system's refusals, a loop of links, a character that no path has."""

STANDARD_OUTPUT = ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")


Result = str | bytes | Iterable[str | bytes]
"""A text, the bytes of a file, or either in parts, which are made one by one as they are written."""


def write(result: Result, target: str | None = None, force: bool = False) -> None:
    """Writes a result, text as UTF-8, to a file, or to standard output where there is no target or it is `-`."""
    if target and target not in STANDARD_OUTPUT:
        write_file(result, Path(target), force)
    elif sys.stdout is None:
        raise OutputError.of("no-stdout")
    else:
        sys.stdout.flush()
        for part in _parts_of(result):
            if isinstance(part, bytes) and sys.stdout.isatty():
                raise OutputError.of("binary-to-terminal")
            sys.stdout.buffer.write(as_bytes(part))
        sys.stdout.buffer.flush()


def _parts_of(result: Result) -> Iterable[str | bytes]:
    return (result,) if isinstance(result, str | bytes) else result


def _put(result: Result, file: IO[bytes]) -> None:
    for part in _parts_of(result):
        file.write(as_bytes(part))


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


def write_file(result: Result, path: Path, force: bool) -> None:
    """Writes beside the target and moves into its place; a special file (/dev/stdout) is written directly."""
    write_files({path: result}, force)


def write_files(results: Mapping[Path, Result], force: bool) -> None:
    """Writes several, all of them beside their targets before the first takes its place."""
    from attncalc.cli.half_made import end_if_told, making  # loaded only where a file is written

    for path in results:
        check_target(str(path), force)
    written: dict[Path, Part] = {}
    with making() as parts:
        for path, result in results.items():
            with _reachable(path, OSError):  # anything else is a fault of what makes the result
                if path.exists() and not path.is_file():
                    with path.open("wb") as file:
                        _put(result, file)
                else:
                    written[path] = _write(path.resolve(), result, parts)
        end_if_told()
        for path, part in written.items():
            with _reachable(path):
                part.move(path.resolve())


@contextlib.contextmanager
def _reachable(path: Path, refusals: type[OSError] | tuple[type[Exception], ...] = UNREACHABLE) -> Iterator[None]:
    """What the system refuses is a sentence that names the file."""
    try:
        yield
    except refusals as error:
        raise OutputError.of("cannot-write", shortened(str(path)), reason=reason_of(error)) from None


def _write(place: Path, result: Result, parts: Parts) -> Part:
    """Writes beside the place, with the rights that the file there has or a new one would have."""
    from attncalc.cli.half_made import end_if_told, new_file

    part = new_file(place, parts)
    with open(part.descriptor, "wb", closefd=False) as file:
        _put(result, file)
        end_if_told()
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
