"""The files that a call reads, none of which its result may overwrite."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from attncalc.cli import output
from attncalc.errors import AttncalcError, OutputError
from attncalc.scenario_files import builtin

SCENARIOS = ("scenario", "scenarios", "source", "name")
READ = (*SCENARIOS, "answers", "source_file")
"""The arguments and options that name what is read."""

ARRAYS = (".npy", ".npz", ".safetensors")


def keep_inputs(options: Mapping[str, Any]) -> None:
    """Refuses a result that would be written over what it is made from, `--force` or not."""
    target = options["output"]
    if not output.is_file(target) or not os.path.exists(target):
        return
    if any(_is_same(file, target) for file in _files(options, target)):
        raise OutputError.of("target-is-input", target)


def _files(options: Mapping[str, Any], target: str) -> Iterator[str | Path]:
    """What a call names, and the arrays in files that its scenarios refer to where the target may be one."""
    for name in READ:
        named = options[name] or []
        for source in [named] if isinstance(named, str) else named:
            if builtin.is_name(source) and source in builtin.names():
                continue
            yield source
            if name in SCENARIOS and target.lower().endswith(ARRAYS):
                yield from _arrays(source)


def _is_same(file: str | Path, target: str) -> bool:
    with contextlib.suppress(*output.UNREACHABLE):
        return os.path.samefile(file, target)
    return False


def _arrays(source: str) -> Iterator[Path]:
    """The files that a scenario refers to; what is wrong with it is said by the reading."""
    from attncalc.scenario_files.array_files import file_of
    from attncalc.scenario_files.inlining import references  # needs NumPy
    from attncalc.scenario_files.sources import source_at

    if source == "-":  # can be read once only
        return
    with contextlib.suppress(AttncalcError):
        found = source_at(source)
        for reference in references(found.document):
            yield file_of(reference, found.folder)
