"""A few faults of each kind that `python tests/faults` injects by the thousand: the old file or the new, never half."""

from __future__ import annotations

import contextlib
import itertools
import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest
from faults import Injected, around, kills, rooms, terminals
from faults.forking import aside
from faults.writers import OLD, PART, Shop, Writer, refused, writers
from running import PROGRAM, environment, run_program

from attncalc.cli import one_thread, progress
from attncalc.cli.folders import write_folder
from attncalc.cli.session import session
from attncalc.renderers import png

KILLS = 5
EACH = pytest.mark.parametrize("writer", writers(), ids=lambda writer: writer.name)
FEW = pytest.mark.parametrize(
    "writer", [writer for writer in writers() if writer.name in (
        "run draw -o result.npz", "verify --update", "quiz --resume", "--install-completion",
    )], ids=lambda writer: writer.name,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of its own, with nothing in it."""
    (tmp_path / "here").mkdir()
    return tmp_path / "here"


def named(name: str) -> Writer:
    """The writer of a name."""
    return next(writer for writer in writers() if writer.name == name)


def assert_no_trouble(injected: Iterable[Injected]) -> None:
    """Faults were injected, and none of them brought about what must not be."""
    found = list(injected)
    assert found
    assert [one for one in found if one.trouble] == []


@EACH
def test_a_kill_at_any_moment(writer: Writer, folder: Path) -> None:
    """Of every call that writes: the old file or the new one, and what is left goes with the next run."""
    assert_no_trouble(kills.ended_by(Shop(writer, folder), signal.SIGKILL, KILLS, 1))


@FEW
def test_a_signal_at_any_moment(writer: Writer, folder: Path) -> None:
    """A signal that can be caught leaves nothing beside the file."""
    shop = Shop(writer, folder)
    for number in (signal.SIGTERM, signal.SIGHUP):
        assert_no_trouble(kills.ended_by(shop, number, 2, 1))


ENDS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def test_an_end_and_a_full_disk_at_each_call_of_the_system(folder: Path) -> None:
    """Before a file is opened, locked, written, flushed, moved: as at any moment."""
    shop = Shop(named("cost 1000 -o cost.json"), folder)
    for number in ENDS:
        assert_no_trouble(kills.ended_at_each_call(shop, number))
    assert_no_trouble(kills.failing_at_each_call(shop))


@pytest.mark.parametrize("number", ENDS)
@pytest.mark.parametrize("there", [True, False])
def test_an_end_at_each_call_while_a_folder_is_written(there: bool, number: signal.Signals, folder: Path) -> None:
    """Each file is the old or the new, and what is half made is gone, at the latest when the folder is written next."""
    target, hit, new = folder / "sheets", folder / "hit", {"a.md": "new a", "b.md": "new b"}

    def written(turn: int) -> None:
        kills.at_call(turn, kills.ENDS, lambda: kills.end(hit, number))
        with contextlib.suppress(KeyboardInterrupt, SystemExit):
            write_folder(target, new, force=True)

    for turn in itertools.count():
        hit.unlink(missing_ok=True)
        shutil.rmtree(target, ignore_errors=True)
        if there:
            target.mkdir()
            (target / "a.md").write_text("old a")
        aside(lambda turn=turn: written(turn))
        if not hit.exists():
            break
        found = {(path.name, path.read_text()) for path in target.glob("*.md")}
        assert found <= {("a.md", "old a"), *new.items()}
        if number == signal.SIGKILL:
            write_folder(target, new, force=True)
        assert [path for path in folder.rglob("*") if PART.fullmatch(path.name)] == []
    assert turn > 15


@FEW
def test_no_room(writer: Writer, folder: Path) -> None:
    """A disk of any size that is too small, one that is read-only, a limit on files: a sentence, and the old files."""
    assert_no_trouble(rooms.limited_files(Shop(writer, folder)))
    for found in (rooms.small_disks(writer, folder), rooms.read_only_disk(writer, folder)):
        if found is None:
            pytest.skip("needs the right to mount a file system")
        assert_no_trouble(found)


@pytest.mark.parametrize("closed", around.STREAMS, ids=str)
def test_streams_closed_at_the_start(closed: tuple[int, ...], folder: Path) -> None:
    """A result goes into its file, and nothing else does."""
    assert_no_trouble([around.closed_streams("run draw -o r.txt --force", closed, folder)])


def test_no_file_gets_the_number_of_a_closed_stream(folder: Path) -> None:
    """What a library writes to standard error when that is closed goes nowhere: not into the result."""
    (folder / "sitecustomize.py").write_text(NOISY)
    done = run_program("run", "draw", "-o", "r.txt", cwd=folder, env=environment({"PYTHONPATH": _path(folder)}))
    assert (done.code, done.err) == (0, "noise\n")
    wanted = (folder / "r.txt").read_bytes()
    (folder / "r.txt").unlink()
    words = " ".join(f"'{word}'" for word in PROGRAM)
    env = environment({"PYTHONPATH": _path(folder)})
    assert os.spawnve(os.P_WAIT, "/bin/sh", ["sh", "-c", f"cd {folder}; {words} run draw -o r.txt 2>&-"], env) == 0
    assert (folder / "r.txt").read_bytes() == wanted


NOISY = """
import os
fsync = os.fsync
def noisy(file):
    try:
        os.write(2, b"noise\\n")
    except OSError:
        pass
    fsync(file)
os.fsync = noisy
"""
"""Read by Python when it starts: a library that complains while a result is written."""


def _path(folder: Path) -> str:
    return f"{folder}{os.pathsep}{environment()['PYTHONPATH']}"


@pytest.mark.parametrize("end", ["closed, of another", "SIGTERM"])
@pytest.mark.parametrize("screen", terminals.SCREENS[:1] + terminals.SCREENS[3:6], ids=lambda s: " ".join(s.args))
def test_an_end_at_a_terminal(screen: terminals.Screen, end: str, folder: Path) -> None:
    """A program whose terminal goes away, also one that is not its own, ends; a signal gives the terminal back."""
    assert_no_trouble([terminals.ended(screen, end, folder)])


@pytest.mark.parametrize("line", around.SMALL)
def test_little_memory(line: str, folder: Path) -> None:
    """300 MB are enough for a small calculation in any format."""
    injected = around.little_memory(line, 300, folder)
    assert injected.trouble == ""


@pytest.mark.parametrize("line", ["explain draw", "run causal-head --all -o r.png", "run draw -o r.xlsx"])
def test_too_little_memory_is_a_sentence(line: str, folder: Path) -> None:
    """Also where a library would end the program: NumPy's products before, a picture's pixels while it works."""
    assert one_thread.LEAST < 200 * 2**20 < 5070 * 8106 * png.BYTES_A_PIXEL
    done = around.limited(line, 200 if "png" in line else 100, folder)
    assert refused(done) == ""
    assert done.err == "attncalc: there is not enough memory for this\n"


def test_an_odd_clock(folder: Path) -> None:
    """Changes no byte of a result."""
    shop = Shop(named("run draw -o result.npz"), folder)
    assert_no_trouble(around.odd_clock(shop, clock) for clock in around.CLOCKS)


@pytest.mark.parametrize("clock", around.CLOCKS)
def test_progress_bears_an_odd_clock(clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No time that is left is negative, and nothing is divided by the time that has not passed."""
    written: list[str] = []
    turns: Iterator[int] = iter(range(1000))
    clock_of: Callable[[int], float] = around.CLOCKS[clock]
    monkeypatch.setattr(progress, "is_watched", lambda: True)
    monkeypatch.setattr(progress, "write", written.append)
    monkeypatch.setattr(progress.time, "monotonic", lambda: clock_of(next(turns)))
    with progress.showing(session({"lang": "en"})) as show:
        assert show is not None
        for done in range(0, 101, 10):
            show(done, 100)
    assert "-" not in "".join(written).replace("e-", "").replace("\x1b[K", "")


@pytest.mark.parametrize("name", around.PLACES)
def test_a_place_that_is_not_there(name: str, folder: Path) -> None:
    """HOME, caches, TMPDIR: nothing needs them."""
    assert around.odd_place("run draw --json", name, folder).trouble == ""


def test_a_read_only_install(folder: Path) -> None:
    """Nothing is written beside the program."""
    assert around.read_only_install("run draw -o r.xlsx", folder).trouble == ""


def test_a_folder_that_is_gone(folder: Path) -> None:
    """What reads no file works; a target in it is refused."""
    assert_no_trouble(around.folder_gone(line, folder) for line in ("explain draw", "run draw -o r.txt"))


def test_the_harness_sees_a_file_that_is_half_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that empties the old file first is found out by the kills, and by the limits on files."""
    from attncalc.cli import output

    def careless(results: dict[Path, str], force: bool) -> None:
        from attncalc.cli.half_made import making

        with making():
            for path, text in results.items():
                data = output.as_bytes(text)
                with path.open("wb") as file:
                    for start in range(0, len(data), 100):
                        file.write(data[start : start + 100])
                        file.flush()
                        os.fsync(file.fileno())

    monkeypatch.setattr(output, "write_files", careless)
    monkeypatch.setattr(kills, "WRITING", (*kills.WRITING, Path(__file__).name))
    shop = Shop(Writer("list", ("list", "-o", "list.txt", "--force"), {"list.txt": OLD}), folder)
    assert any(one.trouble for one in kills.ended_at_each_call(shop, signal.SIGKILL))
    assert any(one.trouble for one in kills.failing_at_each_call(shop))
    assert any(one.trouble for one in rooms.limited_files(shop))
