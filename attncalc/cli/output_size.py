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

A_PART, PART, GAP = 12, 60, 3
"""What a table takes for each part that it is laid out in, in numbers; the signs of a part, and between columns."""

SCREEN = "table"
"""The format whose tables are laid out in parts where they are wider than a screen."""

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


def check_size(scenario: Scenario, options: Options, format: str, rows: int, told: bool) -> None:
    """Refuses, without --force, a result with so many rows that takes very long; the message says how to get less.

    `told`: whether each is a story.
    """
    if options["force"] or format in DATA:
        return
    tables = _Tables(scenario, options, format, told)
    count, most = tables.laid_out(rows), OF_A_WORKBOOK if format == WORKBOOK else LAID_OUT
    if count > most or count + A_PART * tables.parts() > most:
        raise UsageError.of("output-large", scenario.name, count=f"{count:,}", format=format)


def are_large(scenario: Scenario, options: Options, format: str, rows: int) -> bool:
    """Whether so many rows of a long context, told step by step with all their keys and values, take very long."""
    if options["force"] or options["step"] or format in DATA:
        return False
    return _Tables(scenario, options, format, told=True).of_long(rows) > LAID_OUT


class _Tables:
    """The tables of a scenario in a format, to be counted in numbers that are laid out.

    Without --head those of one head; of a workbook, which has a sheet for each head, those of all.
    """

    def __init__(self, scenario: Scenario, options: Options, format: str, told: bool) -> None:
        from attncalc.document.view import MOST_SIDE
        from attncalc.long.stages import of_cells, steps

        self.scenario, self.format, self.told = scenario, format, told
        self.whole = not options["step"]
        shown = [row for row in steps(scenario) if self.whole or row.name in options["step"]]
        by_key = sum(map(of_cells, shown))
        self.others = len(shown) - by_key
        self.by_key = by_key + any(row.name == MASKED for row in shown)  # the mask is drawn too
        self.cut = format in CUT and not (told or options["all"])
        self.of_a_page, self.most_side = MOST_SIDE, MOST_SIDE if self.cut else math.inf
        every = None if format == WORKBOOK else "all"
        counts = zip(("batch", "head"), scenario.grid, strict=False)
        self.sets = math.prod(count if options[axis] in ("all", every) else 1 for axis, count in counts)
        self.times = 2 if told and format == PAGE else 1

    def laid_out(self, rows: int) -> int:
        """About how many numbers there are where so many rows are asked for: in tables, and in stories."""
        shown = self._side(self.scenario.grid[2] if self.format == WORKBOOK else rows)
        in_tables = self.sets * (shown * self._of_a_row() + self._made() + self._given())
        in_tables += self._of_sums() if self.format == PAGE else 0
        of_a_story = A_STORY + self.scenario.grid[3] * self._features("d_k")  # a score is a product for each feature
        return self.times * (in_tables + (of_a_story * rows if self.told else 0))

    def of_long(self, rows: int) -> int:
        """The same for some rows of a long context, which is told with all its keys and values."""
        return self.times * self.sets * (self._of_keys() + rows * self._of_a_row())

    def parts(self) -> int:
        """How many parts they are laid out in: as wide as labels and numbers are, two tables for each width."""
        from attncalc.core.tokens import LONGEST, labels

        if self.told or self.format != SCREEN:
            return 0
        number = self.scenario.places + len("-0.")
        across = self.by_key * sum(
            max(number, min(len(label), LONGEST)) + GAP for label in labels(self.scenario.tokens)
        )
        across += 2 * (number + GAP) * self._features(*FEATURES) if self.others else 0
        return self.sets * (across // PART)

    def _of_a_row(self) -> int:
        of_features = self._features(*FEATURES) if self.others else 0
        return self.by_key * self._side(self.scenario.grid[3]) + OF_A_ROW * (self.by_key + self.others) + of_features

    def _of_keys(self) -> int:
        """The keys and values of a head, a row for each token."""
        of_a_token = sum(OF_A_ROW + size for name in ("d_k", "d_v") if (size := self.scenario.sizes.get(name, 0)))
        return self._side(self.scenario.grid[3]) * of_a_token

    def _of_sums(self) -> int:
        """What the sums of one row are made from, which a page always says: its total and its context."""
        return self.scenario.grid[3] * (2 + 2 * min(self._features("d_v"), self.of_a_page))

    def _made(self) -> int:
        """The keys and values that are no given numbers."""
        return self._of_keys() if self.whole and self.scenario.start in ("x", "ids") else 0

    def _given(self) -> int:
        """The given numbers; scores or weights are the rows themselves, but where their table is cut all are read."""
        shapes = [array.shape[2:] for array in self.scenario.arrays.values()] if self.whole else []
        return sum(math.prod(shape) for shape in shapes if self.cut or shape != self.scenario.grid[2:])

    def _features(self, *names: str) -> int:
        return sum(self.scenario.sizes.get(name, 0) for name in names)  # sums over all of them are told

    def _side(self, length: int) -> int:
        """How much of a side is laid out."""
        return int(min(length, self.most_side))
