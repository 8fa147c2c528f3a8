"""Files of arrays that a stranger might send, each made in a folder: none may take memory, time or anything else."""

from __future__ import annotations

import io
import json
import os
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

TERABYTES = "(2000000, 1000000)"


def npy(header: str, data: bytes = b"", version: int = 1) -> bytes:
    """An `.npy` with any header."""
    text = header.encode("latin-1") + b"\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(text)) + text + data


def described(shape: str, descr: str = "'<f8'", fortran: str = "False", more: str = "") -> str:
    """The header of an `.npy`."""
    return f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}, {more}}}"


def matrix() -> bytes:
    """A sound `.npy`."""
    file = io.BytesIO()
    np.save(file, [[1.0, 3.0]])
    return file.getvalue()


def zipped(name: str, data: bytes, compressed: bool = False) -> bytes:
    """A zip with one entry."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as archive:
        archive.writestr(name, data)
    return file.getvalue()


def bomb(header: str, zeros: int) -> bytes:
    """An `.npz` of an array whose zeros take next to nothing in the file."""
    file = io.BytesIO()
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("a.npy", "w", force_zip64=True) as to,
    ):
        to.write(npy(header))
        for _ in range(zeros >> 20):
            to.write(bytes(1 << 20))
    return file.getvalue()


def many_entries(count: int) -> bytes:
    """An `.npz` of many arrays that are next to nothing."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for i in range(count):
            archive.writestr(f"{i}.npy", b"")
    return file.getvalue()


def lying_size(size: int) -> bytes:
    """An `.npz` whose directory says another size of its only array, compressed, than it has."""
    real = npy(described("(1, 100)"), bytes(800))
    data = bytearray(zipped("a.npy", real, compressed=True))
    at = data.index(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(data)


def overlapping() -> bytes:
    """A compressed `.npz` whose entries all lie at the same place of the file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", npy(described("(1, 100)"), bytes(800)))
        archive.filelist += [_again(archive.filelist[0], f"{i}.npy") for i in range(1000)]
    return file.getvalue()


def _again(entry: zipfile.ZipInfo, name: str) -> zipfile.ZipInfo:
    other = zipfile.ZipInfo(name)
    for field in ("compress_type", "CRC", "compress_size", "file_size", "header_offset", "flag_bits"):
        setattr(other, field, getattr(entry, field))
    return other


def safetensors(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    """A `.safetensors` with any header, and any length said of it."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(shape: list[int], offsets: list[int], dtype: str = "F64") -> dict[str, object]:
    """The header of a `.safetensors` with one tensor."""
    return {"a": {"dtype": dtype, "shape": shape, "data_offsets": offsets}}


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "terabytes": ("npy", lambda: npy(described(TERABYTES))),
    "terabytes version 2": ("npy", lambda: npy(described(TERABYTES), version=2)),
    "terabytes version 3": ("npy", lambda: npy(described(TERABYTES), version=3)),
    "terabytes of bytes": ("npy", lambda: npy(described(TERABYTES, "'|u1'"))),
    "gigabyte that is not there": ("npy", lambda: npy(described("(1, 100000000)"), bytes(80))),
    "overflowing shape": ("npy", lambda: npy(described("(4294967296, 4294967296)"), bytes(80))),
    "overflowing to zero": ("npy", lambda: npy(described("(9223372036854775808, 2)"), bytes(80))),
    "overflowing to one": ("npy", lambda: npy(described("(274177, 67280421310721)"), bytes(80))),
    "huge number in the shape": ("npy", lambda: npy(described(f"({'9' * 5000}, 1)"))),
    "negative shape": ("npy", lambda: npy(described("(-1, 2)"), bytes(80))),
    "two negatives": ("npy", lambda: npy(described("(-1, -2)"), bytes(16))),
    "true as shape": ("npy", lambda: npy(described("(True, 2)"), bytes(16))),
    "floating shape": ("npy", lambda: npy(described("(1.0, 2)"), bytes(16))),
    "many axes": ("npy", lambda: npy(described("(" + "1, " * 100 + ")"), bytes(8))),
    "nothing times terabytes": ("npy", lambda: npy(described("(0, 1000000000000)"))),
    "rows of nothing": ("npy", lambda: npy(described("(1000000000000, 0)"))),
    "deep header": ("npy", lambda: npy("(" * 9000)),
    "header of megabytes": ("npy", lambda: npy(described("(1, 2)", more=f"'x': '{'x' * 3_000_000}'"), bytes(16), 2)),
    "header of gigabytes": ("npy", lambda: b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b"{}"),
    "header of expressions": ("npy", lambda: npy("{'descr': '<f8', 'fortran_order': False, 'shape': (9**9**9, 2)}")),
    "objects": ("npy", lambda: npy(described("(1, 2)", "'|O'"), bytes(16))),
    "objects inside a structure": ("npy", lambda: npy(described("(2,)", "[('a', '|O'), ('b', '<f8')]"), bytes(32))),
    "structure": ("npy", lambda: npy(described("(2,)", "[('a', '<f8'), ('b', '<f8')]"), bytes(32))),
    "structure of terabytes": ("npy", lambda: npy(described("(1,)", "[('a', '<f8', (1000000, 1000000))]"))),
    "subarray": ("npy", lambda: npy(described("(1,)", "('<f8', (2,))"), bytes(16))),
    "complex": ("npy", lambda: npy(described("(1, 2)", "'<c16'"), bytes(32))),
    "times": ("npy", lambda: npy(described("(1, 2)", "'<M8[s]'"), bytes(16))),
    "texts": ("npy", lambda: npy(described("(1, 2)", "'<U4'"), bytes(32))),
    "texts of gigabytes": ("npy", lambda: npy(described("(1, 2)", "'<U500000000'"), bytes(32))),
    "numbers of no bytes": ("npy", lambda: npy(described("(1000000, 1000000)", "'|V0'"))),
    "texts of no bytes": ("npy", lambda: npy(described("(1000000, 1000000)", "'<U0'"))),
    "long doubles": ("npy", lambda: npy(described("(1, 2)", "'<f16'"), np.array([1, 3], np.longdouble).tobytes())),
    "unknown version": ("npy", lambda: npy(described("(1, 2)"), bytes(16), version=9)),
    "not a header": ("npy", lambda: npy("__import__('os').abort()")),
    "big-endian": ("npy", lambda: npy(described("(1, 2)", "'>f8'"), np.array([1, 3], ">f8").tobytes())),
    "bomb": ("npz", lambda: bomb(described("(1, 26214400)"), 200 << 20)),
    "bomb of flags": ("npz", lambda: bomb(described("(1, 52428800)", "'|b1'"), 50 << 20)),
    "terabytes in a zip": ("npz", lambda: zipped("a.npy", npy(described(TERABYTES)))),
    "terabytes in a compressed zip": ("npz", lambda: zipped("a.npy", npy(described(TERABYTES)), True)),
    "gigabyte after a small size": ("npz", lambda: zipped("a.npy", npy(described("(1, 100000000)"), bytes(80)), True)),
    "lying size, small": ("npz", lambda: lying_size(10)),
    "lying size, large": ("npz", lambda: lying_size(4_000_000_000)),
    "path upwards": ("npz", lambda: zipped("../../a.npy", matrix())),
    "absolute path": ("npz", lambda: zipped("/a.npy", matrix())),
    "two of one name": ("npz", lambda: _twice()),
    "overlapping entries": ("npz", overlapping),
    "many entries": ("npz", lambda: many_entries(20_000)),
    "zip in a zip": ("npz", lambda: zipped("a.npy", zipped("a.npy", matrix()))),
    "encrypted": ("npz", lambda: _flagged(1)),
    "unknown compression": ("npz", lambda: _compressed_by(99)),
    "objects in a zip": ("npz", lambda: zipped("a.npy", npy(described("(1, 2)", "'|O'"), bytes(16)))),
    "half a zip": ("npz", lambda: zipped("a.npy", matrix())[:60]),
    "only an end": ("npz", lambda: b"PK\x05\x06" + bytes(18)),
    "header of terabytes": ("safetensors", lambda: safetensors({}, length=2**40)),
    "header of the largest number": ("safetensors", lambda: safetensors({}, length=2**64 - 1)),
    "offsets beyond the end": ("safetensors", lambda: safetensors(tensor([1, 2], [0, 16]), bytes(8))),
    "offsets of terabytes": ("safetensors", lambda: safetensors(tensor([1, 2**40], [0, 2**43]), bytes(16))),
    "offsets backwards": ("safetensors", lambda: safetensors(tensor([1, 2], [16, 0]), bytes(16))),
    "negative offsets": ("safetensors", lambda: safetensors(tensor([1, 2], [-16, 0]), bytes(16))),
    "offsets and shape disagree": ("safetensors", lambda: safetensors(tensor([1, 3], [0, 16]), bytes(16))),
    "overflowing tensor": ("safetensors", lambda: safetensors(tensor([2**32, 2**32], [0, 0]))),
    "overflowing tensor to one": (
        "safetensors", lambda: safetensors(tensor([274177, 67280421310721], [0, 8]), bytes(8))),
    "empty tensor of terabytes": ("safetensors", lambda: safetensors(tensor([0, 2**40], [0, 0]))),
    "tensor of many axes": ("safetensors", lambda: safetensors(tensor([1] * 100, [0, 8]), bytes(8))),
    "overlapping tensors": ("safetensors", lambda: safetensors(
        {**tensor([1, 2], [0, 16]), "b": {"dtype": "F64", "shape": [1, 2], "data_offsets": [0, 16]}}, bytes(16))),
    "unknown dtype": ("safetensors", lambda: safetensors(tensor([1, 2], [0, 2], "F8_E4M3"), bytes(2))),
    "deep json": ("safetensors", lambda: safetensors(b"{" + b'"a":{' * 100_000)),
    "header that is no object": ("safetensors", lambda: safetensors(b"[1]")),
    "tensor that is no object": ("safetensors", lambda: safetensors({"a": 3})),
    "twice the same tensor": ("safetensors", lambda: safetensors(
        b'{"a":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]},"a":{"dtype":"F64","shape":[1,2],"data_offsets":[0,16]}}',
        bytes(16))),
    "many tensors": ("safetensors", lambda: safetensors(
        {str(i): {"dtype": "F64", "shape": [0], "data_offsets": [0, 0]} for i in range(20_000)})),
}  # fmt: skip


def _twice() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        archive.writestr("a.npy", matrix())
        archive.writestr("a.npy", npy(described("(1, 2)"), bytes(16)))
    return file.getvalue()


def _flagged(bits: int) -> bytes:
    return _with_field(6, bits)


def _compressed_by(method: int) -> bytes:
    return _with_field(8, method)


def _with_field(offset: int, value: int) -> bytes:
    """A zip with another number in a field of its entry, and in the same field of its list of contents."""
    data = bytearray(zipped("a.npy", matrix()))
    for at in (offset, data.index(b"PK\x01\x02") + offset + 2):
        data[at : at + 2] = struct.pack("<H", value)
    return bytes(data)


def _device(path: Path) -> None:
    path.symlink_to("/dev/zero")


SPECIAL: dict[str, Callable[[Path], None]] = {
    "fifo": lambda path: os.mkfifo(path),
    "directory": lambda path: path.mkdir(),
    "device": _device,
    "loop of symlinks": lambda path: path.symlink_to(path.name),
    "dangling symlink": lambda path: path.symlink_to("nowhere"),
}
"""What stands where a file should."""


def made(name: str, folder: Path) -> Path:
    """The hostile file of that name in the folder; a scenario that reads it may be beside it."""
    if name in SPECIAL:
        SPECIAL[name](folder / "a.npy")
        return folder / "a.npy"
    kind, data = FILES[name]
    path = folder / f"a.{kind}"
    path.write_bytes(data())
    return path


def scenario(path: Path, **more: object) -> Path:
    """A scenario beside an array's file that reads it as its scores."""
    kind = path.suffix[1:]
    reference = {kind: path.name, **({} if kind == "npy" else {"key": "a"})}
    (path.parent / "scenario.json").write_text(json.dumps({"scores": reference, **more}))
    return path.parent / "scenario.json"
