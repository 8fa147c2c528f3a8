"""Large arrays are read in parts from every kind of file, and a row of a long context says the same from each."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from test_array_files import safetensors, tensor
from test_long_command import PEAK

from attncalc.cli import long_roads
from attncalc.long import rows
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.array_places import located
from attncalc.scenario_files.beside import Folder

NUMBERS = np.random.default_rng(11).integers(-9, 9, (3, 4, 50, 6)) / 4
"""Numbers that every type of floating point holds."""

Written = Callable[[Path, np.ndarray], dict[str, Any]]


def npy(dtype: str, order: Any = "C") -> Written:
    """An `.npy` of a type and order."""

    def write(folder: Path, values: np.ndarray) -> dict[str, Any]:
        np.save(folder / "a.npy", np.asarray(values, dtype=dtype, order=order))
        return {"npy": "a.npy"}

    return write


def npz(save: Callable[..., None]) -> Written:
    """An entry of an `.npz`, another before it."""

    def write(folder: Path, values: np.ndarray) -> dict[str, Any]:
        save(folder / "a.npz", other=np.arange(5), a=values)
        return {"npz": "a.npz", "key": "a"}

    return write


def tensors(dtype: str, code: str) -> Written:
    """A tensor between two others."""

    def write(folder: Path, values: np.ndarray) -> dict[str, Any]:
        raw = tensor(dtype, values, code)
        if dtype == "BF16":  # the upper halves
            halves = (np.asarray(values, np.float32).view(np.uint32) >> 16).astype("<u2")
            raw = (dtype, values.shape, halves.tobytes())
        other = tensor("F32", [1, 2], "<f4")
        safetensors(folder / "a.safetensors", first=other, a=raw, last=other)
        return {"safetensors": "a.safetensors", "key": "a"}

    return write


KINDS: dict[str, Written] = {
    "npy": npy("<f4"), "big-endian": npy(">f8"), "half": npy("<f2"), "whole numbers": npy("<i4"),
    "by columns": npy("<f4", "F"), "big-endian by columns": npy(">f4", "F"),
    "stored npz": npz(np.savez), "compressed npz": npz(np.savez_compressed),
    "F64": tensors("F64", "<f8"), "F32": tensors("F32", "<f4"), "F16": tensors("F16", "<f2"),
    "BF16": tensors("BF16", "<u2"), "I8": tensors("I8", "i1"),
}  # fmt: skip

PARTS: dict[str, tuple[int, dict[str, Any]]] = {
    "matrix": (2, {}), "columns": (2, {"columns": [1, 4]}), "heads": (3, {}), "batch and heads": (4, {}),
    "a head": (3, {"index": [2]}), "a head's columns": (4, {"index": [1, 3], "columns": [2, 5]}),
    "a batch entry": (4, {"index": [2]}),
}  # fmt: skip


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_those_of_the_whole_array(kind: str, part: str, tmp_path: Path) -> None:
    """Read forwards and backwards, at the edges and in the middle."""
    axes, chosen = PARTS[part]
    whole = NUMBERS[(0,) * (4 - axes)]
    reference = {**KINDS[kind](tmp_path, np.trunc(whole) if kind in ("whole numbers", "I8") else whole), **chosen}
    wanted = load_array(reference, Folder(tmp_path), "")
    found = located(reference, Folder(tmp_path))
    assert found is not None
    assert found.shape == wanted.shape
    np.testing.assert_array_equal(found.all(), wanted)
    for lead in [*np.ndindex(*wanted.shape[:-2])][::-1]:
        for first, last in ((48, 50), (0, 1), (7, 30), (0, 50)):
            np.testing.assert_array_equal(found.read(lead, slice(first, last)), wanted[lead][first:last])


@pytest.mark.parametrize("kind", KINDS)
def test_a_row_of_a_long_context_says_the_same(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Key by key to the last digit of float64, whatever kind of file the numbers lie in."""
    for name, value in {"EAGER": 1000, "SMALL": 100, "TOLD": 100}.items():
        monkeypatch.setattr(long_roads, name, value)
    monkeypatch.setattr(rows, "STREAMED", 16)
    values = np.trunc(NUMBERS[0, 0]) if kind in ("whole numbers", "I8") else NUMBERS[0, 0]
    reference = KINDS[kind](tmp_path, values)
    said = []
    for given in (reference, {"npy": "plain.npy"}):
        np.save(tmp_path / "plain.npy", np.float64(values))
        path = tmp_path / "row.json"
        path.write_text(json.dumps({"q": given, "k": given, "v": given, "arithmetic": "float64"}))
        said.append(out("run", str(path), "--token", "30", "--json"))
    assert said[0] == said[1]
    assert '"attncalc-summary/1"' in said[0]


def test_damaged_bytes_of_a_compressed_array_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When they are come to, as a file that is damaged, and nothing is written."""
    for name, value in {"EAGER": 1000, "SMALL": 100, "TOLD": 100}.items():
        monkeypatch.setattr(long_roads, name, value)
    np.savez_compressed(tmp_path / "a.npz", a=np.random.default_rng(1).standard_normal((5000, 8)))
    data = bytearray((tmp_path / "a.npz").read_bytes())
    data[-5000:-4000] = bytes(1000)
    (tmp_path / "a.npz").write_bytes(data)
    given = {"npz": "a.npz", "key": "a"}
    (tmp_path / "row.json").write_text(json.dumps({"q": given, "k": given, "v": given}))
    for language, words in (("en", "it is damaged"), ("zh", "文件已损坏")):
        done = call("explain", str(tmp_path / "row.json"), "--token", "3", language=language)
        assert (done.code, done.out) == (2, "")
        assert words in done.err


def _header(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


BROKEN: dict[str, bytes] = {
    "empty": b"", "cut": _header(b'{"a": {"dtype": "F32", "shape": [50, 6], "data_offsets": [0, 1200]}}') + bytes(900),
    "a gap": _header(b'{"a": {"dtype": "F32", "shape": [50, 6], "data_offsets": [4, 1204]}}') + bytes(1204),
    "another size": _header(b'{"a": {"dtype": "F32", "shape": [50, 7], "data_offsets": [0, 1200]}}') + bytes(1200),
    "no header": _header(b"[]"), "no number": _header(b'{"a": 1}'), "no length": b"\xff" * 40,
    "no offsets": _header(b'{"a": {"dtype": "F32", "shape": [50, 6], "data_offsets": ["x", null]}}') + bytes(1200),
    "negative": _header(b'{"a": {"dtype": "F32", "shape": [-50, -6], "data_offsets": [0, 1200]}}') + bytes(1200),
    "nested": _header(b"[" * 100_000),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_left_to_the_reader_of_whole_arrays(what: str, tmp_path: Path) -> None:
    """Which says what is wrong; nothing is read from a place that a header only claims."""
    (tmp_path / "a.safetensors").write_bytes(BROKEN[what])
    assert located({"safetensors": "a.safetensors", "key": "a"}, Folder(tmp_path)) is None


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
@pytest.mark.parametrize("kind", ["npy", "by columns", "compressed npz", "F32", "BF16"])
def test_a_row_takes_little_memory(kind: str, tmp_path: Path) -> None:
    """A row of 400,000 keys takes less than 60 MB, from every kind of file."""
    draw = np.random.default_rng(1)
    reference = KINDS[kind](tmp_path, draw.integers(-9, 9, (400_000, 64)).astype(np.float32) / 4)
    path = tmp_path / "big.json"
    path.write_text(json.dumps({**dict.fromkeys("qkv", reference), "mask": "causal"}))
    command = [sys.executable, "-c", PEAK, str(path), "row"]
    done = subprocess.run(command, capture_output=True, timeout=300, check=True)
    assert float(done.stdout) < 60
