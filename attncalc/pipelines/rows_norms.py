"""Layer norm and RMS norm as steps, before the projections or after the residual sum."""

from __future__ import annotations

from collections.abc import Callable

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.expression import Expression, Operation, Symbol
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.ops import norms
from attncalc.pipelines import symbols

ROW = ("batch", "query")
CELLS = ("batch", "query", "feature")


def _eps(arithmetic: Arithmetic, scenario: Scenario) -> Array:
    return arithmetic.number(scenario.setting("norm.eps"), "norm.eps")


def _variance(arithmetic: Arithmetic, scenario: Scenario, x: Array, *center: Array) -> Array:
    return norms.variance(x, center[0] if center else None, arithmetic)


def _variance_formula(scenario: Scenario, x: Expression, *center: Expression) -> Expression:
    difference = x - center[0] if center else x
    return symbols.feature_mean(symbols.power(difference, Symbol("2")))


def _normed(arithmetic: Arithmetic, scenario: Scenario, x: Array, spread: Array, *center: Array) -> Array:
    return norms.normed(x, center[0] if center else None, spread, _eps(arithmetic, scenario), arithmetic)


def _normed_formula(scenario: Scenario, x: Expression, spread: Expression, *center: Expression) -> Expression:
    difference = x - center[0] if center else x
    return difference / symbols.root(spread + Symbol("ε", r"\varepsilon"))


def _gained(arithmetic: Arithmetic, scenario: Scenario, x: Array, *parts: Array) -> Array:
    rest = list(parts)
    result = x * rest.pop(0) if scenario.has("norm.gain") else x
    return result + rest[0] if rest else result


def _gained_formula(scenario: Scenario, x: Expression, *parts: Expression) -> Expression:
    rest = list(parts)
    result = Operation("multiply", (x, rest.pop(0))) if scenario.has("norm.gain") else x
    return Operation("add", (result, *rest)) if rest else result


def norm_rows(where: str, slot: str) -> tuple[Stage, ...]:
    """Mean, variance, normed and gained of what a slot holds; post norms carry a prefix."""
    prefix = "post_" if where == "post" else ""
    mark = "′" if where == "post" else ""

    def applies(layer_only: bool = False) -> Callable[[Scenario], bool]:
        return lambda s: (
            s.setting("norm.where") == where
            and (s.projected if where == "pre" else s.has_values)
            and not (layer_only and s.setting("norm.kind") == "rms")
        )

    whole = Read(slot, ("batch", "any", "query", "in"))
    cell = Read(slot, ("batch", "any", "query", "feature"))
    mean = Read(f"{prefix}mean", ("batch", "any", "query", "any"), optional=True)
    variance = Read(f"{prefix}variance", ("batch", "any", "query", "any"))
    gain = Read("norm.gain", ("any", "any", "any", "feature"), optional=True)
    bias = Read("norm.bias", ("any", "any", "any", "feature"), optional=True)
    return (
        Stage(
            f"{prefix}mean", f"μ{mark}", ROW, (f"{prefix}mean",), (whole,),
            lambda arithmetic, scenario, x: norms.mean(x, arithmetic),
            lambda scenario, x: symbols.feature_mean(x), applies(layer_only=True), "mean",
        ),
        Stage(
            f"{prefix}variance", f"σ²{mark}", ROW, (f"{prefix}variance",), (whole, mean), _variance, _variance_formula,
            applies(), "variance",
        ),
        Stage(
            f"{prefix}normed", f"N{mark}", CELLS, (slot,), (cell, variance, mean), _normed, _normed_formula, applies(),
            "normed",
        ),
        Stage(
            f"{prefix}gained", f"G{mark}", CELLS, (slot,), (cell, gain, bias), _gained, _gained_formula,
            lambda s: applies()(s) and (s.has("norm.gain") or s.has("norm.bias")), "gained",
        ),
    )  # fmt: skip
