"""What an input may lead to: an answer, or a refusal in a sentence of both languages, and soon."""

from __future__ import annotations

import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NamedTuple, NoReturn

from hostile import unsafe

from attncalc.errors import AttncalcError
from attncalc.messages import LANGUAGES

HANG = 10.0
"""Seconds after which an input counts as one that hangs the program."""

SLOW = 1.0
"""Seconds of calculation that an input may take without being listed as slow."""

MOST_WORDS = 8_000
"""Characters of a sentence; a longer one repeats too much of what it was given."""


class Finding(NamedTuple):
    """What was wrong with one input: the kind (one for all inputs of that fault), the story, and the input."""

    kind: str
    story: str
    data: bytes


class Lie(AssertionError):
    """An input was accepted, and what came out is not true."""


class Hang(BaseException):
    """An input took longer than it may."""


def must(holds: object, kind: str, detail: object = "") -> None:
    """Raises a Lie of that kind unless it holds."""
    if not holds:
        raise Lie(f"{kind}: {detail}" if detail != "" else kind)


def judged(run: Callable[[bytes], None], data: bytes) -> Finding | None:
    """What is wrong with how an input ends; None where it is answered, or refused as it should be."""
    start = time.process_time()
    try:
        with _limited(HANG), warnings.catch_warnings():
            warnings.simplefilter("error")  # a warning would stand on standard error in no language
            _tried(run, data)
    except Lie as lie:
        return Finding(f"lie: {str(lie).partition(':')[0]}", str(lie), data)
    except Hang:
        return Finding(f"hang: {_innermost(traceback.format_exc())}", traceback.format_exc(), data)
    except Exception as error:
        story = traceback.format_exc()
        return Finding(f"{type(error).__name__} in {_innermost(story)}", story, data)
    if (seconds := time.process_time() - start) > SLOW:
        return Finding(f"slow: {seconds:.0f} s", f"{seconds:.1f} s", data)
    return None


def _tried(run: Callable[[bytes], None], data: bytes) -> None:
    try:
        run(data)
    except AttncalcError as error:
        check_refusal(error)


def check_refusal(error: AttncalcError) -> None:
    """A refusal has a sentence for each fault in every language, safe to print and not endless."""
    must(error.faults, "refusal without a fault")
    for language in LANGUAGES:
        sentences = error.sentences(language)
        codes = [fault.code for fault in error.faults]
        for sentence, code in zip(sentences, codes, strict=True):
            must(sentence.strip(), "empty sentence", code)
            must(not unsafe(sentence), "unsafe sentence", f"{code} {sentence!r}")
            must(len(sentence) < MOST_WORDS, "endless sentence", f"{code} {len(sentence)}")


def _innermost(story: str) -> str:
    """The last line of a traceback that stands in the program, else the last of all."""
    lines = [line.strip() for line in story.splitlines() if line.strip().startswith("File ")]
    ours = [line for line in lines if "/attncalc/" in line and "/tests/" not in line] or lines
    _, _, place = ours[-1].partition("/attncalc/")
    return place.replace('"', "") if place else ours[-1]


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """Raises a Hang in what takes longer."""

    def late(number: int, frame: FrameType | None) -> NoReturn:
        raise Hang

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
