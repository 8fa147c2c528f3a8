"""How many threads the products of matrices take: it is decided before NumPy is loaded."""

from __future__ import annotations

import os


def with_one_thread() -> None:
    """One: for many small products threads only wait for each other, and long contexts have threads of their own.

    Each would also reserve some 40 MB, which a machine with many cores may not be allowed.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
