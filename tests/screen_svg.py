"""A screen of the terminal as an SVG of our own: no font from elsewhere, light and dark, lines drawn as lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from attncalc.document.pictures.letters import EVEN
from attncalc.messages.safe_text import escaped
from attncalc.renderers.svg_style import FAMILIES, INK, PAPER, QUIET, Paint, contrast
from attncalc.renderers.svg_writing import element, file_of, number

SIZE, LINE, MARGIN = 14, 18, 16
CELL = EVEN * SIZE

PAINTS = {
    "ink": INK, "dim": QUIET, "cyan": Paint("#0b5f7a", "#6fd3ee"), "magenta": Paint("#7a1f6a", "#e7a6dc"),
    "error": Paint("#a3141f", "#ff9aa2"), "paper": PAPER, "mark": Paint("#d9e3ef", "#2b3a4d"),
    "cursor": Paint("#0b5394", "#9ccbff"), "on-cursor": Paint("#ffffff", "#0b1a2b"),
    "command": Paint("#4b5563", "#aab4c0"),
}  # fmt: skip
"""Light and dark, for what the screens of attncalc mean by their colours."""

ARMS = {
    "─": "lr", "━": "lr", "│": "ud", "┃": "ud", "├": "udr", "└": "ur", "┌": "dr", "┐": "dl", "┘": "ul", "┤": "udl",
    "┬": "lrd", "┴": "lru", "┼": "lrud", "╶": "r", "╴": "l",
}  # fmt: skip
"""Which ways the lines of a sign go: up, down, left, right."""
SHADES = {"█": 1.0, "▓": 0.75, "▒": 0.5, "░": 0.25}
NAMES = {1: "error", 5: "magenta", 6: "cyan"}
"""The colours of a terminal that are used, by their numbers."""
BRAILLE = ((0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 3), (1, 3))
"""Column and row of the dot of each bit."""


SCROLLBAR = " ▁▂▃▄▅▆▇"
"""Blanks, and the signs at the ends of a scroll bar, of which only the ground is drawn."""


class Run(NamedTuple):
    """Signs beside each other in one style, at a column."""

    column: int
    text: str
    look: str
    bold: bool
    ground: str = ""


def screen_svg(lines: list[list[Segment]], command: str, language: str, columns: int = 80) -> str:
    """The lines of a screen under the command that made them."""
    wide = max([columns, *(sum(cell_len(piece.text) for piece in line) for line in lines)])
    size = (round(wide * CELL + 2 * MARGIN), LINE * (len(lines) + 1) + 2 * MARGIN + 6)
    body = element("text", f"$ {command}", **{"class": "bold command"}, x=str(MARGIN), y=str(MARGIN + SIZE))
    for row, line in enumerate(lines):
        top = MARGIN + 6 + LINE * (row + 1)
        body += "".join(drawn for run in _runs(line) for drawn in _drawn(run, top))
    spoken = " ".join("".join(piece.text for piece in lines[0]).split()) if lines else command
    return file_of(command, escaped(spoken), language, size, _style(), body)


def lines_of(text: str) -> list[list[Segment]]:
    """The lines of a text with the codes of a terminal in it."""
    parts = (Text.from_ansi(line) for line in text.rstrip("\n").split("\n"))
    return [[Segment(part.plain[a:b], style) for a, b, style in _spans(part)] for part in parts]


def _spans(text: Text) -> Iterator[tuple[int, int, Style]]:
    """Pieces of one style each."""
    styles = [Style() for _ in text.plain]
    for span in text.spans:
        style = span.style if isinstance(span.style, Style) else Style.parse(span.style)
        for place in range(span.start, span.end):
            styles[place] += style
    start = 0
    for style, places in groupby(styles):
        end = start + len(list(places))
        yield start, end, style
        start = end


def _runs(line: list[Segment]) -> Iterator[Run]:
    """The pieces of a line, parted where words end and where drawn signs begin."""
    column = 0
    for piece in line:
        style = piece.style or Style()
        look, ground = _looks(style)
        if ground and not piece.text.strip(SCROLLBAR) and len(piece.text) < 3:
            ground = "mark"
        if ground:
            yield Run(column, " " * cell_len(piece.text), look, False, ground)
        for kind, letters in groupby(piece.text, key=_kind):
            text = "".join(letters)
            if kind != "blank":
                yield Run(column, text, look, bool(style.bold))
            column += cell_len(text)


def _kind(letter: str) -> str:
    if letter in SCROLLBAR:
        return "blank"
    drawn = letter in ARMS or letter in SHADES or "\u2800" <= letter <= "\u28ff"
    return "drawn" if drawn else "wide" if cell_len(letter) == 2 else "text"


def _looks(style: Style) -> tuple[str, str]:
    """What the colours of a piece mean here, and whether something lies below it."""
    name = NAMES.get(style.color.number or 0, "") if style.color else ""
    color = style.color.get_truecolor() if style.color else None
    ground = style.bgcolor.get_truecolor() if style.bgcolor and not style.bgcolor.is_default else None
    if style.reverse or (ground and contrast(ground.hex, "#121212") > 3):
        return "on-cursor", "cursor"
    look = "dim" if style.dim else name or "ink"
    if color and look == "ink" and color.red > 1.5 * color.green:
        look = "magenta" if color.blue > color.green + 40 else "error"
    return look, "mark" if ground and contrast(ground.hex, "#121212") > 1.35 else ""


def _drawn(run: Run, top: int) -> Iterator[str]:
    """A run as text of just the room that a terminal gives it, or sign by sign as lines, shades and dots."""
    x = MARGIN + run.column * CELL
    if run.ground:
        width = number(len(run.text) * CELL)
        yield element("rect", x=number(x), y=str(top), width=width, height=str(LINE), **{"class": run.ground})
    elif _kind(run.text[0]) == "drawn":
        for place, sign in enumerate(run.text):
            yield from _sign(sign, x + place * CELL, top, run.look)
    elif run.text.strip():
        look = " ".join(
            [run.look, *(["bold"] if run.bold else []), *(["wide"] if _kind(run.text[0]) == "wide" else [])]
        )
        room = number(cell_len(run.text) * CELL)
        place_ = {"x": number(x), "y": str(top + SIZE - 1), "textLength": room}
        yield element("text", run.text, **place_, **{"class": look})


def _sign(sign: str, x: float, top: int, look: str) -> Iterator[str]:
    if sign in SHADES:
        size = {"x": number(x), "y": str(top + 2), "width": number(CELL + 0.1), "height": str(LINE - 4)}
        yield element("rect", **size, **{"class": look}, fill_opacity=f"{SHADES[sign]:g}")
    elif sign in ARMS:
        middle = {"u": (0.5, 0), "d": (0.5, 1), "l": (0, 0.5), "r": (1, 0.5)}
        ends = (middle[arm] for arm in ARMS[sign])
        path = " ".join(
            f"M{number(x + CELL / 2)} {top + LINE / 2:g} L{number(x + CELL * a)} {number(top + LINE * b)}"
            for a, b in ends
        )
        yield element("path", d=path, **{"class": f"line {look}-line"})
    else:
        for bit, (column, row) in enumerate(BRAILLE):
            if (ord(sign) - 0x2800) >> bit & 1:
                place = {"cx": number(x + CELL * (column + 0.5) / 2), "cy": number(top + LINE * (row + 0.5) / 4)}
                yield element("circle", **place, r="1.1", **{"class": look})


def _style() -> str:
    rules = [f"text {{ font: {SIZE}px {FAMILIES[True]}; white-space: pre; }}", "text.bold { font-weight: bold; }"]
    rules.append(f"text.wide {{ font-size: {SIZE + 2}px; }}")
    rules.append(".line { fill: none; stroke-width: 1; }")
    return "\n".join([*rules, *_colors(0), "@media screen and (prefers-color-scheme: dark) {", *_colors(1), "}"])


def _colors(mode: int) -> Iterator[str]:
    for name, paint in PAINTS.items():
        yield f".{name} {{ fill: {paint[mode]}; }}"
        yield f".{name}-line {{ stroke: {paint[mode]}; }}"
