"""What is half made: beside its place, locked by whoever makes it, and gone once nobody does."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

MOST_NAME = 40
PART = re.compile(r"\.(.*)\.[0-9a-f]{12}\.part", re.DOTALL)
"""The name of what is half made: that of its target, cut where it is long, and a number of its own."""

LEFT_OVER = 3600
"""Seconds after which nobody is still writing, where the system has no locks that could say so."""

ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")
"""The signals that end a program and that it can catch, but for Ctrl-C."""

CAUGHT = (*ENDING, "SIGINT")
"""The same with Ctrl-C."""


class Part(NamedTuple):
    """A file or folder that is being made: its name, and the descriptor that holds its lock."""

    path: Path
    descriptor: int

    def move(self, place: Path) -> None:
        """Moves what is made into its place."""
        if os.name == "nt":  # moves nothing that is open
            self.let_go()
        os.replace(self.path, place)

    def let_go(self) -> None:
        """Gives the lock back."""
        with contextlib.suppress(OSError):
            os.close(self.descriptor)


CAME: list[int] = []
"""The signal that came while something was made. Its exception is lost where Python lets an object go just then."""

Parts = dict[Path, Part]
"""What is half made, by its own name."""


def new_file(target: Path, parts: Parts) -> Part:
    """One more part: an empty file beside its place, which only its owner may read."""
    return _new(target, parts, lambda part: os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def new_folder(target: Path, parts: Parts) -> Part:
    """One more part: an empty folder beside its place, which only its owner may enter."""

    def make(part: Path) -> int:
        part.mkdir(mode=0o700)
        with contextlib.suppress(OSError):  # gone already, or a system that opens no folders
            return os.open(part, os.O_RDONLY)
        return -1

    return _new(target, parts, make)


def _new(target: Path, parts: Parts, make: Callable[[Path], int]) -> Part:
    """Made and locked; anew where another took it for left behind in between. Others' leftovers go first."""
    forget_leftovers(target)
    while True:
        path = target.parent / f".{target.name[:MOST_NAME]}.{os.urandom(6).hex()}.part"
        parts[path] = Part(path, -1)  # before it is made: a signal may come right after
        part = parts[path] = Part(path, make(path))
        _lock(part.descriptor, wait=True)
        if path.exists():
            return part
        parts.pop(path).let_go()


def _lock(descriptor: int, wait: bool = False) -> bool | None:
    """Whether the lock is had; None where there is no such thing."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


# --- what was left --------------------------------------------------------------------------------


def forget_leftovers(target: Path) -> None:
    """Removes what programs that were killed outright left of the same target."""
    with contextlib.suppress(OSError):
        for path in target.parent.iterdir():
            found = PART.fullmatch(path.name)
            if found and found[1] == target.name[:MOST_NAME]:
                with contextlib.suppress(OSError):
                    _forget(path)


def _forget(path: Path) -> None:
    """Removes a part that nobody holds."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        descriptor = -1
    try:
        free = _lock(descriptor)
        if free or (free is None and path.lstat().st_mtime < time.time() - LEFT_OVER):
            _remove(path)
    finally:
        Part(path, descriptor).let_go()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        import shutil

        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


# --- signals --------------------------------------------------------------------------------------


class Ended(SystemExit):
    """A signal that ends the program; the exit code is as a shell says it."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.number = number


@contextlib.contextmanager
def making() -> Iterator[Parts]:
    """While it lasts, Ctrl-C or a signal that ends the program is an exception; what is half made then goes.

    Afterwards whoever has said what the signal does is asked: on a terminal it has more to tidy up.
    """
    parts: Parts = {}
    before = _caught()
    try:
        try:
            try:
                yield parts
            finally:
                _remove_all(parts)
        finally:
            _remove_all(parts)  # what the first left: it failed, or the one signal that is an exception came then
    except Ended as ended:
        _back(before)
        handler = before.get(ended.number)
        if callable(handler):
            handler(ended.number, None)
        raise
    finally:
        _back(before)


def _remove_all(parts: Parts) -> None:
    """Removes what has not taken its place, and gives the locks back."""
    for path, part in list(parts.items()):
        with contextlib.suppress(OSError):
            _remove(path)
            del parts[path]
            part.let_go()


def _caught() -> dict[int, Any]:
    """What the signals did until now; one that is ignored stays so."""
    if threading.current_thread() is not threading.main_thread():  # no other may say what a signal does
        return {}
    numbers = [getattr(signal, name) for name in CAUGHT if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    before = {number: handler for number, handler in before.items() if handler not in (signal.SIG_IGN, None)}
    for number in before:
        signal.signal(number, _end)
    return before


def _back(before: dict[int, Any]) -> None:
    """The signals do what they did before; of threads the main one alone had changed that."""
    if before:
        CAME.clear()
    for number, handler in before.items():
        signal.signal(number, handler)


def _end(number: int, frame: FrameType | None) -> None:
    for name in CAUGHT:
        other = getattr(signal, name, None)
        if other is not None and signal.getsignal(other) is _end:
            signal.signal(other, signal.SIG_IGN)  # tidying up is not interrupted
    CAME.append(number)
    end_if_told()


def end_if_told() -> None:
    """Ends what a signal has told to end; asked again before a result takes its place, since exceptions can be lost."""
    for number in CAME:
        raise KeyboardInterrupt if number == signal.SIGINT else Ended(number)
