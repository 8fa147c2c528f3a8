"""From weights to the output: the weighted value sum, the output projection, the residual."""

from __future__ import annotations

from attncalc.core.expression import Expression, Operation
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Read, Stage
from attncalc.ops import attention
from attncalc.pipelines.rows_norms import norm_rows
from attncalc.pipelines.symbols import product

CONTEXT = Stage(
    "context", "C", ("batch", "head", "query", "feature"), ("out",),
    (Read("weights", ("batch", "head", "query", "any")), Read("v", ("batch", "kv_head", "any", "feature"))),
    lambda arithmetic, scenario, weights, v: attention.context(weights, v, arithmetic),
    lambda scenario, weights, v: product(weights, v),
    when=lambda s: s.has_values and not s.online,
)  # fmt: skip


TERMS = Stage(
    "terms", "T", ("batch", "head", "query", "key", "feature"), ("terms_of_values",),
    (Read("weights", ("batch", "head", "query", "key")), Read("v", ("batch", "kv_head", "key", "feature"))),
    lambda arithmetic, scenario, weights, v: attention.terms(weights, v),
    lambda scenario, weights, v: Operation("multiply", (weights, v)),
    when=lambda s: False,  # made on demand
)  # fmt: skip


JOINED = Stage(
    "joined", "J", ("batch", "query", "feature"), ("out",), (Read("out", ("batch", "any", "query", "any")),),
    lambda arithmetic, scenario, out: attention.joined(out),
    lambda scenario, out: Operation("beside", (out,)),
    when=lambda s: s.has_values and s.heads > 1,
)  # fmt: skip


def _output_formula(scenario: Scenario, joined: Expression, w: Expression, *bias: Expression) -> Expression:
    return Operation("add", (product(joined, w), *bias)) if bias else product(joined, w)


OUTPUT = Stage(
    "output", "O", ("batch", "query", "feature"), ("out",),
    (
        Read("out", ("batch", "any", "query", "in")),
        Read("w_o", ("any", "any", "in", "feature")),
        Read("b_o", ("any", "any", "any", "feature"), optional=True),
    ),
    lambda arithmetic, scenario, *arrays: attention.project(*arrays),
    _output_formula,
    when=lambda s: s.has_values and s.has("w_o"),
)  # fmt: skip

RESIDUAL = Stage(
    "residual", "R", ("batch", "query", "feature"), ("out",),
    (Read("entering", ("batch", "any", "query", "feature")), Read("out", ("batch", "any", "query", "feature"))),
    lambda arithmetic, scenario, entering, out: entering + out,
    lambda scenario, entering, out: entering + out,
    when=lambda s: s.has_values and bool(s.has("residual") or s.option("residual") is True),
)  # fmt: skip

AFTER: tuple[Stage, ...] = (TERMS, CONTEXT, JOINED, OUTPUT, RESIDUAL, *norm_rows("post", "out"))
