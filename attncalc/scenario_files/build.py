"""From a JSON value to a scenario: kinds, what belongs together, shapes, labels, defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.errors import Fault, ScenarioError
from attncalc.messages import Word
from attncalc.scenario_files.defaults import with_defaults
from attncalc.scenario_files.expected import check_expected
from attncalc.scenario_files.json_text import repeated_keys
from attncalc.scenario_files.keys import KEYS, SCENARIO, holds_numbers
from attncalc.scenario_files.labelling import Labelling
from attncalc.scenario_files.number_arrays import as_decimal
from attncalc.scenario_files.reading_rules import check_rules
from attncalc.scenario_files.shapes import Shapes


class Faults:
    """The faults of one document, collected; a place is reported once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: list[Fault] = []

    def report(self, path: str, code: str, **fields: Any) -> None:
        """Notes a fault at a path of the document."""
        place = f"{self.name}: {path}" if path else self.name
        if all(fault.place != place for fault in self.found):
            self.found.append(Fault(place, code, fields))

    def raise_any(self) -> None:
        """Raises what was found, if anything was."""
        if self.found:
            raise ScenarioError(self.found)


def build(document: Any, name: str) -> Scenario:
    """The scenario of a JSON value; raises a ScenarioError with every fault there is."""
    faults = Faults(name)
    if not isinstance(document, dict):
        faults.report("", "not-a-scenario", found=Word("found-list" if isinstance(document, list) else "found-other"))
    faults.raise_any()
    if document.get("format") == "attncalc-trace/1" and isinstance(document.get("scenario"), dict):
        document = document["scenario"]
    for path in repeated_keys(document):
        faults.report(path, "repeated-key")
    SCENARIO.check(document, "", faults.report)
    broken = {fault.place.removeprefix(f"{name}: ").split("[")[0].split(".")[0] for fault in faults.found}
    broken |= {str(fault.fields.get("near")) for fault in faults.found}  # a misspelt key is not missing as well
    usable = {key: value for key, value in document.items() if key not in broken and key != "$schema"}
    start = check_rules(usable, broken, faults.report)
    if not start:
        faults.raise_any()
    return _assembled(name, with_defaults(usable, start), start, faults)


def _assembled(name: str, document: Mapping[str, Any], start: str, faults: Faults) -> Scenario:
    given = {key: array(value) for key, value in document.items() if isinstance(value, list) and key in ARRAYS}
    shapes = Shapes(document, start, given, faults.report)
    arrays, grid, sizes = shapes.lifted()
    labelling = Labelling(document, start, grid, shapes.single, faults.report)
    arrays |= labelling.masks()
    check_expected(document, labelling, faults.report)
    faults.raise_any()
    for values in arrays.values():
        values.setflags(write=False)
    return Scenario(
        name=name, document=document, start=start, arrays=arrays, tokens=labelling.tokens,
        query_tokens=labelling.query_tokens, queries=labelling.queries, grid=grid, sizes=sizes, width=shapes.width(),
    )  # fmt: skip


ARRAYS = frozenset(key for key, kind in KEYS.items() if holds_numbers(kind))


def array(value: list[Any]) -> Values:
    """A nested list of checked numbers as an object array of decimals."""
    shape, part = [], value
    while isinstance(part, list):
        shape.append(len(part))
        part = part[0]
    flat: list[Any] = value
    for _ in shape[1:]:
        flat = [cell for row in flat for cell in row]
    cells = np.empty(len(flat), dtype=object)
    cells[:] = [as_decimal(cell) for cell in flat]
    return cells.reshape(shape)
