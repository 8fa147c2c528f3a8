"""The bound that a program sets to its calculations: what would take too long is refused before it begins."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario

Bound = Callable[["Scenario"], None]
"""Raises a UsageError for a scenario whose calculation would take too long."""

BOUND: ContextVar[Bound | None] = ContextVar("bound", default=None)


@contextmanager
def bounded_by(bound: Bound) -> Iterator[None]:
    """Inside, every calculation is held to the bound; outside there is none."""
    token = BOUND.set(bound)
    try:
        yield
    finally:
        BOUND.reset(token)


def check_effort(scenario: Scenario) -> None:
    """Refuses a calculation beyond the bound, where one is set."""
    bound = BOUND.get()
    if bound is not None:
        bound(scenario)
