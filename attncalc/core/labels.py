"""Token labels: telling repeated ones apart, finding the place that a word means, showing them safely."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"  # letters by category, but nothing to see
ESCAPED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
NUMBERED = re.compile(r"(.*)#([1-9][0-9]*)", re.DOTALL)


def distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, `#2` and so on after a repeated one."""
    seen: dict[str, int] = {}
    result = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        result.append(f"{label}#{seen[label]}" if seen[label] > 1 else label)
    return tuple(result)


def places_of(labels: Sequence[str], word: str) -> list[int]:
    """The positions a word may mean: those of the label, or the one of `the#2`, the second `the`."""
    places = [place for place, label in enumerate(labels) if label == word]
    numbered = NUMBERED.fullmatch(word)
    if places or not numbered:
        return places
    same = [place for place, label in enumerate(labels) if label == numbered[1]]
    return same[int(numbered[2]) - 1 :][:1]


def visible(label: str) -> str:
    """The label with every control, format and unassigned character as `\\u{1b}`; edges of blanks are quoted."""
    text = escaped(label)
    if unicodedata.category(text[:1] or "a").startswith("M"):
        text = "◌" + text
    return f'"{text}"' if text != text.strip(" ") or not text else text


def known(labels: Sequence[str]) -> str:
    """The labels there are, for a sentence: as the tables show them, the first twenty."""
    return ", ".join(visible(label) for label in distinct(labels)[:20])


def escaped(label: str) -> str:
    """The label with what a terminal would obey written out, otherwise as it is."""
    return label if label.isascii() and label.isprintable() else "".join(map(_escaped, label))


def _escaped(character: str) -> str:
    category = unicodedata.category(character)
    if category in ESCAPED or (category == "Zs" and character != " ") or character in BLANK_LETTERS:
        return f"\\u{{{ord(character):x}}}"
    return character
