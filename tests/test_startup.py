"""What a call loads: help and completion no NumPy, `explain` nothing that another command needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import attncalc
from attncalc.cli.app import COMMANDS

HEAVY = {
    "numpy", "rich", "pydantic", "mpmath", "jinja2", "textual", "xlsxwriter", "plotille", "safetensors", "resvg_py",
    "dask", "distributed", "zarr", "importlib.metadata", "tempfile",
}  # fmt: skip
NAMES = [command.name for command in COMMANDS]
SHELL = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
NOT_FOR_EXPLAIN = HEAVY - {"numpy", "rich"}
COMPLETING = {
    "_ATTNCALC_COMPLETE": "complete_bash",
    "COMP_WORDS": "attncalc explain dr",
    "COMP_CWORD": "2",
}


def loaded(arguments: list[str], extra: dict[str, str]) -> tuple[set[str], str]:
    """The modules, and the packages above them, that a call of the program imports, and what it prints."""
    environment = {
        "PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8",
        "PYTHONPATH": str(Path(attncalc.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "attncalc", *arguments],
        env=environment | extra, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {".".join(name.split(".")[:n]) for name in names for n in range(1, name.count(".") + 2)}, done.stdout


@pytest.mark.parametrize(
    ("arguments", "extra", "prints", "unwanted"),
    [
        (["--help"], {}, "explain", HEAVY),
        (["--version"], {}, attncalc.__version__, HEAVY),
        (["--lang", "zh", "--help"], {}, "算例", HEAVY),
        *(([command, "--help"], {}, f"attncalc {command}", HEAVY) for command in NAMES),
        (["--show-completion", "bash"], SHELL, "_ATTNCALC_COMPLETE", HEAVY),
        ([], COMPLETING, "draw", HEAVY),
        (["list"], {}, "draw", NOT_FOR_EXPLAIN),
        (["explain", "draw"], {}, "9.83", NOT_FOR_EXPLAIN),
        (["explain", "draw", "--arithmetic", "exact"], {}, "9.83", NOT_FOR_EXPLAIN),
        (["run", "draw", "--json"], {}, "9.83", NOT_FOR_EXPLAIN | {"rich"}),
        (["sweep", "draw", "scores.0", "-1", "3", "--plain"], {}, "0.62", NOT_FOR_EXPLAIN | {"rich"}),
        (["compare", "draw", "--set", "weighting=linear"], {}, "0.78", NOT_FOR_EXPLAIN),
        (["run", "draw", "--plain"], {}, "9.83", NOT_FOR_EXPLAIN | {"rich"}),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, list) else None,
)
def test_a_call_loads_only_what_it_needs(
    arguments: list[str], extra: dict[str, str], prints: str, unwanted: set[str]
) -> None:
    """A start-up is as long as its imports: the libraries of other commands stay away."""
    modules, out = loaded(arguments, extra)
    assert prints in out
    assert modules & unwanted == set()


def test_the_list_of_imports_is_read_whole() -> None:
    """The test itself: a library that is loaded is seen."""
    assert {"numpy", "rich", "attncalc"} <= loaded(["explain", "draw"], {})[0]
