"""Tables for LaTeX that fit the page: in smaller letters, their long texts in lines, or in several parts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import ceil
from typing import NamedTuple

from attncalc.document.blocks import Matrix
from attncalc.renderers.latex_page import POINT, SIZES, Page, Size
from attncalc.renderers.latex_text import BLANK, LINE, LONG_WORD, NUMBER, breakable, figure
from attncalc.renderers.latex_width import math_width, text_width

FEW_PARTS = 2
MARGIN = 1.0

WIDEST = 0.45
"""How much of a line a text has that must be broken."""

NARROWEST = 9.0
"""Of a column of texts, in em."""

SHORT = 20
"""How many blanks are as wide as a part of a word that is broken."""

SMALLER = 1.05
"""How much wider a digit of small letters is against their em."""

LOOSE = 1.1
"""How much longer a text gets by being broken between words."""


class Plan(NamedTuple):
    """How a table is set: the size of its letters, the widths of its columns, which columns each part has."""

    size: Size
    widths: tuple[float, ...]
    natural: tuple[float, ...]
    parts: tuple[range, ...]

    def broken(self, column: int) -> bool:
        """Whether the texts of a column are broken into lines."""
        return self.widths[column] < self.natural[column]


class Part(NamedTuple):
    """A part of a table: some of its rows and columns."""

    rows: range
    columns: range


def plan(natural: Sequence[float], least: Sequence[float], page: Page) -> Plan:
    """The largest letters in which the whole fits; else long texts broken into lines; else several parts.

    `natural` are the widths of the columns, `least` those of their longest words.
    """
    everything = (range(1, len(natural)),)
    for size in SIZES:
        if _total(natural, size) <= page.width:
            return Plan(size, tuple(natural), tuple(natural), everything)
    size = SIZES[-2]
    narrow = [min(n, max(NARROWEST, word)) for n, word in zip(natural, least, strict=True)]
    rest = (page.width - MARGIN - _total(narrow, size)) / size.ratio
    if rest < 0:
        return _several(natural, least, page)
    share = min(rest / ((sum(natural) - sum(narrow)) or 1), 1.0)
    spread = tuple(w + share * (n - w) for w, n in zip(narrow, natural, strict=True))
    return Plan(size, spread, tuple(natural), everything)


def _several(natural: Sequence[float], least: Sequence[float], page: Page) -> Plan:
    """In several parts; in the smallest letters where they would be many."""
    most = WIDEST * page.width
    widths = tuple(min(n, max(most, word)) for n, word in zip(natural, least, strict=True))
    size, parts = SIZES[-2], tuple(_in_parts(widths, SIZES[-2], page))
    if len(parts) > FEW_PARTS:
        size, parts = SIZES[-1], tuple(_in_parts(widths, SIZES[-1], page))
    return Plan(size, widths, tuple(natural), parts)


def _total(widths: Sequence[float], size: Size) -> float:
    return sum(widths) * size.ratio + 2 * size.gap * POINT * len(widths)


def _in_parts(widths: Sequence[float], size: Size, page: Page) -> Iterator[range]:
    """As few parts as hold all columns, of about the same number of them."""
    gap = 2 * size.gap * POINT
    room = page.width - widths[0] * size.ratio - gap
    ends = list(accumulate(width * size.ratio + gap for width in widths[1:]))
    count = max(ceil(ends[-1] / room), 1)
    first, columns = 1, len(widths) - 1
    while first <= columns:
        used = ends[first - 2] if first > 1 else 0.0
        last = max((n for n in range(first, columns + 1) if ends[n - 1] - used <= room), default=first)
        last = min(last, first + ceil(columns / count) - 1)
        yield range(first, last + 1)
        first = last + 1


def parts_of(matrix: Matrix, page: Page) -> tuple[Plan, list[Part]]:
    """How a table is set, and its parts: one if it fits the page."""
    rows = [(name, *(cell.text for cell in row)) for name, row in zip(matrix.rows, matrix.cells, strict=True)]
    columns = list(zip((matrix.corner("/"), *matrix.columns), *rows, strict=True))
    natural, least = ([max(map(of, column)) for column in columns] for of in (width_of, _longest_word))
    planned = plan(natural, least, page)
    chunks = _chunks([_lines_of(row, planned) for row in rows], planned.size.lines)
    return planned, [Part(rows, columns) for rows in chunks for columns in planned.parts]


def _lines_of(row: Sequence[str], planned: Plan) -> int:
    """How many lines a row has."""
    broken = [number for number in range(len(row)) if planned.broken(number)]
    return max((ceil(LOOSE * width_of(row[number]) / planned.widths[number]) for number in broken), default=1)


def _chunks(lines: Sequence[int], on_a_page: int) -> Iterator[range]:
    """The rows of each page, about as many on each."""
    pages = ceil(sum(lines) / on_a_page) or 1
    first, used, most = 0, 0, ceil(sum(lines) / pages)
    for number, count in enumerate(lines):
        if used and used + count > most:
            yield range(first, number)
            first, used = number, 0
        used += count
    yield range(first, len(lines))


def width_of(text: str) -> float:
    """Of what stands in a cell."""
    if BLANK.fullmatch(text):
        return LINE * len(text)
    found = NUMBER.fullmatch(text)
    return math_width(figure(text).strip("$")) if found and found[3] else text_width(text)


def _longest_word(text: str) -> float:
    words = (" " * SHORT if LONG_WORD.fullmatch(word) else word for word in text.split(" "))
    return max(map(width_of, words))


def tabular(matrix: Matrix, planned: Plan, part: Part, chinese: bool) -> Iterator[str]:
    """The lines of a part, with a rule above and below and one under the names of the columns."""
    if planned.size.command:
        yield rf"{planned.size.command}\setlength{{\tabcolsep}}{{{planned.size.gap}pt}}%"
    if any(BLANK.fullmatch(cell.text) for row in matrix.cells for cell in row):
        yield r"\renewcommand{\arraystretch}{1.6}%"
    columns = [0, *part.columns]
    yield rf"\begin{{tabular}}{{@{{}}{''.join(_kind(matrix, planned, column) for column in columns)}@{{}}}}"
    heads = (matrix.corner("/"), *matrix.columns)
    yield r"\toprule"
    yield _row([breakable(heads[column], chinese) for column in columns])
    yield r"\midrule"
    for number in part.rows:
        texts = (matrix.rows[number], *(cell.text for cell in matrix.cells[number]))
        yield _row([_cell(texts[column], column, planned, chinese) for column in columns])
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _kind(matrix: Matrix, planned: Plan, column: int) -> str:
    """How a column is aligned: numbers at the right, marks in the middle."""
    if planned.broken(column):
        return rf">{{\raggedright\arraybackslash}}p{{{planned.widths[column] * SMALLER:.1f}em}}"
    texts = [row[column - 1].text for row in matrix.cells] if column else []
    if texts and (matrix.numeric or all(map(NUMBER.fullmatch, texts))):
        return "r"
    return "c" if texts and all(len(text) == 1 for text in texts) else "l"


def _cell(text: str, column: int, planned: Plan, chinese: bool) -> str:
    """A label or a text, which may be broken, or a number."""
    return breakable(text, chinese) if column == 0 or planned.broken(column) else figure(text, chinese)


def _row(cells: Sequence[str]) -> str:
    r"""A line of a table; one that begins with a bracket or a star is no argument of the `\\` before."""
    line = " & ".join(cells) + r" \\"
    return "{}" + line if line.startswith(("[", "*", "(")) else line
