"""Loading a scenario from wherever it is: a file, standard input, a built-in name, or a document already read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attncalc.core.certain import OWN
from attncalc.core.scenario import Scenario
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.sources import Source, source_at

if TYPE_CHECKING:
    from attncalc.scenario_files.array_rows import Outlines


def load(
    source: str | Path | Mapping[str, Any], changes: Sequence[str] = (), options: Mapping[str, Any] | None = None,
    allow_outside: bool = False,
) -> Scenario:  # fmt: skip
    """The scenario of a file, of `-` (standard input), of a built-in name, or of a document as Python values.

    `changes` are edits such as `scores.0=1`, made together before the document is checked; `options` (`places`,
    `by_hand`, `rounding`, `arithmetic`, `shift`) are folded in after them.
    Arrays in files are read from beside the scenario and below; with `allow_outside` from anywhere.
    Raises a ScenarioError with every fault that was found.

    >>> load("draw").tokens
    ('I', 'like', 'to', 'draw')
    """
    with localcontext(OWN):
        return scenario_from(changed(source_at(source, allow_outside), changes, options))


def scenario_of(
    document: Any, name: str, changes: Sequence[str] = (), options: Mapping[str, Any] | None = None,
    folder: Path = Path(), allow_outside: bool = False,
) -> Scenario:  # fmt: skip
    """The scenario of a JSON value, with changes and options; arrays in files are beside it, in the folder."""
    return scenario_from(changed(Source(name, Folder(folder, allow_outside), document), changes, options))


def outlined(source: Source) -> tuple[Scenario, Outlines]:
    """The scenario of a source with its large arrays left in their files, and where they are."""
    from attncalc.scenario_files.array_rows import Outlines
    from attncalc.scenario_files.build import build

    outlines = Outlines()
    return build(source.document, source.name, source.folder, outlines, source.known), outlines


def scenario_from(source: Source) -> Scenario:
    """The scenario of a source; raises a ScenarioError with every fault that is found."""
    from attncalc.scenario_files.build import build

    scenario = build(source.document, source.name, source.folder, known=source.known)
    return replace(scenario, changes=source.changes) if source.changes else scenario
