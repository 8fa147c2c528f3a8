"""Token labels made safe to show: what a terminal would obey, or swallow, is written out."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from attncalc.core.labels import distinct, escaped

LONGEST = 24


def visible(label: str) -> str:
    """The label with every control, format and unassigned character as `\\u{1b}`; edges of blanks are quoted."""
    text = escaped(label)
    if unicodedata.combining(text[:1] or "a"):
        text = "◌" + text
    return f'"{text}"' if text != text.strip(" ") or not text else text


def short(label: str) -> str:
    """A safe label that fits a table; a long one keeps its beginning."""
    text = visible(label)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """Labels for a table: safe, short, `#2` after a repeated one."""
    return tuple(short(label) for label in distinct(tokens))


def cropped(tokens: Sequence[str]) -> list[str]:
    """The labels that a table cannot show whole, safe but in full."""
    return [text for text in map(visible, distinct(tokens)) if len(text) > LONGEST]
