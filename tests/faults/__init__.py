"""Faults injected on purpose: ends at any moment, full disks, closed streams, little memory, odd surroundings.

`python tests/faults` injects all of them, `tests/test_faults.py` a few of each kind.
"""

from __future__ import annotations

from typing import NamedTuple


class Injected(NamedTuple):
    """A fault that was injected, and what it brought about that must not be: nothing, where all is well."""

    kind: str
    what: str
    trouble: str = ""
