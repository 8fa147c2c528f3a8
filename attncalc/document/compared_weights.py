"""What became of the weights, in words: the row that changed most, its top key, its largest change, how sharp it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from attncalc.core.figures import as_decimal, figure, scientific
from attncalc.core.numbers import figure_of, places_of
from attncalc.core.stage import Row, Step, Trace
from attncalc.core.tokens import labels
from attncalc.core.wrapping import closed_up
from attncalc.document.heading import row_name
from attncalc.document.view import View
from attncalc.explore.compare import Compared, Part, RowChange, cells_of, largest, row_change

MOST_KEYS = 3


def moved_weights(weights: Compared, names: Sequence[str], part: Part, view: View) -> Iterator[str]:
    """A text for each further variant against the first; where shapes differ, where each one's query looks."""
    if None in weights.steps:
        return
    if not weights.whole:
        yield from (_looks(weights, number, names, part, view) for number in range(len(names)))
        return
    several = len({index[:3] for index in cells_of(weights, part, False)}) > 1
    cells = cells_of(weights, part, True)
    for number in range(1, len(names)):
        pair = _Pair(weights, number, names, view)
        change = row_change(weights, number, cells)
        if change is None:
            yield closed_up(view.say("compare-weights-same", **pair.named))
        else:
            yield closed_up(view.say("sentence-gap").join(pair.sentences(change, several)))


class _Pair:
    """The weights of the first variant and of another."""

    def __init__(self, weights: Compared, number: int, names: Sequence[str], view: View) -> None:
        self.traces = weights.traces[0], weights.traces[number]
        self.names, self.view = (names[0], names[number]), view
        self.named = {"first": names[0], "second": names[number]}

    def sentences(self, change: RowChange, several: bool) -> Iterator[str]:
        """The row, its top key before and after, its largest change, and whether it became sharper."""
        say, row = self.view.say, row_name(change.row, self.traces[0], self.view)
        yield say("compare-row" if several else "compare-row-only", row=row, **self.named)
        if not change.finite:
            yield say("compare-row-nan")
            return
        before, after = (_top(t, r, self.view) for t, r in self._rows(change))
        if before == after:
            yield say("compare-top-same", key=before)
        else:
            yield say("compare-top", before=before, after=after, **self.named)
        key = labels(self.traces[0].scenario.tokens)[change.keys[0]]
        numbers = change.before[change.keys[0]], change.after[change.keys[1]]
        yield say("compare-largest-change", key=key, **self._from_to(numbers, change.amount))
        yield from self._sharpness(change)

    def _rows(self, change: RowChange) -> Iterator[tuple[Trace, tuple[Any, ...]]]:
        return zip(self.traces, (change.before, change.after), strict=True)

    def _sharpness(self, change: RowChange) -> Iterator[str]:
        """Whether the largest weight grew, by the true numbers; a negative weight is said instead."""
        below = list(self._negative(change))
        if below:
            yield from below
            return
        fields = self._from_to((max(change.before), max(change.after)), change.top)
        if not change.top:
            yield self.view.say("compare-as-sharp", old=fields["old"])
        else:
            yield self.view.say("compare-sharper" if change.top > 0 else "compare-flatter", **fields)

    def _negative(self, change: RowChange) -> Iterator[str]:
        for name, (trace, row) in zip(self.names, self._rows(change), strict=True):
            if (lowest := min(row)) < 0:
                key = labels(trace.scenario.tokens)[row.index(lowest)]
                weight = _shown(trace, lowest, self.view)
                yield self.view.say("compare-negative", variant=name, key=key, weight=weight)

    def _from_to(self, numbers: Sequence[Any], change: Decimal) -> dict[str, str]:
        """Both numbers as they are shown; a change that the places cannot show is added to the second."""
        old, new = (_shown(trace, number, self.view) for trace, number in zip(self.traces, numbers, strict=True))
        if not change or not self._look_alike(numbers, (old, new)):
            return {"old": old, "new": new}
        by = self.view.number(scientific(change, 1, "half-up"))
        return {"old": old, "new": new + self.view.say("in-brackets", text=self.view.say("compare-by", change=by))}

    def _look_alike(self, numbers: Sequence[Any], texts: tuple[str, str]) -> bool:
        """Whether two numbers look the same with the places of the one that shows fewer."""
        places = min(places_of(trace, trace["weights"]) for trace in self.traces)
        same = len({figure(as_decimal(number), places) for number in numbers}) == 1
        return same or texts[0] == texts[1]


def _shown(trace: Trace, weight: Any, view: View) -> str:
    return view.number(figure_of(trace, trace["weights"], weight))


def _top(trace: Trace, row: Sequence[Any], view: View) -> str:
    """The key that a row looks at most, or the keys; too many of them are cut short."""
    keys = largest(row)
    names = [labels(trace.scenario.tokens)[key] for key in keys[:MOST_KEYS]]
    if not names or len(names) == 1:
        return names[0] if names else view.say("no-key")
    if len(keys) > MOST_KEYS:
        return view.say("list-comma").join((*names, view.signs.dots))
    return view.listed(names)


def _looks(weights: Compared, number: int, names: Sequence[str], part: Part, view: View) -> str:
    """Where the query of one variant looks, for weights that cannot be set side by side."""
    trace = weights.traces[number]
    step: Step = trace["weights"]
    last = len(trace.scenario.query_tokens) - 1
    query = min((part.queries[number] if part.queries else trace.scenario.queries)[0], last)
    batch, head = (min((places or (0,))[0], step.cells.shape[i] - 1) for i, places in enumerate(part[:2]))
    row = step.cells[batch, head, query]
    keys = largest(row)
    weight = _shown(trace, row[keys[0]], view) if keys else _shown(trace, row[0], view)
    fields = {"variant": names[number], "key": _top(trace, row, view), "weight": weight}
    return view.say("compare-looks", query=row_name(Row(batch, head, query), trace, view), **fields)
