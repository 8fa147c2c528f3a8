"""Bad input: whatever is wrong, the answer is exit code 2 and helpful sentences in both languages, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from bad_input_rows import Row, rows
from calling import call
from running import Finished, run_program

from attncalc.messages import LANGUAGES

ROWS = list(rows())
RESULT = "result.txt"
LEAST_REAL = 20


def identity(row: Row) -> str:
    """How pytest names a row."""
    return f"{row.kind}: {row.name}"


def answered(row: Row, language: str, *more: str) -> Finished:
    """What the program does with the row in the current folder: a process of its own where the row asks for one."""
    args, stdin = [*row.args, *more], row.prepare(Path.cwd())
    if row.real:
        return run_program(*args, stdin=stdin, env={"ATTNCALC_LANG": language}, cwd=Path.cwd())
    return call(*args, stdin=stdin, language=language)


def contents(folder: Path) -> dict[str, bytes | None]:
    """The names in a folder and, of small plain files, what they hold."""
    return {path.name: path.read_bytes() if _is_small(path) else None for path in folder.iterdir()}


def _is_small(path: Path) -> bool:
    return path.is_file() and path.stat().st_size < 1_000_000


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Each test stands in a folder of its own, which may hold a link to itself."""
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for path in tmp_path.iterdir():
        if path.is_symlink():
            path.unlink()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", ROWS, ids=identity)
def test_says_exactly_these_sentences_and_writes_no_result(row: Row, language: str) -> None:
    done = answered(row, language)
    assert done.err == row.answer(language)
    assert (done.code, done.out) == (2, "")


@pytest.mark.parametrize("row", [row for row in ROWS if not row.bare and not row.real], ids=identity)
def test_writes_no_file(row: Row, empty_folder: Path) -> None:
    row.prepare(empty_folder)
    before = contents(empty_folder)
    done = answered(row, "en", "-o", RESULT)
    assert done.code == 2
    assert done.out == ""
    assert contents(empty_folder) == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_refused_file_is_not_overwritten_with_force(language: str, empty_folder: Path) -> None:
    (empty_folder / RESULT).write_text("old")
    row = next(row for row in ROWS if row.name == "five faults of five kinds")
    done = answered(row, language, "-o", RESULT, "--force")
    assert (done.code, done.out, done.err) == (2, "", row.answer(language))
    assert (empty_folder / RESULT).read_text() == "old"
    assert sorted(os.listdir(empty_folder)) == [RESULT, "scenario.json"]


@pytest.mark.parametrize("command", ["explain", "run", "verify"])
def test_every_fault_of_a_file_is_reported_at_once_by_every_command(command: str) -> None:
    row = next(row for row in ROWS if row.name == "five faults of five kinds")
    assert len(row.sentences["en"]) == 5
    done = answered(row._replace(args=[command, "scenario.json"]), "en")
    assert (done.code, done.out, done.err) == (2, "", row.answer("en"))


class Odd(NamedTuple):
    """Arguments so odd that only the manner of the refusal is promised."""

    name: str
    args: list[str]
    file: str = '{"scores": [1, 2]}'


MANY_DIGITS = "9" * 5000
DEEP = '{"scores": [1, 2], "source": ' + '{"title": ' * 900 + "1" + "}" * 901
ODD = [
    Odd("--token of 5,000 digits", ["run", "draw", "--token", MANY_DIGITS]),
    Odd("--set at a position of 5,000 digits", ["run", "draw", "--set", f"scores.{MANY_DIGITS}=1"]),
    Odd("--set at two positions of 5,000 digits", ["run", "draw", "--set", f"v.{MANY_DIGITS}.0=1"]),
    Odd("--set to 5,000 digits", ["run", "draw", "--set", f"scores.0={MANY_DIGITS}"]),
    Odd("--set to 5,000 brackets", ["run", "draw", "--set", "scores.0=" + "[" * 5000]),
    Odd("--set to 900 brackets", ["run", "draw", "--set", "scores.0=" + "[" * 900 + "]" * 900]),
    Odd("--set along 5,000 keys", ["run", "draw", "--set", "source" + ".x" * 5000 + "=1"]),
    Odd(
        "--set of a trace without a scenario",
        ["run", "scenario.json", "--set", "a=1"],
        '{"format": "attncalc-trace/1"}',
    ),
    Odd("--set of half a character", ["run", "draw", "--set", "query=\ud800"]),
    Odd("--set with half a character as a key", ["run", "draw", "--set", "\ud800.0=1"]),
    Odd("--places of 5,000 digits", ["run", "draw", "--places", MANY_DIGITS]),
    Odd("--width of 5,000 digits", ["run", "draw", "--width", MANY_DIGITS]),
    Odd("a name with a zero byte", ["run", "a\0b.json"]),
    Odd("a file name of 5,000 characters", ["run", "a" * 5000 + ".json"]),
    Odd("a command of 5,000 characters", ["a" * 5000]),
    Odd("an option of 5,000 characters", ["run", "draw", "--" + "a" * 5000]),
    Odd("a command line of 5,000 arguments", ["show", "draw", *["a"] * 5000]),
    Odd("a cell of 5,000 characters", ["why", "draw", "weights" * 1000]),
    Odd("a line break in --format", ["run", "draw", "--format", "a\nattncalc: all is well"]),
    Odd("a line break in --token", ["run", "draw", "--token", "a\nattncalc: all is well"]),
    Odd("an escape code in --step", ["run", "draw", "--step", "\x1b[31m"]),
    Odd("900 objects deep, with --set", ["run", "scenario.json", "--set", "mask=none"], DEEP),
    Odd("standard input twice", ["run", "-", "-"]),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("odd", ODD, ids=lambda odd: odd.name)
def test_odd_arguments_are_refused_in_one_line(odd: Odd, language: str, empty_folder: Path) -> None:
    (empty_folder / "scenario.json").write_text(odd.file)
    done = call(*odd.args, stdin=odd.file.encode(), language=language)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("attncalc: ")
    assert done.err.count("\n") == 1
    assert done.err.removesuffix("\n").isprintable()
    assert len(done.err) < 2500


def test_the_table_is_whole() -> None:
    assert sum(row.real for row in ROWS) >= LEAST_REAL
    assert len({identity(row) for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert len(row.sentences["en"]) == len(row.sentences["zh"])


def test_the_thin_runner_is_the_program() -> None:
    for args in (["run", "drow"], ["list", "--quiet"], ["run", "-"]):
        assert call(*args, language="zh") == run_program(*args, env={"ATTNCALC_LANG": "zh"})
