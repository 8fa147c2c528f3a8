"""Token labels made safe to show: what a terminal would obey, or swallow, is written out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from attncalc.core.keeping import kept
from attncalc.core.labels import Numbered, distinct
from attncalc.core.wrapping import beginning, cells
from attncalc.messages.safe_text import visible

LONGEST = 24  # cells of a terminal


def short(label: str) -> str:
    """A safe label that fits a table; a long one keeps its beginning."""
    text = visible(label)
    return text if cells(text) <= LONGEST else beginning(text, LONGEST - 1) + "…"


@kept  # asked for again with every table of the same tokens
def labels(tokens: Sequence[str]) -> tuple[str, ...]:
    """Labels for a table: safe, short, `#2` after a repeated one, its position after one that looks like another."""
    if isinstance(tokens, Numbered):
        return tuple(tokens)
    names = [short(label) for label in distinct(tokens)]
    twins = {name for name, count in Counter(names).items() if count > 1}
    return tuple(f"{name} [{place}]" if name in twins else name for place, name in enumerate(names))


@kept  # asked for again with every query that is told
def cropped(tokens: Sequence[str]) -> tuple[str, ...]:
    """The labels that a table cannot show whole, safe but in full, each once."""
    if isinstance(tokens, Numbered):
        return ()
    return tuple(text for text in map(visible, dict.fromkeys(tokens)) if cells(text) > LONGEST)
