"""Typed expressions such as `e^1.8` worked out: each once, and of one file no more than takes a second or two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache

from attncalc.errors import UsageError, shortened
from attncalc.practice.arithmetic_typed import Interval, evaluated

ALLOWED = 1_200_000.0
"""Microseconds that the expressions of one file may take, estimated from their signs."""

AN_EXPRESSION, A_SIGN = 20.0, 3.0
POWERS = {"^": 400.0, "e": 80.0}
"""Microseconds of each such sign more."""

KEPT = 4096

LEFT: ContextVar[list[float] | None] = ContextVar("left", default=None)


@contextmanager
def within_reason() -> Iterator[None]:
    """Inside, an expression beyond what may be worked out is a UsageError; inside another one, that bound holds."""
    if LEFT.get() is not None:
        yield
        return
    token = LEFT.set([ALLOWED])
    try:
        yield
    finally:
        LEFT.reset(token)


@lru_cache(KEPT)
def worked_out(text: str) -> Interval:
    """The value of an expression in lower case; NoNumber where it has none."""
    left = LEFT.get()
    if left is not None:
        left[0] -= AN_EXPRESSION + A_SIGN * len(text) + sum(each * text.count(sign) for sign, each in POWERS.items())
        if left[0] < 0:
            raise UsageError.of("typed-many", found=shortened(text))
    return evaluated(text)
