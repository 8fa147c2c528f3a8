"""The commands that ask where numbers come from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncalc.cli.answering import answer_format, asked_for, write_blocks, write_json
from attncalc.cli.choices import Options, one_place, plain_view
from attncalc.cli.long_roads import Cut, road, row_of_cell
from attncalc.cli.report import Status
from attncalc.cli.session import Session, whole
from attncalc.core import names

if TYPE_CHECKING:
    from attncalc.core.expression import Cell
    from attncalc.core.stage import Trace
    from attncalc.document.blocks import Block
    from attncalc.document.view import View


def why(session: Session, options: Options) -> int:
    """How one cell arises, back to the given numbers."""
    from attncalc.core.scenario import Scenario
    from attncalc.explore.cells import find_cell
    from attncalc.renderers.why_json import as_document
    from attncalc.running import run

    asked_for(options["scenario"])
    format = answer_format(options, names.DOCUMENTS)
    depth = whole("--depth", options["depth"], 1, 1000) if options["depth"] is not None else None
    words = options["cell"]
    found = road(options["scenario"], options)
    cut = Cut(found, words) if isinstance(found, Scenario) else row_of_cell(found, words)
    scenario, words, goes_on = cut
    trace = run(scenario, terms=" ".join(words).startswith("terms"))
    cell = find_cell(trace, words, one_place(trace, options, "batch"), one_place(trace, options, "head"))
    view = plain_view(session, format)._replace(everything=bool(options["all"]))
    if format == "json":
        write_json(options, as_document(trace, cell, view, depth, bool(options["sensitivity"])))
    else:
        write_blocks(session, options, lambda view: _blocks(options, trace, cell, view, depth, goes_on), view, format)
    return Status.DONE


def _blocks(
    options: Options, trace: Trace, cell: Cell, view: View, depth: int | None, goes_on: bool
) -> Iterator[Block]:  # fmt: skip
    """The tree, what it leaves out, which head it is where none was asked for, and what moves the cell."""
    from attncalc.document.because import because
    from attncalc.document.blocks import Remark

    yield from because(trace, cell, view, depth)
    if goes_on:
        yield Remark("why-goes-on", view.aloud("why-goes-on", file=trace.scenario.name))
    for axis in ("batch", "head"):
        if options[axis] is None and axis in trace[cell.name].axes:
            yield Remark("first-head", view.aloud(f"why-first-{axis}"))
    if options["sensitivity"]:
        from attncalc.document.influences import strongest

        yield from strongest(trace, cell, view)
