"""Array files to start from, and changes to their headers, members and offsets."""

from __future__ import annotations

import io
import json
import zipfile
from random import Random
from typing import Any

import numpy as np

from .mutating import NUMBERS, bytes_changed

DTYPES = ("<f8", ">f8", "<f4", "<f2", "<i8", "|b1", "|u1", "<c16", "<U3", "|S3", "<M8[s]", "|O", "[('a', '<f8')]")
SHAPES = (
    "(2, 3)", "()", "(0,)", "(6,)", "(1, 1, 1, 1, 6)", "(-1,)", "(2, -3)", "(99999999999,)", "(2**63,)", "(1e400,)",
    "(4294967296, 4294967296)", "(True, 6)", "[2, 3]", "None", "(6", "((2, 3),)", "('2',)",
)  # fmt: skip
NAMES = ("weights", "scores", "q", "k", "", "../q", "/q", "a\x00b", "注意", "weights.npy", "q" * 300, "\ud800", "trace")
TYPES = ("F64", "F32", "F16", "BF16", "I64", "BOOL", "U8", "F8_E4M3", "C64", "", "f64")


def npy(values: Any) -> bytes:
    """The bytes of an `.npy`."""
    file = io.BytesIO()
    np.save(file, values)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    """The bytes of an `.npz`."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def safetensors(header: Any, data: bytes) -> bytes:
    """The bytes of a `.safetensors` with that header, true or not."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


NUMBERS_STORED = np.array([[0.5, 0.25, 0.25], [1.0, 0.0, -1.5]])


def seeds() -> list[bytes]:
    """Small files of every kind that are as they should be."""
    rows = NUMBERS_STORED
    tensor = {"weights": {"dtype": "F64", "shape": [2, 3], "data_offsets": [0, 48]}}
    short = {"q": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}, "__metadata__": {"a": "b"}}
    return [
        *(npy(rows.astype(kind)) for kind in ("f8", "f4", "f2", "i8", "?", ">f8")), npy(np.asfortranarray(rows)),
        npy(np.array(1.5)), npy(np.array(["a"])), npz(weights=rows), npz(q=rows, k=rows, v=rows.astype("f4")),
        safetensors(tensor, rows.tobytes()), safetensors(short, b"1234"),
    ]  # fmt: skip


def arrays_changed(data: bytes, random: Random) -> bytes:
    """An array file with its header, its members or its bytes changed."""
    if random.random() < 0.4:
        return bytes_changed(data, random)
    kind = random.randrange(3)
    if kind == 0 or data.startswith(b"\x93NUMPY"):
        return _npy_changed(data, random)
    return _zip_changed(data, random) if kind == 1 else _tensors_changed(random)


def _npy_changed(data: bytes, random: Random) -> bytes:
    """An `.npy` whose header says something else, as long as it says it is, or not."""
    fortran = random.choice(("False", "False", "True", "None", "1"))
    shape = random.choice((SHAPES[0], random.choice(SHAPES)))
    header = f"{{'descr': {_descr(random)}, 'fortran_order': {fortran}, 'shape': {shape}, }}"
    if random.random() < 0.2:
        odd = ("", "{", "[" * 500, "{'descr': '<f8'}", "__import__('os')", "1" * 5000, header + header)
        header = random.choice(odd)
    text = header.encode() + b" " * random.choice((0, 0, 0, 64, 70_000)) + b"\n"
    version = random.choice(((1, 0), (1, 0), (2, 0), (3, 0), (9, 9)))
    size = 2 if version == (1, 0) else 4
    length = len(text) if random.random() < 0.8 else random.getrandbits(8 * size)
    return b"\x93NUMPY" + bytes(version) + (length % 256**size).to_bytes(size, "little") + text + data[-48:]


def _descr(random: Random) -> str:
    text = random.choice((DTYPES[0], random.choice(DTYPES)))
    return text if text.startswith("[") else repr(text)


def _zip_changed(data: bytes, random: Random) -> bytes:
    """An archive whose members have odd names, repeat, are packed, or are no arrays."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for _ in range(random.randint(0, 3)):
            name = random.choice((NAMES[0], random.choice(NAMES))).encode("utf-8", "replace").decode()
            name += random.choice((".npy", ".npy", "", ".txt"))
            member = random.choice((npy(NUMBERS_STORED), _npy_changed(npy(NUMBERS_STORED), random), data[:40], b""))
            packed = random.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA))
            _add(archive, name, member, packed)
    made = file.getvalue()
    return bytes_changed(made, random) if random.random() < 0.3 else made


def _add(archive: zipfile.ZipFile, name: str, member: bytes, packed: int) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that stands twice
        archive.writestr(zipfile.ZipInfo(name), member, packed)


def _tensors_changed(random: Random) -> bytes:
    """A `.safetensors` whose types, shapes and offsets lie."""
    header: dict[str, Any] = {}
    for _ in range(random.randint(0, 3)):
        start = random.choice((0, 0, 0, 0, 0, random.choice((8, 48, -1, 2**63, 2**64, 1.5, None, "0"))))
        stop = random.choice((48, 48, 48, 48, 48, random.choice((8, 0, -8, 2**62, 2**64, True))))
        odd = random.choice(([], [0], [-1], [2**32, 2**32], [2.5], "6", None, [[2, 3]], [10**30]))
        shape = random.choice(([2, 3], [2, 3], [2, 3], [6], odd))
        kind = random.choice((TYPES[0], TYPES[0], random.choice(TYPES)))
        entry = {"dtype": kind, "shape": shape, "data_offsets": [start, stop]}
        entry.pop(random.choice(("dtype", "shape", "data_offsets", *[""] * 9)), None)
        header[random.choice(NAMES)] = random.choice((entry, entry, entry, None, [], 1))
    text = json.dumps(header).encode()
    if random.random() < 0.1:
        text = random.choice((b"{}", b"[]", b"{", b"[" * 5000, b'{"a": 1e400}', random.choice(NUMBERS).encode(), b""))
    length = len(text) if random.random() < 0.9 else random.getrandbits(random.choice((8, 20, 40, 64)))
    return length.to_bytes(8, "little") + text + NUMBERS_STORED.tobytes()
