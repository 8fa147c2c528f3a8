"""How long a call of attncalc takes as a whole process, beside the imports that it cannot do without.

Run with the Python of an environment in which attncalc is installed: `.venv/bin/python benchmarks/startup.py`.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Race(NamedTuple):
    """A call of attncalc, the imports it is measured against, and the ratio to stay under."""

    arguments: tuple[str, ...]
    imports: str
    aim: float


RACES = (
    Race(("explain", "draw"), "import numpy, rich.table, typer", 1.25),
    Race(("--help",), "import typer", 1.6),
)


def program() -> str:
    """The attncalc command of this Python's environment."""
    found = shutil.which("attncalc", path=str(Path(sys.executable).parent))
    if found is None:
        raise SystemExit("attncalc is not installed beside this Python; see benchmarks/README.md")
    return found


def environment() -> dict[str, str]:
    """The environment of the calls: bytecode is kept, and the installed attncalc is the one that runs."""
    unwanted = ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
    return {name: value for name, value in os.environ.items() if name not in unwanted}


def milliseconds(command: Sequence[str], folder: str) -> float:
    """The wall time of one process."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, check=True)
    return 1000 * (time.perf_counter() - start)


def medians(commands: Sequence[Sequence[str]], rounds: int) -> list[float]:
    """The median time of each command, the commands taking turns; a first round, which compiles, does not count."""
    with tempfile.TemporaryDirectory() as folder:
        turns = [[milliseconds(command, folder) for command in commands] for _ in range(rounds + 1)]
    return [statistics.median(times) for times in zip(*turns[1:], strict=True)]


def main() -> int:
    """Prints medians and ratios; with --check the exit code is 1 where a ratio is above its aim."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=25, help="how often each command runs (25)")
    parser.add_argument("--check", action="store_true", help="exit with 1 where a ratio is above its aim")
    options = parser.parse_args()
    attncalc = program()
    print(f"{platform.system()} {platform.machine()}, Python {platform.python_version()}, {options.rounds} rounds")
    missed = False
    for race in RACES:
        ours, theirs = medians(
            [[attncalc, *race.arguments], [sys.executable, "-c", race.imports]], max(options.rounds, 1)
        )
        ratio = ours / theirs
        missed = missed or ratio > race.aim
        print(f"attncalc {' '.join(race.arguments):14} {ours:6.1f} ms")
        print(f'python -c "{race.imports}" {theirs:6.1f} ms')
        print(f"ratio {ratio:.2f}, aim {race.aim} {'missed' if ratio > race.aim else 'held'}")
    return int(options.check and missed)


if __name__ == "__main__":
    raise SystemExit(main())
