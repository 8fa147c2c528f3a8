"""Where the cells of a page come from, as texts and references: the script of the page shows them, and no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.expression import Expression, Number, Operation, numbers_in
from attncalc.core.numbers import figure_of, operand
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Step, Trace
from attncalc.derive import Window
from attncalc.document.extent import Extent, windows
from attncalc.document.raised import raised
from attncalc.document.relation import relation
from attncalc.document.view import View
from attncalc.document.windowed import derivations


class CellStories(NamedTuple):
    """The told cells of a step: where they are, and for each what is put in, the relation, and the cells read.

    `hidden` has the result of those whose table shows a sign instead of their number.
    """

    at: str
    trees: list[str]
    relations: list[str]
    sources: list[str]
    hidden: dict[int, str]


def cell_stories(trace: Trace, view: View, steps: Iterable[Step], carried: Extent) -> dict[str, CellStories]:
    """The computed ones of the steps, each with the cells that are told."""
    telling = _Telling(trace, view)
    found = {}
    for step in steps:
        if not step.stage.given:
            parts = list(dict.fromkeys(own_place(trace, step, *place) for place in carried.told))
            found[step.name] = telling.told(step, _windows(step, view, parts, carried.rows))
    return found


def runs(numbers: Iterable[int]) -> str:
    """Whole numbers in short: `0+64` for 0 to 63, `3+4*8` for 3, 11, 19 and 27, parted by blanks."""
    found: list[list[int]] = []  # start, count, distance
    for number in numbers:
        last = found[-1] if found else None
        if last and last[1] == 1 and number > last[0]:
            last[1:] = 2, number - last[0]
        elif last and last[1] > 1 and number == last[0] + last[1] * last[2]:
            last[1] += 1
        else:
            found.append([number, 1, 1])
    return " ".join(f"{start}+{count}" + (f"*{by}" if by != 1 else "") for start, count, by in found)


def flat(step: Step, index: Sequence[int]) -> int:
    """The place of a cell in a step's array, counted through."""
    place = 0
    for position, length in zip(index, step.cells.shape, strict=True):
        place = place * length + position
    return place


def _windows(step: Step, view: View, places: Sequence[tuple[int, int]], rows: Sequence[int]) -> Iterator[Window]:
    """The windows of a step whose cells are told."""
    further = [slice(0, min(length, view.most_side or length)) for length in step.cells.shape[3:]]
    for batch, head in places:
        for some in windows(rows, step.cells.shape[2]):
            yield (slice(batch, batch + 1), slice(head, head + 1), some, *further)


class _Telling:
    """Writes cells, each number that they share once."""

    def __init__(self, trace: Trace, view: View) -> None:
        self.trace, self.view, self.notation = trace, view, raised(view)
        self.shown: dict[int, Number] = {}
        self.place: dict[int, tuple[str, int] | None] = {}
        self.hidden: Any = None

    def told(self, step: Step, parts: Iterable[Window]) -> CellStories:
        """The cells of a step in its windows."""
        stories = CellStories("", [], [], [], {})
        places: list[int] = []
        for window in parts:
            self.shown, self.place = {}, {}  # by the identity of numbers that this array keeps alive
            self.hidden = hidden_cells(self.trace, step, (window[0].start, window[1].start))
            trees = derivations(self.trace, step, window)
            start = tuple(part.start for part in window)
            for offset in np.ndindex(trees.shape):
                index = tuple(s + o for s, o in zip(start, offset, strict=True))
                places.append(flat(step, index))
                self._tell(stories, step, index, trees[offset])
        return stories._replace(at=runs(places))

    def _tell(self, stories: CellStories, step: Step, index: tuple[int, ...], tree: Expression) -> None:
        value = step.cells[index]
        result = figure_of(self.trace, step, value)
        shown = self._shown_tree(tree)
        if value == 0 and self.hidden is not None and self.hidden[index[2:]]:
            stories.hidden[len(stories.trees)] = self.view.number(result)
        stories.trees.append(self.notation.print(shown))
        stories.relations.append(relation(tree, shown, result, self.view.signs))
        stories.sources.append(self._sources(tree))

    def _shown_tree(self, tree: Expression) -> Expression:
        """The derivation with every number as the text its step shows, each made once."""
        if isinstance(tree, Number):
            found = self.shown.get(id(tree))
            if found is None:
                found = self.shown[id(tree)] = Number(operand(self.trace, tree), tree.cell)
            return found
        if isinstance(tree, Operation):
            return Operation(tree.kind, tuple(map(self._shown_tree, tree.arguments)))
        return tree

    def _sources(self, tree: Expression) -> str:
        """The cells of steps that are read, `q:0+64 k:128+64`."""
        found: dict[str, list[int]] = {}
        for number in _numbers(tree):
            key = id(number)
            if key not in self.place:
                self.place[key] = self._place_of(number)
            if (place := self.place[key]) is not None:
                found.setdefault(place[0], []).append(place[1])
        return " ".join(f"{name}:{run}" for name, places in found.items() for run in runs(places).split())

    def _place_of(self, number: Number) -> tuple[str, int] | None:
        cell = number.cell
        return None if cell is None or cell.given else (cell.name, flat(self.trace[cell.name], cell.place))


def _numbers(tree: Expression) -> Iterable[Number]:
    """The numbers put in, quickly where they are the arguments themselves."""
    if isinstance(tree, Operation) and all(isinstance(argument, Number) for argument in tree.arguments):
        return tree.arguments  # type: ignore[return-value]
    return numbers_in(tree)
