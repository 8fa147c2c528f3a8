"""What happens to queries and keys between the projections and the scores: norms, rotation, the cache."""

from __future__ import annotations

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.expression import Expression, Operation, Symbol
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.ops import norms, positions
from attncalc.pipelines import symbols


def _compared(scenario: Scenario) -> bool:
    """Whether queries and keys meet in dot products."""
    return scenario.needs_scores and scenario.start != "scores"


def _normed(name: str, axis: str) -> Stage:
    def compute(arithmetic: Arithmetic, scenario: Scenario, x: Array, *gain: Array) -> Array:
        eps = arithmetic.number(scenario.setting("qk_norm.eps"), "qk_norm.eps")
        return norms.rms(x, eps, gain[0] if gain else None, arithmetic)

    def formula(scenario: Scenario, x: Expression, *gain: Expression) -> Expression:
        mean_square = symbols.feature_mean(symbols.power(x, Symbol("2")))
        result = x / symbols.root(mean_square + Symbol("ε", r"\varepsilon"))
        return Operation("multiply", (result, gain[0])) if gain else result

    whole = Read(name, ("batch", "head", axis, "in"))
    gain = Read(f"qk_norm.{name}_gain", ("any", "any", "any", "in"), optional=True)
    return Stage(
        f"normed_{name}", f"{name.upper()}ₙ", ("batch", "head", axis, "feature"), (name,), (whole, gain), compute,
        formula, lambda s: _compared(s) and s.option("qk_norm") is not None,
    )  # fmt: skip


def _rotated(name: str, axis: str) -> Stage:
    def compute(arithmetic: Arithmetic, scenario: Scenario, x: Array, places: Array) -> Array:
        base = arithmetic.number(scenario.setting("rope.base"), "rope.base")
        return positions.rotated(x, places, base, scenario.setting("rope.pairs") == "neighbours", arithmetic)

    whole = Read(name, ("batch", "head", axis, "in"))
    side = "query" if name == "q" else "key"
    places = Read(f"{side}_positions", ("any", "any", axis, "any"))
    return Stage(
        f"rotated_{name}", f"{name.upper()}ᵣ", ("batch", "head", axis, "feature"), (name,), (whole, places), compute,
        lambda scenario, x, places: Operation("rotation", (x, places)),
        lambda s: _compared(s) and s.option("rope") is not None,
    )  # fmt: skip


def _joined(name: str) -> Stage:
    past = Read(f"past.{name}", ("batch", "head", "any", "feature"))
    new = Read(name, ("batch", "head", "any", "feature"))
    return Stage(
        f"all_{name}", f"{name.upper()}ₐ", ("batch", "head", "key", "feature"), (name,), (past, new),
        lambda arithmetic, scenario, past, new: _after(arithmetic, past, new),
        lambda scenario, past, new: Operation("below", (past, new)),
        lambda s: s.has(f"past.{name}") and (name == "v" or s.needs_scores),
    )  # fmt: skip


def _after(arithmetic: Arithmetic, past: Array, new: Array) -> Array:
    """The new rows after the past ones; what has no batch of its own serves every entry."""
    return arithmetic.join((_spread(past, new), _spread(new, past)), -2)


def _spread(one: Array, like: Array) -> Array:
    """The array once for each batch entry of the other, where it has one for all."""
    return one[[0] * like.shape[0]] if one.shape[0] < like.shape[0] else one


POSITIONS: tuple[Stage, ...] = (
    _normed("q", "query"),
    _normed("k", "key"),
    _rotated("q", "query"),
    _rotated("k", "key"),
    _joined("k"),
    _joined("v"),
)
