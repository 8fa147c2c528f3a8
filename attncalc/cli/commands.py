"""The commands that show calculations: each turns its options into one question to the library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncalc.cli import mapping
from attncalc.cli.answering import all_of, answer_format, asked_for, write_blocks, write_text
from attncalc.cli.choices import Options, calculation, format_of, settings_of, view_of
from attncalc.cli.long_roads import road, some_rows, whole
from attncalc.cli.output_size import DATA, check_size
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.core.memory import EAGER
from attncalc.errors import UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.document.blocks import Block
    from attncalc.document.view import View


ONLY_LONG = {"--summary": ("top", "near"), "--summary / --picture map": ("threads", "scheduler", "workers")}
"""Options of `run` that only a summary reads, or a summary and a map."""


def explain(session: Session, options: Options) -> int:
    """Tells one scenario for its query; without one, lists those there are."""
    from attncalc.cli.scenarios import list_
    from attncalc.core.scenario import Scenario
    from attncalc.running import run

    if not options["scenario"]:
        return list_(session, options)
    found = road(options["scenario"], options)
    if not isinstance(found, Scenario):
        return some_rows(session, options, found, "explain", _shown)
    rows, format = len(options["token"] or found.queries), answer_format(options, names.FORMATS)
    check_size(found, options, format, rows, told=True)
    return _shown(session, options, [run(found, _with_terms(found, options, format))], "explain")


def _with_terms(scenario: Scenario, options: Options, format: str) -> bool:
    """Whether the products of all weights and values are made: very many only for data, for a story its own do."""
    from attncalc.pipelines.cost import chosen_arithmetic

    many = math.prod(scenario.grid) * scenario.sizes.get("d_v", 0) > EAGER
    binary = chosen_arithmetic(scenario) not in names.DECIMAL_KINDS
    story = format in {*names.DOCUMENTS} - {*DATA} and "terms" not in options["step"]
    return scenario.has_values and not (many and binary and story)


def run(session: Session, options: Options) -> int:
    """Every step of the scenarios, as tables or as data."""
    sources = options["scenarios"]
    mapping.refuse_pool(options)
    if options["summary"] or mapping.asked_for(options):
        from attncalc.cli.summarising import summary

        asked_for(sources)
        return summary(session, options)
    for readers, known in ONLY_LONG.items():
        if idle := [f"--{name}" for name in known if options[name] is not None]:
            raise UsageError.of("works-only-with", ", ".join(idle), options=readers)
    if options["jsonl"]:
        return _json_lines(session, options)
    from attncalc.core.scenario import Scenario
    from attncalc.running import run

    asked_for(sources)
    if len(sources) > 1:
        _refuse_several(format_of(options, names.FORMATS))
    found = all_of(lambda source: road(source, options), sources)
    if len(found) == 1 and not isinstance(found[0], Scenario) and options["token"]:
        return some_rows(session, options, found[0], "run", _shown)
    format = format_of(options, names.FORMATS)
    for one in found:
        outline = one if isinstance(one, Scenario) else one.scenario
        rows = len(options["token"]) or outline.grid[2]
        check_size(outline, options, format, rows, told=False)
    scenarios = [one if isinstance(one, Scenario) else whole(one, options, format) for one in found]
    traces = [run(scenario, "terms" in options["step"]) for scenario in scenarios]
    return _shown(session, options, traces, "run")


def _refuse_several(format: str) -> None:
    """Refuses a format of which a file holds a single trace."""
    from attncalc.renderers import FORMATS

    if not FORMATS[format].several:
        raise UsageError.of("one-scenario", formats=", ".join(name for name, row in FORMATS.items() if row.several))


def _shown(session: Session, options: Options, traces: Sequence[Trace], command: str) -> int:
    """Writes traces in the format asked for."""
    from attncalc.renderers import FORMATS, trace_parts

    format = answer_format(options, names.FORMATS)
    pairs = [(trace, view_of(session, options, trace, format)) for trace in traces]
    if FORMATS[format].trace:
        settings = settings_of(options, format)
        known = {"told": command == "explain", "quiet": session.quiet}
        settings |= {name: known[name] for name in FORMATS[format].settings}
        write_text(options, (part for pair in pairs for part in trace_parts(format)(*pair, **settings)))
    else:

        def blocks(_: View) -> Iterator[Block]:
            return (block for pair in pairs for block in _composed(session, *pair, command))

        write_blocks(session, options, blocks, pairs[0][1], format)
    return Status.DONE


def _composed(session: Session, trace: Trace, view: View, command: str) -> Iterator[Block]:
    """The blocks of a trace, and what else can be asked about a built-in scenario."""
    from attncalc.document.blocks import Prose
    from attncalc.document.explain import explain as told
    from attncalc.document.tables import tables

    yield from (told if command == "explain" else tables)(trace, view)
    name = trace.scenario.name
    if view.options and name in builtin.names() and not (session.quiet or trace.scenario.changes):
        other = "run" if command == "explain" else "explain"
        commands = [other, *(["verify"] if trace.scenario.option("expect") else []), "show"]
        yield Prose(" · ".join(f"attncalc {command} {name}" for command in commands), view.say("lead.next"))


def _json_lines(session: Session, options: Options) -> int:
    """One scenario a line in, one trace a line out; all faulty lines are reported, with their numbers."""
    from attncalc.renderers import trace_renderer
    from attncalc.running import run
    from attncalc.scenario_files.json_text import parse
    from attncalc.scenario_files.load import scenario_of
    from attncalc.scenario_files.sources import read

    if options["scenarios"]:
        raise UsageError.of("jsonl-and-scenario", found=" ".join(options["scenarios"]))
    if options["format"] not in (None, "json") or options["plain"]:
        raise UsageError.of("jsonl-needs-json", found=options["format"] or "plain")
    chosen, outside = calculation(options), options["allow_outside"]

    def answered(numbered: tuple[int, bytes]) -> str:
        number, line = numbered
        document, name = parse(line, "stdin", number), f"stdin:{number}"
        scenario = scenario_of(document, name, options["set"], chosen, allow_outside=outside)
        trace = run(scenario, "terms" in options["step"])
        return str(trace_renderer("json")(trace, view_of(session, options, trace, "json")))

    lines = [(number, line) for number, line in enumerate(read("-").splitlines(), 1) if line.strip()]
    write_text(options, all_of(answered, lines))
    return Status.DONE
