"""A process that imports the changed file of a mutant, and runs tests until one fails."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from time import process_time
from types import CodeType, ModuleType
from typing import Any

import pytest
from drawn import REPOSITORY, Mutant
from learned import SECONDS, file_of


def limit() -> None:
    """A mutant that never ends is stopped after so much processor time."""
    most = int(process_time() + 3 * SECONDS + 5)
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))


class Changed(MetaPathFinder, SourceFileLoader):
    """Imports one module from another source."""

    def __init__(self, path: str, source: str) -> None:
        super().__init__("", path)
        self.source = source

    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """The module, if it is the changed one."""
        spec = PathFinder.find_spec(fullname, path) if fullname.startswith("attncalc") else None
        if spec is None or spec.origin != self.path:
            return None
        self.name, spec.loader = fullname, self
        return spec

    def get_code(self, fullname: str) -> CodeType:
        """The code of the other source."""
        return compile(self.source, self.path, "exec")


def alone(mutant: Mutant, tests: Sequence[str]) -> str:
    """What becomes of a mutant in a process that imports its file."""
    given = json.dumps([str(mutant.path), mutant.source(), tests])
    done = subprocess.run([sys.executable, __file__], input=given, text=True, capture_output=True, check=False)
    return "timeout" if done.returncode < 0 else "killed" if done.returncode else "lives"


def _run_alone(path: str, source: str, tests: list[str]) -> int:
    limit()
    sys.meta_path.insert(0, Changed(path, source))
    files = sorted(set(map(file_of, tests)))
    return int(pytest_on(["-x", *files], Chosen(frozenset(tests))))


class Chosen:
    """Leaves out all other tests."""

    def __init__(self, names: frozenset[str]) -> None:
        self.names = names

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keeps the chosen ones."""
        items[:] = [item for item in items if item.nodeid in self.names]


def pytest_on(arguments: list[str], plugin: Any) -> int:
    """pytest in this process, with a plugin of its own."""
    quiet = "-q -o addopts= -p no:xdist -p no:cacheprovider --no-header --tb=no -W ignore"
    return int(pytest.main([*quiet.split(), *arguments], plugins=[plugin]))


if __name__ == "__main__":
    sys.path.insert(0, str(REPOSITORY))
    sys.exit(_run_alone(*json.load(sys.stdin)))
