"""`compare`: scenarios side by side, or one scenario and what changes make of it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from attncalc.cli.answering import all_of, answer_format, write_blocks, write_json
from attncalc.cli.choices import Options, query_of, view_of
from attncalc.cli.report import Status
from attncalc.cli.session import Session
from attncalc.cli.variants import variants_of, wanted_variants
from attncalc.core import names
from attncalc.errors import AttncalcError, UsageError, nearest

if TYPE_CHECKING:
    from attncalc.document.view import View
    from attncalc.explore.compare import Part, Variant


def compare(session: Session, options: Options) -> int:
    """Scenarios, or one with changes, side by side, step by step; 1 where they differ and that is asked for."""
    from attncalc.document.comparison import comparison
    from attncalc.explore.compare import compared
    from attncalc.renderers.compare_json import as_document

    wanted = wanted_variants(options)
    format = answer_format(options, names.DOCUMENTS)
    variants = variants_of(wanted, options)
    traces = [variant.trace for variant in variants]
    view, part = _shown_part(session, options, variants, format)
    steps = compared(traces, by_label=part.queries is not None and len(set(part.queries)) > 1)
    if format == "json":
        write_json(options, as_document(variants, steps, part, view))
    else:
        write_blocks(session, options, lambda view: comparison(variants, steps, part, view), view, format)
    asked = [step for step in steps if view.wants(step.first)]
    differs = options["fail_on_difference"] and not all(step.same for step in asked)
    return Status.WRONG if differs else Status.DONE


def _shown_part(session: Session, options: Options, variants: Sequence[Variant], format: str) -> tuple[View, Part]:
    """What is shown: queries by the labels of each variant, heads by the first; a step may be in any of them."""
    from attncalc.explore.compare import Part

    traces = [variant.trace for variant in variants]
    known = list(dict.fromkeys(step.name for trace in traces for step in trace))
    for name in options["step"]:
        if name not in known:
            near = nearest(name, known)
            raise UsageError.of("unknown-step", "--step", found=name, known=", ".join(known), near=near)
    queries = _queries(variants, options["token"]) if options["token"] else None
    view = view_of(session, {**options, "step": [], "token": []}, traces[0], format)
    return view._replace(steps=tuple(options["step"])), Part(view.batches, view.heads, queries)


def _queries(variants: Sequence[Variant], tokens: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """The queries of the labels in each variant; a fault of only some of them names the variant."""
    found: list[tuple[int, ...]] = []
    refused: dict[str, AttncalcError] = {}
    for variant in variants:
        try:
            found.append(tuple(all_of(partial(query_of, variant.trace), tokens)))
        except AttncalcError as error:
            refused[variant.name] = error
    if len(found) == len(variants):
        return tuple(found)
    if not found and len({str(error) for error in refused.values()}) == 1:
        raise next(iter(refused.values()))
    raise UsageError(
        fault._replace(place=f"{name}: {fault.place}") for name, error in refused.items() for fault in error.faults
    )
