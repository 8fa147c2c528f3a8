"""Running the program as a user does: a process of its own, an environment that only the test fills, a time limit."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pexpect  # type: ignore[import-untyped]
import pyte
from rich.cells import cell_len

import attncalc

PROGRAM = (sys.executable, "-m", "attncalc")
PACKAGE_PARENT = Path(attncalc.__file__).parents[1]
SECONDS = 60.0
TALL = 800  # lines: more than any test draws

Environment = Mapping[str, str]


class Finished(NamedTuple):
    """How a run ended: its exit code and what it wrote, as UTF-8 with the line ends it has."""

    code: int
    out: str
    err: str


class Seen(NamedTuple):
    """A run in a terminal: exit code, the characters that arrived, and the lines that they draw."""

    code: int
    raw: str
    lines: list[str]


def environment(extra: Environment | None = None) -> dict[str, str]:
    """A clean environment: where programs and this attncalc are, and what the test gives."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    return {**kept, "HOME": "/nonexistent", "PYTHONPATH": str(PACKAGE_PARENT), **(extra or {})}


def run_program(
    *args: str | bytes, stdin: bytes = b"", env: Environment | None = None, cwd: Path | None = None
) -> Finished:
    """`attncalc ARGS` with pipes on all sides."""
    done = subprocess.run(
        [*PROGRAM, *args], input=stdin, capture_output=True, env=environment(env), cwd=cwd, timeout=SECONDS, check=False
    )
    return Finished(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def run_shell(line: str, env: Environment | None = None, cwd: Path | None = None, errors: str = "strict") -> Finished:
    """A line of shell in which `attncalc` is the program: for redirections and closed streams.

    `errors` says what becomes of output that is no text, as in `bytes.decode`.
    """
    script = f'attncalc() {{ "$PYTHON" -m attncalc "$@"; }}\n{line}'
    done = subprocess.run(
        ["/bin/sh", "-c", script], stdin=subprocess.DEVNULL, capture_output=True, cwd=cwd, timeout=SECONDS,
        env=environment({"PYTHON": sys.executable, **(env or {})}), check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout.decode("utf-8", errors), done.stderr.decode("utf-8"))


def run_in_terminal(
    *args: str, columns: int = 80, rows: int = 24, env: Environment | None = None, keys: bytes = b""
) -> Seen:
    """`attncalc ARGS` in a pseudo-terminal of that size; `keys` are typed at once.

    The lines are those of a screen as wide as the terminal and tall enough for everything, so that none scrolls away.
    """
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], *args], env=environment({"TERM": "xterm-256color", **(env or {})}),
        dimensions=(rows, columns), timeout=SECONDS,
    )  # fmt: skip
    if keys:
        child.send(keys)
    child.expect(pexpect.EOF)
    raw: bytes = child.before
    child.close()
    code = child.exitstatus if child.exitstatus is not None else -(child.signalstatus or 0)
    return Seen(code, raw.decode("utf-8"), drawn(raw, columns))


def drawn(raw: bytes, columns: int) -> list[str]:
    """The lines that a terminal of that width shows for the bytes, blanks at their ends and empty last lines cut."""
    screen = pyte.Screen(columns, TALL)
    pyte.ByteStream(screen).feed(raw)
    return "\n".join(line.rstrip() for line in screen.display).rstrip().split("\n")


def widest(lines: Sequence[str]) -> int:
    """The cells of the widest line."""
    return max(map(cell_len, lines), default=0)
