"""The long run: `python -m tests.fuzz --target scenario --inputs 100000 --seed 1`, with `--atheris` led by coverage."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main() -> int:
    """1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--target", default="all", help="a name of tests/fuzz/targets.py, commands, or all")
    parser.add_argument("--inputs", type=int, default=10_000, help="so many for each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--atheris", action="store_true", help="led by coverage; needs pip install -e '.[fuzz]'")
    parser.add_argument("--save", type=Path, help="a folder for the inputs that something is wrong with")
    options = parser.parse_args()
    sys.path.insert(0, str(Path(__file__).parents[1]))  # where tests have their helpers
    if options.atheris:
        from .by_coverage import guided

        guided(options.target, options.inputs, options.seed, options.save)
    from .runs import long_run, names

    chosen = names() if options.target == "all" else [options.target]
    return max([long_run(name, options.inputs, options.seed, options.save) for name in chosen])


if __name__ == "__main__":
    sys.exit(main())
