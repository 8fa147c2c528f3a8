"""`run --summary`: all queries of a long attention, without ever holding all scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncalc.cli import mapping
from attncalc.cli.answering import all_of, answer_format, write_text
from attncalc.cli.choices import Options, calculation, place_named, places_chosen, plain_view, whole_number
from attncalc.cli.effort import check_summary
from attncalc.cli.mapping import Told
from attncalc.cli.progress import announced, showing
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.cli.spreading import refuse_idle
from attncalc.errors import UsageError

if TYPE_CHECKING:
    from attncalc.long.loading import Long
    from attncalc.long.problem import Asked
    from attncalc.long.summary import Summary

Places = tuple["tuple[int, ...] | None", "tuple[int, ...] | None"]
"""Batch entries and heads; None: all."""

FORMATS = ("table", "plain", "json", "npz", "markdown", "latex", "html")
MOST_THREADS, MOST_TOP, MOST_NEAR = 256, 1000, 10**9 - 1
IDLE, MAP_IDLE = ("step", "jsonl", "picture", "indent"), ("step", "jsonl", "token", "top", "near", "indent")
"""Options of `run` that a summary does not read, and a map alone."""


def summary(session: Session, options: Options) -> int:
    """The context and the figures of every row: a table of their means, JSON, or arrays; with a map if asked for."""
    _refuse(options)
    format = _format(options)
    longs = all_of(lambda source: long_at(source, options), options["scenarios"])
    asked = _asked(session, options, longs[0], format)
    chosen = all_of(lambda long: queries(long, options), longs)
    chosen_places = None if mapping.asked_for(options) else all_of(lambda long: places(long, options), longs)[0]
    found = _found(session, options, longs, asked)
    told = [Told(long.scenario, one, rows) for long, one, rows in zip(longs, found, chosen, strict=True)]
    _write(session, options, longs[0], told, chosen_places, format)
    return Status.DONE


def _found(session: Session, options: Options, longs: Sequence[Long], asked: Asked) -> list[Summary]:
    """The summaries, calculated on threads one after another, or by the workers of a scheduler."""
    from attncalc.long.ahead import fitting

    threads = fitting(whole_number(options, "threads", 2, 1, MOST_THREADS))
    _check_memory(options, longs, asked, threads)
    if options["scheduler"] is not None:
        from attncalc.cli.spreading import spread_out

        found = spread_out(session, options, longs, asked)
    else:
        found = [_here(session, options, long, asked, threads) for long in longs]
    if not mapping.averaging(longs[0], options):
        return found
    from attncalc.long.pooling import averaged

    return [one._replace(map=averaged(one.map)) if one.map is not None else one for one in found]


def _check_memory(options: Options, longs: Sequence[Long], asked: Asked, threads: int) -> None:
    """Refuses what is too much: all results stay; what they are made of is there in turn, or for workers at once."""
    from attncalc.long.ahead import bytes_needed, check_memory, results_bytes

    spread = options["scheduler"] is not None
    kept, held = sum(results_bytes(long, asked.top) for long in longs), 0
    for long in longs:
        more = bytes_needed(long, asked.top, threads, spread) - results_bytes(long, asked.top)
        held = held + more if spread else more
        check_memory(long, kept + held, "long-memory")


def _here(session: Session, options: Options, long: Long, asked: Asked, threads: int) -> Summary:
    from attncalc.long.loading import ready
    from attncalc.long.summary import summarised

    problem = ready(long)
    check_summary(problem.problem, asked, long.scenario, options)
    announced(session, problem, long, asked, threads)
    with showing(session) as progress:
        found = summarised(problem, asked, threads, progress)
    return found._replace(problem=found.problem._replace(q=None, k=None, v=None))  # room for the next


def _write(
    session: Session, options: Options, long: Long, told: Sequence[Told], chosen: Places | None, format: str
) -> None:  # fmt: skip
    """The summaries, or the map alone, in a format."""
    if format == "npz":
        from attncalc.renderers.summary_npz import render_all

        write_text(options, render_all([(one.scenario.name, one.found, one.queries or None) for one in told]))
    elif format == "json":
        write_text(options, "".join(_as_json(one) for one in told))
    else:
        view = plain_view(session, format)._replace(everything=bool(options["all"]))
        if chosen is None:
            view = mapping.view_of(view, long, options)
        else:
            view = view._replace(batches=chosen[0], heads=chosen[1])
        mapping.write(session, options, told, view, format)


def _as_json(told: Told) -> str:
    from attncalc.renderers import summary_json

    _, found, rows = told
    alone = found.asked is not None and found.asked.map_alone
    return summary_json.map_alone(found) if alone else summary_json.render(found, rows or None)


def _format(options: Options) -> str:
    """The format; --picture map has its own, and all read it."""
    if mapping.asked_for(options):
        return answer_format({**options, "picture": None}, mapping.FORMATS)
    return answer_format(options, FORMATS)


def _refuse(options: Options) -> None:
    if mapping.asked_for(options) and len(options["scenarios"]) != 1:
        raise UsageError.of("map-one-scenario", "--picture map")
    idle, code = (IDLE, "summary-idle") if options["summary"] else (MAP_IDLE, "map-idle")
    known = ("picture",) if mapping.asked_for(options) else ()
    if found := [f"--{name}" for name in idle if options[name] and name not in known]:
        raise UsageError.of(code, ", ".join(found))
    refuse_idle(options)


def _asked(session: Session, options: Options, long: Long, format: str) -> Asked:
    from attncalc.long.problem import Asked

    asked = Asked(1, 1)  # of a map alone no row is told
    if options["summary"]:
        asked = Asked(whole_number(options, "top", 5, 1, MOST_TOP), whole_number(options, "near", 64, 1, MOST_NEAR))
    if mapping.asked_for(options):
        asked = asked._replace(pooling=mapping.pooling(session, long, options, format))
    return asked


def long_at(source: str, options: Options) -> Long:
    """The scenario of a source, its large arrays left in their files."""
    from attncalc.long.loading import load_long
    from attncalc.scenario_files.sources import source_at

    return load_long(source_at(source, options["allow_outside"]), options["set"], calculation(options))


def places(long: Long, options: Options) -> Places:
    """The batch entries and heads of which is told."""
    batches, heads = (places_chosen(long.scenario, options, axis) for axis in ("batch", "head"))
    return None if options["batch"] == "all" else batches, None if options["head"] == "all" else heads


def queries(long: Long, options: Options) -> tuple[int, ...]:
    """The queries that --token names."""
    return tuple(place_named(long.scenario.query_tokens, word, "--token") for word in options["token"])
