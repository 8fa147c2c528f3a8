"""A picture of a trace as SVG: the calculation as a flow, the weights as a heat map, or one query's as bars."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from attncalc.core.stage import Trace
from attncalc.document.pictures.bars import bars
from attncalc.document.pictures.drawing import Picture
from attncalc.document.pictures.flow import flow
from attncalc.document.pictures.heat_map import heat_map
from attncalc.document.view import View
from attncalc.errors import UsageError
from attncalc.renderers.svg_writing import written


class Kind(NamedTuple):
    """A kind of picture: what composes it, and whether it shows the steps that are asked for or the weights alone."""

    compose: Callable[[Trace, View, bool, bool], Picture]
    of_steps: bool = False


PICTURES = {"flow": Kind(flow, True), "weights": Kind(heat_map), "bars": Kind(bars)}


def render(trace: Trace, view: View, told: bool = False, quiet: bool = False, picture: str | None = None) -> str:
    """The picture that is asked for, as text."""
    return written(composed(trace, view, told, quiet, picture), view.language)


def composed(trace: Trace, view: View, told: bool, quiet: bool, picture: str | None) -> Picture:
    """The picture that is asked for; where none is, the bars of what is told, else the flow."""
    name = picture or ("bars" if told and not view.steps else "flow")
    kind = PICTURES[name]
    if {*view.steps} - {"weights"} and not kind.of_steps:
        raise UsageError.of("picture-without-step", "--step", picture=name, found=", ".join(view.steps))
    return kind.compose(trace, view, told, quiet)
