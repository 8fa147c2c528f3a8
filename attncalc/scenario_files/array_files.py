"""Arrays in files beside the scenario: `.npy`, `.npz`, `.safetensors`; never pickled data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError, ScenarioError, by
from attncalc.scenario_files import builtin
from attncalc.scenario_files.number_arrays import FILES

NUMERIC = "biuf"


def load_array(reference: Mapping[str, Any], folder: Path, place: str) -> Values:
    """The array that a reference names, as float64 (narrower types keep their exact values), cut to its part."""
    kind = next(name for name in FILES if name in reference)
    key = str(reference.get("key", ""))
    try:
        path = _beside(str(reference[kind]), folder, place)
        values = _READERS[kind](path, key, place)
    except AttncalcError:
        raise
    except FileNotFoundError:
        raise ScenarioError.of("array-file-missing", place, file=reference[kind]) from None
    except OSError as error:
        raise ScenarioError.of("array-file-unreadable", place, file=reference[kind], reason=error.strerror) from None
    except Exception as error:
        # Readers of foreign formats raise whatever their parser meets first; the reason is worth showing.
        raise ScenarioError.of("array-file-broken", place, file=reference[kind], kind=kind, reason=error) from None
    if values.dtype.kind not in NUMERIC:
        raise ScenarioError.of("array-not-numbers", place, file=reference[kind], dtype=str(values.dtype))
    return _part(np.asarray(values, dtype=np.float64), reference, place)


def file_of(reference: Mapping[str, Any], folder: Path) -> Path:
    """The file that a reference names, as it is found from a folder."""
    return _beside(str(next(reference[kind] for kind in FILES if kind in reference)), folder, "").resolve()


def _beside(name: str, folder: Path, place: str) -> Path:
    """The path of a file beside the scenario or below it; anything else is refused."""
    outside = PurePosixPath(name).is_absolute() or PureWindowsPath(name).is_absolute() or PureWindowsPath(name).drive
    if outside or ".." in PureWindowsPath(name).parts:
        raise ScenarioError.of("array-file-outside", place, file=name)
    beside = folder / name
    built_in = builtin.folder() / name
    # The arrays of a built-in scenario are found from anywhere, so that what `show` prints can be run.
    return built_in if not beside.exists() and built_in.is_file() else beside


def _npy(path: Path, key: str, place: str) -> Values:
    with path.open("rb") as file:
        return np.asarray(np.lib.format.read_array(file, allow_pickle=False))


def _npz(path: Path, key: str, place: str) -> Values:
    with np.load(path, allow_pickle=False) as archive:
        if key not in archive.files:
            raise ScenarioError.of("array-no-key", place, file=path.name, key=key, known=", ".join(archive.files))
        return np.asarray(archive[key])


def _safetensors(path: Path, key: str, place: str) -> Values:
    try:
        from safetensors import deserialize
    except ImportError:
        raise ScenarioError.of("needs-extra", place, extra="tensors", package="safetensors") from None
    tensors = dict(deserialize(path.read_bytes()))  # type: ignore[no-untyped-call]
    if key not in tensors:
        raise ScenarioError.of("array-no-key", place, file=path.name, key=key, known=", ".join(tensors))
    tensor = tensors[key]
    if tensor["dtype"] not in _DTYPES:
        raise ScenarioError.of("array-not-numbers", place, file=path.name, dtype=tensor["dtype"])
    values = np.frombuffer(tensor["data"], dtype=_DTYPES[tensor["dtype"]])
    if tensor["dtype"] == "BF16":  # the upper half of a float32
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.reshape(tensor["shape"])


_DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}  # fmt: skip
_READERS = {"npy": _npy, "npz": _npz, "safetensors": _safetensors}


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
