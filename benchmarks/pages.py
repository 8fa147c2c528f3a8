"""How large a page of HTML is and how long it takes, the start of the program included: 12 heads × 64 tokens.

Every call is a process of its own, the formats taking turns, so that a ratio does not hang on a busy moment.
Run with a Python that can import attncalc: `.venv/bin/python benchmarks/pages.py`.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

CALLS = (("run", "json"), ("run", "html"), ("explain", "html"))


def scenario(heads: int, tokens: int, width: int) -> str:
    """Queries, keys and values of every head, from a fixed seed."""
    numbers = np.random.default_rng(1)
    return json.dumps({name: numbers.normal(size=(heads, tokens, width)).round(4).tolist() for name in "qkv"})


def seconds(command: str, format: str, source: Path, target: Path) -> float:
    """The time of one call."""
    start = time.perf_counter()
    call = [sys.executable, "-m", "attncalc", command, str(source), "--format", format, "-o", str(target), "--force"]
    subprocess.run(call, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Prints bytes and seconds of each format, and the seconds as multiples of those of `run --json`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5, help="how often each call is made (5)")
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--width", type=int, default=64, help="of a head (64)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "scenario.json")
        source.write_text(scenario(options.heads, options.tokens, options.width))
        targets = {call: Path(folder, f"{call[0]}.{call[1]}") for call in CALLS}
        turns = [[seconds(*call, source, targets[call]) for call in CALLS] for _ in range(options.rounds + 1)]
        medians = [statistics.median(times) for times in zip(*turns[1:], strict=True)]
        print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {options.rounds} rounds")
        print(f"{'call':14} {'bytes':>10} {'seconds':>8} {'ratio':>6}")
        for call, median in zip(CALLS, medians, strict=True):
            size = targets[call].stat().st_size
            print(f"{' '.join(call):14} {size:10,} {median:8.2f} {median / medians[0]:6.2f}")


if __name__ == "__main__":
    main()
