"""From scores to weights: scaling, the mask, the shift, and the four ways to weigh."""

from __future__ import annotations

from decimal import Decimal

import numpy as np

from attncalc.core.arithmetic import MINUS_INFINITY, Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.expression import Expression, Operation, Symbol
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.errors import CalculationError
from attncalc.ops import attention, weighing
from attncalc.pipelines import symbols

CELLS = ("batch", "head", "query", "key")
ROW = ("batch", "head", "query")

LOGITS = Read("logits", CELLS)
WHOLE_LOGITS = Read("logits", ("batch", "head", "query", "any"))
VISIBLE = Read("visible", CELLS)
WHOLE_VISIBLE = Read("visible", ("batch", "head", "query", "any"))
TERMS = Read("terms", CELLS)
WHOLE_TERMS = Read("terms", ("batch", "head", "query", "any"))
TOTAL = Read("total", ("batch", "head", "query", "any"))
MAXIMUM = Read("maximum", ("batch", "head", "query", "any"))


def softmax(scenario: Scenario) -> bool:
    """Whether exponentials are taken, of whole rows."""
    return scenario.needs_scores and scenario.weighting == "softmax" and not scenario.online


# The scale and the temperature are one step: both multiply or divide every score.


def _scaled(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
    scale, temperature = scenario.option("scale"), scenario.number("temperature")
    if isinstance(scale, Decimal):
        logits = logits * arithmetic.number(scale, "scale")
    divisor = weighing.divisor(arithmetic, scenario.width, str(scale), temperature)
    return logits if divisor is None else logits / divisor


def _scaled_formula(scenario: Scenario, logits: Expression) -> Expression:
    scale = scenario.option("scale")
    factor = Symbol(str(scale)) if isinstance(scale, Decimal) else None
    width = Symbol("d_model", r"d_{\mathrm{model}}") if scale == "sqrt_d_model" else symbols.D_K
    divisors: dict[str, list[Expression]] = {
        "sqrt_d_k": [symbols.root(width)],
        "sqrt_d_model": [symbols.root(width)],
        "d_k": [width],
    }
    parts = list(divisors.get(str(scale), []))
    parts += [Symbol("T")] if scenario.number("temperature") != 1 else []
    top = Operation("multiply", (logits, factor)) if factor else logits
    if not parts:
        return top
    return top / (parts[0] if len(parts) == 1 else Operation("multiply", tuple(parts)))


SCALED = Stage(
    "scaled", "Z", CELLS, ("logits",), (LOGITS,), _scaled, _scaled_formula,
    when=lambda s: s.needs_scores and (s.option("scale") != "none" or s.number("temperature") != 1),
)  # fmt: skip

CAPPED = Stage(
    "capped", "P", CELLS, ("logits",), (LOGITS,),
    lambda arithmetic, scenario, logits: attention.capped(
        logits, arithmetic.number(scenario.number("softcap"), "softcap"), arithmetic
    ),
    lambda scenario, logits: symbols.softcap(logits, Symbol("c")),
    when=lambda s: s.needs_scores and s.option("softcap") is not None,
)  # fmt: skip


def _biased(arithmetic: Arithmetic, scenario: Scenario, logits: Array, *parts: Array) -> Array:
    rest = list(parts)
    if scenario.option("alibi") is not None:
        distance, slopes = rest.pop(0), rest.pop(0)
        if not scenario.has("alibi"):
            slopes = arithmetic.power(arithmetic.number(Decimal(2)), slopes)
        logits = logits - slopes * distance
    if not rest:
        return logits
    # Minus infinity hides, whatever stands there: a NaN plus it would be a NaN.
    return arithmetic.where(arithmetic.hidden(rest[0]), arithmetic.number(MINUS_INFINITY), logits + rest[0])


def _biased_formula(scenario: Scenario, logits: Expression, *parts: Expression) -> Expression:
    rest = list(parts)
    if scenario.option("alibi") is not None:
        distance, slopes = rest.pop(0), rest.pop(0)
        logits = logits - Operation("multiply", (slopes, distance))
    return logits + rest[0] if rest else logits


PER_HEAD = ("any", "head", "any", "any")
BIASED = Stage(
    "biased", "B", CELLS, ("logits",),
    (
        LOGITS,
        Read("distance", ("any", "any", "query", "key"), optional=True),
        Read("alibi", PER_HEAD, optional=True),
        Read("slope_exponents", PER_HEAD, optional=True),
        Read("bias", CELLS, optional=True),
    ),
    _biased, _biased_formula,
    when=lambda s: s.needs_scores and (s.option("alibi") is not None or s.has("bias")),
)  # fmt: skip

MASKED = Stage(
    "masked", "M", CELLS, ("logits",), (LOGITS, VISIBLE),
    lambda arithmetic, scenario, logits, visible: attention.masked(logits, visible, arithmetic),
    lambda scenario, logits, visible: symbols.where_visible(logits, symbols.MINUS_INFINITY),
    when=lambda s: s.needs_scores and s.has_mask,
)  # fmt: skip

SEEN = Stage(
    "masked", "M", CELLS, ("terms",), (VISIBLE,),
    lambda arithmetic, scenario, visible: weighing.one_where(visible, arithmetic),
    lambda scenario, visible: symbols.where_visible(Symbol("1"), Symbol("0")),
    when=lambda s: s.start != "weights" and s.weighting == "uniform",
    words="masked-uniform",
)  # fmt: skip

SINK = Read("sink", PER_HEAD, optional=True)
WHOLE_MAXIMUM = Read("maximum", ("batch", "head", "query", "any"), optional=True)


def _maximum(arithmetic: Arithmetic, scenario: Scenario, logits: Array, *sink: Array) -> Array:
    return weighing.row_maximum(logits, sink[0] if sink else None, arithmetic)


MAXIMUM_ROW = Stage(
    "maximum", "m", ROW, ("maximum",), (WHOLE_LOGITS, SINK), _maximum,
    lambda scenario, logits, *sink: symbols.row_maximum(logits, *sink),
    when=lambda s: softmax(s) and s.option("shift") is True,
)  # fmt: skip

SHIFTED = Stage(
    "shifted", "D", CELLS, ("logits",), (LOGITS, MAXIMUM),
    lambda arithmetic, scenario, logits, maximum: weighing.shifted(logits, maximum, arithmetic),
    lambda scenario, logits, maximum: logits - maximum,
    when=MAXIMUM_ROW.when,
)  # fmt: skip

SHIFT = (MAXIMUM_ROW, SHIFTED)


def base(arithmetic: Arithmetic, scenario: Scenario) -> Array | None:
    """The base of the exponential as a number; None for e."""
    return arithmetic.number(scenario.number("base"), "base") if scenario.option("base") is not None else None


def base_symbol(scenario: Scenario) -> Expression:
    """The base of the exponential as it is written."""
    return symbols.E if scenario.option("base") is None else Symbol(str(scenario.option("base")))


EXPONENTIALS = Stage(
    "exponentials", "E", CELLS, ("terms",), (LOGITS,),
    lambda arithmetic, scenario, logits: attention.exponentials(logits, base(arithmetic, scenario), arithmetic),
    lambda scenario, logits: symbols.power(base_symbol(scenario), logits),
    when=softmax,
)  # fmt: skip


def _total(arithmetic: Arithmetic, scenario: Scenario, terms: Array, *extra: Array) -> Array:
    if not scenario.has("sink") or not softmax(scenario):
        return attention.total(terms)
    sink = extra[0] if len(extra) == 1 else extra[0] - extra[1]  # shifted like the scores
    return attention.total(terms) + attention.exponentials(sink, base(arithmetic, scenario), arithmetic)


def _total_formula(scenario: Scenario, terms: Expression, *extra: Expression) -> Expression:
    if not scenario.has("sink") or not softmax(scenario):
        return symbols.row_sum(terms)
    sink = extra[0] if len(extra) == 1 else extra[0] - extra[1]
    return symbols.row_sum(terms) + symbols.power(base_symbol(scenario), sink)


TOTALS = Stage(
    "total", "Σ", ROW, ("total",), (WHOLE_TERMS, SINK, WHOLE_MAXIMUM), _total, _total_formula,
    when=lambda s: softmax(s) or (s.start != "weights" and s.weighting == "uniform"),
)  # fmt: skip

LINEAR_TOTAL = Stage(
    "total", "Σ", ROW, ("total",), (WHOLE_LOGITS,),
    lambda arithmetic, scenario, logits: attention.total(weighing.without_hidden(logits, arithmetic)),
    lambda scenario, logits: symbols.row_sum(logits),
    when=lambda s: s.needs_scores and s.weighting == "linear",
    words="total-linear",
)  # fmt: skip


def _shares(arithmetic: Arithmetic, scenario: Scenario, terms: Array, total: Array, row: Array) -> Array:
    return _filled(arithmetic, scenario, terms, total, arithmetic.hidden(row))


def _linear_shares(arithmetic: Arithmetic, scenario: Scenario, logits: Array, total: Array, row: Array) -> Array:
    hidden = arithmetic.hidden(row)
    lost = arithmetic.zero(total) & ~np.all(hidden, axis=-1, keepdims=True)
    if lost.any():
        raise CalculationError.of("zero-sum", scenario.name, query=_first_query(scenario, lost))
    return _filled(arithmetic, scenario, weighing.without_hidden(logits, arithmetic), total, hidden)


def _equal_shares(arithmetic: Arithmetic, scenario: Scenario, ones: Array, total: Array, row: Values) -> Array:
    return _filled(arithmetic, scenario, ones, total, ~row)


def _own_weight(arithmetic: Arithmetic, scenario: Scenario, own: Values, row: Values) -> Array:
    return _filled(arithmetic, scenario, weighing.one_where(own, arithmetic), None, ~row)


def _filled(
    arithmetic: Arithmetic, scenario: Scenario, terms: Array, total: Array | None, hidden: Values
) -> Array:  # fmt: skip
    """Each term over its row's total, rows that see nothing filled as `empty_rows` says; `hidden` has whole rows."""
    policy = str(scenario.option("empty_rows"))
    empty = np.all(hidden, axis=-1, keepdims=True) & np.bool_(not _has_sink(scenario))
    if policy == "error" and empty.any():
        raise CalculationError.of("empty-row-refused", scenario.name, query=_first_query(scenario, empty))
    weights = terms if total is None else weighing.shares(terms, total, empty, arithmetic)
    return weighing.filled(weights, empty, policy, hidden.shape[-1], arithmetic)


def _has_sink(scenario: Scenario) -> bool:
    """A sink takes the whole weight of a row that sees nothing: the row is not empty."""
    return scenario.has("sink") and softmax(scenario)


def _first_query(scenario: Scenario, rows: Values) -> str:
    return scenario.query_tokens[int(np.argwhere(rows)[0][2])]


SOFTMAX = Stage(
    "weights", "A", CELLS, ("weights",), (TERMS, TOTAL, WHOLE_LOGITS), _shares,
    lambda scenario, terms, total, row: terms / total,
    when=softmax,
)  # fmt: skip

LINEAR = Stage(
    "weights", "A", CELLS, ("weights",), (LOGITS, TOTAL, WHOLE_LOGITS), _linear_shares,
    lambda scenario, terms, total, row: terms / total,
    when=LINEAR_TOTAL.when, words="weights-linear",
)  # fmt: skip

UNIFORM = Stage(
    "weights", "A", CELLS, ("weights",), (TERMS, TOTAL, WHOLE_VISIBLE), _equal_shares,
    lambda scenario, ones, total, row: ones / total,
    when=SEEN.when, words="weights-uniform",
)  # fmt: skip

SELF = Stage(
    "weights", "A", CELLS, ("weights",),
    (Read("own", CELLS), Read("own", ("batch", "head", "query", "any"))), _own_weight,
    lambda scenario, own, row: symbols.where_itself(Symbol("1"), Symbol("0")),
    when=lambda s: s.start != "weights" and s.weighting == "self", words="weights-self",
)  # fmt: skip

GIVEN = Stage("weights", "A", CELLS, ("weights",), when=lambda s: s.start == "weights", words="weights-given")

WEIGHTS: tuple[Stage, ...] = (
    SCALED, CAPPED, BIASED, MASKED, SEEN, *SHIFT, EXPONENTIALS, TOTALS, LINEAR_TOTAL, SOFTMAX, LINEAR, UNIFORM,
    SELF, GIVEN,
)  # fmt: skip
