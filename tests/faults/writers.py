"""Every call that writes: what stands there before, and what may stand there afterwards, at whatever moment it ends."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from calling import out
from running import Finished

from faults.forking import Run

OLD = b"mine\n"
PART = re.compile(r"\..*\.[0-9a-f]{12}\.part")

Files = Mapping[str, bytes]


class Writer(NamedTuple):
    """A call that writes, the files in its folder before it, and the lines that it reads, each of which may write."""

    name: str
    args: tuple[str, ...]
    before: Files
    lines: tuple[bytes, ...] = ()
    code: int = 0


def _result(line: str, file: str) -> Writer:
    """A call with one result in a file that is there."""
    return Writer(f"{line} -o {file}", (*line.split(), "-o", file, "--force"), {file: OLD})


@cache
def _scenario(wrong: bool = False) -> bytes:
    text = out("show", "draw")
    return (text.replace("6.05", "6.06", 1) if wrong else text).encode()


SHEETS = ("worksheet", "--seed", "7", "--level", "1", "--copies", "2")
ANSWERS = (b"6.05 1.22 1.82 0.7\n", b"6.05 1.22 1.82 0.74\n", b"9.83\n", b"hint\n", b"0.62 0.21 0.19 0.08\n")


@cache
def writers() -> tuple[Writer, ...]:
    """All of them."""
    summary = json.dumps({"q": [[1, 2], [3, 4]], "k": [[1, 0], [0, 1]], "v": [[1], [2]]}).encode()
    return (
        *(_result("run draw", f"result.{suffix}") for suffix in ("json", "csv", "npz", "xlsx", "html", "tex", "png")),
        _result("explain draw", "told.svg"),
        _result("why draw context draw 0", "why.md"),
        _result("compare draw bigram", "compared.json"),
        _result("sweep draw scores.0 -1 3", "swept.csv"),
        _result("check draw --answer weights[draw]=0.62,0.12,0.19,0.08", "checked.json"),
        _result("verify draw", "verified.json"),
        _result("cost 1000", "cost.json"),
        _result("list", "list.txt"),
        _result("show draw", "shown.json"),
        _result("schema", "schema.json"),
        _result("new --random --seed 7", "made.json"),
        _result("worksheet --seed 7", "sheet.md"),
        Writer("run --summary", ("run", "s.json", "--summary", "-o", "rows.npz"), {"s.json": summary}),
        Writer("new, by questions", ("new", "-o", "mine.json"), {}, (b"\n" * 20,)),
        Writer("worksheet, a new folder", (*SHEETS, "-o", "sheets"), {}),
        Writer(
            "worksheet, a folder that is there",
            (*SHEETS, "-o", "sheets", "--force"),
            {"sheets/sheet-01.md": OLD, "sheets/sheet-02.md": OLD, "sheets/mine.txt": OLD},
        ),
        Writer(
            "verify --update", ("verify", "one.json", "two.json", "--update"),
            {"one.json": _scenario(True), "two.json": _scenario(True)},
        ),
        Writer("quiz --resume", ("quiz", "draw", "--resume", "quiz.json"), {}, ANSWERS, 1),
        Writer(
            "step --plain", ("step", "draw", "--plain"), {"walk.json": OLD},
            (b"save walk.json --force\n", b"set scores.0=1\n", b"save walk.json --force\nsave other.json\n"),
        ),
        Writer("--install-completion", ("--install-completion", "bash"), {".bashrc": b"export A=\xc4\xe3\n" * 300}),
    )  # fmt: skip


class Shop:
    """A folder in which a call is run again and again, and judged by what complete runs left there."""

    def __init__(self, writer: Writer, folder: Path) -> None:
        self.writer, self.folder = writer, folder
        self.allowed: dict[str, set[bytes]] = {name: {data} for name, data in writer.before.items()}
        self.seconds = 0.0
        for count in range(bool(writer.lines), len(writer.lines) + 1):
            self.reset()
            begun = time.monotonic()
            done = self.run(writer.lines[:count]).wait()
            self.seconds = time.monotonic() - begun
            self.final = self.found()
            for name, data in self.final.items():
                self.allowed.setdefault(name, set()).add(data)
        assert done.code == writer.code, done
        assert self.final != writer.before
        assert not any(map(is_part, self.final))

    def reset(self) -> None:
        """The folder as it was before the call."""
        for path in self.folder.iterdir():
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
        for name, data in self.writer.before.items():
            (self.folder / name).parent.mkdir(exist_ok=True)
            (self.folder / name).write_bytes(data)

    def run(self, lines: Sequence[bytes] | None = None, before: Callable[[], object] = lambda: None) -> Run:
        """The call, begun."""
        stdin = b"".join(self.writer.lines if lines is None else lines)
        where = {"HOME": str(self.folder), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
        return Run(self.writer.args, self.folder, stdin, before, **where)

    def found(self) -> dict[str, bytes]:
        """The files that are there, and the empty folders."""
        paths = sorted(self.folder.rglob("*"))
        files = {str(path.relative_to(self.folder)): path.read_bytes() for path in paths if path.is_file()}
        return files | {f"{path.relative_to(self.folder)}/": b"" for path in paths if _is_empty(path)}

    def trouble(self, parts: bool = False) -> str:
        """What is there and must not be; what is half made may be, where `parts` says so."""
        for name, data in self.found().items():
            if is_part(name):
                if not parts:
                    return f"{name} is left"
            elif not name.endswith("/") and data not in self.allowed.get(name, set()):
                return f"{name} is neither the old file nor a new one: {data[:40]!r}…, {len(data)} bytes"
        gone = [name for name in self.writer.before if not (self.folder / name).exists()]
        return f"{', '.join(gone)} is gone" if gone else ""

    def next_run(self) -> str:
        """What is wrong after a run that nothing disturbs, on top of what the disturbed one left."""
        if not any(map(is_part, self.found())):
            return ""
        for name in self.final.keys() - self.writer.before.keys():  # would be refused without --force
            if "--resume" not in self.writer.args:
                (self.folder / name).unlink(missing_ok=True)
        self.run().wait()
        left = [name for name in self.found() if is_part(name)]
        return f"{left[0]} is left by the next run" if left else ""


def refused(done: Finished, code: int = 2) -> str:
    """What is wrong with a run that was to be refused in sentences of the program."""
    if done.code != code:
        return f"ends with {done.code}, not {code}: {done.err[-200:]}"
    if "Traceback" in done.err or "fault of attncalc itself" in done.err:
        return f"says {done.err[-300:]}"
    return "" if done.err.strip() else "says nothing"


def is_part(name: str) -> bool:
    """Whether a file is half made, or lies in a folder that is."""
    return any(map(PART.fullmatch, name.split("/")))


def _is_empty(path: Path) -> bool:
    return path.is_dir() and not any(path.iterdir())
