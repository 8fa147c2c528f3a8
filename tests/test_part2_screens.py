"""The scenarios with heads, batches, masks, positions and caches: their screens, their choices, their derivations."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
from calling import call
from running import Finished, widest
from samples import LANGUAGES

from attncalc import load, run
from attncalc.core.expression import Expression, Number, Operation, numbers_in
from attncalc.core.figures import round_to
from attncalc.core.stage import Step, Trace
from attncalc.derive import derivation
from attncalc.messages import speaker

SCENARIOS = (
    "alibi", "cached", "causal-head", "cross", "gpt2-block", "grouped", "padding", "rope", "sink", "window",
)  # fmt: skip
WIDTH = 80
SAMPLE = {"gpt2-block": 300}

each_scenario = pytest.mark.parametrize("name", SCENARIOS)
each_language = pytest.mark.parametrize("language", LANGUAGES)


@cache
def trace_of(name: str, kind: str = "exact") -> Trace:
    """A built-in scenario's trace, the products of weights and values included."""
    return run(load(name, (), {"arithmetic": kind}), terms=True)


@cache
def screen(*args: str, language: str = "en") -> Finished:
    """What a terminal of 80 columns shows."""
    return call(*args, "--width", str(WIDTH), language=language)


def computed(name: str) -> list[Step]:
    """The steps that are numbered on a screen."""
    return [step for step in trace_of(name) if not step.stage.given and step.name != "terms"]


def parts(name: str, command: str, language: str) -> dict[str, list[str]]:
    """The lines under the heading of each computed step; every heading has to be there, in order and numbered."""
    lines = screen(command, name, language=language).out.splitlines()
    say = speaker(language)
    found = computed(name)
    starts: list[int] = []
    for number, step in enumerate(found, 1):
        heading = f"{number} {say(f'title.{step.stage.texts()}')}   {step.stage.symbol} = "
        starts += [next(i for i, line in enumerate(lines) if line.startswith(heading) and i > (starts or [-1])[-1])]
    ends = [*starts[1:], len(lines)]
    return {step.name: lines[a + 1 : b] for step, a, b in zip(found, starts, ends, strict=True)}


# --- screens --------------------------------------------------------------------------------------


@each_language
@each_scenario
@pytest.mark.parametrize("command", ["explain", "run", "verify"])
def test_no_line_is_wider_than_the_terminal(command: str, name: str, language: str) -> None:
    """80 columns, Chinese characters counted as two, and no error."""
    done = screen(command, name, language=language)
    assert (done.code, done.err) == (0, "")
    assert widest(done.out.splitlines()) <= WIDTH


@each_language
@each_scenario
def test_explain_derives_the_numbers_of_every_step(name: str, language: str) -> None:
    """A line of numbers put in for each step of the query; keys and values as a table."""
    for step, lines in parts(name, "explain", language).items():
        of_keys = trace_of(name)[step].stage.layout[2] == "key"
        signs = ("──",) if of_keys else (" = ", " ≈ ")
        assert any(sign in line for line in lines for sign in signs), step


@each_language
@each_scenario
def test_run_has_a_table_for_every_step(name: str, language: str) -> None:
    """With the labels of its rows."""
    for step, lines in parts(name, "run", language).items():
        assert any("──" in line for line in lines), step
        labels = trace_of(name)[step].labels.get(trace_of(name)[step].stage.layout[2], ())
        assert all(any(line.startswith(f"    {label} ") for line in lines) for label in labels), step


@each_language
@pytest.mark.parametrize("name", ["alibi", "cached", "causal-head", "gpt2-block", "padding", "sink", "window"])
def test_a_mask_is_drawn_before_it_is_applied(name: str, language: str) -> None:
    """Visible and hidden keys, a row a query: as many of each as the scores have."""
    lines = parts(name, "run", language)["masked"]
    masked = trace_of(name)["masked"].cells[0, 0]
    drawn = [
        line
        for line in lines
        if {"■", "·"} & set(line.split()) and not any(c.isdigit() and "." in c for c in line.split())
    ]
    for row, line in zip(masked, drawn, strict=False):
        marks = [mark for mark in line.split() if mark in ("■", "·")]
        assert marks == ["·" if cell == Decimal("-Infinity") else "■" for cell in row]


@each_language
@each_scenario
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_verify_holds_for_all(name: str, language: str, arithmetic: str) -> None:
    """Every printed number, in both arithmetics."""
    done = screen("verify", name, "--arithmetic", arithmetic, language=language)
    assert (done.code, done.err) == (0, "")
    right, all_of_them = re.findall(r"\d+", done.out.splitlines()[-1])
    assert right == all_of_them != "0"


# --- --head and --batch ---------------------------------------------------------------------------

PLACES: list[tuple[str, str, int]] = [
    # scenario, axis, its length
    ("grouped", "head", 4), ("gpt2-block", "head", 12), ("alibi", "head", 3), ("causal-head", "batch", 4), ("padding", "batch", 2),
]  # fmt: skip
CHOICES: list[tuple[str, Callable[[int], list[int]]]] = [
    ("0", lambda n: [0]), ("1", lambda n: [1]), ("0-1", lambda n: [0, 1]), ("all", lambda n: list(range(n))),
]  # fmt: skip


@cache
def figures_at(name: str, axis: str, number: int) -> frozenset[str]:
    """The weights of one head or batch entry as the screen shows them, zeros left out."""
    place = (0, number) if axis == "head" else (number, 0)
    cells = [round_to(cell, 4, "half-up") for cell in trace_of(name)["weights"].cells[place].flat]
    return frozenset(str(cell) for cell in cells if cell)


@pytest.mark.parametrize(("choice", "chosen"), CHOICES)
@pytest.mark.parametrize(("name", "axis", "length"), PLACES)
def test_head_and_batch_choose_what_is_shown(
    name: str, axis: str, length: int, choice: str, chosen: Callable[[int], list[int]]
) -> None:
    """A number, a range, all: these and no others, in `run` and in `explain`."""
    captions = {"run": rf"^    {axis} (\d+)$", "explain": rf"The query is [^;.]*\b{axis} (\d+)"}
    for command, caption in captions.items():
        out = screen(command, name, f"--{axis}", choice, "--step", "weights", "--token", "1").out
        assert list(map(int, re.findall(caption, out, re.MULTILINE))) == chosen(length)
    out = screen("run", name, f"--{axis}", choice, "--step", "weights").out
    for number in chosen(length):
        assert all(figure in out for figure in figures_at(name, axis, number))
    if len(chosen(length)) == 1:
        other = figures_at(name, axis, (number + 1) % length) - figures_at(name, axis, number)
        assert other
        assert not all(figure in out for figure in other)


@each_language
@pytest.mark.parametrize(("name", "axis", "length"), PLACES)
@pytest.mark.parametrize("choice", ["{n}", "99", "x", "1-0", "0-{n}", "-1", "", "1.0", "0,1", "1-", "one"])
def test_a_head_or_batch_that_there_is_not_is_refused(
    name: str, axis: str, length: int, choice: str, language: str
) -> None:
    """With how many there are and what can be asked for."""
    found = choice.format(n=length)
    done = screen("run", name, f"--{axis}={found}", language=language)
    last, found = length - 1, found or '""'
    assert (done.code, done.out) == (2, "")
    assert done.err == {
        "en": f"attncalc: --{axis}: {found} is not one of the {length}; wanted is a number from 0 to {last}, "
              f"a range such as 0-{last}, or all\n",
        "zh": f"attncalc: --{axis}: {found} 不在这 {length} 个之中；应为 0 到 {last} 的编号、范围（如 0-{last}）或 all\n",
    }[language]  # fmt: skip


ALONE = {"en": {"head": "head", "batch": "batch"}, "zh": {"head": "头", "batch": "批次"}}


@each_language
@pytest.mark.parametrize(
    ("name", "axis"), [("cross", "head"), ("cross", "batch"), ("grouped", "batch"), ("causal-head", "head")]
)
def test_another_head_or_batch_is_refused_where_there_is_one(name: str, axis: str, language: str) -> None:
    """In one sentence, exit code 2; 0 is what there is."""
    done = screen("run", name, f"--{axis}", "1", language=language)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: --{axis}: ")
    assert ALONE[language][axis] in done.err
    assert done.err.count("\n") == 1
    assert screen("run", name, f"--{axis}", "0", language=language).code == 0


@pytest.mark.parametrize(("name", "axis", "length"), PLACES)
def test_the_first_is_shown_with_a_note_where_nothing_is_said(name: str, axis: str, length: int) -> None:
    """And without one where it was asked for."""
    noted = "--head all" if axis == "head" else "--batch all"
    assert noted in screen("run", name).out
    assert noted not in screen("run", name, f"--{axis}", "0").out


# --- derivations ----------------------------------------------------------------------------------


def _dot(*numbers: Any) -> Any:
    half = len(numbers) // 2
    return mpmath.fsum(a * b for a, b in zip(numbers[:half], numbers[half:], strict=True))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "divide": lambda a, b: a / b, "negate": lambda a: -a, "sum": lambda *numbers: mpmath.fsum(numbers), "dot": _dot,
    "maximum": max, "exp": mpmath.exp, "power": lambda base, x: base**x, "sqrt": mpmath.sqrt, "tanh": mpmath.tanh,
    "cos": mpmath.cos, "sin": mpmath.sin,
}  # fmt: skip


def number(value: Any) -> Any:
    """A decimal or a float with all its digits."""
    return mpmath.mpf(str(value) if isinstance(value, Decimal) and value.is_finite() else float(value))


def worth(tree: Expression) -> Any:
    """What a derivation comes to over its own numbers, by mpmath."""
    if isinstance(tree, Number):
        return number(tree.value)
    assert isinstance(tree, Operation)
    return FUNCTIONS[tree.kind](*map(worth, tree.arguments))


def cells_of(name: str, trace: Trace) -> list[tuple[Step, tuple[int, ...]]]:
    """Every computed cell, or a sample of so many."""
    every = [(step, index) for step in trace if not step.stage.given for index in np.ndindex(step.cells.shape)]
    if name not in SAMPLE:
        return every
    chosen = np.random.default_rng(9).choice(len(every), SAMPLE[name], replace=False)
    return [every[i] for i in sorted(chosen)]


def assert_is_the_cell(trace: Trace, step: Step, index: tuple[int, ...], tree: Expression) -> None:
    """To 30 digits, in float64 to 12, and by hand after rounding to the very number."""
    cell, found = step.cells[index], worth(tree)
    if trace.kind == "by-hand" and mpmath.isfinite(found):
        found = Decimal(mpmath.nstr(found, 50, min_fixed=-100, max_fixed=100))
        assert round_to(found, trace.scenario.places, "half-up") == cell, f"{step.name}{index}"
    elif not mpmath.isfinite(found):
        assert str(float(found)) == str(float(cell)), f"{step.name}{index}"
    else:
        near = mpmath.mpf(10) ** (-12 if trace.kind == "float64" else -30)
        assert abs(found - number(cell)) <= near * (1 + abs(found)), f"{step.name}{index}"


@each_scenario
@pytest.mark.parametrize("kind", ["exact", "float64", "by-hand"])
def test_every_derivation_comes_to_its_cell(name: str, kind: str) -> None:
    """Of every step, head and batch entry, the terms of the weighted sum too; of gpt2-block 300 cells."""
    trace = trace_of(name, kind)
    with mpmath.workdps(60):
        for step, index in cells_of(name, trace):
            assert_is_the_cell(trace, step, index, derivation(trace, step, index))


@each_scenario
def test_a_derivation_puts_in_the_cells_that_it_names(name: str) -> None:
    """The number of an earlier step, or of the scenario, at its place."""
    trace = trace_of(name)
    for step, index in cells_of(name, trace)[::7]:
        for leaf in numbers_in(derivation(trace, step, index)):
            if leaf.cell is None or not leaf.cell.place:
                continue
            where = trace.scenario.arrays[leaf.cell.name] if leaf.cell.given else trace[leaf.cell.name].cells
            assert where[leaf.cell.place] == leaf.value
