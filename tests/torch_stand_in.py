"""As much of PyTorch as the lines of `check --code` use, over NumPy arrays: no test needs the library itself."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest


class Tensor:
    """An array with the methods that a tensor has."""

    def __init__(self, array: Any) -> None:
        self.array = np.asarray(array)
        self.device = "cpu"

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    @property
    def dtype(self) -> Any:
        return self.array.dtype

    def size(self, axis: int) -> int:
        return self.array.shape[axis]

    def expand(self, *sizes: int) -> Tensor:
        own = (1,) * (len(sizes) - self.array.ndim) + self.array.shape
        return Tensor(
            np.broadcast_to(self.array, [n if size == -1 else size for size, n in zip(sizes, own, strict=True)])
        )

    def transpose(self, first: int, second: int) -> Tensor:
        return Tensor(self.array.swapaxes(first, second))

    def repeat_interleave(self, count: int, dim: int) -> Tensor:
        return Tensor(np.repeat(self.array, count, axis=dim))

    def masked_fill(self, mask: Tensor, value: float) -> Tensor:
        return Tensor(np.where(mask.array, value, self.array))

    def softmax(self, dim: int) -> Tensor:
        powers = np.exp(self.array - self.array.max(axis=dim, keepdims=True))
        return Tensor(powers / powers.sum(axis=dim, keepdims=True))

    def tril(self, diagonal: int = 0) -> Tensor:
        return Tensor(np.tril(self.array, diagonal))

    def triu(self, diagonal: int = 0) -> Tensor:
        return Tensor(np.triu(self.array, diagonal))

    def abs(self) -> Tensor:
        return Tensor(np.abs(self.array))

    def max(self) -> float:
        return float(self.array.max())

    def double(self) -> Tensor:
        return Tensor(self.array.astype(np.float64))

    def float(self) -> Tensor:
        return Tensor(self.array.astype(np.float32))

    def to(self, device: str) -> Tensor:
        return self

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def numpy(self) -> Any:
        return self.array

    def __matmul__(self, other: Tensor) -> Tensor:
        return Tensor(self.array @ other.array)

    def __truediv__(self, other: Any) -> Tensor:
        return Tensor(self.array / other)

    def __mul__(self, other: Any) -> Tensor:
        return Tensor(self.array * other)

    def __sub__(self, other: Tensor) -> Tensor:
        return Tensor(self.array - other.array)

    def __invert__(self) -> Tensor:
        return Tensor(~self.array)


def attention(q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False, enable_gqa: bool = False) -> Tensor:
    """F.scaled_dot_product_attention."""
    if enable_gqa:
        groups = q.size(1) // k.size(1)
        k, v = k.repeat_interleave(groups, dim=1), v.repeat_interleave(groups, dim=1)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if is_causal:
        scores = scores.masked_fill(~Tensor(np.ones(scores.shape[-2:], dtype=bool)).tril(), -np.inf)
    return scores.softmax(dim=-1) @ v


def install(patch: pytest.MonkeyPatch) -> Any:
    """Puts the stand-in where `import torch` finds it; gives its `torch.nn.functional`."""
    functional = types.SimpleNamespace(scaled_dot_product_attention=attention)
    torch = types.SimpleNamespace(
        nn=types.SimpleNamespace(functional=functional), inf=np.inf, bool=bool, bfloat16=np.dtype("V2"),
        no_grad=nullcontext, tensor=lambda cells, dtype: Tensor(np.array(cells, dtype)),
        eye=lambda count, dtype, device: Tensor(np.eye(count, dtype=dtype)),
        ones=lambda *sizes, dtype: Tensor(np.ones(sizes, dtype)),
    )  # fmt: skip
    for name, module in (("torch", torch), ("torch.nn", torch.nn), ("torch.nn.functional", functional)):
        patch.setitem(sys.modules, name, module)
    return functional


class Module:
    """A module whose forward is a function of the input."""

    def __init__(self, forward: Callable[[Any], Any]) -> None:
        self.forward, self.hooks, self.training = forward, [], True

    def register_forward_hook(self, hook: Callable[[Any, Any, Any], Any]) -> None:
        self.hooks.append(hook)

    def eval(self) -> None:
        self.training = False

    def __call__(self, inputs: Any) -> Any:
        result = self.forward(inputs)
        for hook in self.hooks:
            hook(self, (inputs,), result)
        return result
