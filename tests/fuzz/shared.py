"""What inputs are put to: scenarios over all the options, calculations, a folder; and how a refusal is looked at."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from zlib import crc32

from hostile import keys_document, queries_document
from rivals.random_options import documents
from rivals.random_scenarios import as_json

from attncalc import load, run
from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

from .judging import check_refusal

NAME = "scenario.json"
Chosen = TypeVar("Chosen")


@cache
def small_scenarios() -> tuple[bytes, ...]:
    """Scenarios over all the options: built-in ones and random ones."""
    texts = [path.read_bytes() for path in sorted(builtin.folder().glob("*.json")) if path.stat().st_size < 2600]
    return (*texts, *(as_json(document).encode() for document in documents(5, 120)))


@cache
def traces() -> tuple[Trace, ...]:
    """One with words, one with heads and repeated labels, two with labels that a terminal would obey."""
    hostile = [parse(make(), NAME) for make in (keys_document, queries_document)]
    plain = [run(load(name)) for name in ("draw", "grouped", "gpt2-block")]
    return (*plain, *(run(scenario_of(document, NAME)) for document in hostile))


def lot(choices: Sequence[Chosen], data: bytes) -> Chosen:
    """One of several things that an input may be put to, the same for the same input."""
    return choices[crc32(data) % len(choices)]


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """The result, or None after a refusal that is as it should be."""
    try:
        return function(*args)
    except AttncalcError as error:
        check_refusal(error)
        return None


@cache
def scratch() -> Path:
    """A folder that goes with the process."""
    folder = tempfile.TemporaryDirectory(prefix="attncalc-fuzz-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[Any] = []
