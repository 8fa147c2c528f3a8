"""A long attention, summarised: the means over all rows, and the rows that were asked for."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import figure
from attncalc.core.scenario import Scenario
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose, Remark
from attncalc.document.maps import maps
from attncalc.document.view import View
from attncalc.long.summary import Summary
from attncalc.messages import text_in
from attncalc.messages.safe_text import visible

MOST_FEATURES = 16
"""Features of a context that are shown; --all shows every one."""


def summary(
    found: Summary, scenario: Scenario, queries: Sequence[int], view: View, levels: int = 0
) -> Iterator[Block]:  # fmt: skip
    """The means over all rows, head by head, each query that is asked for, and the map in levels of shade."""
    yield from _opening(found, scenario, view.say("long-title"), view)
    batches = _places(found, view)[0] if found.problem.grid[0] > 1 else ()
    aside = "" if view.batches is None else view.say("list-comma").join(
        view.place_name(scenario, batch, None) for batch in batches)  # fmt: skip
    yield Heading(view.say("long-means"), aside=aside)
    yield _means(found, scenario, view)
    if _averaged(found, view):
        yield Remark("mere-average", view.say("long-mere-average"))
    empty = int(found.empty.sum())
    if empty:
        yield Remark("empty-row", view.say("long-empty", count=empty))
    yield from _not_finite(found, scenario, view)
    for query in queries:
        yield from row(found, scenario, query, query, view)
    if found.map is not None:
        yield from maps(found.map, scenario, view, levels)


def _not_finite(found: Summary, scenario: Scenario, view: View) -> Iterator[Block]:
    """How many rows hold what is not finite, and the first of them: one among many would not be seen."""
    bad = ~np.isfinite(found.largest)
    if found.context is not None:
        bad |= ~np.isfinite(found.context).all(axis=-1)
    if count := int(bad.sum()):
        first = (found.queries or range(bad.shape[2]))[int(np.argmax(bad.any(axis=(0, 1))))]
        query = labels(scenario.query_tokens[first : first + 1])[0]
        yield Remark("not-finite", view.say("long-not-finite", count=count, query=query))


def told(found: Summary, scenario: Scenario, queries: Sequence[int], view: View) -> Iterator[Block]:
    """Some queries of a long context."""
    yield from _opening(found, scenario, view.say("long-rows-title"), view)
    yield from _not_finite(found, scenario, view)
    for place, query in enumerate(queries):
        yield from row(found, scenario, query, place, view)


def map_alone(found: Summary, scenario: Scenario, view: View, levels: int) -> Iterator[Block]:
    """The map of a long attention, and nothing else of it."""
    yield from _opening(found, scenario, view.say("map-untitled"), view)
    if found.map is not None:
        yield from maps(found.map, scenario, view, levels)


def _opening(found: Summary, scenario: Scenario, untitled: str, view: View) -> Iterator[Block]:
    batch, heads, rows, keys = found.problem.grid
    title = text_in(scenario.option("title"), view.language)
    yield Heading(visible(title) if title else untitled, aside=found.problem.kind)
    yield Prose(view.say("long-sizes", batch=batch, heads=heads, queries=rows, keys=keys), view.say("lead.sizes"))


def row(found: Summary, scenario: Scenario, query: int, place: int, view: View) -> Iterator[Block]:
    """One query: its largest weights, the share of the rest, its figures and its context; `place` is its row."""
    name = labels(scenario.query_tokens[query : query + 1])[0]
    for batch, head in itertools.product(*_places(found, view)):
        where = view.place_name(scenario, batch, head)
        yield Heading(view.say("long-row", query=name, position=query), aside=where)
        here = (batch, head, place)
        if found.keys is not None and found.weights is not None:
            whole = _whole(found, here, query)
            yield _top(found, scenario, found.keys[here], found.weights[here], whole, view)
        yield Prose(view.say("list-comma").join(_figures(found, scenario, here, view)))
        if found.context is not None:
            yield _vector("context", found.context[here], scenario, view)
    yield from _after(found, scenario, place, view)


def _after(found: Summary, scenario: Scenario, place: int, view: View) -> Iterator[Block]:
    """The steps that follow the context of a row."""
    for batch in _places(found, view)[0] if found.steps else ():
        yield Heading(view.say("long-after"), aside=view.place_name(scenario, batch, None))
        for name, values in found.steps.items():
            for head in range(values.shape[1]):
                yield _vector(name, values[batch, head, place], scenario, view)


def _figures(found: Summary, scenario: Scenario, here: tuple[int, int, int], view: View) -> Iterator[str]:
    for code, values in found.figures.items():
        yield f"{view.say(f'long-figure.{code}', near=_near(found))} {_number(values[here], scenario, view)}"


def _near(found: Summary) -> int:
    return found.asked.near if found.asked else 0


def _number(value: float, scenario: Scenario, view: View) -> str:
    return view.number(figure(float(value), scenario.places, scenario.rounding))


def _places(found: Summary, view: View) -> tuple[Sequence[int], Sequence[int]]:
    """The batch entries and heads that are asked for; all where none is."""
    batches, heads = map(range, found.problem.grid[:2])
    return batches if view.batches is None else view.batches, heads if view.heads is None else view.heads


def _averaged(found: Summary, view: View) -> bool:
    """Whether there is an average over the heads, of several and all of them."""
    return len(_places(found, view)[1]) == found.problem.grid[1] > 1


def _means(found: Summary, scenario: Scenario, view: View) -> Matrix:
    """A line for each head, and the average over them."""
    batches, heads = _places(found, view)
    means = found.means(batches)
    table = np.stack(list(means.values()), axis=1)[list(heads)]
    rows = [view.say("place.head", number=head) for head in heads]
    if _averaged(found, view):
        table = np.vstack([table, table.mean(axis=0)])
        rows.append(view.say("long-average"))
    cells = tuple(tuple(Figure(_number(cell, scenario, view)) for cell in line) for line in table)
    columns = tuple(view.say(f"long-figure.{code}", near=_near(found)) for code in means)
    return Matrix("", view.say("axis.head"), "", tuple(rows), columns, cells)


def _whole(found: Summary, here: tuple[int, int, int], query: int) -> float:
    """What the weights of a row add to, the sink's share included; given ones need not add to 1."""
    batch, head, _ = here
    if (table := found.problem.weights) is not None:
        return float(table.rows(batch, head, found.problem.grid[1], slice(query, query + 1)).sum())
    empty = found.empty is not None and bool(found.empty[here])
    return {"zero": 0.0, "nan": math.nan}.get(found.problem.empty, 1.0) if empty else 1.0


def _top(found: Summary, scenario: Scenario, keys: Values, weights: Values, whole: float, view: View) -> Matrix:
    """The keys with the largest weights, and what all others have of the whole; rounding alone is no share."""
    seen = [(int(key), float(weight)) for key, weight in zip(keys, weights, strict=True) if key >= 0]
    names = [_key_name(scenario, key) for key, _ in seen]
    rest = math.nan if np.isnan(weights).any() else whole - sum(weight for _, weight in seen)
    if abs(rest) <= len(seen) * np.finfo(weights.dtype).eps:
        rest = 0.0
    cells = [(Figure(_number(weight, scenario, view), share=_share(weight)),) for _, weight in seen]
    cells.append((Figure(_number(rest, scenario, view)),))
    code = "long-rest-sink" if found.problem.sink is not None else "long-rest"
    return Matrix("", view.say("axis.key"), "", (*names, view.say(code)), (view.say("long-weight"),), tuple(cells))


def _share(weight: float) -> float | None:
    """What a bar beside a weight shows; a weight that is no number has none."""
    return None if math.isnan(weight) else min(max(weight, 0.0), 1.0)


def _key_name(scenario: Scenario, key: int) -> str:
    """A key by its label, and by its position where that is another."""
    label = labels(scenario.tokens[key : key + 1])[0]
    return label if label == str(key) else f"{label} [{key}]"


def _vector(step: str, values: Values, scenario: Scenario, view: View) -> Matrix:
    """The row of a step, its first features where there are many."""
    most = len(values) if view.everything else min(len(values), MOST_FEATURES)
    cells = (tuple(Figure(_number(value, scenario, view)) for value in values[:most]),)
    caption = "" if most == len(values) else view.aloud("long-features", most=most, count=len(values))
    name = view.say(f"name.{step}")
    return Matrix(caption, "", view.say("axis.feature"), (name,), tuple(map(str, range(most))), cells)
