"""Options that change a calculation, folded into the document, so that a trace holds the whole of its scenario."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from attncalc.core.figures import Literal
from attncalc.scenario_files.json_text import inside_a_trace


def folded(document: Any, options: Mapping[str, Any]) -> Any:
    """The document with `places`, `by_hand`, `rounding`, `arithmetic` and `shift` from the command line.

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
    if options.get("shift") is not None:
        document["shift"] = options["shift"]
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
