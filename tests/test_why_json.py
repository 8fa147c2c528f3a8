"""The JSON of `why`: each number is what its expression says, every cell is there, and paths can be set."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, localcontext
from itertools import chain
from typing import Any

import pytest
from calling import call
from hostile import TOKENS, keys_document, loaded, unsafe
from samples import BUILT_IN, BY_HAND

from attncalc import load, run
from attncalc.core.stage import Step, Trace

SMALL = tuple(name for name in BUILT_IN if name not in ("gpt2-block", "causal-head"))
EXACT = tuple(name for name in SMALL if name not in BY_HAND)
DIGITS = 40

Node = dict[str, Any]


# --- a reader of printed expressions --------------------------------------------------------------


class _E:
    """The base of `e^x`."""

    def __pow__(self, exponent: Decimal) -> Decimal:
        return exponent.exp()


def _sin(x: Decimal) -> Decimal:
    total, term, n = Decimal(0), x, 1
    while abs(term) > Decimal("1e-80"):
        total, n = total + term, n + 2
        term = -term * x * x / (n * (n - 1))
    return total


def _cos(x: Decimal) -> Decimal:
    return 1 - 2 * _sin(x / 2) ** 2


def _tanh(x: Decimal) -> Decimal:
    return 1 - 2 / ((2 * x).exp() + 1)


NAMES = {"D": Decimal, "e": _E(), "root": Decimal.sqrt, "sin": _sin, "cos": _cos, "tanh": _tanh, "max": max}
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e-?\d+)?")


def worth(text: str) -> Decimal:
    """What a printed expression comes to, with 90 digits."""
    python = NUMBER.sub(lambda match: f"D('{match[0]}')", text).replace("∞", "D('Infinity')")
    python = re.sub(r"√(D\('[^']*'\))", r"root(\1)", python).replace("√(", "root(")
    for sign, operator in (("−", "-"), ("·", "*"), ("^", "**")):
        python = python.replace(sign, operator)
    with localcontext(prec=90):
        return Decimal(eval(python, {"__builtins__": {}}, dict(NAMES)))


@pytest.mark.parametrize(
    ("text", "value"),
    [("6.05 / 2.5", "2.42"), ("e^−0.0", "1"), ("e^−∞", "0"), ("(−2.0)·3 + √4", "-4"), ("√(3 + 1)", "2"), ("−∞", "-Infinity"),
     ("2^−4·1", "0.0625"), ("max(1, −∞, 3)", "3"), ("1.5e-10·2e3", "3e-7"), ("1·cos(0·10000^((−2) / 4)) − 1·sin(0)", "1")],
)  # fmt: skip
def test_the_reader_reads(text: str, value: str) -> None:
    """The reader itself, on what can be done in the head."""
    assert worth(text) == Decimal(value)


# --- JSON -----------------------------------------------------------------------------------------


def nodes(node: Node) -> Iterator[Node]:
    """A cell of the JSON and those it comes from."""
    yield node
    for cause in node.get("from", ()):
        yield from nodes(cause)


def document(name: str, *args: str, stdin: bytes = b"") -> Node:
    """What `why NAME … --json` writes: one line of strict JSON, nothing else."""
    done = call("why", name, *args, "--json", stdin=stdin)
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    return dict(loaded(done.out))


def cells_of(name: str, stride: int = 1) -> Iterator[tuple[Trace, Step, list[str], tuple[int, ...]]]:
    """Cells of every step with the words that call for them."""
    trace = run(load(name))
    for step in trace:
        for number, place in enumerate(_places(step.cells.shape)):
            if number % stride == 0:
                words = [str(i) for axis, i in zip(step.stage.layout[2:], place[2:], strict=True) if axis != "one"]
                heads = trace.scenario.heads // step.cells.shape[1]
                options = [["--batch", str(place[0])], ["--head", str(place[1] * heads)]]
                asked = [
                    option
                    for option, axis in zip(options, ("batch", "head"), strict=True)
                    if axis in trace.scenario.axes
                ]
                yield trace, step, [step.name, *words, *chain.from_iterable(asked)], place


def _places(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    yield from [()] if not shape else ((i, *rest) for i in range(shape[0]) for rest in _places(shape[1:]))


def number_of(text: str) -> Decimal:
    """A number as it is shown."""
    return Decimal(text.replace("−", "-").replace("∞", "Infinity"))


def assert_says(node: Node, digits: int | None) -> None:
    """The expression comes to what is shown, to so many digits (None: after rounding to the places shown)."""
    shown, value = number_of(node["shown"]), worth(node["expression"])
    if not shown.is_finite() or digits is None:
        places = Decimal(1).scaleb(shown.as_tuple().exponent) if shown.is_finite() else None  # type: ignore[arg-type]
        assert (value.quantize(places, "ROUND_HALF_UP") if places else value) == shown, node["name"]
    else:
        assert abs(value - shown) <= Decimal(1).scaleb(4 - digits) * max(Decimal(1), abs(shown)), node["name"]
    if value == shown or digits is None:
        assert node["relation"] == ("=" if value == shown else "≈"), node["name"]


def assert_whole(node: Node) -> None:
    """Every cause stands in the expression."""
    printed = NUMBER.findall(node["expression"].replace("∞", "0"))
    for cause in node.get("from", ()):
        shown = cause["shown"].lstrip("−").replace("∞", "0")
        assert cause["step"] in ("distance", "slope_exponents", "norm.eps") or shown in printed, (
            node["name"],
            cause["name"],
        )


@pytest.mark.parametrize("name", EXACT)
def test_exact_expressions_come_to_what_is_shown(name: str) -> None:
    """With 40 digits, for every cell behind the last step and for every seventh cell of the others; `value` is the trace's."""
    for trace, step, words, place in cells_of(name, 7):
        cell = document(name, *words, "--places", str(DIGITS))["cell"]
        assert float(cell["value"]) == float(trace[step.name].cells[place])
        for node in nodes(cell):
            if "expression" in node:
                assert_says(node, DIGITS)
                assert_whole(node)


@pytest.mark.parametrize("name", BY_HAND)
def test_expressions_by_hand_round_to_what_is_shown(name: str) -> None:
    """Every cell: with the numbers that stand there, to the last digit."""
    for trace, step, words, place in cells_of(name):
        cell = document(name, *words)["cell"]
        assert Decimal(str(cell["value"])) == trace[step.name].cells[place]
        for node in nodes(cell):
            if "expression" in node:
                assert_says(node, None)
                assert_whole(node)


def test_a_wrong_number_is_noticed() -> None:
    """The comparison itself."""
    node = next(n for n in nodes(document("draw", "total")["cell"]) if n["step"] == "total")
    assert_says(node, None)
    with pytest.raises(AssertionError):
        assert_says({**node, "shown": "9.84"}, None)
    with pytest.raises(AssertionError):
        assert_says({**node, "shown": "9.84"}, DIGITS)


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_tree_of_the_json_is_whole(name: str) -> None:
    """A cell is given, told above, or taken apart once; no term is left out, whatever a screen would show."""
    asked = [words for *_, words, _ in cells_of(name, 11)] if name in SMALL else [["weights", "0", "0"]]
    for words in asked:
        told: set[str] = set()
        for node in nodes(document(name, *words)["cell"]):
            place = f"{node['step']} {json.dumps(node['place'])}"
            assert [node["given"], node.get("above", False), "expression" in node].count(True) == 1
            assert "cut" not in node
            assert node.get("above", False) == (place in told)
            assert "…" not in node.get("expression", "") + node.get("latex", "").replace(r"\dots", "…")
            told |= {place} if not node["given"] else set()


def test_keys_stand_in_order_and_a_cut_is_marked() -> None:
    """The form `attncalc-why/1`."""
    found = document("mini-head", "weights", "saw", "We", "--depth", "1", "--sensitivity")
    assert list(found) == ["format", "scenario", "arithmetic", "cell", "sensitivity"]
    assert (found["format"], found["arithmetic"]["kind"]) == ("attncalc-why/1", "exact")
    assert list(found["cell"]) == [
        "name", "step", "place", "value", "shown", "given", "formula", "expression", "relation", "latex", "from",
    ]  # fmt: skip
    assert found["cell"]["place"] == {"query": 1, "key": 0}
    assert [(n["name"], n["given"], n["cut"], "from" in n) for n in found["cell"]["from"]] == [
        ("exponentials saw We", False, True, False), ("total saw", False, True, False),
    ]  # fmt: skip
    assert list(found["sensitivity"][0]) == ["name", "path", "value", "derivative"]
    given = document("draw", "residual", "0")["cell"]["from"][0]
    assert given == {"name": "residual.0", "step": "residual", "place": "residual.0", "value": 0.4, "shown": "0.4", "given": True}  # fmt: skip


def test_hidden_and_huge_numbers_are_texts() -> None:
    """As in a trace: −∞ and what no double holds."""
    hidden = document("mini-head", "masked", "0", "4")["cell"]
    assert (hidden["value"], hidden["shown"], hidden["expression"]) == ("-Infinity", "−∞", "−∞")
    huge = document("-", "exponentials", "0", stdin=b'{"scores": [1000, 1], "shift": false}')["cell"]
    assert (huge["value"], huge["shown"]) == ("1.970071114017047e434", "1.9701e434")


# --- sensitivity ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "cell",
    [
        ("mini-head", "weights", "3", "1"),
        ("draw", "context", "1"),
        ("rope", "scores", "2", "1"),
        ("sink", "context", "2", "0"),
    ],
    ids=" ".join,
)
def test_every_path_can_be_set_and_moves_the_cell_as_said(cell: tuple[str, ...]) -> None:
    """Largest first; a change by a millionth of each of the first five moves the cell by the derivative times that."""
    extra = ("--arithmetic", "exact", "--places", "30")
    found = document(*cell, "--sensitivity", *extra)
    sizes = [abs(entry["derivative"]) for entry in found["sensitivity"]]
    assert sizes == sorted(sizes, reverse=True)
    assert len({entry["path"] for entry in found["sensitivity"]}) == len(sizes)
    for entry in found["sensitivity"][:5]:
        moved = Decimal(str(entry["value"])) + Decimal("1e-6")
        other = document(*cell, *extra, "--set", f"{entry['path']}={moved}")
        slope = (number_of(other["cell"]["shown"]) - number_of(found["cell"]["shown"])) * 10**6
        assert abs(slope - Decimal(entry["derivative"])) < Decimal("1e-4"), entry


def test_the_table_has_the_ten_strongest_or_all() -> None:
    """In the order of the JSON, each with its path, value and derivative."""
    cell = ("mini-head", "output", "2", "1", "--sensitivity")
    paths = [entry["path"] for entry in document(*cell)["sensitivity"]]
    short, whole = (call("why", *cell, *more, "--depth", "1").out for more in ((), ("--all",)))
    rows = re.compile(
        rf"^    .*? +({'|'.join(sorted(map(re.escape, paths), key=len, reverse=True))}) +\S+ +−?\d\.\d{{4}}$",
        re.MULTILINE,
    )
    assert rows.findall(short) == paths[:10]
    assert rows.findall(whole) == paths
    assert f"10 of {len(paths)} given numbers shown; --all shows every one." in short
    assert "given numbers shown" not in whole


def test_names_are_safe_and_the_scenario_is_as_it_was() -> None:
    """What a terminal would obey is written out in a name; the tokens of the scenario stay as they are."""
    found = document("-", "weights", "0", "3", stdin=keys_document())
    assert found["scenario"]["tokens"] == TOKENS
    assert all(unsafe(node["name"]) == [] for node in nodes(found["cell"]))
