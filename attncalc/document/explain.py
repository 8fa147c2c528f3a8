"""`explain`: the calculation told for one query, step by step, with the numbers put in."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Context, Decimal, Inexact
from functools import reduce
from typing import Any, NamedTuple

from attncalc.core.expression import Cell, Number, Operation
from attncalc.core.figures import figure
from attncalc.core.numbers import figure_of, figures_of, places_of
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Row, Step, Trace
from attncalc.core.tokens import labels
from attncalc.derive import formula
from attncalc.document.blocks import Block, Derivation, Figure, Line, Matrix, Prose, Remark
from attncalc.document.derived import derived
from attncalc.document.heading import closing, head_columns, opening, step_heading, which_row, why_code
from attncalc.document.matrices import WITH_BARS, axis_labels, has_mask_picture, mask_picture, matrices
from attncalc.document.reading import reading, share_of_rest
from attncalc.document.view import View
from attncalc.explore.cells import cell_name

MOST_FEATURES = 8


class Telling(NamedTuple):
    """One query's story: the trace, the view, the query, and the keys that are shown."""

    trace: Trace
    view: View
    batch: int
    head: int
    query: int
    keys: tuple[int, ...]

    @property
    def row(self) -> Row:
        """The row of scores that is told."""
        return Row(self.batch, self.head, self.query)

    def place(self, step: Step) -> tuple[int, int]:
        """Where a step keeps what belongs to this batch entry and head."""
        return own_place(self.trace, step, self.batch, self.head)


def explain(trace: Trace, view: View) -> Iterator[Block]:
    """The blocks of the queries that are asked for."""
    yield from opening(trace, view)
    yield from queries_told(trace, view)
    if trace.kind != "by-hand":
        yield Remark("shown-rounded", view.aloud("note.shown-rounded", places=trace.scenario.places))
    yield from closing(trace, view, _asked(trace, view))


def queries_told(trace: Trace, view: View) -> Iterator[Block]:
    """What is said of each of the queries that are asked for."""
    queries = _asked(trace, view)
    for batch, head in view.places(trace.scenario):
        here = view._replace(batches=(batch,), heads=(head,))
        for query in queries:
            yield from _told(Telling(trace, here, batch, head, query, _shown_keys(trace, view, (batch, head, query))))


def _asked(trace: Trace, view: View) -> Sequence[int]:
    return view.queries if view.queries is not None else trace.scenario.queries


def _shown_keys(trace: Trace, view: View, row: tuple[int, int, int]) -> tuple[int, ...]:
    """All keys in their order, or as many as fit, the largest weight first."""
    count = len(trace.scenario.tokens)
    if view.most_keys is None or count <= view.most_keys:
        return tuple(range(count))
    if "weights" not in trace:
        return tuple(range(view.most_keys))
    weights = trace["weights"].cells[row]
    order = sorted(range(count), key=lambda key: (-(weights[key] if weights[key] == weights[key] else 0), key))
    return tuple(order[: view.most_keys])


def _told(telling: Telling) -> Iterator[Block]:
    trace, view = telling.trace, telling.view
    yield from which_row(trace.scenario, telling.row, view)
    for step in trace:
        if step.name == "terms" or not view.wants(step):
            continue
        yield step_heading(trace, step, view)
        if not step.stage.given:
            yield Prose(view.say(f"why.{why_code(trace.scenario, step)}"))
        yield from _body(telling, step)
    if "weights" in trace and not view.steps:
        yield from reading(trace, view, telling.row)


def _body(telling: Telling, step: Step) -> Iterator[Block]:
    """Given numbers as a table, computed ones with what is put into them."""
    row_axis, column_axis = step.stage.layout[2:4]
    yield from head_columns(telling.trace, step, telling.view)
    if has_mask_picture(telling.trace, step):
        yield from mask_picture(telling.trace, telling.view, [telling.query], telling.keys)
    if step.stage.given or row_axis == "key":
        yield from matrices(telling.trace, step, telling.view, [telling.query], telling.keys)
        return
    if step.name == "context" and "weights" in telling.trace:
        yield _terms(telling)
    if column_axis == "key":
        yield _by_key(telling, step)
        if step.name in WITH_BARS:
            yield from _sum_of_shown(telling, step)
            yield from share_of_rest(telling.trace, telling.view, telling.row, telling.keys)
        return
    columns = range(step.cells.shape[3])
    features = [0] if column_axis == "one" else list(columns if telling.view.everything else columns[:MOST_FEATURES])
    names = ("",) if column_axis == "one" else axis_labels(telling.trace, column_axis, len(columns))
    lines = tuple(_line(telling, step, column, names[column]) for column in features)
    yield Derivation(lines, formula(telling.trace, step))
    if len(features) < len(columns):
        yield Prose(telling.view.aloud("features-shown", shown=len(features), all=len(columns)))


def _by_key(telling: Telling, step: Step) -> Derivation:
    names = labels(telling.trace.scenario.tokens)
    hidden = hidden_cells(telling.trace, step, telling.place(step))
    whole = _whole_of_bars(telling, step)
    lines = []
    for key in telling.keys:
        line = _line(telling, step, key, names[key], whole)
        if (hidden is not None and hidden[telling.query, key]) or line.result.endswith(telling.view.signs.infinity):
            line = line._replace(comment=telling.view.say("hidden"))
        lines.append(line)
    return Derivation(tuple(lines), formula(telling.trace, step))


def _sum_of_shown(telling: Telling, step: Step) -> Iterator[Block]:
    """The weights as shown added up, and what they really add to."""
    row = step.cells[(*telling.place(step), telling.query)]
    if any(x != x for x in row) or not any(row):
        return
    shown = [figure_of(telling.trace, step, x) for x in row]
    adding = Context(prec=2000, traps=[])  # a tiny weight may lie millions of digits below the others
    total = reduce(adding.add, (Decimal(text) for text in shown))
    tree = Operation("sum", tuple(Number(text) for text in shown))
    text, word, signs = figure(total, places_of(telling.trace, step)), telling.view.say("sum"), telling.view.signs
    sink = telling.trace.scenario.has("sink")
    comment = telling.view.say("sum-with-sink" if sink else "sum-from-rounding") if Decimal(text) != 1 else ""
    equals = signs.equals if Decimal(text) == total and not adding.flags[Inexact] else signs.nearly
    yield Derivation((Line(word, word, tree, equals, telling.view.number(text), comment=comment),))


def _line(telling: Telling, step: Step, column: int, label: str, whole: Any = None) -> Line:
    """One number: its derivation and its result, and the share of the whole that a bar shows."""
    trace, view = telling.trace, telling.view
    index = (*telling.place(step), telling.query, column)
    cell = Cell(step.name, index)
    return Line(
        cell_name(trace, cell), label, *derived(trace, view, step, index), _share(step.cells[index], whole),
        of=cell,
    )  # fmt: skip


def _whole_of_bars(telling: Telling, step: Step) -> Any:
    """What a whole bar stands for: 1 for weights, the largest of the row for exponentials."""
    if step.name != "exponentials":
        return 1 if step.name == "weights" else None
    return max((x for x in step.cells[(*telling.place(step), telling.query)] if x == x), default=None)


def _share(value: Any, whole: Any) -> float | None:
    """How long a bar is."""
    if not whole or not (math.isfinite(whole) and math.isfinite(value)):
        return None
    share = float(value / whole)
    return share if 0 <= share <= 1 else None


def _terms(telling: Telling) -> Matrix:
    """The weighted value sum term by term: weight, value vector, their product, and what they add to."""
    trace, view = telling.trace, telling.view
    names = labels(trace.scenario.tokens)
    weights, values = trace["weights"], trace["all_v" if "all_v" in trace else "v"]
    features = int(values.cells.shape[-1])
    shown = features if view.everything or features <= MOST_FEATURES else MOST_FEATURES - 1
    rest = [view.signs.dots] if shown < features else []
    rows = []
    for key in telling.keys:
        weight, vector = weights.cells[(*telling.row, key)], values.cells[(*telling.place(values), key)][:shown]
        rows.append(
            (
                Figure(view.number(figure_of(trace, weights, weight))),
                Figure(_vector(view, figures_of(trace, values, vector), rest)),
                Figure(_vector(view, _products(telling, weight, vector, key), rest)),
            )
        )
    columns = tuple(view.say(f"column.{name}") for name in ("weight", "value", "product"))
    return Matrix("", view.say("axis.key"), "", tuple(names[key] for key in telling.keys), columns, tuple(rows), False)


def _products(telling: Telling, weight: Any, vector: Sequence[Any], key: int) -> list[str]:
    """Weight × value as text, of the first features: by hand all digits, since inside a step nothing is rounded."""
    trace = telling.trace
    if trace.kind == "by-hand":
        return [_all_digits(weight * x) for x in vector]
    if "terms" in trace:
        return figures_of(trace, trace["terms"], trace["terms"].cells[(*telling.row, key)][: len(vector)])
    return figures_of(trace, trace["context"], (weight * x for x in vector))


def _all_digits(number: Decimal) -> str:
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _vector(view: View, numbers: Sequence[str], rest: Sequence[str]) -> str:
    return f"({', '.join([*map(view.number, numbers), *rest])})"
