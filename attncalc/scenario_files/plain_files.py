"""Files that others may have made, opened: plain ones only, and none that changes while it is read."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from attncalc.messages import Word

OPENING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Without waiting: a named pipe would be waited for until somebody writes into it."""

DESCRIPTOR = re.compile(r"/dev/(?:stdin|fd/[0-9]+)|/proc/(?:self|[0-9]+)/fd/[0-9]+")

KINDS = ((stat.S_ISDIR, "file-is-directory"), (stat.S_ISFIFO, "file-is-pipe"), (stat.S_ISSOCK, "file-is-socket"))
"""What may stand where a file should, with the word for it; a device is any other."""


class NotRead(Exception):
    """A file or an array that is not read: the message code, and what fills the sentence beside place and file.

    `array-file-broken` (with a `reason`) stands for all that a reader of a foreign format raises.
    """

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(code, fields)
        self.code, self.fields = code, fields


class Seen(NamedTuple):
    """What shows that a file is still the one it was: which it is, its length, when it was last written."""

    device: int
    node: int
    size: int
    written: int


def seen(file: BinaryIO) -> Seen:
    """What an open file is now."""
    status = os.fstat(file.fileno())
    return Seen(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def opened_file(path: Path, before: Seen | None = None) -> Iterator[BinaryIO]:
    """A plain file, open for reading; raises NotRead for anything else, and where it changes while it is read.

    `before` is what it was when it was first read.
    """
    with plain(path) as file, unchanged(file, before):
        yield file


def plain(path: Path) -> BinaryIO:
    """A plain file, open for reading; raises NotRead for anything else."""
    _check_plain(os.stat(path))
    file = open(os.open(path, OPENING), "rb")  # noqa: SIM115 - whoever asks for it closes it
    try:
        _check_plain(os.fstat(file.fileno()))
    except NotRead:
        file.close()
        raise
    return file


@contextmanager
def unchanged(file: BinaryIO, before: Seen | None = None) -> Iterator[None]:
    """Raises NotRead where an open file is not what it was, once something was read of it."""
    before = before or seen(file)
    try:
        yield
    finally:  # what a reader says of half a file would mislead
        if seen(file) != before:
            raise NotRead("file-changed")


@contextmanager
def named_file(path: Path) -> Iterator[BinaryIO]:
    """A file that the user names: also a terminal, or a pipe that the shell has opened (`<(…)`)."""
    if is_open(path):
        with path.open("rb") as file:
            yield file
    else:
        with opened_file(path) as file:
            yield file


def is_open(path: Path) -> bool:
    """Whether a path stands for what is open already, and is no plain file: `/dev/stdin`, `/dev/fd/63`."""
    with suppress(OSError, ValueError):
        descriptor = DESCRIPTOR.fullmatch(os.fspath(path))
        return bool(descriptor) and not stat.S_ISREG(os.stat(path).st_mode)
    return False


def _check_plain(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        kind = next((word for is_kind, word in KINDS if is_kind(status.st_mode)), "file-is-device")
        raise NotRead("file-not-plain", what=Word(kind))
