"""What every command takes of time and memory as a scenario grows: a process for each size, the growth between them.

Run with a Python that can import attncalc. `--page` puts the figures into docs/resources.md and its Chinese sister.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

PAGES = [Path(__file__).parents[1] / "docs" / part / "resources.md" for part in ("", "zh")]
RULE = "|---|---:|---:|---:|---:|---:|\n"
"""What stands between the heading of the table of figures and its rows."""

TOKENS = (48, 96, 192)
"""Tokens of the scenarios: each is four times as many scores as the one before."""


TELLING = (0.05, 2)
"""Seconds and MB more than a small scenario takes, from which on a growth can be told."""


class Case(NamedTuple):
    """A command line; N stands for the scenario, D for a folder to write into, A for answers."""

    name: str
    words: str
    scale: int = 1  # so many times fewer tokens


CASES = (
    Case("explain", "explain N"),
    Case("run", "run N", 2),
    Case("run --arithmetic exact", "run N --arithmetic exact", 4),
    Case("run --by-hand 2", "run N --by-hand 2", 4),
    Case("run --format json", "run N --format json -o D/out.json"),
    Case("run --format csv", "run N --format csv -o D/out.csv"),
    Case("run --format npz", "run N --format npz -o D/out.npz"),
    Case("run --format html", "run N --format html -o D/out.html"),
    Case("run --format latex", "run N --format latex -o D/out.tex"),
    Case("run --format svg", "run N --format svg -o D/out.svg"),
    Case("run --format xlsx", "run N --format xlsx -o D/out.xlsx", 4),
    Case("run --summary", "run N --summary"),
    Case("run --picture map", "run N --picture map"),
    Case("why", "why N weights 9 3"),
    Case("compare", "compare N --set temperature=2"),
    Case("sweep", "sweep N temperature 1 4"),
    Case("check", "check N A"),
    Case("verify", "verify N"),
    Case("show", "show N"),
)


class Taken(NamedTuple):
    """Seconds and MB of one process."""

    seconds: float
    megabytes: float


def taken(words: Sequence[str], folder: Path) -> Taken | None:
    """The time and the peak memory of a command; None where it was refused."""
    environment = {**os.environ, "ATTNCALC_LANG": "en"}
    start = time.perf_counter()
    with (folder / "shown").open("wb") as out:
        process = subprocess.Popen([sys.executable, "-m", "attncalc", *words], stdout=out, stderr=out, env=environment)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        return None
    return Taken(time.perf_counter() - start, used.ru_maxrss / 1024)


def scenario(folder: Path, tokens: int) -> Path:
    """A causal head of 8 features over so many tokens, its numbers in the file; right weights beside it."""
    import numpy as np

    draw = np.random.default_rng(tokens)
    numbers = {name: draw.standard_normal((tokens, 8)).round(3).tolist() for name in "qkv"}
    path = folder / f"{tokens}.json"
    path.write_text(json.dumps({**numbers, "mask": "causal", "arithmetic": "float64"}), encoding="utf-8")
    np.save(folder / "q.npy", numbers["q"])
    done = subprocess.run(
        [sys.executable, "-m", "attncalc", "run", str(path), "--format", "npz", "-o", str(folder / f"{tokens}.npz")],
        check=False, capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


def measured(case: Case, tokens: Sequence[int]) -> list[Taken | None]:
    """A case at each size, the median of three by time."""
    found = []
    for count in (n // case.scale for n in tokens):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            path = scenario(folder, count)
            stands = {"N": str(path), "A": str(folder / f"{count}.npz")}
            words = [stands.get(word, word.replace("D/", f"{folder}/")) for word in case.words.split()]
            runs = [taken([*words, "--force"] if "-o" in words else words, folder) for _ in range(3)]
        known = sorted(run for run in runs if run is not None)
        found.append(known[len(known) // 2] if known else None)
    return found


def row(case: Case, tokens: Sequence[int], base: Taken) -> tuple[str, ...]:
    """A row of the page: seconds and MB at the largest size, and the exponent of the growth in the scores."""
    found = measured(case, tokens)
    last, before = found[-1], found[-2]
    if last is None or before is None:
        return (case.name, f"{tokens[-1] // case.scale:,}", "–", "–", "–", "–")
    more = [part - start for part, start in zip(last, base, strict=True)]
    less = [part - start for part, start in zip(before, base, strict=True)]
    growth = [
        f"{math.log(a / b, 4):.1f}" if min(a, b) > small else "–"
        for a, b, small in zip(more, less, TELLING, strict=True)
    ]
    sizes = (f"{last.seconds:.2f}", growth[0], f"{last.megabytes:.0f}", growth[1])
    return (case.name, f"{tokens[-1] // case.scale:,}", *sizes)


def with_rows(page: str, rows: Sequence[Sequence[str]]) -> str:
    """The page with these rows in its table of figures, which ends it."""
    before, rule, _ = page.partition(RULE)
    return before + rule + "".join(f"| `{name}` | {' | '.join(rest)} |\n" for name, *rest in rows)


def main() -> None:
    """Prints the figures, and puts them on the page where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", default=[], help="commands whose names hold one of these words")
    parser.add_argument("--page", action="store_true", help="put them into docs/resources.md and docs/zh/resources.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        base = min(filter(None, (taken(["run", "mini-head"], Path(name)) for _ in range(3))))
    print(f"a small scenario: {base.seconds:.2f} s, {base.megabytes:.0f} MB", flush=True)
    rows = [("run mini-head", "5", f"{base.seconds:.2f}", "–", f"{base.megabytes:.0f}", "–")]
    for case in CASES:
        if not options.only or any(word in case.name for word in options.only):
            rows.append(row(case, TOKENS, base))
            print("  ".join(rows[-1]), flush=True)
    if options.page:
        for page in PAGES:
            page.write_text(with_rows(page.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
