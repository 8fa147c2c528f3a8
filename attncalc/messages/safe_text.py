"""Texts of the user made safe to show: what a terminal would obey, or swallow, is written out."""

from __future__ import annotations

import unicodedata

BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters by category, but nothing to see
ESCAPED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def visible(label: str) -> str:
    """The label with every control, format and unassigned character as `\\u{1b}`; edges of blanks are quoted."""
    text = escaped(label)
    if unicodedata.category(text[:1] or "a").startswith("M"):
        text = "◌" + text
    return f'"{text}"' if text != text.strip(" ") or not text else text


def escaped(label: str) -> str:
    """The label with what a terminal would obey written out, otherwise as it is."""
    return label if label.isascii() and label.isprintable() else "".join(map(_escaped, label))


def _escaped(character: str) -> str:
    category = unicodedata.category(character)
    if category in ESCAPED or (category == "Zs" and character != " ") or character in BLANK_LETTERS:
        return f"\\u{{{ord(character):x}}}"
    return character
