"""Large arrays in files: their outlines first, their rows when they are asked for. Nothing is mapped into memory."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple
from zipfile import ZIP_STORED

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError, ScenarioError
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.npy_files import ENCRYPTED, archive_of, described
from attncalc.scenario_files.plain_files import NotRead, Seen, opened_file, seen
from attncalc.scenario_files.stored_arrays import check_shape, check_type

BY_ROWS = ("q", "k", "v", "x", "memory", "scores", "weights", "residual", "bias", "mask.keep", "mask.drop",
           "past.k", "past.v")  # fmt: skip
"""The arrays that grow with the tokens."""

LOCAL_HEADER = 30
"""The bytes of an entry of a zip before its name."""


class Located(NamedTuple):
    """Where the numbers of an array lie in a file, row after row, and which part of them is meant."""

    path: Path
    offset: int
    dtype: np.dtype[Any]
    whole: tuple[int, ...]
    seen: Seen  # what the file was when its outline was read
    taken: tuple[int, ...] = ()  # positions on the leading axes
    columns: tuple[int, int] | None = None

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        rest = self.whole[len(self.taken) :]
        return rest if self.columns is None else (*rest[:-1], self.columns[1] - self.columns[0])

    def read(self, lead: tuple[int, ...], rows: slice) -> Values:
        """Some rows, (rows, columns), of the matrix at a place of the leading axes."""
        whole = self.whole if len(self.whole) > 1 else (1, *self.whole)
        count, width = whole[-2:]
        before = (*self.taken, *lead)[: len(whole) - 2]
        matrix = int(np.ravel_multi_index(before, whole[:-2])) if before else 0
        start, stop, _ = rows.indices(count)
        row = matrix * count + start
        try:
            with opened_file(self.path, self.seen) as file:
                file.seek(self.offset + row * width * self.dtype.itemsize)
                values = np.fromfile(file, self.dtype, (stop - start) * width)
        except NotRead as refused:
            raise ScenarioError.of(refused.code, str(self.path), **refused.fields) from None
        values = values.reshape(stop - start, width).astype(self.dtype.newbyteorder("="), copy=False)
        return values if self.columns is None else values[:, slice(*self.columns)]

    def all(self) -> Values:
        """The whole part as an array."""
        parts = [self.read(place, slice(None)) for place in np.ndindex(*self.shape[:-2])]
        return (parts[0] if len(parts) == 1 else np.stack(parts)).reshape(self.shape)


class Outlines:
    """Reads the outlines of the large arrays of one document, and the small arrays whole.

    `located` are those that stay in their files, by path.
    """

    def __init__(self) -> None:
        self.located: dict[str, Located] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}  # with all four axes

    def load(self, path: str, reference: Mapping[str, Any], folder: Folder, place: str) -> Values:
        """The array of a reference; of a large one only the shape is right, its numbers are zeros."""
        found = located(reference, folder) if path in BY_ROWS else None
        if found is None:
            return load_array(reference, folder, place, kept=True)
        self.located[path] = found
        return np.broadcast_to(np.zeros((), found.dtype.newbyteorder("=")), found.shape)


def located(reference: Mapping[str, Any], folder: Folder) -> Located | None:
    """Where a reference's numbers lie; None where they do not lie plainly, or something is wrong with the file."""
    kind = next(name for name in ("npy", "npz", "safetensors") if name in reference)
    if kind == "safetensors":
        return None
    try:
        path = folder.allowed(str(reference[kind]), "")
        with opened_file(path) as file:
            start = _member(file, str(reference["key"])) if kind == "npz" else 0
            return None if start < 0 else _outline(file, start, path, reference)
    except (OSError, ValueError, KeyError, NotRead, AttncalcError):
        return None  # what is wrong is said by the reader of whole arrays


def _member(file: IO[bytes], key: str) -> int:
    """Where an uncompressed entry of a zip begins; −1 where it is compressed or encrypted."""
    entry = archive_of(file).getinfo(f"{key}.npy")
    file.seek(entry.header_offset)
    header = file.read(LOCAL_HEADER)
    name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    plain = entry.compress_type == ZIP_STORED and not entry.flag_bits & ENCRYPTED
    return entry.header_offset + LOCAL_HEADER + name + extra if plain else -1


def _outline(file: BinaryIO, start: int, path: Path, reference: Mapping[str, Any]) -> Located | None:
    shape, by_columns, dtype = described(file, start)
    now = seen(file)
    check_type(dtype)
    check_shape(shape, dtype, now.size - file.tell())
    index = tuple(int(i) for i in reference.get("index", ()))
    columns = tuple(int(i) for i in reference["columns"]) if "columns" in reference else None
    found = Located(path, file.tell(), dtype, shape, now, index, columns)  # type: ignore[arg-type]
    sound = min(shape, default=0) > 0 and not (by_columns and len(shape) > 1)
    fits = len(index) <= max(0, len(shape) - 2) and all(i < n for i, n in zip(index, shape, strict=False))
    fits &= columns is None or columns[0] < columns[1] <= shape[-1]
    return found if sound and fits else None
