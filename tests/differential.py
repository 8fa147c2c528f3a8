"""The program against its rivals, for hours: `python tests/differential.py --help`. The tests use the same pieces."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from random import Random
from typing import NamedTuple

from against_rivals import digit_disagreements, disagreements, far_disagreements
from formats_differ import format_disagreements
from metamorphic import EVERY
from rivals.far_apart import far_apart
from rivals.random_scenarios import as_json, documents
from rivals.settings import cases, every_pair, told

SHOWN = 3
"""Cases told in full of each kind of disagreement."""


class Tally(NamedTuple):
    """What was compared: how many of each kind, how often each pair of options, and what disagreed."""

    compared: Counter[str]
    pairs: Counter[str]
    wrong: Counter[str]

    def add(self, kind: str, names: frozenset[str], found: list[str], what: str) -> None:
        """One thing that was compared."""
        self.compared[kind] += 1
        self.pairs.update(" + ".join(two) for two in combinations(sorted(names), 2))
        for one in found[:1]:
            word = f"{kind}: {one.split(' (')[0].split(':')[0]}"
            self.wrong[word] += 1
            if self.wrong[word] <= SHOWN:
                print(f"{kind}: {one}\n    {what}", flush=True)


def scenarios(seed: int, first: int, count: int, tally: Tally) -> None:
    """Random scenarios over every pair of options and settings."""
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(seed, first, count, Path(folder)):
            tally.add(case.kind, case.names, list(disagreements(case, Path(folder))), told(case))


def formats(seed: int, first: int, count: int, tally: Tally) -> None:
    """Random scenarios in all formats, their numbers read back."""
    with tempfile.TemporaryDirectory() as folder:
        for case in cases(seed, first, count, Path(folder)):
            found = list(format_disagreements(case, Path(folder)))
            tally.add("in all formats", frozenset(), found, told(case))


def digits(seed: int, first: int, count: int, tally: Tally) -> None:
    """Random scenarios in exact arithmetic with 2 to 30 places, ties among them, every digit."""
    for number in range(first, first + count):
        (document,) = documents(f"{seed} {number}", 1, (2, 30))
        tally.add("exact digits", frozenset(), list(digit_disagreements(document)), as_json(document))


def far(seed: int, first: int, count: int, tally: Tally) -> None:
    """Random scenarios whose exponentials lie hundreds of digits apart, every digit, exact and by hand."""
    for number in range(first, first + count):
        document = far_apart(Random(f"{seed} {number}"))
        tally.add(
            f"far apart, {document['arithmetic']}", frozenset(), list(far_disagreements(document)), as_json(document)
        )


def relations(seed: int, first: int, count: int, tally: Tally) -> None:
    """Scenarios written otherwise, and commands about the same one: each of the relations in turn."""
    for number in range(first, first + count):
        name = list(EVERY)[number % len(EVERY)]
        found, told = EVERY[name](Random(f"{seed} {number}"))
        tally.add(name.replace("_", " "), frozenset(), found, told)


PARTS: dict[str, Callable[[int, int, int, Tally], None]] = {
    "scenarios": scenarios,
    "digits": digits,
    "far": far,
    "relations": relations,
    "formats": formats,
}
"""What can be compared: each from a seed, a first number and a count."""


def told_of(tally: Tally) -> Iterator[str]:
    """The figures in lines."""
    yield ", ".join(f"{count} {kind}" for kind, count in sorted(tally.compared.items()))
    wanted = [" + ".join(sorted(pair)) for pair in every_pair()]
    if tally.pairs:
        rarest = min(wanted, key=lambda pair: tally.pairs[pair])
        yield f"{len(wanted)} pairs of options, the rarest {tally.pairs[rarest]} times: {rarest}"
    yield f"{tally.wrong.total()} disagree" + "".join(
        f"\n    {count} {word}" for word, count in tally.wrong.most_common()
    )


def read(path: Path | None) -> Tally:
    """The figures of the parts before."""
    kept = json.loads(path.read_text()) if path and path.exists() else [{}, {}, {}]
    return Tally(*map(Counter, kept))


def main() -> int:
    """Compares what is asked for; 1 where something disagrees."""
    parser = argparse.ArgumentParser(description=__doc__)
    for part, function in PARTS.items():
        parser.add_argument(f"--{part}", type=int, default=0, metavar="N", help=function.__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, metavar="N", help="The number to begin with.")
    parser.add_argument("--tally", type=Path, metavar="FILE", help="Where figures are kept, to go on from.")
    asked = parser.parse_args()
    tally, started = read(asked.tally), time.monotonic()
    for part, function in PARTS.items():
        if getattr(asked, part):
            function(asked.seed, asked.first, getattr(asked, part), tally)
    if asked.tally:
        asked.tally.write_text(json.dumps(tally))
    print(*told_of(tally), f"{time.monotonic() - started:.0f} s", sep="\n")
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
