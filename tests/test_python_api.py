"""The Python side: load, run, render, values; and what a caller's own settings must not change."""

from __future__ import annotations

import decimal
import doctest
import functools
import pkgutil
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from calling import call
from samples import BUILT_IN, DRAW, flat

import attncalc
from attncalc import compare, load, render, run
from attncalc.core import names
from attncalc.errors import AttncalcError, ScenarioError, UsageError

FORMATS = ("table", "plain", "json", "csv", "markdown", "latex", "html", "svg")
"""Those that are text."""
KNOWN = ", ".join(names.FORMATS)


def modules() -> list[str]:
    """Every module of the package but the one that runs the program."""
    found = pkgutil.walk_packages(attncalc.__path__, "attncalc.")
    return ["attncalc", *(module.name for module in found if not module.name.endswith("__main__"))]


@pytest.mark.parametrize("name", modules())
def test_the_examples_in_docstrings_hold(name: str) -> None:
    """Every `>>>` of the package gives what stands under it."""
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples() -> None:
    """The public names show their use, so that the test above tests something."""
    assert sum(doctest.testmod(import_module(name)).attempted for name in modules()) >= 6


def test_the_lines_of_the_contract() -> None:
    """load, run, values, exact, render."""
    trace = run(load("draw"))
    assert trace["weights"].values.dtype == np.float64
    assert trace["weights"].exact.tolist() == [[Decimal("0.62"), Decimal("0.12"), Decimal("0.19"), Decimal("0.08")]]
    assert [step.name for step in trace][-2:] == ["context", "residual"]
    assert len(trace) == len(trace.steps) == 7
    assert "weights" in trace
    assert "scaled" not in trace
    with pytest.raises(KeyError):
        trace["scaled"]


def test_public_names() -> None:
    """`attncalc` offers the six names it says, and no others."""
    assert attncalc.__all__ == ["Scenario", "Trace", "compare", "load", "render", "run"]
    assert all(callable(getattr(attncalc, name)) for name in attncalc.__all__)
    assert isinstance(load("draw"), attncalc.Scenario)
    assert isinstance(run(load("draw")), attncalc.Trace)
    with pytest.raises(AttributeError, match="nothing"):
        attncalc.nothing  # noqa: B018


@pytest.mark.parametrize("arithmetic", ["exact", "float64", "by-hand"])
def test_numbers_cannot_be_changed(arithmetic: str) -> None:
    """values, exact, cells and the given arrays are read-only."""
    trace = run(load(DRAW, options={"arithmetic": arithmetic}))
    views = [view for step in trace for view in (step.values, step.exact, step.cells)]
    for array in (*views, *trace.scenario.arrays.values()):
        with pytest.raises(ValueError, match="read-only"):
            array[(0,) * array.ndim] = 0


def test_a_scenario_and_a_trace_are_frozen() -> None:
    """A what-if is a new scenario, never a changed one."""
    trace = run(load("draw"))
    for thing, name in ((trace, "kind"), (trace.scenario, "tokens"), (trace["weights"], "cells")):
        with pytest.raises(AttributeError):
            setattr(thing, name, None)


def test_a_document_is_not_changed_by_loading_it() -> None:
    """Changes and options are made in a copy."""
    document = {**DRAW, "scores": list(DRAW["scores"])}
    load(document, ["scores.0=9", "mask=causal"], {"places": "2"})
    assert document == DRAW


def test_all_sources_give_the_same_scenario(tmp_path: Path) -> None:
    """A name, a file, a path as text, and a document."""
    from attncalc.scenario_files import builtin

    path = tmp_path / "mine.json"
    path.write_bytes(builtin.path_of("mini-head").read_bytes())
    sources: list[Any] = ["mini-head", path, str(path), load("mini-head").document]
    assert len({render(run(load(source)), "csv") for source in sources}) == 1


@pytest.mark.parametrize("options", [{"places": 3}, {"by_hand": 3}, {"places": "3"}, {"by_hand": "3"}])
def test_options_may_be_numbers_or_their_text(options: dict[str, Any]) -> None:
    """What Python calls 3 and what the command line calls "3" are one."""
    trace = run(load("draw", options=options))
    key = next(iter(options))
    assert f'"{key}": 3' in render(trace, "json")


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_format_is_text(format: str, language: str) -> None:
    """`render` gives the text of each format, which ends with one line end."""
    text = render(run(load("draw")), format, language)
    assert text.endswith("\n")
    assert "0.62" in text


@pytest.mark.parametrize("format", ["pdf", "docx"])
def test_a_format_that_traces_do_not_have_is_named(format: str) -> None:
    """A programmer's slip is a built-in exception that lists the formats, the same as `run --format` has."""
    with pytest.raises(ValueError, match=f"'{format}' is not a format of a trace; there are {KNOWN}$"):
        render(run(load("draw")), format)
    assert call("run", "draw", "--format", format).err.endswith(f"wanted is one of {KNOWN}\n")


@pytest.mark.parametrize(
    ("source", "error", "words"),
    [
        ("drwa", UsageError, "did you mean draw?"),
        ("no-such-file.json", UsageError, "there is no such file"),
        ({"scores": [1], "q": [[1]], "k": [[1]]}, ScenarioError, "second starting point"),
        ({"scores": ["x"]}, ScenarioError, "wanted is a number"),
        ({"scores": [[10**5000]]}, ScenarioError, "has 5001 digits"),
        ({"scores": [1], "places": 10**5000}, ScenarioError, "has 5001 digits"),
    ],
)
def test_errors_say_what_was_found(source: Any, error: type[Exception], words: str) -> None:
    """An error is a sentence; its faults are data."""
    with pytest.raises(error, match=words) as caught:
        load(source)
    assert isinstance(caught.value, AttncalcError)
    assert len(caught.value.faults) == len(caught.value.sentences("zh")) == 1


def test_arrays_are_the_lists_that_they_hold() -> None:
    """What NumPy and PyTorch give needs no conversion, in a list either, and stays as it is."""
    q, v = np.array([[1.5, 2], [3, 4]]), np.array([1, 2], np.int64)
    arrays = {"q": q, "k": q, "v": [[v[0]], v[1:]], "places": np.int64(3), "mask": {"keep": np.tri(2, dtype=bool)}}
    lists = {"q": q.tolist(), "k": q.tolist(), "v": [[1], [2]], "places": 3, "mask": {"keep": [[1, 0], [1, 1]]}}
    assert run(load(arrays))["context"].exact.tolist() == run(load(lists))["context"].exact.tolist()
    assert (load(arrays).document["q"], load(arrays).document["places"]) == (q.tolist(), 3)
    assert isinstance(arrays["q"], np.ndarray)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"scores": {1, 2}}, "scores: set is no type that JSON has"),
        ({"scores": [[Fraction(1, 3)]]}, "scores[0][0]: Fraction is no type"),
        ({"mask": {"keep": b"1"}}, "mask.keep: bytes is no type"),
        ({"scores": [1], 0: 2}, "scenario: the key 0 is no text"),
        ({"scores": np.array([[1, Fraction(1, 3)]], dtype=object)}, "scores[0][1]: Fraction is no type"),
        ({"scores": np.array([1 + 2j])}, "scores[0]: complex is no type"),
        ({"q": [np.array(["2026-11-30"], dtype="M8[D]")]}, "q[0][0]: date is no type"),
    ],
)
def test_what_json_lacks_is_named(document: Any, words: str) -> None:
    """A slip of the programmer is a TypeError with its place."""
    with pytest.raises(TypeError, match=re.escape(words)):
        load(document)


def test_a_document_that_holds_itself_is_refused() -> None:
    """It would have no end, in an array of objects neither."""
    document: dict[str, Any] = {"scores": [1]}
    document["bias"] = [document, document]
    endless, deep = np.empty(1, dtype=object), np.empty(1, dtype=object)
    endless[0], deep[0] = endless, functools.reduce(lambda inner, _: [inner], range(2000), 1.0)
    for array in (document["bias"], endless, deep):
        with pytest.raises(ScenarioError, match="nested too deeply"):
            load({"scores": [1], "bias": array})


@pytest.mark.parametrize(
    ("call_it", "words"),
    [
        (lambda: run("draw"), "run takes a Scenario, as load gives it, not str"),  # type: ignore[arg-type]
        (lambda: compare("draw", load("draw")), "run takes a Scenario, as load gives it, not str"),  # type: ignore[arg-type]
        (lambda: render(load("draw")), "render takes a Trace, as run gives it, not Scenario"),  # type: ignore[arg-type]
    ],
)
def test_a_step_that_was_left_out_is_named(call_it: Callable[[], object], words: str) -> None:
    """A name where its scenario belongs, a scenario where its trace does."""
    with pytest.raises(TypeError, match=f"^{words}$"):
        call_it()


# --- the caller's decimal context ---------------------------------------------------------------

ODD_CONTEXTS = {
    "few digits": decimal.Context(prec=5),
    "one digit": decimal.Context(prec=1, rounding=decimal.ROUND_UP),
    "narrow": decimal.Context(prec=28, Emax=9, Emin=-9),
    "every trap": decimal.Context(
        prec=28, traps=[signal for signal in decimal.Context().flags if signal is not decimal.FloatOperation]
    ),
    "floats refused": decimal.Context(prec=28, traps=[decimal.FloatOperation]),
    "no trap": decimal.Context(prec=28, traps=[]),
}


@pytest.fixture(params=ODD_CONTEXTS)
def odd_context(request: pytest.FixtureRequest) -> Iterator[decimal.Context]:
    """A context that a caller may have set, put back afterwards."""
    with decimal.localcontext(ODD_CONTEXTS[request.param]) as here:
        here.clear_flags()
        yield here


CASES = [("draw", {}), ("mini-head", {}), ("mini-head", {"arithmetic": "float64"}), ("mini-head", {"by_hand": "2"})]


def everything(name: str, options: dict[str, str]) -> list[Any]:
    """All that a trace says: its texts in every format, products of weights and values among them."""
    trace = run(load(name, options=options), terms=True)
    return [render(trace, format) for format in FORMATS]


@pytest.fixture(scope="module")
def right() -> list[list[Any]]:
    """What is said in Python's own context."""
    return [everything(name, options) for name, options in CASES]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_callers_context_changes_nothing(case: int, right: list[list[Any]], odd_context: decimal.Context) -> None:
    """Whatever precision, range and traps a caller has set, the numbers and notes are the same."""
    assert everything(*CASES[case]) == right[case]


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_callers_context_is_untouched(case: int, odd_context: decimal.Context) -> None:
    """Precision and traps are as before, and so is the context object; after an error too."""
    name, options = CASES[case]
    before = odd_context.prec, odd_context.traps.copy()
    run(load(name, options=options))
    with pytest.raises(AttncalcError):
        run(load({"scores": [1, -1], "weighting": "linear"}))
    assert decimal.getcontext() is odd_context
    assert (odd_context.prec, odd_context.traps) == before


def test_threads_have_contexts_of_their_own() -> None:
    """The same numbers in a thread as outside of one."""
    found: list[list[Any]] = []
    thread = Thread(target=lambda: found.append(run(load("draw"))["context"].values.tolist()))
    thread.start()
    thread.join()
    assert flat(found[0]) == [0.70, 0.27, 0.47]


@pytest.mark.parametrize("name", BUILT_IN)
def test_running_twice_gives_equal_numbers(name: str) -> None:
    """No run leaves anything behind for the next."""
    scenario = load(name)
    assert render(run(scenario), "json") == render(run(scenario), "json")
