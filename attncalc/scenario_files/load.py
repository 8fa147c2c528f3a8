"""Loading a scenario from wherever it is: a file, standard input, a built-in name, or a document already read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext
from pathlib import Path
from typing import Any

from attncalc.core.certain import OWN
from attncalc.core.scenario import Scenario
from attncalc.scenario_files import builtin
from attncalc.scenario_files.folding import folded
from attncalc.scenario_files.json_text import parse, written
from attncalc.scenario_files.sources import read, shown_name


def load(
    source: str | Path | Mapping[str, Any], changes: Sequence[str] = (), options: Mapping[str, Any] | None = None
) -> Scenario:
    """The scenario of a file, of `-` (standard input), of a built-in name, or of a document as Python values.

    `changes` are edits such as `scores.0=1`, made together before the document is checked; `options` (`places`,
    `by_hand`, `rounding`, `arithmetic`, `shift`) are folded in after them.
    Raises a ScenarioError with every fault that was found.

    >>> load("draw").tokens
    ('I', 'like', 'to', 'draw')
    """
    with localcontext(OWN):
        return _loaded(source, changes, options)


def _loaded(
    source: str | Path | Mapping[str, Any], changes: Sequence[str], options: Mapping[str, Any] | None
) -> Scenario:  # fmt: skip
    if isinstance(source, Mapping):
        name, document = "scenario", parse(written(source).encode(), "scenario")
    else:
        name = shown_name(str(source))
        document = parse(read(str(source)), name)
    return scenario_of(document, name, changes, options, folder_of(source))


def scenario_of(
    document: Any, name: str, changes: Sequence[str] = (), options: Mapping[str, Any] | None = None,
    folder: Path = Path(),
) -> Scenario:  # fmt: skip
    """The scenario of a JSON value, with changes and options; arrays in files are beside it, in the folder."""
    from attncalc.scenario_files.build import build

    if changes:
        from attncalc.scenario_files.edits import edited
        from attncalc.scenario_files.inlining import opened

        document = edited(opened(document, changes, folder), changes)
    scenario = build(folded(document, options or {}), name, folder)
    return replace(scenario, changes=tuple(changes)) if changes else scenario


def folder_of(source: Any) -> Path:
    """Where the arrays in files of a source are: beside its file, else in the current folder."""
    if isinstance(source, Mapping) or source == "-":
        return Path()
    if builtin.is_name(str(source)) and str(source) in builtin.names():
        return builtin.folder()
    return Path(source).parent
