"""Where a result goes: standard output, or a file that is either the old one or the new one, never half."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

from attncalc.errors import OutputError, shortened

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
        raise OutputError.of("cannot-write", shortened(target), reason=_reason(error)) from None


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
    check_target(str(path), force)
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
            return
        _replace(path.resolve(), data)
    except UNREACHABLE as error:
        raise OutputError.of("cannot-write", shortened(str(path)), reason=_reason(error)) from None


def _reason(error: BaseException) -> str:
    return error.strerror if isinstance(error, OSError) and error.strerror else str(error)


def _replace(path: Path, data: bytes) -> None:
    part = beside(path)
    with in_order():
        try:
            with open(part, "xb", opener=_for_the_owner_only) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(part, path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
            os.replace(part, path)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
    forget_leftovers(part)


def _for_the_owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


# --- what is half made ----------------------------------------------------------------------------

MOST_NAME = 40
PART = re.compile(r"\.(.*)\.[0-9a-f]{12}\.part", re.DOTALL)
"""The name of what is half made: that of its target, cut where it is long, and a number of its own."""

LEFT_OVER = 3600
"""Seconds after which nobody is still writing: only a program that was killed outright leaves so old a part."""

ENDING = ("SIGTERM", "SIGHUP")


def beside(path: Path) -> Path:
    """Where a file or folder is made before it is moved into its place."""
    return path.parent / f".{path.name[:MOST_NAME]}.{os.urandom(6).hex()}.part"


@contextlib.contextmanager
def in_order() -> Iterator[None]:
    """While it lasts, a signal that ends the program is an exception, so that what is half made can be removed."""
    import signal  # loaded only where a file is written
    import threading

    here = threading.current_thread() is threading.main_thread()  # no other may say what a signal does
    numbers = [getattr(signal, name) for name in ENDING if here and hasattr(signal, name)]
    caught = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in caught:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: object) -> NoReturn:
    raise SystemExit(128 + number)  # as a shell says it of a program that a signal ended


def forget_leftovers(made: Path) -> None:
    """Removes what programs that were killed outright left of the same target, long ago."""
    target = PART.fullmatch(made.name)
    with contextlib.suppress(OSError):
        for path in made.parent.iterdir():
            found = PART.fullmatch(path.name)
            if found and target and found[1] == target[1] and path.lstat().st_mtime < time.time() - LEFT_OVER:
                _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink()
