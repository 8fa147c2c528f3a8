"""How much a result would lay out: what takes very long is refused before it is calculated."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from attncalc.cli.choices import Options
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario

LAID_OUT = 200_000
"""Numbers that are laid out without force: some two seconds."""

STEPS_BY_KEY = 4
"""Tables of a row's scores: as they are given or made, scaled, their exponentials, the weights."""

FEATURES = ("d_k", "d_v", "d_model", "d_out")
"""What else makes rows wide: of queries, of the context, of what follows it."""

OF_A_ROW = 3
"""What a row takes in each whatever its length, in numbers."""

OF_EVERY_HEAD = ("xlsx",)
"""Formats that lay out every head where none is named."""

DATA = ("json", "csv", "npz")
"""Formats that lay nothing out."""


def check_size(scenario: Scenario, options: Options, format: str, rows: int) -> None:
    """Refuses, without --force, a result with so many rows that takes very long; the message says how to get less."""
    if options["force"] or format in DATA:
        return
    if (count := _laid_out(scenario, options, rows, format)) > LAID_OUT:
        raise UsageError.of("output-large", scenario.name, count=f"{count:,}", format=format)


def _laid_out(scenario: Scenario, options: Options, rows: int, format: str) -> int:
    """About how many numbers the tables hold, of the given ones, the keys and the rows.

    Without --head those of one head; of a workbook, which has a sheet for each head, those of all.
    """
    from attncalc.pipelines.standard import ROWS

    queries, keys = scenario.grid[2:]
    steps, by_key = set(options["step"]), {row.name for row in ROWS if "key" in row.layout}
    of_keys = keys if not steps or by_key & steps else 0
    size = defaultdict(int, scenario.sizes)
    of_features = sum(size[name] for name in FEATURES) if not steps or steps - by_key else 0
    shapes = [] if steps else [array.shape[2:] for array in scenario.arrays.values()]
    given = sum(math.prod(shape) for shape in shapes if shape != (queries, keys))
    made = keys * (size["d_k"] + size["d_v"]) if not steps and scenario.start in ("x", "ids") else 0
    return int(
        _sets(scenario, options, format)
        * (rows * ((len(steps) or STEPS_BY_KEY) * (of_keys + OF_A_ROW) + of_features) + made + given)
    )


def are_large(scenario: Scenario, options: Options, format: str, rows: int) -> bool:
    """Whether so many rows of a long context, told step by step with all their keys and values, take very long."""
    if options["force"] or options["step"] or format in DATA:
        return False
    size, keys = defaultdict(int, scenario.sizes), scenario.grid[3]
    of_rows = rows * (STEPS_BY_KEY * (keys + OF_A_ROW) + sum(size[name] for name in FEATURES))
    return _sets(scenario, options, format) * (keys * (size["d_k"] + size["d_v"]) + of_rows) > LAID_OUT


def _sets(scenario: Scenario, options: Options, format: str) -> int:
    """How many batch entries and heads are told; without --head one."""
    every = None if format in OF_EVERY_HEAD else "all"
    counts = zip(("batch", "head"), scenario.grid, strict=False)
    return math.prod(count if options[axis] in ("all", every) else 1 for axis, count in counts)
