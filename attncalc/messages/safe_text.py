"""Texts of the user made safe to show: what a terminal would obey, or swallow, is written out."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters by category, but nothing to see
MOST_MARKS = 4  # on one letter: a taller pile covers the lines above it
MOST_TOLD = 1000  # characters of one text in a sentence about it
ESCAPED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(label: str) -> str:
    """The label with every control, format and unassigned character as `\\u{1b}`; edges of blanks are quoted."""
    text = escaped(label)
    if unicodedata.category(text[:1] or "a").startswith("M"):
        text = "◌" + text
    return f'"{text}"' if text != text.strip(" ") or not text else text


def escaped(label: str) -> str:
    """The label with what a terminal would obey written out, and marks beyond a pile of four; otherwise as it is."""
    return label if label.isascii() and label.isprintable() else "".join(_escapes(label))


def told(text: str) -> str:
    """A text for a sentence about it: escaped, and of a very long one the beginning."""
    return escaped(text if len(text) <= MOST_TOLD else text[: MOST_TOLD - 1] + "…")


def _escapes(label: str) -> Iterator[str]:
    pile = 0
    for character in label:
        category = unicodedata.category(character)
        pile = pile + 1 if category in ("Mn", "Me") else 0
        blank = (category == "Zs" and character != " ") or character in BLANK_LETTERS
        written = category in ESCAPED or blank or pile > MOST_MARKS
        yield f"\\u{{{ord(character):x}}}" if written else character
