"""A row of the catalogue of mistakes."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from attncalc.practice.plan import Plan

Change = Callable[[Plan], Plan | None]
"""What the mistake makes of the right plan; None where it cannot be made there."""

COMMON, USUAL, RARE = 1, 2, 3


class Mistake(NamedTuple):
    """One mistake: its short name, the step in which it is made, what it changes, how often it is met.

    Its texts are in the catalogue of messages: `mistake.NAME`, `mistake-why.NAME`, `mistake-how.NAME`.
    """

    name: str
    step: str
    change: Change
    rank: int = USUAL
