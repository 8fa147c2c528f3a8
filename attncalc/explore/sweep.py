"""`sweep`: a row of a step at each of the values that one number of the scenario takes."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any, NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.figures import Literal
from attncalc.core.numbers import places_of
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Row, Step, Trace
from attncalc.errors import AttncalcError, UsageError, nearest, shortened
from attncalc.explore.compare import compared
from attncalc.explore.values import ENDLESS
from attncalc.messages import Word
from attncalc.running import run
from attncalc.scenario_files.edits import value_at
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.inlining import opened
from attncalc.scenario_files.load import scenario_from
from attncalc.scenario_files.sources import Source

ROOTED = {"sqrt_d_k": True, "sqrt_d_model": True, "d_k": False}
"""The scales that are words: whether they are one divided by the root of a width, or by the width."""


NEAR_A_DOUBLE = 300
"""The power of ten from which numbers, or how far they are apart, may be beyond a double."""


class Point(NamedTuple):
    """One value of the number as it is put in; the row there, what is hidden in it, and the places it is shown with."""

    text: str
    cells: tuple[Any, ...]
    hidden: tuple[bool, ...]
    places: int


class Swept(NamedTuple):
    """All points, with the calculation they start from, the step and the row, and the scenario's own value."""

    path: str
    trace: Trace
    step: Step
    row: Row
    points: tuple[Point, ...]
    own: Literal | None
    elsewhere: str = ""  # where the row stays as it is, the first step of which it does not

    @property
    def rows(self) -> list[list[float]]:
        """The numbers as doubles, point by point."""
        return [[float(x) for x in point.cells] for point in self.points]

    @property
    def compared(self) -> list[list[float]]:
        """The same to be compared: where one is beyond a double, all are divided by one power of ten."""
        sizes = [x.adjusted() for p in self.points for x in p.cells if isinstance(x, Decimal) and x.is_finite() and x]
        largest = max(sizes, default=0)
        if largest < NEAR_A_DOUBLE:
            return self.rows
        return [[_divided(x, largest) for x in point.cells] for point in self.points]

    @property
    def own_point(self) -> int | None:
        """The point at which the number has the scenario's own value."""
        return next((i for i, p in enumerate(self.points) if self.own == Decimal(p.text)), None)

    @property
    def own_share(self) -> float | None:
        """How far along the range the scenario's own value lies, from 0 to 1; None outside."""
        first, last = (Fraction(self.points[end].text) for end in (0, -1))
        if self.own is None or not self.own.is_finite():
            return None
        share = (Fraction(self.own) - first) / (last - first)
        return float(share) if 0 <= share <= 1 else None


def _divided(number: Any, power: int) -> float:
    """A number divided by a power of ten, however large both are."""
    if not isinstance(number, Decimal) or not number.is_finite():
        return float(number)
    sign, digits, exponent = number.as_tuple()
    return float(Decimal((sign, digits, int(exponent) - power)))


def sweep(
    source: Source, path: str, values: Sequence[str], name: str = "weights", row: Row | None = None,
    trace: Trace | None = None,
) -> Swept:  # fmt: skip
    """A row of the step of that name at every value of the number at a path; a UsageError where none can be followed.

    The row is that of the scenario's query where none is given; `trace` is the calculation of the source, if it is at
    hand.

    >>> from attncalc.scenario_files.sources import source_at
    >>> sweep(source_at("draw"), "scores.0", ["-1", "1.8"]).rows
    [[0.09, 0.29, 0.44, 0.18], [0.62, 0.12, 0.19, 0.08]]
    """
    with localcontext(OWN):
        trace = trace or run(scenario_from(source))
        _check_has_rows(trace, name)
        row = row or Row(0, 0, trace.scenario.queries[0])
        own = _own_value(opened(trace.scenario.document, [path], source.folder), path)
        own = own if own is not None else _named_scale(trace.scenario, path)
        source = source._replace(document=opened(source.document, [path], source.folder))
        points = tuple(_point(source, path, text, name, row) for text in values)
    if len({len(point.cells) for point in points}) > 1:
        raise UsageError.of("sweep-shape", path)
    swept = Swept(path, trace, trace[name], row, points, own)
    still = all(numbers == swept.rows[0] for numbers in swept.rows)
    return swept._replace(elsewhere=_moved_elsewhere(source, swept)) if still else swept


def _check_has_rows(trace: Trace, name: str) -> None:
    """Refuses a step that has no row of numbers for each query."""
    known = _with_rows(trace)
    if name not in known:
        code = "sweep-no-row" if name in trace else "unknown-step"
        raise UsageError.of(code, "--step", found=name, known=", ".join(known), near=nearest(name, known))


def _with_rows(trace: Trace) -> list[str]:
    return [step.name for step in trace if step.stage.layout[2] == "query" and step.cells.ndim == 4]


def _moved_elsewhere(source: Source, swept: Swept) -> str:
    """The first step whose row is not the same at the first two points; empty where there is none."""
    with localcontext(OWN):
        traces = [_at(source, swept.path, point.text) for point in swept.points[:2]]
        for step in compared(traces):
            if step.differing is not None and step.name in _with_rows(swept.trace):
                place = own_place(traces[0], step.first, swept.row.batch, swept.row.head)
                if step.differing[place][swept.row.query].any():
                    return step.name
    return ""


def _named_scale(scenario: Scenario, path: str) -> Literal | None:
    """The number that a scale such as sqrt_d_k comes to, to 12 digits where they do not end."""
    rooted = ROOTED.get(str(scenario.option("scale")))
    if path != "scale" or rooted is None or scenario.width is None:
        return None
    width = Decimal(scenario.width)
    return Literal(format(ENDLESS.divide(1, width.sqrt() if rooted else width), "f"))


def _own_value(document: Any, path: str) -> Literal | None:
    """The number that the scenario itself has at the path; None where it has none, or a word."""
    try:
        value = value_at(document, path)
    except AttncalcError as error:
        raise UsageError(fault._replace(place=shortened(path)) for fault in error.faults) from None
    if isinstance(value, list | dict):
        found = Word("found-list" if isinstance(value, list) else "found-object")
        raise UsageError.of("sweep-no-number", path, found=found)
    if isinstance(value, Decimal):
        return value if isinstance(value, Literal) else Literal(str(value))
    return Literal(str(value)) if type(value) in (int, float) else None


def _point(source: Source, path: str, text: str, name: str, row: Row) -> Point:
    """The row at one value, taken out of its trace, which need not be kept."""
    trace = _at(source, path, text)
    if name not in trace or any(i >= n for i, n in zip(row, trace.scenario.grid, strict=False)):
        raise UsageError.of("sweep-shape", f"{path}={text}")
    step = trace[name]
    place = own_place(trace, step, row.batch, row.head)
    cells, hidden = step.cells[place][row.query], hidden_cells(trace, step, place)
    out = (False,) * len(cells) if hidden is None else tuple(map(bool, hidden[row.query]))
    return Point(text, tuple(cells), out, places_of(trace, step))


def _at(source: Source, path: str, text: str) -> Trace:
    """The calculation at one value; what is refused is said with the value."""
    change = f"{path}={text}"
    try:
        return run(scenario_from(changed(source, [change])))
    except AttncalcError as error:
        faults = (fault._replace(place=": ".join(filter(None, (change, fault.place)))) for fault in error.faults)
        raise UsageError(faults) from None
