"""What is said on standard error to one who waits: how far it is, and what was made."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

from attncalc.cli.report import complain
from attncalc.cli.session import Session
from attncalc.messages import speaker

Item = TypeVar("Item")

CLEAR = "\r\x1b[K"
"""What takes back a line that was written without its end."""


def counted(items: Sequence[Item], session: Session) -> Iterator[Item]:
    """The items, with a counter at a terminal that is gone when the last is done."""
    if session.quiet or len(items) < 2 or not is_watched():
        yield from items
        return
    say = speaker(session.language)
    try:
        for done, item in enumerate(items):
            write(CLEAR + say("worksheet-counter", done=done, count=len(items)))
            yield item
    finally:
        write(CLEAR)


def told(text: str, session: Session) -> None:
    """Says a sentence about a result that went into a file; not where quiet is asked for."""
    if not session.quiet:
        complain([text], session.language, lead="")


def is_watched() -> bool:
    """Whether somebody sees on a terminal what is written."""
    return sys.stderr is not None and sys.stderr.isatty()


def write(text: str) -> None:
    """Writes a text as it is, which is seen at once; standard error may be gone."""
    with contextlib.suppress(OSError, ValueError):
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
