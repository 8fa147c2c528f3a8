"""What a command takes, estimated from the sizes of a scenario; without --force it is bounded by what is given."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from attncalc.cli.choices import POINTS, format_of
from attncalc.cli.output_size import FEATURES
from attncalc.core import names
from attncalc.errors import UsageError
from attncalc.messages import Word

if TYPE_CHECKING:
    from attncalc.cli.app import Command
    from attncalc.core.bounded import Values
    from attncalc.core.scenario import Scenario
    from attncalc.long.problem import Asked, Problem

ALLOWED, START = 2_000_000.0, 300_000.0
"""Microseconds that a command may take for so many given numbers, and those it takes for nothing."""

GIVEN = 500_000
"""More numbers do not go into a scenario of a megabyte; who gives many times as many may wait as many times as long."""


def check_command(command: Command, options: Mapping[str, Any], scenario: Scenario) -> None:
    """Refuses, without --force, what would take the command too long; the message says how long, and what to do."""
    from attncalc.pipelines.cost import chosen_arithmetic

    cost = None if options["force"] else _cost_of(command, options)
    if cost is None:
        return
    if chosen_arithmetic(scenario) in names.DECIMAL_KINDS:
        _check_decimals(command, options, scenario)
    printed = _printed(scenario.document.get("expect", {})) if cost.printed else 0
    once = cost.of(scenario) + cost.printed * printed + A_BLOCK * _blocks(scenario)
    given, taken = _given(scenario) + printed, START + (1 + OF_MORE_VALUES * (_times(options) - 1)) * once
    if taken > ALLOWED * max(1.0, given / GIVEN):
        _refuse(scenario, taken / 1e6, given, _mend(command, "effort-mend", "effort-mend-force"))


def check_summary(problem: Problem, asked: Asked, scenario: Scenario, options: Mapping[str, Any]) -> None:
    """Refuses, without --force, a summary that takes very long for what is given; scores are as many as its square."""
    from attncalc.long.ahead import processor_seconds

    given, taken = _given(scenario), processor_seconds(problem, asked)
    if not options["force"] and taken > ALLOWED / 1e6 * max(1.0, given / GIVEN) ** 2:
        _refuse(scenario, taken, given, Word("effort-part"))


def _refuse(scenario: Scenario, seconds: float, given: int, mend: Word) -> NoReturn:
    scores, keys = f"{math.prod(scenario.grid):,}", f"{scenario.grid[3]:,}"
    fields = {"scores": scores, "keys": keys, "given": f"{given:,}", "seconds": math.ceil(seconds), "mend": mend}
    raise UsageError.of("effort", scenario.name, **fields)


def _mend(command: Command, plain: str, forced: str) -> Word:
    """What to do instead; a command without --force cannot be told to take it."""
    return Word(forced if "force" in command.options else plain)


def _times(options: Mapping[str, Any]) -> float:
    """How many times as many values a sweep has as where nothing is said."""
    return max(1.0, int(options["points"] or POINTS) / int(POINTS))


def _given(scenario: Scenario) -> int:
    return sum(values.size for values in _given_arrays(scenario))


def _given_arrays(scenario: Scenario) -> Iterator[Values]:
    from attncalc.core.scenario import MADE

    return (values for name, values in scenario.arrays.items() if name not in MADE)


# --- what a command does with every number --------------------------------------------------------

OF_MORE_VALUES = 0.35
"""What as many values of a sweep again take in floating point, as a share: the scenario is read once."""

A_BLOCK = 250.0
"""Microseconds of a block of keys in the online algorithm."""


class Cost(NamedTuple):
    """Microseconds for each of what a scenario has."""

    score: float
    key: float  # or feature, of the longest row
    row: float
    given: float = 0.6  # number
    product: float = 0.0  # factor of the queries and keys of a row
    printed: float = 0.0  # number under `expect`
    feature: float = 0.0  # number of the context and the output

    def of(self, scenario: Scenario) -> float:
        """All of it, but for what is printed."""
        batch, heads, queries, keys = scenario.grid
        sizes = scenario.sizes
        return (
            self.score * math.prod(scenario.grid)
            + self.key * max(keys, *(sizes.get(name, 0) for name in FEATURES))
            + self.row * batch * heads * queries
            + self.given * _given(scenario)
            + self.product * keys * sizes.get("d_k", 0)
            + self.feature * batch * queries * (heads * sizes.get("d_v", 0) + sizes.get("d_out", 0))
        )


COSTS: dict[tuple[str, str], Cost] = {
    ("run", ""): Cost(1.5, 6, 12),
    ("run", "json"): Cost(3, 10, 40),
    ("run", "csv"): Cost(3.5, 14, 40),
    ("run", "npz"): Cost(0.5, 7, 8),
    ("why", ""): Cost(1.2, 55, 12),
    ("why", "html"): Cost(1.2, 85, 12),
    ("why", "json"): Cost(1.2, 250, 12, product=30),
    ("step", ""): Cost(15, 200, 40),
    ("compare", ""): Cost(42, 30, 100, feature=14),
    ("compare", "html"): Cost(90, 60, 200, feature=28),
    ("sweep", ""): Cost(10, 200, 150, given=3),
    ("check", ""): Cost(8, 10, 60),
    ("quiz", ""): Cost(3.5, 10, 30),
    ("verify", ""): Cost(1.5, 6, 15, printed=16),
}
"""By command and format; measured by benchmarks/hostile.py."""


def _cost_of(command: Command, options: Mapping[str, Any]) -> Cost | None:
    """What the command costs in the format that is asked for; None where it is not bounded."""
    format = "json" if options["jsonl"] else format_of(options, names.FORMATS)
    name = "run" if command.name == "explain" else command.name
    return COSTS.get((name, format)) or COSTS.get((name, ""))


def _blocks(scenario: Scenario) -> float:
    """How many blocks of keys the online algorithm takes."""
    return scenario.grid[3] / int(scenario.document["block"]) if scenario.online else 0


def _printed(expected: Any) -> int:
    """How many numbers stand in lists and objects."""
    if isinstance(expected, dict):
        return sum(map(_printed, expected.values()))
    return sum(map(_printed, expected)) if isinstance(expected, list) else 1


# --- decimals -------------------------------------------------------------------------------------

A_MULTIPLICATION, AN_EXPONENTIAL, AN_EXPONENTIAL_OF_DIGITS = 0.6, 80.0, 25.0
"""Microseconds in decimals of some fifty digits, with what is shown of them; and those that more digits multiply."""

A_RESULT, A_TERM = 12.0, 2.0
"""Microseconds for the digits of a number that a matrix product comes to; and, where a query is told, of a term."""

AGAIN = {"sweep": 6.0}
"""How many times as long a command takes that calculates for each value and shows one row."""

FIRST_DIGITS = 75
"""Digits from which on exponentials get slow: with their square."""

DIGITS_A_PLACE = 3
"""More digits are taken where more places are shown, and where those leave one open, several times as many."""


def _check_decimals(command: Command, options: Mapping[str, Any], scenario: Scenario) -> None:
    """Refuses what would take too long in decimals: many scores, or few from numbers of many digits."""
    from attncalc.pipelines.cost import count, results

    found, others, again = count(scenario), results(scenario), _times(options) * AGAIN.get(command.name, 1.0)
    once = A_MULTIPLICATION * found.multiplications + AN_EXPONENTIAL * found.exponentials + A_RESULT * others
    if command.name == "explain" and scenario.has_values:
        once += A_TERM * math.prod(scenario.grid) * scenario.sizes["d_v"]
    quick = START + again * once
    digits = max(_most_digits(scenario), DIGITS_A_PLACE * scenario.places) if quick <= ALLOWED else 0
    taken = quick + again * AN_EXPONENTIAL_OF_DIGITS * found.exponentials * (digits / FIRST_DIGITS) ** 2
    if taken > ALLOWED:
        mend = _mend(command, "effort-digits", "effort-digits-force")
        if "arithmetic" in command.options:
            mend = _mend(command, "effort-float", "effort-float-force")
        numbers = f"{math.prod(scenario.grid) + others:,}"
        raise UsageError.of("output-decimals", scenario.name, count=numbers, seconds=math.ceil(taken / 1e6), mend=mend)


def _most_digits(scenario: Scenario) -> int:
    """The digits of the longest number that is given."""
    numbers = (x for values in _given_arrays(scenario) if values.dtype == object for x in values.flat if x.is_finite())
    return max((len(x.as_tuple().digits) for x in numbers), default=1)
