"""Files of arrays, opened: `.npy`, `.npz`, `.safetensors`; never pickled data."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO
from zipfile import BadZipFile

from attncalc.errors import some
from attncalc.scenario_files.npy_files import npy, npz
from attncalc.scenario_files.plain_files import NotRead
from attncalc.scenario_files.safetensors_files import safetensors
from attncalc.scenario_files.stored_arrays import Opened, Stored, broken

OPENERS: dict[str, Callable[[BinaryIO], Opened]] = {"npy": npy, "npz": npz, "safetensors": safetensors}


def opened(kind: str, file: BinaryIO) -> Opened:
    """The arrays of an open file of that kind, which stays open while they are read; raises NotRead."""
    with foreign():
        return OPENERS[kind](file)


def array_of(found: Opened, key: str) -> Stored:
    """The array of a key; raises NotRead where there is none or it cannot be read."""
    if key not in found.keys:
        code = "array-no-key" if found.keys else "array-no-arrays"
        raise NotRead(code, key=key, known=some(found.keys))
    with foreign():
        return found.reader(key)


@contextmanager
def foreign() -> Iterator[None]:
    """Makes NotRead of whatever a reader of a foreign format raises first; what the system says stays an OSError."""
    try:
        yield
    except NotRead:
        raise
    except (BadZipFile, zlib.error, EOFError):
        raise broken("array-broken-damaged") from None
    except MemoryError:
        raise broken("array-broken-memory") from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise NotRead("array-file-broken", reason=reason) from None
