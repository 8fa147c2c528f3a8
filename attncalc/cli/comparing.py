"""The commands that set calculations side by side: other scenarios, other settings, one number that moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from attncalc.cli import output
from attncalc.cli.answering import all_of, asked_for, write_blocks
from attncalc.cli.choices import Options, calculation, format_of, view_of
from attncalc.cli.session import Session
from attncalc.cli.variants import Source, named, scenarios_of, wanted_variants
from attncalc.document.blocks import Remark
from attncalc.errors import UsageError, nearest

if TYPE_CHECKING:
    from attncalc.core.stage import Trace
    from attncalc.document.view import View
    from attncalc.explore.compare import Compared, Part, Variant


def compare(session: Session, options: Options) -> int:
    """Scenarios, or one with changes, side by side, step by step; 1 where they differ and that is asked for."""
    from attncalc.explore.compare import compared
    from attncalc.running import run
    from attncalc.scenario_files.json_text import written

    wanted = wanted_variants(options)
    format = format_of(options, ("table", "plain", "json"))
    output.check_target(options["output"], options["force"])
    scenarios = scenarios_of(wanted, options)
    traces = all_of(lambda scenario: run(scenario, "terms" in options["step"]), scenarios)
    variants = named(wanted, traces)
    view, part = _shown_part(session, options, traces, format)
    steps = compared(traces, view.steps)
    if format == "json":
        from attncalc.renderers.compare_json import as_document

        text = written(as_document(variants, steps, part, view)) + "\n"
        output.write(text, options["output"], options["force"])
    else:
        _write_comparison(session, options, variants, steps, part, view, format)
    return 1 if options["fail_on_difference"] and not all(step.same for step in steps) else 0


def _shown_part(session: Session, options: Options, traces: Sequence[Trace], format: str) -> tuple[View, Part]:
    """What is shown, by the labels of the first variant; a step may be in any of them."""
    from attncalc.explore.compare import Part

    known = list(dict.fromkeys(step.name for trace in traces for step in trace))
    for name in options["step"]:
        if name not in known:
            near = nearest(name, known)
            raise UsageError.of("unknown-step", "--step", found=name, known=", ".join(known), near=near)
    view = view_of(session, {**options, "step": []}, traces[0], format)._replace(steps=tuple(options["step"]))
    return view, Part(view.batches, view.heads, view.queries)


def _write_comparison(
    session: Session, options: Options, variants: Sequence[Variant], steps: Sequence[Compared], part: Part, view: View,
    format: str,
) -> None:  # fmt: skip
    from attncalc.document.comparison import comparison

    blocks = list(comparison(variants, steps, part, view))
    kept = [block for block in blocks if not (session.quiet and isinstance(block, Remark))]
    write_blocks(session, options, kept, view, format)


def sweep(session: Session, options: Options) -> int:
    """One row of a step while a number of the scenario moves."""
    from attncalc.cli.sweeping import chosen_row, own_value, points_of, refuse_mistyped, swept_row
    from attncalc.document.sweeping import sweeping
    from attncalc.renderers.sweep_data import as_csv, as_document
    from attncalc.running import run
    from attncalc.scenario_files.json_text import written

    refuse_mistyped(options)
    asked_for(options["source"])
    texts = points_of(options)
    format = format_of(options, ("table", "plain", "json", "csv"))
    output.check_target(options["output"], options["force"])
    source = Source(options["source"])
    trace = run(source.scenario(options["set"], calculation(options)))
    own = own_value(trace.scenario, options["path"])
    view = view_of(session, {**options, "step": []}, trace, format)
    swept = swept_row(source, options, trace, chosen_row(options, trace, view), texts, own, view)
    if format in ("json", "csv"):
        text = as_csv(swept) if format == "csv" else written(as_document(swept, view)) + "\n"
        output.write(text, options["output"], options["force"])
    else:
        write_blocks(session, options, list(sweeping(swept, view)), view, format)
    return 0
