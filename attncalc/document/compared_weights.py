"""What became of the weights, in words: the row that changed most, its top key, its largest change, how sharp it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncalc.core.numbers import figure_of
from attncalc.core.stage import Row, Step, Trace
from attncalc.core.tokens import labels
from attncalc.document.heading import row_name
from attncalc.document.view import View
from attncalc.explore.compare import Compared, Part, RowChange, cells_of, largest, row_change

MOST_KEYS = 3


def moved_weights(weights: Compared, names: Sequence[str], part: Part, view: View) -> Iterator[str]:
    """A text for each further variant against the first; where shapes differ, where each one's query looks."""
    if None in weights.steps:
        return
    if weights.differing is None:
        yield from (_looks(weights, number, names, part, view) for number in range(len(names)))
        return
    cells = cells_of(weights, part, False)
    for number in range(1, len(names)):
        pair = _Pair(weights, number, names, view)
        change = row_change(*pair.steps, cells)
        if change is None:
            yield view.say("compare-weights-same", **pair.named)
        else:
            several = len({index[:3] for index in cells}) > 1
            yield view.say("sentence-gap").join(pair.sentences(change, several))


class _Pair:
    """The weights of the first variant and of another."""

    def __init__(self, weights: Compared, number: int, names: Sequence[str], view: View) -> None:
        self.traces = weights.traces[0], weights.traces[number]
        self.steps = self.traces[0]["weights"], self.traces[1]["weights"]
        self.named, self.view = {"first": names[0], "second": names[number]}, view

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
        key = labels(self.traces[0].scenario.tokens)[change.key]
        old, new = (_shown(t, r[change.key], self.view) for t, r in self._rows(change))
        yield say("compare-largest-change", key=key, old=old, new=new)
        yield self._sharpness(change)

    def _rows(self, change: RowChange) -> Iterator[tuple[Trace, tuple[Any, ...]]]:
        return zip(self.traces, (change.before, change.after), strict=True)

    def _sharpness(self, change: RowChange) -> str:
        old, new = (_shown(t, max(r), self.view) for t, r in self._rows(change))
        if old == new:
            return self.view.say("compare-as-sharp", old=old)
        sharper = float(max(change.after)) > float(max(change.before))
        return self.view.say("compare-sharper" if sharper else "compare-flatter", old=old, new=new)


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
    return view.say("list-comma").join(names[:-1]) + view.say("list-and") + names[-1]


def _looks(weights: Compared, number: int, names: Sequence[str], part: Part, view: View) -> str:
    """Where the query of one variant looks, for weights that cannot be set side by side."""
    trace = weights.traces[number]
    step: Step = trace["weights"]
    last = len(trace.scenario.query_tokens) - 1
    query = min((part.queries or trace.scenario.queries)[0], last)
    batch, head = (min((places or (0,))[0], step.cells.shape[i] - 1) for i, places in enumerate(part[:2]))
    row = step.cells[batch, head, query]
    keys = largest(row)
    weight = _shown(trace, row[keys[0]], view) if keys else _shown(trace, row[0], view)
    fields = {"variant": names[number], "key": _top(trace, row, view), "weight": weight}
    return view.say("compare-looks", query=row_name(Row(batch, head, query), trace, view), **fields)
