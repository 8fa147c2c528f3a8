"""The end of a program on a terminal: a signal, a terminal that is closed, one of its own or one lent to it."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from running import PROGRAM, environment

from faults import Injected
from faults.writers import OLD, PART

PROMPT = 10.0
"""Seconds after which a program hangs."""

START = 60.0


class Screen(NamedTuple):
    """A program on a terminal: its words, what shows that it waits or is at work, and what is typed then."""

    args: tuple[str, ...]
    ready: bytes
    typed: tuple[tuple[bytes, bytes], ...] = ()
    leaves_screen: bool = False
    goes_on: bool = False  # without a terminal too


SCREENS = (
    Screen(("step", "draw"), b"v I 0", leaves_screen=True),
    Screen(("step", "draw"), b"v I 0", ((b"e77", b"77"),), leaves_screen=True),
    Screen(("step", "slow.json"), b"scores 299 0", ((b"e5\r", b"Ctrl-C leaves"),), leaves_screen=True),
    Screen(("step", "draw", "--plain"), b"> "),
    Screen(("quiz", "draw", "--resume", "quiz.json"), b"> ", ((b"6.05 1.22 1.82 0.74\n", b"Question 2"),)),
    Screen(("new", "-o", "new.json"), b"]: "),
    Screen(("run", "long.json", "--summary", "-o", "rows.npz", "--force"), b"scores", goes_on=True),
)

ENDS = ("SIGTERM", "SIGHUP", "SIGKILL", "closed", "closed, of another", "closed, with SIGHUP ignored")


def ended(screen: Screen, end: str, folder: Path) -> Injected:
    """A program on a terminal that is brought to its end."""
    (folder / "rows.npz").write_bytes(OLD)
    terminal = _Terminal(screen.args, folder, own="of another" not in end, ignoring="ignored" in end)
    what = f"{' '.join(screen.args)}, {end}"
    try:
        terminal.wait_for(screen.ready)
        for keys, then in screen.typed:
            os.write(terminal.master, keys)
            terminal.wait_for(then)
        trouble = terminal.bring(end) or terminal.judged(screen, end) or _litter(folder)
    except (TimeoutError, OSError) as error:
        trouble = str(error)
    finally:
        terminal.close()
    return Injected("an end at a terminal", what, trouble)


class _Terminal:
    """A program in a session of its own on a pseudo-terminal, which may be another's."""

    def __init__(self, args: tuple[str, ...], folder: Path, own: bool, ignoring: bool) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        self.settings = termios.tcgetattr(slave)

        def prepare() -> None:
            if own:
                fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            if ignoring:
                signal.signal(signal.SIGHUP, signal.SIG_IGN)

        env: Mapping[str, str] = environment({"TERM": "xterm-256color", "LANG": "C.UTF-8"})
        self.program = subprocess.Popen(
            [*PROGRAM, *args], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=env,
            start_new_session=True, preexec_fn=prepare,
        )  # fmt: skip
        os.close(slave)
        self.seen = b""
        self.open = True

    def wait_for(self, text: bytes) -> None:
        """Reads until a text has come after what was waited for before."""
        start, until = len(self.seen), time.monotonic() + START
        while text not in self.seen[start:]:
            if not self.read(0.5) or time.monotonic() > until:
                raise TimeoutError(f"no {text!r} in {self.seen[-300:]!r}")

    def read(self, seconds: float) -> bool:
        """Takes what has come; false at the end."""
        if not select.select([self.master], [], [], seconds)[0]:
            return True
        with contextlib.suppress(OSError):
            data = os.read(self.master, 65536)
            self.seen += data
            return bool(data)
        return False

    def bring(self, end: str) -> str:
        """Brings it to its end."""
        if end.startswith("closed"):
            self.close_terminal()
        else:
            self.program.send_signal(getattr(signal, end))
        until = time.monotonic() + PROMPT
        while self.program.poll() is None:
            if time.monotonic() > until:
                return "does not end"
            self.read(0.01) if self.open else time.sleep(0.01)
        return ""

    def judged(self, screen: Screen, end: str) -> str:
        """What is wrong with its exit code, and with the terminal that it leaves."""
        code = self.program.returncode
        if end.startswith("closed"):
            wanted = (129, -1, 2, 0, 130)
        else:
            number = int(getattr(signal, end))
            wanted = (128 + number, -number)
        if code not in wanted:
            return f"ends with {code}"
        if not self.open:
            return ""
        until = time.monotonic() + PROMPT  # after a kill another process tidies up
        while not self._as_before(screen):
            if time.monotonic() > until:
                return f"the terminal is not as it was: {self.seen[-100:]!r}"
            self.read(0.01)
        return ""

    def _as_before(self, screen: Screen) -> bool:
        flags = termios.tcgetattr(self.master)[3] == self.settings[3]
        left = not screen.leaves_screen or (b"\x1b[?1049l" in self.seen and b"\x1b[?25h" in self.seen)
        return flags and left

    def close_terminal(self) -> None:
        """Hangs up."""
        if self.open:
            os.close(self.master)
            self.open = False

    def close(self) -> None:
        """Leaves nothing behind."""
        if self.program.poll() is None:
            self.program.kill()
        self.program.wait()
        self.close_terminal()


def _litter(folder: Path) -> str:
    """What is half written, or was to stay as it was."""
    left = [path.name for path in folder.iterdir() if PART.fullmatch(path.name)]
    if (folder / "rows.npz").read_bytes() != OLD or (folder / "new.json").exists():
        return "a result was written"
    return f"{left[0]} is left" if left else ""


def all_ends(folder: Path) -> Iterator[Injected]:
    """Every program on a terminal, and every end."""
    for screen in SCREENS:
        for end in ENDS[:4] if screen.goes_on else ENDS:
            yield ended(screen, end, folder)
            with contextlib.suppress(FileNotFoundError):
                (folder / "quiz.json").unlink()


def write_long(folder: Path, tokens: int = 40_000) -> None:
    """A scenario that is calculated for long."""
    import numpy as np

    for name in "qkv":
        np.save(folder / f"{name}.npy", np.random.default_rng(1).standard_normal((tokens, 16)).astype("float32"))
    rows = ", ".join(f'"{name}": {{"npy": "{name}.npy"}}' for name in "qkv")
    (folder / "long.json").write_text(f"{{{rows}}}")
    scores = [[(7 * row + 3 * column) % 11 / 10 for column in range(300)] for row in range(300)]
    (folder / "slow.json").write_text(json.dumps({"scores": scores, "arithmetic": "exact"}))
