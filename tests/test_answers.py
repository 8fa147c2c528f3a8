"""Answers as they come: from JSON, CSV, array files, standard input and the command line, and all that is refused."""

from __future__ import annotations

import io
import json
import struct
import sys
import tomllib
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from calling import call
from samples import BUILT_IN, DATA, LANGUAGES, trace_of

from attncalc import load, run
from attncalc.core.figures import Literal
from attncalc.core.labels import distinct
from attncalc.core.stage import Step, Trace
from attncalc.errors import AttncalcError, UsageError
from attncalc.explore.verify import expects_terms, verify
from attncalc.messages import catalogue
from attncalc.practice import answer_files
from attncalc.practice.agreement import Sheet
from attncalc.practice.answer_files import kind_of, read_answers
from attncalc.practice.answer_json import answers_of
from attncalc.practice.answer_texts import answers_in_texts
from attncalc.practice.answered import Answered
from attncalc.practice.step_words import step_meant
from attncalc.scenario_files import npy_files
from attncalc.scenario_files.json_text import parse

TRACES: dict[str, Trace] = {}
NAN = float("nan")


def trace(name: str) -> Trace:
    """The trace of a built-in scenario with its terms, calculated once."""
    if name not in TRACES:
        TRACES[name] = run(load(name), terms=True)
    return TRACES[name]


def answers(name: str, text: str) -> dict[str, Answered]:
    """The answers in a JSON text, by step."""
    return {answered.step: answered for answered in answers_of(trace(name), parse(text.encode(), "a.json"), "a.json")}


def written(folder: Path, name: str, data: bytes | str) -> str:
    """A file in the folder, and its path."""
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return str(path)


def in_file(folder: Path, scenario: str, name: str, data: bytes | str, **rest: Any) -> dict[str, Answered]:
    """The answers in a file, by step."""
    found = read_answers(trace(scenario), written(folder, name, data), **rest)
    return {answered.step: answered for answered in found}


def cells(answered: Answered) -> list[Any]:
    """The numbers of an answer as nested lists without batch and head, None where there is none."""
    values = np.where(np.isnan(answered.values), None, answered.values.astype(object))
    return list(values[0, 0].tolist()) if values.shape[:2] == (1, 1) else list(values.tolist())


# --- against verify -------------------------------------------------------------------------------

EXPECTING = [name for name in BUILT_IN if load(name).document.get("expect")]


def is_right(answered: Answered, step: Step, place: tuple[int, ...], rounding: str) -> bool:
    """Whether an answer holds, by what is said of it alone."""
    right, given = step.cells[place], answered.exact[place]
    if not (right.is_finite() and given.is_finite()):
        return bool(right == given)
    within, unit = answered.within[place], answered.unit[place]
    if rounding == "truncate" and unit == 2 * within:
        return bool(0 <= abs(right) - abs(given) < unit)
    return bool(abs(right - given) <= within)


@pytest.mark.parametrize("name", EXPECTING)
def test_what_a_scenario_expects_is_read_as_verify_reads_it(name: str) -> None:
    """The same cells with the same digits, and by `within` the same are right: verify is the rival."""
    here = trace(name)
    found = {answered.step: answered for answered in answers_of(here, here.scenario.document, name)}
    verdicts = [verdict for verdict in verify(here) if verdict.step != "weights_sum"]
    assert sum(answered.count for answered in found.values()) == len(verdicts) > 0
    for verdict in verdicts:
        answered = found[verdict.step]
        assert answered.texts[verdict.place] == verdict.printed
        assert is_right(answered, here[verdict.step], verdict.place, here.scenario.rounding) is verdict.right, verdict


@pytest.mark.parametrize("rounding", ["half-up", "truncate"])
def test_wrong_digits_are_as_wrong_as_verify_finds_them(rounding: str) -> None:
    """Every printed weight of every length, shifted by a unit either way and not at all."""
    scores = [1.8, 0.2, 0.6, -0.3]
    right = trace_of({"scores": scores})["weights"].exact[0]
    seen = set()
    for digits in range(5):
        for shift in (-1, 0, 1):
            unit = Decimal(1).scaleb(-digits)
            printed = [Literal(str(value.quantize(unit) + shift * unit)) for value in right]
            document = {"scores": scores, "rounding": rounding, "expect": {"weights": printed}}
            here = trace_of(document)
            (answered,) = answers_of(here, here.scenario.document, "mine")
            for verdict in verify(here):
                seen.add(verdict.right)
                assert is_right(answered, here["weights"], verdict.place, rounding) is verdict.right, verdict
    assert seen == {True, False}


# --- what `run` writes comes back -----------------------------------------------------------------


@pytest.mark.parametrize("format", ["json", "csv"])
@pytest.mark.parametrize("name", BUILT_IN)
def test_what_run_writes_comes_back_whole(name: str, format: str, tmp_path: Path) -> None:
    """Every step and every number, bit by bit; the trace itself is the rival."""
    text = call("run", name, "--format", format).out
    found = in_file(tmp_path, name, f"a.{format}", text)
    here = trace(name)
    assert set(found) == {step.name for step in here} - {"terms"}
    for step, answered in found.items():
        wanted = here[step].cells.astype(np.float64)
        assert answered.values.shape == wanted.shape
        assert ((answered.values == wanted) | (np.isnan(wanted) & np.isnan(answered.values))).all()
        assert answered.convention == ""


def test_labels_that_repeat_or_begin_like_a_formula_come_back_from_csv(tmp_path: Path) -> None:
    """`the`, `the#2`, the quote that a spreadsheet needs, blanks at the ends, digits, nothing at all."""
    tokens = ["the", "=A1", "the", "-", "a\nb", " the", "the ", "7", "0", "a,b", ""]
    document = {"tokens": tokens, "scores": [[i * j % 7 for j in range(11)] for i in range(11)]}
    here = trace_of(document)
    text = call("run", written(tmp_path, "s.json", json.dumps(document)), "--format", "csv").out
    found = {a.step: a for a in read_answers(here, written(tmp_path, "a.csv", text))}
    assert (found["weights"].values == here["weights"].cells.astype(np.float64)).all()


def test_an_exponential_beyond_a_double_comes_back(tmp_path: Path) -> None:
    """As the text that `run` writes: 1.97e434."""
    here = trace_of({"scores": [1000, 1]})
    scenario = written(tmp_path, "s.json", '{"scores": [1000, 1]}')
    found = {a.step: a for a in read_answers(here, written(tmp_path, "a.json", call("run", scenario, "--json").out))}
    assert found["exponentials"].exact.flat[0].adjusted() == 434
    assert found["exponentials"].values.flat[0] == np.inf
    assert found["exponentials"].count == 2


# --- JSON -----------------------------------------------------------------------------------------

WEIGHTS = [[0.62, 0.12, 0.19, 0.08]]
JSON: list[tuple[str, str, str, list[Any], str]] = [
    # scenario, text, step, cells, convention
    ("draw", '{"weights": [0.62, 0.12, 0.19, 0.08]}', "weights", WEIGHTS, ""),
    ("draw", '{"weights": [[0.62, 0.12, 0.19, 0.08]]}', "weights", WEIGHTS, ""),
    ("draw", '{"weights": [[[[0.62, 0.12, 0.19, 0.08]]]]}', "weights", WEIGHTS, ""),
    ("draw", '{"weights": [[0.62], [0.12], [0.19], [0.08]]}', "weights", WEIGHTS, "columns"),
    ("draw", '{"weights": {"draw": [0.62, 0.12, 0.19, 0.08]}}', "weights", WEIGHTS, ""),
    ("draw", '{"weights": {"0": [0.62, 0.12, 0.19, 0.08]}}', "weights", WEIGHTS, ""),
    ("draw", '{"weights": {"1": [0.62, 0.12, 0.19, 0.08]}}', "weights", WEIGHTS, "counted-from-1"),
    ("draw", '{"weights": {"draw": {"to": 0.19, "I": 0.62}}}', "weights", [[0.62, None, 0.19, None]], ""),
    ("draw", '{"weights": ["62%", "2/16", null, "_"]}', "weights", [[0.62, 0.125, None, None]], ""),
    ("draw", '{"total": 9.83}', "total", [[9.83]], ""), ("draw", '{"total": [[9.83]]}', "total", [[9.83]], ""),
    ("draw", '{"total": {"draw": "9.83"}}', "total", [[9.83]], ""),
    ("draw", '{"v": {"to": [1, 2, 3]}}', "v", [[None] * 3, [None] * 3, [1, 2, 3], [None] * 3], ""),
    ("draw", '{"v": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]}', "v",
     [[1, 5, 9], [2, 6, 10], [3, 7, 11], [4, 8, 12]], "columns"),
    ("draw", '{"terms": {"draw": [[1, null, null], [null, null, null], [null, null, null], [null, null, 2]]}}', "terms",
     [[[1, None, None], [None] * 3, [None] * 3, [None, None, 2]]], ""),
    ("draw", '{"expect": {"weights": [1, 2, 3, 4], "weights_sum": 1.01}}', "weights", [[1, 2, 3, 4]], ""),
    ("draw", '{"tokens": ["any"], "scores": [9], "expect": {"total": 9}}', "total", [[9]], ""),
    ("cross", '{"weights": [[1, 2], [3, 4], [5, 6], [7, 8]]}', "weights", [[1, 3, 5, 7], [2, 4, 6, 8]], "columns"),
    ("cross", '{"weights": {"苹果": [1, 2, 3, 4]}}', "weights", [[None] * 4, [1, 2, 3, 4]], ""),
    ("cross", '{"weights": {"1": [1, 2, 3, 4], "2": [5, 6, 7, 8]}}', "weights", [[1, 2, 3, 4], [5, 6, 7, 8]],
     "counted-from-1"),
    ("cross", '{"weights": {"0": [1, 2, 3, 4], "1": [5, 6, 7, 8]}}', "weights", [[1, 2, 3, 4], [5, 6, 7, 8]], ""),
    ("cross", '{"weights": {"1": [1, 2, 3, 4]}}', "weights", [[None] * 4, [1, 2, 3, 4]], ""),
    ("grouped", '{"weights": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]}', "weights", [[1, 2, 3], [4, 5, 6], [7, 8, 9]],
     "heads-averaged"),
    ("grouped", '{"weights": {"fox": [4, 5, 6]}}', "weights", [[None] * 3, [4, 5, 6], [None] * 3], "heads-averaged"),
    ("draw", '{"权重": [0.62, 0.12, 0.19, 0.08]}', "weights", WEIGHTS, ""), ("draw", '{"A": {"draw": ["≈0.62", "约0.12", "百分之19", null]}}', "weights", [[0.62, 0.12, 0.19, None]], ""),
    ("mini-head", '{"weights": {"saw": [0.64, 0.36]}}', "weights", [[None] * 5, [0.64, 0.36, None, None, None], *[[None] * 5] * 3], ""),
    ("mini-head", '{"masked": {"We": [1, "-inf", "-Infinity", -Infinity, "−∞"]}}', "masked",
     [[1, *[-np.inf] * 4], *[[None] * 5] * 4], ""),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "text", "step", "wanted", "convention"), JSON)
def test_json_is_read_by_step(scenario: str, text: str, step: str, wanted: list[Any], convention: str) -> None:
    """Axes of length 1 left out, rows and cells under labels, null, typed numbers, and conventions by shape and label."""
    answered = answers(scenario, text)[step]
    assert cells(answered) == wanted
    assert answered.convention == convention
    assert answered.values.ndim == len(trace(scenario)[step].stage.layout)


def test_heads_may_be_joined() -> None:
    """(T, heads·d) comes back as (heads, T, d): the joined step is the rival."""
    here = trace("grouped")
    (answered,) = answers_of(here, {"context": parse(json.dumps(here["joined"].values.tolist()).encode(), "")}, "a")
    assert (answered.values == here["context"].cells.astype(np.float64)).all()
    assert answered.convention == ""


def test_a_row_of_every_head_stands_under_its_query() -> None:
    """As (heads, keys)."""
    answered = answers("grouped", '{"weights": {"fox": [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]}}')["weights"]
    assert answered.values[0, :, 1].tolist() == [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
    assert answered.count == 12


def test_the_steps_come_in_their_order() -> None:
    """Whatever order the file has."""
    text = '{"residual": [1, 2, 3], "weights": [1, 0, 0, 0], "terms": [[[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]], "v": [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]}'
    assert list(answers("draw", text)) == ["v", "weights", "terms", "residual"]


def test_the_terms_are_known_where_the_trace_has_none() -> None:
    """They are made on demand; where nothing is weighted there are none."""
    (answered,) = answers_of(run(load("draw")), {"terms": [[None, None, Literal("0.25")]] * 4}, "a")
    assert (answered.step, answered.values.shape, answered.count) == ("terms", (1, 1, 1, 4, 3), 4)
    with pytest.raises(UsageError) as refused:
        answers_of(trace_of({"scores": [1, 2]}), {"terms": [[[Literal("1")]]]}, "a")
    assert "terms is not a step" in str(refused.value)


def test_a_row_without_a_key_may_hold_nan() -> None:
    """0 divided by 0 is no answer there, and only there."""
    document = {"scores": [["-Infinity", "-Infinity"], [1, 2]], "v": [[1], [2]], "empty_rows": "nan"}
    here = trace_of(document)
    (weights,) = answers_of(here, {"weights": [["NaN", "nan"], [Literal("0.27"), Literal("0.73")]]}, "a")
    assert cells(weights) == [[None, None], [0.27, 0.73]]
    (context,) = answers_of(here, {"context": [["NaN"], [Literal("1.73")]]}, "a")
    assert cells(context) == [[None], [1.73]]
    for wrong in ({"weights": [["NaN"] * 2, [Literal("1"), "NaN"]]}, {"scores": [["NaN"] * 2, [Literal("1")] * 2]}):
        with pytest.raises(UsageError) as refused:
            answers_of(here, wrong, "a")
        assert refused.value.faults[0].code == "answers-nan"


# --- how precise ----------------------------------------------------------------------------------

WITHIN: list[tuple[str, str, str]] = [
    # a weight as written, how far the true one may be, the unit of its last digit
    ("0.62", "0.005", "0.01"), ("0.6", "0.05", "0.1"), ("6.2e-1", "0.005", "0.01"), ("1.5e-3", "0.00005", "0.0001"),
    ("1", "0.005", "1"), ("0", "0.005", "1"), ("1.0", "0.05", "0.1"), ("0.0", "0.05", "0.1"), ("2", "0.5", "1"),
    ("62", "0.5", "1"), ('"62%"', "0.005", "0.01"), ('"1"', "0.005", "1"), ('"1/8"', "1e-12", "None"),
    ('"1/1"', "1e-12", "None"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "within", "unit"), WITHIN)
def test_a_number_says_how_precise_it_is(text: str, within: str, unit: str) -> None:
    """Half a unit of its last digit; 0 and 1 among weights stand for whole percents."""
    answered = answers("draw", f'{{"weights": [{text}, 0.25, 0.25, 0.25]}}')["weights"]
    assert answered.precision == "digits"
    assert answered.within.flat[0] == Decimal(within)
    assert str(answered.unit.flat[0]) == unit or answered.unit.flat[0] == Decimal(unit)
    assert answered.texts.flat[0] == text.strip('"')


def test_a_whole_number_of_another_step_is_right_within_a_half() -> None:
    """Only weights stand for percents."""
    answered = answers("draw", '{"scores": [1, 0, 2, 3]}')["scores"]
    assert [str(x) for x in answered.within.flat] == ["0.5"] * 4


def bfloat16(values: Any) -> Any:
    """The upper half of a float32, with nothing rounded."""
    return (np.asarray(values, np.float32).view(np.uint32) & 0xFFFF0000).view(np.float32)


NARROW: dict[str, Callable[[Any], Any]] = {
    "float64": np.float64, "float32": np.float32, "float16": np.float16, "bfloat16": bfloat16,
}  # fmt: skip


@pytest.mark.parametrize("precision", NARROW)
def test_json_shows_what_tensors_it_was_dumped_from(precision: str) -> None:
    """`tolist()` writes a narrow number with the digits of a double that equals it; hidden cells are short among them."""
    draws = np.random.default_rng(4)
    for _ in range(100):
        dumped = NARROW[precision](draws.dirichlet(np.ones(5), size=5)).astype(np.float64)
        dumped[0, 1:], dumped[0, 0] = 0, 1
        answered = answers("mini-head", json.dumps({"weights": dumped.tolist()}))["weights"]
        assert (answered.precision, answered.count) == (precision, 25)
        assert (answered.values[0, 0] == dumped).all()


def test_the_shortest_text_of_a_float32_is_known_too() -> None:
    """0.88632584: eight digits, and each the nearest text of a float32."""
    numbers = np.random.default_rng(5).dirichlet(np.ones(5), size=5).astype(np.float32)
    text = "[" + ", ".join("[" + ", ".join(map(str, row)) + "]" for row in numbers) + "]"
    assert answers("mini-head", f'{{"weights": {text}}}')["weights"].precision == "float32"


@pytest.mark.parametrize("places", range(1, 12))
def test_digits_that_people_write_stay_digits(places: int) -> None:
    """However many of a calculator's they copy: rounded decimals are no binary numbers."""
    for row in np.random.default_rng(places).random((100, 25)):
        text = json.dumps({"weights": [[round(float(x), places) for x in part] for part in row.reshape(5, 5)]})
        assert answers("mini-head", text)["weights"].precision == "digits"


@pytest.mark.parametrize(("kind", "precision"), [("exact", "float64"), ("float32", "float32"), ("by-hand", "digits")])
def test_a_trace_says_how_precise_it_is(kind: str, precision: str) -> None:
    """By the arithmetic it was calculated in, whatever its digits."""
    text = call("run", "draw", "--arithmetic", kind, "--json").out
    assert {answered.precision for answered in answers("draw", text).values()} == {precision}
    for odd in ("null", "[]", '{"kind": ["float32"]}', '{"kind": "float8"}'):
        document = json.loads(text) | {"arithmetic": json.loads(odd)}
        assert {answered.precision for answered in answers("draw", json.dumps(document)).values()} == {"float64"}


@pytest.mark.parametrize("precision", ["float64", "float32", "float16"])
def test_the_noise_of_a_width_is_within_it(precision: str) -> None:
    """What NumPy calculates in that width is right, in every cell of a whole calculation."""
    draws = np.random.default_rng(6)
    kind = NARROW[precision]
    q, k, v = (kind(draws.normal(size=(16, 8))).astype(np.float64) for _ in range(3))
    here = trace_of({"q": q.tolist(), "k": k.tolist(), "v": v.tolist(), "arithmetic": "float64"})
    scores = kind(q) @ kind(k).T
    scaled = scores / kind(np.sqrt(8))
    weights = np.exp(scaled - scaled.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    for step, values in {"scores": scores, "scaled": scaled, "weights": weights, "context": weights @ kind(v)}.items():
        answered = Answered(step, np.asarray(values, np.float64)[None, None], precision=precision)
        assert Sheet.of(here, answered).all_right, step


# --- array files ----------------------------------------------------------------------------------


def npy(values: Any, **options: Any) -> bytes:
    """An `.npy` file."""
    file = io.BytesIO()
    np.save(file, values, **options)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    """An `.npz` file."""
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def safetensors(**tensors: tuple[str, tuple[int, ...], bytes]) -> bytes:
    """A file by the format's own description: length, header, data."""
    header, data = {}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


TABLE = np.array([[0.625, 0.125, 0.1875, 0.0625]])
TYPES = [
    ("float64", "float64"), ("float32", "float32"), (">f4", "float32"), ("float16", "float16"), ("int8", "float64"),
    ("bool", "float64"), ("longdouble", "float64"),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "precision"), TYPES)
@pytest.mark.parametrize("kind", ["npy", "npz"])
def test_numpy_files_keep_their_numbers_and_say_their_width(
    kind: str, dtype: str, precision: str, tmp_path: Path
) -> None:
    """In either byte order, by columns too; np.load is the rival."""
    values = np.asfortranarray(TABLE if np.dtype(dtype).kind == "f" else [[1, 0, 1, 1]]).astype(dtype)
    data = npy(values) if kind == "npy" else npz(weights=values, other=[1])
    step = "weights" if kind == "npy" else None
    answered = in_file(tmp_path, "draw", f"a.{kind}", data, step=step)["weights"]
    loaded = np.load(tmp_path / f"a.{kind}")
    assert (answered.values[0, 0] == (loaded if kind == "npy" else loaded["weights"])).all()
    assert answered.precision == precision
    assert [Decimal(float(x)) for x in values.flat] == list(answered.exact.flat)


@pytest.mark.parametrize(("dtype", "code", "precision"), [("F64", "<f8", "float64"), ("F32", "<f4", "float32"),
                                                          ("F16", "<f2", "float16"), ("BF16", "<u2", "bfloat16")])  # fmt: skip
def test_safetensors_keep_their_numbers_and_say_their_width(
    dtype: str, code: str, precision: str, tmp_path: Path
) -> None:
    """bfloat16 too."""
    raw = (
        TABLE.astype(code).tobytes()
        if dtype != "BF16"
        else (TABLE.astype("<f4").view("<u4") >> 16).astype(code).tobytes()
    )
    data = safetensors(weights=(dtype, (1, 4), raw), model=("F32", (1,), b"\0\0\0\0"))
    answered = in_file(tmp_path, "draw", "a.safetensors", data)["weights"]
    assert (answered.values[0, 0] == TABLE).all()
    assert answered.precision == precision


def test_arrays_of_real_code_fit_with_their_batch_of_one(tmp_path: Path) -> None:
    """(1, heads, T, T), a sum with its axis kept, joined heads, averaged weights, a step that is mapped."""
    here = trace("grouped")
    weights, joined = here["weights"].values, here["joined"].values
    data = npz(attn=weights[None], total=here["total"].values[None, ..., None], context=joined[None], rest=[1])
    found = in_file(tmp_path, "grouped", "a.npz", data, mapping=["weights=attn"])
    assert list(found) == ["total", "weights", "context"]
    for step, answered in found.items():
        assert (answered.values == here[step].cells.astype(np.float64)).all()
    averaged = in_file(tmp_path, "grouped", "a.npz", npz(weights=weights.mean(0)[None]))["weights"]
    assert (averaged.convention, averaged.values.shape) == ("heads-averaged", (1, 1, 3, 3))


def test_only_the_step_that_is_asked_for_is_read(tmp_path: Path) -> None:
    """From files with several; a single array is that step whatever its name."""
    both = {"weights": WEIGHTS, "total": [9.83]}
    for name, data in (
        ("a.npz", npz(**both)), ("a.json", json.dumps(both)),
        ("a.csv", "step,query,key,value\nweights,draw,I,0.62\ntotal,draw,,9.83\n"),
    ):  # fmt: skip
        assert list(in_file(tmp_path, "draw", name, data, step="total")) == ["total"]
        assert list(in_file(tmp_path, "draw", name, data)) == ["total", "weights"]
    assert list(in_file(tmp_path, "draw", "a.npz", npz(arr_0=WEIGHTS), step="weights")) == ["weights"]
    assert list(in_file(tmp_path, "draw", "a.json", json.dumps(WEIGHTS), step="weights")) == ["weights"]
    mapped = json.dumps({"attn": WEIGHTS, "else": "?"})
    assert list(in_file(tmp_path, "draw", "a.json", mapped, mapping=["weights = attn"])) == ["weights"]


@pytest.mark.parametrize(("name", "data"), [("a.json", json.dumps(WEIGHTS)), ("a.npy", npy(TABLE))])
def test_answers_cannot_be_changed(name: str, data: str | bytes, tmp_path: Path) -> None:
    """What was read stays as it was, whoever judges it."""
    assert not in_file(tmp_path, "draw", name, data, step="weights")["weights"].values.flags.writeable


def test_a_single_array_under_the_suffix_of_several_is_read(tmp_path: Path) -> None:
    """As NumPy reads it."""
    answered = in_file(tmp_path, "draw", "a.npz", npy(TABLE), step="weights")["weights"]
    assert (answered.values[0, 0] == TABLE).all()
    with pytest.raises(UsageError) as refused:
        in_file(tmp_path, "draw", "a.npz", npy(TABLE)[:-8], step="weights")
    assert str(refused.value).partition(": ")[2].startswith("is not a sound npz file: ")


@pytest.mark.parametrize(
    ("name", "limit"), [("a.csv", "MOST_BYTES"), ("a.csv", "MOST_ARRAY_BYTES"), ("a.npy", "MOST_ARRAY_BYTES")]
)
def test_a_file_that_is_too_large_is_refused(
    name: str, limit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, with how many bytes it may have."""
    data = npy(TABLE) if name.endswith("npy") else b"0.62,0.12,0.19,0.08\n"
    monkeypatch.setattr(answer_files, limit, len(data))
    assert in_file(tmp_path, "draw", name, data, step="weights")
    monkeypatch.setattr(answer_files, limit, len(data) - 1)
    with pytest.raises(UsageError) as refused:
        in_file(tmp_path, "draw", name, data, step="weights")
    (fault,) = refused.value.faults
    assert (fault.place.endswith(name), fault.code, fault.fields) == (True, "file-too-large", {"most": len(data) - 1})


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is unpacked."""
    monkeypatch.setattr(npy_files, "MOST_UNPACKED", 10)
    monkeypatch.setattr(npy_files, "MOST_TIMES", 0)
    file = io.BytesIO()
    np.savez_compressed(file, weights=TABLE)
    with pytest.raises(UsageError) as refused:
        in_file(tmp_path, "draw", "a.npz", file.getvalue())
    assert "at most 10 B are unpacked" in str(refused.value)


def test_hidden_scores_and_rows_that_see_nothing_may_be_so_in_arrays(tmp_path: Path) -> None:
    """−∞ before softmax, NaN where a query sees no key."""
    document = {"scores": [["-Infinity", "-Infinity"], [1, 2]]}
    here = trace_of(document)
    data = npz(scores=[[-np.inf, -np.inf], [1, 2]], weights=[[NAN, NAN], [0.25, 0.75]])
    scores, weights = read_answers(here, written(tmp_path, "a.npz", data))
    assert scores.values[0, 0].tolist() == [[-np.inf, -np.inf], [1, 2]]
    assert (weights.count, weights.values[0, 0, 1].tolist()) == (4, [0.25, 0.75])


LOST: list[tuple[str, int]] = [("weights", 5), ("exponentials", 5), ("total", 1), ("context", 3), ("residual", 6)]


@pytest.mark.parametrize(("step", "width"), LOST)
def test_a_row_of_nan_in_an_array_is_an_answer_after_the_mask(step: str, width: int, tmp_path: Path) -> None:
    """What PyTorch makes of a query that it hides every key from; in part of a row it is refused."""
    right = trace("mini-head")[step].cells[0, 0].astype(np.float64)
    values = np.where(np.arange(5)[:, None] == 2, NAN, right)
    assert values.shape == (5, width)
    answered = in_file(tmp_path, "mini-head", "a.npy", npy(values), step=step)[step]
    assert answered.lost is not None
    assert answered.lost[0, 0].tolist() == [[query == 2] * width for query in range(5)]
    assert answered.count == 5 * width
    everywhere = in_file(tmp_path, "mini-head", "a.npy", npy(right * NAN), step=step)[step]
    assert everywhere.count == 5 * width
    assert in_file(tmp_path, "mini-head", "a.npy", npy(right), step=step)[step].lost is None
    if width > 1:
        values[3, 0] = NAN
        with pytest.raises(UsageError) as refused:
            in_file(tmp_path, "mini-head", "a.npy", npy(values), step=step)
        assert [fault.code for fault in refused.value.faults] == ["answers-nan"]
        assert refused.value.faults[0].fields["count"] == 1


def test_nan_is_refused_before_the_mask_and_in_text(tmp_path: Path) -> None:
    """Whole rows of it as well."""
    scores = np.where(np.arange(5)[:, None] == 2, NAN, np.ones((5, 5)))
    row = '["NaN", "NaN", "NaN", "NaN", "NaN"]'
    for name, data, step in (
        ("a.npy", npy(scores), "scores"), ("a.npy", npy(scores), "masked"),
        ("a.json", f'{{"weights": {{"birds": {row}}}}}', "weights"), ("a.csv", "nan,nan,nan,nan,nan\n" * 5, "weights"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as refused:
            in_file(tmp_path, "mini-head", name, data, step=step)
        assert [fault.code for fault in refused.value.faults] == ["answers-nan"]


# --- CSV ------------------------------------------------------------------------------------------

MATRICES: list[tuple[str, str, str, list[Any], str]] = [
    # scenario, step, text, cells, convention
    ("draw", "weights", "0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", "\ufeff0.62;0.12;0.19;0.08\r\n", WEIGHTS, ""),
    ("draw", "weights", "0,62;0,12;0,19;0,08\n", WEIGHTS, ""),
    ("draw", "weights", "0,62\t0,12\t0,19\t0,08", WEIGHTS, ""),
    ("draw", "weights", " 0.62  0.12 0.19 0.08\n\n", WEIGHTS, ""),
    ("draw", "weights", '"0.62","12%",,"2/10"\n', [[0.62, 0.12, None, 0.2]], ""),
    ("draw", "weights", "0.62\n0.12\n0.19\n0.08\n", WEIGHTS, "columns"),
    ("draw", "weights", "I,like,to,draw\n0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", ",I,like,to,draw\ndraw,0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", "token,I,like,to,draw\n0,0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", "I,like,to,draw\ndraw,0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", ",to,I\ndraw,0.19,0.62\n", [[0.62, None, 0.19, None]], ""),
    ("draw", "weights", "draw,0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", ",0,1,2,3\n0,0.62,0.12,0.19,0.08\n", WEIGHTS, ""),
    ("draw", "weights", ",1,2,3,4\n1,0.62,0.12,0.19,0.08\n", WEIGHTS, "counted-from-1"),
    ("draw", "weights", ",draw\nI,0.62\nlike,0.12\nto,0.19\ndraw,0.08\n", WEIGHTS, "columns"),
    ("cross", "weights", ",0,1,2,3\n红,1,2,3,4\n苹果,5,6,7,8\n", [[1, 2, 3, 4], [5, 6, 7, 8]], ""),
    ("cross", "weights", ",红,苹果\n0,1,5\n1,2,6\n2,3,7\n3,4,8\n", [[1, 2, 3, 4], [5, 6, 7, 8]], "columns"),
    ("draw", "total", "9.83\n", [[9.83]], ""), ("draw", "total", "total\n9.83\n", [[9.83]], ""),
    ("draw", "context", ",d0,d1,d2\ndraw,1,2,3\n", [[1, 2, 3]], ""),
    ("draw", "context", "a,b,c\n1,2,3\n", [[1, 2, 3]], ""),
    ("draw", "context", ",draw\na,1\nb,2\nc,3\n", [[1, 2, 3]], "columns"),
    ("cross", "context", "token,a,b,c\n红,1,2,3\n苹果,4,5,6\n", [[1, 2, 3], [4, 5, 6]], ""),
    ("cross", "weights", ",the,red,apple,.\n红,1,2,3,4\n苹果,5,6,7,8\n", [[1, 2, 3, 4], [5, 6, 7, 8]], ""),
    ("cross", "weights", ",红,苹果\nthe,1,5\nred,2,6\napple,3,7\n.,4,8\n", [[1, 2, 3, 4], [5, 6, 7, 8]], "columns"),
    ("cross", "weights", ",苹果\n.,8\nthe,5\n", [[None] * 4, [5, None, None, 8]], "columns"),
    ("cross", "total", "4\n5\n", [[4], [5]], ""), ("cross", "total", "4,5\n", [[4], [5]], ""),
    ("cross", "total", "红,4\n苹果,5\n", [[4], [5]], ""),
    ("grouped", "weights", "1,2,3\n4,5,6\n7,8,9\n", [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "heads-averaged"),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "step", "text", "wanted", "convention"), MATRICES)
def test_a_matrix_in_csv_is_the_step_that_is_asked_for(
    scenario: str, step: str, text: str, wanted: list[Any], convention: str, tmp_path: Path
) -> None:
    """Whatever separates its cells, with labels above and beside it or without, as people and programs write them."""
    answered = in_file(tmp_path, scenario, "a.csv", text, step=step)[step]
    assert cells(answered) == wanted
    assert answered.convention == convention


def test_labels_tell_columns_from_rows_where_the_shape_does_not(tmp_path: Path) -> None:
    """A square table with the tokens above it: each token is a column."""
    here = trace_of({"tokens": ["a", "b"], "scores": [[0, 1], [2, 3]], "v": [[1, 2], [3, 4]]})
    by_columns, by_rows = [[1, 3], [2, 4]], [[1, 2], [3, 4]]
    tables = {",a,b\nx,1,2\ny,3,4\n": by_columns, "a,b\n1,2\n3,4\n": by_columns, ",x,y\na,1,2\nb,3,4\n": by_rows}
    for text, wanted in tables.items():
        (answered,) = read_answers(here, written(tmp_path, "a.csv", text), "v")
        assert (cells(answered), answered.convention) == (wanted, "columns" if wanted == by_columns else "")


TIDY: list[tuple[str, str, str, list[Any], str]] = [
    # scenario, text, step, cells, convention
    ("draw", "step,query,key,value\nweights,draw,I,0.62\nweights,draw,to,2/10\n", "weights", [[0.62, None, 0.2, None]], ""),
    ("draw", "Step,Key,Value\nweights,I,0.62\n", "weights", [[0.62, None, None, None]], ""),
    ("draw", "value;step;key\n0,62;weights;I\n;weights;to\n", "weights", [[0.62, None, None, None]], ""),
    ("draw", "step,value\ntotal,9.83\n", "total", [[9.83]], ""), ("draw", "step,value\n总和,9.83\n", "total", [[9.83]], ""),
    ("draw", "step,key,value\nweights,I,0.62\nA,to,0.19\n", "weights", [[0.62, None, 0.19, None]], ""),
    ("draw", "step,batch,head,key,value\nweights,0,0,3,0.08\n", "weights", [[None, None, None, 0.08]], ""),
    ("draw", "step,key,value\n" + "".join(f"weights,{i},0.{i}\n" for i in (1, 2, 3, 4)), "weights",
     [[0.1, 0.2, 0.3, 0.4]], "counted-from-1"),
    ("grouped", "step,query,key,value\nweights,fox,red,0.5\n", "weights",
     [[None] * 3, [0.5, None, None], [None] * 3], "heads-averaged"),
    ("cross", "step,query,key,value\nweights,苹果,.,0.5\n", "weights", [[None] * 4, [None, None, None, 0.5]], ""),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "text", "step", "wanted", "convention"), TIDY)
def test_a_tidy_csv_names_the_place_of_every_number(
    scenario: str, text: str, step: str, wanted: list[Any], convention: str, tmp_path: Path
) -> None:
    """Columns in any order, those of axes of length 1 left out, labels or positions."""
    answered = in_file(tmp_path, scenario, "a.csv", text)[step]
    assert cells(answered) == wanted
    assert answered.convention == convention


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.json", json.dumps({"scores": WEIGHTS, "weights": WEIGHTS}).encode()),
        ("a.csv", b"step,key,value\nscores,I,0.62\nweights,I,0.12\n"),
        ("a.npz", npz(scores=WEIGHTS, weights=WEIGHTS)),
        (
            "a.safetensors",
            safetensors(**dict.fromkeys(("scores", "weights"), ("F64", (1, 4), np.array(WEIGHTS).tobytes()))),
        ),
    ],
)
def test_a_file_without_the_step_that_is_asked_for_says_what_it_has(name: str, data: bytes, tmp_path: Path) -> None:
    """Whatever kind of file it is."""
    with pytest.raises(UsageError) as refused:
        read_answers(trace("draw"), written(tmp_path, name, data), "total")
    assert [(fault.code, fault.fields) for fault in refused.value.faults] == [
        ("answers-not-there", {"step": "total", "known": "scores, weights"})
    ]


NO_KIND = [".md", ".markdown", ".html", ".htm", ".ipynb", ".tex", ".pdf", ".docx", ".odt", ".xlsx", ".ods", ".PDF"]
PICKLED = [".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".bin", ".PT"]


@pytest.mark.parametrize("suffix", [*NO_KIND, *PICKLED])
def test_files_that_hold_no_answers_are_known_by_their_suffix(suffix: str, tmp_path: Path) -> None:
    """Pages, documents and notebooks, and what would run a program, whatever is in them."""
    with pytest.raises(UsageError) as refused:
        read_answers(trace("draw"), written(tmp_path, f"a{suffix}", b"0.62,0.12,0.19,0.08"), "weights")
    assert [fault.code for fault in refused.value.faults] == [
        "answers-no-kind" if suffix in NO_KIND else "answers-pickled"
    ]


def test_a_document_is_an_object() -> None:
    """From step to array, whatever reads it."""
    with pytest.raises(UsageError) as refused:
        answers_of(trace("draw"), Literal("3"), "a.json")
    assert refused.value.sentences("en")[0].startswith("a.json: is 3; wanted is an object from step to array")


# --- standard input -------------------------------------------------------------------------------

INPUTS: list[tuple[str, bytes, str | None]] = [
    # what it is, the bytes, the step that is asked for
    ("json", json.dumps({"weights": WEIGHTS}).encode(), None), ("json", b"\xef\xbb\xbf [[0.62, 0.12, 0.19, 0.08]]", "weights"),
    ("csv", b"step,key,value\nweights,I,0.62\nweights,like,0.12\nweights,to,0.19\nweights,draw,0.08\n", None),
    ("csv", b"0.62 0.12 0.19 0.08", "weights"), ("npy", npy(WEIGHTS), "weights"), ("npz", npz(weights=WEIGHTS), None),
    ("safetensors", safetensors(weights=("F64", (1, 4), np.array(WEIGHTS).tobytes())), None),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "data", "step"), INPUTS)
def test_standard_input_shows_what_it_is(
    kind: str, data: bytes, step: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By how it begins, as a file without a suffix does."""
    assert kind_of(data) == kind
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    for source in ("-", written(tmp_path, "answers", data)):
        (answered,) = read_answers(trace("draw"), source, step)
        assert cells(answered) == WEIGHTS


class Terminal(io.StringIO):
    """Standard input that nothing is piped into."""

    def isatty(self) -> bool:
        """It is one."""
        return True


@pytest.mark.parametrize(("stdin", "code"), [(Terminal(), "answers-stdin-terminal"), (None, "answers-no-stdin")])
def test_answers_are_not_waited_for(stdin: Any, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal, or no standard input at all, is an error at once."""
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(UsageError) as refused:
        read_answers(trace("draw"), "-")
    assert refused.value.faults[0].code == code


# --- --answer -------------------------------------------------------------------------------------

ROW = [[0.62, 0.12, 0.19, 0.08]]
V = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]]
TEXTS: list[tuple[str, list[str], dict[str, list[Any]]]] = [
    ("draw", ["weights[draw]=0.62 0.12 0.19 0.08"], {"weights": ROW}),
    ("draw", ["weights=0.62, 0.12, 0.19, 0.08"], {"weights": ROW}),
    ("draw", ["weights = [0.62 0.12 0.19 0.08]"], {"weights": ROW}),
    ("draw", ["weights=[[0.62, 0.12, 0.19, 0.08]]"], {"weights": ROW}),
    ("draw", ["weights draw=0,62; 0,12; 0,19; 0,08"], {"weights": ROW}),
    ("draw", ["weights.draw=62% 12 % 19% 8%"], {"weights": ROW}),
    ("draw", ["weights＝０．６２，０．１２，０．１９，０．０８"], {"weights": ROW}),
    ("draw", ["weights[draw][I]=0.62"], {"weights": [[0.62, None, None, None]]}),
    ("draw", ["weights draw I=0.62", "weights.draw.to = 2/10"], {"weights": [[0.62, None, 0.2, None]]}),
    ("draw", ["weights[I]=0.62"], {"weights": [[0.62, None, None, None]]}),
    ("draw", ["weights[draw]=0.62"], {"weights": [[None, None, None, 0.62]]}),
    ("draw", ["weights[0][3]=0.08"], {"weights": [[None, None, None, 0.08]]}),
    *(("draw", [f"{cell}=0.62"], {"weights": [[0.62, None, None, None]]}) for cell in ('weights."draw".I', 'weights.draw."I"')),
    ("draw", ['weights "draw" "I"=0.62'], {"weights": [[0.62, None, None, None]]}),
    ("draw", ["weights[draw]=0.62 _ 0.19 -", "weights draw like=0.12"], {"weights": [[0.62, 0.12, 0.19, None]]}),
    ("draw", ["total=9.83", "context=0.70 0.27 0.47"], {"total": [[9.83]], "context": [[0.7, 0.27, 0.47]]}),
    ("draw", ["context[draw]=1;2;3"], {"context": [[1, 2, 3]]}), ("draw", ["context[draw][1]=2"], {"context": [[None, 2, None]]}),
    ("draw", ["v=1 2 3; 4 5 6; 7 8 9; 10 11 12"], {"v": V}), ("draw", ["v=[[1,2,3],[4,5,6],[7,8,9],[10,11,12]]"], {"v": V}),
    ("draw", ["v=1 2 3\n4 5 6\n7 8 9\n10 11 12"], {"v": V}), ("draw", ["v[to]=7 8 9"], {"v": [[None] * 3, [None] * 3, [7, 8, 9], [None] * 3]}),
    ("draw", ["terms[to]=7 8 9"], {"terms": [[[None] * 3, [None] * 3, [7, 8, 9], [None] * 3]]}),
    ("draw", ["terms[draw]=1 2 3; 4 5 6; 7 8 9; 10 11 12"], {"terms": [V]}), ("draw", ["terms=[[[[[1 2 3][4 5 6][7 8 9][10 11 12]]]]]"], {"terms": [V]}),
    ("draw", ["terms[draw][to][1]=8"], {"terms": [[[None] * 3, [None] * 3, [None, 8, None], [None] * 3]]}),
    ("cross", ["weights[苹果]=1 2 3 4"], {"weights": [[None] * 4, [1, 2, 3, 4]]}),
    ("cross", ["weights[红][.]=1"], {"weights": [[None, None, None, 1], [None] * 4]}),
    ("cross", ["total[红]=4", "total[1]=5"], {"total": [[4], [5]]}), ("cross", ["total=4 5"], {"total": [[4], [5]]}),
    ("draw", ["weights=I=0.62 like=0.12 to=0.19 draw=0.08"], {"weights": ROW}), ("draw", ["weights[draw] = to: 0.19, I: 0.62"], {"weights": [[0.62, None, 0.19, None]]}),
    ("draw", ["weights=draw=0.08"], {"weights": [[None, None, None, 0.08]]}), ("cross", ["total=苹果:5 红:4"], {"total": [[4], [5]]}),
    ("draw", ["weights=0.62 0.12 0.19 0.08 = 1.01"], {"weights": ROW}), ("draw", ["weights[draw]=≈0.62 ≈0.12 ≈0.19 ≈0.08"], {"weights": ROW}),
    ("draw", ["weights=0,62, 0,12, 0,19, 0,08"], {"weights": ROW}), ("draw", ["weights=| 0.62 | 0.12 | 0.19 | 0.08 |"], {"weights": ROW}),
    ("draw", [r"v=1 & 2 & 3 \\ 4 & 5 & 6 \\ 7 & 8 & 9 \\ 10 & 11 & 12 \\"], {"v": V}), ("draw", ["weights[draw][I]=百分之62"], {"weights": [[0.62, None, None, None]]}),
    ("draw", ["权重=0.62 0.12 0.19 0.08", "Σ=9.83"], {"total": [[9.83]], "weights": ROW}), ("draw", ["A[draw][I]=0.62"], {"weights": [[0.62, None, None, None]]}),
    ("draw", ["除以总和.draw.I=0.62", "Weighted value sum[draw]=1 2 3"], {"weights": [[0.62, None, None, None]], "context": [[1, 2, 3]]}),
    ("mini-head", ["weights[birds]=0.32 0.10 0.58"], {"weights": [[None] * 5] * 2 + [[0.32, 0.1, 0.58, None, None]] + [[None] * 5] * 2}),
    ("mini-head", ["scores=1; 2 3; 4 5 6; 7 8 9 10; 1 2 3 4 5"], {"scores": [[1, *[None] * 4], [2, 3, *[None] * 3], [4, 5, 6, None, None], [7, 8, 9, 10, None], [1, 2, 3, 4, 5]]}),
    ("mini-head", ["masked[We]=0 -inf −∞ -Infinity -∞"], {"masked": [[0, *[-np.inf] * 4], *[[None] * 5] * 4]}),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "texts", "wanted"), TEXTS)
def test_typed_answers_name_a_step_a_row_or_a_cell(
    scenario: str, texts: list[str], wanted: dict[str, list[Any]]
) -> None:
    """In brackets, after points or as words; rows as people type them."""
    found = answers_in_texts(trace(scenario), texts)
    assert {answered.step: cells(answered) for answered in found} == wanted


@pytest.mark.parametrize("text", ["weights=0.4 0.6", "weights=0.4 _ 0.6", "weights[0]=0.4 0.6"])
def test_the_keys_that_the_only_query_sees_are_enough(text: str) -> None:
    """Whether the query is named or not."""
    here = trace_of({"scores": [[1, 2, 3]], "v": [[1], [2], [3]], "mask": {"hide": [1]}})
    (answered,) = answers_in_texts(here, [text])
    assert cells(answered) == [[0.4, None, 0.6]]


@pytest.mark.parametrize("text", ["weights=0.62 x 0.19 y", "weights[draw]=0.62 x 0.19 y", "weights=[[0.62 x 0.19 y]]"])
def test_an_entry_that_is_no_number_is_told_with_its_place(text: str) -> None:
    """Every one: the answer it stands in, and which of its entries it is."""
    with pytest.raises(UsageError) as refused:
        answers_in_texts(trace("draw"), [text])
    found = [(fault.place, fault.fields["number"], fault.fields["found"]) for fault in refused.value.faults]
    assert [row[1:] for row in found] == [(2, "x"), (4, "y")]
    assert {row[0] for row in found} == {f"--answer {text}"}


def test_a_token_may_look_like_the_syntax() -> None:
    """Brackets, an equals sign and a point as labels."""
    here = trace_of({"tokens": ["[CLS]", "=", "a.b", "c d"], "scores": [[0, 1, 2, 3]] * 4})
    texts = ["weights[[CLS]][=]=0.1", "weights[a.b][c d]=0.2", 'weights = "c d"=0.3', "weights[2]=1 1 1 _"]
    (answered,) = answers_in_texts(here, texts)
    assert answered.values[0, 0, 0, 1] == 0.1
    assert answered.values[0, 0, 1, 3] == 0.3
    assert answered.values[0, 0, 2].tolist() == [1, 1, 1, 0.2]


def test_words_for_steps_come_after_their_names() -> None:
    """A letter, or a name on a screen, that several steps share means none of them."""
    stages = [step.stage for step in trace("mini-head")]
    words = {"x": "x", "X": "x", "S": "scores", "Z": "scaled", "M": "masked", "C": "context", "键": "k", "KEYS": "k",
             "scaled scores": "scaled", "m": "m", "nothing": "nothing", "": ""}  # fmt: skip
    assert {word: step_meant(stages, word) for word in words} == words
    weights = trace("mini-head")["weights"].stage
    twice = [weights, weights._replace(name="other", words="weights")]
    words = {"A": "A", "权重": "weights", "weights": "weights", "除以总和": "除以总和"}
    assert {word: step_meant(twice, word) for word in words} == words


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_name_on_a_screen_may_be_typed(name: str, language: str) -> None:
    """What a step is called in the sentences of either language means that step, and no other."""
    stages = [step.stage for step in trace(name)]
    said = [catalogue(language)[f"name.{stage.name}"] for stage in stages]
    assert [step_meant(stages, word) for word in said] == [stage.name for stage in stages]


def test_words_for_steps_are_taken_by_all_commands(tmp_path: Path) -> None:
    """Check with --step, a quiz, a worksheet: the same as with the step's name."""
    file = written(tmp_path, "a.csv", "0.62,0.12,0.19,0.08\n")
    for args in (
        ("check", "draw", file, "--step"), ("quiz", "draw", "--step"), ("worksheet", "--level", "1", "--seed", "3", "--blank"),
    ):  # fmt: skip
        by_name = call(*args, "weights", stdin=b"0.1\n")
        assert [call(*args, word, stdin=b"0.1\n") for word in ("权重", "A")] == [by_name] * 2
    refused = call("worksheet", "--level", "1", "--blank", "权种")
    assert (refused.code, refused.err.count("权种 is not a step of this scenario")) == (2, 1)


def test_a_quiz_takes_numbers_behind_labels() -> None:
    """In any order, hidden keys left out; a label that is left out is a gap."""
    right = [("draw", "draw=0.08 I:0.62, to=0.19 like=0.12"), ("mini-head", "birds=0.12 fly=0.69 We=0.12 saw=0.07")]
    for name, line in right:
        asked = call(
            "quiz", name, "--step", "weights", "--token", "fly" if name == "mini-head" else "draw", stdin=line.encode()
        )
        assert asked.err == ""
    gap = call("quiz", "draw", "--step", "weights", stdin=b"draw=0.08 I:0.62")
    assert "number 2 of 4 is left out" in gap.err


def test_a_folder_in_place_of_a_scenario_is_said_first(tmp_path: Path) -> None:
    """Not that there are no answers."""
    assert call("check", str(tmp_path)).err == f"attncalc: {tmp_path}: is a directory, not a scenario file\n"


def test_head_and_batch_are_those_that_are_asked_for() -> None:
    """A table of one head is its own; one of all heads is that of all, and joined heads are told by their width."""
    (answered,) = answers_in_texts(trace("grouped"), ["weights[fox]=1 2 3", "weights[red]=4 5 6"], head=2)
    assert answered.values[0, 2, :2].tolist() == [[4, 5, 6], [1, 2, 3]]
    assert (answered.count, answered.convention) == (6, "")
    (table,) = answers_in_texts(trace("grouped"), ["weights=1 2 3; 4 5 6; 7 8 9"], head=3)
    assert (table.values[0, 3].tolist(), table.count) == ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], 9)
    (shared,) = answers_in_texts(trace("grouped"), ["v[fox]=1 2"], head=3)
    assert (shared.values[0, 1, 1].tolist(), shared.count) == ([1, 2], 2)
    (joined,) = answers_in_texts(trace("grouped"), ["context=" + "; ".join(["1 2 3 4 5 6 7 8"] * 3)])
    assert joined.values[0, :, 0].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]
    (batch,) = answers_in_texts(trace("padding"), ["weights[0][1]=0.5"], batch=1)
    assert (batch.values[1, 0, 0, 1], batch.count) == (0.5, 1)
    heads = "[[[1,2,3],[1,2,3],[1,2,3]],[[2,2,3],[1,2,3],[1,2,3]],[[3,2,3],[1,2,3],[1,2,3]],[[4,2,3],[1,2,3],[1,2,3]]]"
    (whole,) = answers_in_texts(trace("grouped"), [f"weights={heads}"])
    assert whole.values[0, :, 0, 0].tolist() == [1, 2, 3, 4]


def test_a_table_by_columns_is_put_back() -> None:
    """Where its shape says so."""
    (answered,) = answers_in_texts(trace("cross"), ["weights=1 5; 2 6; 3 7; 4 8"])
    assert (cells(answered), answered.convention) == ([[1, 2, 3, 4], [5, 6, 7, 8]], "columns")


# --- what is refused ------------------------------------------------------------------------------


class Bad(NamedTuple):
    """A row of `bad_answers.toml`: a file or texts, and the sentences that answer it in each language."""

    name: str
    entry: dict[str, Any]

    def read(self, folder: Path) -> tuple[Answered, ...]:
        """What the row asks for."""
        entry, here = self.entry, trace(self.entry.get("scenario", "draw"))
        if "answers" in entry:
            return answers_in_texts(here, [_made(text) for text in entry["answers"]])
        if entry.get("made") == "directory":
            (folder / entry["file"]).mkdir()
        elif {"made", "text", "bytes"} & set(entry):
            (folder / entry["file"]).write_bytes(_data(entry))
        return read_answers(here, entry["file"], entry.get("step"), entry.get("map", ()))


def _made(text: str) -> str:
    """A text that is too long to stand in the table: `many([, 5000)`."""
    head, many, tail = text.partition("many(")
    word, _, count = tail.rstrip(")").rpartition(",")
    return head + word * int(count) if many else text


def _data(entry: dict[str, Any]) -> bytes:
    if "made" in entry:
        return MADE[entry["made"]]()
    return entry["bytes"].encode("latin-1") if "bytes" in entry else _made(entry["text"]).encode()


def rubbish() -> bytes:
    """Bytes without any sense, the same every time."""
    return np.random.default_rng(7).bytes(2000)


def claiming() -> bytes:
    """An `.npy` whose header says much more than follows."""
    file = io.BytesIO()
    np.lib.format.write_array_header_1_0(file, {"descr": "<f8", "fortran_order": False, "shape": (10**12,)})
    return file.getvalue()


def bad_crc() -> bytes:
    """An `.npz` with a byte of its array changed."""
    data = npz(weights=TABLE)
    return data.replace(TABLE.tobytes()[:8], b"\1" * 8)


MADE: dict[str, Callable[[], bytes]] = {
    "npy": lambda: npy(TABLE), "npy of texts": lambda: npy(["a"]), "npy of objects": lambda: npy(np.array([object()]), allow_pickle=True),
    "npy with tokens before heads": lambda: npy(np.zeros((3, 4, 2))),
    "npy cut": lambda: npy(TABLE)[:-8], "npy of NaN": lambda: npy([0.1, NAN, NAN, NAN]), "npy of infinity": lambda: npy([0.1, np.inf, 0, 0]),
    "npy of nothing": lambda: npy(np.zeros((0, 4))), "npy of complex": lambda: npy([1j] * 4), "npy without an end": lambda: npy(TABLE)[:60],
    "npy that claims eight terabytes": claiming, "201 characters": lambda: b'{"total": "' + b"1" * 201 + b'"}',
    "npy of 33 axes": lambda: npy(np.zeros((1,) * 32 + (3,))),
    "npz": lambda: npz(weights=TABLE), "npz of others": lambda: npz(attn=TABLE, rest=[1]), "npz cut": lambda: npz(weights=TABLE)[:-40],
    "npz with complex numbers": lambda: npz(weights=[1j] * 4, total=[[9.83]]),
    "npz of objects": lambda: npz(weights=np.array([object()])), "npz spoiled": bad_crc, "npz of nothing": lambda: npz(),
    "npz of two wrong": lambda: npz(weights=[[0.5, 0.5]], context=[[NAN, 1, 2]]),
    "safetensors of 8 bits": lambda: safetensors(weights=("F8_E4M3", (4,), b"1234")),
    "safetensors with a huge header": lambda: b"\xff" * 8 + b"{}", "safetensors cut": lambda: safetensors(weights=("F64", (1, 4), TABLE.tobytes()))[:-1],
    "safetensors of other": lambda: safetensors(weights=("F64", (1, 3), TABLE[:, :3].tobytes())),
    "rubbish": rubbish, "100,000 columns": lambda: b"0.5," * 100_000, "100,000 labels": lambda: ",".join(f"t{i}" for i in range(100_000)).encode() + b"\n" + b"0.5," * 99_999 + b"0.5",
    "utf-16": lambda: "weights".encode("utf-16"), "2,000 brackets": lambda: b'{"weights": ' + b"[" * 2000, "900 levels": lambda: b'{"weights": ' + b"[" * 900 + b"1" + b"]" * 900 + b"}",
    "900 objects": lambda: b'{"weights": ' * 900 + b"1" + b"}" * 900, "5,000 digits": lambda: b'{"weights": [0.' + b"1" * 5000 + b", 0, 0, 0]}",
    "trace of another": lambda: call("run", "cross", "--json").out.encode(), "scenario": lambda: call("show", "mini-head").out.encode(),
    "csv of another": lambda: call("run", "cross", "--format", "csv", "--step", "weights").out.encode(),
}  # fmt: skip


def bad() -> Iterator[Bad]:
    """Every row of the table."""
    for entry in tomllib.loads((DATA / "bad_answers.toml").read_text(encoding="utf-8"))["row"]:
        yield Bad(entry["name"], entry)


BAD = list(bad())


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", BAD, ids=lambda row: row.name)
def test_bad_answers_are_refused_in_exactly_these_sentences(
    row: Bad, language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both languages, all of them at once; `…` stands for what a foreign reader says."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AttncalcError) as refused:
        row.read(tmp_path)
    said, wanted = refused.value.sentences(language), row.entry[language]
    wanted = [wanted] if isinstance(wanted, str) else wanted
    cut = [
        text[: len(form) - 1] + "…" if form.endswith("…") else text for text, form in zip(said, wanted, strict=False)
    ]
    assert [*cut, *said[len(wanted) :]] == wanted
    assert refused.value.exit_code == 2
    assert all(sentence.isprintable() for sentence in said)


def test_the_table_of_bad_answers_is_whole() -> None:
    """No name twice, and as many sentences in either language."""
    assert len({row.name for row in BAD}) == len(BAD) > 60
    assert [row.name for row in BAD if type(row.entry["en"]) is not type(row.entry["zh"])] == []
    assert {made for row in BAD if (made := row.entry.get("made"))} == {*MADE, "directory"}


def test_pickled_data_is_not_run(tmp_path: Path) -> None:
    """An array of objects could be any program."""
    import pickle

    mark = tmp_path / "mark"

    class Runs:
        def __reduce__(self) -> Any:
            return Path.touch, (mark,)

    data = pickle.dumps(Runs())
    for name in ("a.npy", "a.npz", "a.pt", "a.pkl", "a"):
        with pytest.raises(UsageError):
            in_file(tmp_path, "draw", name, data, step="weights")
    with pytest.raises(UsageError):
        in_file(tmp_path, "draw", "a.npy", npy(np.array([Runs()], dtype=object), allow_pickle=True), step="weights")
    assert not mark.exists()


MUTATED = [
    b'{"weights": [0.62, 0.12, 0.19, 0.08], "total": 9.83}', npy(TABLE), npz(weights=TABLE, total=[9.83]),
    b"step,batch,head,query,key,feature,value\nweights,,,draw,I,,0.62\ntotal,,,draw,,,9.83\n", b",I,like,to,draw\ndraw,1,2,3,4\n",
    safetensors(weights=("F64", (1, 4), TABLE.tobytes())),
]  # fmt: skip


@pytest.mark.parametrize("data", MUTATED)
def test_a_spoiled_file_is_read_or_refused_but_never_more(data: bytes, tmp_path: Path) -> None:
    """Bytes changed, left out and doubled at random: an answer, or sentences."""
    draws = np.random.default_rng(len(data))
    refused = 0
    for _ in range(150):
        spoiled = bytearray(data)
        for _ in range(int(draws.integers(1, 4))):
            place = int(draws.integers(len(spoiled)))
            kind = int(draws.integers(3))
            spoiled[place : place + (kind != 1)] = bytes(draws.integers(0, 256, int(kind > 0) * kind, dtype=np.uint8))
        try:
            read_answers(
                trace("draw"), written(tmp_path, "a", bytes(spoiled)), None if draws.random() < 0.5 else "weights"
            )
        except AttncalcError as error:
            refused += all(error.sentences(language) for language in LANGUAGES)
    assert refused > 10


def test_the_labels_of_a_step_are_told_apart() -> None:
    """The second `the` is the#2; the bare word is refused where it may be either."""
    here = trace_of({"tokens": ["the", "cat", "the"], "scores": [[0, 1, 2]] * 3})
    assert distinct(here.scenario.tokens) == ("the", "cat", "the#2")
    (answered,) = answers_of(
        here, {"weights": {"the#2": [Literal("0.5"), None, None], "the#1": [None, None, Literal("1")]}}, "a"
    )
    assert cells(answered) == [[None, None, 1], [None] * 3, [0.5, None, None]]
    with pytest.raises(UsageError) as refused:
        answers_of(here, {"weights": {"the": [None, None, Literal("1")]}}, "a")
    assert refused.value.faults[0].code == "ambiguous-token"


def test_labels_that_count_from_1_are_labels() -> None:
    """Where the tokens are called 1 to n, nothing is counted otherwise."""
    here = trace_of({"tokens": ["2", "1"], "scores": [[0, 1], [2, 3]]})
    rows = {"1": [Literal("0.1"), Literal("0.9")], "2": [Literal("0.3"), Literal("0.7")]}
    (answered,) = answers_of(here, {"weights": rows}, "a")
    assert (cells(answered), answered.convention) == ([[0.3, 0.7], [0.1, 0.9]], "")


def test_a_row_under_its_label_has_the_length_of_a_row() -> None:
    """The message says how long it should be, without the axes of one."""
    here = trace_of({"tokens": ["a", "b"], "scores": [[0, 1], [2, 3]]})
    with pytest.raises(UsageError) as refused:
        answers_of(here, parse(b'{"weights": {"a": [0.1, 0.2, 0.7]}}', "a"), "a")
    assert refused.value.sentences("en") == ["a: weights.a: has the shape 3, but weights.a has 2 in this scenario"]


@pytest.mark.parametrize("count", [6, 3000])
def test_brackets_inside_each_other_without_end_are_refused(count: int) -> None:
    """However many: a step has at most five axes."""
    with pytest.raises(UsageError) as refused:
        answers_in_texts(trace("draw"), ["weights=" + "[" * count + "0.62 0.12 0.19 0.08" + "]" * count])
    assert refused.value.faults[0].code == "answer-syntax"


def test_a_narrow_number_is_written_with_its_own_digits(tmp_path: Path) -> None:
    """0.1 of a float32, not 0.10000000149011612."""
    answered = in_file(tmp_path, "draw", "a.npy", npy(np.array([0.1, 0.2, 0.3, 0.4], np.float32)), step="weights")
    assert answered["weights"].texts.ravel().tolist() == ["0.1", "0.2", "0.3", "0.4"]


def test_an_answer_shows_itself() -> None:
    """For whoever looks at one while debugging."""
    assert repr(answers("draw", '{"weights": [0.62, null, 0.19, 0.08]}')["weights"]).startswith(
        "Answered(weights, 3 of 4"
    )


def test_terms_are_expected_by_the_draw_scenario() -> None:
    """The helper of verify and the reading of answers agree on what needs the terms."""
    document = {"expect": {"terms": [[[1, 2, 3]] * 4]}}
    assert expects_terms(document)
    assert [answered.step for answered in answers_of(trace("draw"), parse(json.dumps(document).encode(), ""), "a")] == [
        "terms"
    ]
