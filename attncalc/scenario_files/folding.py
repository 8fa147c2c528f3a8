"""Changes, and options that change a calculation, put into the document: a trace holds the whole of its scenario."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from attncalc.core.figures import Literal
from attncalc.errors import AttncalcError, ScenarioError
from attncalc.scenario_files.json_text import inside_a_trace
from attncalc.scenario_files.sources import Source


def changed(source: Source, changes: Sequence[str], options: Mapping[str, Any] | None = None) -> Source:
    """The source with changes such as `scores.0=1`, made together, and the options of the calculation after them.

    An array in a file of which a change means a single number is put into the document.
    """
    document = source.document
    if changes:
        from attncalc.scenario_files.edits import edited

        document = edited(_opened(source, changes), changes)
    return source._replace(document=folded(document, options or {}), changes=(*source.changes, *changes))


def _opened(source: Source, changes: Sequence[str]) -> Any:
    """The document with the arrays put in that changes reach into; faults of theirs name the source."""
    from attncalc.scenario_files.inlining import opened  # needs NumPy

    try:
        return opened(source.document, changes, source.folder)
    except AttncalcError as error:
        raise ScenarioError(fault._replace(place=f"{source.name}: {fault.place}") for fault in error.faults) from None


def folded(document: Any, options: Mapping[str, Any]) -> Any:
    """The document with what the command line says of the calculation: `places`, `by_hand`, `rounding`, `block` ….

    `arithmetic` goes before `by_hand`; `by_hand` "off" undoes the scenario's.
    """
    if not isinstance(document, dict):
        return document
    inside = inside_a_trace(document)
    if isinstance(inside, dict):
        return {**document, "scenario": _changed(copy.copy(inside), options)}
    return document if inside is not None else _changed(copy.copy(document), options)


def _changed(document: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    for key in ("places", "rounding"):
        if options.get(key) is not None:
            document[key] = Literal(str(options[key])) if key == "places" else options[key]
    for key in ("shift", "algorithm"):
        if options.get(key) is not None:
            document[key] = options[key]
    if options.get("block") is not None:
        document["block"] = Literal(str(options["block"]))
    by_hand = options.get("by_hand")
    if by_hand == "off":
        document.pop("by_hand", None)
        if document.get("arithmetic") == "by-hand":
            del document["arithmetic"]
    elif by_hand is not None:
        document["by_hand"] = Literal(str(by_hand))
        document.pop("arithmetic", None)
    if options.get("arithmetic") is not None:
        document["arithmetic"] = options["arithmetic"]
    return document
