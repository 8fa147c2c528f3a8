"""PyTorch's own numbers (tests/data, made with PyTorch 2.13.0): one head of cross-attention, one of a decoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from samples import DATA, trace_of

Arrays = dict[str, Any]


def arrays(name: str) -> Arrays:
    """The arrays of a file."""
    with np.load(DATA / f"{name}.npz", allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


CROSS = arrays("cross_3x5")
CAUSAL = arrays("causal_head_1337")

CROSS_STEPS = [
    ("q", "q"), ("k", "k"), ("v", "v"), ("scores", "scores_raw"), ("scaled", "scores_scaled"),
    ("weights", "weights"), ("context", "out"),
]  # fmt: skip
CAUSAL_STEPS = [
    ("q", "q"), ("k", "k"), ("v", "v"), ("scaled", "scores"), ("masked", "masked"), ("weights", "weights"),
    ("context", "out"),
]  # fmt: skip


def listed(values: Any) -> Any:
    """An array as nested lists of doubles, every bit kept."""
    return np.asarray(values, dtype=np.float64).tolist()


def cross_document() -> dict[str, Any]:
    """Three queries look at the five rows of another text."""
    names = {"x": "x_query", "memory": "x_context", "w_q": "wq", "w_k": "wk", "w_v": "wv"}
    return {key: listed(CROSS[name]) for key, name in names.items()}


def causal_document(entry: int) -> dict[str, Any]:
    """One batch entry of the decoder head, matrices as nn.Linear stores them."""
    matrices = {key: listed(CAUSAL[name]) for key, name in (("w_q", "wq"), ("w_k", "wk"), ("w_v", "wv"))}
    return {"x": listed(CAUSAL["x"][entry]), **matrices, "layout": "out_in", "mask": "causal"}


@pytest.mark.parametrize("arithmetic", ["float64", "exact"])
@pytest.mark.parametrize(("step", "name"), CROSS_STEPS)
def test_cross_attention_is_that_of_pytorch(step: str, name: str, arithmetic: str) -> None:
    """Every step of a float64 head to 1e-12."""
    trace = trace_of(cross_document(), arithmetic=arithmetic)
    np.testing.assert_allclose(trace[step].values, CROSS[name], rtol=0, atol=1e-12)


@pytest.mark.parametrize(("entry", "arithmetic"), [*((n, "float64") for n in range(4)), (0, "exact")])
def test_a_causal_head_is_that_of_pytorch(entry: int, arithmetic: str) -> None:
    """Every step of each batch entry of the seed-1337 head, which is float32, to 1e-6."""
    trace = trace_of(causal_document(entry), arithmetic=arithmetic)
    for step, name in CAUSAL_STEPS:
        np.testing.assert_allclose(trace[step].values, CAUSAL[name][entry], rtol=0, atol=1e-6, err_msg=step)


def test_the_first_token_of_a_decoder_sees_itself_alone() -> None:
    """The row [1, 0, …], and the next one as printed: 0.5221, 0.4779."""
    weights = trace_of(causal_document(0))["weights"].values
    np.testing.assert_array_equal(weights[0], [1, *[0] * 7])
    np.testing.assert_allclose(weights[1], [0.5221, 0.4779, *[0] * 6], rtol=0, atol=5e-5)


def test_the_width_divides_as_pytorch_scales() -> None:
    """The file's scale is 1/√d_k of the width that the shapes say."""
    assert trace_of(cross_document()).scenario.width == round(float(CROSS["scale"]) ** -2) == 4
