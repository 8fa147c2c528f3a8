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

A_PART, PART, GAP = 10, 60, 3
"""What a table takes for each part that it is cut into, in numbers; the signs of a part's row, and between columns."""

PAGE = "html"
"""The format in which a story has with each number what it is made from."""

MASKED = "masked"
"""The step before which the mask is drawn."""

WORKBOOK = "xlsx"
"""The format that lays out every row, and every head where none is named."""

CUT = ("markdown", "latex", "html")
"""Formats whose tables are cut to 64 rows and columns without --all."""

DATA = ("json", "csv", "npz")
"""Formats that lay nothing out."""


def check_size(scenario: Scenario, options: Options, format: str, rows: int, told: bool, cut: bool = False) -> None:
    """Refuses, without --force, a result with so many rows that takes very long; the message says how to get less.

    `told`: whether each is a story; `cut`: whether tables that are wider than a screen are laid out in parts.
    """
    if options["force"] or format in DATA:
        return
    tables = _Tables(scenario, options, format, told)
    most = OF_A_WORKBOOK if format == WORKBOOK else LAID_OUT
    laid_out = tables.laid_out(scenario.grid[2] if format == WORKBOOK else rows)
    count = tables.times * (laid_out + (A_STORY * rows if told else 0))
    if count > most or (cut and count + A_PART * tables.parts() > most):
        raise UsageError.of("output-large", scenario.name, count=f"{count:,}", format=format)


def are_large(scenario: Scenario, options: Options, format: str, rows: int) -> bool:
    """Whether so many rows of a long context, told step by step with all their keys and values, take very long."""
    if options["force"] or options["step"] or format in DATA:
        return False
    tables = _Tables(scenario, options, format, told=True)
    return tables.times * tables.sets * (tables.of_keys() + rows * tables.of_a_row()) > LAID_OUT


class _Tables:
    """The tables of a scenario in a format, to be counted."""

    def __init__(self, scenario: Scenario, options: Options, format: str, told: bool) -> None:
        from attncalc.document.view import MOST_SIDE
        from attncalc.long.loading import steps

        self.scenario, self.options = scenario, options
        self.whole = not options["step"]
        self.times = 2 if told and format == PAGE else 1
        rows = [row for row in steps(scenario) if self.whole or row.name in options["step"]]
        by_key = sum("key" in row.axes and "query" in row.axes for row in rows)
        self.others = len(rows) - by_key
        self.by_key = by_key + any(row.name == MASKED for row in rows)  # the mask is drawn too
        self.most_side = MOST_SIDE if format in CUT and not (told or options["all"]) else math.inf
        every = None if format == WORKBOOK else "all"
        counts = zip(("batch", "head"), scenario.grid, strict=False)
        self.sets = math.prod(count if options[axis] in ("all", every) else 1 for axis, count in counts)

    def laid_out(self, rows: int) -> int:
        """About how many numbers they hold, of the given ones, the keys and so many rows.

        Without --head those of one head; of a workbook, which has a sheet for each head, those of all.
        """
        shapes = [array.shape[2:] for array in self.scenario.arrays.values()] if self.whole else []
        cut = self.most_side < math.inf  # what is cut is calculated all the same
        given = sum(int(math.prod(shape)) for shape in shapes if cut or shape != self.scenario.grid[2:])
        made = self.of_keys() if self.whole and self.scenario.start in ("x", "ids") else 0
        return self.sets * (self._side(rows) * self.of_a_row() + made + given)

    def of_keys(self) -> int:
        """How many numbers the keys and values of a head have."""
        return self._side(self.scenario.grid[3]) * self._features("d_k", "d_v")

    def of_a_row(self) -> int:
        """About how many numbers a row has."""
        of_features = self._features(*FEATURES) if self.others else 0
        return self.by_key * self._side(self.scenario.grid[3]) + OF_A_ROW * (self.by_key + self.others) + of_features

    def parts(self) -> int:
        """How many parts they are cut into: as wide as labels and numbers are."""
        from attncalc.core.tokens import LONGEST

        number = self.scenario.places + len("-0.")
        across = self.by_key * sum(max(number, min(len(label), LONGEST)) + GAP for label in self.scenario.tokens)
        across += 2 * (number + GAP) * self._features(*FEATURES) if self.others else 0
        return self.sets * (across // PART)

    def _features(self, *names: str) -> int:
        return sum(self.scenario.sizes.get(name, 0) for name in names)  # sums over all of them are told

    def _side(self, length: int) -> int:
        """How much of a side is laid out."""
        return int(min(length, self.most_side))
