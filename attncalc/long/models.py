"""Published sizes of models, and sizes of one's own."""

from __future__ import annotations

from typing import NamedTuple


class Sizes(NamedTuple):
    """What the cost of attention depends on besides the number of tokens; `source` is where a model's are published."""

    d_model: int
    layers: int
    heads: int
    kv_heads: int
    d_k: int
    source: str = ""


GPT2 = "Radford et al. 2019, Language Models are Unsupervised Multitask Learners, table 2"
LLAMA3 = "Llama Team 2024, The Llama 3 Herd of Models, table 3"

MODELS: dict[str, Sizes] = {
    "gpt2": Sizes(768, 12, 12, 12, 64, GPT2),
    "gpt2-medium": Sizes(1024, 24, 16, 16, 64, GPT2),
    "gpt2-large": Sizes(1280, 36, 20, 20, 64, GPT2),
    "gpt2-xl": Sizes(1600, 48, 25, 25, 64, GPT2),
    "llama-3-8b": Sizes(4096, 32, 32, 8, 128, LLAMA3),
    "llama-3-70b": Sizes(8192, 80, 64, 8, 128, LLAMA3),
    "mistral-7b": Sizes(4096, 32, 32, 8, 128, "Jiang et al. 2023, Mistral 7B, table 1"),
}
"""The heads of GPT-2 share the width: d_k = d_model / heads."""
