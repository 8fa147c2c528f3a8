"""An exercise as it is printed, and the tables that its sheet and its key share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal

from attncalc.core.numbers import figure_of
from attncalc.core.rows import own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.core.wrapping import closed_up
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import step_numbers, title_of
from attncalc.document.matrices import matrices
from attncalc.document.view import View
from attncalc.explore.cells import Index
from attncalc.practice.exercise import Exercise, short

TextAt = Callable[[Index], str]


class Printing:
    """An exercise as it is printed: in a view of all heads, with the version and the command that make it again."""

    def __init__(self, made: Exercise, view: View, version: str, command: str) -> None:
        self.made, self.version, self.command = made, version, command
        self.view = view._replace(heads=tuple(range(made.scenario.heads)), queries=None)
        self.say = view.say
        self.number = step_numbers(made.trace)

    def shown(self, step: Step, text: str) -> str:
        """A number as it stands in the key: of a step of whole numbers without its zeros."""
        whole = all(value == value.to_integral_value() for value in step.cells.flat)
        return self.view.number(short(Decimal(text), text) if whole else text)

    @property
    def query(self) -> str:
        """The token whose row is worked through."""
        return self.token(self.made.query)

    def token(self, query: int) -> str:
        """The token of a query."""
        return labels(self.made.scenario.query_tokens)[query]

    def in_language(self, language: str) -> Printing:
        """The same in another language."""
        return Printing(self.made, self.view.in_language(language), self.version, self.command)

    def about(self) -> Iterator[Block]:
        """Version, and the command that makes this sheet and its key again."""
        text = self.say("worksheet-made-by", version=self.version, command=self.command)
        yield Prose(text, self.say("lead.made-by"))

    def title(self, code: str = "") -> Heading:
        """The title, with level and seed; it begins a page."""
        title, order = title_of(self.made.scenario, self.view), self.made.order
        aside = self.say("worksheet-aside", level=order.level, seed=order.seed)
        return Heading(self.say(code, title=title) if code else title, aside=aside, new_page=True)


def tables_with(trace: Trace, step: Step, view: View, text: TextAt) -> Iterator[Matrix]:
    """The tables of a step with other texts in their cells."""
    places = dict.fromkeys(own_place(trace, step, batch, head) for batch, head in view.places(trace.scenario))
    for place, matrix in zip(places, matrices(trace, step, view), strict=True):
        cells = (
            tuple(Figure(text((*place, row, column)), cell=figure.cell) for column, figure in enumerate(figures))
            for row, figures in enumerate(matrix.cells)
        )
        yield matrix._replace(cells=tuple(cells))


def number_at(trace: Trace, step: Step, view: View, index: Index) -> str:
    """A number of a step, without the zeros at its end where it is exact."""
    value = step.cells[index]
    return view.number(short(value, figure_of(trace, step, value)))


def listed(words: Sequence[str], view: View) -> str:
    """`scores, weights and context`; between Chinese words there are no blanks."""
    return closed_up(view.listed(words))
