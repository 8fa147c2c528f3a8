"""`-o FILE`: the file is the old one or the new one, never half, and never overwritten unasked."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from calling import call, out
from running import run_program, run_shell
from surroundings import assert_one_sentence, usual


class TestFiles:
    """`-o FILE`: the file is the old one or the new one, never half, never overwritten unasked."""

    WRITERS = (
        ("run", "draw"),
        ("explain", "draw"),
        ("run", "draw", "--json"),
        ("run", "draw", "--format", "csv"),
        ("show", "draw"),
        ("show", "draw", "--set", "scores.0=1"),
        ("schema",),
        ("list",),
        ("verify", "draw"),
        ("run", "draw", "--plain"),
    )
    every_writer = pytest.mark.parametrize("args", WRITERS, ids=" ".join)

    @every_writer
    def test_a_new_file(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """The file holds what standard output would; nothing else is written, and nothing is left beside it."""
        done = run_program(*args, "-o", "result", cwd=tmp_path)
        assert done == (0, "", "")
        assert contents(tmp_path) == {"result": usual(*args)}

    @every_writer
    def test_an_existing_file(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """An existing file is not overwritten without `--force`: 2, a sentence, the file as it was."""
        (tmp_path / "result").write_text("mine")
        done = call(*args, "-o", "result", cwd=tmp_path)
        assert (done.code, done.out, contents(tmp_path)) == (2, "", {"result": "mine"})
        assert_one_sentence(done.err)

    @every_writer
    def test_force(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """With `--force` it is, and keeps its permissions."""
        (tmp_path / "result").write_text("mine")
        (tmp_path / "result").chmod(0o640)
        assert run_program(*args, "-o", "result", "--force", cwd=tmp_path) == (0, "", "")
        assert contents(tmp_path) == {"result": usual(*args)}
        assert (tmp_path / "result").stat().st_mode & 0o777 == 0o640

    @every_writer
    def test_no_room(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """A write that fails in the middle leaves the old file as it was and nothing beside it."""
        (tmp_path / "result").write_text("mine")
        done = run_shell(f"ulimit -f 0; attncalc {' '.join(args)} -o result --force", cwd=tmp_path)
        assert (done.code, done.out, contents(tmp_path)) == (2, "", {"result": "mine"})
        assert_one_sentence(done.err)

    @pytest.mark.parametrize(
        "args", [("run", "draw", "--token", "z"), ("run", "nope"), ("verify", "-"), ("run", "draw", "--width", "x")]
    )
    def test_a_failure_before(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """What cannot be done touches no file, with `--force` either."""
        (tmp_path / "result").write_text("mine")
        done = call(*args, "-o", "result", "--force", cwd=tmp_path)
        assert (done.code, done.out, contents(tmp_path)) == (2, "", {"result": "mine"})

    @every_writer
    def test_a_folder_that_is_not_there(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """No folder is made: 2 and a sentence that names it."""
        done = call(*args, "-o", "nowhere/result", cwd=tmp_path)
        assert (done.code, done.out, contents(tmp_path)) == (2, "", {})
        assert_one_sentence(done.err)
        assert "nowhere" in done.err

    @every_writer
    def test_a_folder_that_cannot_be_written(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """A read-only folder: 2 and a sentence."""
        folder = unwritable(tmp_path)
        done = call(*args, "-o", str(folder / "result"))
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)

    @every_writer
    def test_a_folder(self, args: tuple[str, ...], tmp_path: Path) -> None:
        """A folder instead of a file: 2 and a sentence, with `--force` too."""
        done = call(*args, "-o", str(tmp_path), "--force")
        assert (done.code, done.out, contents(tmp_path)) == (2, "", {})
        assert_one_sentence(done.err)

    @every_writer
    def test_standard_output_by_name(self, args: tuple[str, ...]) -> None:
        """`-o /dev/stdout` into a pipe, and `-o -`, are standard output."""
        assert run_program(*args, "-o", "/dev/stdout") == (0, usual(*args), "")
        assert run_program(*args, "-o", "-") == (0, usual(*args), "")

    @pytest.mark.parametrize("target", ["-", "/dev/stdout", "/dev/fd/1"])
    def test_standard_output_by_any_name_has_the_colours_that_are_asked_for(self, target: str) -> None:
        """Only a file is written without them."""
        assert out("run", "draw", "--color", "always", "-o", target) == out("run", "draw", "--color", "always")

    @pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1"])
    def test_standard_output_by_name_into_a_file(self, target: str, tmp_path: Path) -> None:
        """Where the shell has sent standard output to a file, its name writes there, and nothing is overwritten."""
        done = run_shell(f"{{ echo before; attncalc run draw -o {target}; echo after; }} > result", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert contents(tmp_path) == {"result": f"before\n{usual('run', 'draw')}after\n"}

    @pytest.mark.parametrize("target", ["/dev/null", "/dev/full"])
    def test_a_device(self, target: str) -> None:
        """A device is written, not replaced; a full one says so."""
        done = run_program("run", "draw", "-o", target)
        assert (done.code, done.out) == (0 if target == "/dev/null" else 2, "")
        assert not Path(target).is_file()

    def test_a_link(self, tmp_path: Path) -> None:
        """A link stays one: the file that it points to is written."""
        (tmp_path / "file").write_text("mine")
        (tmp_path / "link").symlink_to("file")
        assert run_program("run", "draw", "-o", "link", "--force", cwd=tmp_path) == (0, "", "")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "file").read_text(encoding="utf-8") == usual("run", "draw")

    def test_a_link_to_a_new_file_makes_it_and_a_link_to_itself_is_refused(self, tmp_path: Path) -> None:
        """The one writes where it points to; the other points nowhere, says so, and stays, with `--force` too."""
        (tmp_path / "link").symlink_to("new")
        (tmp_path / "loop").symlink_to("loop")
        assert call("run", "draw", "-o", "link", cwd=tmp_path) == (0, "", "")
        assert (tmp_path / "new").read_text(encoding="utf-8") == usual("run", "draw")
        done = call("run", "draw", "-o", "loop", "--force", cwd=tmp_path)
        assert (done.code, done.err) == (2, "attncalc: loop: cannot be written: Too many levels of symbolic links\n")
        assert (tmp_path / "loop").is_symlink()


def contents(folder: Path) -> dict[str, str]:
    """The files of a folder, the hidden ones too."""
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def unwritable(folder: Path) -> Path:
    """A folder in which nothing can be made; root may write anywhere but in the kernel's own."""
    if os.geteuid() == 0:
        return Path("/proc")
    folder.chmod(0o555)
    return folder
