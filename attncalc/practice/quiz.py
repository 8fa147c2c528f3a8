"""A quiz: the numbers of a calculation that are asked for, one row after another, and what is shown with each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import localcontext
from typing import Any, NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Row, Source, Step, Trace
from attncalc.errors import UsageError, nearest
from attncalc.explore.cells import Index
from attncalc.practice.judging import right
from attncalc.practice.step_words import step_meant
from attncalc.running import run
from attncalc.scenario_files import sources
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.load import scenario_from

MOST_NUMBERS = 12
"""The numbers of a longer row are not all asked for, only the first `FEWER`."""
FEWER = 8

PASSED_ON = ("all_k", "all_v", "joined")
"""Steps that only put together what is there."""

OTHER_HEADS = Source("context")
"""The table of what the heads give that nobody was asked about."""


class Question(NamedTuple):
    """One question: a row of a step.

    `cells` are the places that are asked for, `hidden` which of them the mask hides, `all` how many the row has.
    `reads` are the given arrays, and the steps of which more is needed than what was asked for; `new` those among them
    that no question before has shown.
    """

    step: str
    cells: tuple[Index, ...]
    hidden: tuple[bool, ...]
    all: int
    reads: tuple[Source, ...] = ()
    new: tuple[Source, ...] = ()

    @property
    def visible(self) -> int:
        """How many of the asked cells are not hidden."""
        return self.hidden.count(False)


class Quiz(NamedTuple):
    """The right calculation, the row that is asked for, to how many places, and the questions in their order."""

    trace: Trace
    row: Row
    places: int
    questions: tuple[Question, ...]

    def place(self, step: Step) -> tuple[int, int]:
        """Where a step keeps what belongs to the row."""
        return own_place(self.trace, step, self.row.batch, self.row.head)


def right_trace(source: sources.Source, options: Mapping[str, Any]) -> Trace:
    """The calculation that answers are judged by: exact whatever the scenario says, in float64 where that is slow."""
    with localcontext(OWN):
        scenario = scenario_from(changed(source, (), {**options, "arithmetic": "exact"}))
    return run(right(scenario))


def asked_places(scenario: Scenario) -> int:
    """The places that answers to a scenario, as it was written, are asked for: those that it is calculated with."""
    return scenario.hand_places("")


def quiz_of(trace: Trace, row: Row, asked: Sequence[str]) -> Quiz:
    """The quiz on a row; `asked` are the only steps that are asked for, where there are some.

    Without them a step is left out that is given, or that shows nothing new. Raises a UsageError for a step that cannot
    be asked for, and where nothing is left.
    """
    asked = [step_meant([step.stage for step in trace], name) for name in asked]
    _refuse_unknown(trace, row, asked)
    chosen = [step for step in trace if _can_be_asked(trace, row, step) and _is_asked(trace, row, step, asked)]
    if not chosen:
        raise UsageError.of("quiz-nothing")
    names = [step.name for step in chosen]
    shown: set[Source] = set()
    questions = []
    for step in chosen:
        reads = tuple(dict.fromkeys(_reads(trace, step, names)))
        new = tuple(table for table in reads if table not in shown)
        shown |= set(new)
        questions.append(_question(trace, row, step)._replace(reads=reads, new=new))
    return Quiz(trace, row, trace.scenario.places, tuple(questions))


def _refuse_unknown(trace: Trace, row: Row, asked: Sequence[str]) -> None:
    known = [step.name for step in trace if _can_be_asked(trace, row, step)]
    for name in asked:
        if name not in trace:
            near = nearest(name, known)
            raise UsageError.of("unknown-step", "--step", found=name, known=", ".join(known), near=near)
        if name not in known:
            raise UsageError.of("quiz-given", "--step", found=name, known=", ".join(known))


def _is_asked(trace: Trace, row: Row, step: Step, asked: Sequence[str]) -> bool:
    return step.name in asked if asked else not is_plain(trace, row, step)


def _can_be_asked(trace: Trace, row: Row, step: Step) -> bool:
    """Whether a row of the step is calculated and made of numbers."""
    if step.stage.given or len(step.stage.layout) > 4:
        return False
    return all(step.cells[cell] == step.cells[cell] for cell in _question(trace, row, step).cells)


def is_plain(trace: Trace, row: Row, step: Step) -> bool:
    """Whether a calculated step shows nothing new: it looks numbers up, passes them on, or hides none of the row."""
    scenario = trace.scenario
    if step.name in ("q", "k", "v"):
        return not scenario.has(f"w_{step.name}") and not scenario.has(f"b_{step.name}")
    if step.name == "x":
        return not scenario.has("positions")
    return step.name in PASSED_ON or (step.name == "masked" and not any(hidden_keys(trace, row)))


# --- one question ---------------------------------------------------------------------------------


def hidden_keys(trace: Trace, row: Row) -> tuple[bool, ...]:
    """Which keys the row does not see."""
    if "weights" in trace:
        weights = trace["weights"]
        hidden = hidden_cells(trace, weights, own_place(trace, weights, row.batch, row.head))
        if hidden is not None:
            return tuple(map(bool, hidden[row.query]))
    return (False,) * len(trace.scenario.tokens)


def _question(trace: Trace, row: Row, step: Step) -> Question:
    layout = step.stage.layout
    place = own_place(trace, step, row.batch, row.head)
    line = row.query if layout[2] == "query" else _key_row(trace, row, step)
    length = step.cells.shape[3]
    hidden = hidden_keys(trace, row) if layout[3] == "key" else (False,) * length
    columns = _columns(hidden)
    return Question(
        step.name, tuple((*place, line, column) for column in columns), tuple(hidden[c] for c in columns), length
    )


def _columns(hidden: Sequence[bool]) -> list[int]:
    """The places of a row that are asked for; of a long one the first, those that are seen."""
    places = list(range(len(hidden)))
    if len(places) <= MOST_NUMBERS:
        return places
    return [place for place in places if not hidden[place]][:FEWER] or places[:FEWER]


def _key_row(trace: Trace, row: Row, step: Step) -> int:
    """The key that stands for all: the first that the query sees and that is not the query's own token."""
    hidden = hidden_keys(trace, row)
    first = len(hidden) - int(step.cells.shape[2])  # the keys of the past come first
    own = trace.scenario.arrays["own"][row]
    seen = [key for key in range(first, len(hidden)) if not hidden[key]]
    return next((key for key in seen if not own[key]), next(iter(seen), first)) - first


# --- what is shown --------------------------------------------------------------------------------


def _reads(trace: Trace, step: Step, asked: Sequence[str]) -> Iterator[Source]:
    """The given numbers that a step is made from, and the rows of calculated steps that nobody was asked for.

    What was asked for is known; behind a step that was not, what that is made from is needed.
    """
    for source in step.sources:
        if source.given:
            yield from (array for array in (source,) if array.name in trace.scenario.origins)
            continue
        made_from = trace[source.name]
        if made_from.stage.given or _is_needed(trace, made_from, asked, step.stage.layout[2] == "key"):
            yield source
        elif made_from.name not in asked:
            yield from _reads(trace, made_from, asked)
    if trace.scenario.heads > 1 and step.name == "joined":
        yield OTHER_HEADS


def _is_needed(trace: Trace, step: Step, asked: Sequence[str], per_key: bool) -> bool:
    """Whether other rows of a step are needed than one that was asked for, or it was not asked since it is plain."""
    if step.name in asked:
        return per_key or step.stage.layout[2] == "key"
    return step.name not in (*PASSED_ON, "masked") and is_plain(trace, Row(0, 0, 0), step)
