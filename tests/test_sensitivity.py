"""Derivatives: the softmax's own formula, central differences of exact runs, PyTorch's gradients, and what is hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from agreement import trace_of as trace_with_files
from rivals import random_options, random_scenarios
from samples import DATA, DRAW, computed, trace_of

from attncalc import load, run
from attncalc.core.arithmetic import Floats
from attncalc.core.certain import OWN
from attncalc.core.expression import Cell
from attncalc.core.figures import Literal
from attncalc.core.stage import Step, Trace
from attncalc.core.tape import Tape, Taped
from attncalc.core.tape import slopes as tape_slopes
from attncalc.explore.sensitivity import Influence, influences

Document = dict[str, Any]
Index = tuple[int, ...]

KINDS = ("exact", "float64")
H = Decimal("1e-12")
CHUNKS = 20
DOCUMENTS_A_CHUNK = 5  # of each of the two makers
KINKED = ("maximum", "shifted", "exponentials", "total")
OPTIONS = ("scale", "temperature", "softcap", "base", "norm.eps", "qk_norm.eps", "rope.base")


def slopes(trace: Trace, name: str, *index: int) -> dict[str, Decimal]:
    """The slopes of a cell by path; the index without batch and head of a scenario that has neither."""
    place = (0,) * (4 - len(index)) + index
    return {influence.path: influence.slope for influence in influences(trace, Cell(name, place))}


def assert_near(got: Any, wanted: Any, tolerance: float = 1e-14) -> None:
    """Within the tolerance, of the number's size where that is above 1."""
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(wanted, float), rtol=tolerance, atol=tolerance)


# --- the formula of the textbook ------------------------------------------------------------------


def weights_of(scores: list[Decimal]) -> list[Decimal]:
    """The softmax, straight."""
    powers = [score.exp() for score in scores]
    return [power / sum(powers) for power in powers]


@pytest.mark.parametrize("key", range(4))
def test_weights_by_scores_are_diag_a_less_a_a_transposed(key: int) -> None:
    """∂a_i/∂s_j = a_i (δ_ij − a_j), to 45 digits."""
    found = slopes(run(load("draw", ["places=40"], {"arithmetic": "exact"})), "weights", 0, key)
    with localcontext(OWN, prec=60):
        a = weights_of([Decimal(str(score)) for score in DRAW["scores"]])
        for other in range(4):
            wanted = a[key] * ((key == other) - a[other])
            assert abs(found.pop(f"scores.{other}") / wanted - 1) < Decimal("1e-45")
    assert not found


def test_by_hand_the_slopes_are_those_of_the_calculation_without_roundings() -> None:
    """Rounded steps have no slope worth a name."""
    by_hand, exact = (trace_of({**DRAW, **more}) for more in ({"by_hand": 1}, {}))
    assert by_hand.kind == "by-hand"
    assert slopes(by_hand, "context", 0, 1) == slopes(exact, "context", 0, 1)


# --- one operation at a time ----------------------------------------------------------------------

OPERATIONS: dict[str, Callable[[Tape, Taped, Taped], Taped]] = {
    "plus": lambda tape, x, y: x + y,
    "minus": lambda tape, x, y: x - y,
    "times": lambda tape, x, y: x * y,
    "over": lambda tape, x, y: x / y,
    "negated": lambda tape, x, y: -x,
    "matrix product": lambda tape, x, y: x @ y.swapaxes(-1, -2),
    "batched with one": lambda tape, x, y: x @ y[:1].swapaxes(-1, -2),
    "spread": lambda tape, x, y: x[:, :1] * y[..., :1],
    "sum": lambda tape, x, y: x.sum(axis=-1),
    "sum without its axis": lambda tape, x, y: x.sum(axis=1, keepdims=False),
    "part": lambda tape, x, y: x[..., 1, :],
    "repeated": lambda tape, x, y: x[:, [0, 0, 1], None],
    "picked": lambda tape, x, y: x[..., np.array([2, 0, 2])],
    "reshaped": lambda tape, x, y: x.reshape(3, 4),
    "exp": lambda tape, x, y: tape.exp(x),
    "power": lambda tape, x, y: tape.power(tape.given(np.array(1.5), "y"), x),
    "root": lambda tape, x, y: tape.sqrt(x),
    "tanh": lambda tape, x, y: tape.tanh(x),
    "cosine": lambda tape, x, y: tape.cos(x),
    "sine": lambda tape, x, y: tape.sin(x),
    "joined": lambda tape, x, y: tape.join((x, y, x), -2),
    "maximum": lambda tape, x, y: tape.maximum(x),
    "where": lambda tape, x, y: tape.where(np.array([True, False, True]), x, y),
    "used three times": lambda tape, x, y: x * x + x,
}
AT = np.array([0.3, 1.1, 0.7, 0.25, 1.3, 0.9, 0.45, 0.8, 1.7, 0.6, 1.2, 0.35]).reshape(2, 2, 3)
OTHER = AT[::-1] + 0.5


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_goes_back_as_it_went(name: str) -> None:
    """Central differences in doubles, to 1e-8, for the last and a middle cell of each result by every number."""
    tape = Tape(Floats("float64"))

    def result(x: Any, y: Any) -> Taped:
        return OPERATIONS[name](tape, tape.given(x, "x"), tape.given(y, "y"))

    for place in (-1, result(AT, OTHER).values.size // 2):
        index = list(np.ndindex(result(AT, OTHER).shape))[place]
        found = {path: slope for path, slope in tape_slopes(result(AT, OTHER), index) if slope.shape == AT.shape}
        for number in np.ndindex(AT.shape):
            nothing, by = np.zeros_like(AT), np.zeros_like(AT)
            by[number] = 1e-5
            for path, x, y in (("x", by, nothing), ("y", nothing, by)):
                ends = [result(AT + sign * x, OTHER + sign * y).values[index] for sign in (1, -1)]
                slope = found[path][number] if path in found else 0
                assert abs(slope - (ends[0] - ends[1]) / 2e-5) < 1e-8, (path, number)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_of_several_largest_counts(kind: str) -> None:
    """A tie has no derivative; one of its sides is taken."""
    trace = trace_of({"scores": [1, 3, 3], "shift": True}, arithmetic=kind)
    assert slopes(trace, "maximum", 0, 0) == {"scores.1": 1}
    assert slopes(trace, "shifted", 0, 2) == {"scores.1": -1, "scores.2": 1}


# --- central differences --------------------------------------------------------------------------


def moved(document: Document, path: str, value: Any, cell: Cell) -> Decimal:
    """The central difference of a cell by one number, from two exact runs."""
    with localcontext(OWN):
        ends = [Decimal(value) - H, Decimal(value) + H]
        runs = [trace_of(document, f"{path}={end}", arithmetic="exact") for end in ends]
        low, high = (trace[cell.name].cells[cell.place] for trace in runs)
        return Decimal((high - low) / (2 * H))


def random_documents(chunk: int) -> Iterator[Document]:
    """Documents of both makers, those of one head and those over all the options."""
    yield from random_scenarios.documents(3000 + chunk, DOCUMENTS_A_CHUNK)
    yield from random_options.documents(3000 + chunk, DOCUMENTS_A_CHUNK)


def is_kinked(trace: Trace, step: Step, index: Index) -> bool:
    """Whether several scores (or a score and the sink) are the largest of the cell's row and the cell shows it."""
    if step.name not in KINKED or "maximum" not in trace:
        return False
    row = trace[trace["maximum"].sources[0].name].cells[index[:3]]
    largest = trace["maximum"].cells[(*index[:3], 0)]
    sinks = trace.scenario.arrays.get("sink", np.zeros((1, 0, 1, 1), dtype=object))
    sink = [sinks[0, min(index[1], sinks.shape[1] - 1), 0, 0]] if sinks.size else []
    return [*row, *sink].count(largest) > 1


def random_cells(chunk: int) -> Iterator[tuple[Document, Trace, Cell]]:
    """A random finite cell of a random computed step of each document, away from kinks."""
    rng = Random(chunk)
    for document in random_documents(chunk):
        trace = trace_of(document, arithmetic="exact")
        step = rng.choice(list(computed(trace)))
        index = tuple(map(rng.randrange, step.cells.shape))
        if step.cells[index].is_finite() and not is_kinked(trace, step, index):
            yield document, trace, Cell(step.name, index)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_slopes_are_central_differences(chunk: int) -> None:
    """To 1e-6, for three numbers of each of 200 random scenarios."""
    rng, compared = Random(chunk), 0
    for document, trace, cell in random_cells(chunk):
        found = influences(trace, cell)
        for influence in rng.sample(found, min(3, len(found))):
            difference = moved(document, influence.path, influence.value, cell)
            error = abs(influence.slope - difference)
            assert error <= Decimal("1e-6") * max(Decimal(1), abs(difference)), (document, cell, influence, difference)
            compared += 1
    assert compared >= 5


def left_out(document: Document, trace: Trace, found: list[Influence]) -> Iterator[tuple[str, Any]]:
    """The finite numbers of the document that have no influence; a temperature of 1 is no part of the calculation."""
    scenario, listed = trace.scenario, {influence.path for influence in found}
    for name in scenario.origins:
        if name != "ids" and not name.startswith("mask"):
            cells = np.ndenumerate(scenario.arrays[name])
            paths = {scenario.path_of(name, place): value for place, value in cells}
            yield from ((path, v) for path, v in paths.items() if path not in listed and Decimal(v).is_finite())
    for path in OPTIONS:
        value = scenario.setting(path) if "." in path else scenario.option(path)
        if isinstance(value, Decimal) and path not in listed and not (path == "temperature" and value == 1):
            yield path, value


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_numbers_that_are_left_out_move_nothing(chunk: int) -> None:
    """Central differences of 0, for two numbers of each random scenario that leaves some out."""
    rng, compared = Random(chunk), 0
    for document, trace, cell in random_cells(chunk):
        others = list(left_out(document, trace, influences(trace, cell)))
        for path, value in rng.sample(others, min(2, len(others))):
            assert abs(moved(document, path, value, cell)) < Decimal("1e-20"), (document, cell, path)
            compared += 1
    assert compared >= 5


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_doubles_give_the_slopes_of_decimals(chunk: int) -> None:
    """To 1e-9 of the largest, where the scores are not so large that doubles lose them."""
    for document in random_options.documents(3000 + chunk, DOCUMENTS_A_CHUNK):
        exact, floats = (trace_of(document, arithmetic=kind) for kind in KINDS)
        names = {step.name for step in computed(floats)} & {step.name for step in computed(exact)}
        for name in names - set(KINKED):
            cell = Cell(name, tuple(n - 1 for n in exact[name].cells.shape))
            wanted = {i.path: float(i.slope) for i in influences(exact, cell)}
            got = {i.path: float(i.slope) for i in influences(floats, cell)}
            bound = 1e-9 * max(1, *map(abs, wanted.values()), 0)
            assert all(abs(got.get(path, 0) - wanted.get(path, 0)) < bound for path in wanted.keys() | got), document


# --- PyTorch --------------------------------------------------------------------------------------

with np.load(DATA / "grads.npz", allow_pickle=False) as archive:
    TORCH = {key: archive[key] for key in archive.files}

GRADIENTS = [
    ("q", "dq", {"q": "q", "k": "k", "v": "v"}),
    ("k", "dk", {"q": "q", "k": "k", "v": "v"}),
    ("v", "dv", {"q": "q", "k": "k", "v": "v"}),
    ("scores", "dscores", {"scores": "scores_scaled", "v": "v"}),
    ("scores", "dscores_raw", {"scores": "scores_raw", "scale": "scale", "v": "v"}),
    ("weights", "dweights", {"weights": "weights", "v": "v"}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("name", "key", "given"), GRADIENTS)
def test_gradients_are_those_of_pytorch(name: str, key: str, given: dict[str, str], kind: str) -> None:
    """autograd of Σ out · dout (tests/data, made with PyTorch 2.13.0), to 1e-12."""
    trace = trace_of({part: TORCH[origin].tolist() for part, origin in given.items()}, arithmetic=kind)
    gradient = np.zeros_like(TORCH[key])
    for (query, feature), weight in np.ndenumerate(TORCH["dout"]):
        for influence in influences(trace, Cell("context", (0, 0, query, feature))):
            if influence.cell.name == name:
                gradient[influence.cell.place[2:]] += weight * float(influence.slope)
    assert_near(gradient, TORCH[key], 1e-12)


# --- options --------------------------------------------------------------------------------------

S = np.array([1.5, -0.5, 0.25])


def shares(logits: Any, sink: float | None = None, base: float = np.e) -> Any:
    """The softmax in doubles, straight."""
    return base**logits / ((base**logits).sum() + (0 if sink is None else base**sink))


def pulled(a: Any) -> Any:
    """How the weights move when every score grows in proportion: a_i (s_i − Σ a s)."""
    return a * (S - (a * S).sum())


CAPPED = np.tanh(S / 2.5)
BY_OPTION = [
    ("sink", 0.5, "weights", -shares(S, 0.5) * (1 - shares(S, 0.5).sum())),
    ("temperature", 0.7, "weights", -pulled(shares(S / 0.7)) / 0.49),
    ("scale", 0.3, "weights", pulled(shares(S * 0.3))),
    ("base", 2, "weights", pulled(shares(S, base=2)) / 2),
    ("softcap", 2.5, "capped", CAPPED - S / 2.5 * (1 - CAPPED**2)),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shift", [False, True])
@pytest.mark.parametrize(("option", "value", "step", "wanted"), BY_OPTION)
def test_an_option_is_a_given_number(option: str, value: float, step: str, wanted: Any, shift: bool, kind: str) -> None:
    """Its slope is the one that pen and paper give."""
    trace = trace_of({"scores": S.tolist(), option: value, "shift": shift}, arithmetic=kind)
    assert_near([slopes(trace, step, 0, key)[option] for key in range(3)], wanted)
    found = next(i for i in influences(trace, Cell(step, (0, 0, 0, 1))) if i.path == option)
    assert (float(found.value), found.cell.given) == (value, True)


TURNED = {"q": [[0.5, 1.5, 1, 2], [1, 3, 2, -1]], "k": [[-1, 2, 1, 3], [2, 1, 0, 1]]}
X = {"x": [[1, -0.5, 3]]}
BY_DIFFERENCE: list[tuple[Document, str, str]] = [
    ({**X, "norm": {"kind": "layer", "where": "pre", "eps": 0.5}}, "norm.eps", "normed"),
    ({**X, "norm": {"kind": "rms", "where": "post", "eps": 0.5}}, "norm.eps", "post_normed"),
    ({**TURNED, "qk_norm": {"eps": 0.5}}, "qk_norm.eps", "normed_q"),
    ({**TURNED, "qk_norm": {"eps": 0.5}}, "qk_norm.eps", "scores"),
    ({**TURNED, "rope": {"base": 3, "pairs": "halves"}}, "rope.base", "rotated_k"),
]


@pytest.mark.parametrize(("document", "path", "step"), BY_DIFFERENCE)
def test_an_option_inside_an_object_is_a_given_number_too(document: Document, path: str, step: str) -> None:
    """Its slope is the central difference."""
    trace = trace_of(document, arithmetic="exact")
    cell = Cell(step, (0, 0, trace[step].cells.shape[2] - 1, 1))
    found = {influence.path: influence for influence in influences(trace, cell)}[path]
    assert found.slope != 0
    assert_near(found.slope, moved(document, path, found.value, cell))


def test_sizes_and_a_temperature_of_1_are_no_numbers_to_move() -> None:
    """√d_k divides, but there is nothing between two widths."""
    trace = trace_of({"scores": S.tolist(), "scale": "sqrt_d_k", "d_k": 4, "temperature": 1})
    assert set(slopes(trace, "weights", 0, 0)) == {"scores.0", "scores.1", "scores.2"}


# --- what is hidden -------------------------------------------------------------------------------

ROWS = {"q": [[1, 0.5], [0.2, -1]], "k": [[0.3, 1], [-0.4, 0.6]], "v": [[1, 2], [4, 8]]}
HIDING: list[tuple[str, Document]] = [
    ("causal", {**ROWS, "mask": "causal"}),
    ("causal with a sink", {**ROWS, "mask": "causal", "sink": 0.1, "shift": True}),
    ("a bias", {**ROWS, "bias": [[0, "-Infinity"], [0, 0]]}),
    ("scores", {"scores": [[0.5, "-Infinity"], [1, 2]], "v": ROWS["v"], "scale": 0.5, "softcap": 3, "base": 2}),
    ("linear", {"scores": [[0.5, "-Infinity"], [1, 2]], "v": ROWS["v"], "weighting": "linear"}),
    ("dropped", {**ROWS, "mask": {"drop": [[0, 1], [0, 0]]}, "weighting": "uniform"}),
]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("document", [pytest.param(document, id=name) for name, document in HIDING])
def test_a_hidden_key_has_no_influence(document: Document, kind: str) -> None:
    """Neither its key, nor its value, nor its score; nothing is NaN."""
    trace = trace_of(document, arithmetic=kind)
    for cell in (("context", 0, 1), ("weights", 0, 0), ("weights", 0, 1)):
        found = slopes(trace, *cell)
        assert not {path for path in found if path.startswith(("k.1", "v.1", "scores.0.1", "bias.0.1"))}
        assert all(slope.is_finite() for slope in found.values())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("lost", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["k", "v"])
@pytest.mark.parametrize("hides", [1, 0])
def test_what_is_lost_behind_a_mask_does_not_leak(
    hides: int, name: str, lost: float, kind: str, tmp_path: Path
) -> None:  # fmt: skip
    """A NaN or an infinity in an array of a file, at a key that nobody sees, or that only another query sees."""
    values = np.array(ROWS[name], dtype=float)
    values[1, 0] = lost
    np.save(tmp_path / "lost.npy", values)
    mask: Document = {"mask": {"drop": [[0, 1], [0, hides]]}}
    trace = trace_with_files({**ROWS, name: {"npy": "lost.npy"}, **mask}, kind, tmp_path)
    assert slopes(trace, "context", 0, 0) == {"v.0.0": 1}


@pytest.mark.parametrize("policy", ["zero", "nan", "uniform"])
def test_a_row_that_sees_nothing_depends_on_no_score(policy: str) -> None:
    """Under `uniform` it still mixes the values; a cell that is NaN depends on nothing."""
    trace = trace_of({**ROWS, "mask": {"drop": [[1, 1], [0, 0]]}, "empty_rows": policy})
    wanted = {"v.0.0": Decimal("0.5"), "v.1.0": Decimal("0.5")} if policy == "uniform" else {}
    assert slopes(trace, "context", 0, 0) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_a_key_that_is_alone_has_its_weight_whatever_its_score(kind: str) -> None:
    """1 exactly, so that no rounding is taken for an influence."""
    trace = trace_of({"scores": [[0.7, 3], [0.2, 0.1]], "mask": "causal"}, arithmetic=kind)
    assert slopes(trace, "weights", 0, 0) == {}


# --- ways add up ----------------------------------------------------------------------------------

X = [[0.5, -1], [0.25, 2]]
MATRIX = [[0.5, 1], [-1, 0.25]]
IDENTITY = {"w_q": "identity", "w_k": "identity"}
ALONG: list[tuple[str, Document, str, Index, dict[str, float]]] = [
    ("a residual", {"x": X, "weighting": "self", "residual": True}, "residual", (0, 1), {"x.0.1": 2}),
    ("x squared", {"x": [[3]], "scale": "none"}, "scores", (0, 0), {"x.0.0": 6}),
    ("a shared kv head", {"q": [[[1]], [[5]]], "k": [[[2]]], "v": [[[4]]], "w_o": [[2], [7]]}, "output", (0, 0),
     {"v.0.0.0": 9, "w_o.0.0": 4, "w_o.1.0": 4}),
    ("a row looked up twice", {"ids": [1, 1], "embedding": [[5], [2]], "scale": "none"}, "scores", (0, 1),
     {"embedding.1.0": 4}),
    ("positions", {"ids": [0, 0], "embedding": [[2]], "positions": [[0.5], [1]], "scale": "none"}, "scores", (0, 1),
     {"embedding.0.0": 5.5, "positions.0.0": 3, "positions.1.0": 2.5}),
    ("out_in", {"x": X, **IDENTITY, "w_v": MATRIX, "layout": "out_in"}, "v", (1, 0),
     {"w_v.0.1": 2, "x.1.1": 1, "x.1.0": 0.5, "w_v.0.0": 0.25}),
    ("columns of two heads", {"v": [[1, 2]], "heads": 2, "weighting": "self"}, "joined", (0, 1), {"v.0.1": 1}),
]  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("document", "step", "index", "wanted"), [pytest.param(*c[1:], id=c[0]) for c in ALONG])
def test_a_number_that_is_used_twice_has_the_sum(
    document: Document, step: str, index: Index, wanted: dict[str, float], kind: str
) -> None:  # fmt: skip
    """Small enough to do in the head; the largest comes first."""
    found = slopes(trace_of(document, arithmetic=kind), step, *index)
    assert {path: float(slope) for path, slope in found.items()} == pytest.approx(wanted)
    sizes = [abs(slope) for slope in found.values()]
    assert sizes == sorted(sizes, reverse=True)


def test_ties_stand_as_in_the_document() -> None:
    """By key, as the file has them, then by position: slopes of 0.5 and −0.5."""
    values, scores = {"v": [[1], [-1]]}, {"scores": [1, 1]}
    places = {"v": ["v.0.0", "v.1.0"], "scores": ["scores.0", "scores.1"]}
    for first, second in ((values, scores), (scores, values)):
        wanted = [path for name in (*first, *second) for path in places[name]]
        assert list(slopes(trace_of({**first, **second}), "context", 0, 0)) == wanted


@pytest.mark.parametrize("kind", KINDS)
def test_a_tie_is_a_tie_whatever_its_last_digits(kind: str) -> None:
    """With two keys a (1 − a) is as large as a b, in every digit but those that are rounded."""
    for tenth in range(-20, 21):
        trace = trace_of({"scores": [0.3, tenth / 10]}, arithmetic=kind)
        for key in range(2):
            assert list(slopes(trace, "weights", 0, key)) == ["scores.0", "scores.1"]


def test_a_given_cell_depends_on_itself() -> None:
    """With the digits it was written with."""
    trace = run(load("draw", ["scores.1=0.20"]))
    cell = Cell("scores", (0, 0, 0, 1))
    (found,) = influences(trace, cell)
    assert (found.cell, found.path, found.slope) == (cell, "scores.1", Decimal(1))
    assert isinstance(found.value, Literal)
    assert found.value.text == "0.20"
    hidden = Cell("scores", (0, 0, 0, 0))
    assert [i.slope for i in influences(trace_of({"scores": ["-Infinity", 1]}), hidden)] == [1]
    matrix = Cell("w_q", (0, 0, 1, 0), True)
    rest: Document = {f"w_{letter}": MATRIX for letter in "qkv"}
    assert influences(trace_of({"x": X, **rest}), matrix) == [Influence(matrix, "w_q.1.0", Decimal(-1), Decimal(1))]


def test_an_array_that_is_no_step_has_cells_of_its_own() -> None:
    """The residual that is given is not the step of that name."""
    trace = trace_of({"weights": [[1]], "v": [[3]], "residual": [[5]]})
    found = influences(trace, Cell("residual", (0, 0, 0, 0)))
    assert [i.cell for i in found] == [
        Cell("weights", (0, 0, 0, 0)),
        Cell("v", (0, 0, 0, 0)),
        Cell("residual", (0, 0, 0, 0), True),
    ]
    assert [int(i.slope) for i in found] == [3, 1, 1]


def test_a_product_of_weight_and_value_has_five_places() -> None:
    """The step that is made on demand."""
    found = influences(trace_of(DRAW, terms=True), Cell("terms", (0, 0, 0, 1, 2)))
    by_value = next(i.slope for i in found if i.path == "v.1.2")
    assert_near(by_value, trace_of(DRAW)["weights"].values[0, 1])
    assert {i.path for i in found} == {"v.1.2", *(f"scores.{key}" for key in range(4))}


# --- sizes of numbers -----------------------------------------------------------------------------


def test_a_saturated_row_still_has_its_slopes() -> None:
    """e^−400 away from 1, where 50 digits show no difference: a (1 − a)."""
    found = slopes(trace_of({"scores": [400, 0]}), "weights", 0, 0)
    with localcontext(OWN, prec=50):
        wanted = (-Decimal(400)).exp()
        assert abs(found["scores.0"] / wanted - 1) < Decimal("1e-40")
        assert abs(found["scores.1"] / wanted + 1) < Decimal("1e-40")


def test_a_total_far_below_its_terms_is_not_zero() -> None:
    """1 + 10^−70 − 1 takes more than 50 digits; (Σ − s) / Σ² then."""
    scores = [Decimal(1), Decimal("1e-70"), Decimal(-1)]
    found = slopes(trace_of({"scores": scores, "weighting": "linear", "places": 50}), "weights", 0, 0)
    assert_near(found["scores.0"].scaleb(-140), -1)
    assert_near(found["scores.1"].scaleb(-140), -1)


def test_what_cancels_is_no_influence() -> None:
    """Equal scores have equal weights at every temperature, whatever the last digits of a third say."""
    found = slopes(trace_of({"scores": [0.7, 0.7, 0.7], "temperature": 0.3}), "weights", 0, 0)
    assert set(found) == {"scores.0", "scores.1", "scores.2"}


@pytest.mark.parametrize("kind", KINDS)
def test_the_numbers_are_of_the_kind_of_the_trace(kind: str) -> None:
    """Doubles for a trace of doubles, 50 digits for one of decimals."""
    found = slopes(trace_of(DRAW, arithmetic=kind), "weights", 0, 1)
    assert {slope == Decimal(float(slope)) for slope in found.values()} == {kind == "float64"}


def large(kind: str, shift: bool | None = None) -> Trace:
    """More than exact arithmetic does in a moment, with exponentials beyond all doubles."""
    scores = np.random.default_rng(7).integers(-30, 31, (150, 150)) / 10 + 900
    more = {} if shift is None else {"shift": shift}
    return trace_of({"scores": scores.tolist(), "v": (scores[:, :1] / 10).tolist(), **more}, arithmetic=kind)


@pytest.mark.parametrize(("kind", "shift"), [("exact", None), ("exact", False), ("float64", None), ("float64", True)])
def test_a_large_scenario_has_its_slopes_in_doubles(kind: str, shift: bool | None) -> None:
    """diag(a) − a aᵀ, the row maximum taken off where doubles need it."""
    trace = large(kind, shift)
    a = trace["weights"].values[3]
    found = slopes(trace, "weights", 3, 5)
    wanted = a[5] * ((np.arange(150) == 5) - a)
    assert_near([found[f"scores.3.{key}"] for key in range(150)], wanted, 1e-12)
    assert len(found) == 150
    assert all(slope == Decimal(float(slope)) for slope in found.values())
