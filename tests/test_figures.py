"""How a number becomes text, and where that text changes."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rivals.balls import Ratio, text_of
from samples import trace_of

from attncalc.core.figures import (
    ROUNDINGS,
    WIDE,
    as_decimal,
    edges,
    figure,
    plain_minus,
    round_to,
    rounds_away,
)
from attncalc.core.numbers import figures

UP, EVEN, CUT = ROUNDINGS

TABLE: list[tuple[str, int, str, str]] = [
    # number, places, rounding, text
    ("0.125", 2, UP, "0.13"), ("0.125", 2, EVEN, "0.12"), ("0.125", 2, CUT, "0.12"),
    ("0.135", 2, UP, "0.14"), ("0.135", 2, EVEN, "0.14"), ("0.135", 2, CUT, "0.13"),
    ("-0.125", 2, UP, "-0.13"), ("-0.125", 2, EVEN, "-0.12"), ("-0.125", 2, CUT, "-0.12"),
    ("0.12499999999999999999999999", 2, UP, "0.12"), ("0.12500000000000000000000001", 2, EVEN, "0.13"),
    ("2.5", 0, UP, "3"), ("2.5", 0, EVEN, "2"), ("3.5", 0, EVEN, "4"), ("-2.5", 0, UP, "-3"), ("2.9", 0, CUT, "2"),
    ("9.995", 2, UP, "10.00"), ("0.7", 4, UP, "0.7000"), ("1", 0, UP, "1"), ("1E+3", 1, UP, "1000.0"),
    # zero has no sign, whatever it was
    ("0", 2, UP, "0.00"), ("-0", 2, UP, "0.00"), ("-0.00", 0, UP, "0"), ("0E-9", 3, CUT, "0.000"),
    # from 10^10 on
    ("9999999999.9999", 4, UP, "9999999999.9999"), ("9999999999.99995", 4, UP, "1.0000e10"),
    ("9999999999.99995", 4, CUT, "9999999999.9999"), ("9999999999.4", 0, UP, "9999999999"),
    ("9999999999.5", 0, UP, "1e10"), ("9999999999.5", 0, CUT, "9999999999"), ("1E+10", 4, UP, "1.0000e10"),
    ("-1E+10", 2, UP, "-1.00e10"), ("1.81125E+41", 4, UP, "1.8113e41"), ("1.81125E+41", 4, EVEN, "1.8112e41"),
    ("9.99996E+41", 4, UP, "1.0000e42"), ("9.99996E+41", 4, CUT, "9.9999e41"), ("1.97E+434", 2, UP, "1.97e434"),
    # where the places would show only zeros
    ("0.005", 2, UP, "0.01"), ("0.005", 2, EVEN, "5.0e-3"), ("0.0049", 2, UP, "4.9e-3"), ("0.009", 2, CUT, "9.0e-3"),
    ("1.25E-24", 4, UP, "1.3e-24"), ("1.25E-24", 4, EVEN, "1.2e-24"), ("5.5E-42", 4, UP, "5.5e-42"),
    ("-0.0000421", 4, UP, "-4.2e-5"), ("9.96E-6", 4, UP, "1.0e-5"), ("9.96E-6", 4, CUT, "9.9e-6"),
    ("0.4", 0, UP, "4.0e-1"), ("0.5", 0, UP, "1"), ("0.5", 0, EVEN, "5.0e-1"), ("1E-400", 50, UP, "1.0e-400"),
    # what is no number
    ("NaN", 4, UP, "NaN"), ("-NaN", 4, UP, "NaN"), ("Infinity", 4, UP, "inf"), ("-Infinity", 4, CUT, "-inf"),
]  # fmt: skip


@pytest.mark.parametrize(("number", "places", "rounding", "text"), TABLE)
def test_a_number_is_shown_so(number: str, places: int, rounding: str, text: str) -> None:
    """Ties by the rule, no −0, scientific from 10^10 on and for numbers that the places would show as zeros."""
    assert figure(Decimal(number), places, rounding) == text


@pytest.mark.parametrize(
    ("number", "text"), [(0.125, "0.13"), (0.1, "0.10"), (-0.0, "0.00"), (float("nan"), "NaN"), (float("-inf"), "-inf")]
)
def test_a_double_is_shown_as_the_value_it_stores(number: float, text: str) -> None:
    """A float is first the exact decimal that it stores."""
    assert figure(number, 2) == text


@pytest.mark.parametrize(("text", "shown"), [("-0.3", "−0.3"), ("1.3e-24", "1.3e-24"), ("-1.3e-24", "−1.3e-24")])
def test_the_minus_sign_of_printed_mathematics(text: str, shown: str) -> None:
    """What was printed with − is read as a number again; an exponent keeps its own sign."""
    assert plain_minus(shown) == text


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity"])
def test_rounding_leaves_what_is_no_number(value: str) -> None:
    """−∞ and NaN are not rounded."""
    assert str(round_to(Decimal(value), 2, UP)) == value


@pytest.mark.parametrize(("kind", "total", "weight"), [("by-hand", "2.22", "0.450"), ("exact", "2.2214", "0.4502")])
def test_a_step_by_hand_has_the_places_it_was_rounded_to(kind: str, total: str, weight: str) -> None:
    """In another arithmetic those of the scenario."""
    trace = trace_of({"scores": [0, 0.2], "places": 4, "by_hand": {"default": 2, "weights": 3}}, arithmetic=kind)
    assert (figures(trace, "total").flat[0], figures(trace, "weights").flat[0]) == (total, weight)


roundings = st.sampled_from(list(ROUNDINGS))
hairs = st.builds(lambda sign, power: Decimal(sign).scaleb(-power), st.sampled_from([0, 1, -1]), st.integers(1, 30))


@st.composite
def numbers(draw: st.DrawFn) -> tuple[Decimal, int]:
    """A number and the places it is shown with: any size, often on a tie or at a power of ten, or a hair beside."""
    places = draw(st.integers(0, 12))
    exponent = draw(st.integers(-16, 12))
    tie = (2 * draw(st.integers(0, 10**4)) + 1) * 5, -places - 1
    mantissa = draw(st.sampled_from([1, 5, 10, 95, 99, 105, 995, 9995, 99999])), exponent
    digits, power = draw(st.sampled_from([tie, mantissa, (draw(st.integers(0, 10**6)), exponent)]))
    number = WIDE.add(Decimal(digits).scaleb(power), draw(hairs).scaleb(power))
    return (-number if draw(st.booleans()) else number), places


@settings(max_examples=400)
@given(numbers(), roundings)
def test_text_is_that_of_whole_number_arithmetic(case: tuple[Decimal, int], rounding: str) -> None:
    """Against a rival on fractions of whole numbers."""
    number, places = case
    assert figure(number, places, rounding) == text_of(Ratio(*number.as_integer_ratio()), places, rounding)


@settings(max_examples=400)
@given(st.sampled_from([0, 1, 49, 50, 51, 99, 100, 101]), st.integers(0, 12), hairs, roundings, st.booleans())
def test_a_number_rounds_away_where_only_zeros_are_left(
    hundredths: int, places: int, hair: Decimal, rounding: str, binary: bool
) -> None:
    """Hundredths of the last place, and a hair beside, against the rounded number itself."""
    number: Decimal | float = WIDE.add(Decimal(hundredths), hair).scaleb(-places - 2)
    number = float(number) if binary else number
    assert rounds_away(number, places, rounding) == (not round_to(as_decimal(number), places, rounding))


halves = st.builds(lambda whole, power: whole / 2**power, st.integers(-(10**5), 10**5), st.integers(0, 14))


@settings(max_examples=400)
@given(halves | numbers().map(lambda case: float(case[0])) | st.floats(-1e12, 1e12), st.integers(0, 17), roundings)
def test_the_text_of_a_double_too(number: float, places: int, rounding: str) -> None:
    """Also where it lies halfway between two figures, which only halves, quarters and so on do."""
    assert figure(number, places, rounding) == text_of(Ratio(*number.as_integer_ratio()), places, rounding)


@settings(max_examples=1000)
@given(numbers(), roundings, st.sampled_from([1, 2, 5, 9]), st.integers(-30, -1))
@example((Decimal("1.00001E-5"), 4), UP, 1, -2)  # 1.0e-5, but 9.9e-6 is within the error
@example((Decimal("1.00001E-5"), 4), EVEN, 1, -2)
@example((Decimal("1.00001E+11"), 2), UP, 1, -2)
@example((Decimal("1E+12"), 4), UP, 1, -5)  # 1.0000e12, but 9.9999e11 is within the error
def test_between_two_edges_the_text_is_the_same(
    case: tuple[Decimal, int], rounding: str, digits: int, power: int
) -> None:
    """Where no edge lies within an error, every number within it is shown alike: that is what exact relies on."""
    number, places = case
    error = WIDE.multiply(abs(number) or Decimal(1), Decimal(digits).scaleb(power))
    near = edges(number, places, rounding)
    if all(abs(WIDE.subtract(number, edge)) > error for edge in near):
        texts = {figure(WIDE.add(number, sign * error), places, rounding) for sign in (-1, 0, 1)}
        assert len(texts) == 1


@pytest.mark.parametrize("rounding", list(ROUNDINGS))
def test_edges_and_texts_do_not_ask_the_callers_context(rounding: str) -> None:
    """Edges of a number with more digits than a caller's decimals have: nothing of it is rounded on the way."""
    number, places = Decimal("0.123456789012345678901234567890123456789049999"), 40
    wide = edges(number, places, rounding), figure(number, places, rounding)
    with localcontext(Context(prec=5)):
        assert (edges(number, places, rounding), figure(number, places, rounding)) == wide
    assert min(abs(WIDE.subtract(number, edge)) for edge in wide[0]) < Decimal("1e-40")
