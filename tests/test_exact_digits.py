"""Every digit of exact and by-hand arithmetic against rivals that share no line with it (python-flint balls)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from rivals.balls import Document, exact_doubles, exact_figures
from rivals.by_hand import hand_figures
from rivals.random_scenarios import as_json, documents, documents_by_hand
from samples import computed, trace_of_text

from attncalc import load, run
from attncalc.core.arithmetic import Decimals
from attncalc.core.bounded import Bounded
from attncalc.core.certain import context as digits_of
from attncalc.core.edges import Edges
from attncalc.core.figures import ROUNDINGS, figure, round_to
from attncalc.core.stage import Step, Trace
from attncalc.errors import CalculationError

CHUNKS = 20  # chunks of scenarios, so that a failure says where to look
EXACT, BY_HAND = 2000 // CHUNKS, 1000 // CHUNKS


def trace_of_file(folder: Path, document: Document, **options: str) -> Trace:
    """The trace of a document that went through a file."""
    path = folder / "scenario.json"
    path.write_text(as_json(document), encoding="utf-8")
    return run(load(path, options=options))


def assert_same(document: Document, found: Callable[[], Any], wanted: Callable[[], Any]) -> None:
    """The two agree, in what they give or in that they refuse."""
    try:
        right = wanted()
    except ZeroDivisionError:
        with pytest.raises(CalculationError):
            found()
    else:
        assert found() == right, as_json(document)


def shown(step: Step, trace: Trace) -> Any:
    """A step's exact numbers as they would be shown, nested along its axes."""
    text = np.frompyfunc(lambda x: figure(x, trace.scenario.places, trace.scenario.rounding), 1, 1)
    return np.asarray(text(step.exact), dtype=object).tolist()


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_digit_shown_is_that_of_the_true_result(chunk: int, tmp_path: Path) -> None:
    """2,000 scenarios, all starting points, scores up to ±1000, ties among them: exact figures and nearest doubles."""
    for document in documents(chunk, EXACT):
        kept: list[Trace] = []

        def figures(document: Document = document, kept: list[Trace] = kept) -> Any:
            kept.append(trace_of_file(tmp_path, document, arithmetic="exact"))
            return {step.name: shown(step, kept[0]) for step in computed(kept[0])}

        assert_same(document, figures, lambda document=document: exact_figures(document))  # type: ignore[misc]
        for trace in kept:
            assert_nearest_doubles(document, trace)


def assert_nearest_doubles(document: Document, trace: Trace) -> None:
    """`values` holds the double nearest each true value."""
    wanted = exact_doubles(document)
    for step in computed(trace):
        np.testing.assert_array_equal(step.values, np.array(wanted[step.name]), f"{step.name} {as_json(document)}")


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_by_hand_every_step_is_rounded_before_the_next_uses_it(chunk: int, tmp_path: Path) -> None:
    """1,000 scenarios by hand: every rounded number with its places, and a refusal where a total rounds to 0."""
    for document in documents_by_hand(chunk, BY_HAND):

        def numbers(document: Document = document) -> Any:
            return {step.name: hand_texts(step) for step in computed(trace_of_file(tmp_path, document))}

        assert_same(document, numbers, lambda document=document: rival_texts(document))  # type: ignore[misc]


def hand_texts(step: Step) -> Any:
    """A step's decimals as text, nested along its axes: the places count."""
    return np.asarray(np.frompyfunc(decimal_text, 1, 1)(step.exact), dtype=object).tolist()


def rival_texts(document: Document) -> dict[str, Any]:
    """The rival's decimals as text."""

    def texts(nested: Any) -> Any:
        return [texts(part) for part in nested] if isinstance(nested, list) else decimal_text(nested)

    return {name: texts(nested) for name, nested in hand_figures(document).items()}


def decimal_text(value: Decimal) -> str:
    """All digits of a decimal."""
    return format(value, "f") if value.is_finite() else str(value)


def mean_on_a_tie(rng: Random, places: int) -> Document:
    """Equal scores, and values whose mean lies exactly on half a unit of a place far to the right."""
    count = rng.choice((3, 6, 7, 9))
    with localcontext(digits_of(HIGH)):
        centre = Decimal(f"0.{''.join(rng.choices('0123456789', k=places))}5")
        values = [centre + Decimal(rng.randint(-99, 99)).scaleb(-2) for _ in range(count - 1)]
        values.append(centre * count - sum(values, Decimal(0)))
    return {"scores": [Decimal("0.7")] * count, "v": [[value] for value in values], "places": places}


@pytest.mark.parametrize("places", [27, 28, 29, 35, 40, 50])
def test_ties_are_ties_however_many_places_are_shown(places: int, tmp_path: Path) -> None:
    """More places than Python's own decimals have digits: a tie at the last of them is still seen."""
    rng = Random(places)
    for rounding in ("half-up", "half-even", "truncate"):
        for _ in range(8):
            document = {**mean_on_a_tie(rng, places), "rounding": rounding}
            trace = trace_of_file(tmp_path, document, arithmetic="exact")
            assert shown(trace["context"], trace) == exact_figures(document)["context"], as_json(document)


# --- the bounds that say when digits are sure ---------------------------------------------------

LOW, HIGH = 12, 80
ROUNDS = 150

Truth = list[Decimal]
Operation = Callable[[Decimals, Any, Any], Any]

SIGNS = np.array([[Decimal(1)], [Decimal(-1)], [Decimal(1)]], dtype=object)  # a column each, once turned

OPERATIONS: dict[str, Operation] = {
    "add": lambda arithmetic, a, b: a + b,
    "subtract": lambda arithmetic, a, b: a - b,
    "negate": lambda arithmetic, a, b: -a,
    "multiply": lambda arithmetic, a, b: a * b,
    "divide": lambda arithmetic, a, b: a / b,
    "matmul": lambda arithmetic, a, b: a @ b.swapaxes(-1, -2),
    "matmul of one sign": lambda arithmetic, a, b: (a * a) @ (b * b).swapaxes(-1, -2),
    "matmul with columns of one sign": lambda arithmetic, a, b: (a * a) @ (b * b * SIGNS).swapaxes(-1, -2),
    "sum": lambda arithmetic, a, b: a.sum(axis=-1, keepdims=True),
    "sum of one sign": lambda arithmetic, a, b: (b * b).sum(axis=-1, keepdims=True),
    "exp": lambda arithmetic, a, b: arithmetic.exp(a),
    "sqrt": lambda arithmetic, a, b: arithmetic.sqrt(b * b),
    "power": lambda arithmetic, a, b: arithmetic.power(arithmetic.number(Decimal("0.37")), a),
    "tanh": lambda arithmetic, a, b: arithmetic.tanh(a),
    "cos": lambda arithmetic, a, b: arithmetic.cos(a),
    "sin of many turns": lambda arithmetic, a, b: arithmetic.sin(a * Decimal("1e9")),
    "join": lambda arithmetic, a, b: arithmetic.join((a, b), -2),
    "maximum": lambda arithmetic, a, b: arithmetic.maximum(a),
    "where": lambda arithmetic, a, b: arithmetic.where(np.eye(3, 4, dtype=bool), a, b),
    "softmax": lambda arithmetic, a, b: arithmetic.exp(a) / arithmetic.exp(a).sum(axis=-1, keepdims=True),
}


def random_numbers(rng: np.random.Generator, zeros: bool) -> Any:
    """3 × 4 decimals of 12 digits, of sizes that a matrix of scores may have."""
    size = 10.0 ** rng.integers(-6, 3, size=(3, 4)) if rng.random() < 0.5 else 1.0
    values = rng.normal(size=(3, 4)) * size
    if zeros:
        values[rng.random((3, 4)) < 0.15] = 0
    return np.asarray(np.frompyfunc(lambda x: Decimal(f"{x:.{LOW - 1}e}"), 1, 1)(values), dtype=object)


def with_bound(rng: np.random.Generator, values: Any) -> tuple[Bounded, Any]:
    """The numbers with a random bound, and true numbers that lie as far off as the bound allows, or nearer."""
    kind = rng.choice(["exact", "absolute", "relative"])
    if kind == "exact":
        return Bounded(values), values
    exponent = float(rng.integers(-12, -1)) + 0.25
    array = Bounded(values, exponent) if kind == "absolute" else Bounded(values, np.inf, exponent)
    allowed = Decimal(10) ** Decimal(exponent) * Decimal("0.999999")
    steps = rng.choice([-1.0, 1.0, 0.3, 0.0], size=values.shape)
    truth = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        truth[index] = value + Decimal(steps[index]) * allowed * (abs(value) if kind == "relative" else 1)
    return array, truth


def cases(name: str) -> Iterator[tuple[Bounded, Bounded]]:
    """The operation on bounded numbers at 12 digits, and on the true ones at 80."""
    rng = np.random.default_rng(sum(map(ord, name)))
    operation, arithmetic = OPERATIONS[name], Decimals()
    for _ in range(ROUNDS):
        with localcontext(digits_of(HIGH)):
            a, true_a = with_bound(rng, random_numbers(rng, zeros=True))
            b, true_b = with_bound(rng, random_numbers(rng, zeros=False))
            right = operation(arithmetic, Bounded(true_a), Bounded(true_b))
        with localcontext(digits_of(LOW)):
            yield operation(arithmetic, a, b), right


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_error_is_never_larger_than_its_bound(name: str) -> None:
    """At 12 digits no number is further from the same operation at 80 digits than its bound says."""
    finite = 0
    for found, right in cases(name):
        for value, true in zip(found.values.flat, right.values.flat, strict=True):
            error = found.error(value)
            finite += error < 1
            assert abs(value - true) <= error + abs(true) * Decimal("1e-70"), (value, true, error)
    assert finite > ROUNDS, "the bounds say nothing"


TERMS = 1000
LONG_SUMS: dict[str, Callable[[Bounded], Bounded]] = {
    "sum": lambda row: row.sum(axis=-1),
    "sum of a column": lambda row: row.swapaxes(0, 1).sum(axis=-2),
    "matmul": lambda row: row @ np.full((TERMS, 1), Decimal(1)),
    "matmul of both signs": lambda row: row @ np.array([[Decimal((-1) ** n)] for n in range(TERMS)]),
}


@pytest.mark.parametrize("name", LONG_SUMS)
@pytest.mark.parametrize(("absolute", "relative"), [(-6.0, np.inf), (np.inf, -6.0)])
def test_the_errors_of_many_terms_add_up(name: str, absolute: float, relative: float) -> None:
    """A thousand numbers, each off by a millionth, are off by a thousandth together; the bound says no less, nor much more."""
    total = LONG_SUMS[name](Bounded(np.full((1, TERMS), Decimal(1)), absolute, relative))
    assert Decimal("0.001") <= total.error(total.values.item()) <= Decimal(1)


@pytest.mark.parametrize("name", LONG_SUMS)
def test_the_roundings_of_many_terms_add_up(name: str) -> None:
    """A thousand sums that are all cut off at 12 digits: what is lost is within the bound."""
    thirds = Bounded(np.full((1, TERMS), Decimal("0." + "3" * LOW)))
    found = []
    for digits in (LOW, HIGH):
        with localcontext(digits_of(digits)):
            found.append(LONG_SUMS[name](thirds))
    value, true = (total.values.item() for total in found)
    assert abs(value - true) <= found[0].error(value)


def shows_both(value: Decimal, error: Decimal, edges: Edges) -> bool:
    """Whether a number is shown in two ways within its error."""
    ends = [digits_of(80).add(value, sign * error) for sign in (-1, 1)]
    texts = {(figure if edges.doubles else round_to)(end, edges.places, edges.rounding) for end in ends}
    return len(texts) > 1 or (edges.doubles and float(ends[0]) != float(ends[1]))


@pytest.mark.parametrize("rounding", ROUNDINGS)
@pytest.mark.parametrize("doubles", [True, False])
@pytest.mark.parametrize("places", [0, 2, 4, 9, 15])
def test_no_number_near_an_edge_is_left_out(places: int, doubles: bool, rounding: str) -> None:
    """The quick look finds all whose text or double is open: a hair off ties, figures, midpoints of two doubles."""
    rng, edges = Random(places), Edges(places, rounding, doubles)
    values = []
    for _ in range(150):
        double = rng.uniform(-1, 1) * 10.0 ** rng.randint(-places - 3, 14)
        middle = (Decimal(double) + Decimal(math.nextafter(double, 0))) / 2
        near = rng.choice([edges.near(Decimal(double))[-1], middle])
        values.append(digits_of(60).add(near, Decimal(rng.choice([-1, 1])).scaleb(near.adjusted() - 45)))
    for absolute in (-40.0, np.inf):
        array = Bounded(np.array(values), absolute, -40.0)
        open_ones = {(n,) for n, value in enumerate(values) if shows_both(value, array.error(value), edges)}
        assert len(open_ones) > 10
        assert open_ones <= {*edges.suspects(array)}


WORLDS_APART: list[tuple[Document, Decimal]] = [
    # embeddings, and the base
    ({"x": [[1000, 0], [0, 1000]]}, Decimal(1).exp()),
    ({"x": [[1000, 0], [0, -1000]]}, Decimal(1).exp()),
    ({"x": [[1000, 0], [0, 1000]], "base": 2}, Decimal(2)),
    ({"x": [[2000, 0], [0, 2000]], "base": 10}, Decimal(10)),
]


@pytest.mark.parametrize(("document", "base"), WORLDS_APART)
def test_weights_worlds_apart_need_no_more_digits_than_others(document: Document, base: Decimal) -> None:
    """Nothing cancels, so a context far below the smallest double is sure at once, and has the true digits."""
    trace = run(load(document))
    size = Decimal(abs(document["x"][1][1]))
    with localcontext(digits_of(HIGH)):
        tiny = size / (1 + base ** (size * size / Decimal(2).sqrt()))
    assert "undecided" not in {note.code for note in trace.notes}
    assert shown(trace["context"], trace)[0][1].lstrip("-") == figure(tiny, 4)


@pytest.mark.parametrize("scores", [[1, "1e-70", -1], [1, -1, "1e-70"], ["1e-70", 1, -1], [-1, "1e-70", 1]])
def test_a_sum_that_is_almost_nothing_is_no_zero(scores: list[Any]) -> None:
    """Plain division by it is defined whatever the order; the digits at hand must not call it zero."""
    trace = trace_of_text(f'{{"scores": [{", ".join(map(str, scores))}], "weighting": "linear"}}')
    assert trace["total"].exact.tolist() == [Decimal("1e-70")]
    assert sorted(trace["weights"].exact.ravel().tolist()) == [-Decimal("1e70"), 1, Decimal("1e70")]
