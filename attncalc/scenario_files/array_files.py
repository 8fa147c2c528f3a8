"""Arrays in files beside the scenario: `.npy`, `.npz`, `.safetensors`, zarr folders; never pickled data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import ScenarioError, by
from attncalc.scenario_files import builtin, zarr_arrays
from attncalc.scenario_files.number_arrays import KINDS
from attncalc.scenario_files.opened_arrays import NUMERIC, NotRead, opened


def load_array(reference: Mapping[str, Any], folder: Path, place: str, kept: bool = False) -> Values:
    """The array that a reference names, cut to its part: as float64, where narrower types keep their exact values.

    With `kept` a type of floating point stays as it is.
    """
    kind = next(name for name in KINDS if name in reference)
    values = _whole(str(reference[kind]), kind, str(reference.get("key", "")), folder, place)
    if values.dtype.kind not in NUMERIC:
        raise ScenarioError.of("array-not-numbers", place, file=reference[kind], dtype=str(values.dtype))
    floating = kept and values.dtype.kind == "f"
    return _part(values if floating else np.asarray(values, dtype=np.float64), reference, place)


def _whole(name: str, kind: str, key: str, folder: Path, place: str) -> Values:
    """The array of a key in a file, or the ScenarioError that says why not."""
    try:
        if kind == "zarr":
            return zarr_arrays.whole(_beside(name, folder, place)).values
        with _beside(name, folder, place).open("rb") as file:
            return opened(kind, file).read(key).values
    except NotRead as refused:
        shown = name if refused.code == "array-file-broken" else Path(name).name
        raise ScenarioError.of(refused.code, place, file=shown, kind=kind, **refused.fields) from None
    except FileNotFoundError:
        raise ScenarioError.of("array-file-missing", place, file=name) from None
    except OSError as error:
        raise ScenarioError.of("array-file-unreadable", place, file=name, reason=error.strerror) from None
    except ValueError as error:  # a name that no file can have
        raise ScenarioError.of("array-file-broken", place, file=name, kind=kind, reason=str(error)) from None


def file_of(reference: Mapping[str, Any], folder: Path) -> Path:
    """The file that a reference names, as it is found from a folder."""
    return _beside(str(next(reference[kind] for kind in KINDS if kind in reference)), folder, "").resolve()


def _beside(name: str, folder: Path, place: str) -> Path:
    """The path of a file beside the scenario or below it; anything else is refused."""
    outside = PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute() or PureWindowsPath(name).drive
    if outside or ".." in PureWindowsPath(name).parts:
        raise ScenarioError.of("array-file-outside", place, file=name)
    beside = folder / name
    built_in = builtin.folder() / name
    # The arrays of a built-in scenario are found from anywhere, so that what `show` prints can be run.
    return built_in if not beside.exists() and built_in.is_file() else beside


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
