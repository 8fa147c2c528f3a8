"""The fold: stages one after another, each reading the slots as the stages before left them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from attncalc.core.arithmetic import Arithmetic, Array
from attncalc.core.bounded import Values
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Source, Stage, Step

BOOLEAN_SLOTS = ("visible", "own")


class Slot(NamedTuple):
    """What a slot holds at a moment: where it comes from, and the array."""

    source: Source
    array: Array


class Result(NamedTuple):
    """What a stage wrote, and where each array it read came from."""

    stage: Stage
    array: Array
    sources: tuple[Source, ...]


Evaluate = Callable[[Stage, list[Array]], Array]


def fold(
    rows: Sequence[Stage], scenario: Scenario, arithmetic: Arithmetic, evaluate: Evaluate,
    slots: dict[str, Slot] | None = None,
) -> list[Result]:  # fmt: skip
    """Runs the rows in order; `evaluate` calculates one row from the arrays it reads.

    With `slots` the rows go on from what is written there, and leave there what they write.
    """
    slots = {} if slots is None else slots
    results = []
    for row in rows:
        read = [_read(slots, scenario, arithmetic, read.slot) for read in row.reads]
        if row.given:
            array = arithmetic.given(scenario.arrays[row.name], row.name)
        else:
            array = evaluate(row, [slot.array for slot in read])
        results.append(Result(row, array, tuple(slot.source for slot in read)))
        slots.update({name: Slot(Source(row.name), array) for name in row.writes})
    return results


def _read(slots: Mapping[str, Slot], scenario: Scenario, arithmetic: Arithmetic, name: str) -> Slot:
    if name in slots:
        return slots[name]
    values = scenario.arrays[name]
    return Slot(Source(name, given=True), values if name in BOOLEAN_SLOTS else arithmetic.given(values, name))


def step_of(scenario: Scenario, result: Result, cells: Values) -> Step:
    """The step that a result becomes: its array, read-only, with the labels of its axes."""
    cells = cells.view()
    cells.setflags(write=False)
    axes = tuple(axis for axis in result.stage.axes if axis in scenario.axes)
    tokens = {"query": scenario.query_tokens, "key": scenario.tokens}
    layout = result.stage.layout
    # The keys of the past come first: a step that has only the new ones carries the last labels.
    labels = {axis: tokens[axis][-cells.shape[layout.index(axis)] :] for axis in axes if axis in tokens}
    return Step(result.stage, cells, axes, labels, result.sources, scenario)
