"""`sweep`: a row of numbers at each value of one number, as a table, as curves, and in a sentence."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from attncalc.core.figures import Literal
from attncalc.core.figures import figure as figure_text
from attncalc.core.numbers import figure_with
from attncalc.core.tokens import cropped, labels, short
from attncalc.document.blocks import Block, Curve, Figure, Heading, Matrix, Plot, Prose
from attncalc.document.heading import arithmetic_in_words, step_heading, title_of, which_row
from attncalc.document.signs import PLAIN
from attncalc.document.view import View
from attncalc.explore.sweep import ROOTED, Point, Swept
from attncalc.explore.trends import Lead, Move, furthest, leads, moves
from attncalc.messages.safe_text import visible

MOST_COLUMNS = 12
MOST_CURVES = 8
MOST_LEADS = 6


def sweeping(swept: Swept, view: View) -> Iterator[Block]:
    """The blocks of a sweep."""
    trace, columns = swept.trace, _columns(swept, MOST_COLUMNS if not view.everything else None)
    yield Heading(title_of(trace.scenario, view), aside=arithmetic_in_words(trace, view))
    if trace.scenario.changes:
        yield Prose(visible(view.say("list-comma").join(trace.scenario.changes)), view.say("lead.changed"))
    ends = (view.number(swept.points[end].text) for end in (0, -1))
    fields = dict(zip(("first", "last"), ends, strict=True))
    yield Prose(view.say("sweep-what", path=visible(swept.path), count=len(swept.points), **fields))
    yield from which_row(trace.scenario, swept.row, view)
    yield step_heading(trace, swept.step, view, numbered=False)
    if len(columns) < len(swept.points[0].cells):
        yield Prose(view.aloud("sweep-columns", shown=len(columns), all=len(swept.points[0].cells)))
    yield _table(swept, columns, view)
    yield from _plot(swept, view)
    yield from _own(swept, view)
    for sentence in reading(swept, view):
        yield Prose(sentence, view.say("lead.reading"))
    for text in cropped(trace.scenario.tokens):
        yield Prose(text, view.say("lead.label"))


def reading(swept: Swept, view: View) -> list[str]:
    """Which key has the largest weight from where to where, and which column moves most."""
    rows = swept.compared
    found = furthest(rows)
    if not found[0][0].width:
        step = swept.elsewhere
        return [view.aloud("sweep-still-elsewhere", step=step) if step else view.say("sweep-still")]
    sentences = [_leads(leads(rows), swept, view)] if swept.step.name == "weights" else []
    if len(found) == 1:
        return [*filter(None, sentences), view.say("sweep-moves", count=len(found[0]), **_move(found[0], swept, view))]
    parts = [view.say("sweep-move", **_move(group, swept, view)) for group in found[:MOST_LEADS]]
    parts += [view.signs.dots] if len(found) > MOST_LEADS else []
    return [*filter(None, sentences), view.say("sweep-moves-alike", parts=view.say("list-semicolon").join(parts))]


def _move(group: Sequence[Move], swept: Swept, view: View) -> dict[str, str]:
    """The columns that move together, and from what to what."""
    points = swept.points[group[0].first], swept.points[group[0].last]
    old, new = (_shown(swept, point, view)[group[0].column] for point in points)
    first, last = (view.number(point.text) for point in points)
    columns = _keys([move.column for move in group], swept, view)
    return {"column": columns, "old": old, "new": new, "first": first, "last": last}


def _shown(swept: Swept, point: Point, view: View) -> tuple[str, ...]:
    """The row at a point as its step shows it; a hidden number as the sign, or in plain text as the word."""
    hidden = view.say("hidden") if view.signs == PLAIN else view.signs.hidden
    rounding, pairs = swept.trace.scenario.rounding, zip(point.cells, point.hidden, strict=True)
    return tuple(hidden if out and x == 0 else view.number(figure_with(x, point.places, rounding)) for x, out in pairs)


def raw_names(swept: Swept) -> Sequence[str]:
    """The columns as data: tokens as they are, positions of features, or the step itself where there is one number."""
    axis = swept.step.stage.layout[3]
    if axis == "one":
        return (swept.step.name,)
    return swept.step.labels.get(axis) or tuple(map(str, range(len(swept.points[0].cells))))


def _names(swept: Swept, view: View) -> tuple[str, ...]:
    """The columns in a sentence: a key by its label, `feature 0`, `total`."""
    axis = swept.step.stage.layout[3]
    if axis == "one":
        return (view.step_name(swept.step.name),)
    names = labels(raw_names(swept))
    if axis == "key":
        return names
    return tuple(view.say("plain-place", axis=view.say(f"axis.{axis}"), label=name) for name in names)


def _columns(swept: Swept, most: int | None) -> list[int]:
    """All columns, or so many of those that move most, in their order."""
    return sorted(move.column for move in moves(swept.compared)[:most])


def _table(swept: Swept, columns: Sequence[int], view: View) -> Matrix:
    """A row for each point; the scenario's own value has a star."""
    axis = swept.step.stage.layout[3]
    one = axis == "one"
    names = (swept.step.stage.symbol,) if one else labels(raw_names(swept))
    texts = [view.number(point.text) for point in swept.points]
    before = max(len(text.partition(".")[0]) for text in texts) if view.signs != PLAIN else 0
    texts = [" " * (before - len(text.partition(".")[0])) + text for text in texts]
    rows = tuple(text + (" *" if i == swept.own_point else "") for i, text in enumerate(texts))
    texts_at = (_shown(swept, point, view) for point in swept.points)
    cells = tuple(tuple(Figure(row[column]) for column in columns) for row in texts_at)
    heads = tuple(names[column] for column in columns)
    return Matrix("", short(swept.path), "" if one else view.say(f"axis.{axis}"), rows, heads, cells)


def _plot(swept: Swept, view: View) -> Iterator[Block]:
    """The curves of the columns that move most; nothing where no number is finite."""
    columns, names, rows = _columns(swept, MOST_CURVES), _names(swept, view), swept.rows
    numbers = [row[column] for row in rows for column in columns if math.isfinite(row[column])]
    low, high = min(numbers, default=math.nan), max(numbers, default=math.nan)
    if swept.step.name == "weights":
        low = min(low, 0.0)
    high = high if high > low else low + (abs(low) or 1)
    if not math.isfinite(high - low):
        return
    curves = (Curve(names[c], tuple(row[c] if math.isfinite(row[c]) else None for row in rows)) for c in columns)
    places = max(0, 1 - math.floor(math.log10(high - low)))
    lowest, highest = (view.number(figure_text(Decimal(number), places)) for number in (low, high))
    points = tuple(view.number(point.text) for point in swept.points)
    at = tuple(number / (len(points) - 1) for number in range(len(points)))
    yield Plot(swept.path, points, at, tuple(curves), low, high, lowest, highest, swept.own_share)


def _own(swept: Swept, view: View) -> Iterator[Block]:
    if swept.own is not None and swept.own_share is not None:
        code = "sweep-own" if swept.own_point is not None else "sweep-own-between"
        yield Prose(view.say(code, path=visible(swept.path), value=_own_text(swept, swept.own, view)))


def _own_text(swept: Swept, own: Literal, view: View) -> str:
    """The scenario's own value; of a scale that is a word also what it stands for."""
    scenario = swept.trace.scenario
    rooted = ROOTED.get(str(scenario.option("scale"))) if swept.path == "scale" else None
    if rooted is None:
        return view.number(own.text)
    exact = Fraction(own) ** (2 if rooted else 1) * (scenario.width or 1) == 1
    relation = view.signs.equals if exact else view.signs.nearly
    return f"1/{view.signs.root if rooted else ''}{scenario.width} {relation} {own.text}"


def _leads(found: Sequence[Lead], swept: Swept, view: View) -> str:
    """Who has the largest weight, in the order of the points; many parts are cut short."""
    if not found:
        return ""
    if len(found) == 1 and (found[0].first, found[0].last) == (0, len(swept.points) - 1):
        return view.say("sweep-lead-throughout", keys=_keys(found[0].columns, swept, view), count=len(found[0].columns))
    parts = [_lead(lead, swept, view) for lead in found[:MOST_LEADS]]
    parts += [view.signs.dots] if len(found) > MOST_LEADS else []
    return view.say("sweep-leads", parts=view.say("list-semicolon").join(parts))


def _lead(lead: Lead, swept: Swept, view: View) -> str:
    first, last = (view.number(swept.points[point].text) for point in (lead.first, lead.last))
    code = "sweep-lead" if lead.first != lead.last else "sweep-lead-at"
    return view.say(code, keys=_keys(lead.columns, swept, view), first=first, last=last)


def _keys(columns: Sequence[int], swept: Swept, view: View) -> str:
    """`I`, `I and to`; of many keys the first."""
    names = [_names(swept, view)[column] for column in columns]
    if len(names) > MOST_LEADS:
        return view.say("list-comma").join([*names[:MOST_LEADS], view.signs.dots])
    return view.listed(names)
