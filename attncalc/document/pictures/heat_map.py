"""The weights as a heat map: query by query and key by key, a shade below each number."""

from __future__ import annotations

from collections.abc import Sequence

from attncalc.core.stage import Trace
from attncalc.document.blocks import Matrix
from attncalc.document.matrices import matrices
from attncalc.document.pictures.drawing import SHADES, Part, Picture, packed, stacked
from attncalc.document.pictures.frame import framed
from attncalc.document.pictures.grid import grid, legend
from attncalc.document.view import View

CELL = (60, 38)
WIDEST = 1120
MOST = 24
"""Rows and columns of a map; several maps stand beside each other up to the width above."""


def heat_map(trace: Trace, view: View, told: bool, quiet: bool) -> Picture:
    """One map for each batch entry and head that is shown."""
    cut = view._replace(most_side=view.most_side and MOST)
    maps = list(matrices(trace, trace["weights"], cut, view.queries))
    panels = packed([grid(matrix, CELL) for matrix in maps], 40, WIDEST)
    body = stacked([panels, key_of_shades(maps, view)], 14)
    return framed(trace, view, body, view.say("picture-weights"), quiet, view.queries)


def key_of_shades(maps: Sequence[Matrix], view: View) -> Part:
    """What the shades mean, and the hatching where something is hidden."""
    cells = [cell for matrix in maps for row in matrix.cells for cell in row]
    shades: list[tuple[str, str, int | None]] = []
    if any(cell.share is not None for cell in cells):
        shades = [(view.say("picture-weight"), "", None), ("0", "", None)]
        shades += [("" if shade < SHADES - 1 else "1", "shade", shade) for shade in range(SHADES)]
    hidden: list[tuple[str, str, int | None]] = [(view.say("hidden"), "hidden", None)]
    return legend([*shades, *(hidden if any(cell.hidden for cell in cells) else [])])
