"""Names of the contract that completion and help need without loading NumPy; tests hold them to the tables."""

from __future__ import annotations

STEPS = (
    "x", "q", "k", "v", "scores", "scaled", "masked", "maximum", "shifted", "exponentials", "total", "weights",
    "terms", "context", "output", "residual",
)  # fmt: skip
FORMATS = ("table", "plain", "json", "csv")
ARITHMETICS = ("exact", "float64", "by-hand")
ROUNDINGS = ("half-up", "half-even", "truncate")
LANGUAGES = ("en", "zh")
COLORS = ("auto", "always", "never")
