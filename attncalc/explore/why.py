"""Why a cell is what it is: its derivation, and those of the cells it is made from, down to the given numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import localcontext
from typing import Any, NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.expression import Cell, Expression, Number, numbers_in
from attncalc.core.stage import Trace
from attncalc.derive import derivation

MOST_CELLS = 20_000
"""How many cells a whole tree may have; beyond, it is cut and says so."""


class Because(NamedTuple):
    """One cell with what it is made from.

    `causes` are the cells of steps and the given numbers in its derivation, each once, in the order of the formula;
    they are empty where the cell is given, told `above`, or where the tree is `cut`. Of many causes from one step only
    the first are taken apart; `left_out` counts the others by step.
    """

    cell: Cell
    value: Any
    tree: Expression | None = None  # None: the number is given
    causes: tuple[Because, ...] = ()
    above: bool = False
    cut: bool = False
    left_out: tuple[tuple[str, int], ...] = ()

    @property
    def given(self) -> bool:
        """Whether the scenario gives the number."""
        return self.tree is None


def why(trace: Trace, cell: Cell, depth: int | None = None, most: int | None = None) -> Because:
    """The tree of a cell, `depth` levels deep (None: down to the given numbers); a cell is taken apart once.

    `most` is how many cells of one step are taken apart under one cell (None: all).
    """
    with localcontext(OWN):
        return _because(trace, cell, trace[cell.name].cells[cell.place], depth, most, set())


def fitting(trace: Trace, cell: Cell, most: int, lines: int) -> tuple[Because, int | None]:
    """The tree with as many levels as keep it within so many lines, at least one.

    And how many levels those are, None where the tree is whole.
    """
    tree, depth = why(trace, cell, 1, most), 1
    while any(part.cut for _, part in levels(tree)):
        deeper = why(trace, cell, depth + 1, most)
        if sum(1 for _ in levels(deeper)) > lines:
            return tree, depth
        tree, depth = deeper, depth + 1
    return tree, None


def _because(trace: Trace, cell: Cell, value: Any, depth: int | None, most: int | None, told: set[Cell]) -> Because:
    if cell.given or trace[cell.name].stage.given:
        return Because(cell, value)
    tree = derivation(trace, trace[cell.name], cell.place)
    if cell in told:
        return Because(cell, value, tree, above=True)
    if depth == 0 or len(told) >= MOST_CELLS:
        return Because(cell, value, tree, cut=True)
    told.add(cell)
    deeper = None if depth is None else depth - 1
    numbers, left_out = _first_of_each(_said(trace, sources(tree)), most)
    causes = tuple(_because(trace, n.cell, n.value, deeper, most, told) for n in numbers if n.cell is not None)
    return Because(cell, value, tree, causes, left_out=left_out)


def _said(trace: Trace, found: dict[Cell, Number]) -> dict[Cell, Number]:
    """The sources that are cells or stand in the scenario: not d_k, positions and distances, which shapes say."""
    document = trace.scenario.document
    return {cell: n for cell, n in found.items() if not cell.given or cell.name.split(".")[0] in document}


def _first_of_each(
    found: dict[Cell, Number], most: int | None
) -> tuple[list[Number], tuple[tuple[str, int], ...]]:  # fmt: skip
    """The first `most` of each step or given array, and how many more of each there are."""
    counts = Counter(cell.name for cell in found)
    kept: list[Number] = []
    seen: Counter[str] = Counter()
    for cell, number in found.items():
        seen[cell.name] += 1
        if most is None or counts[cell.name] <= most or seen[cell.name] < most:
            kept.append(number)
    left = tuple((name, n - most + 1) for name, n in counts.items() if most is not None and n > most)
    return kept, left


def sources(tree: Expression) -> dict[Cell, Number]:
    """The cells and given numbers that stand in a derivation, each once, in its order; constants are left out."""
    found: dict[Cell, Number] = {}
    for number in numbers_in(tree):
        if number.cell is not None:
            found.setdefault(number.cell, number)
    return found


def cells_behind(trace: Trace, cell: Cell) -> tuple[Cell, ...]:
    """The cells of earlier steps in a cell's derivation; none for a given cell."""
    step = trace[cell.name]
    if step.stage.given:
        return ()
    return tuple(found for found in sources(derivation(trace, step, cell.place)) if not found.given)


def given_behind(trace: Trace, cell: Cell) -> tuple[Number, ...]:
    """The numbers in a cell's derivation that stand in the scenario and in no step, such as those of a residual."""
    step = trace[cell.name]
    if step.stage.given:
        return ()
    found = _said(trace, sources(derivation(trace, step, cell.place)))
    return tuple(number for source, number in found.items() if source.given)


def levels(because: Because, depth: int = 0) -> Iterator[tuple[int, Because]]:
    """The tree line by line, from above."""
    yield depth, because
    for cause in because.causes:
        yield from levels(cause, depth + 1)
