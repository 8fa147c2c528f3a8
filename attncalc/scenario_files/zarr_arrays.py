"""Arrays in zarr folders, formats 2 and 3, read chunk by chunk with the zarr library.

What the metadata may name is a list of its own: among the codecs that the library knows are pickled objects.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import ScenarioError
from attncalc.messages import Word
from attncalc.scenario_files.array_parts import Part, all_rows, part_of
from attncalc.scenario_files.opened_arrays import foreign
from attncalc.scenario_files.plain_files import NotRead
from attncalc.scenario_files.stored_arrays import NUMERIC, Stored

MOST_CHUNK = 128 * 1024**2
"""The largest chunk, in bytes: one is always unpacked whole."""

MOST_UNPACKED = 1024**3
"""The largest array, in bytes, that is unpacked whole."""

MOST_METADATA = 1_000_000

CODECS = ("bytes", "transpose", "gzip", "zstd", "blosc", "crc32c", "sharding_indexed")
"""The codecs of format 3 that are read: those of its specification."""

COMPRESSORS = ("zlib", "gzip", "bz2", "lzma", "lz4", "zstd", "blosc", "shuffle", "delta", "crc32")
"""The compressors and filters of format 2 that are read."""

TYPES = ("bool", *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)), "float16", "float32",
         "float64")  # fmt: skip
"""The types of format 3 that are numbers here."""


class Described(NamedTuple):
    """What the metadata says of an array."""

    format: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    chunk: tuple[int, ...]


def described(folder: Path) -> Described:
    """The outline of the array in a folder; raises NotRead where it cannot or must not be read."""
    with foreign():
        for name, reader in (("zarr.json", _third), (".zarray", _second)):
            if (folder / name).is_file():
                with (folder / name).open("rb") as file:
                    found = reader(json.loads(file.read(MOST_METADATA)))
                return _checked(found)
        if not folder.exists():
            raise FileNotFoundError(2, "")
        raise NotRead("array-file-broken", reason=Word("zarr-no-array"))


def opened(folder: Path, found: Described) -> Any:
    """The array of a folder whose metadata were checked, as the library reads it: parts of it come as arrays."""
    try:
        import zarr
    except ImportError:
        raise NotRead("needs-extra", extra="dask", package="zarr") from None
    zarr.config.set({"async.concurrency": 1})  # so many chunks are unpacked at a time
    folder.stat()  # of one that is gone the library speaks as of a damaged one
    with foreign():
        return zarr.open_array(str(folder), mode="r", zarr_format=found.format)


def whole(folder: Path) -> Stored:
    """The array of a folder; raises NotRead where it is very large or cannot be read."""
    found = described(folder)
    if math.prod(found.shape) * found.dtype.itemsize > MOST_UNPACKED:
        raise NotRead("file-too-large", most=MOST_UNPACKED)
    array = opened(folder, found)
    with foreign():
        return Stored(np.asarray(array[...]), str(found.dtype.newbyteorder("=")))


def _second(data: Mapping[str, Any]) -> Described:
    if not isinstance(data["dtype"], str):
        raise NotRead("array-not-numbers", dtype="struct")
    codecs = [*(data.get("filters") or ()), *([data["compressor"]] if data.get("compressor") else ())]
    _check_codecs([codec["id"] for codec in codecs], COMPRESSORS)
    return Described(2, tuple(data["shape"]), np.dtype(data["dtype"]), tuple(data["chunks"]))


def _third(data: Mapping[str, Any]) -> Described:
    if data.get("node_type") != "array":
        raise NotRead("array-file-broken", reason=Word("zarr-no-array"))
    if data["data_type"] not in TYPES:
        raise NotRead("array-not-numbers", dtype=_name(data["data_type"]))
    if data["chunk_grid"]["name"] != "regular" or data.get("storage_transformers"):
        raise NotRead("array-file-broken", reason=Word("array-broken-header"))
    _check_codecs(_names(data["codecs"]), CODECS)
    shape, chunk = data["shape"], data["chunk_grid"]["configuration"]["chunk_shape"]
    return Described(3, tuple(shape), np.dtype(data["data_type"]), tuple(chunk))


def _names(codecs: Any) -> list[str]:
    """The names of codecs, and of those inside of them."""
    found = []
    for codec in codecs:
        found.append(_name(codec))
        inside = codec.get("configuration") if isinstance(codec, Mapping) else None
        for key in ("codecs", "index_codecs"):
            found += _names((inside or {}).get(key, ()))
    return found


def _name(value: Any) -> str:
    return str(value.get("name", "?") if isinstance(value, Mapping) else value)


def _check_codecs(names: list[str], known: tuple[str, ...]) -> None:
    for name in names:
        if name not in known:
            raise NotRead("zarr-codec", codec=str(name), known=", ".join(known))


def _checked(found: Described) -> Described:
    """Refuses what is no array of numbers, or cannot be unpacked chunk by chunk."""
    if found.dtype.kind not in NUMERIC:
        raise NotRead("array-not-numbers", dtype=str(found.dtype))
    sizes = (*found.shape, *found.chunk)
    if len(found.shape) != len(found.chunk) or not all(type(size) is int and size >= 0 for size in sizes):
        raise NotRead("array-file-broken", reason=Word("array-broken-header"))
    size = math.prod(found.chunk) * found.dtype.itemsize
    if size > MOST_CHUNK:
        raise NotRead("zarr-chunk", size=size, most=MOST_CHUNK)
    return found


@contextmanager
def saying(place: str, name: str) -> Iterator[None]:
    """Makes of what is not read an error that names the place in the scenario and the folder."""
    try:
        yield
    except NotRead as refused:
        raise ScenarioError.of(refused.code, place, file=name, kind="zarr", **refused.fields) from None


def chunked(folder: Path, reference: Mapping[str, Any], place: str) -> Chunked | None:
    """Where a reference's numbers lie; None where it or the folder is not as it should be, which `whole` tells."""
    try:
        found = described(folder)
        opened(folder, found)
    except (NotRead, OSError):
        return None
    part = part_of(reference, found.shape)
    return None if part is None else Chunked(folder, found, place, part)


class Chunked(NamedTuple):
    """Where the numbers of an array lie in chunks, and which part of them is meant."""

    path: Path
    found: Described
    place: str  # in the scenario, for what is said of it
    part: Part

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers as they are read."""
        return self.found.dtype.newbyteorder("=")

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        return self.part.shape(self.found.shape)

    def read(self, lead: tuple[int, ...], rows: slice) -> Values:
        """Some rows, (rows, columns), of the matrix at a place of the leading axes."""
        columns = slice(None) if self.part.columns is None else slice(*self.part.columns)
        before = self.part.before(lead, self.found.shape)
        there = (columns,) if len(self.found.shape) == 1 else (*before, rows, columns)
        with saying(self.place, self.path.name), foreign():
            values = np.asarray(opened(self.path, self.found)[there])
        return np.atleast_2d(values).astype(self.dtype, copy=False)

    def all(self) -> Values:
        """The whole part as an array."""
        return all_rows(self.read, self.shape)
