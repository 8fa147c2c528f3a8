"""`--picture map`: which weights are drawn, and into how many cells they are pooled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from attncalc.cli.answering import write_blocks, write_text
from attncalc.cli.choices import Options, places_chosen
from attncalc.cli.session import Session, one_of
from attncalc.core import names
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.document.blocks import Block
    from attncalc.document.view import View
    from attncalc.long.loading import Long
    from attncalc.long.problem import Pooling
    from attncalc.long.summary import Summary

FORMATS = ("table", "plain", "json", "npz", "markdown", "html", "svg", "png")
MEAN = "mean"
"""What --head takes besides numbers: the average over the heads."""

DRAWN, WRITTEN, SPOKEN = (120, 120), (32, 64), (16, 16)
"""Rows and columns of a picture and of data; of text on a page; where each cell is a sentence."""
SIDES = {"table": WRITTEN, "markdown": WRITTEN, "plain": SPOKEN}

NARROWEST, LINES_BESIDE, SHORTEST, USUAL = 16, 14, 8, 80
"""In a terminal: the least columns of a map, the lines above and below it, its least rows, the usual width."""


class Told(NamedTuple):
    """A scenario, what was found of it, and the queries that are told."""

    scenario: Scenario
    found: Summary
    queries: tuple[int, ...]


def asked_for(options: Options) -> bool:
    """Whether a map is to be drawn."""
    return bool(options["picture"] == names.MAP)


def refuse_pool(options: Options) -> None:
    """Refuses --pool where there is no map."""
    if options["pool"] is not None and not asked_for(options):
        raise UsageError.of("works-only-with", "--pool", options=f"--picture {names.MAP}")


def averaging(long: Long, options: Options) -> bool:
    """Whether the average over the heads is drawn."""
    return options["head"] == MEAN and long.scenario.grid[1] > 1


def pooling(session: Session, long: Long, options: Options, format: str) -> Pooling:
    """How the weights are pooled, so that they fit the terminal or the picture."""
    from attncalc.long.problem import Pooling

    name = one_of("--pool", options["pool"] or names.POOLINGS[0], names.POOLINGS)
    batches, heads = _chosen(long, options)
    places = tuple((batch, head) for batch in batches or (0,) for head in heads or (0,))
    _, _, queries, keys = long.scenario.grid
    rows, columns = _sides(session, format, queries)
    return Pooling(name, -(-queries // rows), -(-keys // columns), places, not options["summary"])


def view_of(view: View, long: Long, options: Options) -> View:
    """The view with the heads and batch entries that are asked for."""
    batches, heads = _chosen(long, options)
    counts = long.scenario.grid
    return view._replace(
        batches=batches or (None if counts[0] > 1 else (0,)), heads=heads or (None if counts[1] > 1 else (0,))
    )


def write(session: Session, options: Options, told: Sequence[Told], view: View, format: str) -> None:
    """Writes summaries or a map as a document, or a map as a picture."""
    from attncalc.document.blocks import without_remarks
    from attncalc.document.pictures.drawing import SHADES
    from attncalc.document.summaries import map_alone, summary
    from attncalc.renderers import map_svg

    levels = {"plain": 0, "html": SHADES, "svg": SHADES, "png": SHADES}.get(format, len(view.signs.shades))

    def composed(view: View) -> Iterator[Block]:
        for scenario, found, queries in told:
            if found.asked is None or not found.asked.map_alone:
                yield from summary(found, scenario, queries, view, levels)
            else:
                yield from map_alone(found, scenario, view, levels)

    if format not in ("svg", "png"):
        write_blocks(session, {**options, "picture": None}, composed, view, format)
        return
    blocks = without_remarks(map_alone(told[0].found, told[0].scenario, view, levels), session.quiet)
    write_text(options, (map_svg.render if format == "svg" else map_svg.pixels)(blocks, view))


def _chosen(long: Long, options: Options) -> tuple[tuple[int, ...] | None, tuple[int, ...] | None]:
    every = tuple(range(long.scenario.grid[1]))
    heads = every if options["head"] == MEAN else places_chosen(long.scenario, options, "head")
    return places_chosen(long.scenario, options, "batch"), heads


def _sides(session: Session, format: str, queries: int) -> tuple[int, int]:
    """The most rows and columns of cells."""
    if format != "table" or (session.width is None and session.height is None):
        return SIDES.get(format, DRAWN)
    from attncalc.renderers.heat import FRAME, LONGEST
    from attncalc.renderers.terminal import INDENT

    width = session.width or USUAL
    rows = WRITTEN[0] if session.height is None else max(session.height - LINES_BESIDE, SHORTEST)
    labels = LONGEST if queries <= rows else len(str(queries))
    return rows, max(width - INDENT - labels - FRAME, NARROWEST)
