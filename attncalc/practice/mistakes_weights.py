"""Mistakes in the softmax: its axis, its exponential, its sum."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.scenario import Scenario
from attncalc.ops import attention, weighing
from attncalc.pipelines.rows_weights import WHOLE_LOGITS, softmax
from attncalc.pipelines.standard import stages
from attncalc.practice.mistake import COMMON, RARE, Mistake
from attncalc.practice.plan import Plan, both, computing, with_options, with_row

ONE, ZERO = Decimal(1), Decimal(0)

FromLogits = Callable[[Arithmetic, Array], Array]


def _weights_of(plan: Plan, function: FromLogits) -> Plan | None:
    """Weights as a function of the scores of all keys, hidden ones −∞."""
    if not softmax(plan.scenario):
        return None
    plan = _unshifted(plan)
    return computing(plan, "weights", lambda arithmetic, scenario, terms, total, logits: function(arithmetic, logits))


def _from_terms(plan: Plan, function: Callable[[Array], Array]) -> Plan | None:
    """Weights as a function of the exponentials."""
    if not softmax(plan.scenario):
        return None
    return computing(plan, "weights", lambda arithmetic, scenario, terms, total, logits: function(terms))


def _down_the_columns(plan: Plan) -> Plan | None:
    queries, keys = plan.scenario.grid[2:]
    if queries == 1:
        return None
    changed = _from_terms(_with_one_maximum(plan), lambda terms: terms / terms.sum(axis=-2, keepdims=True))
    if changed is None or queries != keys:
        return changed

    def totals(arithmetic: Arithmetic, scenario: Scenario, terms: Array, *extra: Array) -> Array:
        return terms.sum(axis=-2, keepdims=True).swapaxes(-1, -2)

    return computing(changed, "total", totals)


def _over_all(plan: Plan) -> Plan | None:
    right = plan.row("total")
    if right is None or plan.scenario.grid[2] == 1 or not softmax(plan.scenario):
        return None

    def totals(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        rows = right.calculate(arithmetic, scenario, list(read))
        everywhere = np.ones(rows.shape, dtype=bool)
        return arithmetic.where(everywhere, rows.sum(axis=-2, keepdims=True), rows)

    return computing(_with_one_maximum(plan), "total", totals)


def _with_one_maximum(plan: Plan) -> Plan:
    """Where a maximum is subtracted only because the exponentials overflow: one for all rows, which cancels in each."""
    right = plan.row("maximum")
    if right is None or not plan.shift:
        return plan

    def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        rows = right.calculate(arithmetic, scenario, list(read))
        return arithmetic.where(np.ones(rows.shape, dtype=bool), arithmetic.maximum(rows.swapaxes(-1, -2)), rows)

    return computing(plan, "maximum", compute) or plan


def _unshifted(plan: Plan) -> Plan:
    """The scores themselves, where a maximum is subtracted only because the exponentials overflow."""
    return plan._replace(rows=stages(plan.scenario, False, plan.terms), shift=False)


def _of_base(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
    """The exponentials of the scenario's own base."""
    base = None if scenario.option("base") is None else arithmetic.number(scenario.number("base"))
    return attention.exponentials(logits, base, arithmetic)


def _powers(plan: Plan, powers: Callable[[Arithmetic, Array], Array]) -> Plan | None:
    """Other exponentials, from the scores with −∞ where they are hidden."""
    return computing(plan, "exponentials", lambda arithmetic, scenario, logits: powers(arithmetic, logits))


def _in_base(plan: Plan, base: str | None) -> Plan | None:
    """Powers of another base than the scenario's; e takes the place of a base, a base that of e."""
    if not softmax(plan.scenario) or (plan.scenario.option("base") is None) == (base is None):
        return None

    if plan.scenario.has("sink"):  # its exponential too is of that base
        return with_options(plan, base=base and Decimal(base))

    def powers(arithmetic: Arithmetic, logits: Array) -> Array:
        number = None if base is None else arithmetic.number(Decimal(base))
        return attention.exponentials(logits, number, arithmetic)

    return _powers(plan, powers)


def _negative(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
    """e^(−s), a hidden key still 0."""
    hidden = arithmetic.hidden(logits)
    visible = arithmetic.where(hidden, arithmetic.number(ZERO), logits)
    return arithmetic.where(hidden, arithmetic.number(ZERO), _of_base(arithmetic, scenario, -visible))


def _maximum_above_only(plan: Plan) -> Plan | None:
    """e^(s − m) over the sum of e^s."""
    scenario = plan.scenario
    if not softmax(scenario) or plan.has("maximum") or scenario.has("sink"):
        return None

    def above(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
        return _of_base(arithmetic, scenario, weighing.shifted(logits, arithmetic.maximum(logits), arithmetic))

    def below(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
        return attention.total(_of_base(arithmetic, scenario, logits))

    reads = (WHOLE_LOGITS,)
    return both(
        plan,
        lambda p: computing(p, "exponentials", above),
        lambda p: with_row(p, "total", lambda row: row._replace(compute=below, reads=reads)),
    )


def _largest(arithmetic: Arithmetic, logits: Array) -> Array:
    """1 for the largest score of a row, 0 for the rest; several largest share it."""
    hidden = arithmetic.hidden(logits)
    gaps = arithmetic.where(hidden, arithmetic.number(ONE), arithmetic.maximum(logits) - logits)
    ones = weighing.one_where(arithmetic.zero(gaps), arithmetic)
    total = ones.sum(axis=-1, keepdims=True)
    return ones / arithmetic.where(arithmetic.zero(total), arithmetic.number(ONE), total)


def _sigmoid(arithmetic: Arithmetic, logits: Array) -> Array:
    hidden = arithmetic.hidden(logits)
    visible = arithmetic.where(hidden, arithmetic.number(ZERO), logits)
    result = arithmetic.number(ONE) / (arithmetic.exp(-visible) + arithmetic.number(ONE))
    return arithmetic.where(hidden, arithmetic.number(ZERO), result)


def _twice(plan: Plan) -> Plan | None:
    """The softmax of the weights; hidden keys, of weight 0, take part in the second one."""
    right = plan.row("weights")
    if right is None or not softmax(plan.scenario):
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        powers = _of_base(arithmetic, scenario, right.calculate(arithmetic, scenario, list(read)))
        return powers / attention.total(powers)

    return computing(plan, "weights", compute)


def _linear(plan: Plan) -> Plan | None:
    """Scores over their sum; a sink adds an exponential to it, so that there is none."""
    if not softmax(plan.scenario) or plan.scenario.has("sink"):
        return None
    return _powers(_unshifted(plan), lambda arithmetic, logits: weighing.without_hidden(logits, arithmetic))


def _without_sink(plan: Plan) -> Plan | None:
    if not plan.scenario.has("sink") or not softmax(plan.scenario):
        return None
    arrays = {name: values for name, values in plan.scenario.arrays.items() if name != "sink"}
    sinkless, right = replace(plan.scenario, arrays=arrays), plan.row("weights")

    def weights(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        result: Array = right.calculate(arithmetic, sinkless, list(read)) if right else read[0]
        return result

    return both(
        plan,
        lambda p: computing(p, "total", lambda arithmetic, scenario, terms, *extra: attention.total(terms)),
        lambda p: computing(p, "weights", weights),
    )


def _empty_rows(plan: Plan, policy: str) -> Plan | None:
    scenario = plan.scenario
    empty = ~scenario.arrays["visible"].any(axis=-1)
    if scenario.start == "weights" or scenario.option("empty_rows") == policy or not empty.any():
        return None
    return with_options(plan, empty_rows=policy)


MISTAKES: tuple[Mistake, ...] = (
    Mistake("softmax-over-queries", "weights", _down_the_columns, COMMON),
    Mistake("softmax-over-all", "total", _over_all),
    Mistake("no-exponential", "exponentials", _linear, COMMON),
    Mistake("not-divided", "weights", lambda plan: _from_terms(plan, lambda terms: terms)),
    Mistake("base-2", "exponentials", lambda plan: _in_base(plan, "2")),
    Mistake("base-3", "exponentials", lambda plan: _in_base(plan, "3")),
    Mistake("base-10", "exponentials", lambda plan: _in_base(plan, "10")),
    Mistake("base-e", "exponentials", lambda plan: _in_base(plan, None)),
    Mistake("negative-exponent", "exponentials", lambda plan: computing(_unshifted(plan), "exponentials", _negative)),
    Mistake("maximum-in-numerator-only", "exponentials", _maximum_above_only, RARE),
    Mistake("argmax", "weights", lambda plan: _weights_of(plan, _largest)),
    Mistake("sigmoid", "weights", lambda plan: _weights_of(plan, _sigmoid), RARE),
    Mistake("softmax-twice", "weights", _twice),
    Mistake(
        "softmax-skipped", "weights",
        lambda plan: _weights_of(plan, lambda arithmetic, logits: weighing.without_hidden(logits, arithmetic)),
    ),
    Mistake("sink-forgotten", "total", _without_sink),
    Mistake("empty-rows-zero", "weights", lambda plan: _empty_rows(plan, "zero")),
    Mistake("empty-rows-nan", "weights", lambda plan: _empty_rows(plan, "nan")),
    Mistake("empty-rows-uniform", "weights", lambda plan: _empty_rows(plan, "uniform")),
)  # fmt: skip
"""From the exponentials to the weights."""
