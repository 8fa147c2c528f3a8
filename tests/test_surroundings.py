"""Surroundings: pipes, full disks, closed streams and locales change no digit and no exit code."""

from __future__ import annotations

import array
import fcntl
import json
import os
import signal
import subprocess
import termios
import time
from pathlib import Path

import pytest
from calling import call
from running import PROGRAM, SECONDS, environment, run_in_terminal, run_program, run_shell
from surroundings import CHINESE, Table, assert_one_sentence, usual


class TestReaders:
    """Whoever reads the result may go away."""

    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        """A scenario whose trace is larger than any pipe holds."""
        path = tmp_path / "large.json"
        path.write_text(json.dumps({"scores": [[i % 7 for i in range(60)] for _ in range(60)]}))
        return path

    def test_head(self, large: Path) -> None:
        """`| head -1` gets its line; attncalc ends with 141 and says nothing."""
        done = run_shell(f"{{ attncalc run {large} --json --indent 1; echo $? >&2; }} | head -1")
        assert done == (0, "{\n", "141\n")

    @pytest.mark.parametrize(
        "args",
        [
            ("explain", "draw"),
            ("run", "draw", "--json"),
            ("show", "draw"),
            ("schema",),
            ("list",),
            ("verify", "draw"),
            ("compare", "draw", "bigram"),
            ("sweep", "draw", "scores.0", "-1", "3"),
            ("run", "draw", "--format", "csv"),
            ("--help",),
            ("run", "--help"),
            ("--version",),
            (),
        ],
        ids=" ".join,
    )
    def test_a_reader_that_is_gone(self, args: tuple[str, ...]) -> None:
        """Writing to a pipe that nobody reads ends with 141, quietly."""
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run(
            [*PROGRAM, *args], stdin=subprocess.DEVNULL, stdout=writer, stderr=subprocess.PIPE, env=environment(),
            timeout=SECONDS, check=False,
        )  # fmt: skip
        os.close(writer)
        assert (done.returncode, done.stderr) == (141, b"")

    def test_a_reader_that_goes(self, large: Path) -> None:
        """A reader that leaves in the middle ends it with 141, quietly."""
        process = subprocess.Popen(
            [*PROGRAM, "run", str(large), "--json"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=environment(),
        )  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.read(10) == b'{"format":'
        process.stdout.close()
        assert (process.wait(SECONDS), process.stderr.read()) == (141, b"")
        process.stderr.close()


class TestNoRoom:
    """A result that cannot be written is never taken for one that was."""

    LINES = (
        "explain draw",
        "run draw --json",
        "run draw --format csv",
        "show draw",
        "schema",
        "list",
        "verify draw",
        "compare draw bigram",
        "sweep draw scores.0 -1 3",
        "--help",
        "explain --help",
        "--version",
        "",
    )

    @pytest.mark.parametrize("line", LINES)
    def test_a_full_disk(self, line: str) -> None:
        """`> /dev/full` ends with 2 and one sentence."""
        done = run_shell(f"attncalc {line} > /dev/full")
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)

    @pytest.mark.parametrize("line", LINES)
    def test_no_standard_output(self, line: str) -> None:
        """`>&-` leaves nowhere to write to: 2 and one sentence."""
        done = run_shell(f"attncalc {line} >&-")
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)

    def test_no_standard_output_is_needed(self, tmp_path: Path) -> None:
        """With `-o FILE` a closed standard output does not matter."""
        done = run_shell("attncalc run draw -o result.txt >&-", cwd=tmp_path)
        assert (done.code, done.err) == (0, "")
        assert (tmp_path / "result.txt").read_text(encoding="utf-8") == usual("run", "draw")

    @pytest.mark.parametrize(
        ("line", "code"), [("run draw", 0), ("run nope", 2), ("--nope", 2), ("explain draw --token z", 2)]
    )
    def test_no_standard_error(self, line: str, code: int) -> None:
        """`2>&-`: the exit code stays, and complaints do not go to standard output."""
        done = run_shell(f"attncalc {line} 2>&-")
        assert (done.code, done.err) == (code, "")
        assert done.out == (usual("run", "draw") if code == 0 else "")

    def test_a_full_standard_error(self) -> None:
        """A complaint that cannot be written does not change the exit code."""
        done = run_shell("attncalc run nope 2> /dev/full")
        assert (done.code, done.out) == (2, "")

    def test_nothing_open(self) -> None:
        """With no stream at all it ends, with 2."""
        assert run_shell("attncalc run draw <&- >&- 2>&-").code == 2


class TestStandardInput:
    """Standard input may be missing, empty, a terminal, or slow."""

    @pytest.mark.parametrize("command", ["explain", "run", "verify", "show"])
    @pytest.mark.parametrize("redirection", ["<&-", "</dev/null"])
    def test_none(self, command: str, redirection: str) -> None:
        """`-` without anything to read ends with 2 and a sentence."""
        done = run_shell(f"attncalc {command} - {redirection}")
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)

    @pytest.mark.parametrize("line", ["explain draw", "run draw", "run draw --json", "list", "--help"])
    def test_none_is_needed(self, line: str) -> None:
        """Without `-` a closed standard input does not matter."""
        done = run_shell(f"attncalc {line} <&-")
        assert (done.code, done.err, done.out) == (0, "", usual(*line.split()))

    @pytest.mark.parametrize(
        "args", [("explain", "-"), ("run", "-"), ("verify", "-"), ("show", "-"), ("run", "--jsonl")]
    )
    def test_a_terminal(self, args: tuple[str, ...]) -> None:
        """`-` at a terminal does not wait for typing: 2 and a sentence."""
        seen = run_in_terminal(*args)
        assert seen.code == 2
        assert_one_sentence(seen.raw.replace("\r\n", "\n"))

    @pytest.mark.parametrize("command", ["explain", "run", "verify", "show"])
    def test_interrupted(self, command: str) -> None:
        """Ctrl-C while it reads ends with 130; nothing was written, and there is no traceback."""
        process = subprocess.Popen(
            [*PROGRAM, command, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment(),
        )  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(b'{"scores": ')
        process.stdin.flush()
        wait_until_read(process.stdin.fileno())
        process.send_signal(signal.SIGINT)
        process.wait(SECONDS)
        out, err = process.communicate()
        assert (process.returncode, out) == (130, b"")
        assert b"Traceback" not in err


class TestEncoding:
    """The output is UTF-8 wherever it goes."""

    ENVIRONMENTS = (
        {"LC_ALL": "C"},
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "ascii:strict"},
        {"PYTHONIOENCODING": "utf-16"},
        {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"},
    )
    ARGUMENTS = (
        ("run", "apple-chars", "--json"),
        ("run", "apple-chars", "--format", "csv"),
        ("show", "apple-chars"),
        ("explain", "draw", "--lang", "zh"),
        ("--help", "--lang", "zh"),
    )

    @pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
    @pytest.mark.parametrize("args", ARGUMENTS, ids=" ".join)
    def test_the_same_bytes(self, args: tuple[str, ...], env: dict[str, str]) -> None:
        """No locale and no encoding changes a byte of the result."""
        done = run_program(*args, env=env)
        assert (done.code, done.err, done.out) == (0, "", usual(*args))

    @pytest.mark.parametrize("env", ENVIRONMENTS, ids=str)
    def test_a_complaint(self, env: dict[str, str]) -> None:
        """A complaint in Chinese arrives under any of them."""
        done = run_program("explain", "draw", "--token", "z", "--lang", "zh", env=env)
        assert (done.code, done.out) == (2, "")
        assert CHINESE.search(done.err)
        assert_one_sentence(done.err)

    @pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"LC_ALL": "POSIX", "LANG": "de_DE.ISO-8859-1"}], ids=str)
    def test_a_label_on_the_command_line(self, env: dict[str, str]) -> None:
        """In the C locale a Chinese label is understood as in any other."""
        done = run_program("run", "draw", "--json", "--set", "tokens.0=苹果", env=env)
        assert (done.code, done.err) == (0, "")
        assert json.loads(done.out)["scenario"]["tokens"][0] == "苹果"


class TestLanguage:
    """The language: `--lang`, ATTNCALC_LANG, then the locale."""

    ROWS: Table = (
        ({}, (), False),
        ({"ATTNCALC_LANG": "zh"}, (), True),
        ({"ATTNCALC_LANG": "en"}, (), False),
        ({"LANG": "zh_CN.UTF-8"}, (), True),
        ({"LANG": "zh_TW"}, (), True),
        ({"LC_ALL": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, (), True),
        ({"LC_ALL": "C", "LANG": "zh_CN.UTF-8"}, (), False),
        ({"LC_MESSAGES": "zh_CN.UTF-8", "LANG": "en_US.UTF-8"}, (), True),
        ({"LC_ALL": "", "LANG": "zh_CN.UTF-8"}, (), True),
        ({"ATTNCALC_LANG": "en", "LANG": "zh_CN.UTF-8"}, (), False),
        ({"ATTNCALC_LANG": "", "LANG": "zh_CN.UTF-8"}, (), True),
        ({"LANG": "de_DE.UTF-8"}, (), False),
        ({"LANG": "C.UTF-8"}, (), False),
        ({"ATTNCALC_LANG": "zh"}, ("--lang", "en"), False),
        ({"LANG": "zh_CN.UTF-8"}, ("--lang=en",), False),
        ({}, ("--lang", "zh"), True),
        ({"ATTNCALC_LANG": "en"}, ("--lang=zh",), True),
        ({"LANG": "nonsense"}, (), False),
    )

    @pytest.mark.parametrize(("env", "options", "chinese"), ROWS, ids=str)
    @pytest.mark.parametrize("args", [("explain", "draw"), ("list",), ("run", "--help")], ids=" ".join)
    def test_results(self, args: tuple[str, ...], env: dict[str, str], options: tuple[str, ...], chinese: bool) -> None:
        """Results and help are in that language."""
        done = call(*args, *options, env=env)
        wanted, other = (usual(*args, "--lang", "zh" if chinese is right else "en") for right in (True, False))
        assert (done.code, done.err, done.out) == (0, "", wanted)
        assert wanted != other

    @pytest.mark.parametrize(("env", "options", "chinese"), ROWS, ids=str)
    def test_complaints(self, env: dict[str, str], options: tuple[str, ...], chinese: bool) -> None:
        """So are complaints, those about the command line itself too."""
        for wrong in (("--token", "z"), ("--nope",)):
            done = call("explain", "draw", *options, *wrong, env=env)
            assert (done.code, done.out, bool(CHINESE.search(done.err))) == (2, "", chinese)

    @pytest.mark.parametrize("lang", ["xx", "", "zh_CN"])
    def test_a_wrong_option(self, lang: str) -> None:
        """A language that there is not is a mistake of the command line."""
        done = call("explain", "draw", "--lang", lang)
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)


def wait_until_read(pipe: int) -> None:
    """Returns when the other end has taken all that was written."""
    unread = array.array("i", [1])
    end = time.monotonic() + SECONDS
    while unread[0]:
        assert time.monotonic() < end, "nobody reads"
        fcntl.ioctl(pipe, termios.FIONREAD, unread)
        time.sleep(0.01)
    time.sleep(0.05)
