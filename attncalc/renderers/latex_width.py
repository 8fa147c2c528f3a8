"""How wide texts and formulas will be, in the width of an em: enough to break lines and to choose a size of letters.

The widths are those of Computer Modern, in which a digit is half an em; where they are not known, rather too much.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from attncalc.core.wrapping import cells
from attncalc.renderers.latex_text import CHINESE, is_rare

SIZES = (
    (0.278, "!',.:;[]il|· "), (0.394, "()tfjrsI-\""), (0.444, "cez"), (0.5, "$*/\\{}0123456789ago?`"),
    (0.556, "bdhknpquvxySJ^~"), (0.681, "LZFEP"), (0.764, "BCTwRADHNUVXY_"), (0.785, "&+<=>@KOQG"), (0.833, "#%m√"),
    (1.03, "MW"),
)  # fmt: skip
WIDTHS = {character: width for width, characters in SIZES for character in characters}
WIDEST = 1.04
TYPEWRITER = 0.525
"""What no font has stands in these letters; a letter of another alphabet is taken to be in one."""

COMMANDS = {
    "cdot": 0.73, "approx": 1.34, "dots": 1.4, "cdots": 1.4, "quad": 1.0, "qquad": 2.0, "infty": 1.0, "sum": 1.45,
    "max": 1.95, "tanh": 2.3, "cos": 1.4, "sin": 1.3, "left": 0.35, "right": 0.35, "text": 0.0, "mathrm": 0.0,
    "top": 0.78,
}  # fmt: skip
"""Of the commands of mathematics; a Greek letter is as wide as `LETTER`."""

LETTER = 0.75
SIGNS = {"+": 1.23, "-": 1.23, "=": 1.34, ",": 0.45, "(": 0.39, ")": 0.39, ".": 0.278, " ": 0.0, "'": 0.3}
SCRIPT = 0.8
ROOT = 0.85
RULE = 0.24

TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def text_width(text: str) -> float:
    """Of a text as it will be shown."""
    return sum(map(_of_character, text))


def _of_character(character: str) -> float:
    if character in WIDTHS:
        return WIDTHS[character]
    if CHINESE.match(character):
        return 1.0
    if not is_rare(character):
        return WIDEST
    if unicodedata.category(character)[0] == "L":
        return max(LETTER, cells(character) / 2)
    return TYPEWRITER * len(f"U+{ord(character):04X}")


def math_width(latex: str) -> float:
    """Of a formula without alignment."""
    return _run(iter(TOKEN.findall(latex)))


def _run(tokens: Iterator[str], end: str = "") -> float:
    """Up to the end of a group."""
    width = 0.0
    for token in tokens:
        if token == end:
            break
        width += _one(token, tokens)
    return width


def _one(token: str, tokens: Iterator[str]) -> float:
    if token == "{":
        return _run(tokens, "}")
    if token in ("^", "_"):
        return SCRIPT * _next(tokens)
    if token == r"\frac":
        return max(_next(tokens), _next(tokens)) + RULE
    if token == r"\sqrt":
        return ROOT + _next(tokens)
    if token[0] == "\\":
        return COMMANDS.get(token[1:], LETTER)
    return SIGNS.get(token, 0.5 if token.isdigit() else LETTER if token.isascii() else 1.0)


def _next(tokens: Iterator[str]) -> float:
    """Of what a command takes: a group, or a single token."""
    token = next(tokens, "")
    return _one(token, tokens) if token else 0.0
