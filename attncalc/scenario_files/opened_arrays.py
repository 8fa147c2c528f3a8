"""Files of arrays, opened: `.npy`, `.npz`, `.safetensors`; never pickled data."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from tokenize import TokenError
from typing import IO, Any, BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile

import numpy as np

from attncalc.core.bounded import Values
from attncalc.messages import Word

NUMERIC = "biuf"
"""The kinds of NumPy's types that are numbers here."""

MOST_UNPACKED = 1024**3
"""The largest array, in bytes, that is taken out of a compressed file."""

BEGINS = {"npy": (b"\x93NUMPY",), "npz": (b"PK\x03\x04", b"PK\x05\x06")}
"""The first bytes of a kind of file; of a zip, the second are those of an empty one."""

MOST_HEADER = 100_000_000
"""The longest header, in bytes, that the format of safetensors allows."""

SINGLE = ("",)
"""The keys of a file that holds one array, without a name."""


class NotRead(Exception):
    """An array or its file that is not read: the message code, and what fills the sentence beside place and file.

    `array-file-broken` (with a `reason`) stands for all that a reader of a foreign format raises.
    """

    def __init__(self, code: str, **fields: Any) -> None:
        super().__init__(code, fields)
        self.code, self.fields = code, fields


class Stored(NamedTuple):
    """An array as a file holds it: its numbers, and the type that they were kept in."""

    values: Values
    type: str


class Opened(NamedTuple):
    """A file of arrays: their keys in its order, and what reads one of them."""

    keys: tuple[str, ...]
    reader: Callable[[str], Stored]

    def read(self, key: str) -> Stored:
        """The array of a key; raises NotRead where there is none or it cannot be read."""
        if key not in self.keys:
            code = "array-no-key" if self.keys else "array-no-arrays"
            raise NotRead(code, key=key, known=", ".join(self.keys))
        with foreign():
            return self.reader(key)


def opened(kind: str, file: BinaryIO) -> Opened:
    """The arrays of an open file of that kind, which stays open while they are read; raises NotRead."""
    with foreign():
        return _OPENERS[kind](file)


@contextmanager
def foreign() -> Iterator[None]:
    """Readers of foreign formats raise whatever their parser meets first; what the system says stays an OSError."""
    try:
        yield
    except NotRead:
        raise
    except (BadZipFile, zlib.error, EOFError):
        raise _broken(Word("array-broken-damaged")) from None
    except MemoryError:
        raise _broken(Word("array-broken-memory")) from None
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise _broken(reason) from None


def _broken(reason: str) -> NotRead:
    return NotRead("array-file-broken", reason=reason)


def _check_beginning(file: IO[bytes], kind: str) -> None:
    """Refuses what is of another kind, before a reader guesses at it."""
    start = file.read(max(map(len, BEGINS[kind])))
    file.seek(0)
    if not start:
        raise _broken(Word("array-broken-empty"))
    if not start.startswith(BEGINS[kind]):
        cut = any(whole.startswith(start) for whole in BEGINS[kind])
        raise _broken(Word("array-broken-cut") if cut else Word("array-broken-beginning"))


def _npy(file: BinaryIO) -> Opened:
    stored = _array(file)
    return Opened(SINGLE, lambda key: stored)


def _array(file: IO[bytes]) -> Stored:
    """The array of an `.npy`, which may be a part of an `.npz`."""
    _check_beginning(file, "npy")
    try:
        values = np.asarray(np.lib.format.read_array(file, allow_pickle=False))
    except (ValueError, SyntaxError, TokenError) as error:
        if "allow_pickle" in str(error):
            raise _broken(Word("array-broken-objects")) from None
        raise _broken(Word("array-broken-header") if file.read(1) else Word("array-broken-cut")) from None
    return Stored(values, str(values.dtype.newbyteorder("=")))


def _npz(file: BinaryIO) -> Opened:
    _check_beginning(file, "npz")
    try:
        archive = ZipFile(file)
    except BadZipFile:  # its list of contents stands at the end
        raise _broken(Word("array-broken-cut")) from None
    found = (member for member in archive.infolist() if member.filename.endswith(".npy"))
    members = {member.filename.removesuffix(".npy"): member for member in found}

    def read(key: str) -> Stored:
        if members[key].file_size > MOST_UNPACKED:
            raise NotRead("file-too-large", most=MOST_UNPACKED)
        with archive.open(members[key]) as data:
            return _array(data)

    return Opened(tuple(members), read)


def _safetensors(file: BinaryIO) -> Opened:
    try:
        from safetensors import SafetensorError, deserialize
    except ImportError:
        raise NotRead("needs-extra", extra="tensors", package="safetensors") from None
    data = file.read()
    _check_header(data)
    try:
        tensors = dict(deserialize(data))  # type: ignore[no-untyped-call]
    except SafetensorError:
        raise _broken(Word("array-broken-cut") if _lacks_data(data) else Word("array-broken-header")) from None
    return Opened(tuple(tensors), lambda key: _tensor(tensors[key]))


def _check_header(data: bytes) -> None:
    """Refuses what does not begin with the length of a header, and a JSON object of that length."""
    length = int.from_bytes(data[:8], "little")
    if not data:
        raise _broken(Word("array-broken-empty"))
    if length > MOST_HEADER or data[8:9] not in (b"{", b""):
        raise _broken(Word("array-broken-beginning"))
    if len(data) < 8 + length:
        raise _broken(Word("array-broken-cut"))


def _lacks_data(data: bytes) -> bool:
    """Whether a sound header names more bytes than follow it."""
    start = 8 + int.from_bytes(data[:8], "little")
    try:
        header = json.loads(data[8:start])
        ends = [tensor["data_offsets"][1] for name, tensor in header.items() if name != "__metadata__"]
        return bool(max(ends, default=0) > len(data) - start)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return False


_OPENERS: dict[str, Callable[[BinaryIO], Opened]] = {"npy": _npy, "npz": _npz, "safetensors": _safetensors}


def _tensor(tensor: Mapping[str, Any]) -> Stored:
    """The numbers of a tensor as `safetensors` gives it, bfloat16 as float32."""
    kept = tensor["dtype"]
    if kept not in DTYPES:
        raise NotRead("array-not-numbers", dtype=kept)
    values = np.frombuffer(tensor["data"], dtype=DTYPES[kept])
    if kept == "BF16":
        values = widened(values)
    return Stored(values.reshape(tensor["shape"]), kept)


def widened(halves: Values) -> Values:
    """Numbers of bfloat16, which are the upper halves of float32."""
    return (halves.astype(np.uint32) << 16).view(np.float32)


DTYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}  # fmt: skip
"""The types of safetensors that are numbers, as NumPy knows them; of bfloat16 only the bits."""
