"""What is worth knowing about a trace besides its numbers: one small function a note, and the list of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from typing import Any

from attncalc.calculations import decimal
from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.figures import figure, round_to
from attncalc.core.stage import Note, Step, Trace
from attncalc.document.numbers import figure_of, figures
from attncalc.pipelines.cost import count, exact_is_quick
from attncalc.pipelines.standard import STEP_NAMES

FINAL_STEPS = STEP_NAMES[STEP_NAMES.index("context") :]


def notes(trace: Trace) -> tuple[Note, ...]:
    """All notes on a trace, in the order of this file's list."""
    return tuple(note for finder in FINDERS for note in finder(trace))


def _rows(step: Step) -> Iterator[tuple[int, list[Any]]]:
    """The position of each query and its row, of the first head."""
    for query, row in enumerate(step.cells[0, 0]):
        yield query, list(row)


def _names(trace: Trace, queries: Iterable[int]) -> str:
    return ", ".join(trace.scenario.query_tokens[query] for query in queries)


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
    if "exponentials" not in trace:
        return
    seen = [(query, sum(x != MINUS_INFINITY for x in row)) for query, row in _rows(_logits(trace))]
    lonely = [query for query, keys in seen if keys == 1]
    if lonely:
        yield Note("single-key", "weights", {"queries": _names(trace, lonely)}, queries=tuple(lonely))


def _logits(trace: Trace) -> Step:
    return trace[trace["exponentials"].sources[0].name]


def empty_row(trace: Trace) -> Iterator[Note]:
    """A row that sees no key."""
    if "weights" not in trace or trace["weights"].stage.given:
        return
    visible = trace.scenario.arrays["visible" if trace.scenario.weighting != "self" else "own"][0, 0]
    if trace.scenario.needs_scores:
        source = trace[trace["weights"].sources[-1].name]
        empty = [query for query, row in _rows(source) if all(x == MINUS_INFINITY for x in row)]
    else:
        empty = [query for query, row in enumerate(visible) if not row.any()]
    if empty:
        policy = str(trace.scenario.option("empty_rows"))
        yield Note("empty-row", "weights", {"queries": _names(trace, empty)}, f"empty-row-{policy}", tuple(empty))


def saturated(trace: Trace) -> Iterator[Note]:
    """A visible key whose weight the places would show as 0."""
    if "exponentials" not in trace:
        return
    places = trace.scenario.hand_places("weights") if trace.kind == "by-hand" else trace.scenario.places
    for (query, weights), (_, logits) in zip(_rows(trace["weights"]), _rows(_logits(trace)), strict=False):
        pairs = zip(weights, logits, strict=True)
        lost = [w for w, s in pairs if s != MINUS_INFINITY and w == w and not _rounded(w, places, trace)]
        if lost and len(lost) < len(weights):
            largest = max(w for w in weights if w == w)
            fields = {"query": _names(trace, [query]), "count": len(lost)}
            fields["largest"] = figure_of(trace, trace["weights"], largest)
            yield Note("saturated", "weights", fields, queries=(query,))
            return


def _rounded(value: Any, places: int, trace: Trace) -> Decimal:
    return round_to(value if isinstance(value, Decimal) else Decimal(float(value)), places, trace.scenario.rounding)


def rounded_sum(trace: Trace) -> Iterator[Note]:
    """The weights as shown do not add to 1, the weights themselves do."""
    if "weights" not in trace or trace["weights"].stage.given or trace.scenario.weighting == "self":
        return
    step, places = trace["weights"], trace.scenario.hand_places("weights")
    places = places if trace.kind == "by-hand" else trace.scenario.places
    off = []
    for query, row in _rows(step):
        if any(x != x for x in row) or not any(row):
            continue
        shown = sum((_rounded(x, places, trace) for x in row), Decimal(0))
        if shown != 1:
            off.append((query, figure(shown, places, trace.scenario.rounding)))
    if off:
        fields = {"query": _names(trace, [off[0][0]]), "sum": off[0][1], "count": len(off)}
        fields["rows"] = len(step.cells[0, 0])
        words = "rounded-sum" if len(off) == 1 else "rounded-sum-many"
        yield Note("rounded-sum", "weights", fields, words, tuple(query for query, _ in off))


def by_hand_differs(trace: Trace) -> Iterator[Note]:
    """Which final numbers full precision would show differently, and the first rounding that moves one."""
    scenario = trace.scenario
    if trace.kind != "by-hand" or not exact_is_quick(count(scenario)):
        return
    exact = Trace(scenario, "exact", decimal(scenario, lambda step: False)[0])
    for name in (name for name in FINAL_STEPS if name in trace):
        shown, true = figures(trace, name), _as_shown_by_hand(trace, exact, name)
        moved = int((shown != true).sum())
        if moved:
            fields = {"step": name, "moved": moved, "all": shown.size, "first": _first_to_move(trace, exact)}
            fields |= {"vectors": _rows_that_moved(trace, shown, true)}
            yield Note("by-hand-differs", name, fields)


def _as_shown_by_hand(trace: Trace, exact: Trace, name: str) -> Any:
    """The exact numbers of a step with the places that the step keeps by hand."""
    import numpy as np

    return np.frompyfunc(lambda x: figure_of(trace, trace[name], x), 1, 1)(exact[name].cells.reshape(exact[name].shape))


def _rows_that_moved(trace: Trace, shown: Any, true: Any) -> str:
    """The exact vectors of the rows that differ, the first three."""
    labels = trace.scenario.query_tokens
    rows = [(label, new) for label, old, new in zip(labels, shown, true, strict=False) if (old != new).any()]
    named = len(labels) > 1
    return "; ".join((f"{label}: " if named else "") + f"({', '.join(new)})" for label, new in rows[:3])


def _first_to_move(trace: Trace, exact: Trace) -> str:
    """The first step whose rounding, put in step by step, changes a final number."""
    finals = [name for name in FINAL_STEPS if name in trace]
    computed = [step.name for step in trace if not step.stage.given]
    for last, name in enumerate(computed):
        steps, _ = decimal(trace.scenario, frozenset(computed[: last + 1]).__contains__)
        partly = Trace(trace.scenario, "by-hand", steps)
        if any((_as_shown_by_hand(trace, partly, f) != _as_shown_by_hand(trace, exact, f)).any() for f in finals):
            return name
    return computed[-1]


FINDERS: tuple[Callable[[Trace], Iterator[Note]], ...] = (
    made_up, no_projections, unscaled, single_key, empty_row, saturated, rounded_sum, by_hand_differs,
)  # fmt: skip
