"""The commands that ask where numbers come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.cli import output
from attncalc.cli.answering import asked_for, scenario_at, write_blocks
from attncalc.cli.choices import Options, format_of, one_place, plain_view
from attncalc.cli.session import Session, whole
from attncalc.document.blocks import Remark

if TYPE_CHECKING:
    from attncalc.core.expression import Cell
    from attncalc.core.stage import Trace
    from attncalc.document.view import View


def why(session: Session, options: Options) -> int:
    """How one cell arises, back to the given numbers."""
    from attncalc.document.because import because
    from attncalc.explore.cells import find_cell
    from attncalc.running import run

    asked_for(options["scenario"])
    format = format_of(options, ("table", "plain", "json", "latex"))
    output.check_target(options["output"], options["force"])
    depth = whole("--depth", options["depth"], 1, 1000) if options["depth"] is not None else None
    words = options["cell"]
    trace = run(scenario_at(options["scenario"], options), terms=" ".join(words).startswith("terms"))
    cell = find_cell(trace, words, one_place(trace, options, "batch"), one_place(trace, options, "head"))
    view = plain_view(session, format)._replace(
        everything=bool(options["all"]),
        heads=(cell.place[1],) if options["head"] is not None else None,
        batches=(cell.place[0],) if options["batch"] is not None else None,
    )
    if format == "json":
        return _why_json(options, trace, cell, view, depth)
    blocks = list(because(trace, cell, view, depth))
    if options["sensitivity"]:
        from attncalc.document.influences import strongest

        blocks += strongest(trace, cell, view)
    kept = [block for block in blocks if not (session.quiet and isinstance(block, Remark))]
    write_blocks(session, options, kept, view, format)
    return 0


def _why_json(options: Options, trace: Trace, cell: Cell, view: View, depth: int | None) -> int:
    from attncalc.renderers.why_json import as_document
    from attncalc.scenario_files.json_text import written

    document = as_document(trace, cell, view, depth, bool(options["sensitivity"]))
    output.write(written(document) + "\n", options["output"], options["force"])
    return 0
