"""How quickly a calculation of several heads becomes a workbook with live formulas, and how large the file is.

Run with a Python that can import attncalc: `.venv/bin/python benchmarks/workbooks.py`.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np

from attncalc import load, render, run

WIDTH = 8
AIM_SECONDS = 10.0


def document(tokens: int, heads: int) -> dict[str, Any]:
    """A block from x to the output with a causal mask, of random numbers."""
    rng = np.random.default_rng(0)
    width = heads * WIDTH

    def numbers(rows: int) -> Any:
        return rng.standard_normal((rows, width)).round(3).tolist()

    matrices = {name: numbers(width) for name in ("w_q", "w_k", "w_v", "w_o")}
    labels = [f"t{position}" for position in range(tokens)]
    return {"tokens": labels, "x": numbers(tokens), "heads": heads, **matrices, "mask": "causal"}


def main() -> int:
    """Prints seconds and megabytes; with --check the exit code is 1 where the aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true", help="exit code 1 where the aim is missed")
    options = parser.parse_args()
    trace = run(load(document(options.tokens, options.heads), options={"arithmetic": "float64"}))
    seconds, size = [], 0
    for _ in range(options.rounds):
        start = time.perf_counter()
        size = len(render(trace, "xlsx"))
        seconds.append(time.perf_counter() - start)
    median = statistics.median(seconds)
    print(
        f"{options.heads} heads, {options.tokens} tokens: {median:.1f} s (aim {AIM_SECONDS:g} s), {size / 1e6:.1f} MB"
    )
    return int(options.check and median > AIM_SECONDS)


if __name__ == "__main__":
    sys.exit(main())
