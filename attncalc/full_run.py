"""Does a run with a cache give the last rows of a run over all tokens."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.calculations import CALCULATIONS
from attncalc.core.numbers import figures
from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError
from attncalc.scenario_files.build import build

CARRIED = ("scale", "temperature", "softcap", "sink", "weighting", "base", "shift", "empty_rows", "places", "rounding")
POSITION_MASKS = {"causal", "window"}


def equals_full_run(trace: Trace) -> bool:
    """Whether the context is what the last queries get in a run over all tokens, in exact arithmetic.

    The queries of the past are not known, and no later row depends on them: zeros stand for them.
    False where the scenario has parts that count from its own queries, which a full run would have to invent.
    """
    scenario = trace.scenario
    mask = scenario.option("mask")
    if scenario.grid[2] != scenario.grid[3] - scenario.sizes["past"]:
        return False
    if trace.kind != "exact" or scenario.has("bias") or scenario.option("alibi") is not None:
        return False
    if not (mask == "causal" or (isinstance(mask, dict) and "causal" in mask and set(mask) <= POSITION_MASKS)):
        return False
    queries = trace[trace["scores"].sources[0].name].cells
    past = np.full((*queries.shape[:2], scenario.sizes["past"], queries.shape[3]), Decimal(0), dtype=object)
    document: dict[str, Any] = {key: scenario.option(key) for key in CARRIED if scenario.option(key) is not None}
    document |= {"mask": mask, "arithmetic": "exact", "heads": scenario.heads, "kv_heads": scenario.kv_heads}
    document |= {"q": _list(np.concatenate((past, queries), axis=2))}
    document |= {"k": _list(trace["all_k"].cells), "v": _list(trace["all_v"].cells)}
    if scenario.width is not None:
        document["d_model"] = Decimal(scenario.width) if scenario.option("scale") == "sqrt_d_model" else None
    try:
        full = build(_as_read({key: value for key, value in document.items() if value is not None}), "full run")
        whole = Trace(full, "exact", CALCULATIONS["exact"](full, False)[0])
    except AttncalcError:  # the rows made up for the past may not be calculable (a zero sum under linear)
        return False
    last = figures(whole, "context")[..., scenario.sizes["past"] :, :]
    return bool((last.reshape(-1) == figures(trace, "context").reshape(-1)).all())


def _list(cells: Any) -> Any:
    return cells.tolist()


def _as_read(document: dict[str, Any]) -> Any:
    """The document as if it had been read from a file."""
    from attncalc.scenario_files.json_text import parse
    from attncalc.scenario_files.json_writing import written

    return parse(written(document).encode(), "full run")
