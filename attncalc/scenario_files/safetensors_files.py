"""The arrays of `.safetensors`: a length, a header in JSON that says where each array lies, the bytes of the arrays."""

from __future__ import annotations

import json
import os
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from attncalc.scenario_files.plain_files import NotRead
from attncalc.scenario_files.stored_arrays import Opened, Outline, Stored, broken, check_shape, numbers_from

LENGTH = 8

MOST_HEADER = 10_000_000
"""The longest header, in bytes: some 100,000 arrays."""

TYPES = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "U64": "<u8", "I64": "<i8", "U32": "<u4", "I32": "<i4",
    "U16": "<u2", "I16": "<i2", "U8": "u1", "I8": "i1", "BOOL": "?",
}  # fmt: skip


class Tensor(NamedTuple):
    """What the header says of an array: its type, its shape, and where in the file its bytes begin and end."""

    type: str
    shape: tuple[int, ...]
    start: int
    end: int


def safetensors(file: BinaryIO) -> Opened:
    """The arrays of a `.safetensors`, each of which is read only when it is asked for."""
    tensors = tensors_of(file)
    return Opened(tuple(tensors), lambda key: _read(file, tensors[key]))


def tensors_of(file: BinaryIO) -> dict[str, Tensor]:
    """What the header says of every array; refused where they do not lie one behind the other up to the end."""
    size = file.seek(0, os.SEEK_END)
    start = LENGTH + _header_length(file, size)
    tensors = _tensors(file.read(start - LENGTH), start)
    spans = sorted((tensor.start, tensor.end) for tensor in tensors.values())
    if spans and spans[-1][1] > size:
        raise broken("array-broken-cut")
    if [begin for begin, _ in spans] + [size] != [start, *(end for _, end in spans)]:
        raise broken("array-broken-header")
    return tensors


def _header_length(file: BinaryIO, size: int) -> int:
    """How long the header is; refused where it cannot be one."""
    file.seek(0)
    begins = file.read(LENGTH + 1)
    length = int.from_bytes(begins[:LENGTH], "little")
    if not begins:
        raise broken("array-broken-empty")
    if length > MOST_HEADER or begins[LENGTH:] not in (b"{", b""):
        raise broken("array-broken-beginning")
    if size < LENGTH + length:
        raise broken("array-broken-cut")
    file.seek(LENGTH)
    return length


def _tensors(header: bytes, at: int) -> dict[str, Tensor]:
    """The arrays that a header names, whose data begin there; a name that stands twice is no header."""
    try:
        pairs = json.loads(header, object_pairs_hook=_once)
        return {name: _tensor(at, **said) for name, said in pairs.items() if name != "__metadata__"}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise broken("array-broken-header") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _tensor(at: int, dtype: str, shape: list[int], data_offsets: list[int]) -> Tensor:
    """What is said of one array, as far as it can be right whatever its type is."""
    start, end = data_offsets
    numbers = [*shape, start, end]
    if not (isinstance(dtype, str) and all(type(n) is int and 0 <= n < 2**63 for n in numbers) and start <= end):
        raise ValueError("no place of an array")
    return Tensor(dtype, tuple(shape), at + start, at + end)


def _read(file: BinaryIO, tensor: Tensor) -> Stored:
    found = outline(tensor)
    file.seek(found.offset)
    return Stored(numbers_from(file, found), tensor.type)


def outline(tensor: Tensor) -> Outline:
    """Where the numbers of an array lie; refused where its type, its shape and its bytes do not agree."""
    if tensor.type not in TYPES:
        raise NotRead("array-not-numbers", dtype=tensor.type)
    found = Outline(tensor.start, np.dtype(TYPES[tensor.type]), tensor.shape, brain=tensor.type == "BF16")
    if found.size != tensor.end - tensor.start:
        raise broken("array-broken-header")
    check_shape(found.shape, found.stored, found.size)
    return found
