"""A case calculated by the program and by the rivals: what they disagree on, in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal, localcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rivals.balls import exact_figures
from rivals.every_digit import exact_texts, hand_numbers, strange
from rivals.every_step import Beyond
from rivals.random_scenarios import as_json
from rivals.settings import Case
from rivals.straight_line import calculate

from attncalc.calculations import CALCULATIONS
from attncalc.core.certain import OWN
from attncalc.core.figures import figure
from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError, CalculationError
from attncalc.pipelines.cost import chosen_arithmetic
from attncalc.running import run
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

Rival = Callable[[dict[str, Any]], dict[str, Any]]

FAR_BITS = 30_000

CLOSE = 1e-12
"""Of a number, and of 1 for a smaller one: where the straight line in doubles is the judge."""


def trace_of(case: Case, folder: Path, notes: bool = False) -> Trace:
    """The trace of a case as the program reads it; without its notes it is quicker."""
    scenario = scenario_of(parse(case.text.encode(), "case"), "case", (), case.options, folder)
    if notes:
        return run(scenario)
    with localcontext(OWN):
        kind = chosen_arithmetic(scenario)
        return Trace(scenario, kind, *CALCULATIONS[kind](scenario, False))


def disagreements(case: Case, folder: Path) -> Iterator[str]:
    """What the program and the rivals disagree on: nothing, if all is well."""
    try:
        trace = trace_of(case, folder)
    except CalculationError as error:
        yield from _refused(case, error)
        return
    except AttncalcError as error:
        yield f"refused: {error}"
        return
    if trace.kind != case.kind:
        yield f"arithmetic: {trace.kind}"
    if "undecided" in {note.code for note in trace.notes}:  # said to be unsure: more than 20,000 digits are needed
        return
    try:
        yield from JUDGES[case.kind](case, trace)
    except ZeroDivisionError:
        yield "not refused"
    except Beyond:
        return


def _refused(case: Case, error: CalculationError) -> Iterator[str]:
    """Right only where by hand a total rounds to 0."""
    try:
        if case.kind == "by-hand":
            hand_numbers(case.meant)
        yield f"refused: {error}"
    except (ZeroDivisionError, Beyond):
        return


def _cells(trace: Trace) -> dict[str, Any]:
    return {step.name: step.cells for step in trace}


def _differing(trace: Trace, wanted: dict[str, Any], text: Any) -> Iterator[str]:
    """The steps that are not there, or have another text in a place."""
    found = {step.name: step.cells for step in trace if not step.stage.given}
    if found.keys() != wanted.keys():
        yield f"steps: {sorted(found.keys() ^ wanted.keys())}"
    for name in found.keys() & wanted.keys():
        got = np.frompyfunc(text, 1, 1)(found[name])
        if got.shape != wanted[name].shape:
            yield f"shape of {name}: {got.shape}, not {wanted[name].shape}"
        elif (got != wanted[name]).any():
            place = tuple(np.argwhere(got != wanted[name])[0].tolist())
            yield f"{name} {place}: {got[place]}, not {wanted[name][place]}"


def _exact(case: Case, trace: Trace) -> Iterator[str]:
    show = partial(figure, places=trace.scenario.places, rounding=trace.scenario.rounding)
    yield from _differing(trace, exact_texts(case.meant), show)
    yield from _straight(case, trace)


def _by_hand(case: Case, trace: Trace) -> Iterator[str]:
    wanted = {name: np.frompyfunc(_digits, 1, 1)(cells) for name, cells in hand_numbers(case.meant).items()}
    yield from _differing(trace, wanted, _digits)


def _digits(number: Decimal) -> str:
    return format(number, "f") if number.is_finite() else str(number)


def _floating(case: Case, trace: Trace) -> Iterator[str]:
    for found in strange(case.meant, _cells(trace), trace.kind):
        yield f"{found.step} {found.place}: {found.found!r}, not {found.right}"
        return
    if trace.kind == "float64":
        yield from _straight(case, trace)


def _straight(case: Case, trace: Trace) -> Iterator[str]:
    """Against the straight line in doubles; what a row in blocks keeps has no part in it."""
    wanted = calculate(case.meant)
    left_open = set() if "shift" in case.meant else {"maximum", "shifted"}
    if not trace.scenario.online and (odd := (wanted.keys() ^ {step.name for step in trace}) - left_open):
        yield f"steps: {sorted(odd)}"
    for step in trace:
        if step.name in wanted and (trace.kind != "float64" or "shift" in case.meant or step.name not in SHIFTING):
            right = wanted[step.name]
            if step.values.shape != right.shape:
                yield f"shape of {step.name}: {step.values.shape}, not {right.shape}"
            elif not np.allclose(step.values, right, rtol=CLOSE, atol=CLOSE, equal_nan=True):
                yield f"{step.name} in doubles: {step.values.tolist()}, not {right.tolist()}"


def digit_disagreements(document: dict[str, Any], rival: Rival = exact_figures) -> Iterator[str]:
    """Where a digit of exact arithmetic, or by hand, is not that of the balls, compared as text."""
    case = Case(frozenset(), as_json(document), {}, {"arithmetic": "exact", **document})
    try:
        trace = trace_of(case._replace(options={"arithmetic": case.kind}), Path())
    except CalculationError as error:
        try:
            rival(document)
            yield f"refused: {error}"
        except ZeroDivisionError:
            return
    else:
        places, rounding = trace.scenario.places, trace.scenario.rounding
        show = _digits if trace.kind == "by-hand" else partial(figure, places=places, rounding=rounding)
        wanted = {name: np.array(cells, dtype=object) for name, cells in rival(document).items()}
        if trace.kind == "by-hand":
            wanted = {name: np.frompyfunc(_digits, 1, 1)(cells) for name, cells in wanted.items()}
        cells = {name: cells.reshape(trace[name].cells.shape) for name, cells in wanted.items() if name in trace}
        yield from _differing(trace, wanted | cells, show)


def far_disagreements(document: dict[str, Any]) -> Iterator[str]:
    """The same for exponentials that lie far apart: what agrees for thousands of digits may still differ."""
    rival = hand_numbers if "by_hand" in document else exact_texts
    yield from digit_disagreements(document, partial(rival, tie_bits=FAR_BITS))


SHIFTING = ("maximum", "shifted", "exponentials", "total")
JUDGES = {"exact": _exact, "by-hand": _by_hand, **dict.fromkeys(("float64", "float32", "float16"), _floating)}
