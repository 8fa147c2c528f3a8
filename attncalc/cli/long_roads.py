"""Which way a scenario goes: whole, or, where it has too many scores for that, only the rows asked for."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import localcontext
from typing import TYPE_CHECKING, Any, NamedTuple

from attncalc.cli.choices import Options, calculation, place_named, plain_view
from attncalc.cli.output_size import PAGE, are_large
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.core.memory import EAGER
from attncalc.errors import AttncalcError, UsageError

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.long.loading import Long
    from attncalc.scenario_files.sources import Source

SMALL = 20_000
"""Bytes of a document, or of a file beside it, that cannot ask for more."""

FORCED = 10**7
"""Cells of a trace that are written as JSON only by force."""

SHOWN, ALL_SHOWN = 20, 1000
"""Keys that are shown of a row with very many, and with --all."""

TOLD = 8_000_000
"""Numbers of keys and values up to which the rows asked for are told step by step."""

ROWS_TOLD = 50_000
"""Scores of the rows asked for, in one head, up to which they are told step by step: as many as are laid out."""


def road(place: str, options: Options) -> Scenario | Long:
    """The scenario of a source, or, where it has many scores or keys, its outline: large arrays stay in files."""
    from attncalc.core.certain import OWN
    from attncalc.scenario_files.folding import changed
    from attncalc.scenario_files.load import scenario_from
    from attncalc.scenario_files.sources import source_at

    with localcontext(OWN):
        source = changed(source_at(place, options["allow_outside"]), options["set"], calculation(options))
        if _may_be_long(source):
            from attncalc.long.loading import outline

            long = outline(source)
            if math.prod(long.scenario.grid) > EAGER or not told_whole(long, 1):
                return long
        return scenario_from(source)


def _may_be_long(source: Source) -> bool:
    """Whether the document or a file beside it is large enough for many scores."""
    from attncalc.scenario_files.inlining import references

    return len(source.data) > SMALL or any(_size(source, part) > SMALL for part in references(source.document))


def _size(source: Source, reference: dict[str, Any]) -> int:
    from attncalc.scenario_files.array_files import file_of

    try:
        path = file_of(reference, source.folder)
        return path.stat().st_size if path.is_file() else SMALL + 1
    except (OSError, ValueError, AttncalcError):  # the reader says what is wrong
        return 0


def whole(long: Long, options: Options, format: str) -> Scenario:
    """A long scenario calculated whole after all; refused where it cannot fit, or as JSON without force."""
    from attncalc.core.memory import check_fits

    cells = math.prod(long.scenario.grid)
    check_fits(long.scenario.name, long.scenario.grid, long.scenario.document)
    if format == "json" and cells > FORCED and not options["force"]:
        raise UsageError.of("long-needs-force", long.scenario.name, cells=f"{cells:,}")
    from attncalc.core.certain import OWN
    from attncalc.scenario_files.load import scenario_from

    with localcontext(OWN):
        return scenario_from(long.source)


def told_whole(long: Long, count: int) -> bool:
    """Whether so many rows of a long scenario can be told step by step."""
    batch, heads, _, keys = long.scenario.grid
    sizes, cells = long.scenario.sizes, keys * count
    numbers = batch * sizes["kv_heads"] * keys * (sizes.get("d_k", 0) + sizes.get("d_v", 0))
    return numbers <= TOLD and cells <= ROWS_TOLD and batch * heads * cells <= EAGER


Shown = Callable[[Session, Options, "list[Trace]", str], int]
"""Writes traces as a command shows them."""


def some_rows(session: Session, options: Options, long: Long, command: str, shown: Shown) -> int:
    """Tells the rows that are asked for: step by step, or, of very many keys, what there is to know of each row."""
    from attncalc.cli.answering import answer_format
    from attncalc.cli.summarising import FORMATS
    from attncalc.cli.summarising import queries as asked_queries
    from attncalc.long.ahead import bytes_before, check_memory
    from attncalc.long.loading import of_a_kind

    long = of_a_kind(long)
    queries = asked_queries(long, options) or long.scenario.queries
    check_memory(long, bytes_before(long), "long-rows-memory")
    format = answer_format(options, names.FORMATS)
    laid_out = format in FORMATS and (command == "run" or format == PAGE)
    large = laid_out and are_large(long.scenario, options, format, len(queries))
    if large or not told_whole(long, len(queries)):
        return _streamed(session, options, long, queries)
    from attncalc.long.rows import rows_scenario
    from attncalc.running import run

    scenario = rows_scenario(long, queries)
    trace = run(scenario, terms=scenario.has_values and (command == "explain" or "terms" in options["step"]))
    rows = [str(row) for row in range(len(queries))]
    return shown(session, {**options, "token": [*rows]}, [trace], command)


def _streamed(session: Session, options: Options, long: Long, queries: tuple[int, ...]) -> int:
    from attncalc.cli.answering import answer_format, write_blocks, write_text
    from attncalc.cli.summarising import FORMATS, places
    from attncalc.document.summaries import told
    from attncalc.long.problem import Asked
    from attncalc.long.rows import streamed

    if idle := [f"--{name}" for name in ("step", "indent") if options[name]]:
        raise UsageError.of("rows-idle", ", ".join(idle))
    format = answer_format(options, FORMATS)
    batches, heads = places(long, options)
    found = streamed(long, queries, Asked(ALL_SHOWN if options["all"] else SHOWN))
    if format in ("npz", "json"):
        from attncalc.renderers import summary_json, summary_npz

        write_text(options, (summary_json.render if format == "json" else summary_npz.render)(found))
        return Status.DONE
    view = plain_view(session, format)._replace(everything=bool(options["all"]), batches=batches, heads=heads)
    write_blocks(session, options, lambda view: told(found, long.scenario, queries, view), view, format)
    return Status.DONE


class Cut(NamedTuple):
    """The scenario that a cell is in, the cell's words in it, and whether its derivation goes on before q, k and v."""

    scenario: Scenario
    words: list[str]
    goes_on: bool = False


def row_of_cell(long: Long, words: Sequence[str]) -> Cut:
    """The scenario of the one row that a cell is in, or, before the scores, of its token alone."""
    from attncalc.explore.cells import parted
    from attncalc.long.ahead import check_memory, rows_bytes
    from attncalc.long.loading import of_a_kind
    from attncalc.long.rows import rows_scenario
    from attncalc.long.token import made_from_x, token_scenario
    from attncalc.pipelines.standard import ROWS, STEP_NAMES

    long, scenario = of_a_kind(long), long.scenario
    step, *places = parted(STEP_NAMES, words)
    made = {one.name: one.keys for one in made_from_x(long)}
    if step in made and places:
        labels = scenario.tokens if made[step] else scenario.query_tokens
        token = place_named(labels, places[0], " ".join(words))
        return Cut(token_scenario(long, token, made[step]), [step, "0", *places[1:]])
    query, *_ = scenario.queries
    if places and any(row.name == step and row.layout[2] == "query" for row in ROWS):
        query = place_named(scenario.query_tokens, places.pop(0), " ".join(words))
    check_memory(long, rows_bytes(long), "long-rows-memory")
    return Cut(rows_scenario(long, (query,)), [step, *places], bool(made))
