"""The weights read aloud: at which keys a query looks most, and what the keys that are not shown hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from attncalc.core.figures import figure
from attncalc.core.numbers import figure_of
from attncalc.core.stage import Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Prose
from attncalc.document.view import View

NAMED = 6


def reading(trace: Trace, view: View, place: tuple[int, int, int]) -> Iterator[Block]:
    """One sentence that orders the keys by their weight; ties are said to be equal."""
    row = list(trace["weights"].cells[place])
    if any(x != x for x in row) or not any(row):
        return
    names = labels(trace.scenario.tokens)
    asking = labels(trace.scenario.query_tokens)[place[2]]
    seen = sorted((key for key in range(len(row)) if row[key] != 0), key=lambda key: (-row[key], key))
    groups = _equal_groups(row, seen)
    if len(groups) == 1:
        code = "reading-one" if len(seen) == 1 else "reading-equal"
        yield Prose(
            view.say(code, query=asking, key=_named(trace, view, groups[0], names, row, place)),
            view.say("lead.reading"),
        )
        return
    parts = [_named(trace, view, group, names, row, place) for group in groups]
    middle = parts[1:-1]
    if len(middle) > NAMED:
        middle = [*middle[: NAMED - 1], view.signs.dots]
    fields = {"query": asking, "most": parts[0], "middle": view.say("list-comma").join(middle), "least": parts[-1]}
    yield Prose(view.say("reading" if middle else "reading-two", **fields), view.say("lead.reading"))


def _equal_groups(row: Sequence[Any], order: Sequence[int]) -> list[list[int]]:
    groups: list[list[int]] = []
    for key in order:
        if groups and row[groups[-1][0]] == row[key]:
            groups[-1].append(key)
        else:
            groups.append([key])
    return groups


def _named(
    trace: Trace, view: View, keys: Sequence[int], names: Sequence[str], row: Sequence[Any], place: tuple[int, int, int]
) -> str:
    """`I (0.62)`, `like and to (0.12 each)`; the query's own token is called itself."""
    itself = trace.scenario.arrays["own"][place] & (not trace.scenario.has("memory"))  # keys of others are not itself
    words = [view.say("itself") if itself[key] else names[key] for key in keys[:NAMED]]
    words += [view.signs.dots] if len(keys) > NAMED else []
    weight = view.number(figure_of(trace, trace["weights"], row[keys[0]]))
    if len(keys) == 1:
        return view.say("key-weight", key=words[0], weight=weight)
    keys_named = view.listed(words)
    return view.say("keys-weight", keys=keys_named, weight=weight)


def share_of_rest(trace: Trace, view: View, place: tuple[int, int, int], keys: Sequence[int]) -> Iterator[Block]:
    """How many keys are shown and what the others hold together."""
    row = trace["weights"].cells[place]
    rest = [row[key] for key in range(len(row)) if key not in set(keys)]
    if rest:
        total = sum(rest, start=type(rest[0])(0))
        share = figure(Decimal(str(total)) * 100, 0 if total * 100 >= 1 or not total else 2, "half-up")
        yield Prose(view.aloud("keys-shown", shown=len(keys), all=len(row), share=share))
