"""What a call of `sweep` asks for: the values, the row, and a calculation at each value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from attncalc.cli.answering import all_of
from attncalc.cli.choices import Options, calculation, one_place
from attncalc.cli.session import whole
from attncalc.cli.variants import Source
from attncalc.core.figures import Literal
from attncalc.errors import AttncalcError, UsageError, nearest, shortened
from attncalc.messages import Word

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.core.stage import Trace
    from attncalc.document.sweeping import Point, Swept
    from attncalc.document.view import View

ARGUMENTS = ("source", "path", "from_", "to")
SIGNED = re.compile(r"-(?:[0-9.]|inf|nan)", re.IGNORECASE)
"""How an argument begins that has a minus sign and is meant as a number."""

MOST_DIGITS, LARGEST, POINTS = 100, 400, "11"


class ChosenRow(NamedTuple):
    """The step, and one of its rows."""

    step: str
    place: tuple[int, int, int]  # batch entry, head, query


def mistyped(words: Iterable[str | None]) -> str:
    """The first word that looks like an option: a command that takes -1 as an argument takes it as one too."""
    return next((word for word in words if word and len(word) > 1 and word[0] == "-" and not SIGNED.match(word)), "")


def refuse_mistyped(options: Options) -> None:
    """Refuses arguments that are options which do not exist, and too few arguments."""
    from attncalc.cli.app import COMMANDS
    from attncalc.cli.options import OPTIONS

    if found := mistyped(options[name] for name in ARGUMENTS):
        taken = next(command.options for command in COMMANDS if command.name == "sweep")
        flags = [flag.lstrip("-") for name in taken for flag in OPTIONS[name].flags if flag.startswith("--")]
        near = nearest(found.lstrip("-"), flags)
        raise UsageError.of("usage-no-such-option", found=found, near=f"--{near}" if near else "")
    if options["source"] and any(options[name] is None for name in ARGUMENTS):
        raise UsageError.of("sweep-missing")


def points_of(options: Options) -> list[str]:
    """The values as they are put in, from FROM to TO."""
    from attncalc.explore.sweep import FEWEST, MOST, values_between, written

    count = whole("--points", options["points"] or POINTS, FEWEST, MOST)
    first, last = all_of(_number, (("FROM", options["from_"]), ("TO", options["to"])))
    if first == last:
        raise UsageError.of("sweep-equal", found=options["from_"])
    return written(values_between(first, last, count))


def _number(named: tuple[str, str]) -> Decimal:
    """A decimal number of the command line, of a size that some arithmetic here can have."""
    from attncalc.explore.sweep import NUMBER

    place, text = named
    if not NUMBER.fullmatch(text):
        raise UsageError.of("sweep-number", place, found=shortened(text))
    value = Decimal(text)
    if len(value.as_tuple().digits) > MOST_DIGITS:
        raise UsageError.of("too-many-digits", place, digits=len(value.as_tuple().digits), most=MOST_DIGITS)
    if value and abs(value.adjusted()) > LARGEST:
        code = "number-too-large" if value.adjusted() > 0 else "number-too-small"
        raise UsageError.of(code, place, found=shortened(text))
    return value


def own_value(scenario: Scenario, path: str) -> Literal | None:
    """The number that the scenario itself has at the path; None where it has none, or a word."""
    from attncalc.scenario_files.edits import value_at

    try:
        value = value_at(scenario.document, path)
    except AttncalcError as error:
        raise UsageError(fault._replace(place=shortened(path)) for fault in error.faults) from None
    if isinstance(value, list | dict):
        found = Word("found-list" if isinstance(value, list) else "found-object")
        raise UsageError.of("sweep-no-number", path, found=found)
    if isinstance(value, Decimal):
        return value if isinstance(value, Literal) else Literal(str(value))
    return Literal(str(value)) if type(value) in (int, float) else None


def chosen_row(options: Options, trace: Trace, view: View) -> ChosenRow:
    """The step and the row that are followed: the weights of the scenario's query where nothing else is said."""
    from attncalc.document.sweeping import row_steps

    for name in ("token", "step"):
        if len(options[name]) > 1:
            raise UsageError.of("sweep-several", f"--{name}", found=", ".join(options[name]))
    name, known = (options["step"] or ["weights"])[0], row_steps(trace)
    if name not in known:
        code = "sweep-no-row" if name in trace else "unknown-step"
        raise UsageError.of(code, "--step", found=name, known=", ".join(known), near=nearest(name, known))
    query = (view.queries or trace.scenario.queries)[0]
    return ChosenRow(name, (one_place(trace, options, "batch"), one_place(trace, options, "head"), query))


def swept_row(
    source: Source, options: Options, trace: Trace, row: ChosenRow, texts: Sequence[str], own: Literal | None,
    view: View,
) -> Swept:  # fmt: skip
    """The row at every value."""
    from attncalc.document.sweeping import Swept

    points = tuple(_point(source, options, text, row, view) for text in texts)
    if len({len(point.cells) for point in points}) > 1:
        raise UsageError.of("sweep-shape", options["path"])
    return Swept(options["path"], trace, trace[row.step], *row.place, points, own)


def _point(source: Source, options: Options, text: str, row: ChosenRow, view: View) -> Point:
    """The row at one value; what is refused there is said with the value."""
    from attncalc.document.sweeping import point_of
    from attncalc.running import run

    change = f"{options['path']}={text}"
    try:
        trace = run(source.scenario([*options["set"], change], calculation(options)))
    except AttncalcError as error:
        faults = (fault._replace(place=": ".join(filter(None, (change, fault.place)))) for fault in error.faults)
        raise UsageError(faults) from None
    if row.step not in trace or any(i >= n for i, n in zip(row.place, trace.scenario.grid, strict=False)):
        raise UsageError.of("sweep-shape", change)
    return point_of(trace, row.step, row.place, text, view)
