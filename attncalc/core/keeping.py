"""Results that are kept for the last few lists of labels, told apart without a look at what they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TypeVar

Result = TypeVar("Result")

KEPT = 8
"""Queries, keys and features of two scenarios, and some more."""


def kept(function: Callable[[Sequence[str]], Result]) -> Callable[[Sequence[str]], Result]:
    """The function, which is not called again for one of the last; to hash a million labels takes too long."""
    last: list[tuple[Sequence[str], Result]] = []

    @wraps(function)
    def known(labels: Sequence[str]) -> Result:
        for given, result in last:
            if given is labels:
                return result
        result = function(labels)
        if not isinstance(labels, list):  # which may change
            last.append((labels, result))
            del last[:-KEPT]
        return result

    return known
