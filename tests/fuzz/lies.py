"""Truths that hold whatever was put in: what a scenario that was accepted must come to."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from math import prod
from typing import Any
from zlib import crc32

import numpy as np

from attncalc import render, run
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.errors import CalculationError
from attncalc.practice.numbers_typed import TypedNumber
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

from .judging import must

MOST_CELLS = 100
MOST_NUMBERS = 1_000
ROUND_TRIP, FORMATS = 8, 64
"""One input in so many is written and read back; in so many, written in every format of numbers."""


def check_scenario(document: Any, scenario: Scenario, data: bytes) -> None:
    """A small scenario is calculated: its weights add up, and what is written is read back as the same."""
    lot = crc32(data)
    if prod(scenario.grid) > MOST_CELLS or sum(values.size for values in scenario.arrays.values()) > MOST_NUMBERS:
        return
    check_trace(_float_trace(document, scenario))
    if lot % ROUND_TRIP == 0:
        trace = run(scenario)
        check_trace(trace)
        check_read_back(trace)
        if lot % FORMATS == 0:
            check_formats(trace)


def _float_trace(document: Any, scenario: Scenario) -> Trace:
    """The scenario in double precision, which is the quickest."""
    options = {"by_hand": "off", "arithmetic": "float64"}
    return run(scenario_of(document, scenario.name, (), options, _folder()))


def _folder() -> Any:
    from attncalc.scenario_files import builtin

    return builtin.folder()


def check_trace(trace: Trace) -> None:
    """Each row of weights adds up to 1, is that of a query that sees nothing, or has a note that says why not."""
    if "weights" not in trace or trace["weights"].stage.given or trace.kind in ("by-hand", "float16", "float32"):
        return
    noted = {note.code: note for note in trace.notes}
    weights = trace["weights"].cells.astype(np.float64)
    empty = {tuple(row) for row in noted["empty-row"].rows} if "empty-row" in noted else set()
    for row in np.ndindex(weights.shape[:-1]):
        if row in empty or "overflow" in noted:
            continue
        total, size = float(weights[row].sum()), float(np.abs(weights[row]).sum())
        most = 1 + 1e-9 * max(size, 1)
        least = 0 if trace.scenario.has("sink") and trace.scenario.weighting == "softmax" else 2 - most
        must(least <= total <= most, "a row of weights does not add up", f"{trace.kind} {row} {total!r}")


def check_read_back(trace: Trace) -> None:
    """The JSON of a trace is strict, and read as a scenario gives the same JSON."""
    text = str(render(trace, "json"))
    json.loads(text, parse_constant=lambda word: must(False, "JSON has a number that is none", word))
    again = run(scenario_of(parse(text.encode(), trace.scenario.name), trace.scenario.name, folder=_folder()))
    must(render(again, "json") == text, "JSON read back is another", text[:300])


def check_formats(trace: Trace) -> None:
    """JSON, CSV and archive hold the same numbers; the other formats are written without a fault."""
    from test_formats_agree import assert_data_agrees

    assert_data_agrees(trace)
    for format in ("plain", "markdown", "latex", "html"):
        for language in ("en", "zh"):
            try:
                render(trace, format, language)
            except CalculationError:
                continue


ARITHMETIC = re.compile(r"[0-9.+\-*/() ]+")
NUMBER = re.compile(r"[0-9.]+")


def check_number(text: str, number: TypedNumber) -> None:
    """What was read is finite or minus infinity, and of plain arithmetic what Python makes of the same signs."""
    must(not number.value.is_nan() and number.value != float("inf"), "a typed number is none", f"{text!r} {number}")
    must(number.within.is_finite() and number.within >= 0, "a doubt that is none", f"{text!r} {number}")
    if not ARITHMETIC.fullmatch(text) or "**" in text or "//" in text:
        return
    try:
        wanted = eval(NUMBER.sub(lambda match: f"F('{match[0]}')", text), {"F": Fraction})
    except (SyntaxError, TypeError, ValueError, ZeroDivisionError):  # 2(3) is a product here only
        return
    off = abs(Fraction(number.value) - wanted)
    must(off <= Fraction(number.within) or off == 0, "a typed number is another", f"{text!r} {number} {wanted}")
