"""Answers as a bare matrix in CSV, with or without labels above its columns and beside its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from attncalc.core.stage import Step
from attncalc.errors import shortened
from attncalc.explore.cells import length, names_on
from attncalc.explore.placing import WrongShape
from attncalc.practice.answered import Answered
from attncalc.practice.assembling import Assembly
from attncalc.practice.csv_lines import Line, fault, is_word, line_of, number_in
from attncalc.practice.fitting import COLUMNS, FROM_ONE, Fitted, fitted, inner_axes, positions_of
from attncalc.practice.numbers_typed import is_gap


class Edges(NamedTuple):
    """Whether labels stand above the columns, and beside the rows."""

    above: bool
    beside: bool


class Places(NamedTuple):
    """Where the rows, or the columns, of a matrix belong on an axis, and whether they are counted from 1."""

    order: list[int]
    from_one: bool = False


def answers_in_matrix(assembly: Assembly, step: Step, lines: Sequence[Line]) -> tuple[Answered, ...]:
    """The answers of a matrix that stands for a step's table."""
    grid = _rectangular(assembly, lines)
    return assembly.answers([_answered(assembly, step, grid)] if grid else [])


def _rectangular(assembly: Assembly, lines: Sequence[Line]) -> list[Line]:
    """The lines, a header without its corner filled up; a line of another length is reported."""
    wanted = len(lines[-1].cells) if lines else 0
    if len(lines) > 1 and len(lines[0].cells) == wanted - 1:
        lines = [Line(lines[0].number, ["", *lines[0].cells]), *lines[1:]]
    for line in lines:
        if len(line.cells) != wanted:
            fields = {"found": len(line.cells), "wanted": wanted, "first": line_of(assembly, lines[-1].number)}
            fault(assembly, line.number, "ragged", **fields)
    return [] if assembly.faults else list(lines)


def _answered(assembly: Assembly, step: Step, grid: Sequence[Line]) -> Answered | None:
    """The answers of a matrix; None after a report, or where there are none."""
    edges = _edges(step, grid)
    above = [cell.strip() for cell in grid[0].cells[edges.beside :]] if edges.above else None
    rows = grid[edges.above :]
    beside = [line.cells[0].strip() for line in rows] if edges.beside else None
    down, along = inner_axes(step)
    if swapped := _is_swapped(step, above, beside):
        down, along = along, down
    places = [_places(assembly, step, axis, words, grid[0].number) for axis, words in ((down, beside), (along, above))]
    if not rows and not assembly.faults:
        assembly.misfit("", step, WrongShape((0,), step.shape))
    if assembly.faults:
        return None
    cells = _cells(assembly, rows, edges, step, [(down, places[0]), (along, places[1])])
    if assembly.faults:
        return None
    return _on_axes(assembly, step, cells.T if swapped else cells, swapped, any(p and p.from_one for p in places))


def _on_axes(
    assembly: Assembly, step: Step, cells: np.ndarray[tuple[int, ...], np.dtype[np.object_]], swapped: bool, one: bool
) -> Answered | None:
    try:
        found = fitted(cells, step)
    except WrongShape as wrong:
        assembly.misfit("", step, wrong)
        return None
    convention = found.convention or (COLUMNS if swapped else FROM_ONE if one else "")
    return assembly.typed(step, Fitted(found.numbers, convention))


# --- labels ---------------------------------------------------------------------------------------


def _edges(step: Step, grid: Sequence[Line]) -> Edges:
    """Where the labels stand: words among the numbers, or numbers that make the matrix too large by themselves."""
    first, column = grid[0].cells, [line.cells[0] for line in grid]
    above, beside = any(map(is_word, first[1:])), any(map(is_word, column[1:]))
    if is_word(first[0]) and not above and not beside:
        return Edges(len(first) == 1, len(first) > 1)
    if above or beside:
        corner = is_gap(first[0]) and len(first) > 1 and len(column) > 1
        return Edges(above or corner, beside or corner or (above and _is_no_label(step, first[0])))
    for edges in (Edges(False, False), Edges(True, True), Edges(True, False), Edges(False, True)):
        if _may_be(step, grid, edges):
            return edges
    return Edges(False, False)


def _is_no_label(step: Step, corner: str) -> bool:
    """Whether a word in the corner is a title of the labels, not one of them."""
    axis, word = inner_axes(step)[1], corner.strip()
    return axis in step.labels and positions_of(step.labels[axis], [word], spelled=True).places[word] is None


def _may_be(step: Step, grid: Sequence[Line], edges: Edges) -> bool:
    """Whether a matrix of numbers fits its step, its first line or column taken for positions."""
    rows, columns = len(grid) - edges.above, len(grid[0].cells) - edges.beside
    try:
        fitted(np.full((rows, columns), None, dtype=object), step)
    except WrongShape:
        return False
    above = [cell.strip() for cell in grid[0].cells[edges.beside :]]
    beside = [line.cells[0].strip() for line in grid[edges.above :]]
    return not (edges.above and not _counts(above)) and not (edges.beside and not _counts(beside))


def _counts(words: Sequence[str]) -> bool:
    """Whether words count up from 0 or from 1."""
    return any(list(words) == [str(start + place) for place in range(len(words))] for start in (0, 1))


def _is_swapped(step: Step, above: Sequence[str] | None, beside: Sequence[str] | None) -> bool:
    """Whether the labels say that rows and columns are exchanged."""
    down, along = inner_axes(step)
    if _named(step, along, above) and _named(step, down, beside):
        return along == "feature" and above is not None and any(map(is_word, above)) and _named(step, down, above)
    return _named(step, down, above) and _named(step, along, beside)


def _named(step: Step, axis: str, words: Sequence[str] | None) -> bool:
    """Whether every word names a place on the axis; of features and single numbers any does."""
    if words is None or axis not in ("query", "key") or tuple(words) == names_on(step, axis):
        return True
    return None not in positions_of(names_on(step, axis), words, spelled=True).places.values()


def _places(assembly: Assembly, step: Step, axis: str, words: Sequence[str] | None, line: int) -> Places | None:
    """Where the labelled rows or columns belong; None where they have no labels, or after a report."""
    if words is None or axis not in ("query", "key"):
        return None
    labels = names_on(step, axis)
    if tuple(words) == labels:
        return Places(list(range(len(words))))
    named = positions_of(labels, words, spelled=True)
    order = []
    for word in words:
        place = named.places[word]
        if place is None:
            assembly.unknown_at(line_of(assembly, line), step, axis, word)
            return None
        if place in order:
            fault(assembly, line, "answers-label-twice", found=shortened(word))
            return None
        order.append(place)
    return Places(order, named.from_one)


def _cells(
    assembly: Assembly, rows: Sequence[Line], edges: Edges, step: Step, sides: Sequence[tuple[str, Places | None]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.object_]]:
    """The numbers in the order of the axes, no answer in rows and columns that are not there."""
    counts = (len(rows), len(rows[0].cells) - edges.beside)
    shape = [length(step, axis) if places else n for (axis, places), n in zip(sides, counts, strict=True)]
    down, along = (places.order if places else range(n) for (_, places), n in zip(sides, counts, strict=True))
    cells = np.full(shape, None, dtype=object)
    for place, line in zip(down, rows, strict=True):
        for column, cell in zip(along, line.cells[edges.beside :], strict=True):
            cells[place, column] = number_in(assembly, line.number, cell)
    return cells
