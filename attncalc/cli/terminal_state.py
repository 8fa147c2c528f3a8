"""A terminal that is given back as it was, even where the program on it is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any, NoReturn

CODES = ("<u", "?2004l", "?1004l", "?1006l", "?1015l", "?1003l", "?1000l", "?7h", "?1049l", "?25h")
GIVE_BACK = "".join(f"\x1b[{code}" for code in CODES)
"""Keys, pastes, focus and mouse as usual, lines wrap, the old screen, the cursor."""


@contextlib.contextmanager
def clean_when_killed() -> Iterator[None]:
    """While it lasts, a signal that ends the program restores the terminal first."""
    settings = _settings()
    signals = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)]

    def restore(number: int, frame: FrameType | None) -> NoReturn:
        with contextlib.suppress(OSError):
            os.write(2, GIVE_BACK.encode())
        _restore(settings)
        os._exit(128 + number)

    before = {number: signal.signal(number, restore) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _settings() -> Any:
    """The terminal's settings, or None where there are none."""
    try:
        import termios

        return termios.tcgetattr(sys.stdin.fileno())
    except Exception:  # no terminal, or a system without such settings
        return None


def _restore(settings: Any) -> None:
    if settings is not None:
        import termios

        with contextlib.suppress(OSError, termios.error):
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, settings)
