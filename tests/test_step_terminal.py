"""`step` in a real terminal: a pseudo-terminal, the program in it, and a screen that draws what it writes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pyte
import pytest
from calling import document
from rich.cells import cell_len
from running import PROGRAM, SECONDS, environment, run_program

from attncalc.interactive.moves import MOVES
from attncalc.messages import catalogue

ENTER, BACK, ESCAPE, CTRL_C = "\r", "\x7f", "\x1b", "\x03"

LEAVES_ALTERNATE_SCREEN, SHOWS_CURSOR = b"\x1b[?1049l", b"\x1b[?25h"


class Terminal:
    """The program in a terminal of a size; `lines` is what a person sees."""

    def __init__(
        self, *args: str, columns: int = 80, rows: int = 24, before: str = "", **extra: str
    ) -> None:  # fmt: skip
        env = environment({"TERM": "xterm-256color", "LANG": "C.UTF-8", **extra})
        words = [*PROGRAM, *args]
        if before:  # a shell that feeds standard input
            quoted = " ".join(f"'{word}'" for word in words)
            words = ["/bin/sh", "-c", f"{before} | {quoted}"]
        self.child = pexpect.spawn(words[0], words[1:], env=env, dimensions=(rows, columns), timeout=SECONDS)
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""

    @property
    def lines(self) -> list[str]:
        """The screen, blanks at the ends of lines cut."""
        return [self._line(row).rstrip() for row in range(self.screen.lines)]

    def _line(self, row: int) -> str:
        """A line of the screen; pyte's own reader stumbles over half of a wide character that was written over."""
        text, after_wide = "", False
        for column in range(self.screen.columns):
            cell = self.screen.buffer[row][column].data
            text += "" if after_wide and not cell else cell or " "
            after_wide = bool(cell) and cell_len(cell) == 2
        return text

    @property
    def colorful(self) -> bool:
        """Whether a cell of the screen has a colour that is no grey."""
        cells = (
            self.screen.buffer[row][column] for row in range(self.screen.lines) for column in range(self.screen.columns)
        )
        return any(not _is_grey(color) for cell in cells for color in (cell.fg, cell.bg))

    def read(self, seconds: float = 0.05) -> bool:
        """Draws what the program has written; false where it has ended."""
        try:
            data = self.child.read_nonblocking(100_000, seconds)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += data
        # Private requests that pyte does not know would be drawn as text.
        self.stream.feed(re.sub(rb"\x1b\[(?:\?\d+\$p|[<>=][0-9;]*u|>[0-9;]*q)|\x1bP[^\x1b]*\x1b\\", b"", data))
        return True

    def wait_until(self, holds: Callable[[], bool], else_say: str) -> None:
        """Reads until something holds."""
        end = time.monotonic() + SECONDS
        hopeless = False
        while not holds():
            assert not hopeless, "\n".join([else_say, *self.lines, str(self.raw[-1000:])])
            hopeless = not self.read() or time.monotonic() > end

    def wait_for(self, text: str) -> list[str]:
        """Reads until the screen shows the text."""
        self.wait_until(lambda: any(text in line for line in self.lines), f"no {text!r} in")
        return self.lines

    def press(self, keys: str, then: str) -> list[str]:
        """Types, and waits for what that should show."""
        self.child.send(keys)
        return self.wait_for(then)

    def end(self) -> int:
        """Reads to the end; the exit code."""
        end = time.monotonic() + SECONDS
        while self.read():
            assert time.monotonic() < end, "does not end"
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus)


def _is_grey(color: str) -> bool:
    return len(color) != 6 or not re.fullmatch("[0-9a-f]{6}", color) or len({color[:2], color[2:4], color[4:]}) == 1


@pytest.fixture
def opened() -> Iterator[Any]:
    """Opens terminals, and ends what a failed test leaves running."""
    terminals: list[Terminal] = []

    def build(*args: str, **more: Any) -> Terminal:
        terminals.append(Terminal(*args, **more))
        return terminals[-1]

    yield build
    for terminal in terminals:
        terminal.child.close(force=True)


STEPS = {
    "en": ["Values", "Scores", "Exponentiate", "Sum", "Divide", "Weighted value sum", "Add the residual"],
    "zh": ["值", "分数", "取指数", "求和", "除以总和", "对值加权求和", "加上残差"],
}
WORDS = {
    "en": (
        "Step {} of 7 · {}",
        "At the start it was 0.62.",
        'draw: scores[0]: is "x"; wanted is a number',
        "Made from",
    ),
    "zh": ("第 {} 步，共 7 步 · {}", "开始时是 0.62。", 'draw: scores[0]: 是 "x"；应为数字', "来自"),
}


def marked(lines: list[str], names: list[str]) -> tuple[int, list[int]]:
    """How many steps of the list are marked as changed, and how many weights in their table."""
    steps = [line for line in lines if any(name in line for name in names) and "*" in line.split("│")[0]]
    tables = [line.split("│")[1] for line in lines if "0.21" in line and "0.38" in line and "│" in line]
    return len(steps), [table.count("*") for table in tables]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("size", [(80, 24), (200, 50)])
@pytest.mark.parametrize("color", ["auto", "never"])
def test_the_whole_story(opened: Any, tmp_path: Path, language: str, size: tuple[int, int], color: str) -> None:
    """Every step; a context cell followed to the score and back; an edit, its marks, undo; saved and opened again."""
    title, was, refused, made_from = WORDS[language]
    file = tmp_path / "mine.json"
    options = ("--lang", language, "--color", color)
    terminal = opened("step", "draw", *options, columns=size[0], rows=size[1])
    for number, name in enumerate(STEPS[language], 1):
        shown = title.format(number, name)
        terminal.press("n", shown) if number > 1 else terminal.wait_for(shown)
    terminal.press("p", title.format(6, STEPS[language][5]))
    terminal.wait_for("context draw 0 = 0.62·0.9 + 0.12·0.2")
    terminal.wait_for(f"{made_from}  [weights draw I = 0.62]")
    terminal.press(ENTER, "weights draw I = 6.05 / 9.83 ≈ 0.62")
    terminal.press(ENTER, "exponentials draw I = e^1.8 ≈ 6.05")
    terminal.press(ENTER, "scores draw I = 1.8")
    terminal.press("ex" + ENTER, refused)
    terminal.press(BACK + "0" + ENTER, "scores draw I = 0")
    terminal.press(BACK + BACK, was)
    terminal.wait_until(lambda: marked(terminal.lines, STEPS[language]) == (6, [4]), "not 6 steps and 4 weights marked")
    assert terminal.colorful == (color == "auto")
    terminal.press("w", {"en": "Save as", "zh": "存为"}[language])
    terminal.press("\x15" + str(file) + ENTER, "0.21")
    assert terminal.wait_for("0.21")
    terminal.wait_until(file.exists, "no file")
    terminal.press("u", "weights draw I = 6.05 / 9.83 ≈ 0.62")
    terminal.child.send("q")
    assert terminal.end() == 0
    saved = document("run", str(file))
    edited = document("run", "draw", "--set", "scores.0=0")
    assert saved["steps"] == edited["steps"]
    again = opened("step", str(file), *options, columns=size[0], rows=size[1])
    again.wait_for(title.format(1, STEPS[language][0]))
    again.press("nnnn", "weights draw I = 1.00 / 4.78 ≈ 0.21")
    again.child.send("q")
    assert again.end() == 0


@pytest.mark.parametrize("keys", [CTRL_C, "q", "\x11", "e" + CTRL_C + CTRL_C, "?" + CTRL_C + CTRL_C])
def test_the_terminal_is_left_clean(opened: Any, keys: str) -> None:
    """However it is left: the old screen, the cursor, and echo are back, with 0."""
    terminal = opened("step", "draw")
    terminal.wait_for("v I 0 = 0.9")
    terminal.child.send(keys)
    assert terminal.end() == 0
    assert LEAVES_ALTERNATE_SCREEN in terminal.raw
    assert SHOWS_CURSOR in terminal.raw


def test_echo_is_back_after_ctrl_c(opened: Any) -> None:
    """A shell around the program sees its terminal as it was."""
    quoted = " ".join(f"'{word}'" for word in PROGRAM)
    terminal = opened("--version")
    terminal.end()
    child = pexpect.spawn("/bin/sh", ["-c", f"stty -a; {quoted} step draw; stty -a"], env=environment({"TERM": "xterm-256color"}),
                          dimensions=(24, 80), timeout=SECONDS)  # fmt: skip
    child.expect_exact(b"v I 0")
    child.send(CTRL_C)
    child.expect(pexpect.EOF)
    settings = re.findall(rb"-?\becho\b|-?\bicanon\b|-?\bisig\b", child.before)
    assert settings[-3:] == [b"isig", b"icanon", b"echo"] or set(settings[-3:]) == {b"isig", b"icanon", b"echo"}


def test_a_scenario_from_standard_input_and_keys_from_the_terminal(opened: Any) -> None:
    """A pipe gives the scenario, the keys still work."""
    terminal = opened("step", "-", before="""printf '{"scores": [1, 2, 3]}'""")
    terminal.wait_for("scores 2 0 = 1")
    terminal.press("n", "e^1 ≈ 2.7183")
    terminal.child.send("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("size", [(20, 5), (40, 8)])
def test_a_tiny_terminal(opened: Any, size: tuple[int, int]) -> None:
    """The cursor's number is seen, and moves."""
    terminal = opened("step", "draw", columns=size[0], rows=size[1])
    terminal.wait_for("[0.9]")
    terminal.press("nnnn", "[0.62")
    terminal.child.send("q")
    assert terminal.end() == 0


def test_resizing_and_a_key_held_down(opened: Any) -> None:
    """The window changes under two hundred keys; the place is that of the keys."""
    terminal = opened("step", "mini-head")
    terminal.wait_for("x birds 0 = −1")
    for rows, columns in ((50, 200), (5, 20), (24, 80)):
        terminal.child.setwinsize(rows, columns)
        terminal.screen.resize(rows, columns)
        terminal.child.send("\x1b[B" * 40 + "\x1b[C" * 30)
        terminal.read(0.5)
    terminal.wait_for("x south 5 = 2")
    terminal.child.send("q")
    assert terminal.end() == 0


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_terminal_it_says_what_to_use(language: str) -> None:
    """One sentence that names the other commands, and 2; nothing is drawn."""
    done = run_program("step", "draw", env={"ATTNCALC_LANG": language})
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
    assert "attncalc step --plain" in done.err
    assert "\x1b" not in done.err


# --- the pages ------------------------------------------------------------------------------------

PAGES = [Path(__file__).parent.parent / page for page in ("docs/step.md", "docs/zh/step.md")]
SCREEN = re.compile(r"<!-- (step [^:]*?) : (.*?) -->\n```text\n(.*?)```\n", re.DOTALL)
TYPED = {"enter": ENTER}


def after_keys(opened: Any, words: str, keys: str) -> Any:
    """The command's terminal at 80×24, with the keys typed."""
    terminal = opened(*words.split())
    terminal.wait_for(" q ")
    terminal.child.send("".join(TYPED.get(key, key) for key in keys.split()))
    return terminal


def drawn(terminal: Any) -> str:
    """The screen as it stands on a page."""
    return "".join(f"{line}\n" for line in terminal.lines)


def at_rest(terminal: Any) -> str:
    """The screen once nothing has come for a while."""
    written = -1
    while written != len(terminal.raw):
        written = len(terminal.raw)
        terminal.read(2.0)
    return drawn(terminal)


@pytest.mark.parametrize("page", PAGES, ids=["en", "zh"])
def test_the_screens_on_the_page_are_those_of_the_program(opened: Any, page: Path) -> None:
    """Each, cell for cell; UPDATE_DOCS=1 writes them anew."""
    text = page.read_text(encoding="utf-8")
    for block in SCREEN.finditer(text):
        terminal = after_keys(opened, block[1], block[2])
        if os.environ.get("UPDATE_DOCS"):
            shown = at_rest(terminal)
            whole = f"<!-- {block[1]} : {block[2]} -->\n```text\n"
            start = text.index(whole) + len(whole)
            text = text[:start] + shown + text[text.index("```\n", start) :]
            page.write_text(text, encoding="utf-8")
        else:
            terminal.wait_until(
                lambda terminal=terminal, block=block: drawn(terminal) == block[3], "not as on the page"
            )
    assert SCREEN.search(text)


@pytest.mark.parametrize(("page", "language"), list(zip(PAGES, ["en", "zh"], strict=True)))
def test_every_key_and_what_it_does_stands_on_the_page(page: Path, language: str) -> None:
    """The table of keys is that of the program."""
    rows = [line.split("|")[1:3] for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    said = [(keys.strip().count("`") // 2, meaning.strip()) for keys, meaning in rows]
    assert said == [(len(row.keys), catalogue(language)[f"walk-do.{row.name}"]) for row in MOVES if row.keys]


# --- hard cases -----------------------------------------------------------------------------------

UNTIL_GIVEN_BACK = f"for i in $(seq {SECONDS * 10:.0f}); do stty -a | grep -q -- -icanon || break; sleep 0.1; done"
"""In a shell: a program that was killed outright has its terminal tidied up by another process, a little later."""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_killed_program_gives_the_terminal_back(number: int) -> None:
    """The shell around it has its settings, its screen and its cursor again."""
    quoted = " ".join(f"'{word}'" for word in PROGRAM)
    script = f"stty -a; {quoted} step draw; echo left $?; {UNTIL_GIVEN_BACK}; stty -a"
    env = environment({"TERM": "xterm-256color"})
    child = pexpect.spawn("/bin/sh", ["-c", script], env=env, dimensions=(24, 80), timeout=SECONDS)
    child.expect_exact(b"v I 0")
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (process / "cmdline").read_bytes().split(b"\0")
            parent = (process / "stat").read_text().rsplit(")", 1)[1].split()[1]
            if b"step" in words and parent == str(child.pid):
                os.kill(int(process.name), number)
    child.expect(pexpect.EOF)
    after = child.before.rpartition(b"left ")[2]
    assert LEAVES_ALTERNATE_SCREEN in child.before
    assert SHOWS_CURSOR in child.before
    assert after.startswith(str(128 + number).encode())
    assert not re.findall(rb"-(?:echo|icanon|isig)\b", after)


@pytest.mark.parametrize(
    ("keys", "then"),
    [
        ("ne0\rnnn", "weights draw I = 1.00 / 4.78"),
        ("dqnnnn", "weights draw I = 6.05 / 9.83"),
        ("yqnnnn", "weights draw I = 6.05 / 9.83"),
        ("?qnnnn", "weights draw I = 6.05 / 9.83"),
        ("nnnnffe9\x7f8\rbb", "scores draw I = 8"),
    ],
)
def test_keys_typed_at_once_are_taken_in_their_order(opened: Any, keys: str, then: str) -> None:
    """Through questions and pages, as if each had been typed slowly."""
    terminal = opened("step", "draw")
    terminal.wait_for("v I 0 = 0.9")
    terminal.press(keys, then)


def test_a_calculation_that_takes_long_can_be_left(opened: Any, tmp_path: Path) -> None:
    """Many exact scores, of which one is changed: the screen says that it calculates, and Ctrl-C leaves."""
    scores = [[(7 * row + 3 * column) % 11 / 10 for column in range(130)] for row in range(130)]
    (tmp_path / "slow.json").write_text(json.dumps({"scores": scores, "arithmetic": "exact"}))
    terminal = opened("step", str(tmp_path / "slow.json"))
    terminal.wait_for("scores 129 0 = ")
    terminal.press("e5\r", "Ctrl-C leaves")
    terminal.child.send(CTRL_C)
    assert terminal.end() == -signal.SIGINT
    assert LEAVES_ALTERNATE_SCREEN in terminal.raw


def test_keys_come_from_the_terminal_where_standard_input_is_another(opened: Any) -> None:
    """As in a loop of a shell that reads names from a file."""
    terminal = opened("step", "draw", before="printf 'nnn'")
    terminal.wait_for("v I 0 = 0.9")
    terminal.press("nnnn", "weights draw I = 6.05 / 9.83")
    terminal.child.send("q")
    assert terminal.end() == 0
