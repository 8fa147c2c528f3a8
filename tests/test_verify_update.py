"""`verify --update`: the numbers that are off are put right where they stand, and not a byte else changes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pytest
from calling import call, document, out
from rivals.random_scenarios import as_json, documents, documents_by_hand
from samples import DRAW, trace_of_text

from attncalc.core.figures import Literal, as_decimal, round_to
from attncalc.errors import CalculationError
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written

OFF = 3  # units of the last digit by which a number is made wrong
NUMBER = re.compile(r'(?<!["\w])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?!["\w])')


@pytest.fixture(autouse=True)
def _stands_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test writes into a folder of its own."""
    monkeypatch.chdir(tmp_path)


def updated(text: str, *args: str) -> str:
    """The text of a file after its update, which goes well."""
    Path("mine.json").write_bytes(text.encode())
    done = call("verify", "mine.json", "--update", *args)
    assert (done.code, done.err) == (0, "")
    return Path("mine.json").read_bytes().decode()


# --- what is written --------------------------------------------------------------------------------


def with_context(value: str, printed: str, rounding: str = "half-up") -> str:
    """A scenario whose only weight is 1, so that its context is the value."""
    return f'{{"scores": [0], "v": [[{value}]], "places": 3, "rounding": "{rounding}", "expect": {{"context": {printed}}}}}'


WRITTEN = [
    # value, printed, written
    ("9.834", "9.80", "9.83"), ("9.834", "5", "10"), ("9.996", "9.1", "10.0"), ("-9.834", "9.83", "-9.83"),
    ("9.834", "9.83", "9.83"), ("9.83499", "9.8300", "9.8350"), ("0.5", "3", "1"), ("-0.2", "4", "-0.200"),
    # zero, and what would be shown as zero without being it
    ("0", "1.00", "0.00"), ("0", "3", "0"), ("0.0004", "1.00", "4.0e-4"), ("-0.0044", "0.10", "-0.004"),
    # large numbers keep their digits, and powers of ten theirs
    ("22026.47", "22025", "22026"), ("123456789012", "7", "123456789012"), ("123456789012.5", "1.0", "123456789012.5"),
    ("14600", "1.3e4", "1.5e4"), ("14600", "1.3E+5", "1.5E4"), ("0.0146", "1.35e-2", "1.46e-2"), ("0", "1.5e3", "0.0"),
    ("1.25e30", "1.00", "1.25e30"), ("1e2", "7", "100"),
    # minus infinity takes the place of a number, and a number its place
    ("2.5", '"-Infinity"', "2.500"), ("2.34567", '"-Infinity"', "2.346"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "printed", "wanted"), WRITTEN)
def test_a_number_is_written_as_the_printed_one_was(value: str, printed: str, wanted: str) -> None:
    """With its decimals, or the digits before its power of ten; a whole number stays whole."""
    assert updated(with_context(value, printed)) == with_context(value, wanted)


ROUNDED = [("half-up", "0.13"), ("half-even", "0.12"), ("truncate", "0.12")]


@pytest.mark.parametrize(("rounding", "wanted"), ROUNDED)
def test_it_is_rounded_as_the_scenario_rounds(rounding: str, wanted: str) -> None:
    """Half up, half even, or cut."""
    assert updated(with_context("0.125", "0.30", rounding)) == with_context("0.125", wanted, rounding)


WEIGHTS = [
    # weight, places of the scenario, printed, written
    ("0.62", 2, "1", "0.62"), ("0.62", 0, "0", "0.62"), ("0.996", 2, "0", "1"), ("0.62", 2, "0.5", "0.6"),
    ("0.615", 2, "0.500", "0.615"), ("0.004", 2, "1", "0.004"), ("0", 2, "1", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("weight", "places", "printed", "wanted"), WEIGHTS)
def test_a_whole_number_among_weights_stays_whole_where_that_is_right(
    weight: str, places: int, printed: str, wanted: str
) -> None:
    """0 and 1 stand for half a percent; any other weight needs the decimals it is shown with."""
    text = f'{{"weights": [{weight}], "places": {places}, "expect": {{"weights": [%s]}}}}'
    assert updated(text % printed) == text % wanted


def test_a_weight_of_no_decimals_has_enough_of_them() -> None:
    """A third is neither 0 nor 1, though the scenario shows no decimals."""
    text = '{"scores": [0, 0, 0], "places": 0, "expect": {"weights": [%s, null, null]}}'
    assert updated(text % "1") == text % "3.3e-1"


def test_a_hidden_score_is_minus_infinity() -> None:
    """As a string, which is how JSON can say it."""
    text = '{"scores": [[1, 2], [3, 4]], "mask": "causal", "expect": {"masked": [[1, %s], [3, 4]]}}'
    assert updated(text % "-1e9") == text % '"-Infinity"'


def test_the_sum_of_the_weights_is_put_right_too() -> None:
    """That of the weights as they are shown."""
    shown = json.dumps(DRAW | {"by_hand": 2, "expect": {"weights_sum": 7.77}})
    assert updated(shown) == shown.replace("7.77", "1.01")


def test_a_trace_is_put_right_in_the_scenario_it_holds() -> None:
    """Its steps, which were calculated, stay."""
    text = out("run", "draw", "--json", "--set", "expect.total=9.99")
    assert updated(text) == text.replace("9.99", "9.83")


# --- not a byte else --------------------------------------------------------------------------------

LAYOUTS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "a byte-order mark and line ends of Windows": lambda text: "\ufeff" + text.replace("\n", "\r\n"),
    "tabs and no blank": lambda text: text.replace("  ", "\t").replace(", ", ","),
    "blanks everywhere": lambda text: text.replace(":", " :\n").replace("[", "[ \t").replace("]", "\r]") + "\n\n ",
}


def made_wrong(number: str) -> str:
    """Another number with as many digits after the point."""
    value = Decimal(number)
    return str(value + OFF * Decimal(1).scaleb(int(value.as_tuple().exponent)))


def expecting(chance: Random, text: str) -> tuple[dict[str, Any], list[Literal]] | None:
    """A scenario with printed results that hold, and the numbers among them."""
    try:
        trace = trace_of_text(text)
    except CalculationError:
        return None
    expect: dict[str, Any] = {}
    numbers: list[Literal] = []

    def printed(cells: Any, decimals: int) -> Any:
        if isinstance(cells, list):
            return [printed(part, decimals) for part in cells]
        value = round_to(as_decimal(cells), decimals, trace.scenario.rounding)
        if not value.is_finite() or (not value and cells) or not abs(value) < 10**12 or chance.random() < 0.1:
            return None
        numbers.append(Literal(format(value, "f")))
        return numbers[-1]

    for step in chance.sample(list(trace), min(3, len(list(trace)))):
        decimals = chance.randint(1, 6)
        expect[step.name] = printed(step.cells.reshape(step.shape).tolist(), decimals)
    return {**parse(text.encode(), "text"), "expect": expect}, numbers


def random_files(count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Files that hold, and the same with some of their numbers made wrong."""
    chance = Random(seed)
    for plain in (*documents(seed, count // 2), *documents_by_hand(seed, count // 2)):
        found = expecting(chance, as_json(plain))
        if found is None or not found[1]:
            continue
        made, numbers = found
        indent = chance.choice([None, 1, 4])
        right = written(made, indent)
        for number in chance.sample(numbers, chance.randint(1, len(numbers))):
            number.text = made_wrong(number.text)
        yield right, written(made, indent)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_random_files_come_back_as_they_were(layout: str) -> None:
    """Numbers that hold, some of them made wrong: after the update the file is, byte for byte, what it was before."""
    change, seen = LAYOUTS[layout], 0
    for right, wrong in random_files(60, seed=list(LAYOUTS).index(layout)):
        assert updated(change(wrong)) == change(right)
        assert call("verify", "mine.json").code == 0
        seen += 1
    assert seen > 40


def expecting_built_in() -> list[str]:
    """The built-in scenarios that print results."""
    return [name for name in builtin.names() if '"expect"' in builtin.path_of(name).read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", expecting_built_in())
def test_only_wrong_numbers_are_touched(name: str) -> None:
    """Of a file with every other printed number made wrong: no other character moves, and read again, all hold."""
    text = builtin.path_of(name).read_text(encoding="utf-8")
    before, mark, expect = text.partition('"expect"')
    numbers = list(NUMBER.finditer(expect))
    for match in reversed(numbers[::2]):
        expect = expect[: match.start()] + made_wrong(match[0]) + expect[match.end() :]
    done = updated(before + mark + expect)
    assert done.partition('"expect"')[0] == before
    assert NUMBER.sub("#", done) == NUMBER.sub("#", text)
    kept, wrong = NUMBER.findall(done.partition('"expect"')[2]), NUMBER.findall(expect)
    assert kept[1::2] == wrong[1::2]
    tiny = [a for a, b in zip(kept, wrong, strict=True) if len(a.partition(".")[2]) != len(b.partition(".")[2])]
    assert all(re.fullmatch(r"-?\d\.\de-\d+", number) for number in tiny)
    assert len(tiny) <= len(kept) / 100
    assert call("verify", "mine.json").code == 0


def test_a_file_that_holds_is_not_written() -> None:
    """Not even anew with the same bytes."""
    Path("mine.json").write_text(out("show", "draw"), encoding="utf-8")
    before = Path("mine.json").stat()
    assert out("verify", "mine.json", "--update").endswith("13 of 13 printed numbers hold; nothing is written.\n")
    after = Path("mine.json").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_mode_and_link_stay() -> None:
    """The file behind a link is written, with the rights it had; nothing is left beside it."""
    Path("real.json").write_text(with_context("1.5", "9.9"), encoding="utf-8")
    Path("real.json").chmod(0o640)
    Path("mine.json").symlink_to("real.json")
    out("verify", "mine.json", "--update")
    assert Path("real.json").read_text(encoding="utf-8") == with_context("1.5", "1.5")
    assert Path("real.json").stat().st_mode & 0o777 == 0o640
    assert sorted(os.listdir()) == ["mine.json", "real.json"]
    assert Path("mine.json").is_symlink()


# --- what is shown ------------------------------------------------------------------------------------

TWO_WRONG = '{"scores": [1, 1], "places": 2, "expect": {"weights": [0.60, 0.5], "total": 6.0}}'

SCREENS = {
    "en": """mine.json                                                  exact, 2 places shown
    cell          printed   written
    ───────────────────────────────
    weights 1 0   0.60      0.50
    total 1       6.0       5.4
    2 of 3 printed numbers are put right.
""",
    "zh": """mine.json                                                    精确，显示 2 位小数
    单元格        原文   改为
    ─────────────────────────
    weights 1 0   0.60   0.50
    total 1       6.0    5.4
    原文的 3 个数中更正了 2 个。
""",
}


@pytest.mark.parametrize("language", SCREENS)
def test_the_difference_is_shown(language: str) -> None:
    """A line for each number that changes: as it was printed, as it is written now."""
    Path("mine.json").write_text(TWO_WRONG, encoding="utf-8")
    shown = out("verify", "mine.json", "--update", "--width", "80", language=language)
    assert "".join(f"{line.rstrip()}\n" for line in shown.splitlines()) == SCREENS[language]


def test_plain_and_json_say_the_same() -> None:
    """In JSON a number that is put right has `written`, and the whole says how many there are."""
    Path("mine.json").write_text(TWO_WRONG, encoding="utf-8")
    Path("too.json").write_text(TWO_WRONG, encoding="utf-8")
    assert "cell total 1: printed 6.0, written 5.4" in out("verify", "too.json", "--update", "--plain").splitlines()
    found = document("verify", "mine.json", "--update")
    assert (found["right"], found["all"], found["written"]) == (1, 3, 2)
    assert [cell.get("written") for cell in found["cells"]] == ["0.50", None, "5.4"]
    assert "written" not in document("verify", "mine.json")


def test_several_scenarios_are_added_up() -> None:
    """One line at the end says how many hold in all."""
    Path("mine.json").write_text(TWO_WRONG, encoding="utf-8")
    done = call("verify", "mine.json", "draw", "library", "--plain")
    held = [re.findall(r"^(\d+) of (\d+) printed numbers hold", done.out, re.MULTILINE)][0]
    assert done.code == 1
    assert held[-1] == (str(sum(int(a) for a, _ in held[:-1])), str(sum(int(b) for _, b in held[:-1])))
    assert done.out.endswith("in 3 scenarios.\n")


# --- what is refused ----------------------------------------------------------------------------------

REFUSED = [
    # how the second file is faulty, what is said of it
    ('{"scores": [1, 1], "expect": {"weights": [0.60]}}', "too.json: expect.weights: has the shape 1, but the step has 1×2"),
    ('{"scores": [1, 1], "expect": {"scaled": [0.60]}}', "too.json: expect.scaled: this scenario has no step of that name"),
    ('{"scores": [1, 1], "expect": {"weights": [0.6, "x"]}}', 'too.json: expect.weights[1]: is "x"; wanted is a number'),
    ('{"scores": [1, 1], "expect": {}, "expect": {}}', "too.json: expect: stands more than once"),
    ('{"scores": [1, 1], "expect": {"weights": [0.6', "too.json: ends too early"),
    ('{"scores": ["-Infinity"], "empty_rows": "nan", "expect": {"weights": [1]}}',
     "too.json: expect: weights 0 0: the right number is NaN, which JSON cannot say; put null in its place"),
    ('{"scores": [1000], "arithmetic": "float16", "shift": false, "expect": {"exponentials": [1]}}',
     "too.json: expect: exponentials 0 0: the right number is inf, which JSON cannot say"),
    ('{"scores": [1000], "expect": {"exponentials": [1.0]}}',
     "too.json: expect: exponentials 0 0: the right number is 1.9701e434, which JSON cannot say"),
    ('{"scores": [-1000], "expect": {"exponentials": [1.0]}}',
     "too.json: expect: exponentials 0 0: the right number is 5.1e-435, which JSON cannot say"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_where_one_file_is_refused_none_is_written(text: str, said: str) -> None:
    """A wrong shape, a step that is not there, broken JSON, a number that JSON has not: 2, and all files stay."""
    Path("mine.json").write_text(TWO_WRONG, encoding="utf-8")
    Path("too.json").write_text(text, encoding="utf-8")
    done = call("verify", "mine.json", "too.json", "--update")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {said}")
    assert Path("mine.json").read_text(encoding="utf-8") == TWO_WRONG
    assert Path("too.json").read_text(encoding="utf-8") == text


def test_a_pipe_is_not_written_into() -> None:
    """Nor waited for."""
    os.mkfifo("pipe.json")
    done = call("verify", "pipe.json", "--update")
    assert (done.code, done.err) == (
        2,
        "attncalc: pipe.json: is not a plain file, and --update writes into nothing else\n",
    )


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_may_not_be_written_is_refused() -> None:
    """Though its folder would let it be replaced."""
    Path("mine.json").write_text(TWO_WRONG, encoding="utf-8")
    Path("mine.json").chmod(0o444)
    done = call("verify", "mine.json", "--update")
    assert (done.code, done.out) == (2, "")
    assert Path("mine.json").read_text(encoding="utf-8") == TWO_WRONG
