"""Where a cell comes from: derivations that give the cell again, name cells that exist, and are printed as they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from decimal import Context, Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

import mpmath
import numpy as np
import pytest
from printed import worth
from rivals import random_options
from rivals.random_scenarios import as_json, documents, documents_by_hand
from samples import BUILT_IN, DRAW, computed, trace_of, trace_of_text, view_in

from attncalc import load, run
from attncalc.core.certain import OWN
from attncalc.core.expression import Cell, Expression, Number, Operation, Symbol, numbers_in, rational
from attncalc.core.figures import round_to
from attncalc.core.stage import AXES, Step, Trace
from attncalc.derive import derivation, formula, recomputed
from attncalc.document.blocks import Derivation, Line
from attncalc.document.explain import explain
from attncalc.document.latex import LatexNotation
from attncalc.document.relation import relation
from attncalc.document.signs import UNICODE
from attncalc.document.view import View
from attncalc.errors import CalculationError
from attncalc.pipelines.rows_online import online_rows
from attncalc.pipelines.standard import ROWS

KINDS = ("exact", "float64", "by-hand")
ENOUGH = Context(prec=500, Emax=10**12, Emin=-(10**12), traps=[])


# --- what a derivation is worth, by a reader of trees that is not the program's -------------------


class Worth(NamedTuple):
    """A value, and the size that its error is measured against: what the parts would add to without their signs."""

    value: Any
    size: Any


def worth_of(tree: Expression, number: Callable[[Any], Any]) -> Worth:
    """The value of a derivation over its own numbers, each of them made a decimal or a float."""
    if isinstance(tree, Number):
        value = number(tree.value)
        return Worth(value, abs(value))
    assert isinstance(tree, Operation)
    return WORTH[tree.kind](*(worth_of(argument, number) for argument in tree.arguments))


def _added(*parts: Worth) -> Worth:
    total = parts[0].value
    for part in parts[1:]:
        total = total + part.value
    return Worth(total, sum((part.size for part in parts[1:]), parts[0].size))


def _times(a: Worth, b: Worth) -> Worth:
    return Worth(a.value * b.value, a.size * abs(b.value) + abs(a.value) * b.size)


def _by(a: Worth, b: Worth) -> Worth:
    if not b.value:
        nan = type(b.value)("nan")
        return Worth(nan, nan)
    quotient = a.value / b.value
    return Worth(quotient, a.size / abs(b.value) + abs(quotient) * b.size / abs(b.value))


def _dot(*parts: Worth) -> Worth:
    half = len(parts) // 2
    return _added(*map(_times, parts[:half], parts[half:]))


def _exp(x: Worth) -> Worth:
    value = x.value.exp() if isinstance(x.value, Decimal) else float(np.exp(x.value))
    return Worth(value, value * (1 + x.size) if value else value)


def _power(base: Worth, x: Worth) -> Worth:
    value = base.value**x.value
    return Worth(value, abs(value) * (1 + 10 * x.size) if value else value)


def _sqrt(x: Worth) -> Worth:
    value = x.value.sqrt() if isinstance(x.value, Decimal) else x.value**0.5
    return Worth(value, value)


def _circular(name: str) -> Callable[[Worth], Worth]:
    def turned(x: Worth) -> Worth:
        with mpmath.workdps(70):
            number = getattr(mpmath, name)(mpmath.mpf(str(x.value)))
            return Worth(type(x.value)(mpmath.nstr(number, 60)), 1 + x.size)

    return turned


def _tanh(x: Worth) -> Worth:
    power = _exp(Worth(2 * x.value, 2 * x.size))
    return Worth((power.value - 1) / (power.value + 1), 1 + x.size)


WORTH: dict[str, Callable[..., Worth]] = {
    "add": _added, "sum": _added, "multiply": _times, "divide": _by, "dot": _dot, "exp": _exp, "power": _power,
    "sqrt": _sqrt, "cos": _circular("cos"), "sin": _circular("sin"), "tanh": _tanh, "maximum": lambda *parts: max(parts),
    "subtract": lambda a, b: Worth(a.value - b.value, a.size + b.size),
    "negate": lambda a: Worth(-a.value, a.size),
}  # fmt: skip


def assert_gives_the_cell(trace: Trace, step: Step, index: tuple[int, ...], tree: Expression) -> None:
    """Exactly to 40 digits, in float64 to 12, and by hand to the last digit after rounding."""
    cell, message = step.cells[index], f"{step.name}{index}"
    with np.errstate(all="ignore"):
        found = worth_of(tree, (lambda x: x) if trace.kind != "float64" else float)
    if trace.kind == "by-hand":
        value = round_to(found.value, trace.scenario.hand_places(step.name), trace.scenario.rounding)
        assert value == cell or (value.is_nan() and cell.is_nan()), message
    elif cell != cell or abs(cell) == float("inf"):
        assert str(found.value).lower() == str(cell).lower(), message
    else:
        most = Decimal("1e-40") if trace.kind == "exact" else 1e-12
        assert abs(found.value - cell) <= found.size * most + type(cell)("1e-300"), message


def cells_of(trace: Trace) -> Iterator[tuple[Step, tuple[int, ...], Expression]]:
    """Every computed cell with its derivation."""
    for step in computed(trace):
        for index in np.ndindex(step.cells.shape):
            yield step, index, derivation(trace, step, index)


# --- the cells that a derivation names ------------------------------------------------------------


def assert_names_what_exists(trace: Trace, step: Step, tree: Expression) -> None:
    """Each number stands where it says: in an earlier step, among the given arrays, or under a key."""
    before = [other.name for other in trace][: [other.name for other in trace].index(step.name)]
    for leaf in numbers_in(tree):
        if leaf.cell is None:
            assert leaf.value in (0, Decimal("-Infinity")) or leaf.value.is_nan() or leaf.value % 1 == 0
        elif not leaf.cell.given:
            assert leaf.cell.name in before
            assert_same(trace[leaf.cell.name].cells[leaf.cell.place], leaf.value)
        elif leaf.cell.place:
            assert_same(trace.scenario.arrays[leaf.cell.name][leaf.cell.place], leaf.value)
        else:
            widths = {"d_k": trace.scenario.width, "d_model": trace.scenario.width}
            known = {**trace.scenario.document, **widths}
            key, _, part = leaf.cell.name.partition(".")
            assert leaf.value == (known[key][part] if part else known[key])


def test_an_axis_is_read_at_the_cell_or_whole_on_purpose() -> None:
    """A step's reads name its own axes, or say that all of an axis counts: a misspelt one would be read whole too."""
    for row in (*ROWS, *online_rows(load("draw", options={"algorithm": "online", "block": 2}))):
        assert {*row.axes} <= {*AXES}, row.name
        for read in row.reads:
            assert {*read.axes} <= {*row.axes, "any", "in", "kv_head"}, (row.name, read.slot)


def assert_same(cell: Any, value: Any) -> None:
    """The very number, NaN too."""
    assert cell == value or (cell != cell and value != value)


def assert_derivations_hold(trace: Trace) -> None:
    """All of the above, for every cell."""
    with localcontext(ENOUGH):
        for step, index, tree in cells_of(trace):
            assert_gives_the_cell(trace, step, index, tree)
            assert_names_what_exists(trace, step, tree)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_cell_of_a_built_in_scenario_comes_from_its_derivation(name: str, kind: str) -> None:
    """In every arithmetic, the products of weights and values included."""
    assert_derivations_hold(run(load(name, (), {"arithmetic": kind}), terms=load(name).has_values))


@pytest.mark.parametrize("kind", ["exact", "float64", "by-hand"])
def test_grouped_heads_from_embeddings(kind: str) -> None:
    """Four query heads read two heads of keys and values, each with its own part of w_k and w_v."""
    draw = random.Random(4)

    def array(rows: int, columns: int) -> list[list[int]]:
        return [[draw.randint(-3, 3) for _ in range(columns)] for _ in range(rows)]

    document = {
        "x": array(3, 5), "w_q": array(5, 8), "w_k": array(5, 4), "w_v": array(5, 4), "b_k": array(1, 4)[0],
        "heads": 4, "kv_heads": 2, "by_hand": 2, "temperature": 20,
    }  # fmt: skip
    assert_derivations_hold(trace_of_text(as_json(document), arithmetic=kind))


@pytest.mark.parametrize("chunk", range(10))
def test_every_cell_of_a_random_scenario_comes_from_its_derivation(chunk: int) -> None:
    """200 scenarios: 100 exact, 40 in float64, 60 by hand."""
    texts = [as_json(document) for document in documents(100 + chunk, 14)]
    for position, text in enumerate(texts):
        assert_derivations_hold(trace_of_text(text, arithmetic="exact" if position < 10 else "float64"))
    for document in documents_by_hand(200 + chunk, 6):
        try:
            trace = trace_of_text(as_json(document))
        except CalculationError:
            continue
        assert_derivations_hold(trace)


@pytest.mark.parametrize("chunk", range(4))
def test_every_cell_under_every_option_comes_from_its_derivation(chunk: int) -> None:
    """120 scenarios with batches, heads, caches, norms and rotations, those with a softmax online as well."""
    online = 0
    for document in random_options.documents(300 + chunk, 30):
        assert_derivations_hold(trace_of_text(as_json(document), arithmetic="float64"))
        if not {"weights", "weighting", "shift"} & document.keys() and {"scores", "k", "w_k"} & document.keys():
            online += 1
            blocks = {**document, "algorithm": "online", "block": 2}
            assert_derivations_hold(trace_of_text(as_json(blocks), arithmetic="float64"))
    assert online > 2


@pytest.mark.parametrize("kind", KINDS)
def test_the_program_evaluates_derivations_too(kind: str) -> None:
    """`recomputed` agrees with the reader of trees above."""
    trace = run(load("mini-head", (), {"arithmetic": kind}))
    with localcontext(ENOUGH):
        for _, _, tree in cells_of(trace):
            wanted = worth_of(tree, (lambda x: x) if kind != "float64" else float).value
            assert float(recomputed(tree)) == pytest.approx(float(wanted), rel=1e-15, abs=1e-300)


@pytest.mark.parametrize(("score", "wanted"), [("1e30", 50), ("-1e30", -50), ("0", 0)])
def test_a_capped_score_beyond_all_powers_is_evaluated_as_the_cap(score: str, wanted: int) -> None:
    """tanh of a score whose exponential leaves the range of decimals is ±1, in the context of the program."""
    trace = trace_of_text(f'{{"scores": [{score}, 1], "softcap": 50, "arithmetic": "float64"}}')
    with localcontext(OWN):
        assert recomputed(derivation(trace, trace["capped"], (0, 0, 0, 0))) == wanted


def test_a_given_cell_is_just_its_number() -> None:
    """It knows its cell and nothing before it."""
    trace = trace_of(DRAW)
    tree = derivation(trace, trace["scores"], (0, 0, 0, 1))
    assert isinstance(tree, Number)
    assert (tree.value, tree.cell) == (Decimal("0.2"), Cell("scores", (0, 0, 0, 1)))


def test_a_hidden_cell_shows_no_score() -> None:
    """What the mask did not choose leaves no trace."""
    trace = trace_of({"scores": [[1, 2], [3, 4]], "mask": "causal"})
    tree = derivation(trace, trace["masked"], (0, 0, 0, 1))
    assert [leaf.value for leaf in numbers_in(tree)] == [Decimal("-Infinity")]


NAMED: list[tuple[dict[str, Any], str, list[str]]] = [
    # options, step, what its first cell is made from
    ({"scale": "d_k", "d_k": 4, "temperature": 2}, "scaled", ["scores", "d_k", "temperature"]),
    ({"scale": "sqrt_d_model", "d_model": 4}, "scaled", ["scores", "d_model"]),
    ({"scale": 0.5}, "scaled", ["scores", "scale"]),
    ({"softcap": 3}, "capped", ["scores", "softcap", "softcap"]),
    ({"base": 2}, "exponentials", ["base", "scores"]),
    ({"sink": 0.5, "shift": True}, "maximum", ["scores", "scores", "sink"]),
    ({"sink": 0.5, "shift": True}, "total", ["exponentials", "exponentials", "sink", "maximum"]),
]


@pytest.mark.parametrize(("options", "step", "names"), NAMED)
def test_every_number_of_a_derivation_says_once_where_it_was_read(
    options: dict[str, Any], step: str, names: list[str]
) -> None:
    """Cells of steps, and numbers that the scenario gives: options, sizes, the sink."""
    trace = trace_of({"scores": [[1, 2], [3, 4]], **options})
    tree = derivation(trace, trace[step], (0, 0, 0, 0))
    assert [leaf.cell.name if leaf.cell else "" for leaf in numbers_in(tree)] == names


# --- `=` and `≈` ----------------------------------------------------------------------------------


def lines_of(trace: Trace, view: View) -> Iterator[Line]:
    """All lines of `explain` for all queries."""
    asked = view._replace(queries=tuple(range(len(trace.scenario.query_tokens))))
    for block in explain(trace, asked):
        if isinstance(block, Derivation):
            yield from block.lines


def assert_sign_is_true(line: Line, view: View) -> None:
    """`=` where the shown left side is exactly the shown right side, and only there."""
    left = view.notation().print(line.tree)
    shown = f"{left} {line.relation} {line.result}"
    if "NaN" in shown:
        assert line.relation in ("=", "≈")  # not a number, not even itself
    elif left == line.result or left in ("e^−∞", "2^−∞"):
        assert line.relation == "=", shown
    elif "∞" in shown:
        assert line.relation in ("=", "≈")
    else:
        right = worth(line.result)
        assert right is not None
        assert (line.relation == "=") == (worth(left) == right), shown


def test_a_sign_is_true_beyond_the_digits_and_the_ends_of_doubles() -> None:
    """Products and a quotient of numbers of many digits and odd sizes, beside their value and one a hair off."""
    rng = random.Random(11)
    for _ in range(2000):
        texts = [
            f"{rng.randint(1, 10 ** rng.choice([1, 3, 18]))}e{rng.choice([-400, -320, -9, 0, 150, 300])}"
            for _ in "abcd"
        ]
        a, b, c, d = map(Fraction, texts)
        numbers = tuple(map(Number, texts))
        for kind, arguments, value in (("dot", numbers, a * c + b * d), ("divide", numbers[:2], a / b)):
            digits = Context(prec=rng.choice([17, 1500])).divide(*map(Decimal, value.as_integer_ratio()))
            tree = Operation(kind, arguments)
            for result in (digits, ENOUGH.multiply(digits, Decimal("1.000000000001")), ENOUGH.next_plus(digits)):
                wanted = "=" if Fraction(result) == value else "≈"
                assert relation(tree, tree, f"{result:e}", UNICODE) == wanted, (kind, texts, result)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", BUILT_IN)
def test_equals_is_printed_only_where_it_is_true(name: str, kind: str) -> None:
    """Every line of every query, read again from its text."""
    view = view_in()
    for line in lines_of(run(load(name, (), {"arithmetic": kind}), load(name).has_values), view):
        assert_sign_is_true(line, view)


def test_equals_is_true_in_random_scenarios() -> None:
    """60 scenarios, powers of 2 and fractions that come out even among them."""
    view = view_in()
    for document in documents(77, 60):
        for line in lines_of(trace_of_text(as_json(document), arithmetic="exact"), view):
            assert_sign_is_true(line, view)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2·3", Fraction(7)), ("(1 + 2)·3", Fraction(9)), ("(−0.1) + 0.27", Fraction(17, 100)),
        ("6 / 4 / 3", Fraction(1, 2)), ("6 / (4·3)", Fraction(1, 2)), ("1 − 2 − 3", Fraction(-4)),
        ("2^−1", Fraction(1, 2)), ("e^0", Fraction(1)), ("e^(1 − 1)", Fraction(1)), ("e^−0.3", None),
        ("√4", Fraction(2)), ("1 / √2", None), ("max(1, (−2), 3.5)", Fraction(7, 2)),
        ("1.5e-3 + 1", Fraction(2003, 2000)), ("1E-1 + 1e+1", Fraction(101, 10)),
        ("−2 + 1", Fraction(-1)), ("1 / 0", None), ("0.5^2", Fraction(1, 4)), ("2^0.5", None),
    ],
)  # fmt: skip
def test_the_reader_of_printed_arithmetic(text: str, value: Fraction | None) -> None:
    """The judge of the tests above, judged."""
    assert worth(text) == value


# --- how formulas and derivations are printed -----------------------------------------------------

PROJECTED: dict[str, Any] = {
    "x": [[1, 2]], "w_q": "identity", "w_k": "identity", "b_k": [3, 4], "w_v": "identity", "b_v": [5, 6]
}  # fmt: skip
NORMED: dict[str, Any] = {"kind": "layer", "where": "post", "gain": [1, 2], "bias": [3, 4]}
TURNED: dict[str, Any] = {"q": [[1, 2]], "k": [[3, 4]], "rope": {"pairs": "halves"}}
BLOCKS: dict[str, Any] = {"scores": [1, 2, 3], "v": [[4], [5], [6]], "sink": 7, "algorithm": "online", "block": 2}
FORMULAS: list[tuple[dict[str, Any], str, str, str]] = [
    # document, step, text, LaTeX
    (DRAW, "exponentials", "e^S", "e^{S}"),
    (DRAW, "total", "E₁ + … + Eₙ", r"\sum_{j} E_{j}"),
    (DRAW, "weights", "E / Σ", r"\frac{E}{\Sigma}"),
    (DRAW, "context", "A V", "A V"),
    ({**DRAW, "base": 2}, "exponentials", "2^S", "2^{S}"),
    ({**DRAW, "shift": True}, "maximum", "max(S₁, …, Sₙ)", r"\max_{j} S_{j}"),
    ({**DRAW, "shift": True}, "shifted", "S − m", "S - m"),
    ({**DRAW, "shift": True}, "exponentials", "e^D", "e^{D}"),
    ({**DRAW, "temperature": 2}, "scaled", "S / T", r"\frac{S}{T}"),
    ({**DRAW, "scale": 0.5, "temperature": 2}, "scaled", "S·0.5 / T", r"\frac{S \cdot 0.5}{T}"),
    ({**DRAW, "scale": "d_k", "d_k": 64}, "scaled", "S / d_k", r"\frac{S}{d_k}"),
    ({**DRAW, "scale": "sqrt_d_k", "d_k": 64, "temperature": 2}, "scaled", "S / (√d_k·T)",
     r"\frac{S}{\sqrt{d_k} \cdot T}"),
    ({**DRAW, "mask": "causal"}, "masked", "S where visible, else −∞",
     r"\begin{cases} S & \text{visible} \\ -\infty & \text{hidden} \end{cases}"),
    ({**DRAW, "weighting": "linear"}, "weights", "S / Σ", r"\frac{S}{\Sigma}"),
    ({"q": [[1, 2]], "k": [[3, 4]]}, "scores", "Q Kᵀ", r"Q K^{\top}"),
    ({"q": [[1, 2]], "k": [[3, 4]]}, "scaled", "S / √d_k", r"\frac{S}{\sqrt{d_k}}"),
    ({"x": [[1]], "w_q": [[2]], "b_q": [3], "w_k": "identity", "w_v": "identity"}, "q", "X W_Q + b_Q", "X W_Q + b_Q"),
    ({"x": [[1]], "w_q": [[2]], "b_q": [3], "w_k": "identity", "w_v": "identity"}, "k", "X", "X"),
    ({"x": [[1]], "memory": [[1], [2]]}, "v", "Y", "Y"),
    ({"ids": [0], "embedding": [[1]], "positions": [[2]]}, "x", "Emb + P", r"\mathrm{Emb} + P"),
    ({**DRAW, "w_o": [[1], [1], [1]], "b_o": [1], "residual": [1]}, "output", "C W_O + b_O", "C W_O + b_O"),
    ({**DRAW, "w_o": [[1], [1], [1]], "b_o": [1], "residual": [1]}, "residual", "X + O", "X + O"),
    (PROJECTED, "q", "X", "X"),
    ({**PROJECTED, "w_k": [[1, 2], [3, 4]]}, "k", "X W_K + b_K", "X W_K + b_K"),
    ({**PROJECTED, "w_v": [[1, 2], [3, 4]]}, "v", "X W_V + b_V", "X W_V + b_V"),
    ({"x": [[1, 2]], "heads": 2}, "joined", "[C of every head]", r"\left[C_{1}, \dots, C_{h}\right]"),
    ({"x": [[1, 2]], "heads": 2, "w_o": [[1, 2], [3, 4]]}, "output", "J W_O", "J W_O"),
    ({"x": [[1]], "past": {"k": [[2]], "v": [[3]]}}, "all_k", "[K_past; K]",
     r"\begin{bmatrix} K_{\mathrm{past}} \\ K \end{bmatrix}"),
    ({"x": [[1]], "past": {"k": [[2]], "v": [[3]]}}, "all_v", "[V_past; V]",
     r"\begin{bmatrix} V_{\mathrm{past}} \\ V \end{bmatrix}"),
    ({"x": [[1]], "past": {"k": [[2]], "v": [[3]]}}, "context", "A Vₐ", "A Vₐ"),
    ({"x": [[1, 2]], "norm": {"kind": "rms", "where": "pre"}}, "variance", "mean(X^2)",
     r"\operatorname{mean}\left(X^{2}\right)"),
    ({"x": [[1, 2]], "norm": {"kind": "layer", "where": "pre"}}, "mean", "mean(X)",
     r"\operatorname{mean}\left(X\right)"),
    ({"x": [[1, 2]], "norm": NORMED}, "post_mean", "mean(C)", r"\operatorname{mean}\left(C\right)"),
    ({"x": [[1, 2]], "norm": NORMED}, "post_variance", "mean((C − μ′)^2)",
     r"\operatorname{mean}\left(\left(C - μ′\right)^{2}\right)"),
    ({"x": [[1, 2]], "norm": NORMED}, "post_normed", "(C − μ′) / √(σ²′ + ε)",
     r"\frac{C - μ′}{\sqrt{σ²′ + \varepsilon}}"),
    ({"x": [[1, 2]], "norm": NORMED}, "post_gained", "N′·γ + β", r"N′ \cdot \gamma + \beta"),
    ({**TURNED, "qk_norm": {}}, "normed_q", "Q / √(mean(Q^2) + ε)",
     r"\frac{Q}{\sqrt{\operatorname{mean}\left(Q^{2}\right) + \varepsilon}}"),
    ({**TURNED, "qk_norm": {"k_gain": [1, 2]}}, "normed_k", "K / √(mean(K^2) + ε)·g",
     r"\frac{K}{\sqrt{\operatorname{mean}\left(K^{2}\right) + \varepsilon}} \cdot g"),
    ({**TURNED, "qk_norm": {}}, "rotated_q", "Qₙ turned by i", r"R_{i}\, Qₙ"),
    ({**TURNED, "qk_norm": {"k_gain": [1, 2]}}, "rotated_k", "Kₙ turned by j", r"R_{j}\, Kₙ"),
    (TURNED, "scores", "Qᵣ Kᵣᵀ", r"Qᵣ Kᵣ^{\top}"),
    ({**DRAW, "scale": "sqrt_d_model", "d_model": 4}, "scaled", "S / √d_model", r"\frac{S}{\sqrt{d_{\mathrm{model}}}}"),
    ({**DRAW, "softcap": 3}, "capped", "tanh(S / c)·c", r"\operatorname{tanh}\left(\frac{S}{c}\right) \cdot c"),
    ({**DRAW, "softcap": 3, "bias": [1, 2, 3, 4]}, "biased", "P + bias", r"P + \mathrm{bias}"),
    ({**TURNED, "alibi": True, "bias": [[1]], "scale": "none"}, "biased", "(S − m·|i − j|) + bias",
     r"\left(S - m \cdot \left|i - j\right|\right) + \mathrm{bias}"),
    ({**TURNED, "alibi": [1], "scale": "none"}, "biased", "S − m·|i − j|", r"S - m \cdot \left|i - j\right|"),
    ({**DRAW, "sink": 1, "shift": True}, "maximum", "max(S₁, …, Sₙ, s)", r"\max\left(\max_{j} S_{j}, s\right)"),
    ({**DRAW, "sink": 1}, "total", "(E₁ + … + Eₙ) + e^s", r"\left(\sum_{j} E_{j}\right) + e^{s}"),
    ({**DRAW, "sink": 1, "shift": True}, "total", "(E₁ + … + Eₙ) + e^(s − m)",
     r"\left(\sum_{j} E_{j}\right) + e^{s - m}"),
    ({**DRAW, "weighting": "linear"}, "total", "S₁ + … + Sₙ", r"\sum_{j} S_{j}"),
    ({**DRAW, "weighting": "uniform"}, "masked", "1 where visible, else 0",
     r"\begin{cases} 1 & \text{visible} \\ 0 & \text{hidden} \end{cases}"),
    ({**DRAW, "weighting": "uniform"}, "total", "M₁ + … + Mₙ", r"\sum_{j} M_{j}"),
    ({**DRAW, "weighting": "uniform"}, "weights", "M / Σ", r"\frac{M}{\Sigma}"),
    ({"v": [[1], [2]], "weighting": "self"}, "weights", "1 for the token itself, else 0", r"\mathbf{1}"),
    (BLOCKS, "maximum_1", "max(S₁, S₂, s)", r"\max\left(S₁, S₂, s\right)"),
    (BLOCKS, "total_1", "e^(s − m₁) + e^(S₁ − m₁) + e^(S₂ − m₁)", "e^{s - m₁} + e^{S₁ - m₁} + e^{S₂ - m₁}"),
    (BLOCKS, "output_1", "e^(S₁ − m₁)·V₁ + e^(S₂ − m₁)·V₂", r"e^{S₁ - m₁} \cdot V₁ + e^{S₂ - m₁} \cdot V₂"),
    (BLOCKS, "maximum_2", "max(S₃, m₁)", r"\max\left(S₃, m₁\right)"),
    (BLOCKS, "rescale_2", "e^(m₁ − m₂)", "e^{m₁ - m₂}"),
    (BLOCKS, "total_2", "r₂·l₁ + e^(S₃ − m₂)", r"r₂ \cdot l₁ + e^{S₃ - m₂}"),
    ({**BLOCKS, "base": 2}, "output_2", "r₂·O₁ + 2^(S₃ − m₂)·V₃", r"r₂ \cdot O₁ + 2^{S₃ - m₂} \cdot V₃"),
    (BLOCKS, "context", "O₂ / l₂", r"\frac{O₂}{l₂}"),
    ({**BLOCKS, "block": 1}, "total_3", "r₃·l₂ + e^(S₃ − m₃)", r"r₃ \cdot l₂ + e^{S₃ - m₃}"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "step", "text", "latex"), FORMULAS)
def test_a_formula_in_text_and_latex(document: dict[str, Any], step: str, text: str, latex: str) -> None:
    """Over the symbols that were really read."""
    trace, view = trace_of(document), view_in()
    tree = formula(trace, trace[step])
    assert tree is not None
    assert view.notation().print(tree) == text
    assert LatexNotation(lambda number: str(number.value), view.say).print(tree) == latex


def number(text: str) -> Number:
    """A number whose text is already made."""
    return Number(text)


A, B, MINUS = number("2"), number("3"), number("-4")
TREES: list[tuple[Expression, str, str, str]] = [
    # tree, text, ASCII, LaTeX
    (A + B, "2 + 3", "2 + 3", "2 + 3"),
    (MINUS + B, "(−4) + 3", "(-4) + 3", r"\left(-4\right) + 3"),
    (A - (B - MINUS), "2 − (3 − (−4))", "2 - (3 - (-4))", r"2 - \left(3 - \left(-4\right)\right)"),
    ((A + B) * MINUS, "(2 + 3)·(−4)", "(2 + 3)*(-4)", r"\left(2 + 3\right) \cdot \left(-4\right)"),
    (A / (B * MINUS), "2 / (3·(−4))", "2 / (3*(-4))", r"\frac{2}{3 \cdot \left(-4\right)}"),
    (A / (B / A), "2 / (3 / 2)", "2 / (3 / 2)", r"\frac{2}{\frac{3}{2}}"),
    (-(A + B), "−(2 + 3)", "-(2 + 3)", r"-\left(2 + 3\right)"),
    (Operation("exp", (MINUS,)), "e^−4", "e^-4", "e^{-4}"),
    (Operation("exp", (A - B,)), "e^(2 − 3)", "e^(2 - 3)", "e^{2 - 3}"),
    (Operation("power", (A, MINUS)), "2^−4", "2^-4", "2^{-4}"),
    (Operation("sqrt", (A,)), "√2", "sqrt(2)", r"\sqrt{2}"),
    (Operation("sqrt", (A + B,)), "√(2 + 3)", "sqrt(2 + 3)", r"\sqrt{2 + 3}"),
    (Operation("dot", (A, B, MINUS, A)), "2·(−4) + 3·2", "2*(-4) + 3*2", r"2 \cdot \left(-4\right) + 3 \cdot 2"),
    (Operation("maximum", (A, MINUS)), "max(2, −4)", "max(2, -4)", r"\max\left(2, -4\right)"),
    (Operation("exp", (number("-inf"),)), "e^−∞", "e^-inf", r"e^{-\infty}"),
    (number("1.3e-24") * A, "1.3e-24·2", "1.3e-24*2", r"1.3 \cdot 10^{-24} \cdot 2"),
    (Symbol("Σ") + Symbol("E"), "Σ + E", "Sum + E", r"\Sigma + E"),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "text", "ascii_text", "latex"), TREES)
def test_brackets_stand_where_binding_asks_for_them(tree: Expression, text: str, ascii_text: str, latex: str) -> None:
    """Sums in products, negative numbers in products and sums, quotients in denominators."""
    from attncalc.document.signs import ASCII

    view = view_in()
    assert view.notation().print(tree) == text
    assert view._replace(signs=ASCII).notation().print(tree) == ascii_text
    assert LatexNotation(lambda n: str(n.value), view.say).print(tree) == latex


def value(text: str) -> Number:
    """A number that can be calculated with."""
    return Number(Decimal(text))


TWO, THREE, FOUR, NONE = value("2"), value("3"), value("4"), value("0")
VALUES: list[tuple[Expression, int, Fraction | None]] = [
    # tree, value, the fraction where it is one
    (-(TWO + THREE), -5, Fraction(-5)),
    (TWO - THREE, -1, Fraction(-1)),
    (TWO / FOUR * THREE - value("0.5"), 1, Fraction(1)),
    (Operation("sum", (TWO, THREE, FOUR)), 9, Fraction(9)),
    (Operation("dot", (TWO, THREE, FOUR, value("5"))), 23, Fraction(23)),
    (Operation("maximum", (TWO, FOUR, THREE)), 4, Fraction(4)),
    (Operation("power", (TWO, THREE)), 8, Fraction(8)),
    (Operation("power", (FOUR, value("0.5"))), 2, None),
    (Operation("power", (value("1"), value("1000"))), 1, None),
    (Operation("sqrt", (FOUR,)), 2, Fraction(2)),
    (Operation("exp", (NONE,)), 1, Fraction(1)),
    (Operation("cos", (NONE,)), 1, Fraction(1)),
    (Operation("sin", (NONE,)), 0, Fraction(0)),
    (Operation("tanh", (NONE,)), 0, Fraction(0)),
    (NONE * Operation("sqrt", (TWO,)), 0, Fraction(0)),
    (Operation("sqrt", (TWO,)) * NONE, 0, Fraction(0)),
    (NONE / Operation("sqrt", (TWO,)), 0, Fraction(0)),
]


@pytest.mark.parametrize(("tree", "wanted", "fraction"), VALUES)
def test_a_tree_has_its_value_and_is_a_fraction_or_not(
    tree: Expression, wanted: int, fraction: Fraction | None
) -> None:
    """Each operation by itself; roots, and powers of what is no whole number or is large, count as no fractions."""
    assert recomputed(tree) == wanted
    assert rational(tree, lambda leaf: Fraction(leaf.value)) == fraction


@pytest.mark.parametrize("kind", ["sqrt", "exp", "cos", "sin", "tanh"])
def test_what_is_irrational_is_no_fraction(kind: str) -> None:
    """Of 2 and of −2, and half of a root; nor is what is divided by 0."""
    for tree in (Operation(kind, (TWO,)), Operation(kind, (-TWO,)), Operation(kind, (TWO,)) / TWO, TWO / NONE):
        assert rational(tree, lambda leaf: Fraction(leaf.value)) is None


def test_the_middle_of_a_long_sum_is_left_out() -> None:
    """Ten terms, dots, the last; `everything` shows all of them."""
    tree = Operation("sum", tuple(number(str(n)) for n in range(1, 21)))
    cropped = view_in()._replace(everything=False).notation().print(tree)
    assert cropped == "1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + … + 20"
    assert "…" not in view_in().notation().print(tree)
