"""The page that LaTeX fills: how wide a line is, and the sizes of letters that make more of it."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """The width of a line in em, the commands of a title and of what stands below it."""

    width: float
    title: str
    part: str


DOCUMENT = Page(43.0, r"\section*", r"\subsection*")
"""A4 with margins of 22 mm, letters of 11 points."""

FRAGMENT = Page(34.5, r"\paragraph", r"\paragraph")
"""The line of an article as LaTeX makes it by itself."""


class Size(NamedTuple):
    """A size of letters: its command, how wide they are against the usual ones, and the lines of a table on a page."""

    command: str
    ratio: float
    gap: int  # half the gap between columns, in points
    lines: int


SIZES = (
    Size("", 1.0, 6, 40), Size(r"\small", 0.93, 5, 44), Size(r"\footnotesize", 0.86, 4, 50),
    Size(r"\scriptsize", 0.8, 3, 60),
)  # fmt: skip
POINT = 0.1
"""In em, rather too much."""
