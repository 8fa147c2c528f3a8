"""What surrounds a run: little memory, closed streams, odd clocks, a home or cache that is not there."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from running import PACKAGE_PARENT, PROGRAM, Finished, environment, run_program

from faults import Injected
from faults.writers import OLD, Shop, refused

SMALL = (
    "explain draw",
    "run draw --json",
    "run draw --format npz -o r.npz",
    "run draw -o r.xlsx",
    "run draw -o r.html",
)
COMMANDS = (
    *SMALL, "run draw -o r.png", "run draw -o r.svg", "why draw context draw 0 --sensitivity", "compare draw bigram",
    "sweep draw scores.0 -1 3", "check draw --answer weights[draw]=0.62,0.12,0.19,0.08", "verify draw", "quiz",
    "worksheet --seed 7", "worksheet --copies 3 -o sheets", "cost 1000", "list", "show draw", "schema",
    "new --random --seed 7", "step draw --plain", "--help",
)  # fmt: skip
LARGE = (
    "run large.json --json", "run large.json --format csv", "run large.json -o r.html", "run large.json -o r.xlsx",
    "run large.json -o r.png", "run large.json -o r.svg", "run large.json -o r.npz", "explain large.json",
    "why large.json weights 3 4", "compare large.json draw", "sweep large.json scores.0.0 -1 3", "verify large.json",
    "check large.json --answer weights[0][0]=1", "quiz large.json", "step large.json --plain",
    "run large.json --summary", "run causal-head --all -o r.png", "run large.json --arithmetic exact --token 3",
)  # fmt: skip
MEGABYTE = 2**20


# --- memory ---------------------------------------------------------------------------------------


def write_large(folder: Path, side: int = 700) -> None:
    """A scenario of a megabyte."""
    rows = ",".join(f"[{','.join(str(i * j % 13) for j in range(side))}]" for i in range(side))
    (folder / "large.json").write_text(f'{{"scores": [{rows}], "v": [{",".join(["[1, 2]"] * side)}]}}')


def little_memory(line: str, megabytes: int, folder: Path) -> Injected:
    """A run with a limit on its address space: it answers, or says that there is too little."""
    done = limited(line, megabytes, folder)
    trouble = "" if done.code in (0, 1) and "Traceback" not in done.err else refused(done)
    for path in folder.glob("r.*"):
        path.unlink()
    shutil.rmtree(folder / "sheets", ignore_errors=True)
    return Injected("little memory", f"{line}, {megabytes} MB", trouble)


def limited(line: str, megabytes: int, folder: Path) -> Finished:
    """The end of a run with so much address space."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    return _run(line.split(), folder, limit, stdin=b"quit\n")


# --- streams --------------------------------------------------------------------------------------

STREAMS = [closed for count in (1, 2, 3) for closed in itertools.combinations((0, 1, 2), count)]
READING = ("--help", "list", "explain draw", "run draw -o r.txt --force")


def closed_streams(line: str, closed: Sequence[int], folder: Path) -> Injected:
    """Standard streams that are closed at the start: what needs one says so, and none of them is taken by a file."""
    usual, wanted = _usual(line)
    (folder / "r.txt").write_bytes(OLD)
    done = _run(line.split(), folder, lambda: [os.close(number) for number in closed])
    needs_out = "-o" not in line
    code = 2 if needs_out and 1 in closed else 0
    out = "" if 1 in closed else usual
    trouble = "" if (done.code, done.out) == (code, out) else f"ends with {done.code}, {done.err[-200:]}"
    if code and 2 not in closed:
        trouble = trouble or refused(done)
    if not needs_out and (folder / "r.txt").read_bytes() != wanted:
        trouble = trouble or "the file is another"
    return Injected("closed streams", f"{line}, {', '.join(map(str, closed))}", trouble)


@cache
def _usual(line: str) -> tuple[str, bytes]:
    """What a line writes where nothing is odd: on standard output, and into the file."""
    with TemporaryDirectory() as folder:
        out, file = run_program(*line.split(), cwd=Path(folder)).out, Path(folder, "r.txt")
        return out, file.read_bytes() if file.exists() else OLD


# --- clocks ---------------------------------------------------------------------------------------

CLOCKS: dict[str, Callable[[int], float]] = {
    "stands still": lambda _: 1e9,
    "runs backwards": lambda turn: 1e9 - 3600.0 * turn,
    "jumps a year": lambda turn: 1e9 + 3.2e7 * turn,
    "jumps to and fro": lambda turn: 1e9 + (-1) ** turn * 1e6 * turn,
    "is before 1970": lambda turn: turn - 1e6,
}


def odd_clock(shop: Shop, name: str) -> Injected:
    """A call that writes while every clock of Python does odd things: the same bytes as ever."""
    turns = itertools.count()

    def turn() -> float:
        return CLOCKS[name](next(turns))

    def break_clocks() -> None:
        for clock in ("time", "monotonic", "perf_counter"):
            setattr(time, clock, turn)

    shop.reset()
    done = shop.run(before=break_clocks).wait()
    trouble = "" if done.code == shop.writer.code else f"ends with {done.code}: {done.err[-300:]}"
    other = "" if shop.found() == shop.final else "writes something else"
    return Injected("an odd clock", f"{shop.writer.name}, a clock that {name}", trouble or other)


# --- places ---------------------------------------------------------------------------------------

PLACES: dict[str, dict[str, str | None]] = {
    "HOME unset": {"HOME": None},
    "HOME empty": {"HOME": ""},
    "HOME that is a file": {"HOME": "/dev/null"},
    "a cache that nobody may write": {"XDG_CACHE_HOME": "/proc/none", "XDG_CONFIG_HOME": "/proc/none"},
    "a missing TMPDIR": {"TMPDIR": "/nonexistent/tmp", "TMP": "/nonexistent/tmp", "TEMP": "/nonexistent/tmp"},
    "no PATH": {"PATH": None},
    "an odd TERM": {"TERM": "nonsense", "TERMINFO": "/nonexistent"},
}


def odd_place(line: str, name: str, folder: Path) -> Injected:
    """Variables of the environment that lead nowhere: everything as usual."""
    env = {name: value for name, value in (environment() | PLACES[name]).items() if value is not None}
    done = _run(line.split(), folder, env=env, stdin=b"quit\n")
    usual = _run(line.split(), folder, stdin=b"quit\n")
    for path in folder.glob("r.*"):
        path.unlink()
    if line.endswith("-o r.xlsx") or line.endswith("-o r.png"):  # the second is refused: the file is there
        usual = Finished(0, "", "")
    shutil.rmtree(folder / "sheets", ignore_errors=True)
    same = (done.code == usual.code and done.out == usual.out) or done.code == 0
    return Injected("a place that is not there", f"{line}, {name}", "" if same else f"{done.code}: {done.err[-300:]}")


def folder_gone(line: str, folder: Path) -> Injected:
    """A current folder that was removed: what reads no file works, a relative target is refused in a sentence."""
    gone = folder / "gone"
    gone.mkdir()
    done = _run(line.split(), gone, gone.rmdir, stdin=b"quit\n")
    trouble = "" if done.code == 0 and " -o " not in line else refused(done)
    return Injected("a folder that is gone", line, trouble)


def read_only_install(line: str, folder: Path) -> Injected:
    """An install into which its user may write nothing, and a user without a home."""
    install = folder / "install"
    if not install.exists():
        for name in ("attncalc", "scenarios"):  # installed, the second stands in the first
            if (PACKAGE_PARENT / name).exists():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(PACKAGE_PARENT / name, install / name, ignore=ignored)
        for path in (*install.rglob("*"), install):
            path.chmod(0o555 if path.is_dir() else 0o444)
    own = folder / "own"
    own.mkdir(exist_ok=True)
    env = environment({"PYTHONPATH": str(install), "HOME": "/nonexistent"})
    words = () if os.geteuid() else ("setpriv", "--bounding-set=-dac_override,-dac_read_search")
    done = _run(line.split(), own, env=env, stdin=b"quit\n", under=words)
    trouble = "" if done.code == 0 else f"{done.code}: {done.err[-300:]}"
    written = list(install.rglob("__pycache__"))
    shutil.rmtree(own)
    return Injected("a read-only install", line, trouble or "it was written to" * bool(written))


def _run(
    args: Sequence[str], folder: Path, before: Callable[[], object] | None = None, stdin: bytes = b"",
    env: dict[str, str] | None = None, under: Sequence[str] = (),
) -> Finished:  # fmt: skip
    done = subprocess.run(
        [*under, *PROGRAM, *args], input=stdin, capture_output=True, cwd=folder,
        env=environment() if env is None else env, preexec_fn=before, timeout=60, check=False,
    )  # fmt: skip
    return Finished(done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace"))
