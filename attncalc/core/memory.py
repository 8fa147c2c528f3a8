"""The memory that is free, and what a whole calculation takes of it."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from attncalc.core.names import DECIMAL_KINDS
from attncalc.errors import UsageError

EAGER = 2_000_000
"""Scores that are calculated whole without a second thought."""

BYTES_OF_STEPS, BYTES_OF_DECIMALS = 80, 2000
"""What the steps of a whole calculation keep for each score: in floating point, and in decimals."""


def check_fits(name: str, grid: Sequence[int], settings: Mapping[str, Any] | None = None) -> None:
    """Refuses a calculation whose scores do not fit into the memory that is free; it says what to do instead.

    It is one in floating point unless the settings ask for another arithmetic.
    """
    cells = math.prod(grid)
    if cells <= EAGER:
        return
    queries, keys = grid[2:]
    settings = settings or {}
    asked = settings.get("arithmetic", None if settings.get("by_hand") is None else "by-hand")
    needed = cells * (BYTES_OF_DECIMALS if asked in DECIMAL_KINDS else BYTES_OF_STEPS)
    check_free(name, needed, "long-too-large", queries=queries, keys=keys)


def check_free(name: str, needed: int, code: str, **fields: int) -> None:
    """Refuses what needs more bytes than are free; the message of the code says what to do instead."""
    free = free_memory()
    if free is not None and needed > free:
        raise UsageError.of(code, name, needed=in_bytes(needed), free=in_bytes(free), **fields)


def free_memory() -> int | None:
    """The bytes that can be had without swapping, within the limit of the process; None where nothing says."""
    found = [free for free in (_unused(), _allowed()) if free is not None]
    return min(found) if found else None


def _unused() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        said = {name: amount for name, _, amount in (line.partition(":") for line in lines)}
        return int(said["MemAvailable"].removesuffix("kB")) * 1024
    except (OSError, ValueError, LookupError):
        return None


def _allowed() -> int | None:
    """What the limit on the address space (`ulimit -v`) leaves."""
    try:
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except (ImportError, OSError, ValueError, AttributeError):
        return None
    return None if most == resource.RLIM_INFINITY else max(0, most - used)


UNITS = ((10**9, "GB"), (10**6, "MB"), (1, "B"))


def in_bytes(count: int) -> str:
    """`1.2 GB`, `90 MB`."""
    size, unit = next((size, unit) for size, unit in UNITS if count >= size or size == 1)
    return f"{count / size:.1f} {unit}" if unit == "GB" else f"{count // size} {unit}"
