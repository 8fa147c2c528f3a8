"""How long the steps take by size, exact and in float64, and what each format adds to them.

Everything runs in one process, the candidates taking turns, so that a ratio does not hang on a busy moment.
Run with a Python that can import attncalc: `.venv/bin/python benchmarks/steps.py`.
"""

from __future__ import annotations

import argparse
import gc
import platform
import random
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from attncalc import Trace, load, render, run

TOKENS = (4, 8, 16, 32, 64)
HEADS = (1, 4, 12)
WIDTH = 4  # of a head
FORMATS = ("table", "plain", "json", "csv")


class Timing(NamedTuple):
    """Medians for one size, in milliseconds."""

    tokens: int
    heads: int
    chosen: str
    float64: float
    exact: float
    formats: tuple[float, ...]  # of the trace in the arithmetic that attncalc chooses itself
    loading: float


def scenario(tokens: int, heads: int) -> dict[str, Any]:
    """A whole block from x to the residual, with a causal mask; two-place numbers from a fixed seed."""
    numbers = random.Random(1000 * heads + tokens)
    width = WIDTH * heads

    def matrix(rows: int, columns: int) -> list[list[float]]:
        return [[round(numbers.uniform(-1, 1), 2) for _ in range(columns)] for _ in range(rows)]

    document: dict[str, Any] = {"heads": heads, "x": matrix(tokens, width), "mask": "causal", "residual": True}
    return document | {name: matrix(width, width) for name in ("w_q", "w_k", "w_v", "w_o")}


def milliseconds(work: Callable[[], Any]) -> float:
    """The time of one call."""
    gc.collect()
    start = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - start)


def medians(works: Sequence[Callable[[], Any]], rounds: int) -> list[float]:
    """The median time of each piece of work, taking turns; a first round, which imports, does not count."""
    turns = [[milliseconds(work) for work in works] for _ in range(rounds + 1)]
    return [statistics.median(times) for times in zip(*turns[1:], strict=True)]


def timing(tokens: int, heads: int, rounds: int) -> Timing:
    """All candidates for one size."""
    document = scenario(tokens, heads)
    float64, exact = (load(document | {"arithmetic": kind}) for kind in ("float64", "exact"))
    trace: Trace = run(load(document))
    works: list[Callable[[], Any]] = [lambda: run(float64), lambda: run(exact), lambda: load(document)]
    works += [lambda name=name: render(trace, name) for name in FORMATS]  # type: ignore[misc]
    quick, slow, loading, *formats = medians(works, rounds)
    return Timing(tokens, heads, trace.kind, quick, slow, tuple(formats), loading)


def line(found: Timing) -> str:
    """One row: milliseconds of both arithmetics, then everything as a multiple of the calculation that is chosen."""
    whole = found.exact if found.chosen == "exact" else found.float64
    ratios = "".join(f"{part / whole:9.2f}" for part in (found.loading, *found.formats))
    return (
        f"{found.tokens:6} {found.heads:6} {found.float64:9.1f} {found.exact:9.1f} "
        f"{found.exact / found.float64:8.1f}  {found.chosen:8}{ratios}"
    )


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each candidate runs (5)")
    parser.add_argument("--tokens", type=int, nargs="+", default=TOKENS, help="the numbers of tokens")
    parser.add_argument("--heads", type=int, nargs="+", default=HEADS, help="the numbers of heads")
    options = parser.parse_args()
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {options.rounds} rounds")
    print("milliseconds of a run in float64 and exact; then, as multiples of the one that attncalc chooses,")
    print("loading the scenario and writing the trace in each format")
    print(f"{'tokens':>6} {'heads':>6} {'float64':>9} {'exact':>9} {'ratio':>8}  {'chosen':8}", end="")
    print("".join(f"{name:>9}" for name in ("load", *FORMATS)))
    for tokens in options.tokens:
        for heads in options.heads:
            print(line(timing(tokens, heads, max(options.rounds, 1))), flush=True)


if __name__ == "__main__":
    main()
