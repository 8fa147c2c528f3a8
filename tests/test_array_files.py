"""Arrays in files beside the scenario: every kind that is read, the part that is taken, and what is refused."""

from __future__ import annotations

import io
import json
import struct
import zipfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import Document, listed, refusal, steps_of, trace_of
from calling import call, out
from running import run_program

from attncalc.scenario_files import npy_files

MATRIX = np.array([[0.1, -2.5, 3], [1e-300, 5e-324, 7]])
HALVES = np.array([[0.5, -2.5, 3], [0.25, 65504, 6e-8]])
V = [[1], [2], [3]]


def safetensors(path: Path, **tensors: tuple[str, tuple[int, ...], bytes]) -> None:
    """Writes a file by the format's own description: length, header, data."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def tensor(dtype: str, values: Any, code: str) -> tuple[str, tuple[int, ...], bytes]:
    """A tensor of a NumPy type under its safetensors name."""
    array = np.asarray(values, dtype=code)
    return dtype, array.shape, array.tobytes()


def bfloat16(*words: int) -> tuple[str, tuple[int, ...], bytes]:
    """A row of bfloat16 numbers by their bits."""
    return "BF16", (1, len(words)), struct.pack(f"<{len(words)}H", *words)


def read(reference: Any, folder: Path) -> Any:
    """The weights that a reference gives, as decimals: nothing is calculated from them."""
    return trace_of({"weights": reference}, "exact", folder)["weights"].exact


def said(folder: Path, scores: Any, language: str = "en", **rest: Any) -> str:
    """The one sentence that refuses a reference, without the place."""
    (sentence,) = refusal({"scores": scores, **rest}, language, folder)
    assert sentence.startswith("scenario: scores")
    return sentence.removeprefix("scenario: scores").removeprefix(": ")


# --- what is read ---------------------------------------------------------------------------------

NUMPY_TYPES = ("float64", "float32", "float16", "int64", "int32", "int8", "uint8", "bool", ">f8", ">i4")


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_numpy_files_are_read_as_the_exact_values_they_hold(kind: str, dtype: str, tmp_path: Path) -> None:
    """Of every type of number, in either byte order, and by columns as Fortran stores them."""
    values = np.asfortranarray(HALVES if np.dtype(dtype).kind == "f" else [[1, 0, 1], [0, 1, 1]]).astype(dtype)
    if kind == "npy":
        np.save(tmp_path / "a.npy", values)
    else:
        np.savez_compressed(tmp_path / "a.npz", other=[1], scores=values)
    reference = {"npy": "a.npy"} if kind == "npy" else {"npz": "a.npz", "key": "scores"}
    assert listed(read(reference, tmp_path)) == [[Decimal(float(x)) for x in row] for row in values]


def test_a_double_keeps_all_its_digits(tmp_path: Path) -> None:
    """0.1 from a file is 0.1000000000000000055511151231257827…"""
    np.save(tmp_path / "a.npy", MATRIX)
    assert read({"npy": "a.npy"}, tmp_path)[0, 0] == Decimal.from_float(0.1) != Decimal("0.1")
    assert read({"npy": "a.npy"}, tmp_path)[1, 1] == Decimal.from_float(5e-324)


SAFETENSORS = [
    ("F64", "<f8"), ("F32", "<f4"), ("F16", "<f2"), ("I64", "<i8"), ("I32", "<i4"), ("I16", "<i2"), ("I8", "i1"),
    ("U8", "u1"), ("BOOL", "?"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "code"), SAFETENSORS)
def test_safetensors_are_read_as_the_exact_values_they_hold(dtype: str, code: str, tmp_path: Path) -> None:
    """Of every type of number."""
    values = np.asarray(HALVES if "f" in code else [[1, 0, 1], [0, 1, 1]]).astype(code)
    safetensors(tmp_path / "a.safetensors", other=tensor("F32", [9], "<f4"), scores=tensor(dtype, values, code))
    got = read({"safetensors": "a.safetensors", "key": "scores"}, tmp_path)
    assert listed(got) == [[Decimal(float(x)) for x in row] for row in values]


BFLOAT16 = [
    # bits, value
    (0x3F80, "1"), (0xBF80, "-1"), (0x3DCD, "0.10009765625"), (0x4049, "3.140625"), (0x0000, "0"), (0x8000, "0"),
    (0x7F7F, "338953138925153547590470800371487866880"), (0x0080, str(Decimal(2) ** -126)),
    (0x0001, str(Decimal(2.0**-133))), (0xC2F7, "-123.5"),
]  # fmt: skip


def test_bfloat16_is_read_as_its_exact_values(tmp_path: Path) -> None:
    """The upper half of a float32: large, tiny and denormal ones too."""
    safetensors(tmp_path / "a.safetensors", a=bfloat16(*(bits for bits, _ in BFLOAT16)))
    given = read({"safetensors": "a.safetensors", "key": "a"}, tmp_path)[0]
    for got, (_, wanted) in zip(given, BFLOAT16, strict=True):
        assert float(got) == float(wanted)
        assert got == Decimal(float(wanted))


def test_infinity_from_a_file_hides_and_flags_are_a_mask(tmp_path: Path) -> None:
    """−∞ among scores, and true and false as they are stored."""
    np.savez(tmp_path / "a.npz", scores=np.array([[1, -np.inf], [2, 3]]), keep=np.array([[True, True], [False, True]]))
    document = {"scores": {"npz": "a.npz", "key": "scores"}, "mask": {"keep": {"npz": "a.npz", "key": "keep"}}}
    assert listed(steps_of(document, folder=tmp_path)["weights"]) == [[1, 0], [0, 1]]


# --- the part that is taken -----------------------------------------------------------------------

CUBE = np.arange(2 * 3 * 4 * 6).reshape(2, 3, 4, 6)
PARTS: list[tuple[Document, Any]] = [
    ({"index": [1]}, CUBE[1]), ({"index": [0, 2]}, CUBE[0, 2]), ({"index": [1, 0, 3]}, CUBE[1, 0, 3]),
    ({"columns": [0, 2]}, CUBE[..., 0:2]), ({"columns": [4, 6]}, CUBE[..., 4:6]),
    ({"index": [1, 2], "columns": [2, 4]}, CUBE[1, 2, :, 2:4]), ({"index": []}, CUBE), ({}, CUBE),
]  # fmt: skip


@pytest.mark.parametrize(("part", "wanted"), PARTS)
def test_index_and_columns_take_a_part(part: Document, wanted: Any, tmp_path: Path) -> None:
    """Positions on the leading axes, a range of the last."""
    np.save(tmp_path / "a.npy", CUBE)
    assert (read({"npy": "a.npy", **part}, tmp_path).astype(float) == wanted).all()


def test_three_matrices_are_cut_out_of_one(tmp_path: Path) -> None:
    """A fused q, k, v: the columns in thirds."""
    x, fused = np.arange(6).reshape(2, 3) / 4, np.arange(18).reshape(3, 6) / 8
    np.save(tmp_path / "w.npy", fused)
    cut = {f"w_{letter}": {"npy": "w.npy", "columns": [2 * i, 2 * i + 2]} for i, letter in enumerate("qkv")}
    steps = steps_of({"x": listed(x), **cut}, folder=tmp_path)
    assert (np.concatenate([steps[letter] for letter in "qkv"], axis=1) == x @ fused).all()


# --- where files are looked for -------------------------------------------------------------------


def written(folder: Path, name: str = "scenario.json", **reference: Any) -> Path:
    """A scenario file that names `a.npy`, and that file beside it."""
    folder.mkdir(exist_ok=True)
    np.save(folder / "a.npy", [[1.0, 3.0]])
    (folder / name).write_text(json.dumps({"scores": {"npy": "a.npy", **reference}}))
    return folder / name


def test_files_are_looked_for_beside_the_scenario(tmp_path: Path) -> None:
    """Not where the program is started."""
    path = written(tmp_path / "there")
    done = run_program("run", str(path), "--json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert json.loads(done.out)["steps"][0]["values"] == [[1, 3]]
    assert json.loads(done.out)["scenario"]["scores"] == {"npy": "a.npy"}


def test_a_scenario_on_standard_input_looks_in_the_current_folder(tmp_path: Path) -> None:
    """There is no other place that it could mean."""
    text = written(tmp_path / "there").read_bytes()
    assert run_program("run", "-", "--json", stdin=text, cwd=tmp_path / "there").code == 0
    done = run_program("run", "-", "--json", stdin=text, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "attncalc: stdin: scores: there is no file a.npy beside the scenario\n"


def test_files_may_lie_in_a_folder_below(tmp_path: Path) -> None:
    """Beside the scenario, or deeper."""
    written(tmp_path / "arrays")
    assert listed(read({"npy": "arrays/a.npy"}, tmp_path)) == [[1, 3]]


OUTSIDE = [
    # the name, where it leads on this system; {} is the folder above
    ("../a.npy", "{}/a.npy"), ("arrays/../../a.npy", "{}/a.npy"), ("arrays/../a.npy", "{}/here/a.npy"),
    ("..\\a.npy", "{}/here/..\\a.npy"), ("/etc/a.npy", "/etc/a.npy"), ("C:\\a.npy", "C:\\a.npy"),
    ("C:a.npy", "C:a.npy"), ("\\\\host\\share\\a.npy", "\\\\host\\share\\a.npy"), ("..", "{}"),
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "target"), OUTSIDE)
def test_a_path_that_may_lead_outside_is_refused(name: str, target: str, language: str, tmp_path: Path) -> None:
    """Upwards, absolute, or on another drive; whether there is such a file or not."""
    np.save(tmp_path / "a.npy", [1.0])
    (tmp_path / "here" / "arrays").mkdir(parents=True)
    target = target.format(tmp_path)
    assert said(tmp_path / "here", {"npy": name}, language) == {
        "en": f"{name} is not read: an absolute path, or one with .., may lead anywhere (here to {target}); "
              "put the file beside the scenario, or give --allow-outside",
        "zh": f"没有读取 {name}：绝对路径和含 .. 的路径可能指向任何地方（这里指向 {target}）；"
              "请把文件放到算例旁边，或者加上 --allow-outside",
    }[language]  # fmt: skip


# --- what is refused ------------------------------------------------------------------------------


REASONS = {
    "en": {
        "beginning": "it does not begin as one", "empty": "it is empty", "cut": "it is cut short",
        "damaged": "it is damaged", "header": "what it says of its arrays cannot be understood",
        "objects": "it holds Python objects, which are never read",
    },
    "zh": {
        "beginning": "文件开头不是这种格式", "empty": "文件是空的", "cut": "文件不完整，后面缺了一段",
        "damaged": "文件已损坏", "header": "文件中对数组的说明无法识别",
        "objects": "里面是 Python 对象，这种内容一律不读",
    },
}  # fmt: skip


def broken(name: str, reason: str, language: str = "en") -> str:
    """The sentence for a file that cannot be read."""
    kind = name.partition(".")[2]
    words = {"en": f"the file {name} is not a sound {kind} file: ", "zh": f"文件 {name} 不是完好的 {kind} 文件："}
    return words[language] + REASONS[language][reason]


class Runs:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Callable[[str], Any], tuple[str]]:
        return Path.touch, (self.mark,)  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_pickled_data_is_refused_and_not_run(kind: str, tmp_path: Path) -> None:
    """An array of objects could be any program."""
    mark = tmp_path / "mark"
    array = np.array([Runs(mark)], dtype=object)
    np.save(tmp_path / "a.npy", array, allow_pickle=True)
    np.savez(tmp_path / "a.npz", a=array)
    reference = {"npy": "a.npy"} if kind == "npy" else {"npz": "a.npz", "key": "a"}
    assert said(tmp_path, reference) == broken(f"a.{kind}", "objects")
    assert said(tmp_path, reference, "zh") == broken(f"a.{kind}", "objects", "zh")
    assert not mark.exists()


def test_a_pickle_under_another_name_is_refused_and_not_run(tmp_path: Path) -> None:
    """NumPy would try it as a pickle."""
    import pickle

    mark = tmp_path / "mark"
    for name in ("a.npy", "a.npz"):
        (tmp_path / name).write_bytes(pickle.dumps(Runs(mark)))
    assert said(tmp_path, {"npy": "a.npy"}) == broken("a.npy", "beginning")
    assert said(tmp_path, {"npz": "a.npz", "key": "a"}) == broken("a.npz", "beginning")
    assert not mark.exists()


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is unpacked, of narrow numbers by what they are as doubles; the other arrays of the file are read."""
    monkeypatch.setattr(npy_files, "MOST_UNPACKED", 1000)
    for zeros in (np.zeros((1, 2000)), np.zeros((2, 1000), bool)):
        np.savez_compressed(tmp_path / "a.npz", a=zeros, b=np.ones((1, 2)))
        assert said(tmp_path, NPZ).startswith("the array in a.npz unpacks to ")
    assert listed(read(NPZ | {"key": "b"}, tmp_path)) == [[1, 1]]


def save(path: Path, values: Any) -> None:
    """A `.npy`."""
    np.save(path / "a.npy", values)


def cut_short(name: str, rest: int) -> Callable[[Path], None]:
    """Files as they should be, of which one has lost its end."""

    def write(folder: Path) -> None:
        save(folder, MATRIX)
        np.savez(folder / "a.npz", a=MATRIX)
        safetensors(folder / "a.safetensors", a=tensor("F64", MATRIX, "<f8"))
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-rest])

    return write


def text_file(name: str) -> Callable[[Path], Any]:
    """A file that is none of the kinds."""
    return lambda folder: (folder / name).write_text("1 2 3\n4 5 6\n")


STRUCTURED = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
NPY, NPZ = {"npy": "a.npy"}, {"npz": "a.npz", "key": "a"}
SAFE = {"safetensors": "a.safetensors", "key": "a"}
REFUSED: list[tuple[str, Callable[[Path], Any], Document, str]] = [
    # what is wrong, who makes the files, the reference, the sentence (or its beginning, before …)
    ("missing", lambda f: None, NPY, "there is no file a.npy beside the scenario"),
    ("missing npz", lambda f: None, NPZ, "there is no file a.npz beside the scenario"),
    ("missing safetensors", lambda f: None, SAFE, "there is no file a.safetensors beside the scenario"),
    ("a folder", lambda f: (f / "a.npy").mkdir(), NPY, "a.npy is a directory, and only plain files are read"),
    ("missing key", lambda f: np.savez(f / "a.npz", q=[1], k=[2]), NPZ, "a.npz has no array a; there are q, k"),
    ("missing key, safetensors", lambda f: safetensors(f / "a.safetensors", q=tensor("F32", [1], "<f4")), SAFE,
     "a.safetensors has no array a; there are q"),
    ("structured", lambda f: save(f, STRUCTURED), NPY,
     "the array in a.npy has the type [('a', '<i4'), ('b', '<f8')]; wanted are numbers"),
    ("complex", lambda f: save(f, [1j]), NPY, "the array in a.npy has the type complex128; wanted are numbers"),
    ("text", lambda f: save(f, ["a"]), NPY, "the array in a.npy has the type <U1; wanted are numbers"),
    ("dates", lambda f: save(f, np.array(["2020-01-01"], "datetime64[D]")), NPY,
     "the array in a.npy has the type datetime64[D]; wanted are numbers"),
    ("8-bit floats", lambda f: safetensors(f / "a.safetensors", a=("F8_E4M3", (2,), b"12")), SAFE,
     "the array in a.safetensors has the type F8_E4M3; wanted are numbers"),
    ("cut npy", cut_short("a.npy", 8), NPY, "the file a.npy is not a sound npy file: …"),
    ("cut header", cut_short("a.npy", 150), NPY, "the file a.npy is not a sound npy file: …"),
    ("cut npz", cut_short("a.npz", 40), NPZ, "the file a.npz is not a sound npz file: …"),
    ("cut safetensors", cut_short("a.safetensors", 8), SAFE, "the file a.safetensors is not a sound safetensors file: …"),
    ("a name too long", lambda f: None, {"npy": "a" * 300}, f"the file {'a' * 300} cannot be read: File name too long"),
    ("empty file", lambda f: (f / "a.npy").write_bytes(b""), NPY, "the file a.npy is not a sound npy file: …"),
    ("text as npy", text_file("a.npy"), NPY, "the file a.npy is not a sound npy file: …"),
    ("text as npz", text_file("a.npz"), NPZ, "the file a.npz is not a sound npz file: …"),
    ("text as safetensors", text_file("a.safetensors"), SAFE, "the file a.safetensors is not a sound safetensors file: …"),
    ("npy as npz", lambda f: np.save((f / "a.npz").open("wb"), MATRIX), NPZ, "the file a.npz is not a sound npz file: …"),
    ("npz as npy", lambda f: np.savez((f / "a.npy").open("wb"), a=MATRIX), NPY, "the file a.npy is not a sound npy file: …"),
    ("index beyond", lambda f: save(f, MATRIX), NPY | {"index": [2]}, "index 2 does not exist on an array of shape 2×3"),
    ("second index beyond", lambda f: save(f, MATRIX), NPY | {"index": [1, 3]}, "index 3 does not exist on an array of shape 3"),
    ("index too deep", lambda f: save(f, MATRIX), NPY | {"index": [1, 1, 0]}, "index 0 does not exist on an array of shape 1"),
    ("columns beyond", lambda f: save(f, MATRIX), NPY | {"columns": [1, 4]}, "columns 1 to 4 do not exist on an array of shape 2×3"),
    ("columns empty", lambda f: save(f, MATRIX), NPY | {"columns": [1, 1]}, "columns 1 to 1 do not exist on an array of shape 2×3"),
    ("columns backwards", lambda f: save(f, MATRIX), NPY | {"columns": [2, 1]}, "columns 2 to 1 do not exist on an array of shape 2×3"),
    ("columns of a number", lambda f: save(f, 1.0), NPY | {"columns": [0, 1]}, "columns 0 to 1 do not exist on an array of shape 1"),
    ("too many axes", lambda f: save(f, np.ones((1, 1, 1, 1, 1))), NPY, "has 5 axes; wanted are 1–4"),
    ("a number", lambda f: save(f, 1.0), NPY, "has 0 axes; wanted are 1–4"),
    ("index leaves a number", lambda f: save(f, MATRIX), NPY | {"index": [1, 1]}, "has 0 axes; wanted are 1–4"),
    ("no rows", lambda f: save(f, np.ones((0, 3))), NPY, "is empty; wanted is at least one entry"),
    ("no columns", lambda f: save(f, np.ones((3, 0))), NPY, "is empty; wanted is at least one entry"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "write", "reference", "sentence"), REFUSED, ids=[row[0] for row in REFUSED])
def test_what_cannot_be_read_is_refused_by_file_and_key(
    name: str, write: Callable[[Path], Any], reference: Document, sentence: str, tmp_path: Path
) -> None:
    """One sentence, and one in Chinese; never a traceback."""
    write(tmp_path)
    found = said(tmp_path, reference)
    assert found.startswith(sentence.removesuffix("…")) if sentence.endswith("…") else found == sentence
    assert said(tmp_path, reference, "zh") not in ("", found)


def sound(kind: str) -> bytes:
    """The bytes of a file with one array, `a`."""
    written = io.BytesIO()
    if kind == "safetensors":
        header = b'{"a":{"dtype":"F64","shape":[2,3],"data_offsets":[0,48]}}'
        return struct.pack("<Q", len(header)) + header + MATRIX.tobytes()
    if kind == "npy":
        np.save(written, MATRIX)
    else:
        np.savez(written, a=MATRIX)
    return written.getvalue()


def zipped(member: bytes) -> bytes:
    """An `.npz` whose array `a` has these bytes."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("a.npy", member)
    return written.getvalue()


def headed(header: bytes) -> bytes:
    """A safetensors file of a header alone."""
    return struct.pack("<Q", len(header)) + header


NPY_BYTES, NPZ_BYTES, SAFE_BYTES = sound("npy"), sound("npz"), sound("safetensors")
HUGE = NPY_BYTES.replace(b"(2, 3), }" + b" " * 20, b"(99999999999, 99999), }".ljust(29))
BROKEN: list[tuple[str, bytes, str]] = [
    # the kind, the bytes of the file, what is wrong
    *((kind, b"hello", "beginning") for kind in ("npy", "npz", "safetensors")),
    *((kind, b"", "empty") for kind in ("npy", "npz", "safetensors")),
    ("safetensors", b"hello, more than eight", "beginning"), ("npz", b"PK no zip", "beginning"),
    ("npz", NPY_BYTES, "beginning"), ("npy", NPZ_BYTES, "beginning"), ("safetensors", NPZ_BYTES, "beginning"),
    *(("npy", NPY_BYTES[:length], "cut") for length in (1, 6, 9, 60, 128, 140, len(NPY_BYTES) - 1)),
    *(("npz", NPZ_BYTES[:length], "cut") for length in (1, 4, 30, 200, len(NPZ_BYTES) - 1)),
    *(("safetensors", SAFE_BYTES[:length], "cut") for length in (1, 8, 9, 40, 70, len(SAFE_BYTES) - 1)),
    ("npz", NPZ_BYTES.replace(MATRIX.tobytes(), bytes(48)), "damaged"),
    ("npz", zipped(NPY_BYTES[:-8]), "cut"), ("npz", zipped(b"hello"), "beginning"), ("npz", zipped(b""), "empty"),
    ("npy", NPY_BYTES.replace(b"(2, 3)", b"(2, a)"), "header"), ("npy", b"\x93NUMPY\x09" + NPY_BYTES[7:], "header"),
    ("npy", NPY_BYTES.replace(b"<f8", b"<q9"), "header"), ("npy", NPY_BYTES.replace(b"{", b"("), "header"),
    ("npy", HUGE, "cut"), ("npz", zipped(HUGE), "cut"),
    ("safetensors", headed(b"{no}"), "header"), ("safetensors", SAFE_BYTES + b"x", "header"),
    ("safetensors", headed(b'{"a":' * 4000), "header"), ("safetensors", headed(b'{"a":{"data_offsets":5}}'), "header"),
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("kind", "data", "reason"), BROKEN)
def test_what_is_wrong_with_a_file_is_said_in_words_of_our_own(
    kind: str, data: bytes, reason: str, language: str, tmp_path: Path
) -> None:
    """Never in those of a library, which may advise what is unsafe."""
    (tmp_path / f"a.{kind}").write_bytes(data)
    assert said(tmp_path, {"npy": NPY, "npz": NPZ, "safetensors": SAFE}[kind], language) == broken(
        f"a.{kind}", reason, language
    )


@pytest.mark.parametrize(("language", "words"), [("en", "a.npz holds no arrays"), ("zh", "a.npz 中没有数组")])
def test_an_archive_without_arrays_is_said_to_have_none(language: str, words: str, tmp_path: Path) -> None:
    """Not that the key is none of nothing."""
    np.savez(tmp_path / "a.npz")
    assert said(tmp_path, NPZ, language) == words


FORMS: list[tuple[Document, str]] = [
    # a reference, what is wrong with how it is written
    ({"key": "a"}, "scores: names an array in a file by exactly one of npy, npz, safetensors, zarr"),
    ({"npy": "a.npy", "npz": "a.npz", "key": "a"}, "scores: names an array in a file by exactly one of npy, npz, safetensors, zarr"),
    ({"npz": "a.npz"}, "scores: needs a key: an npz file holds several arrays"),
    ({"safetensors": "a.safetensors"}, "scores: needs a key: a safetensors file holds several arrays"),
    ({"npy": "a.npy", "key": "a"}, "scores: has a key, but npy is a single array"),
    ({"npy": "a.npy", "row": 1}, "scores.row: is not a key that is known here; known are npy, npz, safetensors, zarr, key, index, columns"),
    ({"npy": "a.npy", "index": 1}, "scores.index: is 1; wanted is a list of whole numbers from 0 up"),
    ({"npy": "a.npy", "index": [-1]}, "scores.index[0]: is -1; wanted is a whole number from 0 up"),
    ({"npy": "a.npy", "index": [0.5]}, "scores.index[0]: is 0.5; wanted is a whole number"),
    ({"npy": "a.npy", "columns": [1]}, "scores.columns: is a list; wanted is a list of 2 whole numbers from 0 up"),
    ({"npy": 5}, "scores.npy: is 5; wanted is a text, in quotes"),
    ({"npy": {"en": "a.npy"}}, "scores.npy: is an object; wanted is a text, in quotes"),
    ({"npz": "a.npz", "key": {"en": "a"}}, "scores.key: is an object; wanted is a text, in quotes"),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "sentence"), FORMS)
def test_how_a_reference_is_written_is_checked(reference: Document, sentence: str, tmp_path: Path) -> None:
    """Before any file is opened."""
    found = refusal({"scores": reference}, folder=tmp_path)
    assert found == [f"scenario: {sentence}"]


WRONG_VALUES: list[tuple[str, Any, Document]] = [
    # where, what the file holds there, the rest of the scenario
    ("ids", [0.5, 1], {"embedding": [[1], [2]]}), ("ids", [np.nan, 1], {"embedding": [[1], [2]]}),
    ("ids", [np.inf, 1], {"embedding": [[1], [2]]}), ("ids", [7, 1], {"embedding": [[1], [2]]}),
    ("ids", [-1, 1], {"embedding": [[1], [2]]}), ("mask.keep", [[1, 2], [1, 1]], {"scores": [[1, 2], [3, 4]]}),
    ("mask.drop", [[0, 0.5], [1, 0]], {"scores": [[1, 2], [3, 4]]}), ("mask.keep", [np.nan, 1], {"scores": [[1, 2], [3, 4]]}),
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("path", "values", "rest"), WRONG_VALUES)
def test_values_that_an_array_cannot_have_are_refused_in_a_file_too(
    path: str, values: Any, rest: Document, language: str, tmp_path: Path
) -> None:
    """As they are where they are written out: token ids are whole and in the table, a mask is 1 and 0."""
    save(tmp_path, values)
    document = {**rest, "ids": NPY} if path == "ids" else {**rest, "mask": {path.split(".")[1]: NPY}}
    (sentence,) = refusal(document, language, tmp_path)
    assert sentence.startswith(f"scenario: {path}")


KEY_LENGTHS = {"scores": [[[[1, 2, 3]]], [[[1, 2, 3]]]]}


def test_key_lengths_may_come_from_a_file(tmp_path: Path) -> None:
    """An array is a list of numbers or a reference, wherever it stands."""
    save(tmp_path, [1, 2])
    weights = steps_of({**KEY_LENGTHS, "mask": {"key_lengths": NPY}}, folder=tmp_path)["weights"]
    assert ((weights != 0) == [[[[1, 0, 0]]], [[[1, 1, 0]]]]).all()


def test_every_broken_file_is_reported_at_once(tmp_path: Path) -> None:
    """One sentence each."""
    document = {
        "q": {"npy": "q.npy"},
        "k": {"npz": "k.npz", "key": "k"},
        "v": {"safetensors": "v.safetensors", "key": "v"},
    }
    assert refusal(document, folder=tmp_path) == [
        "scenario: q: there is no file q.npy beside the scenario",
        "scenario: k: there is no file k.npz beside the scenario",
        "scenario: v: there is no file v.safetensors beside the scenario",
    ]


# --- `show` ---------------------------------------------------------------------------------------


@pytest.fixture
def with_files(tmp_path: Path) -> Path:
    """A scenario whose queries and keys are in a file beside it."""
    np.savez(tmp_path / "run.npz", q=[[1, 2], [3, 4.5]], k=[[0.5, 1], [2, 0.25]])
    references = {name: {"npz": "run.npz", "key": name} for name in "qk"}
    (tmp_path / "mine.json").write_text(json.dumps(references))
    return tmp_path / "mine.json"


def test_show_takes_the_changes_that_run_takes(with_files: Path) -> None:
    """A number inside an array file: that array is put in, the other stays a file."""
    shown = json.loads(out("show", str(with_files), "--set", "q.0.1=2.25"))
    assert shown == {"q": [[1, 2.25], [3, 4.5]], "k": {"npz": "run.npz", "key": "k"}}


@pytest.mark.parametrize("trace", [False, True])
def test_what_show_writes_elsewhere_can_be_read_there(with_files: Path, trace: bool) -> None:
    """Arrays in files are put in where they would not be found; a trace holds a scenario, and so do its arrays."""
    source, there = with_files, with_files.parent / "there"
    there.mkdir()
    if trace:
        source = with_files.parent / "trace.json"
        source.write_text(out("run", str(with_files), "--json"))
    assert out("show", str(source), "-o", str(there / "x.json")) == ""
    assert (
        out("run", str(there / "x.json"), "--json", "--step", "weights").split('"steps"')[1]
        == (out("run", str(with_files), "--json", "--step", "weights").split('"steps"')[1])
    )
    assert out("show", str(source), "-o", str(with_files.parent / "same.json")) == ""
    assert (with_files.parent / "same.json").read_bytes() == source.read_bytes()


def test_a_broken_reference_is_said_by_the_reading(with_files: Path) -> None:
    """Whatever else is asked of the file."""
    with_files.write_text('{"q": {"npz": "run.npz", "key": "q", "columns": "ab"}, "k": {"npz": "run.npz", "key": "k"}}')
    for more in ((), ("--set", "q.0.1=2"), ("--set", "k.0.1=2")):
        done = call("run", str(with_files), *more)
        assert (done.code, "fault of attncalc" in done.err) == (2, False)
    with_files.write_text('{"q": {"npz": "no.npz", "key": "q"}, "k": [[1, 2]]}')
    done = call("run", str(with_files), "--set", "q.0.1=2")
    assert done.err == f"attncalc: {with_files}: q: there is no file no.npz beside the scenario\n"
