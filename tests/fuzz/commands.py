"""How whole command lines end: with a code of the contract, a sentence where they are refused, and soon."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir
from functools import cache
from pathlib import Path

from calling import call
from hypothesis import HealthCheck, Phase, given, seed, settings
from running import Finished

from .command_lines import Line, lines, prepare
from .judging import HANG, SLOW, Finding, must

COMMANDS = "commands"
CODES = {0, 1, 2}
"""How a call may end that nobody interrupts."""


def check(line: Line, done: Finished) -> None:
    """Ends with a code of the contract; says why where it is 2, and nothing else then; no traceback, no warning."""
    story = f"{done.code} {done.err[-600:]}"
    must(done.code in CODES, f"exit code {done.code}", story)
    must("Traceback" not in done.err or "--debug" in line.args, "traceback", story)
    must("Warning" not in done.err, "warning of a library", story)
    if done.code == 2:
        must(done.err.startswith("attncalc: ") or "--debug" in line.args, "refused without a sentence", story)
        must(not done.out or line.args[0] in TALKING, "refused with a result", story + done.out[:300])
    if done.code == 0 and asks_for_json(line.args) and done.out:
        for text in done.out.splitlines() if "--indent" not in " ".join(line.args) else [done.out]:
            json.loads(text, parse_constant=lambda word: must(False, "JSON has a number that is none", word))


TALKING = ("step", "quiz", "run", "verify", "check")
"""Commands that may have shown something before what they cannot do: a dialogue, the scenarios before a bad one."""


def asks_for_json(args: tuple[str, ...]) -> bool:
    """Whether the result is JSON, on standard output."""
    return "--json" in args and not {"-o", "--output"} & set(args) and args[0] not in ("quiz", "step")


def tried(line: Line) -> Finding | None:
    """What is wrong with how a command line ends."""
    start = time.process_time()
    folder = _folder()
    prepare(folder)
    try:
        with chdir(folder):
            done = call(*line.args, stdin=line.stdin, env=line.env)
        check(line, done)
    except Exception as error:
        return _found(line, f"{type(error).__name__}: {str(error)[:60]}".partition("\n")[0], str(error))
    seconds = time.process_time() - start
    if seconds > HANG:
        return _found(line, f"hang: {line.args[0]}", f"{seconds:.1f} s")
    return _found(line, f"slow: {line.args[0]}", f"{seconds:.1f} s") if seconds > SLOW * 3 else None


def _found(line: Line, kind: str, story: str) -> Finding:
    return Finding(kind, f"{line.story()}\n{story}", line.story().encode("utf-8", "backslashreplace"))


@cache
def _folder() -> Path:
    _KEPT.append(tempfile.TemporaryDirectory(prefix="attncalc-fuzz-"))
    return Path(_KEPT[-1].name)


_KEPT: list[tempfile.TemporaryDirectory[str]] = []


def judged_commands(count: int, number: int) -> Iterator[Finding]:
    """What is wrong with so many command lines."""
    found: list[Finding] = []
    as_many = settings(max_examples=count, database=None, deadline=None, phases=[Phase.generate])
    as_they_come = settings(as_many, suppress_health_check=list(HealthCheck))

    @seed(number)
    @as_they_come
    @given(lines())
    def each(line: Line) -> None:
        if finding := tried(line):
            found.append(finding)

    each()
    yield from found
