"""What the tests of surroundings compare with: the usual output, its numbers, a well-formed complaint."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from running import run_program

from attncalc.messages import catalogue

Table = tuple[tuple[dict[str, str], tuple[str, ...], bool], ...]

ESCAPE = "\x1b"
COLOR = re.compile(r"\x1b\[[0-9;]*m")
CHINESE = re.compile("[\u4e00-\u9fff]")
NUMBER = re.compile(r"-?(?:\d+(?:\.\d+)?(?:e-?\d+)?|∞)")
CAPTIONS = (catalogue(language)[code] for language in ("en", "zh") for code in ("column-of", "columns-of"))
CAPTION = re.compile("|".join(re.sub(r"\{\w+\}", r"\\d+", caption) for caption in CAPTIONS))

every_command = pytest.mark.parametrize("command", ["explain", "run"])


@cache
def usual(*args: str) -> str:
    """What the program writes where nothing is odd."""
    done = run_program(*args)
    assert (done.code, done.err) == (0, "")
    return done.out


def numbers_in(text: str) -> Counter[str]:
    """The numbers of an output as they are shown; those that only count the columns of a block are left out."""
    return Counter(NUMBER.findall(CAPTION.sub("", COLOR.sub("", text)).replace("−", "-")))


def assert_one_sentence(err: str) -> None:
    """One line of complaint by the program, and no traceback."""
    assert err.startswith("attncalc: ")
    assert err.count("\n") == 1
    assert err.endswith("\n")
