"""`why`: a cell as a tree down to the given numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell
from attncalc.core.stage import Trace
from attncalc.document.blocks import TOGETHER, Block, Branch, Heading, Prose, Tree
from attncalc.document.derived import number_of, told
from attncalc.document.heading import arithmetic_in_words, equation, full_labels, notes_on, why_code
from attncalc.document.naming import name_in
from attncalc.document.view import MOST_TERMS, View
from attncalc.explore.why import MOST_CELLS, Because, fitting, levels, why

MOST_LINES = 100


def because(trace: Trace, cell: Cell, view: View, depth: int | None = None) -> Iterator[Block]:
    """The blocks of one cell: its name and number, why the step is taken, the tree, the notes on its step."""
    tree, levels_shown = _tree(trace, cell, view, depth)
    step = trace[cell.name]
    number = number_of(trace, view, cell, tree.value)
    title = view.say("why-title", cell=name_in(trace, cell, view), number=number)
    yield Heading(title, aside=arithmetic_in_words(trace, view))
    if step.stage.given:
        yield Prose(view.say("why-given", path=trace.scenario.path_of(cell.name, cell.place)))
    else:
        yield Prose(view.say(f"why.{why_code(trace.scenario, step)}"))
        yield Tree(tuple(_Teller(trace, view, cell).branches(tree)))
    if levels_shown is not None:
        yield Prose(view.aloud("why-levels", count=levels_shown))
    elif depth is None and any(part.cut for _, part in levels(tree)):
        yield Prose(view.say("why-cut", count=MOST_CELLS))
    yield from notes_on(trace, cell, view)
    yield from full_labels(trace, view)


def _tree(trace: Trace, cell: Cell, view: View, depth: int | None) -> tuple[Because, int | None]:
    """The tree as deep as asked for, or as fits; and how many levels those are where there are more."""
    if depth is None and not view.everything:
        return fitting(trace, cell, MOST_TERMS, MOST_LINES)
    return why(trace, cell, depth, None if view.everything else MOST_TERMS), None


class _Teller:
    """Turns a tree into branches; a step's formula stands where the step is met first."""

    def __init__(self, trace: Trace, view: View, root: Cell) -> None:
        self.trace, self.view, self.root = trace, view, root
        self.said: set[str] = set()

    def branches(self, tree: Because) -> Iterator[Branch]:
        """A line for each computed cell; the given numbers of one cell share a line."""
        say = self.view.say
        for depth, part in levels(tree):
            if part.given:
                continue
            yield self._branch(depth, part)
            given = [cause for cause in part.causes if cause.given]
            if given:
                yield Branch(depth + 1, "", None, "", say("why-from-given", numbers=self._given(given)))
            for name, count in part.left_out:
                text = self.view.aloud("why-left-out", count=count, name=name)
                yield Branch(depth + 1, "", None, "", text)

    def _branch(self, depth: int, part: Because) -> Branch:
        trace, view, step = self.trace, self.view, self.trace[part.cell.name]
        name = name_in(trace, part.cell, view, self.root)
        if part.tree is None or part.above or part.cut:
            number = number_of(trace, view, part.cell, part.value)
            return Branch(depth, name, None, view.signs.equals, number, view.say("why-above") if part.above else "")
        first, shown = step.name not in self.said, told(trace, view, step, part.cell.place, part.tree)
        self.said.add(step.name)
        hidden = view.say("hidden") if part.value == MINUS_INFINITY else ""
        return Branch(depth, name, *shown, hidden, equation(trace, step, view) if first else None)

    def _given(self, parts: Sequence[Because]) -> str:
        """`scores draw I = 1.8, …`: those of a step or an array after each other, none broken at a line's end."""
        texts = []
        order = list(dict.fromkeys(part.cell.name for part in parts))
        for part in sorted(parts, key=lambda part: order.index(part.cell.name)):
            number = number_of(self.trace, self.view, part.cell, part.value)
            name = name_in(self.trace, part.cell, self.view, self.root)
            texts.append(f"{name} {self.view.signs.equals} {number}".replace(" ", TOGETHER))
        return self.view.say("list-comma").join(texts)
