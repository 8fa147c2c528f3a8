"""An array of answers put on the axes of its step, and the convention that it is written in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attncalc.core.bounded import Values
from attncalc.core.labels import distinct, places_of
from attncalc.core.stage import Row, Step, Trace
from attncalc.errors import UsageError, nearest
from attncalc.explore.placing import WrongShape, leaves_out_ones, unjoined
from attncalc.messages.safe_text import escaped
from attncalc.practice.quiz import hidden_keys
from attncalc.practice.step_words import step_meant

AVERAGED, COLUMNS, FROM_ONE = "heads-averaged", "columns", "counted-from-1"
"""Conventions that an array shows by its shape or its labels."""


class HeadsExchanged(WrongShape):
    """An array would fit with its axes of tokens and heads exchanged."""


class Fitted(NamedTuple):
    """An array with all the axes of its step, and the convention it was in."""

    numbers: Values
    convention: str = ""


def step_named(trace: Trace, name: str, place: str = "") -> Step:
    """The step of a name; a UsageError where the scenario has none. The terms are made where they are asked for."""
    if name == "weights_sum":
        raise UsageError.of("answers-sum", place)
    trace = with_terms(trace, name)
    name = meant(trace, name)
    if name not in trace:
        known = [step.name for step in trace]
        raise UsageError.of("unknown-step", place, found=name, known=", ".join(known), near=nearest(name, known))
    return trace[name]


def meant(trace: Trace, word: str) -> str:
    """The name of the one step that a word means: 权重 or A for weights; the word itself where it means none."""
    return step_meant([step.stage for step in trace], word)


def with_terms(trace: Trace, name: str) -> Trace:
    """The trace, with the terms as a step where that is the name of one: they are made on demand only."""
    if name != "terms" or "terms" in trace or "context" not in trace:
        return trace
    from attncalc.running import run

    return run(trace.scenario, terms=True)


def full_shape(step: Step, **lengths: int) -> tuple[int, ...]:
    """The shape of a step's cells, some of its axes with another length."""
    return tuple(lengths.get(axis, n) for axis, n in zip(step.stage.layout, step.cells.shape, strict=True))


def inner_axes(step: Step) -> tuple[str, str]:
    """The axes of the rows and of the columns of a step's tables."""
    return step.stage.layout[-2], step.stage.layout[-1]


def fitted(numbers: Values, step: Step, **lengths: int) -> Fitted:
    """The numbers on all axes of their step; a WrongShape where no convention puts them there.

    Axes of length 1 may be left out or added, heads may stand side by side. Else the heads may be averaged, or rows
    and columns exchanged; where tokens stand before heads, the WrongShape is a HeadsExchanged.
    """
    wanted = full_shape(step, **lengths)
    for convention, array, shape in _readings(numbers, wanted):
        array = unjoined(array, step.stage.layout, shape) if len(shape) == 4 else array
        if leaves_out_ones(array.shape, shape):
            return Fitted(array.reshape(shape), convention)
    shape = tuple(n for n in wanted if n > 1) or (1,) if lengths else step.shape
    exchanged = numbers.ndim > 2 and wanted[1] > 1 and leaves_out_ones(numbers.swapaxes(-3, -2).shape, wanted)
    raise (HeadsExchanged if exchanged else WrongShape)(numbers.shape, shape)


def _readings(numbers: Values, wanted: tuple[int, ...]) -> Iterator[tuple[str, Values, tuple[int, ...]]]:
    """The ways to read an array: the convention, the array without it, the shape it has to have then."""
    yield "", numbers, wanted
    yield AVERAGED, numbers, (wanted[0], 1, *wanted[2:])
    if numbers.ndim > 1 and len(wanted) == 4:
        yield COLUMNS, numbers.swapaxes(-1, -2), wanted


def filled_up(trace: Trace, step: Step, row: list[Any], query: int, batch: int = 0, head: int = 0) -> list[Any]:
    """A row of a number for each key that its query sees, with None for the other keys; any other row as it is."""
    if step.stage.layout[-1] != "key" or step.name == "masked" or any(isinstance(cell, list) for cell in row):
        return row
    hidden = hidden_keys(trace, Row(batch, head, query))
    if len(row) != hidden.count(False):
        return row
    given = iter(row)
    return [None if unseen else next(given) for unseen in hidden]


class Positions(NamedTuple):
    """The position that each word names on an axis, None where it names none; `from_one` says how they are counted."""

    places: dict[str, int | None]
    from_one: bool = False


def positions_of(labels: Sequence[str], words: Sequence[str], spelled: bool = False) -> Positions:
    """What words name on an axis together: labels, else positions from 0, or from 1 where they are exactly 1 to n.

    `spelled`: the words are labels as a CSV spells them, of repeated ones the first without a number.
    """
    counted = [str(number) for number in range(1, len(labels) + 1)]
    if set(words) == set(counted) and not set(words) <= set(labels):
        return Positions({word: place for place, word in enumerate(counted)}, from_one=True)
    spellings = _spellings(labels) if spelled else {}
    return Positions({word: _spelled(spellings, labels, word) for word in set(words)})


def _spelled(spellings: Mapping[str, int], labels: Sequence[str], word: str) -> int | None:
    """The position of a word as it stands, or without the blanks around it."""
    return next((spellings[form] for form in (word, word.strip()) if form in spellings), _position(labels, word))


def _spellings(labels: Sequence[str]) -> dict[str, int]:
    """Every way in which a CSV may spell a label."""
    found: dict[str, int] = {}
    for place, label in enumerate(distinct(labels)):
        for spelling in (label, escaped(label), f"'{escaped(label)}"):
            found.setdefault(spelling, place)
    return found


def _position(labels: Sequence[str], word: str) -> int | None:
    """The position of a label, or of a position; a repeated label without its number names none."""
    places = places_of(labels, word)
    if places:
        return places[0] if len(places) == 1 else None
    whole = word.isascii() and word.isdigit() and len(word) < 10
    return int(word) if whole and int(word) < len(labels) else None
