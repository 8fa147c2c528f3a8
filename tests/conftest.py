"""What all tests share: property tests that try the same examples on every run, and how the files are dealt out."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("attncalc", deadline=None, derandomize=True, print_blob=False)
settings.load_profile("attncalc")

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for what it starts in the background


@pytest.hookimpl(optionalhook=True)  # with -p no:xdist nobody asks
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """A single file needs no second process, and starts sooner without one."""
    files = {Path(argument.partition("::")[0]) for argument in config.args}
    one = len(files) == 1 and next(iter(files)).suffix == ".py"
    return 0 if one and "PYTEST_XDIST_AUTO_NUM_WORKERS" not in os.environ else None


def pytest_collection_finish() -> None:
    """What was collected lives to the end: the search for garbage need not walk through it again and again."""
    gc.collect()
    gc.freeze()
