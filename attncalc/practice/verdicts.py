"""What a diagnosis finds, as data: a verdict for each step, and what explains the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from attncalc.core.expression import Cell
from attncalc.core.stage import Trace
from attncalc.practice.agreement import Sheet

RIGHT, ROUNDING, ROUNDED_INPUTS, FOLLOW_THROUGH, MISTAKE, SLIP, UNKNOWN = (
    "right", "rounding", "rounded-inputs", "follow-through", "mistake", "slip", "unknown",
)  # fmt: skip
VERDICTS = (RIGHT, ROUNDING, ROUNDED_INPUTS, FOLLOW_THROUGH, MISTAKE, SLIP, UNKNOWN)
ACCEPTED = (RIGHT, ROUNDING, ROUNDED_INPUTS)
"""Verdicts on answers whose method is right."""


class Finding(NamedTuple):
    """What explains numbers that are not the right ones.

    `kind` is mistake, slip, slip-inside, rounded or convention: the message of `kind.name` says it, filled with the
    fields, of which a `Cell` is one of the calculation. With `places` each step was rounded to these besides.
    """

    kind: str
    name: str
    step: str
    fields: Mapping[str, Any] = {}
    places: int | None = None


class StepVerdict(NamedTuple):
    """The verdict on the answers to one step. `alone`: they are a single number, with which much is consistent."""

    sheet: Sheet
    verdict: str
    findings: tuple[Finding, ...] = ()
    alone: bool = False

    @property
    def name(self) -> str:
        """The step's name."""
        return self.sheet.name


class WrongCell(NamedTuple):
    """An answer and the right number beside it."""

    cell: Cell
    given: str
    right: Any
    difference: float
    relative: float | None  # to the right number; None where that is 0


class Diagnosis(NamedTuple):
    """The verdict on all answers, step by step, judged against the trace."""

    trace: Trace
    verdict: str
    steps: tuple[StepVerdict, ...]
    first_wrong: WrongCell | None = None
    largest: WrongCell | None = None
    largest_relative: WrongCell | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, each once, in the order of the steps."""
        every = [finding for step in self.steps for finding in step.findings]
        return tuple(f for place, f in enumerate(every) if f not in every[:place])

    @property
    def mistakes(self) -> tuple[Finding, ...]:
        """What makes answers wrong: mistakes and slips."""
        return tuple(f for f in self.findings if f.kind in ("mistake", "slip", "slip-inside"))

    @property
    def accepted(self) -> bool:
        """Whether the method is right."""
        return self.verdict in ACCEPTED
