"""Maps as a picture: under their title what a cell is, the maps beside each other, and the notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.document.blocks import Block, Heading, HeatMap, Prose, Remark
from attncalc.document.pictures.drawing import Part, Picture, packed, stacked
from attncalc.document.pictures.frame import NARROWEST, with_margin
from attncalc.document.pictures.letters import lines_of, paragraphs, written
from attncalc.document.pictures.weights_map import ONE_OF_SEVERAL, SIDE, weights_map
from attncalc.document.view import View
from attncalc.renderers import svg_writing

WIDEST = 1240
"""Maps stand beside each other up to this width."""


def render(blocks: Sequence[Block], view: View) -> str:
    """The picture as text."""
    return svg_writing.written(picture(blocks, view), view.language)


def pixels(blocks: Sequence[Block], view: View) -> bytes:
    """The picture as PNG."""
    from attncalc.renderers.png import pixels_of

    return pixels_of(picture(blocks, view), view.language)


def picture(blocks: Sequence[Block], view: View) -> Picture:
    """The blocks put together: the maps after what is said before them."""
    found = [block for block in blocks if isinstance(block, HeatMap)]
    side = SIDE if len(found) == 1 else ONE_OF_SEVERAL
    maps = packed([weights_map(block, view, side) for block in found], 40, WIDEST)
    room = max(maps.width, NARROWEST)
    first = blocks.index(found[0])
    said = [stacked(_words(block, view, room, block is blocks[0]), 2) for block in blocks]
    above, below = stacked(said[:first], 4), [part for part in said[first:] if part.height]
    whole = stacked([above, maps, *([stacked(below, 2)] if below else [])], 16)
    title = next(block.text for block in blocks if isinstance(block, Heading))
    return Picture(title, " ".join(block.said for block in found), with_margin(whole))


def _words(block: Block, view: View, room: float, opening: bool) -> Iterator[Part]:
    match block:
        case Heading(text, aside=aside):
            look = "title" if opening else "heading"
            yield written(lines_of(text, look, room / 1.1), look)
            yield from paragraphs([aside] if aside else [], room)
        case Prose(text, lead):
            yield from paragraphs([view.say("with-lead", lead=lead, text=text) if lead else text], room)
        case Remark(_, text):
            yield from paragraphs([view.say("with-lead", lead=view.say("lead.note"), text=text)], room)
