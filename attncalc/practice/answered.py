"""Answers to the steps of a scenario: the numbers that somebody got, cell by cell, and how precisely they say them."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import cached_property

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import as_decimal

DIGITS = "digits"
"""The precision of numbers that people write: half a unit of the last digit."""

NOISE = {"float64": 1e-9, "float32": 2e-5, "float16": 2.0**-8, "bfloat16": 2.0**-5}
"""What rounding to a width leaves after a few steps of attention, as a share of the largest number of the step."""

SHORTEST = {"float32": np.float32, "float16": np.float16}
"""The types whose own shortest digits a number is written with; of the others the double's."""

MADE = ("exact", "within", "texts", "unit")
HUNDRED = Decimal(100)


class Answered:
    """The answers to one step.

    `values` has the axes of the step's cells, four (terms: five), with NaN where there is no answer; beside it stand
    the decimals in `exact`, how far the true result may be from each in `within` (of digits only), the unit of its
    last digit in `unit` (None where it is no plain decimal number) and its text in `texts`, all None where there is no
    answer. With the convention "heads-averaged" the head axis has length 1; "columns" and "counted-from-1" are undone
    in the arrays. `precision` is "digits", or the width of the binary numbers that the answers are: then the arrays are
    made when they are first asked for. Where `lost` is true NaN is itself the answer, in the whole row of a query.
    """

    within: Values

    def __init__(
        self, step: str, values: Values, exact: Values | None = None, within: Values | None = None,
        texts: Values | None = None, convention: str = "", precision: str = DIGITS, unit: Values | None = None,
        lost: Values | None = None,
    ) -> None:  # fmt: skip
        self.step, self.values, self.convention, self.precision = step, values, convention, precision
        self.lost = lost
        made = {"exact": exact, "within": within, "texts": texts, "unit": unit}
        self.__dict__.update({name: array for name, array in made.items() if array is not None})

    def __repr__(self) -> str:
        return f"Answered({self.step}, {self.count} of {self.values.size}, {self.precision} {self.convention})"

    @property
    def given(self) -> Values:
        """Where there is an answer, as booleans."""
        return ~np.isnan(self.values) if self.lost is None else ~np.isnan(self.values) | self.lost

    @property
    def count(self) -> int:
        """How many answers there are."""
        return int(self.given.sum())

    @cached_property
    def exact(self) -> Values:
        """The answers as decimals."""
        return self._made(as_decimal, self.values)

    @cached_property
    def unit(self) -> Values:
        """The unit of each answer's last digit; a binary number has none."""
        return np.full(self.values.shape, None, dtype=object)

    @cached_property
    def texts(self) -> Values:
        """The answers as they are written; a binary number with the shortest digits that give it back."""
        return self._made(self._shortest, self.values)

    def number(self, place: tuple[int, ...]) -> Decimal:
        """One answer as a decimal."""
        made: Decimal = self.exact[place] if "exact" in self.__dict__ else as_decimal(self.values[place])
        return made

    def text(self, place: tuple[int, ...]) -> str:
        """One answer as it is written."""
        return str(self.texts[place]) if "texts" in self.__dict__ else self._shortest(self.values[place])

    def rearranged(self, convention: str, change: Callable[[Values], Values]) -> Answered:
        """The same answers in other places; the convention says which."""
        lost = None if self.lost is None else change(self.lost)
        made = {} if self.precision != DIGITS else {name: change(getattr(self, name)) for name in MADE}
        return Answered(
            self.step, change(self.values), convention=convention, precision=self.precision, lost=lost, **made
        )  # fmt: skip

    def hundredth(self, convention: str) -> Answered:
        """A hundredth of each number, the texts as they are: of answers in percent."""
        divided = np.frompyfunc(lambda number: None if number is None else number / HUNDRED, 1, 1)
        made = {}
        if self.precision == DIGITS:
            made = {name: np.asarray(divided(getattr(self, name)), dtype=object) for name in MADE if name != "texts"}
            made |= {"texts": self.texts}
        return Answered(
            self.step, self.values / 100, convention=convention, precision=self.precision, lost=self.lost, **made
        )  # fmt: skip

    def narrowed(self, precision: str) -> Answered:
        """The same numbers, taken for those of a narrower type."""
        return Answered(self.step, self.values, convention=self.convention, precision=precision, lost=self.lost)

    def _shortest(self, number: float) -> str:
        return str(SHORTEST.get(self.precision, np.float64)(number))

    def _made(self, function: object, values: Values) -> Values:
        """An object array from those of the numbers that are answers."""
        cells = np.full(self.values.shape, None, dtype=object)
        cells[self.given] = np.frompyfunc(function, 1, 1)(values[self.given])  # type: ignore[call-overload]
        return cells
