"""The quiz in a real terminal: typed, hinted, interrupted, killed, gone on with, in both languages."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest
from calling import call
from running import PROGRAM, SECONDS, environment
from test_step_terminal import CTRL_C, ENTER, UNTIL_GIVEN_BACK, opened  # noqa: F401 – a fixture

CTRL_D, CTRL_U, UP = "\x04", "\x15", "\x1b[A"

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "question": "Question {} of 5", "right": "Right.", "swapped": "Two digits of weights draw like are swapped.",
        "hint": "hint", "formula": "Hint 1 of 3  A = E / Σ", "put in": "weights", "mine": "mine", "going on": "Going on from your numbers.",
        "follows": "It follows from your numbers.", "so far": "So far {} of 5 points", "score": "{} of 5 points", "nonsense":
        "hnt is not a command, and has no number in it; did you mean hint?", "skip": "skip", "answer": "Answer", "resume": "attncalc quiz --resume",
        "practise": "Practise", "help": "help", "quit": "quit", "tries": "Hints so far: 1; wrong tries: 1.",
    },
    "zh": {
        "question": "第 {} 题，共 5 题", "right": "正确。", "swapped": "weights draw like 有两个数字写颠倒了。",
        "hint": "提示", "formula": "提示 1/3  A = E / Σ", "put in": "权重", "mine": "沿用", "going on": "接下来从你的数算起。",
        "follows": "由你的数推得。", "so far": "目前得分 {}，满分 5", "score": "得分 {}，满分 5", "nonsense":
        "hnt 不是命令，里面也没有数；是不是想写 hint？", "skip": "跳过", "answer": "答案", "resume": "attncalc quiz --resume",
        "practise": "要练习的", "help": "帮助", "quit": "退出", "tries": "这一题已用提示：1 次；答错：1 次。",
    },
}  # fmt: skip


def typed(terminal: Any, line: str, then: str) -> list[str]:
    """Types a line, and waits for what it should show."""
    lines: list[str] = terminal.press(line + ENTER, then)
    return lines


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_the_whole_story(opened: Any, tmp_path: Path, language: str, size: tuple[int, int]) -> None:  # noqa: F811
    """Right, wrong, hinted, interrupted, gone on with, from own numbers to the end; the score adds up."""
    say, file = WORDS[language], str(tmp_path / "mine.json")
    words = ("quiz", "draw", "--lang", language, "--resume", file)
    first = opened(*words, columns=size[0], rows=size[1])
    first.wait_for(say["question"].format(1))
    typed(first, "6.05 1.22 1.82 0.74", say["right"])
    typed(first, "9,83", say["question"].format(3))
    typed(first, "hnt", say["nonsense"])
    typed(first, "0.62 0.21 0.19 0.08", say["swapped"])
    typed(first, say["hint"], say["formula"])
    first.press(CTRL_C, say["so far"].format(2))
    first.wait_for(say["resume"])
    assert first.end() == 130
    assert len(json.loads(Path(file).read_text())["done"]) == 2

    again = opened(*words[:1], "--lang", language, "--resume", file, columns=size[0], rows=size[1])
    again.wait_for(say["tries"])
    typed(again, say["mine"], say["going on"])
    again.wait_for(say["question"].format(4))
    typed(again, "0.71 0.34 0.50", say["follows"])
    typed(again, say["skip"], say["answer"])
    again.wait_for(say["score"].format(3))
    again.wait_for(say["practise"])
    assert again.end() == 0


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("leave", ["eof", "quit"])
def test_it_is_left_politely(opened: Any, language: str, leave: str) -> None:  # noqa: F811
    """Ctrl-D and quit: the score so far, and 0."""
    say = WORDS[language]
    terminal = opened("quiz", "draw", "--lang", language)
    terminal.wait_for(say["question"].format(1))
    typed(terminal, "6.05 1.22 1.82 0.74", say["question"].format(2))
    terminal.press(CTRL_D if leave == "eof" else say["quit"] + ENTER, say["so far"].format(1))
    assert terminal.end() == 0


def test_a_line_can_be_edited_and_called_back(opened: Any) -> None:  # noqa: F811
    """Typed over, deleted, and the line before with the arrow."""
    terminal = opened("quiz", "draw", "--lang", "en")
    terminal.wait_for("Question 1 of 5")
    terminal.child.send("nonsense" + CTRL_U)
    typed(terminal, "6.05 1.22 1.82 0.7", "please give 2 decimals")
    terminal.press(UP + "4", "> 6.05 1.22 1.82 0.74")
    terminal.press(ENTER, "Question 2 of 5")
    terminal.child.send(CTRL_D)
    assert terminal.end() == 0


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_lost_when_it_is_killed(number: int, tmp_path: Path) -> None:
    """What was answered stands in the file, and the shell has its terminal back as it was."""
    file = tmp_path / "mine.json"
    quoted = " ".join(f"'{word}'" for word in PROGRAM)
    script = f"{quoted} quiz draw --lang en --resume {file}; echo left $?; {UNTIL_GIVEN_BACK}; stty -a"
    child = pexpect.spawn(
        "/bin/sh", ["-c", script], env=environment({"TERM": "xterm"}), dimensions=(24, 80), timeout=SECONDS
    )
    child.expect_exact(b"Question 1 of 5")
    child.sendline("6.05 1.22 1.82 0.74")
    child.expect_exact(b"Question 2 of 5")
    child.sendline("9.38")
    child.expect_exact(b"Try again")
    for process in Path("/proc").glob("[0-9]*"):
        if _is_ours(process, child.pid):
            os.kill(int(process.name), number)
    child.expect(pexpect.EOF)
    after = child.before.rpartition(b"left ")[2]
    assert after.startswith(str(128 + number).encode())
    assert not re.findall(rb"-(?:echo|icanon|isig)\b", after)
    kept = json.loads(file.read_text())
    assert [done["answers"] for done in kept["done"]] == [["6.05 1.22 1.82 0.74"]]
    assert kept["now"]["answers"] == ["9.38"]
    assert [path.name for path in tmp_path.iterdir()] == ["mine.json"]


def _is_ours(process: Path, parent: int) -> bool:
    """Whether a process is the quiz that a shell runs."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
        return b"quiz" in words and (process / "stat").read_text().rsplit(")", 1)[1].split()[1] == str(parent)
    except OSError:
        return False


def test_it_can_be_killed_at_any_moment(tmp_path: Path) -> None:
    """Killed while a line is taken: the file is the one before it or the one after it, and goes on."""
    file = tmp_path / "mine.json"
    lines = ["6.05 1.22 1.82 0.7", "6.05 1.22 1.82 0.74", "9.83", "hint", "0.62 0.21 0.19 0.08"]
    for pause in (0.0, 0.01, 0.03, 0.06):
        words = [*PROGRAM[1:], "quiz", *([] if file.exists() else ["draw"]), "--lang", "en", "--resume", str(file)]
        child = pexpect.spawn(PROGRAM[0], words, env=environment({"TERM": "xterm"}), timeout=SECONDS)
        child.expect_exact(b"> ")
        for line in lines:
            child.sendline(line)
        time.sleep(pause)
        child.kill(signal.SIGKILL)
        child.wait()
        child.close()
        assert json.loads(file.read_text())["format"] == "attncalc-quiz/1"
        assert call("quiz", "--resume", str(file), stdin=b"quit\n").code == 0


def test_the_scenario_may_come_on_standard_input(opened: Any) -> None:  # noqa: F811
    """A pipe gives it, the keyboard answers."""
    terminal = opened("quiz", "-", "--lang", "en", before="""printf '{"scores": [0, 0], "places": 2}'""")
    terminal.wait_for("Question 1 of 3")
    typed(terminal, "1 1", "Question 2 of 3")
    terminal.child.send(CTRL_D)
    assert terminal.end() == 0


@pytest.mark.parametrize(
    ("language", "scrolled", "line"),
    [("en", "This is more than the screen holds; one table again: show x, show w_q,", "show x"),
     ("zh", "一屏放不下；单看一张表：题目 x、题目 w_q、题目 w_k。", "题目 x")],
)  # fmt: skip
def test_what_scrolls_off_can_be_had_again(opened: Any, language: str, scrolled: str, line: str) -> None:  # noqa: F811
    """On a small screen it says how; on a large one nothing need be said."""
    words = ("quiz", "mini-head", "--step", "weights", "--lang", language)
    small = opened(*words, columns=80, rows=24)
    small.wait_for(scrolled)
    small.child.send(line + ENTER)
    small.wait_until(lambda: "birds −1 1 1 1 0 0 fly 0 1" in " ".join(" ".join(small.lines).split()), "no table")
    large = opened(*words, columns=80, rows=60)
    large.wait_for("birds")
    assert scrolled not in "\n".join(typed(large, line, f"> {line}"))


@pytest.mark.parametrize("color", ["auto", "never"])
def test_colour_is_chosen(opened: Any, color: str) -> None:  # noqa: F811
    """And nothing is said by colour alone."""
    terminal = opened("quiz", "draw", "--lang", "en", "--color", color)
    typed(terminal, "hint", "Hint 1 of 3")
    assert (b"\x1b[1m" in terminal.raw) == (color == "auto")
    terminal.child.send(CTRL_D)
    assert terminal.end() == 0
