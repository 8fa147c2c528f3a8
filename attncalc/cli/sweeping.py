"""`sweep`: a row of a step while one number of the scenario moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.cli.answering import all_of, answer_format, asked_for, write_blocks, write_json, write_text
from attncalc.cli.choices import POINTS, Options, calculation, one_place, view_of
from attncalc.cli.report import Status
from attncalc.cli.session import Session, whole
from attncalc.core import names
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.core.stage import Row, Trace
    from attncalc.document.view import View

ARGUMENTS = ("source", "path", "from_", "to")


def sweep(session: Session, options: Options) -> int:
    """One row of a step while a number of the scenario moves."""
    from attncalc.document.sweeping import sweeping
    from attncalc.explore.sweep import sweep as row_swept
    from attncalc.renderers.sweep_data import as_csv, as_document
    from attncalc.running import run
    from attncalc.scenario_files.folding import changed
    from attncalc.scenario_files.load import scenario_from
    from attncalc.scenario_files.sources import source_at

    values = _values(options)
    format = answer_format(options, (*names.DOCUMENTS, "csv", "svg"))
    read = source_at(options["source"], options["allow_outside"])
    source = changed(read, options["set"], calculation(options))
    trace = run(scenario_from(source))
    view = view_of(session, {**options, "step": []}, trace, format)
    swept = row_swept(source, options["path"], values, *_step_and_row(options, trace, view), trace)
    if format == "json":
        write_json(options, as_document(swept, view))
    elif format == "csv":
        write_text(options, as_csv(swept))
    else:
        write_blocks(session, options, lambda view: sweeping(swept, view), view, format)
    return Status.DONE


def _values(options: Options) -> list[str]:
    """The values as they are put in, from FROM to TO."""
    from attncalc.explore.values import FEWEST, MOST, as_typed, decimal_of, values_between

    asked_for(options["source"])
    if any(options[name] is None for name in ARGUMENTS):
        raise UsageError.of("sweep-missing")
    count = whole("--points", options["points"] or POINTS, FEWEST, MOST)
    ends = ((options["from_"], "FROM"), (options["to"], "TO"))
    first, last = all_of(lambda end: decimal_of(*end), ends)
    if first == last:
        raise UsageError.of("sweep-equal", found=options["from_"])
    return as_typed(values_between(first, last, count))


def _step_and_row(options: Options, trace: Trace, view: View) -> tuple[str, Row]:
    """The step and the row that are followed: the weights of the scenario's query where nothing else is said."""
    from attncalc.core.stage import Row

    for name in ("token", "step"):
        if len(options[name]) > 1:
            raise UsageError.of("sweep-several", f"--{name}", found=", ".join(options[name]))
    query = (view.queries or trace.scenario.queries)[0]
    row = Row(one_place(trace, options, "batch"), one_place(trace, options, "head"), query)
    return (options["step"] or ["weights"])[0], row
