"""The arrays of `.npy` and `.npz`."""

from __future__ import annotations

import ast
import io
import math
import os
import re
import warnings
from tokenize import TokenError
from typing import IO, Any, BinaryIO, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

import numpy as np

from attncalc.core.memory import in_bytes
from attncalc.scenario_files.plain_files import NotRead
from attncalc.scenario_files.stored_arrays import (
    SINGLE,
    Opened,
    Outline,
    Stored,
    broken,
    check_shape,
    check_type,
    numbers_from,
)

BEGINS = {"npy": (b"\x93NUMPY",), "npz": (b"PK\x03\x04", b"PK\x05\x06")}
"""The first bytes of a kind of file; of a zip, the second are those of an empty one."""

LENGTH_BYTES = {1: 2, 2: 4, 3: 4}
"""How many bytes say the length of an `.npy`'s header, by the version of the format."""

MOST_HEADER = 10_000
"""The longest header, in bytes; NumPy's own bound."""

LONG = re.compile(rb"(?<=[0-9])L(?=[,)])")
"""What Python 2 wrote behind a large whole number."""

MOST_CONTENTS = 4 * 1024**2
"""The longest list of contents of a zip, in bytes: some 60,000 arrays."""

MOST_UNPACKED, MOST_TIMES = 64 * 1024**2, 20
"""The largest array, as doubles, that is taken out of compressed data, or as many times the compressed bytes."""

DOUBLE = 8

ENCRYPTED = 1
"""The bit of a zip's entry that says so."""


class Described(NamedTuple):
    """What the header of an `.npy` says."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype[Any]


def check_beginning(file: IO[bytes], kind: str) -> None:
    """Refuses what is of another kind, before a reader guesses at it."""
    at = file.tell()
    start = file.read(max(map(len, BEGINS[kind])))
    file.seek(at)
    if not start:
        raise broken("array-broken-empty")
    if not start.startswith(BEGINS[kind]):
        cut = any(whole.startswith(start) for whole in BEGINS[kind])
        raise broken("array-broken-cut" if cut else "array-broken-beginning")


def npy(file: BinaryIO) -> Opened:
    """The array of an `.npy`."""
    stored = _array(file, outline(file, file.seek(0, os.SEEK_END)))
    return Opened(SINGLE, lambda key: stored)


def _array(file: IO[bytes], found: Outline) -> Stored:
    return Stored(numbers_from(file, found), str(found.dtype))


def outline(file: IO[bytes], end: int, at: int = 0) -> Outline:
    """What is said of the array of an `.npy` that lies in a file from there to an end; the file stands behind it."""
    return _checked(file, described(file, at), end)


def _checked(file: IO[bytes], found: Described, end: int) -> Outline:
    check_type(found.dtype)
    check_shape(found.shape, found.dtype, end - file.tell())
    return Outline(file.tell(), found.dtype, found.shape, found.by_columns and len(found.shape) > 1)


def described(file: IO[bytes], at: int = 0) -> Described:
    """What the header of an `.npy` that begins there says, not believed yet; the file stands behind it."""
    file.seek(at)
    check_beginning(file, "npy")
    magic = file.read(8)
    size = LENGTH_BYTES.get(magic[6], 0) if len(magic) == 8 else 2
    start = file.read(size)
    length = int.from_bytes(start, "little")
    if not size or length > MOST_HEADER:
        raise broken("array-broken-header")
    text = file.read(length)
    if len(start) < size or len(text) < length:
        raise broken("array-broken-cut")
    formats, text = np.lib.format, LONG.sub(b"", text)
    reader = formats.read_array_header_1_0 if magic[6] == 1 else formats.read_array_header_2_0
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.literal_eval(text.decode("latin-1").lstrip())  # where this fails, NumPy would try for minutes
            return Described(*reader(io.BytesIO(len(text).to_bytes(size, "little") + text)))
    except (ValueError, SyntaxError, TokenError, RecursionError, TypeError, MemoryError):
        raise broken("array-broken-header") from None


class _Bounded:
    """A file of which a reader cannot ask for much at once, whatever the file tells it to."""

    def __init__(self, file: IO[bytes]) -> None:
        self.seek, self.tell, self.seekable, self._file = file.seek, file.tell, file.seekable, file

    def read(self, size: int = -1) -> bytes:
        """The next bytes; NotRead for more than the longest list of contents."""
        if size > MOST_CONTENTS:
            raise NotRead("array-too-many", most=MOST_CONTENTS)
        return self._file.read(size)


def archive_of(file: IO[bytes]) -> ZipFile:
    """The zip in a file; of two entries with one name nobody knows which is meant."""
    check_beginning(file, "npz")
    try:
        archive = ZipFile(_Bounded(file))
    except BadZipFile:  # its list of contents stands at the end
        raise broken("array-broken-cut") from None
    if len(set(archive.namelist())) < len(archive.namelist()):
        raise broken("array-broken-header")
    return archive


def npz(file: BinaryIO) -> Opened:
    """The arrays of an `.npz`."""
    archive = archive_of(file)
    arrays = {name.removesuffix(".npy"): archive.getinfo(name) for name in archive.namelist() if name.endswith(".npy")}
    return Opened(tuple(arrays), lambda key: _member(archive, arrays[key]), lambda key: _text(archive, arrays[key]))


def _member(archive: ZipFile, member: ZipInfo) -> Stored:
    with member_of(archive, member) as data:
        return _array(data, member_outline(data, member))


def _text(archive: ZipFile, member: ZipInfo) -> str:
    with member_of(archive, member) as data:
        found = described(data)
        if found.shape or found.dtype.kind != "U" or not 0 < found.dtype.itemsize <= MOST_UNPACKED:
            raise broken("array-broken-header")
        check_shape(found.shape, found.dtype, member.file_size - data.tell())
        return str(np.frombuffer(data.read(found.dtype.itemsize), found.dtype)[0])


def member_of(archive: ZipFile, member: ZipInfo) -> IO[bytes]:
    """An entry of a zip, open for reading; refused where it is neither stored nor compressed as NumPy does it."""
    if member.flag_bits & ENCRYPTED or member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise broken("array-broken-packed")
    return archive.open(member)


def member_outline(data: IO[bytes], member: ZipInfo) -> Outline:
    """What an entry says of its array; one that is compressed may not be much larger than what it is compressed to."""
    found = described(data)
    if member.compress_type != ZIP_STORED:
        size = max(member.file_size, math.prod(found.shape) * DOUBLE)
        most = max(MOST_UNPACKED, MOST_TIMES * member.compress_size)
        if size > most:
            raise NotRead("array-unpacked", size=in_bytes(size), most=in_bytes(most))
    return _checked(data, found, member.file_size)
