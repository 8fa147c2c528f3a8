"""Arrays in files beside the scenario: `.npy`, `.npz`, `.safetensors`, zarr folders; never pickled data."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError, ScenarioError, by
from attncalc.scenario_files import zarr_arrays
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.number_arrays import KINDS
from attncalc.scenario_files.opened_arrays import array_of, opened
from attncalc.scenario_files.plain_files import NotRead, opened_file

IN_A_SCENARIO = {"file-not-plain": "array-file-not-plain", "file-changed": "array-file-changed"}
"""Sentences about a file that is named, and what is said of one that a scenario refers to."""


def load_array(reference: Mapping[str, Any], folder: Folder, place: str, kept: bool = False) -> Values:
    """The array that a reference names, cut to its part: as float64, where narrower types keep their exact values.

    With `kept` a type of floating point stays as it is.
    """
    kind = next(name for name in KINDS if name in reference)
    values = _whole(str(reference[kind]), kind, str(reference.get("key", "")), folder, place)
    floating = kept and values.dtype.kind == "f"
    return _part(values if floating else np.asarray(values, dtype=np.float64), reference, place)


def _whole(name: str, kind: str, key: str, folder: Folder, place: str) -> Values:
    """The array of a key in a file, or the ScenarioError that says why not."""
    try:
        path = folder.allowed(name, place)
        if kind == "zarr":
            return zarr_arrays.whole(path).values
        with opened_file(path) as file:
            return array_of(opened(kind, file), key).values
    except NotRead as refused:
        raise refusal(refused, place, name, kind) from None
    except FileNotFoundError:
        raise ScenarioError.of("array-file-missing", place, file=name) from None
    except OSError as error:
        raise ScenarioError.of("array-file-unreadable", place, file=name, reason=error.strerror) from None
    except ValueError as error:  # a name that no file can have
        raise ScenarioError.of("array-file-broken", place, file=name, kind=kind, reason=str(error)) from None


def refusal(refused: NotRead, place: str, name: str, kind: str) -> AttncalcError:
    """What is said of a file that a scenario refers to by that name, and that is not read."""
    shown = name if refused.code == "array-file-broken" else Path(name).name
    code = IN_A_SCENARIO.get(refused.code, refused.code)
    return ScenarioError.of(code, place, file=shown, kind=kind, **refused.fields)


def file_of(reference: Mapping[str, Any], folder: Folder) -> Path:
    """The file that a reference names, as it is found from a folder, whether it may be read or not."""
    name = next(reference[kind] for kind in KINDS if kind in reference)
    return Path(os.path.realpath(folder.find(str(name))))


def _part(values: Values, reference: Mapping[str, Any], place: str) -> Values:
    """The positions of `index` on the leading axes, the `columns` of the last."""
    for position in (int(i) for i in reference.get("index", ())):
        if values.ndim == 0 or position >= values.shape[0]:
            raise ScenarioError.of("array-index", place, index=position, shape=by(values.shape))
        values = values[position]
    if "columns" in reference:
        start, stop = (int(i) for i in reference["columns"])
        if values.ndim == 0 or not start < stop <= values.shape[-1]:
            raise ScenarioError.of("array-columns", place, start=start, stop=stop, shape=by(values.shape))
        values = values[..., start:stop]
    return values
