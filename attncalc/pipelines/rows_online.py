"""The online softmax (Milakov and Gimelshein 2018): keys in blocks, and for each row a running maximum, sum and output.

This is how FlashAttention (Dao et al. 2022, algorithm 1) goes through the keys without ever holding a row of weights:
where a block brings a larger score, what was summed so far is rescaled. For block b with the scores S_j:

    m_b = max(m_{b−1}, S_j …)      r_b = e^(m_{b−1} − m_b)
    l_b = r_b · l_{b−1} + Σ e^(S_j − m_b)      O_b = r_b · O_{b−1} + Σ e^(S_j − m_b) V_j

and after the last block the context is O_b / l_b. A sink is the maximum to begin with.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial
from typing import NamedTuple

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.expression import Expression, Operation, Symbol
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.errors import CalculationError
from attncalc.ops import attention, weighing
from attncalc.pipelines import symbols
from attncalc.pipelines.rows_weights import ROW, SINK, WHOLE_LOGITS, base, base_symbol

FEATURES = ("batch", "head", "query", "feature")
SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
ONE, ZERO, NAN = Decimal(1), Decimal(0), Decimal("NaN")


class Part(NamedTuple):
    """A block of keys: its number from 1, its first key, and the one after its last."""

    number: int
    first: int
    stop: int

    def of(self, array: Array) -> Array:
        """Its columns of a row."""
        return array[..., self.first : self.stop]


def blocks(scenario: Scenario) -> list[Part]:
    """The keys in blocks of the size that the scenario says."""
    size, keys = int(scenario.option("block")), scenario.grid[3]
    return [Part(n, first, min(first + size, keys)) for n, first in enumerate(range(0, keys, size), 1)]


def online_rows(scenario: Scenario) -> tuple[Stage, ...]:
    """The rows of every block, and the context from the last."""
    found = blocks(scenario)
    rows = [row for part in found for row in _rows(scenario, part)]
    return (*rows, *([_context(found[-1])] if scenario.has_values else []))


def _rows(scenario: Scenario, part: Part) -> Iterator[Stage]:
    now, before = part.number, part.number - 1
    largest, earlier = _kept("maximum", now), _kept("maximum", before)
    yield Stage(
        f"maximum_{now}", _letter("m", now), ROW, (f"maximum_{now}",), (WHOLE_LOGITS, earlier if before else SINK),
        partial(_maximum, part=part), partial(_maximum_formula, part=part), words="online-maximum",
    )  # fmt: skip
    if before:
        yield Stage(
            f"rescale_{now}", _letter("r", now), ROW, (f"rescale_{now}",), (earlier, largest), _rescale,
            lambda scenario, old, new: symbols.power(base_symbol(scenario), old - new), words="online-rescale",
        )  # fmt: skip
    carried = (_kept("rescale", now), _kept("total", before)) if before else (SINK,)
    yield Stage(
        f"total_{now}", _letter("l", now), ROW, (f"total_{now}",), (WHOLE_LOGITS, largest, *carried),
        partial(_total, part=part), partial(_total_formula, part=part), words="online-total",
    )  # fmt: skip
    if scenario.has_values:
        value = Read("v", ("batch", "kv_head", "any", "feature"))
        output = (_kept("rescale", now), Read(f"output_{before}", FEATURES)) if before else ()
        yield Stage(
            f"output_{now}", _letter("O", now), FEATURES, (f"output_{now}",), (WHOLE_LOGITS, largest, value, *output),
            partial(_output, part=part), partial(_output_formula, part=part), words="online-output",
        )  # fmt: skip


def _kept(name: str, number: int) -> Read:
    """What a block keeps for a row."""
    return Read(f"{name}_{number}", ("batch", "head", "query", "any"))


# --- how each is calculated -----------------------------------------------------------------------


def _maximum(arithmetic: Arithmetic, scenario: Scenario, logits: Array, *before: Array, part: Part) -> Array:
    return weighing.row_maximum(part.of(logits), before[0] if before else None, arithmetic)


def _rescale(arithmetic: Arithmetic, scenario: Scenario, old: Array, new: Array) -> Array:
    """Nothing was summed while the maximum was −∞, and what is rescaled then is 0."""
    return attention.exponentials(weighing.shifted(old, new, arithmetic), base(arithmetic, scenario), arithmetic)


def _powers(arithmetic: Arithmetic, scenario: Scenario, logits: Array, largest: Array, part: Part) -> Array:
    shifted = weighing.shifted(part.of(logits), largest, arithmetic)
    return attention.exponentials(shifted, base(arithmetic, scenario), arithmetic)


def _total(
    arithmetic: Arithmetic, scenario: Scenario, logits: Array, largest: Array, *carried: Array, part: Part
) -> Array:
    own = attention.total(_powers(arithmetic, scenario, logits, largest, part))
    if len(carried) == 2:
        return carried[0] * carried[1] + own
    return _rescale(arithmetic, scenario, carried[0], largest) + own if carried else own


def _output(
    arithmetic: Arithmetic, scenario: Scenario, logits: Array, largest: Array, v: Array, *carried: Array, part: Part
) -> Array:
    powers = _powers(arithmetic, scenario, logits, largest, part)
    own = attention.context(powers, v[..., part.first : part.stop, :], arithmetic)
    return carried[0] * carried[1] + own if carried else own


def _context(last: Part) -> Stage:
    reads = (Read(f"output_{last.number}", FEATURES), _kept("total", last.number))
    values = Read("v", ("batch", "kv_head", "any", "feature"))
    return Stage(
        "context", "C", FEATURES, ("out",), (*reads, values, WHOLE_LOGITS), _shares,
        lambda scenario, output, total, v, logits: output / total, words="online-context",
    )  # fmt: skip


def _shares(
    arithmetic: Arithmetic, scenario: Scenario, output: Array, total: Array, v: Array, logits: Array
) -> Array:  # fmt: skip
    """The output over the total; a row that sees nothing as `empty_rows` says."""
    empty = np.all(arithmetic.hidden(logits), axis=-1, keepdims=True) & np.bool_(not scenario.has("sink"))
    if not empty.any():
        return output / total
    policy = str(scenario.option("empty_rows"))
    if policy == "error":
        query = scenario.query_tokens[int(np.argwhere(empty)[0][2])]
        raise CalculationError.of("empty-row-refused", scenario.name, query=query)
    divided = output / arithmetic.where(empty, arithmetic.number(ONE), total)
    filling: Array = arithmetic.number(NAN if policy == "nan" else ZERO)
    if policy == "uniform":
        equal = weighing.one_where(np.ones(logits.shape, dtype=bool), arithmetic)
        keys = arithmetic.number(Decimal(logits.shape[-1]))
        filling = attention.context(equal / keys, v, arithmetic)
    return arithmetic.where(empty, filling, divided)


# --- how each is written --------------------------------------------------------------------------


def _letter(letter: str, number: int) -> str:
    return letter + str(number).translate(SUBSCRIPTS)


def _of_keys(whole: Expression, letter: str, part: Part) -> list[Expression]:
    """S₃, S₄ … of the block."""
    letter = whole.text if isinstance(whole, Symbol) else letter
    return [Symbol(_letter(letter, key + 1), whole=whole) for key in range(part.first, part.stop)]


def _maximum_formula(scenario: Scenario, logits: Expression, *before: Expression, part: Part) -> Expression:
    return Operation("maximum", (*_of_keys(logits, "S", part), *before))


def _power_terms(scenario: Scenario, logits: Expression, largest: Expression, part: Part) -> list[Expression]:
    return [symbols.power(base_symbol(scenario), score - largest) for score in _of_keys(logits, "S", part)]


def _total_formula(
    scenario: Scenario, logits: Expression, largest: Expression, *carried: Expression, part: Part
) -> Expression:
    terms = _power_terms(scenario, logits, largest, part)
    if len(carried) == 2:
        terms.insert(0, Operation("multiply", carried))
    elif carried:
        terms.insert(0, symbols.power(base_symbol(scenario), carried[0] - largest))
    return terms[0] if len(terms) == 1 else Operation("sum", tuple(terms))


def _output_formula(
    scenario: Scenario, logits: Expression, largest: Expression, v: Expression, *carried: Expression, part: Part
) -> Expression:
    values = _of_keys(v, "V", part)
    powers = _power_terms(scenario, logits, largest, part)
    terms: list[Expression] = [Operation("multiply", pair) for pair in zip(powers, values, strict=True)]
    if carried:
        terms.insert(0, Operation("multiply", carried))
    return terms[0] if len(terms) == 1 else Operation("sum", tuple(terms))
