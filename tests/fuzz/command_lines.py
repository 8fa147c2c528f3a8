"""Whole command lines: any command with any options and values, in both languages, as hypothesis makes them up."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from attncalc.cli.app import COMMANDS as TABLE
from attncalc.cli.options import MANY, OPTIONS, Option
from attncalc.messages import LANGUAGES
from attncalc.scenario_files import builtin

from .array_seeds import NUMBERS_STORED, npy, npz
from .mutating import NUMBERS, WORDS, any_value, json_of


class Line(NamedTuple):
    """A command line, what standard input holds, and the variables of its environment, the language among them."""

    args: tuple[str, ...]
    stdin: bytes
    env: dict[str, str]

    def story(self) -> str:
        """The line as it may be tried again."""
        return f"{self.args!r}, stdin={self.stdin[:300]!r}, env={self.env!r}"


# --- values ---------------------------------------------------------------------------------------

FILES = (
    "one.json", "bad.json", "lines.jsonl", "answers.json", "answers.csv", "answers.npz", "weights.npy", "quiz.txt",
)  # fmt: skip
PLACES = (
    "", "-", ".", "./", "no/such", "missing.json", "new.json", "new.csv", "new.npz", "new.md", "new.html", "new.svg",
    "new.png", "new.tex", "new.xlsx", "new.pdf", "new.txt", "new", "x" * 300, "a\0b", "\ud800",
)  # fmt: skip
SCENARIOS = (*builtin.names(), *["draw", "grouped", "one.json", "-"] * 5, *FILES, *PLACES[:6])
CELLS = ("weights", "draw", "I", "weights[draw][I]", "context", "0", "scores.draw.to", "total", "q", "fox", "-1")
CHANGES = (
    "scores.0=1", "scores.0=1e400", "mask=causal", "scale=none", "v=", "weighting=linear", "by_hand=2", "=", "a",
    "temperature=0", "tokens.0=\x1b[31m", "bias=[[1]]", "places=50", "sink=3", "base=2", "empty_rows=nan",
    "scores=[1e300,-1e300,0,5e-324]", "weighting=uniform", "arithmetic=float16", "softcap=1e-300",
)  # fmt: skip
ANSWERS = ("weights[draw]=0.62 0.12 0.19 0.08", "weights[draw][I]=2/3", "total=9.83", "context=", "=1", "weights=1e400")
OWN = {
    "scenario": SCENARIOS, "scenarios": SCENARIOS, "source": SCENARIOS, "name": SCENARIOS, "cell": CELLS,
    "answers": FILES, "answer_file": FILES, "resume": (*FILES, *PLACES), "source_file": FILES,
    "path": ("scores.0", "temperature", "v.0.0", "q.0.0", "scores", "mask", "x"), "set": CHANGES, "with_": CHANGES,
    "answer": ANSWERS, "output": PLACES, "token": ("draw", "I", "the", "0", "9", "fox"),
    "map": ("weights=weights", "q=q", "a", "=", "weights=a"), "token_counts": ("4", "1000", "0", "1e3", "9" * 12),
    "blank": ("weights", "weights,context", "x", ","), "threads": ("1", "2"), "copies": ("1", "2", "3"),
}  # fmt: skip
"""Values that an argument or option may well have, besides those of its row in the table."""

SMALL = tuple(str(number) for number in (0, 1, 2, 3, 4, 5, 12))
LARGE = ("copies", "points", "token_count", "d_model", "heads")
"""Options whose large values are work that was asked for; what is beyond them is refused at once."""


def values_of(option: Option) -> st.SearchStrategy[str]:
    """Values of an option: good ones, numbers, and what strangers type."""
    good = st.sampled_from((*OWN.get(option.name, ()), *option.values) or SMALL)
    odd = [st.sampled_from(SMALL), st.sampled_from(WORDS), st.text(max_size=8)]
    odd += [] if option.name in LARGE else [st.sampled_from(NUMBERS)]
    return st.integers(0, 9).flatmap(lambda lot: good if lot else st.one_of(odd)).map(harmless)


def harmless(value: str) -> str:
    """A value that names no file outside the folder it is tried in."""
    return value.replace("\0", "").lstrip("/~").replace("..", ".")


LARGER = ("explain", "run", "why", "compare", "sweep", "check", "quiz", "step")
"""Commands that have more to them than the others."""


MORE = (
    "check draw answers.json", "check draw answers.csv --step weights", "check draw answers.npz", "run one.json --json",
    "check draw --answer 'weights[draw]=0.62 0.12 0.19 0.08' --json", "compare draw average",
    "compare draw --set scale=2", "compare grouped --set temperature=2 --head 1", "quiz draw --answers quiz.txt",
    "quiz --random --seed 1 --level 2",
    "quiz draw --resume new.json", "step draw --plain", "step grouped --plain", "sweep grouped temperature 0.5 2",
    "sweep draw v.0.0 -1 1 --step context --json", "why draw total draw", "why rope weights 1 0", "verify draw sink",
    "why one.json context 1 0 --json", "run draw grouped --jsonl --json", "run one.json --summary", "show grouped",
    "run one.json -o new.xlsx", "explain one.json --format html", "new --from answers.npz", "run - --format csv",
)  # fmt: skip
"""Lines to start from, besides the examples of the commands."""


@cache
def known_lines() -> tuple[tuple[str, ...], ...]:
    """The examples of all commands, without what is shell in them, and more."""
    examples = (example for command in TABLE for example in command.examples)
    texts = [*(re.split(r"[|>]", example)[0].removeprefix("attncalc ") for example in examples), *MORE]
    return tuple(tuple(shlex.split(text.replace("--copies 30", "--copies 3"))) for text in texts)


VARIABLES = ("ATTNCALC_LANG", "LANG", "ATTNCALC_WIDTH", "COLUMNS", "NO_COLOR", "FORCE_COLOR", "TERM", "HOME")


def as_a_variable(text: str) -> str:
    """A text without what no variable can hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()[:2000]


@st.composite
def lines(draw: st.DrawFn) -> Line:
    """A known line with words changed, or a command with any arguments; then some of its options."""
    words = draw(st.one_of(changed_lines(), changed_lines(), made_lines()))
    command = next(command for command in TABLE if command.name == words[0])
    flagged = [OPTIONS[name] for name in command.options if OPTIONS[name].flags]
    for option in draw(st.lists(st.sampled_from(flagged), max_size=3)):
        words += _with_value(draw, option)
    if draw(st.integers(0, 19)) == 0:
        words.insert(draw(st.integers(1, len(words))), draw(st.sampled_from([*WORDS, "--", "--help", "--nope", "-o"])))
    env = {"ATTNCALC_LANG": draw(st.sampled_from(LANGUAGES))}
    if draw(st.integers(0, 9)) == 0:
        env[draw(st.sampled_from(VARIABLES))] = draw(st.sampled_from([*WORDS, *SMALL, "80"]).map(as_a_variable))
    return Line(tuple(words), draw(st.sampled_from(stdins())), env)


@st.composite
def changed_lines(draw: st.DrawFn) -> list[str]:
    """A known line, one word of it another in a third of the cases."""
    words = list(draw(st.sampled_from(known_lines())))
    if len(words) > 1 and draw(st.integers(0, 2)) == 0:
        others = st.sampled_from((*WORDS, *SCENARIOS, *CELLS, *CHANGES, *SMALL))
        words[draw(st.integers(1, len(words) - 1))] = harmless(draw(others))
    return words


@st.composite
def made_lines(draw: st.DrawFn) -> list[str]:
    """A command with any arguments."""
    command = draw(st.sampled_from([*TABLE, *[command for command in TABLE if command.name in LARGER] * 2]))
    arguments = [OPTIONS[name] for name in command.options if not OPTIONS[name].flags]
    words = [word for option in arguments for word in _argument(draw, option)]
    return [command.name, *words, *(["--plain"] if command.name == "step" else [])]


def _argument(draw: st.DrawFn, option: Option) -> list[str]:
    if option.type is MANY:
        return draw(st.lists(values_of(option), min_size=option.name != "answers", max_size=2))
    return [draw(values_of(option))] if draw(st.integers(0, 19)) else []


def _with_value(draw: st.DrawFn, option: Option) -> list[str]:
    flag = draw(st.sampled_from([part for flag in option.flags for part in flag.split("/")]))
    if option.type is bool:
        return [flag]
    value = draw(values_of(option))
    return [f"{flag}={value}"] if flag.startswith("--") and draw(st.booleans()) else [flag, value]


# --- files ----------------------------------------------------------------------------------------

ONE = b'{"tokens": ["a", "b"], "scores": [1, 2], "v": [[1, 0], [0.5, 2]]}'
KEYS = b"n\nn\nh\n?\n0.5\n1 2\nweights 0 0\nscores.0=1\nw\nb\nu\ns\n1e400\n\xff\n\x1b[A\nq\n"


@cache
def stdins() -> tuple[bytes, ...]:
    """What standard input may hold: nothing, scenarios, answers, keys of a dialogue, noise."""
    random = Random(1)
    noise = tuple(json_of(any_value(random)).encode("utf-8", "replace") for _ in range(5))
    return (b"", ONE, ONE + b"\n" + ONE + b"\n", KEYS, b"0.62 0.12 0.19 0.08\n" * 9, b"\xff\xfe\0", b"[" * 9000, *noise)


def prepare(folder: Path) -> None:
    """The files of a call, as they were before any call."""
    held = {
        "one.json": ONE, "mine.json": ONE, "bad.json": b'{"scores": [1, 2], "v": [[1]',
        "lines.jsonl": ONE + b"\n" + ONE,
        "answers.json": b'{"weights": [[0.62, 0.12, 0.19, 0.08]]}', "weights.npy": npy(NUMBERS_STORED),
        "answers.csv": b"step,key,value\nweights,I,0.62\n", "quiz.txt": b"1.8\n0.62 0.12\n?\n\n",
        "answers.npz": npz(weights=NUMBERS_STORED, q=NUMBERS_STORED),
    }  # fmt: skip
    for name in set(os.listdir(folder)) - set(held):
        _remove(folder / name)
    for name, data in held.items():
        (folder / name).write_bytes(data)


def _remove(path: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
