"""The whole calculation as a flow: each step a box with its formula and its table, below the boxes it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attncalc.core.stage import Step, Trace
from attncalc.derive import sources_in_formula
from attncalc.document.heading import equation, step_numbers
from attncalc.document.matrices import matrices
from attncalc.document.pictures.drawing import Box, Part, Picture, moved, packed, stacked
from attncalc.document.pictures.frame import PAGE, framed
from attncalc.document.pictures.grid import grid
from attncalc.document.pictures.letters import lines_of, written
from attncalc.document.pictures.wires import Placed, wired
from attncalc.document.view import View

MOST = 8
"""Rows and columns of each table."""
PADDING, BETWEEN = 12, 36
WIDEST_FORMULA = 420


def flow(trace: Trace, view: View, told: bool, quiet: bool) -> Picture:
    """Every step that is asked for; told, those of one query."""
    queries = view.queries if view.queries is not None or not told else trace.scenario.queries
    steps = [step for step in trace if view.draws(step)]
    numbers = step_numbers(trace)
    boxes = {step.name: _box(trace, step, view, numbers[step.name], queries) for step in steps}
    sources = {step.name: _sources(trace, step, boxes) for step in steps}
    body = wired(list(_placed(_layers(sources, boxes), boxes)), sources)
    titles = view.say("list-comma").join(view.say(f"title.{step.stage.texts()}") for step in steps)
    said = view.say("picture-flow", count=len(steps), titles=titles)
    return framed(trace, view, body, said, quiet, queries)


def _box(trace: Trace, step: Step, view: View, number: str, queries: Sequence[int] | None) -> Part:
    """Title, formula and tables, with a frame around them."""
    title = " ".join(part for part in (number, view.say(f"title.{step.stage.texts()}")) if part)
    parts = [written([title], "heading")]
    if formula := equation(trace, step, view):
        parts.append(written(lines_of(view.equation(formula), "formula", WIDEST_FORMULA), "formula"))
    cut = view._replace(most_side=view.most_side and MOST)
    parts.append(packed([grid(matrix) for matrix in matrices(trace, step, cut, queries)], 20, PAGE))
    inside = stacked(parts, 4)
    width, height = inside.width + 2 * PADDING, inside.height + 2 * PADDING
    frame = Box(0, 0, width, height, "given" if step.stage.given else "step")
    return Part(width, height, (frame, *moved(inside, PADDING, PADDING)))


def _sources(trace: Trace, step: Step, boxes: Mapping[str, Part]) -> list[str]:
    """The steps in the picture that stand in a step's formula."""
    found = sources_in_formula(trace, step)
    return list(dict.fromkeys(source.name for source in found if source.name in boxes and not source.given))


def _layers(sources: Mapping[str, Sequence[str]], boxes: Mapping[str, Part]) -> list[list[str]]:
    """Each step below what it reads, as far as a row has room; what reads nothing just above what reads it."""
    layer: dict[str, int] = {}
    used: dict[int, float] = {}
    for name, read in sources.items():
        if not read and any(name in others for others in sources.values()):
            continue
        _settle(name, max((layer.get(source, 0) for source in read), default=-1) + 1, layer, used, boxes, 1)
        for source in (source for source in read if source not in layer):
            _settle(source, layer[name] - 1, layer, used, boxes, -1)
    first = min(layer.values(), default=0)
    rows: list[list[str]] = [[] for _ in range(max(layer.values(), default=0) - first + 1)]
    for name in sources:
        rows[layer[name] - first].append(name)
    return [row for row in rows if row]


def _settle(
    name: str, row: int, layer: dict[str, int], used: dict[int, float], boxes: Mapping[str, Part], step: int
) -> None:
    """Puts a box into a row, or into the next that has room for it."""
    width = boxes[name].width + BETWEEN
    while row in used and used[row] + width > PAGE + BETWEEN:
        row += step
    layer[name] = row
    used[row] = used.get(row, 0) + width


def _placed(layers: Sequence[Sequence[str]], boxes: Mapping[str, Part]) -> Iterator[list[Placed]]:
    """The boxes of each layer, centred on a common line."""
    for row in layers:
        x = -(sum(boxes[name].width for name in row) + BETWEEN * (len(row) - 1)) / 2
        places = []
        for name in row:
            places.append(Placed(name, round(x, 1), boxes[name]))
            x += boxes[name].width + BETWEEN
        yield places
