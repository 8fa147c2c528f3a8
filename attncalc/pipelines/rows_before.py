"""From tokens to scores: the given numbers, the embedding, the three projections, the dot products."""

from __future__ import annotations

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.expression import Expression, Operation
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.ops import attention
from attncalc.pipelines.rows_norms import norm_rows
from attncalc.pipelines.rows_positions import POSITIONS
from attncalc.pipelines.symbols import product, transposed


def _given(name: str, symbol: str, axes: tuple[str, ...], *writes: str) -> Stage:
    return Stage(name, symbol, axes, writes or (name,), when=lambda s: s.has(name) and s.reads_start(name))


def _embedding() -> Stage:
    def compute(arithmetic: Arithmetic, scenario: Scenario, rows: Array, *positions: Array) -> Array:
        return rows + positions[0] if positions else rows

    def formula(scenario: Scenario, rows: Expression, *positions: Expression) -> Expression:
        return Operation("add", (rows, *positions)) if positions else rows

    rows = Read("embedding", ("batch", "any", "query", "feature"))
    positions = Read("positions", ("any", "any", "query", "feature"), optional=True)
    return Stage(
        "x", "X", ("batch", "query", "feature"), ("hidden", "entering"), (rows, positions), compute, formula,
        when=lambda s: s.start == "ids", words="x-embedding",
    )  # fmt: skip


def _projection(name: str, axis: str, source: str, head: str) -> Stage:
    def compute(arithmetic: Arithmetic, scenario: Scenario, x: Array, *matrices: Array) -> Array:
        rest = list(matrices)
        heads = scenario.heads if name == "q" else scenario.kv_heads
        result = x @ rest.pop(0) if scenario.has(f"w_{name}") else attention.shared_out(x, heads)
        return result + rest[0] if rest else result

    def formula(scenario: Scenario, x: Expression, *matrices: Expression) -> Expression:
        rest = list(matrices)
        result = product(x, rest.pop(0)) if scenario.has(f"w_{name}") else x
        return Operation("add", (result, *rest)) if rest else result

    projected = Read(source, ("batch", "any", axis, "in"))
    matrix = Read(f"w_{name}", ("any", head, "in", "feature"), optional=True)
    bias = Read(f"b_{name}", ("any", head, "any", "feature"), optional=True)
    return Stage(
        name, name.upper(), ("batch", "head", axis, "feature"), (name,), (projected, matrix, bias), compute, formula,
        when=lambda s: s.projected and (name == "v" or s.needs_scores),
    )  # fmt: skip


QUERIES = Read("q", ("batch", "head", "query", "in"))
KEYS = Read("k", ("batch", "kv_head", "key", "in"))

SCORES = Stage(
    "scores", "S", ("batch", "head", "query", "key"), ("logits",), (QUERIES, KEYS),
    lambda arithmetic, scenario, q, k: attention.scores(q, k),
    lambda scenario, q, k: product(q, transposed(k)),
    when=lambda s: s.start in ("q", "x", "ids") and s.needs_scores,
)  # fmt: skip

BEFORE: tuple[Stage, ...] = (
    _given("x", "X", ("batch", "query", "feature"), "hidden", "entering"),
    _embedding(),
    *norm_rows("pre", "hidden"),
    _given("q", "Q", ("batch", "head", "query", "feature")),
    _projection("q", "query", "hidden", "head"),
    _given("k", "K", ("batch", "head", "key", "feature")),
    _projection("k", "key", "key_input", "kv_head"),
    _given("v", "V", ("batch", "head", "key", "feature")),
    _projection("v", "key", "key_input", "kv_head"),
    *POSITIONS,
    _given("scores", "S", ("batch", "head", "query", "key"), "logits"),
    SCORES,
)
