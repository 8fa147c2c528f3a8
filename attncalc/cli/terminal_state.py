"""A terminal that is given back as it was, however the program on it ends.

A signal that can be caught tidies up first. A program that is killed outright cannot, and one that calculates without a
pause can neither catch a signal nor read a key: a child process waits for its end and tidies up for it, and while it
calculates the signals, and Ctrl-C, are the system's own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any, NoReturn

from attncalc.cli.half_made import ENDING

CODES = ("<u", "?2004l", "?1004l", "?1006l", "?1015l", "?1003l", "?1000l", "?7h", "?1049l", "?25h")
GIVE_BACK = "".join(f"\x1b[{code}" for code in CODES)
"""Keys, pastes, focus and mouse as usual, lines wrap, the old screen, the cursor."""

GIVE_BACK_LINE = "\x1b[?2004l"
"""Pastes as usual: all that a line of input with editing changes, where the terminal knows of it."""

IGNORED = ("SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP", "SIGTTOU", "SIGTSTP")
LEFT_IN_ORDER = b"."
NOTHING = -1
PATIENCE = 100
"""Milliseconds that a signal has to end the program."""


@contextlib.contextmanager
def given_back(drawn: bool = True) -> Iterator[None]:
    """While it lasts, a child process waits to restore the terminal should this one be killed.

    Without `drawn` only lines are typed on it: there is no other screen to leave.
    """
    settings = _settings()
    codes = GIVE_BACK if drawn else "" if os.environ.get("TERM") in ("dumb", None) else GIVE_BACK_LINE
    if settings is None or not hasattr(os, "fork"):
        yield
        return
    reading, writing = os.pipe()
    parent, child = os.getpid(), os.fork()
    if child == 0:
        os.close(writing)
        _wait_and_restore(reading, settings, codes, parent)
    os.close(reading)
    before = {name: signal.getsignal(getattr(signal, name)) for name in ENDING}
    _catch(settings, codes)
    if not drawn:  # the screen has a wakeup of its own
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    try:
        yield
    finally:
        if not drawn:
            signal.set_wakeup_fd(-1)
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)
        with contextlib.suppress(OSError):
            os.write(writing, LEFT_IN_ORDER)
            os.close(writing)
            os.waitpid(child, 0)


def _wait_and_restore(reading: int, settings: Any, codes: str, parent: int) -> None:
    """The whole life of the child process."""
    for name in IGNORED:
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    with contextlib.suppress(OSError):
        if not _left_in_order(reading, parent):
            _restore(settings, codes)
    os._exit(0)


def _left_in_order(reading: int, parent: int) -> bool:
    """Waits for the end; a terminal that goes away before it is a hang-up, also where the system tells nobody.

    Only of its own terminal is a program told, and to read from one that is gone can be to read nothing for ever.
    """
    import select

    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(sys.stdin.fileno(), 0)
    sent = 0
    while True:
        for descriptor, seen in poll.poll(PATIENCE if sent else None) or [(NOTHING, 0)]:
            if descriptor == NOTHING:  # one that comes right before a line is read would wait for a key
                _send(sent, parent)
                sent = 0
            elif descriptor != reading:
                poll.unregister(descriptor)
                _send(signal.SIGHUP if seen & select.POLLHUP else 0, parent)
            elif (told := os.read(reading, 1)) in (b"", LEFT_IN_ORDER):
                return told == LEFT_IN_ORDER
            else:
                sent = told[0]


def _send(number: int, parent: int) -> None:
    """Sends a signal to the program, where it is still there."""
    if number in (signal.SIGINT, *(getattr(signal, name) for name in ENDING)) and os.getppid() == parent:
        os.kill(parent, number)


def _catch(settings: Any, codes: str = GIVE_BACK) -> None:
    """From now on a signal restores the terminal before it ends the program."""

    def leave(number: int, frame: FrameType | None) -> NoReturn:
        _restore(settings, codes)
        os._exit(128 + number)

    for name in ENDING:
        signal.signal(getattr(signal, name), leave)


def _let_go() -> None:
    """Signals are the system's own again."""
    for name in ENDING:
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def _restore(settings: Any, codes: str) -> None:
    with contextlib.suppress(OSError):
        os.write(2, codes.encode())
    _set(settings)


def interruptible() -> Callable[[bool], None]:
    """A switch: on, Ctrl-C ends this process at once, whatever it does; off, it is a key like any other."""
    import termios

    start = _settings()

    def switch(on: bool) -> None:
        _let_go() if on else _catch(start)
        with contextlib.suppress(OSError, ValueError, termios.error):
            signal.signal(signal.SIGINT, signal.SIG_DFL if on else signal.default_int_handler)
            settings = termios.tcgetattr(sys.stdin.fileno())
            settings[3] = settings[3] | termios.ISIG if on else settings[3] & ~termios.ISIG
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)

    return switch


def _settings() -> Any:
    """The terminal's settings, or None where there are none."""
    try:
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    except Exception:  # no terminal, or a system without such settings
        return None


def _set(settings: Any) -> None:
    import termios

    with contextlib.suppress(OSError, termios.error):
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)
