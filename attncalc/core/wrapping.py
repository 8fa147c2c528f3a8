"""Breaking sentences into lines, Chinese and English alike, by the cells that a terminal gives each character."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

NUMBER = re.compile(r"[^\w]*+[\d.,e+−-]++[^\w]*+", re.ASCII)  # possessive: a long row of points is tried once
BETWEEN_CHINESE = re.compile("(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
NEVER_LAST = "（《“"
NEVER_FIRST = "，。；：、）》”？！％,.;:)?!%"


def cells(text: str) -> int:
    """How many cells of a terminal a text without control characters takes."""
    if text.isascii():
        return len(text)
    return sum(map(_cells_of, text))


def beginning(text: str, width: int) -> str:
    """As much of the text as fits that many cells."""
    used = 0
    for position, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            return text[:position]
    return text


@lru_cache(4096)  # few characters stand in a text again and again
def _cells_of(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def closed_up(text: str) -> str:
    """The text without the blanks that stand between two Chinese characters."""
    return BETWEEN_CHINESE.sub("", text)


def wrapped(text: str, width: int) -> list[str]:
    """Lines of at most that many cells: broken at blanks, and between wide characters; a longer word is cut."""
    lines, used = [""], 0
    for piece in _pieces(text):
        for part in _cut(piece, width):
            size = cells(part.rstrip())
            if used and used + size > width:
                lines.append("")
                used = 0
            lines[-1] += part
            used += cells(part)
    return [line.rstrip() for line in lines]


def _pieces(text: str) -> list[str]:
    """What must not be broken: a word with the blank after it, a wide character with the punctuation after it."""
    starts, previous, wide_before = [], "", True
    for position, character in enumerate(text):
        wide = _cells_of(character) > 1
        narrow = not (wide or wide_before or previous == " ")
        if not previous or not (character in NEVER_FIRST or character == " " or previous in NEVER_LAST or narrow):
            starts.append(position)
        previous, wide_before = character, wide
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def _cut(piece: str, width: int) -> list[str]:
    """A piece in parts that fit, for words longer than a line."""
    if cells(piece.rstrip()) <= width or width < 1 or NUMBER.fullmatch(piece):  # half a number is another number
        return [piece]
    parts, used = [""], 0
    for character in piece:
        size = _cells_of(character)
        if used + size > width:
            parts.append("")
            used = 0
        parts[-1] += character
        used += size
    return parts
