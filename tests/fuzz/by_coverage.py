"""Fuzzing led by coverage: atheris keeps the inputs that reach lines which no input before them reached."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import NoReturn

import atheris

with atheris.instrument_imports(include=["attncalc"]):
    from .judging import judged
    from .runs import target_of, tell

LARGEST = 8_000


def guided(name: str, count: int, seed: int, save: Path | None) -> NoReturn:
    """Runs so many inputs of one target, tells each kind of fault once, and ends the process."""
    target, kinds, done = target_of(name), Counter[str](), 0

    def one(data: bytes) -> None:
        nonlocal done
        done += 1
        if finding := judged(target.run, data):
            kinds[finding.kind] += 1
            if kinds[finding.kind] == 1:
                tell(name, finding, save)
        if done == count:
            print(f"{name}: {count} inputs led by coverage, seed {seed}, findings {dict(kinds)}", flush=True)
            os._exit(1 if kinds else 0)

    def changed(data: bytes, most: int, number: int) -> bytes:
        random = Random(number)
        new = target.mutate(data, random) if random.random() < 0.6 else atheris.Mutate(data, most)
        return new[:most]

    corpus = tempfile.mkdtemp(prefix="attncalc-corpus-")
    for number, data in enumerate(target.seeds()):
        Path(corpus, str(number)).write_bytes(data)
    settings = [f"-seed={seed + 1}", f"-max_len={LARGEST}", "-timeout=60", "-verbosity=0", "-rss_limit_mb=4096", corpus]
    atheris.Setup([sys.argv[0], *settings], one, custom_mutator=changed)
    atheris.Fuzz()
    raise AssertionError("a run led by coverage ends in its last input")
