"""`run --summary`: all queries of a long attention, without ever holding all scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from attncalc.cli import mapping
from attncalc.cli.answering import answer_format, write_text
from attncalc.cli.choices import Options, calculation, place_named, plain_view, whole_number
from attncalc.cli.progress import announced, showing
from attncalc.cli.session import Session
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.long.loading import Long
    from attncalc.long.problem import Asked
    from attncalc.long.summary import Summary

FORMATS = ("table", "plain", "json", "npz", "markdown", "latex", "html")
MOST_THREADS, MOST_TOP, MOST_NEAR = 256, 1000, 10**9 - 1
IDLE = ("step", "jsonl", "picture")
MAP_IDLE = ("step", "jsonl", "token", "top", "near")
"""Options of `run` that a summary does not read."""


def summary(session: Session, options: Options) -> int:
    """The context and the figures of every row: a table of their means, JSON, or arrays; with a map if asked for."""
    from attncalc.long.ahead import bytes_needed, check_memory
    from attncalc.long.loading import ready
    from attncalc.long.pooling import averaged
    from attncalc.long.summary import mapped, summarised

    _refuse(options)
    format = _format(options)
    threads = whole_number(options, "threads", 2, 1, MOST_THREADS)
    long = long_at(options["scenarios"][0], options)
    asked, chosen = _asked(session, options, long, format), queries(long, options)
    check_memory(long, bytes_needed(long, asked.top, threads), "long-memory")
    problem = ready(long)
    announced(session, problem, long, asked, threads)
    with showing(session) as progress:
        if asked.pooling is not None and asked.pooling.alone:
            found = mapped(problem, asked.pooling, threads, progress)
        else:
            found = summarised(problem, asked, threads, progress)
    if found.map is not None and mapping.averaging(long, options):
        found = found._replace(map=averaged(found.map))
    _write(session, options, long, found, chosen, format)
    return 0


def _write(
    session: Session, options: Options, long: Long, found: Summary, chosen: tuple[int, ...], format: str
) -> None:  # fmt: skip
    """The summary, or the map alone, in a format."""
    alone = found.map is not None and found.map.pooling.alone
    view = plain_view(session, format)._replace(everything=bool(options["all"]))
    view = mapping.view_of(view, long, options) if found.map is not None else view
    if format == "npz":
        from attncalc.renderers.summary_npz import render

        write_text(options, render(found))
    elif format == "json":
        from attncalc.renderers import summary_json

        one = summary_json.map_alone(found) if alone else summary_json.render(found, long.scenario, chosen or None)
        write_text(options, one)
    else:
        mapping.write(session, options, found, long.scenario, chosen, view, format)


def _format(options: Options) -> str:
    """The format; --picture map has its own, and all read it."""
    if mapping.asked_for(options):
        return answer_format({**options, "picture": None}, mapping.FORMATS)
    return answer_format(options, FORMATS)


def _refuse(options: Options) -> None:
    if len(options["scenarios"]) != 1:
        raise UsageError.of("summary-one-scenario", "--summary" if options["summary"] else "--picture map")
    idle, code = (IDLE, "summary-idle") if options["summary"] else (MAP_IDLE, "map-idle")
    known = ("picture",) if mapping.asked_for(options) else ()
    if found := [f"--{name}" for name in idle if options[name] and name not in known]:
        raise UsageError.of(code, ", ".join(found))


def _asked(session: Session, options: Options, long: Long, format: str) -> Asked:
    from attncalc.long.problem import Asked

    top = whole_number(options, "top", 5, 1, MOST_TOP)
    asked = Asked(top, whole_number(options, "near", 64, 1, MOST_NEAR))
    if not mapping.asked_for(options):
        return asked
    return asked._replace(pooling=mapping.pooling(session, long, options, format))


def long_at(source: str, options: Options) -> Long:
    """The scenario of a source, its large arrays left in their files."""
    from attncalc.long.loading import load_long
    from attncalc.scenario_files.sources import source_at

    return load_long(source_at(source, options["allow_outside"]), options["set"], calculation(options))


def queries(long: Long, options: Options) -> tuple[int, ...]:
    """The queries that --token names."""
    return tuple(place_named(long.scenario.query_tokens, word, "--token") for word in options["token"])
