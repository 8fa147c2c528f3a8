"""Names of the contract that completion and help need without loading NumPy; tests hold them to the tables."""

from __future__ import annotations

STEPS = (
    "x", "mean", "variance", "normed", "gained", "q", "k", "v", "normed_q", "normed_k", "rotated_q", "rotated_k",
    "all_k", "all_v", "scores", "scaled", "capped", "biased", "masked", "maximum", "shifted", "exponentials", "total",
    "weights", "terms", "context", "joined", "output", "residual", "post_mean", "post_variance", "post_normed",
    "post_gained",
)  # fmt: skip
KEY_COLUMNS = ("scores", "scaled", "capped", "biased", "masked", "shifted", "exponentials", "weights", "terms")
"""The steps that have a cell for each query and key."""
KEY_ROWS = ("k", "v", "normed_k", "rotated_k", "all_k", "all_v")
"""Those that have a row for each key."""
FORMATS = ("table", "plain", "json", "csv", "npz", "markdown", "latex", "html", "svg", "png", "xlsx")
"""Those of a whole trace."""
DOCUMENTS = ("table", "plain", "json", "markdown", "latex", "html")
"""Those of what is not a trace: a cell taken apart, a comparison, a verdict."""
PUBLISHED = ("markdown", "latex", "html", "svg", "png")
"""Those whose reader sees a page and can type no options."""
PICTURES = ("flow", "weights", "bars")
"""Those of a trace."""
MAP = "map"
"""The picture of all queries at any length."""
POOLINGS = ("max", "mean")
SUFFIXES = {
    ".txt": "table", ".json": "json", ".csv": "csv", ".npz": "npz", ".md": "markdown", ".tex": "latex",
    ".html": "html", ".svg": "svg", ".png": "png", ".xlsx": "xlsx",
}  # fmt: skip
ARITHMETICS = ("exact", "float64", "float32", "float16", "by-hand")
DECIMAL_KINDS = ("exact", "by-hand")
"""Those that calculate in decimals."""
ROUNDINGS = ("half-up", "half-even", "truncate")
LANGUAGES = ("en", "zh")
TAGS = {"en": "en", "zh": "zh-Hans"}
"""The languages as HTML and SVG name them."""


def languages_from(first: str) -> tuple[str, ...]:
    """All languages, that one first."""
    return first, *(language for language in LANGUAGES if language != first)


CHOICES = {
    "mask": ("none", "causal"), "weighting": ("softmax", "linear", "uniform", "self"), "shift": ("true", "false"),
    "algorithm": ("plain", "online"),
    "scale": ("sqrt_d_k", "d_k", "sqrt_d_model", "none"), "empty_rows": ("zero", "nan", "uniform", "error"),
    "layout": ("in_out", "out_in"), "arithmetic": ARITHMETICS, "rounding": ROUNDINGS,
}  # fmt: skip
"""The keys of a scenario that take a word, and the words."""
MODELS = ("gpt2", "gpt2-medium", "gpt2-large", "gpt2-xl", "llama-3-8b", "llama-3-70b", "mistral-7b")
"""The published models whose attention `cost` knows."""
MOST_PLACES = 50
COLORS = ("auto", "always", "never")
