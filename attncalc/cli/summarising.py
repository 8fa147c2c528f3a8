"""`run --summary`: all queries of a long attention, without ever holding all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.cli.answering import answer_format, write_blocks, write_text
from attncalc.cli.choices import Options, calculation, place_named, plain_view, whole_number
from attncalc.cli.progress import announced, showing
from attncalc.cli.session import Session
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.long.loading import Long
    from attncalc.long.problem import Asked

FORMATS = ("table", "plain", "json", "npz", "markdown", "latex", "html")
MOST_THREADS, MOST_TOP, MOST_NEAR = 256, 1000, 10**9 - 1
IDLE = ("step", "jsonl", "picture")
"""Options of `run` that a summary does not read."""


def summary(session: Session, options: Options) -> int:
    """The context and the figures of every row: a table of their means, JSON, or arrays."""
    from attncalc.long.ahead import bytes_needed, check_memory
    from attncalc.long.loading import ready
    from attncalc.long.summary import summarised

    _refuse(options)
    format = answer_format(options, FORMATS)
    threads = whole_number(options, "threads", 2, 1, MOST_THREADS)
    asked = _asked(options)
    long = long_at(options["scenarios"][0], options)
    chosen = queries(long, options)
    check_memory(long, bytes_needed(long, asked.top, threads), "long-memory")
    problem = ready(long)
    announced(session, problem, long, asked, threads)
    with showing(session) as progress:
        found = summarised(problem, asked, threads, progress)
    if format == "npz":
        from attncalc.renderers.summary_npz import render

        write_text(options, render(found))
    elif format == "json":
        from attncalc.renderers.summary_json import render as as_json

        write_text(options, as_json(found, long.scenario, chosen or None))
    else:
        from attncalc.document.summaries import summary as composed

        view = plain_view(session, format)._replace(everything=bool(options["all"]))
        write_blocks(session, options, lambda view: composed(found, long.scenario, chosen, view), view, format)
    return 0


def _refuse(options: Options) -> None:
    if len(options["scenarios"]) != 1:
        raise UsageError.of("summary-one-scenario", "--summary")
    idle = [f"--{name}" for name in IDLE if options[name]]
    if idle:
        raise UsageError.of("summary-idle", ", ".join(idle))


def _asked(options: Options) -> Asked:
    from attncalc.long.problem import Asked

    top = whole_number(options, "top", 5, 1, MOST_TOP)
    return Asked(top, whole_number(options, "near", 64, 1, MOST_NEAR))


def long_at(source: str, options: Options) -> Long:
    """The scenario of a source, its large arrays left in their files."""
    from attncalc.long.loading import load_long
    from attncalc.scenario_files.sources import source_at

    return load_long(source_at(source, options["allow_outside"]), options["set"], calculation(options))


def queries(long: Long, options: Options) -> tuple[int, ...]:
    """The queries that --token names."""
    return tuple(place_named(long.scenario.query_tokens, word, "--token") for word in options["token"])
