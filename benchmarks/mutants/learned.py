"""Which lines each test runs, and which tests are tried on a mutant."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from itertools import accumulate
from operator import or_
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

from coverage import Coverage
from drawn import REPOSITORY, Mutant

ROOMS = ("core", "ops", "pipelines", "practice")
LINES = REPOSITORY / "build" / "mutants" / "lines.json"
LEARNING = 12.0  # seconds of processor time of each file's tests, one of each function first; more are not learned
LONGEST_TEST = 8.0  # a longer one is left out
SECONDS = 9.0  # of processor time, of the tests for one mutant, as learned


class Learned(NamedTuple):
    """A test: its processor time, and the lines it runs of each file, as bits."""

    seconds: float
    lines: dict[str, int]


def learned_lines(items: dict[str, Any], run: Callable[[Any], None], until: float) -> dict[str, Learned]:
    """What is known of the tests; those of which nothing is known are run for it, as far as time allows."""
    known = json.loads(LINES.read_text()) if LINES.exists() else {}
    spent = Counter[str]()
    for name, (seconds, _) in known.items():
        spent[file_of(name)] += seconds
    cover = Coverage(data_file=None, include=[str(REPOSITORY / "attncalc" / room / "*") for room in ROOMS])
    for name in _by_turns(Random(0).sample(list(items), len(items))):
        if process_time() > until:
            break
        if name not in known and spent[file_of(name)] < LEARNING:
            known[name] = _run_covered(cover, items[name], run)
            spent[file_of(name)] += known[name][0]
    LINES.write_text(json.dumps(known))
    return {
        name: Learned(seconds, {file: int(bits, 16) for file, bits in lines.items()})
        for name, (seconds, lines) in known.items()
        if seconds <= LONGEST_TEST and name in items
    }


def _by_turns(names: Sequence[str]) -> list[str]:
    """One test of each function, then a second of each, and so on."""
    turns = Counter[str]()
    numbered = []
    for name in names:
        function = name.partition("[")[0]
        turns[function] += 1
        numbered.append((turns[function], name))
    return [name for _, name in sorted(numbered, key=lambda pair: pair[0])]


def file_of(name: str) -> str:
    """The file of a test."""
    return name.partition("::")[0]


def _run_covered(cover: Coverage, item: Any, run: Callable[[Any], None]) -> tuple[float, dict[str, str]]:
    began = process_time()
    cover.erase()
    cover.start()
    run(item)
    cover.stop()
    data = cover.get_data()
    lines = {
        Path(file).relative_to(REPOSITORY).as_posix(): hex(sum(1 << line for line in set(data.lines(file) or ())))
        for file in data.measured_files()
    }
    return process_time() - began, lines


def tests_of(mutant: Mutant, learned: dict[str, Learned]) -> list[str]:
    """The tests that run the line; where none does, those of the function around it, then those of the file."""
    tree = ast.parse(mutant.path.read_text(encoding="utf-8"))
    around = [
        range(node.lineno + 1, (node.end_lineno or 0) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.lineno <= mutant.line <= (node.end_lineno or 0)
    ]
    spans = [range(mutant.line, mutant.line + len(mutant.old)), *reversed(around), range(1, 400)]
    for span in spans:
        bits = sum(1 << line for line in span)
        found = [name for name, test in learned.items() if test.lines.get(mutant.file, 0) & bits]
        if found:
            return found
    return list(learned)


def chosen(mutant: Mutant, tests: Sequence[str], learned: dict[str, Learned]) -> list[str]:
    """The quickest, those that together run every line of the file that is ever run, and then the next quickest."""
    by_time = sorted(tests, key=lambda name: learned[name].seconds)
    first = _within(by_time, learned, SECONDS / 3)
    first += [name for name in _covering(by_time, learned, mutant.file) if name not in first]
    spent = sum(learned[name].seconds for name in first)
    return first + _within([name for name in by_time if name not in {*first}], learned, SECONDS - spent)


def _covering(tests: Sequence[str], learned: dict[str, Learned], file: str) -> Iterator[str]:
    bits = {name: learned[name].lines.get(file, 0) for name in tests}
    missing = reduce(or_, bits.values(), 0)
    while missing:
        best = max(tests, key=lambda name: (bits[name] & missing).bit_count() / (learned[name].seconds + 0.05))
        yield best
        missing &= ~bits[best]


def _within(tests: Sequence[str], learned: dict[str, Learned], seconds: float) -> list[str]:
    ends = accumulate(learned[name].seconds for name in tests)
    return [name for name, end in zip(tests, ends, strict=True) if end <= seconds]
