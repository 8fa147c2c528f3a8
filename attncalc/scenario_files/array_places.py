"""Where the numbers of a large array lie in a file: after its header, by rows or by columns, compressed or not."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import ScenarioError
from attncalc.messages import Word
from attncalc.scenario_files.array_files import file_of
from attncalc.scenario_files.number_arrays import FILES
from attncalc.scenario_files.opened_arrays import DTYPES, MOST_HEADER, NUMERIC, widened
from attncalc.scenario_files.packed import Packed

LOCAL_HEADER = 30
"""The bytes of an entry of a zip before its name."""

NOT_LOCATED = (
    OSError, ValueError, LookupError, TypeError, AttributeError, RuntimeError, BadZipFile, zlib.error, EOFError,
)  # fmt: skip
"""What is wrong with a file, which the reader of whole arrays says in a sentence."""


class Located(NamedTuple):
    """Where the numbers of an array lie in a file, and which part of them is meant."""

    path: Path
    offset: int
    stored: np.dtype[Any]
    whole: tuple[int, ...]
    by_columns: bool = False  # the first axis moves fastest
    packed: Packed | None = None
    brain: bool = False  # bfloat16, of which NumPy knows only the bits
    taken: tuple[int, ...] = ()  # positions on the leading axes
    columns: tuple[int, int] | None = None

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers as they are read."""
        return np.dtype(np.float32) if self.brain else self.stored.newbyteorder("=")

    @property
    def size(self) -> int:
        """The bytes of the whole array."""
        return math.prod(self.whole) * self.stored.itemsize

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        rest = self.whole[len(self.taken) :]
        return rest if self.columns is None else (*rest[:-1], self.columns[1] - self.columns[0])

    def read(self, lead: tuple[int, ...], rows: slice) -> Values:
        """Some rows, (rows, columns), of the matrix at a place of the leading axes."""
        whole = self.whole if len(self.whole) > 1 else (1, *self.whole)
        before = (*self.taken, *lead)[: len(whole) - 2]
        start, stop, _ = rows.indices(whole[-2])
        return (self._from_columns if self.by_columns else self._from_rows)(whole, before, start, stop)

    def _from_rows(self, whole: tuple[int, ...], before: tuple[int, ...], start: int, stop: int) -> Values:
        count, width = whole[-2:]
        matrix = int(np.ravel_multi_index(before, whole[:-2])) if before else 0
        values = self._numbers((matrix * count + start) * width, (stop - start) * width).reshape(stop - start, width)
        return values if self.columns is None else values[:, slice(*self.columns)]

    def _from_columns(self, whole: tuple[int, ...], before: tuple[int, ...], start: int, stop: int) -> Values:
        """Each column by itself: the rows of all matrices lie in it in turns."""
        count, width = whole[-2:]
        turns = math.prod(whole[:-2])
        turn = int(np.ravel_multi_index(before, whole[:-2], order="F")) if before else 0
        columns = range(*(self.columns or (0, width)))
        values = np.empty((stop - start, len(columns)), self.dtype)
        for place, column in enumerate(columns):
            values[:, place] = self._numbers((column * count + start) * turns, (stop - start) * turns)[turn::turns]
        return values

    def _numbers(self, first: int, count: int) -> Values:
        """So many numbers of the file from one on."""
        values = np.empty(count, self.stored)
        buffer = memoryview(values.view(np.uint8))  # type: ignore[arg-type]
        if self.packed is not None:
            found = self.packed.read_into(self.offset + first * self.stored.itemsize, buffer)
        else:
            with self.path.open("rb") as file:
                file.seek(self.offset + first * self.stored.itemsize)
                found = file.readinto(buffer)
        if found < len(buffer):  # it was cut after it was looked at
            fields = {"file": self.path.name, "kind": "npy", "reason": Word("array-broken-cut")}
            raise ScenarioError.of("array-file-broken", self.path.name, **fields)
        return widened(values) if self.brain else values.astype(self.dtype, copy=False)

    def all(self) -> Values:
        """The whole part as an array."""
        parts = [self.read(place, slice(None)) for place in np.ndindex(*self.shape[:-2])]
        return (parts[0] if len(parts) == 1 else np.stack(parts)).reshape(self.shape)


def located(reference: Mapping[str, Any], folder: Path, packed: bool = True) -> Located | None:
    """Where a reference's numbers lie; None where they cannot be read in parts, or something is wrong with the file.

    `packed`: whether compressed ones will do, which can only be read forwards.
    """
    kind = next(name for name in FILES if name in reference)
    try:
        path = file_of(reference, folder)
        found = FINDERS[kind](path, str(reference.get("key", "")))
        return None if found is None or (found.packed and not packed) else _part(found, reference)
    except NOT_LOCATED:
        return None


def _npy(path: Path, _: str) -> Located | None:
    with path.open("rb") as file:
        return _described(file, path, path.stat().st_size)


def _npz(path: Path, key: str) -> Located | None:
    with path.open("rb") as file, ZipFile(file) as archive:
        entry = archive.getinfo(f"{key}.npy")
        if entry.compress_type == ZIP_STORED:
            file.seek(entry.header_offset)
            header = file.read(LOCAL_HEADER)
            name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
            file.seek(entry.header_offset + LOCAL_HEADER + name + extra)
            return _described(file, path, path.stat().st_size)
        with archive.open(entry) as unpacked:
            found = _described(unpacked, path, entry.file_size)
        # by columns it would be unpacked anew for each column
        return found._replace(packed=Packed(path, entry.filename)) if found and not found.by_columns else None


def _safetensors(path: Path, key: str) -> Located | None:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length)) if length <= MOST_HEADER else {}
    tensors = {name: tensor for name, tensor in header.items() if name != "__metadata__"}
    begin, end = tensors[key]["data_offsets"]
    kept = tensors[key]["dtype"]
    shape = tuple(tensors[key]["shape"])
    found = Located(path, 8 + length + begin, np.dtype(DTYPES[kept]), shape, brain=kept == "BF16")
    whole = _without_gaps([tensor["data_offsets"] for tensor in tensors.values()], path.stat().st_size - 8 - length)
    sound = whole and shape and all(length > 0 for length in shape)
    return found if sound and end - begin == found.size else None


def _without_gaps(spans: list[list[int]], size: int) -> bool:
    """Whether the data of the tensors lie one behind the other up to the end of the file, as the format wants it."""
    ordered = sorted(spans)
    return [begin for begin, _ in ordered] + [size] == [0, *(end for _, end in ordered)]


FINDERS = {"npy": _npy, "npz": _npz, "safetensors": _safetensors}


def _described(file: IO[bytes], path: Path, size: int) -> Located | None:
    """What the header of an `.npy` says, of which so many bytes are there."""
    version = np.lib.format.read_magic(file)
    readers = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
    if version not in readers:
        return None
    shape, by_columns, dtype = readers[version](file)
    found = Located(path, file.tell(), dtype, shape, by_columns and len(shape) > 1)
    sound = dtype.kind in NUMERIC and shape and found.size
    return found if sound and size >= found.offset + found.size else None


def _part(found: Located, reference: Mapping[str, Any]) -> Located | None:
    """The part that a reference means; None where there is no such."""
    index = tuple(int(i) for i in reference.get("index", ()))
    columns = tuple(int(i) for i in reference["columns"]) if "columns" in reference else None
    fits = len(index) <= max(0, len(found.whole) - 2) and all(i < n for i, n in zip(index, found.whole, strict=False))
    fits &= columns is None or columns[0] < columns[1] <= found.whole[-1]
    return found._replace(taken=index, columns=columns) if fits else None  # type: ignore[arg-type]
