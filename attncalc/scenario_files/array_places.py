"""Where the numbers of a large array lie in a file: after its header, by rows or by columns, compressed or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple
from zipfile import ZIP_STORED

import numpy as np

from attncalc.core.bounded import Values
from attncalc.errors import AttncalcError
from attncalc.scenario_files import npy_files, safetensors_files
from attncalc.scenario_files.array_files import refusal
from attncalc.scenario_files.array_parts import Part, all_rows, part_of
from attncalc.scenario_files.beside import Folder
from attncalc.scenario_files.number_arrays import FILES
from attncalc.scenario_files.opened_arrays import foreign
from attncalc.scenario_files.packed import Packed
from attncalc.scenario_files.plain_files import NotRead, Seen, opened_file, seen
from attncalc.scenario_files.stored_arrays import Outline, fill

LOCAL_HEADER = 30
"""The bytes of an entry of a zip before its name."""


class Located(NamedTuple):
    """Where the numbers of an array lie in a file, and which part of them is meant."""

    path: Path
    kind: str
    seen: Seen  # what the file was when its outline was read
    outline: Outline
    packed: Packed | None = None
    part: Part = Part()

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the numbers as they are read."""
        return self.outline.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the part."""
        return self.part.shape(self.outline.shape)

    def read(self, lead: tuple[int, ...], rows: slice) -> Values:
        """Some rows, (rows, columns), of the matrix at a place of the leading axes."""
        whole = self.outline.shape if len(self.outline.shape) > 1 else (1, *self.outline.shape)
        before = self.part.before(lead, whole)
        start, stop, _ = rows.indices(whole[-2])
        return (self._from_columns if self.outline.by_columns else self._from_rows)(whole, before, start, stop)

    def _from_rows(self, whole: tuple[int, ...], before: tuple[int, ...], start: int, stop: int) -> Values:
        count, width = whole[-2:]
        matrix = int(np.ravel_multi_index(before, whole[:-2])) if before else 0
        values = self._numbers((matrix * count + start) * width, (stop - start) * width).reshape(stop - start, width)
        return values if self.part.columns is None else values[:, slice(*self.part.columns)]

    def _from_columns(self, whole: tuple[int, ...], before: tuple[int, ...], start: int, stop: int) -> Values:
        """Each column by itself: the rows of all matrices lie in it in turns."""
        count, width = whole[-2:]
        turns = math.prod(whole[:-2])
        turn = int(np.ravel_multi_index(before, whole[:-2], order="F")) if before else 0
        columns = range(*(self.part.columns or (0, width)))
        values = np.empty((stop - start, len(columns)), self.dtype)
        for place, column in enumerate(columns):
            values[:, place] = self._numbers((column * count + start) * turns, (stop - start) * turns)[turn::turns]
        return values

    def _numbers(self, first: int, count: int) -> Values:
        """So many numbers of the file from one on."""
        values = np.empty(count, self.outline.stored)
        offset = self.outline.offset + first * values.itemsize
        try:
            with foreign():
                if self.packed is not None:
                    self.packed.fill(offset, values)
                else:
                    with opened_file(self.path, self.seen) as file:
                        file.seek(offset)
                        fill(file, values)
        except NotRead as refused:
            raise refusal(refused, self.path.name, self.path.name, self.kind) from None
        return self.outline.numbers(values)

    def all(self) -> Values:
        """The whole part as an array."""
        return all_rows(self.read, self.shape)


def located(reference: Mapping[str, Any], folder: Folder, packed: bool = True) -> Located | None:
    """Where a reference's numbers lie; None where they cannot be read in parts, or something is wrong with the file.

    `packed`: whether compressed ones will do, which can only be read forwards.
    """
    kind = next(name for name in FILES if name in reference)
    try:
        with foreign():
            path = folder.allowed(str(reference[kind]), "")
            with opened_file(path) as file:
                outline, entry = FINDERS[kind](file, str(reference.get("key", "")))
                found = Located(path, kind, seen(file), outline)
    except (AttncalcError, OSError, NotRead):
        return None  # what is wrong is said by the reader of whole arrays
    # by columns what is compressed would be unpacked anew for each column
    if entry and (outline.by_columns or not packed):
        return None
    part = part_of(reference, outline.shape)
    packing = Packed(path, found.seen, entry) if entry else None
    return None if part is None else found._replace(packed=packing, part=part)


def _npy(file: BinaryIO, _: str) -> tuple[Outline, str]:
    return npy_files.outline(file, seen(file).size), ""


def _npz(file: BinaryIO, key: str) -> tuple[Outline, str]:
    """Also the name of the entry, where it is compressed."""
    archive = npy_files.archive_of(file)
    entry = archive.getinfo(f"{key}.npy")
    with npy_files.member_of(archive, entry) as data:
        if entry.compress_type != ZIP_STORED:
            return npy_files.member_outline(data, entry), entry.filename
    file.seek(entry.header_offset)
    header = file.read(LOCAL_HEADER)
    name, extra = (int.from_bytes(header[at : at + 2], "little") for at in (26, 28))
    return npy_files.outline(file, seen(file).size, entry.header_offset + LOCAL_HEADER + name + extra), ""


def _safetensors(file: BinaryIO, key: str) -> tuple[Outline, str]:
    return safetensors_files.outline(safetensors_files.tensors_of(file)[key]), ""


FINDERS = {"npy": _npy, "npz": _npz, "safetensors": _safetensors}
