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

MOST_AXES, MOST_NUMBERS = 64, 2**58
"""Beyond these NumPy has no arrays, not even empty ones."""

SINGLE = ("",)
"""The keys of a file that holds one array, without a name."""


class Stored(NamedTuple):
    """An array as a file holds it: its numbers, and the type that they were kept in."""

    values: Values
    type: str


class Outline(NamedTuple):
    """What a file says of an array, checked against the bytes that are there, and where its numbers begin."""

    offset: int
    stored: np.dtype[Any]
    shape: tuple[int, ...]
    by_columns: bool = False  # the first axis moves fastest
    brain: bool = False  # bfloat16, of which NumPy knows only the bits

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers as they are read."""
        return np.dtype(np.float32) if self.brain else self.stored.newbyteorder("=")

    @property
    def size(self) -> int:
        """The bytes of the whole array."""
        return math.prod(self.shape) * self.stored.itemsize

    def numbers(self, stored: Values) -> Values:
        """Numbers as they are stored, in the machine's order of bytes; bfloat16, the upper half of float32, as that."""
        if self.brain:
            return (stored.astype(np.uint32) << 16).view(np.float32)
        return stored.astype(self.dtype, copy=False)


class Opened(NamedTuple):
    """A file of arrays: their keys in its order, and what reads one of them; NotRead where it cannot be."""

    keys: tuple[str, ...]
    reader: Callable[[str], Stored]
    text: Callable[[str], str] | None = None  # where it may hold texts too: reads one that stands alone


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


def numbers_from(file: IO[bytes], outline: Outline) -> Values:
    """All numbers of an array at which the file stands; refused where memory has no room for them."""
    free = free_memory()
    if free is not None and outline.size > free:
        raise broken("array-broken-memory")
    values = np.empty(math.prod(outline.shape), outline.stored)
    fill(file, values)
    return outline.numbers(values).reshape(outline.shape, order="F" if outline.by_columns else "C")


def fill(file: IO[bytes], values: Values) -> None:
    """Reads stored numbers into their place, a megabyte at a time; refused where the file ends before them."""
    room = memoryview(values.view(np.uint8))  # type: ignore[arg-type]
    for at in range(0, len(room), AT_ONCE):
        part = file.read(min(AT_ONCE, len(room) - at))
        if len(part) < min(AT_ONCE, len(room) - at):
            raise broken("array-broken-cut")
        room[at : at + len(part)] = part
