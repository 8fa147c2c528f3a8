"""The JSON of a trace (`attncalc-trace/1`): strict, the same bytes on every run, read again as a scenario."""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import Any

import numpy as np

from attncalc.core.expression import Expression
from attncalc.core.stage import Step, Trace
from attncalc.derive import formula
from attncalc.document.heading import note_text
from attncalc.document.latex import LatexNotation
from attncalc.document.notation import Notation, as_put_in
from attncalc.document.view import View
from attncalc.scenario_files.json_text import TRACE
from attncalc.scenario_files.json_writing import gathered, pieces


def render(trace: Trace, view: View, indent: int | None = None) -> str:
    """One JSON object and a line end; `indent` spaces for people."""
    return "".join(parts(trace, view, indent))


def parts(trace: Trace, view: View, indent: int | None = None) -> Iterator[str]:
    """The same piece by piece, keys in the contract's order; the lists of a step are made when its turn comes."""
    document = without_values(trace, view)
    wanted = (step for step in trace if view.wants(step))
    for described, step in zip(document["steps"], wanted, strict=True):
        described["values"] = partial(values, trace, step)
    yield from gathered(pieces(document, indent))
    yield "\n"


def without_values(trace: Trace, view: View) -> dict[str, Any]:
    """The same without the numbers of the steps."""
    return {
        "format": TRACE,
        "scenario": trace.scenario.document,
        "arithmetic": arithmetic_of(trace),
        "steps": [_described(trace, step, view) for step in trace if view.wants(step)],
        "notes": [{"code": note.code, "step": note.step, "text": note_text(note, trace, view)} for note in trace.notes],
    }


def arithmetic_of(trace: Trace) -> dict[str, Any]:
    """What the trace was calculated in."""
    scenario, by_hand = trace.scenario, trace.kind == "by-hand"
    places = scenario.document.get("by_hand", scenario.places) if by_hand else None
    return {"kind": trace.kind, "places": places, "rounding": scenario.rounding}


def _described(trace: Trace, step: Step, view: View) -> dict[str, Any]:
    symbol, tree = step.stage.symbol, formula(trace, step)
    return {
        "name": step.name,
        "title": view.say(f"title.{step.stage.texts()}"),
        "formula": _equation(view.notation(), symbol, tree),
        "latex": _equation(LatexNotation(as_put_in, view.say), symbol, tree),
        "given": step.stage.given,
        "axes": list(step.axes),
        "labels": {axis: list(names) for axis, names in step.labels.items()},
        "shape": list(step.shape),
    }


def _equation(notation: Notation, symbol: str, tree: Expression | None) -> str:
    """`A = E / Σ`; of a given step its letter."""
    letter = notation.symbol_text(symbol)
    return f"{letter} = {notation.print(tree)}" if tree is not None else letter


def values(trace: Trace, step: Step) -> Any:
    """The numbers as nested lists: by hand as rounded, otherwise doubles; beyond a double as text."""
    if step.cells.dtype != object:
        return step.values.tolist()
    convert = partial(_of_decimal, trace.kind == "by-hand")
    return np.asarray(np.frompyfunc(convert, 1, 1)(step.exact), dtype=object).tolist()


def number(trace: Trace, value: Any) -> Any:
    """One number, as `values` gives it."""
    return _of_decimal(trace.kind == "by-hand", value) if isinstance(value, Decimal) else float(value)


def _of_decimal(by_hand: bool, value: Decimal) -> Any:
    double = float(value) + 0.0
    if math.isinf(double) and value.is_finite():  # by hand too: most readers would take so many digits for Infinity
        return _beyond_a_double(value)
    if not (by_hand and value.is_finite()):
        return double
    return value if value else value.copy_abs()  # there is no −0


def _beyond_a_double(value: Decimal) -> str:
    """The 17 digits a double would have, without zeros at the end: 1.97e434."""
    digits, exponent = f"{value:.16e}".split("e")
    return f"{digits.rstrip('0').rstrip('.')}e{int(exponent)}"
