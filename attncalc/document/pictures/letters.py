"""How much room texts take: no font is asked, so that a picture is the same everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from attncalc.core.wrapping import cells, wrapped
from attncalc.document.pictures.drawing import Part, Words


class Look(NamedTuple):
    """A way to set text: the size in pixels, whether all letters are of one width, and whether they are bold."""

    size: int
    even: bool
    bold: bool = False


LOOKS = {
    "number": Look(14, True), "label": Look(14, True, True), "corner": Look(12, False), "formula": Look(14, True),
    "heading": Look(15, False, True), "title": Look(17, False, True), "prose": Look(13, False),
}  # fmt: skip

EVEN = 0.605
"""The width of a letter for each unit of size: that of Menlo and DejaVu Sans Mono, the widest in use."""
UNEVEN, BROAD, CHINESE = 0.62, 0.4, 1.0
"""For letters of different widths one that most stay below, what a broad one takes besides, and a Chinese sign."""
BROAD_LETTERS = frozenset("MWmw@%—…")
LINE = 1.45


def width_of(text: str, look: str) -> float:
    """The width that a text is given; a wide character of Chinese or an emoji takes two letters."""
    row = LOOKS[look]
    if row.even:
        return cells(text) * EVEN * row.size
    broad = sum(letter in BROAD_LETTERS for letter in text)
    chinese = 0 if text.isascii() else sum(map(_is_chinese, text))
    units = (cells(text) - 2 * chinese) * UNEVEN + chinese * CHINESE + broad * BROAD
    return units * row.size * (1.08 if row.bold else 1)


def _is_chinese(letter: str) -> bool:
    return "\u3000" <= letter < "\ua000" or "\uff00" <= letter < "\uff61"


def height_of(look: str) -> float:
    """The height of a line."""
    return round(LOOKS[look].size * LINE)


def lines_of(text: str, look: str, room: float) -> list[str]:
    """A text in lines that stay within a width."""
    each = width_of(text, look) / max(cells(text), 1) or 1
    return wrapped(text, max(int(room / each), 8))


def written(lines: Sequence[str], look: str) -> Part:
    """Lines of text under each other."""
    height = height_of(look)
    shapes = tuple(Words(0, number * height + LOOKS[look].size, line, look) for number, line in enumerate(lines))
    return Part(max((width_of(line, look) for line in lines), default=0), height * len(lines), shapes)


def paragraphs(texts: Iterable[str], room: float) -> Iterator[Part]:
    """Each text as prose, in lines that stay within a width."""
    for text in texts:
        yield written(lines_of(text, "prose", room), "prose")
