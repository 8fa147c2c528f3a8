"""The curves of `sweep` as SVG: a line chart under the title, without the table and the sentences."""

from __future__ import annotations

from collections.abc import Sequence

from attncalc.document.blocks import Block, Heading, Plot
from attncalc.document.pictures.chart import chart
from attncalc.document.pictures.drawing import Picture, stacked
from attncalc.document.pictures.frame import NARROWEST, with_margin
from attncalc.document.pictures.letters import lines_of, paragraphs, written
from attncalc.document.view import View
from attncalc.messages.safe_text import visible
from attncalc.renderers import svg_writing


def render(blocks: Sequence[Block], view: View) -> str:
    """The plot among the blocks, under their first heading; where there is none to draw, a sentence."""
    plot = next((block for block in blocks if isinstance(block, Plot)), None)
    headings = [block for block in blocks if isinstance(block, Heading)]
    title, step = headings[0], headings[-1]
    drawn = [chart(plot, view)] if plot else list(paragraphs([view.say("picture-no-curves")], NARROWEST))
    room = max(NARROWEST, drawn[0].width)
    above = [written(lines_of(title.text, "title", room / 1.1), "title"), *paragraphs([title.aside], room)]
    above.append(written(lines_of(step.text, "heading", room / 1.1), "heading"))
    if step.formula:
        above.append(written(lines_of(view.equation(step.formula), "formula", room), "formula"))
    whole = with_margin(stacked([stacked(above, 2), *drawn], 16))
    return svg_writing.written(Picture(title.text, _said(plot, view), whole), view.language)


def _said(plot: Plot | None, view: View) -> str:
    """The picture in a sentence."""
    if plot is None:
        return view.say("picture-no-curves")
    curves = view.say("list-comma").join(curve.name for curve in plot.curves)
    return view.say("picture-curves", path=visible(plot.axis), curves=curves)
