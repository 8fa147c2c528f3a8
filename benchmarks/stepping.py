"""How quick `step` is: a what-if on a scenario of real size, and the first screen beside that of an empty program.

Run with the Python of an environment in which attncalc is installed: `.venv/bin/python benchmarks/stepping.py`.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import platform
import pty
import random
import select
import signal
import statistics
import struct
import sys
import termios
import time
from collections.abc import Sequence

from attncalc.explore.walk import Walk, begin
from attncalc.explore.what_if import change
from attncalc.scenario_files.beside import HERE
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.sources import Source

HEADS, TOKENS = 12, 64
WIDTHS = (4, 64)
AIM_SECONDS, AIM_RATIO = 0.1, 2.0

EMPTY = """
from textual.app import App
from textual.widgets import Static

class Empty(App):
    def compose(self):
        yield Static("READY")

Empty().run()
"""


def walk_of(width: int) -> Walk:
    """A walk through queries, keys and values of that width, causal, made by chance."""
    draw = random.Random(1)

    def array() -> list[list[list[float]]]:
        return [[[round(draw.uniform(-1, 1), 3) for _ in range(width)] for _ in range(TOKENS)] for _ in range(HEADS)]

    document = {"q": array(), "k": array(), "v": array(), "mask": "causal"}
    return begin(Source("random", HERE, parse(json.dumps(document).encode(), "random")))


def what_ifs(walk: Walk, rounds: int) -> float:
    """The median seconds of a change of one number, until the trace and the marks are there."""
    times = []
    for number in range(rounds):
        start = time.perf_counter()
        changed = change(walk, f"q.3.{number % TOKENS}.1={number / 7:.3f}")
        assert changed.changed
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def until(command: Sequence[str], text: bytes) -> float:
    """The seconds until a program in a terminal of 80×24 has drawn the text; it is ended then."""
    start = time.perf_counter()
    child, terminal = pty.fork()
    if child == 0:
        os.environ |= {"TERM": "xterm-256color"}
        os.execv(command[0], list(command))
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = b""
    while text not in seen:
        if not select.select([terminal], [], [], 30)[0]:
            raise SystemExit(f"{command} draws no {text!r}")
        seen += os.read(terminal, 65_536)
    seconds = time.perf_counter() - start
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(terminal)
    return seconds


def first_screens(rounds: int) -> tuple[float, float]:
    """The median seconds of `step draw` and of an empty Textual program, taking turns; a first round does not count."""
    ours = [sys.executable, "-m", "attncalc", "step", "draw", "--lang", "en"]
    empty = [sys.executable, "-c", EMPTY]
    turns = [(until(ours, b"Values"), until(empty, b"READY")) for _ in range(rounds + 1)][1:]
    return statistics.median(a for a, _ in turns), statistics.median(b for _, b in turns)


def main() -> None:
    """Prints the figures; with --check 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    print(f"{platform.python_implementation()} {platform.python_version()}, {os.cpu_count()} cores")
    missed = False
    for width in WIDTHS:
        seconds = what_ifs(walk_of(width), options.rounds)
        missed |= seconds >= AIM_SECONDS
        print(
            f"what-if, {HEADS} heads × {TOKENS} tokens × {width}: {1000 * seconds:.0f} ms, aim {1000 * AIM_SECONDS:.0f}"
        )
    ours, empty = first_screens(options.rounds)
    missed |= ours > AIM_RATIO * empty
    print(f"first screen of step draw: {1000 * ours:.0f} ms, of an empty Textual program: {1000 * empty:.0f} ms")
    print(f"ratio {ours / empty:.2f}, aim {AIM_RATIO}")
    sys.exit(bool(missed and options.check))


if __name__ == "__main__":
    main()
