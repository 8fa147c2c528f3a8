"""The JSON of `verify` (`attncalc-verify/1`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attncalc.core.stage import Trace
from attncalc.explore.cells import as_options
from attncalc.explore.correcting import Correction
from attncalc.explore.verify import Verdict, step_of


def as_document(
    trace: Trace, verdicts: Sequence[Verdict], corrections: Sequence[Correction] | None = None
) -> dict[str, Any]:
    """The verdicts as JSON values, keys in order; and what is written anew, where that was asked for."""
    cells = {(verdict.step, verdict.place): _cell(trace, verdict) for verdict in verdicts}
    for verdict, text in corrections or ():
        cells[verdict.step, verdict.place]["written"] = text
    return {
        "format": "attncalc-verify/1",
        "scenario": trace.scenario.name,
        "right": sum(verdict.right for verdict in verdicts),
        "all": len(verdicts),
        **({} if corrections is None else {"written": len(corrections)}),
        "cells": list(cells.values()),
    }


def _cell(trace: Trace, verdict: Verdict) -> dict[str, Any]:
    return {
        "cell": verdict.cell + as_options(trace, step_of(trace, verdict), verdict.place),
        "step": verdict.step,
        "printed": verdict.printed,
        "shown": verdict.shown,
        "right": verdict.right,
    }
