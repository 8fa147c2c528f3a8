"""How many threads the products of matrices take: it is decided before NumPy is loaded."""

from __future__ import annotations

import contextlib
import os

LEAST = 160 * 2**20
"""Bytes of address space without which the library of those products ends the program, with a word of its own."""


def with_one_thread() -> None:
    """One: for many small products threads only wait for each other, and long contexts have threads of their own.

    Each would also reserve some 40 MB, which a machine with many cores may not be allowed.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def within_limits() -> None:
    """A MemoryError where the system limits the memory (`ulimit -v`) so much that NumPy cannot be loaded."""
    with contextlib.suppress(ImportError):  # a system that has no such limits
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY and limit < LEAST:
            raise MemoryError
