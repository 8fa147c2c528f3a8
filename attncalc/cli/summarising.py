"""`run --summary`: all queries of a long attention, without ever holding all scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from attncalc.cli.answering import all_of, answer_format, write_blocks, write_text
from attncalc.cli.choices import Options, calculation, place_named, plain_view, whole_number
from attncalc.cli.one_thread import with_one_thread
from attncalc.cli.progress import announced, showing
from attncalc.cli.session import Session
from attncalc.cli.spreading import refuse_idle
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.document.blocks import Block
    from attncalc.document.view import View
    from attncalc.long.loading import Long
    from attncalc.long.problem import Asked
    from attncalc.long.summary import Summary

FORMATS = ("table", "plain", "json", "npz", "markdown", "latex", "html")
MOST_THREADS, MOST_TOP, MOST_NEAR = 256, 1000, 10**9 - 1
IDLE = ("step", "jsonl", "picture")
"""Options of `run` that a summary does not read."""


def summary(session: Session, options: Options) -> int:
    """The context and the figures of every row: a table of their means, JSON, or arrays."""
    with_one_thread()
    _refuse(options)
    format = answer_format(options, FORMATS)
    whole_number(options, "threads", 2, 1, MOST_THREADS)
    asked = _asked(options)
    longs = all_of(lambda source: long_at(source, options), options["scenarios"])
    chosen = all_of(lambda long: queries(long, options), longs)
    found = _found(session, options, longs, asked)
    if format == "npz":
        from attncalc.renderers.summary_npz import render_all

        write_text(options, render_all([(long.scenario.name, one) for long, one in zip(longs, found, strict=True)]))
    elif format == "json":
        from attncalc.renderers.summary_json import render

        lines = (render(one, long.scenario, rows or None) for one, long, rows in zip(found, longs, chosen, strict=True))
        write_text(options, "".join(lines))
    else:
        from attncalc.document.summaries import summary as composed

        view = plain_view(session, format)._replace(everything=bool(options["all"]))

        def blocks(view: View) -> Iterator[Block]:
            for one, long, rows in zip(found, longs, chosen, strict=True):
                yield from composed(one, long.scenario, rows, view)

        write_blocks(session, options, blocks, view, format)
    return 0


def _found(session: Session, options: Options, longs: Sequence[Long], asked: Asked) -> list[Summary]:
    """The summaries, calculated on threads one after another, or by the workers of a scheduler."""
    from attncalc.long.ahead import bytes_needed, check_memory, results_bytes

    threads = whole_number(options, "threads", 2, 1, MOST_THREADS)
    kept = sum(results_bytes(long, asked.top) for long in longs)
    for long in longs:
        more = bytes_needed(long, asked.top, threads, whole=options["scheduler"] is None)
        check_memory(long, kept + more - results_bytes(long, asked.top), "long-memory")
    if options["scheduler"] is not None:
        from attncalc.cli.spreading import spread_out

        return spread_out(session, options, longs, asked)
    return [_here(session, long, asked, threads) for long in longs]


def _here(session: Session, long: Long, asked: Asked, threads: int) -> Summary:
    from attncalc.long.loading import ready
    from attncalc.long.summary import summarised

    problem = ready(long)
    announced(session, problem, long, asked, threads)
    with showing(session) as progress:
        return summarised(problem, asked, threads, progress)


def _refuse(options: Options) -> None:
    idle = [f"--{name}" for name in IDLE if options[name]]
    if idle:
        raise UsageError.of("summary-idle", ", ".join(idle))
    refuse_idle(options)


def _asked(options: Options) -> Asked:
    from attncalc.long.problem import Asked

    top = whole_number(options, "top", 5, 1, MOST_TOP)
    return Asked(top, whole_number(options, "near", 64, 1, MOST_NEAR))


def long_at(source: str, options: Options) -> Long:
    """The scenario of a source, its large arrays left in their files."""
    from attncalc.long.loading import load_long
    from attncalc.scenario_files.sources import source_at

    return load_long(source_at(source), options["set"], calculation(options))


def queries(long: Long, options: Options) -> tuple[int, ...]:
    """The queries that --token names."""
    return tuple(place_named(long.scenario.query_tokens, word, "--token") for word in options["token"])
