"""The signs of mathematics, in Unicode or in ASCII."""

from __future__ import annotations

from typing import NamedTuple


class Signs(NamedTuple):
    """One set of signs."""

    minus: str
    times: str
    root: str
    equals: str
    nearly: str
    infinity: str
    hidden: str
    seen: str
    dots: str
    bar: str
    shades: str
    rule: str
    raised_t: str
    subscripts: str
    sum: str

    @property
    def ascii(self) -> bool:
        """Whether lines and marks have to be ASCII too."""
        return self.rule == "-"

    def shade(self, share: float) -> str:
        """A shade for a share between 0 and 1."""
        return self.shades[min(int(share * len(self.shades)), len(self.shades) - 1)]

    def number(self, text: str) -> str:
        """A number's text with this set's minus and infinity."""
        text = text.replace("inf", self.infinity)
        return self.minus + text[1:] if text.startswith("-") else text


UNICODE = Signs("−", "·", "√", "=", "≈", "∞", "·", "■", "…", "█", " ░▒▓█", "─", "ᵀ", "₁ₙ", "Σ")
PLAIN = UNICODE._replace(minus="-", times="*")
ASCII = Signs("-", "*", "sqrt", "=", "~=", "inf", ".", "#", "...", "#", " :+*#", "-", "^T", "1n", "Sum")

TO_ASCII = str.maketrans(
    {"–": "-", "—": "-", "…": "...", "≈": "~=", "×": "x", "·": "*", "√": "sqrt", "−": "-", "∞": "inf", "Σ": "Sum",
     "ᵀ": "^T", "→": "->", "’": "'", "“": '"', "”": '"',
     "↑": "Up", "↓": "Down", "←": "Left",
     "μ": "mu", "σ": "sigma", "²": "^2", "ᵣ": "_r", "ₐ": "_a", "ₙ": "_n", "′": "'", "δ": "delta", "γ": "gamma",
     "β": "beta", "ε": "eps"}
)  # fmt: skip
"""For sentences of the catalogue; never applied to a token."""
