"""`list`: the built-in scenarios, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from attncalc.document.blocks import Block, Figure, Matrix
from attncalc.document.view import View
from attncalc.messages import text_in


def listing(documents: Mapping[str, Mapping[str, Any]], view: View) -> Iterator[Block]:
    """Name and title of each scenario."""
    rows = tuple((Figure(text_in(document.get("title"), view.language)),) for document in documents.values())
    yield Matrix("", view.say("column.name"), "", tuple(documents), (view.say("column.title"),), rows, False)
