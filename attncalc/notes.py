"""What is worth knowing about a trace besides its numbers: one small function a note, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.calculations import decimal
from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.figures import SURELY_AWAY, as_decimal, figure, round_to, rounds_away
from attncalc.core.numbers import figure_of, figures, figures_of, places_of
from attncalc.core.stage import Note, Row, Step, Trace
from attncalc.errors import CalculationError
from attncalc.pipelines.cost import count, exact_is_quick
from attncalc.pipelines.standard import STEP_NAMES

FLOATS = {"float64": "1.8e308", "float32": "3.4e38", "float16": "65504"}
ROUGH = 1e-9
MOST_UNITS = 2.0**32
"""A weight of so many units of the last place, and a sum of a million of them, are far within a double."""

NEAR_AN_EDGE = 1e-5
FINAL_STEPS = STEP_NAMES[STEP_NAMES.index("context") :]


def notes(trace: Trace) -> tuple[Note, ...]:
    """All notes on a trace, in the order of this file's list."""
    return tuple(note for finder in FINDERS for note in finder(trace))


def _rows(step: Step) -> Iterator[tuple[Row, list[Any]]]:
    """Each row of a step, with its place."""
    for place in np.ndindex(step.cells.shape[:3]):
        yield Row(*place), list(step.cells[place])


def made_up(trace: Trace) -> Iterator[Note]:
    """Numbers that the source does not give."""
    value = trace.scenario.option("made_up")
    if value is True:
        yield Note("made-up", "", {}, "made-up-all")
    elif value:
        yield Note("made-up", "", {"keys": ", ".join(value)})


def no_projections(trace: Trace) -> Iterator[Note]:
    """q, k and v are x itself."""
    scenario = trace.scenario
    if scenario.projected and scenario.needs_scores and not scenario.document.keys() & {"w_q", "w_k", "w_v"}:
        yield Note("no-projections", "q", {})


def unscaled(trace: Trace) -> Iterator[Note]:
    """Scores are made from q and k, and nothing divides them."""
    scenario = trace.scenario
    if "scores" in trace and not trace["scores"].stage.given and scenario.option("scale") == "none":
        yield Note("unscaled", "scores", {"width": scenario.sizes["d_k"]})


def single_key(trace: Trace) -> Iterator[Note]:
    """A row that sees one key gives it weight 1, whatever the score."""
    if "exponentials" not in trace or trace.scenario.has("sink"):
        return
    seen = _visible(_logits(trace)).sum(axis=-1)
    if (seen == 1).any():
        yield Note("single-key", "weights", {}, rows=_places(seen == 1))


def _logits(trace: Trace) -> Step:
    return trace[trace["exponentials"].sources[0].name]


def _visible(step: Step) -> Any:
    """Where scores are not hidden, as booleans."""
    if step.cells.dtype != object:
        return ~np.isneginf(step.cells)
    return np.asarray(step.cells != MINUS_INFINITY, dtype=bool)


def _places(rows: Any) -> tuple[Row, ...]:
    return tuple(map(Row._make, np.argwhere(rows).tolist()))


def empty_row(trace: Trace) -> Iterator[Note]:
    """A row that sees no key."""
    scenario = trace.scenario
    sink = scenario.has("sink") and scenario.weighting == "softmax"
    if "weights" not in trace or trace["weights"].stage.given or sink:
        return
    if scenario.needs_scores:
        seen = _visible(trace[trace["weights"].sources[-1].name])
    else:
        seen = scenario.arrays["own" if scenario.weighting == "self" else "visible"]
    empty = ~seen.any(axis=-1)
    if empty.any():
        yield Note("empty-row", "weights", {}, f"empty-row-{scenario.option('empty_rows')}", _places(empty))


def saturated(trace: Trace) -> Iterator[Note]:
    """A visible key whose weight the places would show as 0."""
    if "exponentials" not in trace:
        return
    step = trace["weights"]
    places = places_of(trace, step)
    units = np.where(_visible(_logits(trace)), np.abs(step.cells.astype(np.float64)) * 10.0**places, 1.0)
    surely, perhaps = units < SURELY_AWAY, (units >= SURELY_AWAY) & (units < 1)
    for row in _places((surely | perhaps).any(axis=-1)):
        weights = step.cells[row]
        near = [w for w in weights[perhaps[row]].tolist() if rounds_away(w, places, trace.scenario.rounding)]
        lost = int(surely[row].sum()) + len(near)
        if 0 < lost < len(weights) and all(w == w for w in weights):
            fields = {"count": lost, "largest": figure_of(trace, step, max(weights))}
            yield Note("saturated", "weights", fields, rows=(row,))
            return


def overflow(trace: Trace) -> Iterator[Note]:
    """In floating point, a number that left the range on the way to the weights."""
    if trace.kind not in FLOATS:
        return
    for step in trace:
        if step.stage.given or step.name == "masked":
            continue
        infinite = np.isposinf(step.cells) | np.isnan(step.cells)
        if infinite.any():
            yield Note("overflow", step.name, {"step": step.name, "kind": trace.kind, "largest": FLOATS[trace.kind]})
            return


def sink_share(trace: Trace) -> Iterator[Note]:
    """How much of each row the sink takes."""
    if not trace.scenario.has("sink") or "exponentials" not in trace:
        return
    row, weights = max(_rows(trace["weights"]), key=lambda item: 1 - sum(item[1]))
    share = figure_of(trace, trace["weights"], 1 - sum(weights))
    yield Note("sink-share", "weights", {"share": share}, rows=(row,))


def cached(trace: Trace) -> Iterator[Note]:
    """With a cache, the rows are the last rows of a run over all tokens: shown by making that run."""
    from attncalc.full_run import equals_full_run

    if "all_k" in trace and "context" in trace and exact_is_quick(count(trace.scenario)) and equals_full_run(trace):
        yield Note("cache", "context", {"count": trace.scenario.grid[2], "all": trace.scenario.grid[3]})


def _rounded(value: Any, places: int, trace: Trace) -> Decimal:
    return round_to(as_decimal(value), places, trace.scenario.rounding)


def rounded_sum(trace: Trace) -> Iterator[Note]:
    """The weights as shown do not add to 1, the weights themselves do."""
    scenario = trace.scenario
    if "weights" not in trace or trace["weights"].stage.given or scenario.weighting == "self" or scenario.has("sink"):
        return
    step = trace["weights"]
    places = places_of(trace, step)
    off = list(_sums_off(trace, step, places))
    if off:
        fields = {
            "sum": figure(off[0][1], places, scenario.rounding),
            "count": len(off),
            "all": step.cells[..., 0].size,
        }
        words = "rounded-sum" if len(off) == 1 else "rounded-sum-many"
        if trace.kind in FLOATS and abs(float(sum(step.cells[off[0][0]])) - 1) > ROUGH:
            words, fields["kind"] = "rounded-sum-float", trace.kind
        yield Note("rounded-sum", "weights", fields, words, tuple(row for row, _ in off))


def _sums_off(trace: Trace, step: Step, places: int) -> Iterator[tuple[Row, Decimal]]:
    """Each row's weights as shown, added up, where they do not give 1; rows of zeros or beyond floats are left out.

    In floating point the units of the last place are rounded as doubles, which is right but where a weight lies all
    but on an edge, or is very large; only such rows are rounded as decimals.
    """
    cells = step.cells
    finite = (cells == cells) & (abs(cells) != np.inf)
    asked = finite.all(axis=-1) & (cells != 0).any(axis=-1)
    sums, sure = np.zeros(asked.shape), np.zeros(asked.shape, dtype=bool)
    if cells.dtype != object:
        sums, sure = _sums_in_units(cells, places, trace.scenario.rounding)
    for row in _places(asked & ~(sure & (sums == 10.0**places))):
        if sure[row]:
            yield row, Decimal(int(sums[row])).scaleb(-places)
        elif (total := sum((_rounded(x, places, trace) for x in cells[row]), Decimal(0))) != 1:
            yield row, total


def _sums_in_units(cells: Any, places: int, rounding: str) -> tuple[Any, Any]:
    """The sum of each row rounded to units of the last place, and whether it is sure."""
    cells = cells.astype(np.float64)
    small = np.abs(cells) <= MOST_UNITS / 10.0**places
    units = np.where(small, cells, 0) * 10.0**places
    edge = 0.0 if rounding == "truncate" else 0.5
    clear = np.abs(units - edge - np.rint(units - edge)) >= NEAR_AN_EDGE
    whole = np.trunc(units) if rounding == "truncate" else np.rint(units)
    return whole.sum(axis=-1), (small & clear).all(axis=-1)


def by_hand_differs(trace: Trace) -> Iterator[Note]:
    """Which final numbers full precision would show differently, and the first rounding that moves one."""
    scenario = trace.scenario
    if trace.kind != "by-hand" or not exact_is_quick(count(scenario)):
        return
    try:
        exact = Trace(scenario, "exact", decimal(scenario, lambda step: False)[0])
    except CalculationError:  # by hand a number out of range may round to 0, exactly it is refused: nothing to compare
        return
    first, finals = "", {name: _as_shown_by_hand(trace, exact, name) for name in FINAL_STEPS if name in trace}
    for name, true in finals.items():
        shown = figures(trace, name)
        moved = int((shown != true).sum())
        if moved:
            first = first or _first_to_move(trace, exact, finals)
            fields = {"step": name, "moved": moved, "all": shown.size, "first": first}
            fields["vectors"] = _rows_that_moved(trace[name], shown, true)
            yield Note("by-hand-differs", name, fields)


def _as_shown_by_hand(trace: Trace, exact: Trace, name: str) -> Any:
    """The exact numbers of a step with the places that the step keeps by hand."""
    cells = exact[name].cells.reshape(exact[name].shape)
    return np.array(figures_of(trace, trace[name], cells.flat), dtype=object).reshape(cells.shape)


def _rows_that_moved(step: Step, shown: Any, true: Any) -> list[tuple[Row, str]]:
    """The exact vectors of the rows that differ, the first three, each with its place."""
    shape = (*step.cells.shape[:3], -1)
    old, new = shown.reshape(shape), true.reshape(shape)
    moved = [Row(*place) for place in np.ndindex(shape[:3]) if (old[place] != new[place]).any()]
    return [(row, f"({', '.join(new[row])})") for row in moved[:3]]


def _first_to_move(trace: Trace, exact: Trace, finals: Mapping[str, Any]) -> str:
    """The first step whose rounding, put in step by step, changes a final number as it is shown."""
    computed = [step.name for step in trace if not step.stage.given]
    partly = exact
    for last, name in enumerate(computed):
        if (partly[name].cells == trace[name].cells).all():  # it is round already: all stays as before
            continue
        steps, _ = decimal(trace.scenario, frozenset(computed[: last + 1]).__contains__)
        partly = Trace(trace.scenario, "by-hand", steps)
        if any((_as_shown_by_hand(trace, partly, final) != true).any() for final, true in finals.items()):
            return name
    return computed[-1]


FINDERS: tuple[Callable[[Trace], Iterator[Note]], ...] = (
    made_up, no_projections, unscaled, single_key, empty_row, saturated, overflow, sink_share, rounded_sum,
    by_hand_differs, cached,
)  # fmt: skip
