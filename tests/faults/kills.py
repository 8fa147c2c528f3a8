"""Ends at any moment of a call that writes: by a signal, and at each of its calls of the system."""

from __future__ import annotations

import errno
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

from attncalc.cli import half_made
from faults import Injected
from faults.writers import Shop, refused

WRITING = ("half_made.py", "output.py", "folders.py", "pathlib.py", "shutil.py")
"""The files out of which results are written."""

CALLS = ("open", "mkdir", "flock", "write", "flush", "fsync", "chmod", "replace", "rename")
ENDS = (*CALLS, "close", "unlink", "rmdir", "scandir", "stat")


def ended_by(shop: Shop, number: signal.Signals, times: int, seed: int) -> Iterator[Injected]:
    """A signal at random moments: half of them at any, half near the end, where results are written."""
    chance = random.Random(f"{seed} {shop.writer.name} {number.name}")
    killed = number == signal.SIGKILL
    for turn in range(times):
        shop.reset()
        moment = chance.uniform(0 if turn % 2 else 0.7, 1.1) * shop.seconds
        run = shop.run()
        time.sleep(moment)
        run.end(number)
        done = run.wait()
        trouble = shop.trouble(parts=killed) or (shop.next_run() if killed else "")
        if done.code not in (-number, 128 + number, shop.writer.code):
            trouble = trouble or f"ends with {done.code}: {done.err[-200:]}"
        yield Injected(f"{number.name} at a random moment", f"{shop.writer.name}, {moment * 1000:.1f} ms", trouble)


def ended_at_each_call(shop: Shop, number: signal.Signals) -> Iterator[Injected]:
    """A signal before the first, the second, … call of the system by which its result is written, or tidied up."""
    killed = number == signal.SIGKILL
    for turn in count():
        shop.reset()
        hit = shop.folder.parent / "hit"
        hit.unlink(missing_ok=True)
        done = shop.run(before=lambda turn=turn, hit=hit: at_call(turn, ENDS, lambda: end(hit, number))).wait()
        if not hit.exists():
            return
        trouble = shop.trouble(parts=killed) or (shop.next_run() if killed else "")
        if done.code not in (-number, 128 + number):
            trouble = trouble or f"ends with {done.code}: {done.err[-200:]}"
        yield Injected(f"{number.name} at a call of the system", f"{shop.writer.name}, call {turn}", trouble)


def failing_at_each_call(shop: Shop) -> Iterator[Injected]:
    """No space at the first, the second, … of these calls."""
    for turn in count():
        shop.reset()
        hit = shop.folder.parent / "hit"
        hit.unlink(missing_ok=True)
        done = shop.run(before=lambda turn=turn, hit=hit: at_call(turn, CALLS, lambda: _no_space(hit))).wait()
        if not hit.exists():
            return
        code = done.code if done.code in (2, shop.writer.code) else 2  # a lock that fails stops nobody
        yield Injected(
            "no space at a call of the system", f"{shop.writer.name}, call {turn}",
            shop.trouble() or (refused(done, code) if code == 2 else ""),
        )  # fmt: skip


def at_call(turn: int, names: tuple[str, ...], act: Callable[[], object]) -> None:
    """From the first result that is written on: acts before the call with that number, of those names."""
    numbers, caught = count(), half_made._caught

    def profile(frame: FrameType, event: str, function: Any) -> None:
        ours = event == "c_call" and Path(frame.f_code.co_filename).name in WRITING
        if ours and getattr(function, "__name__", "") in names and next(numbers) == turn:
            act()

    def begun() -> dict[int, Any]:
        sys.setprofile(profile)
        return caught()

    half_made._caught = begun


def end(hit: Path, number: int) -> None:
    """Sends the signal to this process, and leaves word that it did."""
    hit.touch()
    os.kill(os.getpid(), number)


def _no_space(hit: Path) -> None:
    sys.setprofile(None)
    hit.touch()
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
