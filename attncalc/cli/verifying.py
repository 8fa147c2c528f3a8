"""`verify`: do the numbers that scenarios print hold, and where asked, the right ones written into their files."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from attncalc.cli import output
from attncalc.cli.answering import all_of, answer_format, asked_for, write_blocks, write_json
from attncalc.cli.choices import Options, plain_view
from attncalc.cli.long_roads import road, whole
from attncalc.cli.options import CALCULATION, OPTIONS
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.errors import OutputError, UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.document.blocks import Block
    from attncalc.document.view import View
    from attncalc.explore.correcting import Corrected
    from attncalc.explore.verify import Verdict


def verify(session: Session, options: Options) -> int:
    """The printed numbers of the scenarios against the calculation; 1 where one is off and stays so."""
    asked_for(options["scenarios"])
    format = answer_format(options, names.DOCUMENTS)
    view = plain_view(session, format)
    if options["update"]:
        return _update(session, options, view, format)
    found = _checked(options)
    if format == "json":
        from attncalc.renderers.verify_json import as_document

        write_json(options, *(as_document(trace, verdicts) for trace, verdicts in found))
    else:
        write_blocks(session, options, lambda view: _verdicts(found, view), view, format)
    held = all(verdict.right for _, verdicts in found for verdict in verdicts)
    return Status.DONE if held else Status.WRONG


def _checked(options: Options) -> list[tuple[Trace, list[Verdict]]]:
    """The traces of the scenarios with a verdict for each of their printed numbers."""
    from attncalc.explore.verify import expects_terms
    from attncalc.explore.verify import verify as verdicts_of
    from attncalc.running import run

    scenarios = all_of(lambda source: _scenario_at(source, options), options["scenarios"])
    traces = [run(scenario, expects_terms(scenario.document)) for scenario in scenarios]
    return list(zip(traces, all_of(verdicts_of, traces), strict=True))


def _scenario_at(source: str, options: Options) -> Scenario:
    """The scenario of a source, whole; refused where all its scores at once would not fit into memory."""
    from attncalc.core.scenario import Scenario

    found = road(source, options)
    return found if isinstance(found, Scenario) else whole(found, options, "")


def _verdicts(found: Sequence[tuple[Trace, list[Verdict]]], view: View) -> Iterator[Block]:
    from attncalc.document.verification import together, verification

    for trace, verdicts in found:
        yield from verification(trace, verdicts, view)
    yield from together([verdicts for _, verdicts in found], view)


def _update(session: Session, options: Options, view: View, format: str) -> int:
    """Shows what changes and writes it, or where anything is refused, nothing."""
    from attncalc.explore.correcting import corrected
    from attncalc.scenario_files.sources import source_at

    _refuse_changes(options)
    outside = options["allow_outside"]
    found = all_of(lambda source: corrected(source_at(_file(source), outside)), options["scenarios"])
    _show(session, options, found, view, format)
    output.write_files({Path(one.source.name): one.text.encode() for one in found if one.corrections}, force=True)
    return Status.DONE


def _show(session: Session, options: Options, found: Sequence[Corrected], view: View, format: str) -> None:
    if format == "json":
        from attncalc.renderers.verify_json import as_document

        write_json(options, *(as_document(one.trace, one.verdicts, one.corrections) for one in found))
    else:
        from attncalc.document.verification import update

        def blocks(view: View) -> Iterator[Block]:
            return (block for one in found for block in update(one.trace, one.verdicts, one.corrections, view))

        write_blocks(session, options, blocks, view, format)


def _refuse_changes(options: Options) -> None:
    """Refuses what would make another calculation of the file than it says itself."""
    changing = [name for name in CALCULATION if options[name] not in (None, [])]
    if changing:
        found = ", ".join(OPTIONS[name].flags[0] for name in changing)
        raise UsageError.of("update-options", "--update", found=found)


def _file(source: str) -> str:
    """The source itself if it is a file that may be written."""
    if source == "-":
        raise UsageError.of("update-stdin", "stdin")
    if builtin.is_name(source) and source in builtin.names():
        raise UsageError.of("update-built-in", source, name=source)
    try:
        there, plain = Path(source).exists(), Path(source).is_file()
    except output.UNREACHABLE:
        return source  # the reading says what is wrong
    if there and not plain and not Path(source).is_dir():
        raise UsageError.of("update-no-file", source)
    if plain and not os.access(source, os.W_OK):
        raise OutputError.of("cannot-write", source, reason=os.strerror(errno.EACCES))
    return source
