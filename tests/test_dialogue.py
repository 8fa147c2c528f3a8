"""`step --plain`: the walk as a dialogue of lines, from a pipe and typed."""

from __future__ import annotations

import json
from pathlib import Path

import pexpect  # type: ignore[import-untyped]
import pytest
from calling import call
from running import PROGRAM, SECONDS, environment, run_program, run_shell
from test_walk import here, walk_in

from attncalc import load, run
from attncalc.document.signs import PLAIN
from attncalc.document.view import View, say_in
from attncalc.explore.walk import Walk
from attncalc.interactive.dialogue import ANSWERS, answer
from attncalc.interactive.moves import BY_WORD, pressed
from attncalc.messages import catalogue

VIEW = View(say_in("en"), PLAIN)


def after(name: str, *lines: str) -> Walk:
    """The walk after lines of the dialogue."""
    walk = walk_in(name)
    for line in lines:
        walk = answer(walk, line, VIEW, lambda *_: None).walk
    return walk


LINES_AND_KEYS = [
    ("draw", ["next", "next"], "n n"),
    ("draw", ["n", "n", "back"], "n n p"),
    ("draw", ["go context draw 0", "follow", "follow", "follow"], "n n n n n enter enter enter"),
    ("draw", ["go context draw 0", "follow 3", "return"], "n n n n n"),
    ("draw", ["go context draw 0", "fol 8"], "n n n n n shift+tab enter"),
    ("grouped", ["next", "next", "next", "head", "head"], "n n n h h"),
    ("mini-head", ["go scores", "token"], "n n n n t"),
    ("causal-head", ["batch", "batch"], "b b"),
    ("mini-head", ["mask", "scale", "arithmetic"], "m c a"),
    ("mini-head", ["mask", "undo", "redo"], "m u r"),
]


@pytest.mark.parametrize(("name", "lines", "keys"), LINES_AND_KEYS)
def test_lines_and_keys_lead_to_the_same_state(name: str, lines: list[str], keys: str) -> None:
    """The cell, the trail and the changes are those of the keys of the full screen."""
    by_line, by_key = after(name, *lines), pressed(walk_in(name), keys.split())
    assert here(by_line) == here(by_key)
    assert (by_line.trail, by_line.now.changes, by_line.future == ()) == (
        by_key.trail, by_key.now.changes, by_key.future == (),
    )  # fmt: skip


SETS = ["set scores.0 0", "set scores.0=0", "set scores.I = 0", "set scores[I] 0", "se scores.0 0"]


@pytest.mark.parametrize("line", SETS)
def test_a_number_is_set_as_people_write_it(line: str) -> None:
    """With or without the sign between path and value."""
    assert [str(x) for x in after("draw", line).trace["weights"].exact[0]] == ["0.21", "0.26", "0.38", "0.15"]


SENTENCES = [
    ("foo", "foo is not a command; did you mean follow?", "没有命令 foo；是不是想写 follow？"),
    ("qqq", "qqq is not a command; there are " + ", ".join(BY_WORD), "没有命令 qqq；可用的有 " + ", ".join(BY_WORD)),
    ("re", "re begins several commands: return, redo", "以 re 开头的命令不止一个：return, redo"),
    ("s", "s begins several commands: show, set, scale, save", "以 s 开头的命令不止一个：show, set, scale, save"),
    ("set scores.0", "a path and a value are wanted, for example set scores.0 1", "要写路径和值，例如 set scores.0 1"),
    ("save", "a file name is wanted, for example mine.json", "要写文件名，例如 mine.json"),
    ("follow 9", "this number is given: it is made from no other", "这个数是给定的，不由别的数得来"),
    ("set scores.0 abc", 'draw: scores[0]: is "abc"; wanted is a number', 'draw: scores[0]: 是 "abc"；应为数字'),
    ("go weights nobody", "weights nobody: nobody is not a label or position of the axis key; wanted is one of: I, like, to, draw",
     "weights nobody: nobody 不是键轴上的标签或位置；可用的有 I, like, to, draw"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "english", "chinese"), SENTENCES)
def test_a_line_that_cannot_be_done_says_why(line: str, english: str, chinese: str) -> None:
    """On standard error, the rest goes on, and a script ends with 2."""
    for language, sentence in (("en", english), ("zh", chinese)):
        done = call("step", "draw", "--plain", stdin=f"{line}\nnext\n".encode(), language=language)
        assert done.code == 2
        assert done.err == f"attncalc: {sentence}\n"
        assert done.out.count("scores draw I = 1.8") == 1


def test_every_word_has_an_answer_or_is_a_move() -> None:
    """No row of the table is without what it does in lines."""
    assert [name for name, row in BY_WORD.items() if name not in ANSWERS and row.action is None] == []


def test_every_command_is_said_in_the_help_of_both_languages() -> None:
    """A line a command, with what it takes."""
    for language in ("en", "zh"):
        out = call("step", "draw", "--plain", stdin=b"help\n", language=language).out
        for command in BY_WORD.values():
            assert f"{command.name} {command.takes}".strip() in out
            assert catalogue(language)[f"walk-do.{command.name}"] in out


def test_a_whole_dialogue_from_a_pipe(tmp_path: Path) -> None:
    """Follow, edit, look, undo, save: what the second article of a reader would try, as a script."""
    file = tmp_path / "mine.json"
    lines = [
        "go context draw 0",
        "why",
        "moves",
        "show weights",
        "set scores.I 0",
        "diff",
        f"save {file}",
        "quit",
        "next",
    ]
    done = run_program("step", "draw", "--plain", stdin="\n".join(lines).encode())
    assert (done.code, done.err) == (0, "")
    assert "context draw 0 = A V = 0.62*0.9 + 0.12*0.2 + 0.19*0.5 + 0.08*0.3 ≈ 0.70" in done.out
    assert "query draw, key I: 0.62" in done.out
    assert "cell draw I: start 0.62, scores.I=0 0.21, difference -0.41" in done.out
    assert done.out.endswith(f"Saved as {file}.\n")
    assert run(load(str(file)))["weights"].values.tolist() == [[0.21, 0.26, 0.38, 0.15]]


def test_saving_never_overwrites_unless_told(tmp_path: Path) -> None:
    """An old file stays until --force is written behind its name."""
    file = tmp_path / "mine.json"
    file.write_text("old")
    refused = call("step", "draw", "--plain", stdin=f"save {file}\n".encode())
    assert (refused.code, file.read_text()) == (2, "old")
    assert call("step", "draw", "--plain", stdin=f"save {file} --force\n".encode()).code == 0
    assert json.loads(file.read_text())["tokens"] == ["I", "like", "to", "draw"]


@pytest.mark.parametrize(
    "data", [b"", b"\n\n", b"\xff\xfe\n", b"next", b"n" * 10_000, b"set scores.0 " + b"1" * 10_000]
)
def test_odd_input_ends_well(data: bytes) -> None:
    """Nothing, blank lines, bytes that are no text, a line without an end, ten thousand letters: no fault of the program."""
    done = call("step", "draw", "--plain", stdin=data)
    assert done.code in (0, 2)
    assert "Traceback" not in done.err
    assert len(done.err) < 500


UNREACHABLE = ["loop", "a\0b", "z" * 5_000, "-", "/dev/stdout", "nowhere/x.json", "--force"]


@pytest.mark.parametrize("name", UNREACHABLE, ids=range(len(UNREACHABLE)))
def test_a_file_that_cannot_be_written_is_refused_and_the_dialogue_goes_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    """A loop of links, a character that no path has, too long a name, standard output: a sentence, and nothing lost."""
    monkeypatch.chdir(tmp_path)
    Path("loop").symlink_to("loop")
    done = call("step", "draw", "--plain", stdin=f"set scores.0 0\nsave {name}\ngo weights I\n".encode())
    assert done.code == 2
    assert done.err.startswith("attncalc: ")
    assert done.err.count("\n") == 1
    assert len(done.err) < 300
    assert "weights draw I = 1.00 / 4.78" in done.out
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_without_standard_input_it_says_so() -> None:
    """A closed one is no fault of the program."""
    done = run_shell("attncalc step draw --plain <&-")
    assert done.code == 2
    assert done.err.count("\n") == 1


SPACED = '{"tokens": ["New York", "a=b", "c"], "scores": [1, 2, 3], "v": [[1], [2], [3]]}'
SPACED_LINES = [
    ('set scores."New York" 7', "scores.New York=7"), ('set scores."a=b" 8', "scores.a=b=8"), ("set scores.0\t7", "scores.0=7"),
    ('set scores c "New York" 9', "scores.0=9"), ("set scores.c = 4", "scores.c=4"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "change"), SPACED_LINES)
def test_labels_with_blanks_and_signs_can_be_changed(line: str, change: str, tmp_path: Path) -> None:
    """In quotes, as cells are named."""
    file = tmp_path / "spaced.json"
    file.write_text(SPACED)
    done = call("step", str(file), "--plain", stdin=line.encode() + b"\n")
    assert (done.code, done.err) == (0, "")
    assert f"Now {change}." in done.out.replace('"', "")


def test_after_a_refused_line_the_next_one_goes_on_from_where_one_was() -> None:
    """Whatever goes wrong, where one is and what was changed stays."""
    lines = "go weights draw I\nset scores.0 7\nset scores [1]\nfollow 99\nundo\nundo\n"
    done = call("step", "draw", "--plain", stdin=lines.encode())
    assert done.out.rstrip().endswith(
        "Note: The weights of draw as shown add to 1.01, from rounding; the unrounded weights add to 1."
    )
    assert done.err.count("\n") == 4  # two of them for the scores


def test_typed_in_a_terminal_it_asks_and_ends_at_the_end_of_the_input() -> None:
    """A prompt, an answer, a sentence for a mistake, and Ctrl-D ends with 0 although a line failed."""
    words = [*PROGRAM[1:], "step", "draw", "--plain"]
    child = pexpect.spawn(PROGRAM[0], words, env=environment({"TERM": "xterm"}), timeout=SECONDS, encoding="utf-8")
    child.expect_exact("> ")
    child.sendline("go weights I")
    child.expect_exact("≈ 0.62")
    child.expect_exact("> ")
    child.sendline("nonsense")
    child.expect_exact("is not a command")
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_scenario_from_standard_input_needs_a_terminal_for_the_lines() -> None:
    """With neither, one sentence and 2."""
    done = run_program("step", "-", "--plain", stdin=b'{"scores": [1, 2]}')
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "attncalc: the scenario came on standard input, and there is no terminal to read commands from; "
        "give the scenario as a file\n"
    )
