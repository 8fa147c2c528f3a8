"""The fold in each arithmetic: exact and by hand on decimals, and NumPy's floating point."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial

import numpy as np

from attncalc.core.arithmetic import Array, Decimals, Floats
from attncalc.core.bounded import Bounded, Values
from attncalc.core.certain import OutOfRange, certain
from attncalc.core.edges import Edges
from attncalc.core.figures import round_to
from attncalc.core.names import MOST_PLACES
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Note, Stage, Step
from attncalc.errors import CalculationError, Fault
from attncalc.fold import BOOLEAN_SLOTS, Result, fold, step_of
from attncalc.pipelines.standard import stages

Calculation = tuple[tuple[Step, ...], tuple[Note, ...]]


def decimal(
    scenario: Scenario, rounds: Callable[[str], bool], terms: bool = False, changed: Sequence[Stage] = ()
) -> Calculation:
    """On decimals, the results of the steps that `rounds` names rounded as by hand, the others exact.

    `changed` are other rows than those that the scenario asks for.
    """
    rows = tuple(changed) or stages(scenario, terms=terms)
    kept: list[Result] = []
    read: list[Array] = []  # by the stage at hand
    unsure: list[str] = []  # steps by hand whose rounding even the most digits leave open

    def compute(last: bool, powers: list[Bounded]) -> list[Bounded]:
        arithmetic = Decimals(last, powers)

        def evaluate(row: Stage, arrays: list[Array]) -> Array:
            read[:] = arrays
            rounded = rounds(row.name)
            return _rounded(scenario, row, arrays, unsure) if rounded else row.calculate(arithmetic, scenario, arrays)

        kept[:] = fold(rows, scenario, arithmetic, evaluate)
        return [result.array for result in kept]

    given = (Decimals().given(a, name) for name, a in scenario.arrays.items() if name not in BOOLEAN_SLOTS)
    try:
        arrays, sure = certain(compute, Edges(scenario.places, scenario.rounding, doubles=True), given)
    except OutOfRange:
        raise _out_of_range(scenario, read) from None
    steps = tuple(step_of(scenario, result, array) for result, array in zip(kept, arrays, strict=True))
    open_steps = [*unsure, *([] if sure else [steps[-1].name])]
    return steps, tuple(Note("undecided", name, {}) for name in open_steps[:1])


def _rounded(scenario: Scenario, row: Stage, arrays: list[Array], unsure: list[str]) -> Bounded:
    """One step by hand: inside it nothing is rounded, its result is."""
    places, rounding = scenario.hand_places(row.name), scenario.rounding
    if scenario.needs_scores and row.name == ("context" if scenario.online else "weights"):
        _refuse_lost_total(scenario, arrays[1], arrays[-1])

    def compute(last: bool, powers: list[Bounded]) -> list[Bounded]:
        return [row.calculate(Decimals(last, powers), scenario, arrays)]

    (values,), sure = certain(compute, Edges(places, rounding, doubles=False), only_bounded(arrays))
    unsure += [] if sure else [row.name]
    return Bounded(np.asarray(np.frompyfunc(lambda x: round_to(x, places, rounding), 1, 1)(values), dtype=object))


def _refuse_lost_total(scenario: Scenario, total: Bounded, logits: Bounded) -> None:
    """By hand, the total of a row may round to 0 although the row sees something."""
    softmax = scenario.weighting == "softmax"
    shifts = softmax and (scenario.online or scenario.option("shift") is True)
    for index, value in np.ndenumerate(_largest(scenario, logits.values)):
        if not value.is_finite() or total.values[index] != 0:
            continue
        value = A_UNIT_BELOW if shifts else value
        places = _places_of_power(scenario, value) if softmax else _places_of_sum(logits.values[index[:-1]])
        if places is None:  # the sum is 0 before any rounding, which the step itself refuses
            continue
        code = _code_of_loss(softmax, shifts, places)
        query = scenario.query_tokens[index[2]]
        raise CalculationError.of(code, scenario.name, query=query, places=places)


A_UNIT_BELOW = Decimal(-1)
"""By hand the maximum is rounded too: without places, scores may lie so far below it."""


def _code_of_loss(softmax: bool, shifts: bool, places: int) -> str:
    """What to say: a shift helps only where there is none."""
    if not softmax:
        return "lost-sum"
    if shifts:
        return "lost-total-kept"
    return "lost-total" if places <= MOST_PLACES else "lost-total-shift"


def _largest(scenario: Scenario, logits: Values) -> Values:
    """The largest score of each row, the sink's included: what a row without a shift has most of."""
    largest: Values = logits.max(axis=-1, keepdims=True)
    return np.maximum(largest, scenario.arrays["sink"]) if scenario.has("sink") else largest


def _places_of_power(scenario: Scenario, exponent: Decimal) -> int:
    """How many places show the first digit of base^exponent."""
    base = scenario.option("base")
    power = exponent if base is None else exponent * Decimal(base).ln()
    return max(0, int(-(power / Decimal(10).ln()).to_integral_value("ROUND_FLOOR")))


def _places_of_sum(row: Values) -> int | None:
    """How many places show the first digit of the sum of the visible scores."""
    total = sum((x for x in row if x.is_finite()), Decimal(0))
    return max(0, -total.adjusted()) if total else None


def _out_of_range(scenario: Scenario, read: Sequence[Array]) -> CalculationError:
    """The row of the number that left the range of decimals."""
    values = only_bounded(read)[0].values
    sizes = np.frompyfunc(lambda x: x.copy_abs() if x.is_finite() else Decimal(0), 1, 1)(values)
    index = np.unravel_index(int(np.argmax(sizes)), values.shape)
    query = scenario.query_tokens[min(int(index[2]), len(scenario.query_tokens) - 1)]
    return CalculationError([Fault(scenario.name, "beyond-decimals", {"query": query})])


def only_bounded(arrays: Iterable[Array]) -> list[Bounded]:
    """The arrays of numbers among what a stage reads, masks left out."""
    return [array for array in arrays if isinstance(array, Bounded)]


def floats(kind: str, scenario: Scenario, terms: bool = False) -> Calculation:
    """In binary floating point; where exponentials would overflow or vanish, again with the row maximum taken off."""
    arithmetic = Floats(kind)

    def once(shift: bool) -> list[Result]:
        rows = stages(scenario, shift, terms)
        with np.errstate(all="ignore"):
            return fold(rows, scenario, arithmetic, lambda row, arrays: row.calculate(arithmetic, scenario, arrays))

    results = once(False)
    remarks: tuple[Note, ...] = ()
    if scenario.option("shift") is None and _exponentials_lost(scenario, results, arithmetic):
        results = once(True)
        helped = not _exponentials_lost(scenario, results, arithmetic)
        remarks = (Note("shifted", "shifted", {"kind": kind}),) if helped else ()
    return tuple(step_of(scenario, result, result.array) for result in results), remarks


def _exponentials_lost(scenario: Scenario, results: Sequence[Result], arithmetic: Floats) -> bool:
    """Whether a row's exponentials overflow, or all but vanish although the row sees something or has a sink."""
    found = {result.stage.name: result for result in results}
    if "exponentials" not in found:
        return False
    powers: Values = found["exponentials"].array
    logits = found[found["exponentials"].sources[0].name].array
    total: Values = found["total"].array
    seen = ~arithmetic.hidden(logits).all(axis=-1, keepdims=True)
    tiny = np.finfo(arithmetic.dtype).tiny
    lost = np.where(seen, powers.max(axis=-1, keepdims=True), total if scenario.has("sink") else 1) < tiny
    return bool((~np.isfinite(total)).any() or lost.any())


CALCULATIONS: dict[str, Callable[[Scenario, bool], Calculation]] = {
    "exact": lambda scenario, terms: decimal(scenario, lambda step: False, terms),
    "by-hand": lambda scenario, terms: decimal(scenario, lambda step: True, terms),
    **{kind: partial(floats, kind) for kind in ("float64", "float32", "float16")},
}
