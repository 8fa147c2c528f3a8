"""attncalc: the calculator that shows its work for transformer attention.

>>> from attncalc import load, run, render
>>> trace = run(load("draw"))
>>> trace["weights"].values
array([[0.62, 0.12, 0.19, 0.08]])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.notebook import compare
    from attncalc.renderers import render
    from attncalc.running import run
    from attncalc.scenario_files.load import load

__version__ = "1.0.0"

__all__ = ["Scenario", "Trace", "compare", "load", "render", "run"]

_HOMES = {
    "load": "attncalc.scenario_files.load",
    "run": "attncalc.running",
    "render": "attncalc.renderers",
    "compare": "attncalc.notebook",
    "Scenario": "attncalc.core.scenario",
    "Trace": "attncalc.core.stage",
}


def __getattr__(name: str) -> Any:
    """Loads a public name when it is asked for, so that `--help` and `--version` load no NumPy."""
    if name not in _HOMES:
        raise AttributeError(f"module 'attncalc' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
