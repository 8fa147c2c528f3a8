"""Mistakes between the dot products and the exponentials: scale, soft cap, bias, masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.labels import places_of
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Stage
from attncalc.ops import weighing
from attncalc.pipelines.rows_weights import MASKED, SCALED
from attncalc.practice.mistake import COMMON, RARE, Mistake
from attncalc.practice.plan import Plan, both, computing, unchanged, with_arrays
from attncalc.scenario_files.masks import Masks

AFTER_LOGITS = ("maximum", "exponentials", "total")
"""The first of these that there is reads the scores when all is done to them."""


def _one_more(plan: Plan, row: Stage, place: int) -> Plan:
    """The plan with a row more, at a place."""
    return plan._replace(rows=(*plan.rows[:place], row, *plan.rows[place:]))


# --- the scale -------------------------------------------------------------------------------------


def _divided(plan: Plan, number: int | None, kind: str) -> Plan | None:
    """Scores divided by another number in place of √d_k; the temperature stays."""
    if plan.scenario.option("scale") != "sqrt_d_k" or (number is None and kind != "none"):
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
        divisor = weighing.divisor(arithmetic, number, kind, scenario.number("temperature"))
        return logits if divisor is None else logits / divisor

    return computing(plan, "scaled", compute)


def _multiplied(plan: Plan) -> Plan | None:
    if plan.scenario.option("scale") != "sqrt_d_k":
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
        return (
            logits * arithmetic.sqrt(_width(arithmetic, scenario)) / arithmetic.number(scenario.number("temperature"))
        )

    return computing(plan, "scaled", compute)


def _width(arithmetic: Arithmetic, scenario: Scenario) -> Array:
    return arithmetic.number(Decimal(scenario.width or 1))


def _unasked(plan: Plan) -> Plan | None:
    """Divided by √d_k where the scenario takes the scores as they are: a row more."""
    scenario, width = plan.scenario, plan.scenario.sizes.get("d_k")
    row = plan.row("scores")
    if row is None or width is None or scenario.option("scale") != "none" or plan.has("scaled"):
        return None
    number = Decimal(width)
    scaled = SCALED._replace(compute=lambda arithmetic, scenario, s: s / arithmetic.sqrt(arithmetic.number(number)))
    return _one_more(plan, scaled, plan.rows.index(row) + 1)


def _scaled_after(plan: Plan) -> Plan | None:
    if plan.scenario.option("scale") != "sqrt_d_k" or plan.scenario.weighting != "softmax":
        return None
    right = plan.row("weights")

    def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        weights: Array = right.calculate(arithmetic, scenario, list(read)) if right else read[0]
        return weights / arithmetic.sqrt(_width(arithmetic, scenario))

    return both(plan, lambda p: _divided(p, None, "none"), lambda p: computing(p, "weights", compute))


def _cold(plan: Plan) -> Plan | None:
    scenario = plan.scenario
    if not plan.has("scaled") or scenario.number("temperature") == 1:
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, logits: Array) -> Array:
        scale = scenario.option("scale")
        if isinstance(scale, Decimal):
            return logits * arithmetic.number(scale)
        divisor = weighing.divisor(arithmetic, scenario.width, str(scale), Decimal(1))
        return logits if divisor is None else logits / divisor

    return computing(plan, "scaled", compute)


# --- bias and ALiBi --------------------------------------------------------------------------------


def _unbiased(plan: Plan, without: str) -> Plan | None:
    """Scores to which the bias, or the distances of ALiBi, were not added."""
    # Minus infinity in a bias times 0 is no 0: the bias is left out, not multiplied.
    scenario = plan.scenario
    alibi, bias = scenario.option("alibi") is not None, scenario.has("bias")
    if not {"alibi": alibi, "bias": bias}[without]:
        return None
    if not (alibi and bias):
        return unchanged(plan, "biased")
    right = plan.row("biased")

    def compute(
        arithmetic: Arithmetic, scenario: Scenario, logits: Array, distance: Array, slopes: Array, b: Array
    ) -> Array:
        zero = arithmetic.number(Decimal(0))
        read = [logits, distance * zero, slopes, b] if without == "alibi" else [logits, distance, slopes]
        result: Array = right.calculate(arithmetic, scenario, read) if right else logits
        return result

    return computing(plan, "biased", compute)


# --- masks -----------------------------------------------------------------------------------------


class _Mask:
    """The mask of a scenario in parts: where each query stands, and which keys the parts besides causal allow."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        mask = scenario.option("mask")
        self.parts: dict[str, Any] = dict(mask) if isinstance(mask, Mapping) else {"causal": mask == "causal"}
        self.causal = bool(self.parts.get("causal"))
        self.keys = np.arange(scenario.grid[3])
        self.place = self._place()

    def positions(self) -> Values:
        """The place of each query among the keys, (queries, 1)."""
        return self._masks(self.parts).positions()

    def visible(self, **changes: Any) -> Values:
        """What may be seen with other parts; None leaves a part out."""
        parts = {
            name: part for name, part in {**self.parts, **changes}.items() if part is not None and part is not False
        }
        return self._masks(parts).visible(self.positions())

    def seen_from(self, positions: Values) -> Values:
        """What may be seen where the queries stand elsewhere."""
        return self._masks(self.parts).visible(positions)

    def _masks(self, parts: Mapping[str, Any]) -> Masks:
        scenario = self.scenario
        arrays = {
            name: a for name, a in scenario.arrays.items() if name.removeprefix("mask.") in parts or "." not in name
        }
        document = {**scenario.document, "mask": parts}
        past = scenario.sizes["past"]
        return Masks(document, arrays, scenario.grid, past, self.place, self._find_all, lambda *_, **__: None)

    def _place(self) -> int | None:
        """Where the one query of one-dimensional scores stands."""
        scenario = self.scenario
        if scenario.start != "scores" or len(scenario.origins["scores"][1]) > 1:
            return None
        own = np.flatnonzero(scenario.arrays["own"].any(axis=(0, 1, 2)))  # none where it is hidden, or no key at all
        named = [place for place, label in enumerate(scenario.tokens) if label == scenario.query_tokens[0]]
        return int([*own, *named, len(scenario.tokens)][0])

    def _find_all(self, labels: Sequence[Any], path: str) -> list[int]:
        return [int(one) if isinstance(one, Decimal) else places_of(self.scenario.tokens, one)[0] for one in labels]


def _seeing(plan: Plan, visible: Values) -> Plan | None:
    if not plan.scenario.has_mask:
        return None
    seen = np.broadcast_to(visible, plan.scenario.grid)
    mask = _Mask(plan.scenario)
    return with_arrays(plan, {"visible": seen, "own": seen & (mask.keys == mask.positions())})


def _causal(plan: Plan, seen: Any) -> Plan | None:
    """The causal triangle replaced by another rule (positions, keys) → visible; other parts of the mask stay."""
    mask = _Mask(plan.scenario)
    if not mask.causal:
        return None
    return _seeing(plan, mask.visible(causal=None) & seen(mask.positions(), mask.keys))


def _unmasked(plan: Plan) -> Plan | None:
    return _seeing(plan, np.ones(plan.scenario.grid, dtype=bool))


def _mask_unasked(plan: Plan) -> Plan | None:
    """A causal mask where the scenario has no mask: a row more, where each query has its own place among the keys."""
    scenario, (queries, keys), past = plan.scenario, plan.scenario.grid[2:], plan.scenario.sizes["past"]
    if scenario.has_mask or not scenario.needs_scores or queries == 1 or past + queries != keys:
        return None
    seen = np.arange(keys) <= np.arange(past, keys)[:, None]
    place = next(number for number, row in enumerate(plan.rows) if row.name in AFTER_LOGITS)
    return with_arrays(_one_more(plan, MASKED, place), {"visible": np.broadcast_to(seen, scenario.grid)})


def _inverted(plan: Plan) -> Plan | None:
    return _seeing(plan, ~plan.scenario.arrays["visible"])


def _other_corner(plan: Plan) -> Plan | None:
    queries, keys = plan.scenario.grid[2:]
    mask = _Mask(plan.scenario)
    if queries == keys or not mask.causal or mask.place is not None:  # one query stands where it is said to
        return None
    rows = np.arange(queries)[:, None]
    corners = (rows, rows + keys - queries)
    other = corners[0] if bool((mask.positions() == corners[1]).all()) else corners[1]
    return _seeing(plan, mask.seen_from(other))


def _padding_on_queries(plan: Plan) -> Plan | None:
    queries, keys = plan.scenario.grid[2:]
    if not plan.scenario.has_mask or queries != keys:
        return None
    mask = _Mask(plan.scenario)
    if not {"key_lengths", "hide"} & set(mask.parts):
        return None
    padding = mask.visible(causal=None, window=None, keep=None, drop=None)
    positions = mask.visible(hide=None, key_lengths=None)
    return _seeing(plan, positions & padding.swapaxes(-1, -2))


def _without_window(plan: Plan) -> Plan | None:
    mask = _Mask(plan.scenario)
    if "window" not in mask.parts:
        return None
    return _seeing(plan, mask.visible(window=None))


def instead_of_hidden(plan: Plan, number: Decimal) -> Plan | None:
    """Hidden scores set to a number instead of minus infinity."""
    if not plan.scenario.needs_scores:
        return None

    def compute(arithmetic: Arithmetic, scenario: Scenario, logits: Array, visible: Values) -> Array:
        return arithmetic.where(visible, logits, arithmetic.number(number))

    return computing(plan, "masked", compute)


def _cut_after(plan: Plan) -> Plan | None:
    """Weights of hidden keys set to 0 after a softmax over all."""
    if plan.scenario.weighting != "softmax":
        return None
    right = plan.row("weights")

    def compute(arithmetic: Arithmetic, scenario: Scenario, *read: Array) -> Array:
        weights: Array = right.calculate(arithmetic, scenario, list(read)) if right else read[0]
        return arithmetic.where(scenario.arrays["visible"], weights, arithmetic.number(Decimal(0)))

    return both(plan, lambda p: unchanged(p, "masked"), lambda p: computing(p, "weights", compute))


def _model_width(plan: Plan) -> int | None:
    return plan.scenario.sizes.get("d_model") or plan.scenario.sizes.get("d_k", 0) * plan.scenario.heads or None


MISTAKES: tuple[Mistake, ...] = (
    Mistake("no-scale", "scaled", lambda plan: _divided(plan, None, "none"), COMMON),
    Mistake("scale-by-d_k", "scaled", lambda plan: _divided(plan, plan.scenario.width, "d_k"), COMMON),
    Mistake("scale-by-sqrt-d_model", "scaled", lambda plan: _divided(plan, _model_width(plan), "sqrt_d_model"), COMMON),
    Mistake("scale-by-sqrt-n", "scaled", lambda plan: _divided(plan, plan.scenario.grid[3], "sqrt_d_k")),
    Mistake("multiply-by-sqrt-d_k", "scaled", _multiplied),
    Mistake("scale-unasked", "scaled", _unasked),
    Mistake("temperature-forgotten", "scaled", _cold),
    Mistake("softcap-forgotten", "capped", lambda plan: unchanged(plan, "capped")),
    Mistake("bias-forgotten", "biased", lambda plan: _unbiased(plan, "bias")),
    Mistake("alibi-forgotten", "biased", lambda plan: _unbiased(plan, "alibi")),
    Mistake("mask-forgotten", "masked", _unmasked, COMMON),
    Mistake("mask-unasked", "masked", _mask_unasked, COMMON),
    Mistake("mask-with-zero", "masked", lambda plan: instead_of_hidden(plan, Decimal(0)), COMMON),
    Mistake("mask-inverted", "masked", _inverted, COMMON),
    Mistake("wrong-triangle", "masked", lambda plan: _causal(plan, lambda rows, keys: keys >= rows)),
    Mistake("diagonal-hidden", "masked", lambda plan: _causal(plan, lambda rows, keys: keys < rows)),
    Mistake("one-future-visible", "masked", lambda plan: _causal(plan, lambda rows, keys: keys <= rows + 1)),
    Mistake("other-corner", "masked", _other_corner, COMMON),
    Mistake("padding-on-queries", "masked", _padding_on_queries),
    Mistake("window-forgotten", "masked", _without_window),
    Mistake("mask-after-softmax", "weights", _cut_after, COMMON),
    Mistake("scale-after-softmax", "weights", _scaled_after, RARE),
)
"""From the scale to the mask."""
