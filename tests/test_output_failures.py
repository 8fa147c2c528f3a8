"""`-o FILE` where writing goes wrong, or would be wrong: a full disk, a signal, an input as the target, odd names."""

from __future__ import annotations

import errno
import fcntl
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import numpy as np
import pytest
from calling import call, out
from running import PACKAGE_PARENT, PROGRAM, Finished, environment, run_shell
from surroundings import CHINESE, assert_one_sentence, usual

OLD = b"mine\n"
BOTH_KINDS = pytest.mark.parametrize("suffix", [".json", ".npz"])
"""Text and bytes."""


class TestFailures:
    """A full disk, a read-only folder, an end by a signal: the old file is whole, and the message names the cause."""

    @BOTH_KINDS
    def test_a_full_disk(self, suffix: str, tmp_path: Path) -> None:
        """A file system of 12 kilobytes, on which no result has room beside the old file."""
        done = on_a_mount("size=12k", f"run grouped -o result{suffix} --force", suffix, tmp_path)
        assert (done.code, done.out) == (2, f"mine\nresult{suffix}\n")
        assert done.err == f"attncalc: result{suffix}: cannot be written: No space left on device\n"

    @BOTH_KINDS
    def test_a_read_only_file_system(self, suffix: str, tmp_path: Path) -> None:
        """Mounted so that nobody may write there, root neither."""
        done = on_a_mount(
            "size=1m", f"run draw -o result{suffix} --force", suffix, tmp_path, then="mount -o remount,ro ."
        )
        assert (done.code, done.out) == (2, f"mine\nresult{suffix}\n")
        assert done.err == f"attncalc: result{suffix}: cannot be written: Read-only file system\n"

    @BOTH_KINDS
    def test_a_read_only_folder(self, suffix: str, tmp_path: Path) -> None:
        """A folder without the right to write, as a user whom that stops."""
        (tmp_path / f"result{suffix}").write_bytes(OLD)
        tmp_path.chmod(0o555)
        done = run_shell(f"{obedient()} run draw -o result{suffix} --force", cwd=tmp_path)
        tmp_path.chmod(0o755)
        assert (done.code, done.out) == (2, "")
        assert done.err == f"attncalc: result{suffix}: cannot be written: Permission denied\n"
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {f"result{suffix}": OLD}

    @pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL])
    @BOTH_KINDS
    def test_an_end_in_the_middle(self, suffix: str, ending: signal.Signals, tmp_path: Path) -> None:
        """The old file stays; nothing is left beside it but by a kill, which leaves a name that ends in .part."""
        target = tmp_path / f"result{suffix}"
        target.write_bytes(OLD)
        code = ended_in_the_middle(ending, ("run", "draw", "-o", str(target), "--force"), tmp_path)
        assert target.read_bytes() == OLD
        left = [path.name for path in tmp_path.iterdir() if path != target]
        if ending == signal.SIGKILL:
            assert code == -ending
            assert [name.startswith(f".result{suffix}.") and name.endswith(".part") for name in left] == [True]
        else:
            assert (code, left) == (128 + ending, [])

    @pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
    def test_an_end_whose_exception_is_lost(self, ending: signal.Signals, tmp_path: Path) -> None:
        """Python ignores what is raised while an object is let go: the signal ends the program all the same."""
        target = tmp_path / "result"
        target.write_bytes(OLD)
        words = [sys.executable, "-c", LET_GO, str(target), str(int(ending))]
        done = subprocess.run(words, env=environment(), capture_output=True, timeout=60, check=False)
        assert done.returncode in (128 + ending, -ending)
        assert b"Exception ignored in" in done.stderr
        assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("result", OLD)]

    @pytest.mark.parametrize("there", [True, False])
    @pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
    def test_an_end_in_the_middle_of_a_folder(self, ending: signal.Signals, there: bool, tmp_path: Path) -> None:
        """No file of the copies is written, and no folder made."""
        folder = tmp_path / "sheets"
        if there:
            folder.mkdir()
            (folder / "sheet-01.md").write_bytes(OLD)
        args = ("worksheet", "--level", "1", "--copies", "2", "-o", str(folder), "--force")
        assert ended_in_the_middle(ending, args, folder if there else tmp_path) == 128 + ending
        assert sorted(tmp_path.rglob("*")) == ([folder, folder / "sheet-01.md"] if there else [])

    def test_a_reader_of_the_old_file_reads_it_to_its_end(self, tmp_path: Path) -> None:
        """The new file takes the place of the old one; it is not written over it."""
        target = tmp_path / "result.json"
        target.write_bytes(OLD)
        with target.open("rb") as reader:
            assert out("run", "draw", "-o", str(target), "--force") == ""
            assert reader.read() == OLD
        assert target.read_text("utf-8") == usual("run", "draw", "--json")

    def test_kills_at_any_moment(self, tmp_path: Path) -> None:
        """A process that writes one file over and over, killed again and again: it is always one of the two, whole."""
        target, chance = tmp_path / "result", random.Random(5)
        target.write_bytes(WHOLE[0])
        seen = []
        for _ in range(8):
            writer = subprocess.Popen([sys.executable, "-c", WRITER, str(target)], env=environment())
            wait_for(lambda: any(tmp_path.glob("*.part")), writer)
            time.sleep(chance.uniform(0, 0.05))
            writer.kill()
            writer.wait()
            seen.append(target.read_bytes())
            for part in tmp_path.glob(".*.part"):
                part.unlink()
        assert set(seen) <= set(WHOLE)

    def test_what_a_kill_left_goes_with_the_next_result(self, tmp_path: Path) -> None:
        """Whatever the clock says; what somebody still makes, and what is not of the same target, stays."""
        number, other, third = "0123456789ab", "ba9876543210", "a" * 12
        stale = [f".result.{number}.part", f".result.{other}.part"]
        kept = [f".other.{number}.part", f".result.json.{number}.part", ".result.part", f"result.{number}.part"]
        for name, age in zip((*stale, *kept), (3700, -3700, 0, 3700, 0, 0), strict=True):
            (tmp_path / name).write_bytes(OLD)
            os.utime(tmp_path / name, (0, time.time() - age))
        folder = tmp_path / f".result.{'b' * 12}.part"
        (folder / "files").mkdir(parents=True)
        with (tmp_path / f".result.{third}.part").open("wb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            assert out("run", "draw", "-o", str(tmp_path / "result")) == ""
            assert sorted(os.listdir(tmp_path)) == sorted([*kept, held.name.rpartition("/")[2], "result"])

    def test_where_there_are_no_locks_it_goes_after_an_hour(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """When nobody can still be writing."""

        def flock(*_: object) -> NoReturn:
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        monkeypatch.setattr(fcntl, "flock", flock)
        for number, age in (("0" * 12, 3700), ("1" * 12, 3500)):
            (tmp_path / f".result.{number}.part").write_bytes(OLD)
            os.utime(tmp_path / f".result.{number}.part", (0, time.time() - age))
        assert out("run", "draw", "-o", str(tmp_path / "result")) == ""
        assert sorted(os.listdir(tmp_path)) == [f".result.{'1' * 12}.part", "result"]

    def test_all_files_of_an_update_or_none(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """`verify --update` of two files where the second finds no room: the first is as it was."""
        text = usual("show", "draw").replace("0.62", "0.61", 1).replace("6.05", "6.06", 1)
        written = itertools.count()

        def fsync(_: int) -> None:
            if next(written):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        for name in ("one.json", "two.json"):
            (tmp_path / name).write_text(text, encoding="utf-8")
        monkeypatch.setattr(os, "fsync", fsync)
        done = call("verify", "one.json", "two.json", "--update", cwd=tmp_path)
        assert done.err == "attncalc: two.json: cannot be written: No space left on device\n"
        assert done.code == 2
        assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == {
            "one.json": text, "two.json": text,
        }  # fmt: skip


class TestInputs:
    """A result is never written over what it is made from."""

    CALLS = (
        ("verify", "mine.json"), ("run", "mine.json"), ("explain", "mine.json"), ("show", "mine.json"),
        ("compare", "draw", "mine.json"), ("check", "draw", "mine.json"), ("check", "mine.json", "answers.json"),
        ("why", "mine.json", "weights", "draw", "I"), ("new", "--from", "mine.json"),
        ("sweep", "mine.json", "scores.0", "0", "1"), ("verify", "mine.json", "--update"),
    )  # fmt: skip

    @pytest.mark.parametrize("target", ["mine.json", "./mine.json", "link.json", "hard.json"])
    @pytest.mark.parametrize("args", CALLS, ids=" ".join)
    def test_it_is_refused(
        self, args: tuple[str, ...], target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With `--force` too, under any of its names, in a sentence of the language; the file is as it was."""
        monkeypatch.chdir(tmp_path)
        text = usual("show", "draw")
        Path("mine.json").write_text(text, encoding="utf-8")
        Path("link.json").symlink_to("mine.json")
        os.link("mine.json", "hard.json")
        for language in ("en", "zh"):
            done = call(*args, "-o", target, "--force", language=language)
            assert (done.code, done.out) == (2, "")
            assert_one_sentence(done.err)
            assert done.err.startswith(f"attncalc: {target}: ")
            assert bool(CHINESE.search(done.err)) == (language == "zh")
        assert Path("mine.json").read_text(encoding="utf-8") == text

    def test_nor_over_the_arrays_that_a_scenario_refers_to(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Those beside the scenario, in a trace too; another archive may be overwritten."""
        monkeypatch.chdir(tmp_path)
        arrays = {name: np.eye(2) for name in "qkv"}
        for name in ("run.npz", "other.npz"):
            np.savez(name, **arrays)  # type: ignore[arg-type]
        document = {name: {"npz": "run.npz", "key": name} for name in "qkv"}
        Path("s.json").write_text(json.dumps(document))
        Path("trace.json").write_text(json.dumps({"format": "attncalc-trace/1", "scenario": document}))
        before = Path("run.npz").read_bytes()
        for scenario in ("s.json", "trace.json"):
            assert call("run", scenario, "-o", "run.npz", "--force").code == 2
        assert Path("run.npz").read_bytes() == before
        assert out("run", "s.json", "-o", "other.npz", "--force") == ""

    def test_a_file_named_as_a_built_in_scenario_is_not_read(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """`run draw -o draw --force`: the scenario is the built-in one."""
        monkeypatch.chdir(tmp_path)
        Path("draw").write_bytes(OLD)
        assert out("run", "draw", "-o", "draw", "--force") == ""
        assert Path("draw").read_bytes() != OLD


class TestNames:
    """Odd names of files."""

    @pytest.mark.parametrize(("name", "beginning"), [("A.JSON", '{"format"'), ("A.Csv", "step,"), ("Ä 表.tex", "")])
    def test_a_suffix_in_capitals(self, name: str, beginning: str, tmp_path: Path) -> None:
        """Says the format as in small letters."""
        assert out("run", "draw", "-o", str(tmp_path / name)) == ""
        assert (tmp_path / name).read_text("utf-8").startswith(beginning)

    def test_the_option_is_stronger_than_the_suffix(self, tmp_path: Path) -> None:
        """`--format csv -o a.json` writes CSV."""
        assert out("run", "draw", "--format", "csv", "-o", str(tmp_path / "a.json")) == ""
        assert (tmp_path / "a.json").read_text("utf-8") == usual("run", "draw", "--format", "csv")

    @pytest.mark.parametrize("name", ["a.htm", "a.docx", "a.json.bak"])
    def test_a_suffix_that_is_no_format(self, name: str, tmp_path: Path) -> None:
        """A sentence with those that are; nothing is written."""
        done = call("run", "draw", "-o", str(tmp_path / name))
        assert (done.code, done.out, sorted(os.listdir(tmp_path))) == (2, "", [])
        assert ".html" in done.err

    @pytest.mark.parametrize(
        "name", ["x\n\x1b[31m.json", "x\u202e.json", "-x.json", "a" * 250 + ".txt", "表" * 80 + ".txt", ".json"], ids=ascii
    )  # fmt: skip
    def test_a_name_that_files_can_have(self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Is written; where it stands in a message, it is on one line and nothing that a terminal would obey."""
        monkeypatch.chdir(tmp_path)
        assert out("run", "draw", f"-o{name}") == ""
        assert os.listdir() == [name]
        done = call("run", "draw", f"-o{name}")
        assert done.code == 2
        assert_one_sentence(done.err)
        assert done.err[:-1].isprintable()

    @pytest.mark.parametrize("name", ["a" * 300, "a" * 300 + "/b", "nul\0"], ids=["long", "long folder", "nul"])
    def test_a_name_that_no_file_can_have(self, name: str, tmp_path: Path) -> None:
        """One sentence, and no longer than a line."""
        done = call("run", "draw", "-o", f"{tmp_path}/{name}")
        assert (done.code, done.out, sorted(os.listdir(tmp_path))) == (2, "", [])
        assert_one_sentence(done.err)


# --- how a write is made to fail -----------------------------------------------------------------

SLOW = """
import os, time
def fsync(file):
    time.sleep(30)
os.fsync = fsync
"""
"""Read by Python when it starts: a result is written, and waits before it takes its place."""

LET_GO = """
import os, sys
from pathlib import Path
from attncalc.cli.output import write_file
class Last:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[2]))
        sum(range(10))
def parts():
    last = Last()
    yield b"new"
write_file(parts(), Path(sys.argv[1]), force=True)
"""
"""A signal that comes while the last object that a result was made with is let go."""

WHOLE = (b"a" * 3_000_000, b"b" * 2_000_000)
WRITER = """
import sys
from pathlib import Path
from attncalc.cli.output import write_file
while True:
    for data in (b"b" * 2_000_000, b"a" * 3_000_000):
        write_file(data, Path(sys.argv[1]), force=True)
"""


def ended_in_the_middle(ending: signal.Signals, args: Sequence[str], folder: Path) -> int:
    """The exit code of a call that gets a signal when its result lies half made in a folder."""
    slow = folder.parent / f"{folder.name}-slow"
    slow.mkdir()
    (slow / "sitecustomize.py").write_text(SLOW)
    env = environment({"PYTHONPATH": f"{slow}{os.pathsep}{PACKAGE_PARENT}"})
    running = subprocess.Popen([*PROGRAM, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env)
    wait_for(lambda: any(path.is_dir() or path.stat().st_size for path in half_made(folder)), running)
    running.send_signal(ending)
    streams = running.communicate(timeout=20)
    shutil.rmtree(slow)
    assert streams == (b"", b"")
    return running.returncode


def half_made(folder: Path) -> Iterator[Path]:
    """The files of a folder, and of those half made in it, that are not in their places yet."""
    return itertools.chain(folder.glob(".*.part"), folder.glob(".*.part/files/*"))


def wait_for(there: Callable[[], bool], running: subprocess.Popen[bytes]) -> None:
    """Until something is so, while a process is running."""
    until = time.monotonic() + 30
    while not there():
        assert running.poll() is None
        assert time.monotonic() < until
        time.sleep(0.005)


def on_a_mount(size: str, args: str, suffix: str, folder: Path, then: str = ":") -> Finished:
    """A call in a file system of its own with an old file in it, which nobody else sees; what is there afterwards."""
    spaces = ("unshare -m", "unshare -rm")
    mounting = f"mount -t tmpfs -o {size} none {folder}"
    allowed = (space for space in spaces if run_shell(f"{space} {mounting}").code == 0)
    space = next(allowed, None)
    if space is None:
        pytest.skip("needs the right to mount a file system")
    file = f"result{suffix}"
    call = f'"$PYTHON" -m attncalc {args}; code=$?; cat {file}; ls -A; exit $code'
    script = f"{mounting} && cd {folder} && echo mine > {file} && {then} && {{ {call}; }}"
    return run_shell(f"{space} sh -c '{script}'")


def obedient() -> str:
    """The program as somebody whom the rights of a folder stop: root without the capability to pass over them."""
    program = '"$PYTHON" -m attncalc'
    return program if os.geteuid() else f"setpriv --bounding-set=-dac_override,-dac_read_search {program}"
