"""An array as a file holds it: what it says of itself is checked before memory is taken for its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import IO, Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.memory import free_memory
from attncalc.errors import shortened
from attncalc.messages import Word
from attncalc.scenario_files.plain_files import NotRead

NUMERIC = "biuf"
"""The kinds of NumPy's types that are numbers here."""

AT_ONCE = 1024**2
"""The bytes that are read at a time."""

MOST_AXES, MOST_NUMBERS = 16, 2**58
"""Beyond these NumPy has no arrays, not even empty ones."""

SINGLE = ("",)
"""The keys of a file that holds one array, without a name."""


class Stored(NamedTuple):
    """An array as a file holds it: its numbers, and the type that they were kept in."""

    values: Values
    type: str


class Opened(NamedTuple):
    """A file of arrays: their keys in its order, and what reads one of them."""

    keys: tuple[str, ...]
    reader: Callable[[str], Stored]


def broken(reason: str) -> NotRead:
    """What is wrong with a file, by the message code of the reason."""
    return NotRead("array-file-broken", reason=Word(reason))


def check_type(dtype: np.dtype[Any]) -> None:
    """Refuses what is no number."""
    if dtype.hasobject:
        raise broken("array-broken-objects")
    if dtype.kind not in NUMERIC:
        raise NotRead("array-not-numbers", dtype=shortened(str(dtype)))


def check_shape(shape: tuple[int, ...], dtype: np.dtype[Any], there: int) -> None:
    """Refuses a shape that no array has, or that wants more bytes than are there."""
    if len(shape) > MOST_AXES or not all(type(length) is int and 0 <= length < MOST_NUMBERS for length in shape):
        raise broken("array-broken-header")
    if math.prod(shape) * dtype.itemsize > there:
        raise broken("array-broken-cut")
    if math.prod(max(1, length) for length in shape) >= MOST_NUMBERS:
        raise broken("array-broken-memory")


def numbers_from(file: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any], by_columns: bool = False) -> Values:
    """The numbers of a checked shape, read into place; refused where memory has no room for them."""
    size, free = math.prod(shape) * dtype.itemsize, free_memory()
    if free is not None and size > free:
        raise broken("array-broken-memory")
    data = np.empty(size, np.uint8)
    room = data.data
    for at in range(0, size, AT_ONCE):
        part = file.read(min(AT_ONCE, size - at))
        if len(part) < min(AT_ONCE, size - at):
            raise broken("array-broken-cut")
        room[at : at + len(part)] = part
    return data.view(dtype).reshape(shape, order="F" if by_columns else "C")
