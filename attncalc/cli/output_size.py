"""How much a result would lay out: what takes very long is refused before it is calculated."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from attncalc.cli.choices import Options
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario

LAID_OUT, OF_A_WORKBOOK = 200_000, 60_000
"""Numbers that are laid out without force, and those of a workbook, with their formulas: some two seconds."""

FEATURES = ("d_k", "d_v", "d_model", "d_out")
"""What else makes rows wide: of queries, of the context, of what follows it."""

OF_A_ROW, A_STORY = 7, 300
"""What a row takes in each whatever its length, in numbers; what it takes to tell a query in sentences."""

A_PART, PART, GAP = 30, 60, 3
"""What a table takes for each part that it is cut into, in numbers; the signs of a part's row, and between columns."""

MASKED = "masked"
"""The step before which the mask is drawn."""

WORKBOOK = "xlsx"
"""The format that lays out every row, and every head where none is named."""

DATA = ("json", "csv", "npz")
"""Formats that lay nothing out."""


def check_size(scenario: Scenario, options: Options, format: str, rows: int, told: bool, cut: bool = False) -> None:
    """Refuses, without --force, a result with so many rows that takes very long; the message says how to get less.

    `told`: whether each is a story; `cut`: whether tables that are wider than a screen are laid out in parts.
    """
    if options["force"] or format in DATA:
        return
    most = OF_A_WORKBOOK if format == WORKBOOK else LAID_OUT
    count = _laid_out(scenario, options, scenario.grid[2] if format == WORKBOOK else rows, format)
    count += A_STORY * rows if told else 0
    if count > most or (cut and count + A_PART * _parts(scenario, options) > most):
        raise UsageError.of("output-large", scenario.name, count=f"{count:,}", format=format)


def _laid_out(scenario: Scenario, options: Options, rows: int, format: str) -> int:
    """About how many numbers the tables hold, of the given ones, the keys and the rows.

    Without --head those of one head; of a workbook, which has a sheet for each head, those of all.
    """
    queries, keys = scenario.grid[2:]
    shapes = [] if options["step"] else [array.shape[2:] for array in scenario.arrays.values()]
    given = sum(math.prod(shape) for shape in shapes if shape != (queries, keys))
    made = _of_keys(scenario) if not options["step"] and scenario.start in ("x", "ids") else 0
    return int(_sets(scenario, options, format) * (rows * _of_a_row(scenario, options) + made + given))


def _of_keys(scenario: Scenario) -> int:
    """How many numbers the keys and values of a head have."""
    return scenario.grid[3] * sum(scenario.sizes.get(name, 0) for name in ("d_k", "d_v"))


def _of_a_row(scenario: Scenario, options: Options) -> int:
    """About how many numbers a row has in the tables."""
    by_key, others = _kinds_of_tables(scenario, options)
    of_features = sum(scenario.sizes.get(name, 0) for name in FEATURES) if others else 0
    return by_key * scenario.grid[3] + OF_A_ROW * (by_key + others) + of_features


def _parts(scenario: Scenario, options: Options) -> int:
    """How many parts the tables are cut into: as wide as labels and numbers are."""
    number, (by_key, others) = scenario.places + len("-0.e-99"), _kinds_of_tables(scenario, options)
    across = by_key * sum(max(number, len(label)) + GAP for label in scenario.tokens)
    across += 2 * (number + GAP) * sum(scenario.sizes.get(name, 0) for name in FEATURES) if others else 0
    return _sets(scenario, options, "") * (across // PART)


def _kinds_of_tables(scenario: Scenario, options: Options) -> tuple[int, int]:
    """How many tables have a column for each key, and how many others there are."""
    from attncalc.pipelines.standard import stages

    rows = [row for row in stages(scenario) if not options["step"] or row.name in options["step"]]
    by_key = sum("key" in row.axes and "query" in row.axes for row in rows)
    return by_key + any(row.name == MASKED for row in rows), len(rows) - by_key  # the mask is drawn too


def are_large(scenario: Scenario, options: Options, format: str, rows: int) -> bool:
    """Whether so many rows of a long context, told step by step with all their keys and values, take very long."""
    if options["force"] or options["step"] or format in DATA:
        return False
    count = _sets(scenario, options, format) * (_of_keys(scenario) + rows * _of_a_row(scenario, options))
    return count > LAID_OUT


def _sets(scenario: Scenario, options: Options, format: str) -> int:
    """How many batch entries and heads are told; without --head one."""
    every = None if format == WORKBOOK else "all"
    counts = zip(("batch", "head"), scenario.grid, strict=False)
    return math.prod(count if options[axis] in ("all", every) else 1 for axis, count in counts)
