"""The online softmax, block by block: the same context as from whole rows, whatever is masked, capped or added."""

from __future__ import annotations

import random
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from calling import call, document, out
from samples import BUILT_IN

from attncalc import load, run
from attncalc.core.stage import Trace
from attncalc.derive import derivation, recomputed, sources_in_formula
from attncalc.errors import CalculationError

SOFTMAX = [name for name in BUILT_IN if "exponentials" in run(load(name))]
SIZES = (1, 2, 3, 100)


def online(name: Any, size: int, **more: Any) -> Trace:
    """A scenario gone through in blocks of that size, in exact arithmetic."""
    return run(
        load(name, options={"by_hand": "off", "arithmetic": "exact", "algorithm": "online", "block": size, **more})
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SOFTMAX)
def test_the_context_is_that_of_whole_rows(name: str, size: int) -> None:
    """And all that follows from it, to the nearest double, for blocks of one key, of some, and of all."""
    plain = run(load(name, options={"by_hand": "off", "arithmetic": "exact"}))
    found = online(name, size)
    for step in plain:
        if step.name in found:
            np.testing.assert_allclose(found[step.name].values, step.values, rtol=1e-15, atol=1e-300)
    last = -(-len(plain.scenario.tokens) // size)
    total = found[f"total_{last}"].exact * np.vectorize(Decimal.exp)(found[f"maximum_{last}"].exact)
    if plain.scenario.option("base") is None and np.isfinite(found[f"maximum_{last}"].values).all():
        np.testing.assert_allclose(total.astype(float), plain["total"].values, rtol=1e-14)


def options(draw: random.Random, keys: int) -> dict[str, Any]:
    """Options that change the scores or the rows."""
    chosen: dict[str, Any] = {}
    for key, value in {
        "temperature": 0.5, "softcap": 2, "sink": 0.3, "base": 2, "mask": "causal", "alibi": True, "scale": "none",
        "bias": [[draw.choice([0, 0.5, "-Infinity"]) for _ in range(keys)] for _ in range(keys)],
    }.items():  # fmt: skip
        if draw.random() < 0.4:
            chosen[key] = value
    if draw.random() < 0.4:
        chosen["mask"] = {"keep": [[draw.randint(0, 1) for _ in range(keys)] for _ in range(keys)]}
    return chosen | {"empty_rows": draw.choice(["zero", "uniform", "nan"])}


@pytest.mark.parametrize("seed", range(60))
def test_no_option_makes_a_difference(seed: int) -> None:
    """Random scenarios with heads, hidden keys and rows that see nothing, in exact arithmetic and in float64."""
    draw = random.Random(seed)
    keys, heads, size = draw.randint(1, 6), draw.choice([1, 2]), draw.randint(1, 4)

    def array() -> list[list[float]]:
        return [[round(draw.uniform(-2, 2), 2) for _ in range(2 * heads)] for _ in range(keys)]

    scenario = {"q": array(), "k": array(), "v": array(), "heads": heads, **options(draw, keys)}
    for kind in ("exact", "float64"):
        plain = run(load({**scenario, "arithmetic": kind}))
        found = run(load({**scenario, "arithmetic": kind, "algorithm": "online", "block": size}))
        np.testing.assert_allclose(found["context"].values, plain["context"].values, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", ["draw", "sink", "causal-head"])
def test_every_number_is_what_its_derivation_gives(name: str) -> None:
    """Calculated again from the numbers that are put in."""
    found = online(name, 2)
    for step in found:
        if not step.stage.given:
            for index in np.ndindex(step.cells.shape):
                value = recomputed(derivation(found, step, index))
                assert float(value) == pytest.approx(float(step.cells[index]), rel=1e-14, abs=1e-14)


def test_by_hand_each_result_is_rounded() -> None:
    """Worked with pencil: e^0 + e^-1.6 is 1.20, 1.20 + e^-1.2 + e^-2.1 is 1.62, and 1.13 / 1.62 is 0.70."""
    steps = {step["name"]: step["values"] for step in document("run", "draw", "--algorithm", "online")["steps"]}
    assert (steps["maximum_2"], steps["rescale_2"], steps["total_1"], steps["total_2"]) == ([1.8], [1], [1.2], [1.62])
    assert (steps["output_2"], steps["context"]) == ([[1.13, 0.44, 0.75]], [[0.7, 0.27, 0.46]])


def test_a_cell_of_a_block_is_taken_apart() -> None:
    """Back to the scores, by its step's name."""
    told = out("why", "draw", "total_2", "draw", "--algorithm", "online", "--quiet")
    assert "r₂·l₁ + e^(S₃ − m₂) + e^(S₄ − m₂) = 1.00·1.20 + e^(0.6 − 1.80) + e^(−0.3 − 1.80) ≈ 1.62" in told


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("--set", "block=2"), "draw: block: nothing would read this: only the online algorithm goes through the keys in blocks"),
        (("--algorithm", "flash"), "--algorithm: is flash; wanted is one of plain, online"),
        (("--algorithm", "online", "--block", "0"), "--block: "),
        (("--algorithm", "online", "--set", "weighting=linear"), "draw: algorithm: "),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused(args: tuple[str, ...], sentence: str) -> None:
    """In a sentence that names the option."""
    done = call("explain", "draw", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {sentence}")


@pytest.mark.parametrize("algorithm", ["plain", "online"])
def test_a_row_that_sees_nothing_can_be_refused(algorithm: str) -> None:
    """With the sentence of whole rows."""
    nothing = {"scores": [[1, 2], [3, 4]], "v": [[1], [2]], "mask": {"keep": [[1, 1], [0, 0]]}, "empty_rows": "error"}
    with pytest.raises(CalculationError) as refused:
        run(load({**nothing, "algorithm": algorithm}))
    assert [(fault.code, fault.fields) for fault in refused.value.faults] == [("empty-row-refused", {"query": "1"})]


def test_each_block_reads_its_scores_and_the_running_values() -> None:
    """The arrows of the flow picture: from the scores and values into every block, and from block to block."""
    trace = online("draw", 2)
    read = {step.name: [source.name for source in sources_in_formula(trace, step)] for step in trace}
    assert read == {
        "v": [], "scores": [],
        "maximum_1": ["scores"], "total_1": ["scores", "maximum_1"], "output_1": ["scores", "maximum_1", "v"],
        "maximum_2": ["scores", "maximum_1"], "rescale_2": ["maximum_1", "maximum_2"],
        "total_2": ["scores", "maximum_2", "rescale_2", "total_1"],
        "output_2": ["scores", "maximum_2", "v", "rescale_2", "output_1"],
        "context": ["output_2", "total_2"], "residual": ["residual", "context"],
    }  # fmt: skip
