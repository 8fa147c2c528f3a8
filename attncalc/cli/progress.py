"""What is said on standard error while much is calculated: what is ahead, how far it is, how long it will take."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from attncalc.cli.session import Session
from attncalc.cli.watching import CLEAR, is_watched, write
from attncalc.messages import speaker

if TYPE_CHECKING:
    from attncalc.long.loading import Long, Ready
    from attncalc.long.problem import Asked

LONG = 3.0
"""Seconds from which on it is said beforehand what is ahead, even where nobody watches."""

OFTEN = 0.2
ONE_LINE, WRAPPED, CLEAR_REST = "\x1b[?7l", "\x1b[?7h", "\x1b[K"
"""What makes a terminal cut a line that is too long, so that it can be taken back; and what clears a line."""

SMALL = 10**8
"""Scores that are done before anybody could read what is ahead."""


def announced(session: Session, ready: Ready, long: Long, asked: Asked, threads: int) -> None:
    """Says what is ahead, on a terminal or where it takes long."""
    from attncalc.core.memory import in_bytes
    from attncalc.long.ahead import ahead, bytes_needed

    batch, heads, queries, keys = ready.problem.grid
    if session.quiet or batch * heads * queries * keys < SMALL:
        return
    found = ahead(ready, asked, threads)
    if is_watched() or found.seconds >= LONG:
        memory = in_bytes(bytes_needed(long, asked.top, threads))
        say = speaker(session.language)
        write(say(
            "long-ahead", scores=f"{found.scores:,}", products=_round(found.multiply_adds),
            memory=memory, time=_time(session, found.seconds),
        ) + "\n")  # fmt: skip


@contextlib.contextmanager
def showing(session: Session) -> Iterator[Callable[[int, int], None] | None]:
    """A function that shows how far it is, rate and remaining time, on a terminal; the line goes at the end."""
    if session.quiet or not is_watched():
        yield None
        return
    say, begun, last = speaker(session.language), time.monotonic(), [0.0]

    def show(done: int, whole: int) -> None:
        now = time.monotonic()
        if done and now > begun and abs(now - last[0]) >= OFTEN:  # a clock may stand still, or jump
            last[0] = now
            rate = done / (now - begun)
            left = _time(session, (whole - done) / rate)
            text = say("long-progress", share=f"{100 * done / whole:.0f}", rate=_round(rate), left=left)
            write(f"\r{ONE_LINE}{text}{CLEAR_REST}{WRAPPED}")

    try:
        yield show
    finally:
        if last[0]:
            write(CLEAR)


def _round(number: float) -> str:
    """Two digits and a power of ten: 6.6e9."""
    digits, power = f"{number:.1e}".split("e")
    return f"{digits}e{int(power)}"


def _time(session: Session, seconds: float) -> str:
    say = speaker(session.language)
    if seconds < 100:
        return str(say("long-seconds", number=f"{seconds:.0f}" if seconds >= 1 else "1"))
    return str(say("long-minutes", number=f"{seconds / 60:.0f}") if seconds < 6000 else say(
        "long-hours", number=f"{seconds / 3600:.1f}"))  # fmt: skip
