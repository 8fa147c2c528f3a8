"""The colours of pictures: black on white as on paper, light on dark where the reader's screen is dark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from attncalc.document.pictures.drawing import SHADES
from attncalc.document.pictures.letters import LOOKS


class Paint(NamedTuple):
    """A colour on light and on dark paper; lines are drawn with it (`stroke`) so wide, and dashed so."""

    light: str
    dark: str
    stroke: float = 0
    dashes: str = ""


PAPER = Paint("#ffffff", "#14171c")
INK = Paint("#000000", "#f2f4f7")
QUIET = Paint("#4b5563", "#aab4c0")
STRONGEST = Paint("#08306b", "#d6e8ff")

PAINTS: dict[str, Paint] = {
    "paper": PAPER,
    "number": INK, "label": INK, "title": INK, "heading": INK, "prose": Paint("#1f2937", "#d5dae1"), "corner": QUIET,
    "formula": Paint("#7a1f6a", "#e7a6dc"),
    "bar": Paint("#1f5fae", "#7ab3f0"),
    "step": Paint("#6b7280", "#8b96a5", 1.2), "given": Paint("#6b7280", "#8b96a5", 1.2, "5 3"),
    "rule": Paint("#6b7280", "#8b96a5", 1), "wire": Paint("#374151", "#b6c0cc", 1.4),
    "own": Paint("#6b7280", "#8b96a5", 1.2, "2 3"),
}  # fmt: skip
"""The looks of shapes and texts."""

HATCHING = Paint("#9aa3ae", "#66707d")

CURVES = (
    Paint("#0b5394", "#7db8f5", 2), Paint("#b3400a", "#ffa36b", 2, "8 4"), Paint("#1e6b34", "#7fd197", 2, "2 3"),
    Paint("#6f2c91", "#d3a3f0", 2, "10 3 2 3"), Paint("#8a6100", "#e9c46a", 2, "5 5"),
    Paint("#a01346", "#ff94b8", 2, "14 4"), Paint("#0f6a72", "#74d4dc", 2, "6 2 2 2 2 2"),
    Paint("#444444", "#c8c8c8", 2, "1 4"),
)  # fmt: skip
"""Lines that are told apart by their dashes, where colour does not."""

FAMILIES = {
    True: "ui-monospace, Menlo, 'DejaVu Sans Mono', 'Liberation Mono', Consolas, monospace",
    False: "system-ui, 'Helvetica Neue', Arial, 'Noto Sans', 'Noto Sans CJK SC', 'Microsoft YaHei', sans-serif",
}
"""Fonts that the reader has, by whether their letters are of one width."""


def mixed(first: str, second: str, share: float) -> str:
    """A colour between two."""
    pairs = zip(_channels(first), _channels(second), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(color: str) -> list[int]:
    return [int(color[place : place + 2], 16) for place in (1, 3, 5)]


def contrast(first: str, second: str) -> float:
    """The contrast of two colours as WCAG 2 defines it, from 1 to 21."""
    darker, lighter = sorted((_luminance(first), _luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in _channels(color)]
    red, green, blue = (s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def shade(number: int) -> Paint:
    """The colour of a shade."""
    share = number / (SHADES - 1)
    return Paint(mixed(PAPER.light, STRONGEST.light, share), mixed(PAPER.dark, STRONGEST.dark, share))


def on_shade(number: int) -> Paint:
    """The colour of a text on a shade: black or white, whichever is read better."""
    below = shade(number)
    light, dark = (max(("#000000", "#ffffff"), key=lambda ink: contrast(ink, paper)) for paper in below[:2])
    return Paint(light, dark)


def style_sheet() -> str:
    """The style of a picture."""
    rows = PAINTS | {f"curve{number}": paint for number, paint in enumerate(CURVES)}
    rows |= {f"shade{number}": shade(number) for number in range(SHADES)}
    rows |= {f"on{number}": on_shade(number) for number in range(SHADES)}
    lines = [*_texts(), *_rules(rows, 0), "@media screen and (prefers-color-scheme: dark) {", *_rules(rows, 1), "}"]
    return "\n".join(lines)


def _texts() -> Iterator[str]:
    yield "text { white-space: pre; }"
    for name, look in LOOKS.items():
        weight = "bold " if look.bold else ""
        yield f".{name} {{ font: {weight}{look.size}px {FAMILIES[look.even]}; }}"
    yield f".wide {{ font-family: {FAMILIES[False]}; }}"


def _rules(rows: Mapping[str, Paint], mode: int) -> Iterator[str]:
    for name, paint in rows.items():
        if not paint.stroke:
            yield f".{name} {{ fill: {paint[mode]}; }}"
            continue
        dashes = f" stroke-dasharray: {paint.dashes};" if paint.dashes else ""
        lines = f" fill: none; stroke-width: {paint.stroke:g};{dashes}" if not mode else ""
        yield f".{name} {{ stroke: {paint[mode]};{lines} }}"
        yield f".{name}-end {{ fill: {paint[mode]}; }}"
    yield f".hatching {{ stroke: {HATCHING[mode]}; }}"
