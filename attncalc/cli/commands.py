"""The commands: each turns its options into one question to the library and writes the answer."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from attncalc.cli import output
from attncalc.cli.answering import all_of, asked_for, scenario_at, write_blocks
from attncalc.cli.choices import Options, calculation, format_of, plain_view, view_of
from attncalc.cli.session import Session, whole
from attncalc.core import names
from attncalc.errors import UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.core.stage import Trace
    from attncalc.document.view import View


def explain(session: Session, options: Options) -> int:
    """Tells one scenario for its query."""
    from attncalc.running import run

    if not options["scenario"]:
        return list_(session, options)
    scenario = scenario_at(options["scenario"], options)
    return _shown(session, options, [run(scenario, terms=scenario.has_values)], "explain")


def run(session: Session, options: Options) -> int:
    """Every step of the scenarios, as tables or as data."""
    from attncalc.running import run

    sources = options["scenarios"]
    if options["jsonl"]:
        if sources:
            raise UsageError.of("jsonl-and-scenario", found=" ".join(sources))
        return _json_lines(session, options)
    asked_for(sources)
    if len(sources) > 1 and format_of(options, names.TRACE_FORMATS) == "csv":
        raise UsageError.of("one-scenario")
    terms = "terms" in options["step"]
    traces = [run(scenario, terms) for scenario in all_of(lambda source: scenario_at(source, options), sources)]
    return _shown(session, options, traces, "run")


def verify(session: Session, options: Options) -> int:
    """The printed numbers of the scenarios against the calculation; 1 where one is off."""
    from attncalc.document.verification import verification
    from attncalc.explore.verify import as_document, expects_terms
    from attncalc.explore.verify import verify as verdicts_of
    from attncalc.running import run
    from attncalc.scenario_files.json_text import written

    sources = options["scenarios"]
    asked_for(sources)
    format = format_of(options, ("table", "plain", "json"))
    output.check_target(options["output"], options["force"])
    view = plain_view(session, format)
    scenarios = all_of(lambda source: scenario_at(source, options), sources)
    traces = [run(scenario, expects_terms(scenario.document)) for scenario in scenarios]
    verdicts = all_of(verdicts_of, traces)
    if format == "json":
        lines = [written(as_document(trace, found)) for trace, found in zip(traces, verdicts, strict=True)]
        output.write("".join(f"{line}\n" for line in lines), options["output"], options["force"])
    else:
        pairs = zip(traces, verdicts, strict=True)
        blocks = [block for trace, found in pairs for block in verification(trace, found, view)]
        write_blocks(session, options, blocks, view, format)
    return 0 if all(verdict.right for found in verdicts for verdict in found) else 1


def list_(session: Session, options: Options) -> int:
    """The built-in scenarios."""
    from attncalc.document.blocks import Prose
    from attncalc.document.listing import listing
    from attncalc.scenario_files.json_text import parse, written

    format = format_of(options, ("table", "plain", "json"))
    view = plain_view(session, format)
    documents = {name: parse(builtin.path_of(name).read_bytes(), name) for name in builtin.names()}
    if format == "json":
        entries = [{"name": name, "title": document.get("title")} for name, document in documents.items()]
        output.write(written(entries) + "\n", options["output"], options["force"])
        return 0
    blocks = list(listing(documents, view))
    if not session.quiet:
        blocks.append(Prose(view.say("list-next"), view.say("lead.next")))
    write_blocks(session, options, blocks, view, format)
    return 0


def show(session: Session, options: Options) -> int:
    """A scenario's JSON: the file as it is, or with the changes asked for."""
    from attncalc.scenario_files.edits import edited
    from attncalc.scenario_files.folding import folded
    from attncalc.scenario_files.json_text import parse, printable, written
    from attncalc.scenario_files.sources import read, shown_name

    source = options["name"]
    asked_for(source)
    data = read(source)
    document = parse(data, shown_name(source))
    changed = folded(edited(document, options["set"]), calculation(options))
    text = written(changed, 2) + "\n" if changed != document else data.decode("utf-8-sig")
    output.write(printable(text), options["output"], options["force"])
    return 0


def schema(session: Session, options: Options) -> int:
    """The JSON Schema of scenario files."""
    from attncalc.scenario_files.keys import json_schema

    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    output.write(text, options["output"], options["force"])
    return 0


def _shown(session: Session, options: Options, traces: Sequence[Trace], command: str) -> int:
    """Writes traces in the format asked for."""
    from attncalc.renderers import FORMATS, renderer

    format = format_of(options, names.TRACE_FORMATS)
    if options["indent"] is not None and format != "json":
        raise UsageError.of("indent-needs-json", "--indent")
    output.check_target(options["output"], options["force"])
    views = [view_of(session, options, trace, format) for trace in traces]
    if FORMATS[format].data:
        indent = options.get("indent")
        extra = {"indent": whole("--indent", indent, 0, 8)} if indent is not None else {}
        text = "".join(renderer(format)(t, v, **extra) for t, v in zip(traces, views, strict=True))
        output.write(text, options["output"], options["force"])
        return 0
    blocks = [block for t, v in zip(traces, views, strict=True) for block in _composed(session, t, v, command)]
    write_blocks(session, options, blocks, views[0], format)
    return 0


def _composed(session: Session, trace: Trace, view: View, command: str) -> Iterable[Any]:
    from attncalc.document.blocks import Prose, Remark
    from attncalc.document.explain import explain as told
    from attncalc.document.tables import tables

    composer = told if command == "explain" else tables
    blocks = list(composer(trace, view))
    if session.quiet:
        return [block for block in blocks if not isinstance(block, Remark)]
    other = "run" if command == "explain" else "explain"
    if trace.scenario.name in builtin.names() and not trace.scenario.changes:
        commands = [other, *(["verify"] if trace.scenario.option("expect") else []), "show"]
        following = " · ".join(f"attncalc {command} {trace.scenario.name}" for command in commands)
        blocks.append(Prose(following, view.say("lead.next")))
    return blocks


def _json_lines(session: Session, options: Options) -> int:
    """One scenario a line in, one trace a line out; all faulty lines are reported, with their numbers."""
    from attncalc.renderers import renderer
    from attncalc.running import run
    from attncalc.scenario_files.json_text import parse
    from attncalc.scenario_files.load import scenario_of
    from attncalc.scenario_files.sources import read

    if options["format"] not in (None, "json") or options["plain"]:
        raise UsageError.of("jsonl-needs-json", found=options["format"] or "plain")
    chosen = calculation(options)

    def answered(numbered: tuple[int, bytes]) -> str:
        number, line = numbered
        scenario = scenario_of(parse(line, "stdin", number), f"stdin:{number}", options["set"], chosen)
        trace = run(scenario, "terms" in options["step"])
        return renderer("json")(trace, view_of(session, options, trace, "json"))

    lines = [(number, line) for number, line in enumerate(read("-").splitlines(), 1) if line.strip()]
    output.write("".join(all_of(answered, lines)), options["output"], options["force"])
    return 0
