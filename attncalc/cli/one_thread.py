"""How many threads the products of matrices take: it is decided before NumPy is loaded."""

from __future__ import annotations

import os


def with_one_thread() -> None:
    """One: for many small products threads only wait for each other, and long contexts have threads of their own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
