"""What one who waits for a long context sees in a terminal, and what is left of it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import numpy as np
import pexpect  # type: ignore[import-untyped]
import pytest
from running import PROGRAM, SECONDS, drawn, environment, run_in_terminal, run_program

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are those of Unix")

SHORT, LONG = 12_000, 40_000
"""Tokens of a summary that takes a second or more, and of one that is still at work when it is stopped."""

LINES = {
    "en": r"\d+ %, \d\.\de[1-9]\d* scores a second, about \d+ (s|min) left",
    "zh": r"\d+%，每秒 \d\.\de[1-9]\d* 个分数，还需约 \d+ (秒|分钟)",
}


def scenario(folder: Path, tokens: int) -> Path:
    """A scenario with its arrays in files."""
    numbers = np.random.default_rng(1)
    for name in "qkv":
        np.save(folder / f"{name}.npy", numbers.standard_normal((tokens, 64), dtype=np.float32))
    path = folder / "big.json"
    path.write_text(json.dumps({**{name: {"npy": f"{name}.npy"} for name in "qkv"}, "mask": "causal"}))
    return path


@pytest.mark.parametrize("columns", [80, 20])
@pytest.mark.parametrize("language", LINES)
def test_the_line_says_share_rate_and_remaining_time_and_goes(language: str, columns: int, tmp_path: Path) -> None:
    """What is ahead stays, the progress does not: in a narrow terminal too."""
    target = tmp_path / "rows.npz"
    seen = run_in_terminal(
        "run", str(scenario(tmp_path, SHORT)), "--summary", "-o", str(target), columns=columns,
        env={"ATTNCALC_LANG": language},
    )  # fmt: skip
    assert seen.code == 0
    assert re.search(LINES[language], seen.raw)
    left = "".join(seen.lines)
    assert "%" not in left
    assert np.load(target)["context"].shape == (1, 1, SHORT, 64)


@pytest.mark.parametrize("quiet", [False, True])
def test_nobody_watching_sees_no_progress(quiet: bool, tmp_path: Path) -> None:
    """Into a pipe go no control characters, and with --quiet nothing at all."""
    path = scenario(tmp_path, SHORT)
    done = run_program("run", str(path), "--summary", "-o", str(tmp_path / "rows.npz"), *["--quiet"] * quiet)
    assert (done.code, done.out) == (0, "")
    assert not re.search(r"[\r\x1b%]", done.err)
    assert not (quiet and done.err)


def test_an_interrupt_leaves_a_clean_terminal_and_no_file(tmp_path: Path) -> None:
    """Ctrl-C ends with 130; the line is gone, and neither the file nor a part of it is there."""
    path = scenario(tmp_path, LONG)
    before = {*tmp_path.iterdir()}
    child = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "run", str(path), "--summary", "-o", str(tmp_path / "rows.npz")],
        env=environment({"TERM": "xterm-256color"}), dimensions=(24, 80), timeout=SECONDS,
    )  # fmt: skip
    child.expect("left")
    raw = child.before + child.after
    child.sendintr()
    child.expect(pexpect.EOF)
    raw += child.before
    child.close()
    assert child.exitstatus == 130
    lines = drawn(raw, 80)
    assert not any("%" in line for line in lines)
    assert "Traceback" not in raw.decode()
    assert {*tmp_path.iterdir()} == before
