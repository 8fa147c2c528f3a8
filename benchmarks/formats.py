"""How quickly a calculation over 1,000 tokens is written, each format beside the plainest way to the same numbers.

Everything runs in one process, the candidates taking turns, so that a ratio does not hang on a busy moment.
Run with a Python that can import attncalc: `.venv/bin/python benchmarks/formats.py`.
"""

from __future__ import annotations

import argparse
import csv
import gc
import io
import json
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product, repeat
from typing import Any, NamedTuple

import numpy as np

from attncalc import Trace, load, render, run
from attncalc.core.stage import AXES, Step

TOKENS, WIDTH = 1000, 16
AIM_SECONDS = 3.0


class Race(NamedTuple):
    """A format beside the plainest way to write the same numbers: at most so many times as long."""

    format: str
    rival: Callable[[Trace], str | bytes]
    told: str
    aim: float


def plain_json(trace: Trace) -> str:
    """Every step's numbers by `json.dumps`."""
    return json.dumps({step.name: step.values.tolist() for step in trace})


def plain_csv(trace: Trace) -> str:
    """The same lines by `csv.writer`, their cells put together without a call of Python for each."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("step", *AXES, "value"))
    for step in trace:
        for row in _rows(step):
            writer.writerows(row)
    return text.getvalue()


def _rows(step: Step) -> Iterator[Iterator[tuple[Any, ...]]]:
    """The lines of a step, those along its last axis together."""
    *outer, last = (_names(step, axis) for axis in step.axes)
    numbers = step.values.reshape(-1, len(last)).tolist()
    for front, row in zip(product(*outer), numbers, strict=True):
        place = dict(zip(step.axes, (*map(repeat, front), last), strict=True))
        yield zip(repeat(step.name), *(place.get(axis, repeat("")) for axis in AXES), row, strict=False)


def _names(step: Step, axis: str) -> Sequence[str]:
    return step.labels.get(axis) or [str(place) for place in range(step.shape[step.axes.index(axis)])]


def plain_npz(trace: Trace) -> bytes:
    """Every step by `numpy.savez`."""
    file = io.BytesIO()
    arrays: dict[str, Any] = {step.name: step.values for step in trace}
    np.savez(file, **arrays)
    return file.getvalue()


RACES = (
    Race("json", plain_json, "json.dumps of a.tolist()", 1.5),
    Race("csv", plain_csv, "csv.writer", 1.2),
    Race("npz", plain_npz, "numpy.savez", 3.0),
)
PAGES = ("markdown", "latex")
"""Documents that show a part of the tables and say so."""


def trace_of(tokens: int) -> Trace:
    """Causal attention of one head from queries, keys and values of a fixed seed, in float64."""
    draw = random.Random(1)

    def array() -> list[list[float]]:
        return [[round(draw.uniform(-1, 1), 3) for _ in range(WIDTH)] for _ in range(tokens)]

    document = {"q": array(), "k": array(), "v": array(), "mask": "causal", "arithmetic": "float64"}
    return run(load(document))


def seconds(work: Callable[[], object]) -> float:
    """The processor time of one call."""
    gc.collect()
    start = time.process_time()
    work()
    return time.process_time() - start


def medians(works: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    """The median time of each piece of work, taking turns; a first round, which imports, does not count."""
    turns = [[seconds(work) for work in works] for _ in range(rounds + 1)]
    return [statistics.median(times) for times in zip(*turns[1:], strict=True)]


def raced(trace: Trace, race: Race, rounds: int) -> bool:
    """Prints a race; whether its aim is held."""
    ours, rival = medians([lambda: render(trace, race.format), lambda: race.rival(trace)], rounds)
    print(f"{race.format:9}{ours:7.2f} s, {race.told}: {rival:.2f} s", end="; ")
    print(f"ratio {ours / rival:.2f}, aim {race.aim}", flush=True)
    return ours <= race.aim * rival


def main() -> None:
    """Prints the figures; with --check 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=TOKENS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    trace = trace_of(options.tokens)
    print(f"{platform.python_implementation()} {platform.python_version()}, NumPy {np.__version__}", end=", ")
    print(f"{options.tokens} tokens, {sum(step.values.size for step in trace):,} numbers in {len(trace)} steps")
    assert render(trace, "csv") == plain_csv(trace).replace(",-inf\n", ",-Infinity\n")
    held = [raced(trace, race, options.rounds) for race in RACES]
    works = [lambda format=format: render(trace, format) for format in PAGES]  # type: ignore[misc]
    for format, took in zip(PAGES, medians(works, options.rounds), strict=True):
        print(f"{format:9}{took:7.2f} s, cut; aim {AIM_SECONDS} s")
        held.append(took <= AIM_SECONDS)
    sys.exit(bool(options.check and not all(held)))


if __name__ == "__main__":
    main()
