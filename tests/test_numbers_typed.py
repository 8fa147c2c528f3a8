"""Numbers and rows as people type them: their values, how far the true ones may be, and what is refused."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest
from samples import LANGUAGES

from attncalc.errors import UsageError
from attncalc.practice.arithmetic_typed import NoNumber
from attncalc.practice.numbers_typed import TypedNumber, entries_of, number_of, row_typed, typed, unlabelled

EXACT = Fraction(1, 10**12)

PLAIN: list[tuple[str, str, str]] = [
    # text, value, unit of the last digit
    ("0.62", "0.62", "0.01"), (".5", "0.5", "0.1"), ("5.", "5", "1"), ("3", "3", "1"), ("0.620", "0.620", "0.001"),
    ("-0.3", "-0.3", "0.1"), ("−0.3", "-0.3", "0.1"), ("–0.3", "-0.3", "0.1"), ("+0.3", "0.3", "0.1"), (" 0.3\t", "0.3", "0.1"),
    ("1e-3", "0.001", "0.001"), ("1.50E2", "150", "1"), ("2e3", "2000", "1000"), ("1e400", "1e400", "1e400"),
    ("1.97e434", "1.97e434", "1e432"), ("5e-4000", "5e-4000", "1e-4000"), ("62%", "0.62", "0.01"), ("62 %", "0.62", "0.01"),
    ("6.25%", "0.0625", "0.0001"), ("-5%", "-0.05", "0.01"), ("０．６２", "0.62", "0.01"), ("－０．３", "-0.3", "0.1"),
    ("６２％", "0.62", "0.01"), ("＋３", "3", "1"), ("００７", "7", "1"), ("0", "0", "1"), ("-0.0", "0", "0.1"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "unit"), PLAIN)
def test_a_plain_number_is_right_within_half_a_unit_of_its_last_digit(text: str, value: str, unit: str) -> None:
    """Exponent and percent included."""
    found = number_of(text)
    assert found.value == Decimal(value)
    assert found.unit == Decimal(unit)
    assert found.within * 2 == Decimal(unit)
    assert found.text == text.strip()


@pytest.mark.parametrize("text", ["-inf", "-Infinity", "−∞", "-∞", "− ∞", "－∞", "-INF"])
def test_minus_infinity_has_its_names(text: str) -> None:
    """It is exact."""
    assert typed(text) == TypedNumber(Decimal("-Infinity"), Decimal(0), text)


EXPRESSIONS: list[tuple[str, Fraction | float]] = [
    ("2/3", Fraction(2, 3)), ("2 / 3", Fraction(2, 3)), ("２／３", Fraction(2, 3)), ("2÷3", Fraction(2, 3)), ("-2/3", Fraction(-2, 3)),
    ("2/-3", Fraction(-2, 3)), ("1/2/4", Fraction(1, 8)), ("3·4", Fraction(12)), ("3*4", Fraction(12)), ("3×4", Fraction(12)),
    ("3 · 4", Fraction(12)), ("1+2*3", Fraction(7)), ("(1+2)*3", Fraction(9)), ("（1+2）×3", Fraction(9)), ("1-2-3", Fraction(-4)),
    ("--3", Fraction(3)), ("-(1-3)", Fraction(2)), ("2(3+4)", Fraction(14)), ("(1+1)(2+2)", Fraction(8)), ("1/(1+1/(1+1/2))", Fraction(3, 5)),
    ("2^3", Fraction(8)), ("2**3", Fraction(8)), ("2^-1", Fraction(1, 2)), ("2^3^2", Fraction(512)), ("-2^2", Fraction(-4)),
    ("(-2)^2", Fraction(4)), ("(-2)^3", Fraction(-8)), ("4^(1/2)", Fraction(2)), ("(2/3)^2", Fraction(4, 9)), ("200%%", Fraction(2, 100)),
    ("(1/4)%", Fraction(1, 400)), ("50%*4", Fraction(2)), ("√9", Fraction(3)), ("0/5", Fraction(0)), ("5-5", Fraction(0)),
    ("1/√2", 1 / math.sqrt(2)), ("√3", math.sqrt(3)), ("√(3)", math.sqrt(3)), ("sqrt(3)", math.sqrt(3)), ("SQRT(3)", math.sqrt(3)),
    ("sqrt 3", math.sqrt(3)), ("√ 3", math.sqrt(3)), ("2√3", 2 * math.sqrt(3)), ("2*√3/3", 2 * math.sqrt(3) / 3), ("√√16", 2.0),
    ("e", math.e), ("e^2", math.exp(2)), ("e^-2", math.exp(-2)), ("e^(-2)", math.exp(-2)), ("E^2", math.exp(2)), ("2e^3", 2 * math.exp(3)),
    ("exp(2)", math.exp(2)), ("2exp(1)", 2 * math.e), ("2sqrt(9)", Fraction(6)), ("exp(-(1+1))", math.exp(-2)), ("exp 2", math.exp(2)), ("e^2/(e^2+e^1)", math.exp(2) / (math.exp(2) + math.e)),
    ("e^2^2", math.exp(4)), ("e^√4", math.exp(2)), ("e^-e", math.exp(-math.e)), ("3^√2", 3 ** math.sqrt(2)), ("2^0.0", 1.0), ("3-1e-3", Fraction(2999, 1000)),
    ("+(3)", Fraction(3)), ("2*+3", Fraction(6)), ("-+3-(1)", Fraction(-4)), ("+-(3)", Fraction(-3)),
    ("0^0.5", 0.0), ("0^(1/3)", 0.0), ("(1-1)^(1/2)", 0.0), ("((1)+" * 22 + "1" + ")" * 22, Fraction(23)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), EXPRESSIONS)
def test_an_expression_has_the_value_that_it_has_on_paper(text: str, value: Fraction | float) -> None:
    """Fractions and the mathematics of Python are the rivals; one of whole numbers alone is right within 1e-12."""
    found = number_of(text)
    assert found.unit is None
    assert math.isclose(float(found.value), float(value), rel_tol=1e-14, abs_tol=0)
    if isinstance(value, Fraction):
        assert abs(Fraction(found.value) - value) <= abs(value) / 10**55
    if "." not in text:
        assert Fraction(found.within) == EXACT * max(1, abs(Fraction(found.value)))


INTERVALS: list[tuple[str, float, float]] = [
    # text, the least and the largest that may have been meant
    ("1.8-0.2", 1.5, 1.7), ("2*0.5", 0.9, 1.1), ("0.5/2", 0.225, 0.275), ("2/0.5", 2 / 0.55, 2 / 0.45), ("-0.5*2", -1.1, -0.9),
    ("e^1.8", math.exp(1.75), math.exp(1.85)), ("exp(-0.3)", math.exp(-0.35), math.exp(-0.25)), ("-e^1.8", -math.exp(1.85), -math.exp(1.75)), ("√0.5", math.sqrt(0.45), math.sqrt(0.55)),
    ("0.5^2", 0.45**2, 0.55**2), ("0.62*0.9+0.12", 0.615 * 0.85 + 0.115, 0.625 * 0.95 + 0.125), ("(0.5-0.5)^2", 0.0, 0.01), ("(0.5-0.5)^0.5", 0.0, 0.1**0.45), ("(0.52-0.5)^0.5", 0.0, 0.075**0.45),
    ("√(0.0)", 0.0, math.sqrt(0.05)), ("(-2.0)^2", 1.95**2, 2.05**2), ("2^0.5", 2**0.45, 2**0.55), ("0.5%+0", 0.0045, 0.0055),
    ("1.5·1.5", 1.45**2, 1.55**2),
]  # fmt: skip


@pytest.mark.parametrize(("text", "low", "high"), INTERVALS)
def test_a_decimal_in_an_expression_carries_its_half_unit(text: str, low: float, high: float) -> None:
    """Through every operation: the farther end is how far the true value may be."""
    found = number_of(text)
    value = float(found.value)
    assert math.isclose(float(found.within), max(value - low, high - value), rel_tol=1e-9)


def grown(draws: Random, depth: int, number: Callable[[], str]) -> str:
    """A random expression with brackets around every part."""
    if depth == 0 or draws.random() < 0.2:
        return number()
    first, second = (grown(draws, depth - 1, number) for _ in range(2))
    return f"({first}{draws.choice('+-*/')}{second})"


def calculated(text: str) -> Fraction | None:
    """The same by Python's own arithmetic on fractions; None where it divides by zero."""
    exact = re.sub(r"[0-9]+(?:\.[0-9]+)?", lambda match: f"Fraction('{match[0]}')", text)
    try:
        return Fraction(eval(exact, {"Fraction": Fraction}))
    except ZeroDivisionError:
        return None


def test_random_expressions_of_whole_numbers_are_those_of_fractions() -> None:
    """Brackets, signs and the order of operations; what divides by zero is refused."""
    draws = Random(11)
    refused = 0
    for _ in range(2000):
        text = grown(draws, 3, lambda: str(draws.randint(0, 9)))
        wanted, found = calculated(text), typed(text)
        assert (wanted is None) == (found is None), text
        refused += found is None
        if wanted is not None and found is not None and found.unit is None:
            assert abs(Fraction(found.value) - wanted) <= abs(wanted) / 10**50 + Fraction(1, 10**50), text
    assert 50 < refused < 1500


def test_whatever_rounds_to_the_decimals_lies_within() -> None:
    """Numbers drawn from what each decimal may stand for, calculated as fractions, are never farther than said."""
    draws = Random(12)
    tried = 0
    for _ in range(500):
        numbers: list[str] = []

        def number(numbers: list[str] = numbers) -> str:
            numbers.append(f"{draws.randint(1, 99) / 10}")
            return numbers[-1]

        text = grown(draws, 2, number)
        found = typed(text)
        if found is None or found.unit is not None:
            continue
        for _ in range(20):
            meant = text
            for written in sorted(set(numbers), key=len, reverse=True):
                other = Fraction(written) + Fraction(draws.randint(-500, 500), 10_000)
                meant = meant.replace(written, f"{float(other):.4f}".replace(".", "_"))
            value = calculated(meant.replace("_", "."))
            assert value is not None
            assert abs(value - Fraction(found.value)) <= Fraction(found.within) + Fraction(1, 10**9), (text, meant)
            tried += 1
    assert tried > 5000


REFUSED: list[tuple[str, str]] = [
    *((text, "typed-wanted") for text in (
        "", " ", ",62", "0,62", "1 2", "1..2", "abc", "0x10", "1_000", "٣", "½", "2²", "1/2√3", "(1", "1)", "()", "2/", "/2", "%", "e^",
        "√", "√-1", "sqrt", "sqrt()", "2 √3", "inf", "Infinity", "∞", "nan", "1;2", "0.5 0.5", "'1'", "1=1", "x^2", "1\n2", "max(1)",
        "__import__('os')", "\x1b[31m", "\ud800", "−", "1e+", "2^", "i", "π",
    )),
    *((text, "typed-zero") for text in ("1/0", "1/0.0", "1/(1-1)", "0/0", "1/(0.5-0.5)", "1/(0.5-0.4)", "1/(0.5-0.45)^2", "0^-1", "0^0", "(0.5-0.5)^-1", "1/0%")),
    *((text, "typed-large") for text in (
        "e^99999", "exp(-99999)", "9^9^9^9", "2^99999", "2*1e20000", "10^10001", "1e9999*1e9999", "e^e^e^e^e", "1e999999999999999999", "(1/9)^9999",
    )),
    *((text, "typed-root") for text in ("√(0-1)", "√(-2)", "(-2)^0.5", "(0-2)^(1/3)", "(-2)^2.0")),
    *((text, "typed-long") for text in ("1" * 201, "(" * 99 + "1" + ")" * 99, "√" * 150 + "2", "2" + "^2" * 60, "+" * 300 + "1", "-(" * 60 + "1" + ")" * 60, "((1)+" * 24 + "1" + ")" * 24, "(√1+" * 24 + "1" + ")" * 24, "(2^1+" * 24 + "1" + ")" * 24)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), REFUSED)
def test_what_is_no_number_is_refused_with_its_reason(text: str, code: str) -> None:
    """None from `typed`, the message from `number_of`; nothing hangs or overflows."""
    assert typed(text) is None
    with pytest.raises(NoNumber) as refused:
        number_of(text)
    assert refused.value.code == code


def test_random_characters_are_numbers_or_not_but_never_more() -> None:
    """Texts of the signs that expressions are made of."""
    draws = Random(13)
    numbers = 0
    for _ in range(20_000):
        text = "".join(draws.choices("0123456789..e+-*/^%()√ ·−,exp", k=draws.randint(1, 12)))
        found = typed(text)
        if found is not None:
            numbers += 1
            assert found.value.is_finite()
            assert found.within >= 0
    assert numbers > 500


# --- rows -----------------------------------------------------------------------------------------

ROWS: list[tuple[str, list[str | None]]] = [
    # the row, the values of its entries
    ("0.62 0.12 0.19 0.08", ["0.62", "0.12", "0.19", "0.08"]), ("0.62, 0.12, 0.19, 0.08", ["0.62", "0.12", "0.19", "0.08"]),
    ("0.62,0.12,0.19,0.08", ["0.62", "0.12", "0.19", "0.08"]), ("0.62;0.12; 0.19 ;0.08", ["0.62", "0.12", "0.19", "0.08"]),
    ("0.62，0.12、0.19；0.08", ["0.62", "0.12", "0.19", "0.08"]), ("0.62, 0.12 0.19\t0.08\n", ["0.62", "0.12", "0.19", "0.08"]),
    ("0.62\u30000.12\u00a00.19", ["0.62", "0.12", "0.19"]), ("[0.62, 0.12]", ["0.62", "0.12"]), ("(0.62 0.12)", ["0.62", "0.12"]),
    ("[ 0.62 0.12 ]", ["0.62", "0.12"]), ("（０．６２，０．１２）", ["0.62", "0.12"]), ('["2/4", 0.5, null]', ["0.5", "0.5", None]),
    ("", []), ("  ", []), ("[]", []), ("()", []), ("0.62", ["0.62"]), ("[0.62]", ["0.62"]), ("(0.62)", ["0.62"]),
    # no answer
    ("_ - ? · null 3", [None, None, None, None, None, "3"]), ("0.62,,0.19", ["0.62", None, "0.19"]), ("0.62, ,0.19", ["0.62", None, "0.19"]),
    (",0.62", [None, "0.62"]), ("0.62,", ["0.62"]), ("0.62,,", ["0.62", None]), ("0.62, -, ?, 0.08", ["0.62", None, None, "0.08"]),
    ("＿ ？ － NULL", [None, None, None, None]), ("0.62 − 0.19", ["0.62", None, "0.19"]), ("0.62 · 0.19", ["0.62", None, "0.19"]),
    # decimal commas
    ("0,62; 0,12", ["0.62", "0.12"]), ("0,62 0,12 1,0", ["0.62", "0.12", "1.0"]), ("-0,3; _; 0,12", ["-0.3", None, "0.12"]),
    ("62,5 %; 12,5%", ["0.625", "0.125"]), ("０，６２；０，１２", ["0.62", "0.12"]), ("0,62", ["0", "62"]), ("0,62, 0,12", ["0.62", "0.12"]), ("0,62,0,12", ["0", "62", "0", "12"]), ("0,62, 1", ["0", "62", "1"]), ("0,62; 0,12, 0,19 0,08", ["0.62", "0.12", "0.19", "0.08"]),
    ("0,62; 0.12", ["0", "62", "0.12"]), ("1,2 3", ["1", "2", "3"]), ("0,62 1", ["0", "62", "1"]),
    # blanks inside a number
    ("2 / 4 0.5", ["0.5", "0.5"]), ("62 % 0.5", ["0.62", "0.5"]), ("0.5 62 %", ["0.5", "0.62"]), ("3 * 4 5", ["12", "5"]), ("2/ 4 2 /4", ["0.5", "0.5"]),
    ("1 + 2 3", ["3", "3"]), ("( 1 + 3 ) / 2 4", ["2", "4"]), ("√ 9 2 √4", ["3", "2", "2"]), ("2√4 1", ["4", "1"]), ("sqrt (9) 1", ["3", "1"]),
    ("2 ^ 3 1", ["8", "1"]), ("(1 - 3) 2", ["-2", "2"]), ("(1 - 3)", ["-2"]), ("(1)/(2)", ["0.5"]), ("1 - 3, 2", ["-2", "2"]), ("0.5 -0.3", ["0.5", "-0.3"]),
    ("0.5 -0.3, 0.2", ["0.5", "-0.3", "0.2"]), ("0.5 +0.3", ["0.5", "0.3"]), ("3 × 4, 5", ["12", "5"]), ("2 / 4, 62 %", ["0.5", "0.62"]),
    ("-inf −∞ 0", ["-Infinity", "-Infinity", "0"]),
    # as screens and tables have it
    ("≈0.62 ≈ 0.12", ["0.62", "0.12"]), ("~0.62, ～0.12", ["0.62", "0.12"]), ("约0.62 大约0.12", ["0.62", "0.12"]), ("≈0,62 ≈0,12", ["0.62", "0.12"]),
    ("0.62 | 0.12", ["0.62", "0.12"]), ("| 0.62 | _ | 0.12 |", ["0.62", None, "0.12"]), ("0,62 | 0,12", ["0.62", "0.12"]), (r"0.62 & 0.12 \\", ["0.62", "0.12"]),
    ("0.62 0.12 = 0.74", ["0.62", "0.12"]), ("[0.62, 0.12] = 0.74", ["0.62", "0.12"]), ("0,62 0,12 = 0,74", ["0.62", "0.12"]),
    ("0.62 0.12.", ["0.62", "0.12"]), ("0.62，0.12。", ["0.62", "0.12"]), ("0。62", ["0.62"]), ("百分之62 百分之 12", ["0.62", "0.12"]), ("百分之62.5，0.12", ["0.625", "0.12"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), ROWS)
def test_a_row_is_read_as_it_is_meant(text: str, wanted: list[str | None]) -> None:
    """Whatever separates its entries, with gaps, brackets, decimal commas and blanks inside numbers."""
    values = [None if number is None else number.value for number in row_typed(text)]
    assert values == [None if value is None else Decimal(value) for value in wanted]
    assert len(entries_of(text)) == len(wanted)


def test_an_entry_keeps_its_text() -> None:
    """As it was typed, blanks inside and full-width digits too."""
    texts = [number.text for number in row_typed("２ / ４， 62 %, e^1.8") if number is not None]
    assert texts == ["２ / ４", "62 %", "e^1.8"]


LABELLED: list[tuple[str, str]] = [
    # the row, the same without its labels
    ("I=0.62 like=0.12 to=0.19 draw=0.08", "0.62, 0.12, 0.19, 0.08"), ("I:0.62", "0.62, _, _, _"), ("to = 0,19, I = 0,62", "0,62, _, 0,19, _"),
    ("I：0.62，draw：0.08", "0.62, _, _, 0.08"), ("{I=1}", "{I=1}"), ("[I=1/2, to=2 / 3]", "1/2, _, 2 / 3, _"), ('"I": 0.62, "to": 1', "0.62, _, 1, _"),
    ("0.62 0.12", "0.62 0.12"), ("0.62 I=0.12", "0.62 I=0.12"), ("apple=1 I=2", "apple=1 I=2"), ("X I=1", "X I=1"), ("I=1 I=2", "I=1 I=2"), ("like=1", "_, 1, _, _"), ("", ""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), LABELLED)
def test_numbers_behind_labels_are_put_in_order(text: str, wanted: str) -> None:
    """With = or :, in any order, what is no such row stays as it is."""
    assert unlabelled(text, ("I", "like", "to", "draw")) == wanted


def test_labels_may_look_like_numbers_or_repeat() -> None:
    """The second `the` is the#2, the longest label counts."""
    assert unlabelled("the#2=1 the=2", ("the", "cat", "the")) == "2, _, 1"
    assert unlabelled("1=0.5 2:0.5", ("1", "2")) == "0.5, 0.5"
    assert unlabelled("a b=1 a=2", ("a", "a b", "")) == "2, 1, _"


WRONG: list[tuple[str, list[tuple[int, str]]]] = [
    # the row, the number and the text of every entry that is none
    ("0.62 o.12 0.19", [(2, "o.12")]), ("0.62, 0.12x, 1/0, 0.08", [(2, "0.12x"), (3, "1/0")]), ("abc", [(1, "abc")]),
    ("_ ? nan", [(3, "nan")]), ("inf 1", [(1, "inf")]), ("1 2)", [(2, "2)")]), ("((1 2", [(1, "((1 2")]), ("0.62.12", [(1, "0.62.12")]),
    ("1=1", [(1, "1=1")]), ("0.62 = 0.12 = 0.19", [(2, "="), (4, "=")]), (".", [(1, ".")]), ("百分之六十二", [(1, "百分之六十二")]), ("0.6≈0.7", [(1, "0.6≈0.7")]),
    ("1 " + "9" * 300, [(2, "9" * 37 + "…")]), ("% 1", [(1, "%")]), ("0.1 a b", [(2, "a"), (3, "b")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), WRONG)
def test_a_faulty_row_names_every_faulty_entry(text: str, wanted: list[tuple[int, str]]) -> None:
    """Counted from 1, with what was found there and an example of what is wanted, in both languages."""
    with pytest.raises(UsageError) as refused:
        row_typed(text)
    assert [(fault.fields["number"], fault.fields["found"]) for fault in refused.value.faults] == wanted
    for language in LANGUAGES:
        assert len(refused.value.sentences(language)) == len(wanted)


def test_the_sentence_of_a_faulty_entry() -> None:
    """Which entry, what it is, what is wanted."""
    with pytest.raises(UsageError) as refused:
        row_typed("0.62 o.12 1/0")
    wanted = "wanted is a number, for example 0.62, 62 %, 2/3, 1/√2 or e^1.8, or _ for no answer"
    assert refused.value.sentences("en") == [
        f"entry 2 of the row is o.12; {wanted}", "entry 3 of the row is 1/0; it divides by 0",
    ]  # fmt: skip
    assert refused.value.sentences("zh") == [
        "这一行的第 2 项是 o.12；应为数字，例如 0.62、62 %、2/3、1/√2 或 e^1.8，没有答案就写 _", "这一行的第 3 项是 1/0；除数是 0",
    ]  # fmt: skip


LONG = [
    "(((" + "1 " * 100_000,
    "1 " * 100_000,
    "1," * 100_000,
    "√ " * 100_000,
    "(" * 1_000_000,
    "- " * 100_000,
    " " * 1_000_000 + "-",
    "1" + " " * 1_000_000 + "1",
    "|" * 100_000 + "1" + "|" * 100_000,
    "1 2=" * 100_000,
    "1" * 1_000_000,
]


@pytest.mark.parametrize("text", LONG, ids=lambda text: f"{text[:4]} × {len(text)}")
def test_a_row_of_any_length_is_read_or_refused(text: str) -> None:
    """No text is so long or so odd that reading it goes round in circles."""
    try:
        found = row_typed(text)
    except UsageError as error:
        found = list(error.faults)  # type: ignore[arg-type]
    assert len(found) >= 1
