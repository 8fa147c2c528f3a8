"""A run over the inputs of a target, the same for the same seed: each is judged, and each kind of fault told once."""

from __future__ import annotations

import hashlib
import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from .commands import COMMANDS, judged_commands
from .judging import Finding, judged
from .targets import TARGETS, Target

SHOWN = 1_500


def names() -> list[str]:
    """The readers, and whole command lines."""
    return [*(target.name for target in TARGETS), COMMANDS]


def target_of(name: str) -> Target:
    """The row of a name."""
    return next(target for target in TARGETS if target.name == name)


def inputs(target: Target, seed: int) -> Iterator[bytes]:
    """The seeds, then without end what is changed in them."""
    random, seeds = Random(f"{target.name} {seed}"), target.seeds()
    yield from seeds
    while True:
        yield target.mutate(random.choice(seeds), random)


def findings(name: str, count: int, seed: int) -> Iterator[Finding]:
    """What is wrong with the first inputs of a target."""
    if name == COMMANDS:
        yield from judged_commands(count, seed)
        return
    target = target_of(name)
    for data in islice(inputs(target, seed), count):
        if finding := judged(target.run, data):
            yield finding


def long_run(name: str, count: int, seed: int, save: Path | None) -> int:
    """Runs so many inputs and tells what it finds; 1 where that is anything."""
    start, kinds = time.monotonic(), Counter[str]()
    for finding in findings(name, count, seed):
        kinds[finding.kind] += 1
        if kinds[finding.kind] == 1:
            tell(name, finding, save)
    seconds = time.monotonic() - start
    print(f"{name}: {count} inputs, seed {seed}, {seconds:.0f} s, findings {dict(kinds)}", flush=True)
    return 1 if kinds else 0


def tell(name: str, finding: Finding, save: Path | None) -> None:
    """Prints a finding, and keeps its input."""
    print(f"--- {name}: {finding.kind}\n{finding.data[:300]!r}\n{finding.story[-SHOWN:]}", flush=True)
    if save is not None:
        folder = save / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha256(finding.data).hexdigest()[:12]).write_bytes(finding.data)
