"""Names of the contract that completion and help need without loading NumPy; tests hold them to the tables."""

from __future__ import annotations

STEPS = (
    "x", "mean", "variance", "normed", "gained", "q", "k", "v", "normed_q", "normed_k", "rotated_q", "rotated_k",
    "all_k", "all_v", "scores", "scaled", "capped", "biased", "masked", "maximum", "shifted", "exponentials", "total",
    "weights", "terms", "context", "joined", "output", "residual", "post_mean", "post_variance", "post_normed",
    "post_gained",
)  # fmt: skip
FORMATS = ("table", "plain", "json", "csv", "latex")
TRACE_FORMATS = FORMATS[:4]
"""The formats of a whole trace; LaTeX is there for derivations."""
ARITHMETICS = ("exact", "float64", "float32", "float16", "by-hand")
ROUNDINGS = ("half-up", "half-even", "truncate")
LANGUAGES = ("en", "zh")
MOST_PLACES = 50
COLORS = ("auto", "always", "never")
