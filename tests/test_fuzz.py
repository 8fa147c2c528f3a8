"""Inputs of strangers, changed at random, the same on every run: answered or refused, soon, and without a lie.

`python -m tests.fuzz` has the long run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import NoReturn

import pytest
from fuzz.commands import COMMANDS
from fuzz.judging import judged, must
from fuzz.runs import findings, inputs, names, target_of
from fuzz.targets import TARGETS

from attncalc.errors import AttncalcError, UsageError

SEED = 20_000
COUNTS = {
    "walk": 200, "number": 5300, "cell": 5000, "quiz-line": 2000, "set": 1500, "json": 1300, "typed-answers": 1500, "resume": 1000,
    "arrays": 600, "answers": 600, "scenario": 800, COMMANDS: 200,
}  # fmt: skip


def test_the_counts_are_those_of_all_targets() -> None:
    """20,000 in all."""
    assert sorted(COUNTS) == sorted(names())
    assert sum(COUNTS.values()) == 20_000


@pytest.mark.parametrize("name", [name for name in COUNTS if name != COMMANDS])
def test_a_reader_answers_or_refuses_whatever_it_reads(name: str) -> None:
    """In time, with a sentence in both languages, with numbers that add up; the corpus comes first."""
    assert [f"{finding.kind}: {finding.data!r}" for finding in findings(name, COUNTS[name], SEED)] == []


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_inputs_are_the_same_on_every_run(target: object) -> None:
    """For a seed; another seed has others."""
    first, again, other = (list(islice(inputs(target_of(target.name), seed), 400)) for seed in (1, 1, 2))  # type: ignore[attr-defined]
    assert first == again != other
    assert len(set(first)) > 200


def test_the_long_run_tells_how_many_inputs_it_tried(tmp_path: Path) -> None:
    """As CONTRIBUTING.md calls it; without findings it ends with 0 and saves nothing."""
    words = ("--target", "number", "--inputs", "200", "--seed", "1", "--save", str(tmp_path))
    line = [sys.executable, "-m", "tests.fuzz", *words]
    done = subprocess.run(line, cwd=Path(__file__).parents[1], capture_output=True, text=True, check=False)
    assert re.fullmatch(r"number: 200 inputs, seed 1, \d+ s, findings \{\}\n", done.stdout)
    assert (done.returncode, done.stderr, list(tmp_path.iterdir())) == (0, "", [])


# --- the judge itself -----------------------------------------------------------------------------


def refuses(code: str, **fields: object) -> Callable[[bytes], NoReturn]:
    """A reader that refuses everything."""

    def run(data: bytes) -> NoReturn:
        raise UsageError.of(code, **fields)

    return run


def raises(error: Exception) -> Callable[[bytes], NoReturn]:
    """A reader that fails."""

    def run(data: bytes) -> NoReturn:
        raise error

    return run


FAULTS: list[tuple[str, Callable[[bytes], None]]] = [
    ("ValueError in", raises(ValueError("x"))),
    ("KeyError in", refuses("no-such-code")),
    ("RecursionError in", raises(RecursionError())),
    ("RuntimeWarning in", lambda data: warnings.warn("overflow", RuntimeWarning, stacklevel=1)),
    ("lie: two is not one", lambda data: must(len(data) == 2, "two is not one", data)),
    ("lie: refusal without a fault", raises(AttncalcError([]))),
    ("lie: unsafe sentence", refuses("cannot-write-result", reason=type("Text", (str,), {})("\x1b[31m"))),
]


@pytest.mark.parametrize(("kind", "run"), FAULTS, ids=[kind for kind, _ in FAULTS])
def test_the_judge_sees_what_is_wrong(kind: str, run: Callable[[bytes], None]) -> None:
    """Else a run without findings would say nothing."""
    finding = judged(run, b"x")
    assert finding is not None
    assert finding.kind.startswith(kind)
    assert finding.data == b"x"


def test_the_judge_lets_answers_and_refusals_pass() -> None:
    """A refusal in a sentence is what strangers are owed."""
    assert judged(lambda data: None, b"") is None
    assert judged(refuses("file-missing"), b"") is None
