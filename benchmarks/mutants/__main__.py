"""Which small changes of the program its tests notice: a random sample of mutmut's mutants of a room, run one by one.

    python benchmarks/mutants ops --sample 150

The tests are collected once. A first pass notes the lines that each test runs; then a process is forked for each
mutant, gets the changed function, and runs the tests of its line until one fails. A mutant of a table, and one that
lives, runs in a process of its own that imports the changed file. What each became stands in build/mutants/ROOM.json,
from which the next call goes on; `--again` tries those that lived once more.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from pathlib import Path
from time import process_time
from types import CodeType
from typing import Any

import pytest
from alone import alone, limit, pytest_on
from drawn import REPOSITORY, Mutant, sampled
from learned import LINES, Learned, chosen, learned_lines, tests_of
from living import Functions, changed, living, replaced

CALCULATING = (
    "figures", "properties", "reference", "derivations", "exact_digits", "low_precision", "online", "cost",
    "arithmetic_choice", "latex_text", "json", "notes", "sensitivity", "shapes_wrong", "bad_input", "options", "leaks",
)  # fmt: skip
PRACTISING = (
    "numbers_typed", "answers", "array_places", "diagnose", "catalogue", "generator", "quiz", "worksheet", "check",
    "check_json", "new", "npz",
)  # fmt: skip
SHOWING = ("cells", "notes", "screens", "hostile_words", "walk", "structure")
NEAREST = {
    "core": (*CALCULATING, *SHOWING), "ops": CALCULATING, "pipelines": (*CALCULATING, "why"), "practice": PRACTISING,
}  # fmt: skip
"""The test files of each room, nearest first: none that needs a browser, LaTeX, an office program or a terminal."""


class Loop:
    """The loop over the collected tests: what they run is learned, then each mutant is tried."""

    def __init__(self, results: Path, limit: float) -> None:
        self.results = results
        self.limit = limit
        self.failed = False
        self.functions: Functions = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notes that a test failed."""
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Goes on where the last call ended, for so many seconds of processor time."""
        until = process_time() + self.limit
        items = {item.nodeid: item for item in session.items}
        learned = learned_lines(items, self._run, until)
        assert not self.failed, "a test fails without a mutant"
        self.functions = living()
        entries = json.loads(self.results.read_text())
        for entry in entries:
            if process_time() + _children() > until:
                break
            if entry["fate"] == "waits":
                entry.update(self._tried(entry, items, learned))
                self.results.write_text(json.dumps(entries, ensure_ascii=False, indent=1))
        return True

    def _run(self, item: Any) -> None:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)

    def _tried(self, entry: dict[str, Any], items: dict[str, Any], learned: dict[str, Learned]) -> dict[str, Any]:
        mutant = Mutant(entry["file"], entry["line"], tuple(entry["old"]), tuple(entry["new"]))
        source = mutant.source()
        if not source:
            return {"fate": "gone"}
        tests = tests_of(mutant, learned)
        pairs = list(changed(_compiled(mutant.path.read_text(encoding="utf-8"), mutant), _compiled(source, mutant)))
        names = chosen(mutant, tests, learned)
        found = {"tests": len(tests), "run": len(names)}
        run = any(test.lines.get(mutant.file, 0) & mutant.bits for test in learned.values())  # not on import alone
        if run and pairs and not entry.get("again") and all(old.co_flags & 2 for old, _ in pairs):  # functions only
            fate = self._forked(pairs, [items[name] for name in names])
            if fate in ("killed", "timeout"):
                return {"fate": fate, **found}
        return {"fate": alone(mutant, names), **found}

    def _forked(self, pairs: list[tuple[CodeType, CodeType]], items: list[Any]) -> str:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            limit()
            if not replaced(pairs, self.functions):
                os._exit(2)
            for item in items:
                self._run(item)
                if self.failed:
                    os._exit(1)
            os._exit(0)
        status = os.waitpid(child, 0)[1]
        return "timeout" if os.WIFSIGNALED(status) else ("lives", "killed", "")[os.WEXITSTATUS(status)]


def _compiled(source: str, mutant: Mutant) -> CodeType:
    return compile(source, str(mutant.path), "exec")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Draws the mutants, or goes on with those drawn, and counts what became of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("room", choices=[*NEAREST])
    parser.add_argument("--sample", type=int, default=150)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=1e9, help="of processor time, then the call ends")
    parser.add_argument("--again", action="store_true", help="try those that lived once more")
    asked = parser.parse_args()
    os.chdir(REPOSITORY)
    sys.path.insert(0, str(REPOSITORY))
    results = LINES.parent / f"{asked.room}.json"
    LINES.parent.mkdir(parents=True, exist_ok=True)
    if not results.exists():
        drawn = sampled(asked.room, asked.sample, asked.seed)
        results.write_text(json.dumps([{**mutant._asdict(), "fate": "waits"} for mutant in drawn]))
    if asked.again:
        entries = json.loads(results.read_text())
        for entry in entries:
            entry |= {"fate": "waits", "again": True} if entry["fate"] == "lives" else {}
        results.write_text(json.dumps(entries))
    files = [f"tests/test_{name}.py" for name in NEAREST[asked.room]]
    pytest_on(files, Loop(results, asked.seconds))
    entries = json.loads(results.read_text())
    fates = [entry["fate"] for entry in entries]
    print({fate: fates.count(fate) for fate in sorted(set(fates))})
    for entry in entries:
        if entry["fate"] == "lives":
            changes = [*(f"\n- {text}" for text in entry["old"]), *(f"\n+ {text}" for text in entry["new"])]
            print(f"\n{entry['file']}:{entry['line']}", *changes)


if __name__ == "__main__":
    main()
