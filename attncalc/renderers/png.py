"""A picture of a trace as PNG: the SVG drawn by resvg, with the fonts of the machine."""

from __future__ import annotations

from typing import Any

from attncalc.core.stage import Trace
from attncalc.document.pictures.drawing import Picture
from attncalc.document.view import View
from attncalc.errors import UsageError
from attncalc.renderers.svg import composed
from attncalc.renderers.svg_writing import written

ZOOM = 2
"""Pixels for each unit of the picture, so that it is sharp in print."""
MOST_PIXELS = 100_000_000

BYTES_A_PIXEL, BYTES_BESIDES = 9, 30_000_000
"""What resvg takes at most, as measured: where it gets no memory, it ends the program."""


def render(trace: Trace, view: View, told: bool = False, quiet: bool = False, picture: str | None = None) -> bytes:
    """The picture that is asked for, always on white; one that is too large for pixels is refused."""
    _resvg()
    return pixels_of(composed(trace, view, told, quiet, picture), view.language)


def pixels_of(picture: Picture, language: str) -> bytes:
    """Any picture as PNG."""
    width, height = (round(side * ZOOM) for side in picture.part[:2])
    if width * height > MOST_PIXELS:
        raise UsageError.of("picture-too-large", "--format", width=width, height=height)
    bytearray(width * height * BYTES_A_PIXEL + BYTES_BESIDES)  # a MemoryError where there is no room
    return bytes(_resvg()(svg_string=written(picture, language), zoom=ZOOM))


def _resvg() -> Any:
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise UsageError.of("needs-extra", "--format", extra="png", package="resvg-py") from None
    return svg_to_bytes
