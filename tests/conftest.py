"""What all tests share: property tests that try the same examples on every run."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("attncalc", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("attncalc")
