"""How much memory there is, and how a number of bytes is said."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

UNITS = ((10**9, "GB"), (10**6, "MB"), (1, "B"))


def free_memory() -> int | None:
    """The bytes that can be had without swapping and within the limits of the process; None where nobody says."""
    known = [free for free in (_of_the_system(), _of_the_process()) if free is not None]
    return min(known, default=None)


def _of_the_system() -> int | None:
    with suppress(OSError, ValueError, AttributeError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return None


def _of_the_process() -> int | None:
    """What `ulimit -v` leaves."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        most, _ = resource.getrlimit(resource.RLIMIT_AS)
        if most != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
            return max(0, most - pages * resource.getpagesize())
    return None


def in_bytes(count: int) -> str:
    """`1.2 GB`, `90 MB`."""
    size, unit = next((size, unit) for size, unit in UNITS if count >= size or size == 1)
    return f"{count / size:.1f} {unit}" if unit == "GB" else f"{count // size} {unit}"
