"""The blocks of a worksheet and of its key."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell, Expression, Number, Operation
from attncalc.core.figures import Literal
from attncalc.core.numbers import figure_of, operand
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Step, Trace
from attncalc.core.tokens import labels
from attncalc.derive import derivation, formula
from attncalc.document.blocks import Block, Derivation, Figure, Heading, Line, Matrix, Prose, Remark
from attncalc.document.heading import head_columns, opening, step_heading, title_of, why_code
from attncalc.document.matrices import axis_labels, mask_picture, matrices
from attncalc.document.view import View, relation
from attncalc.explore.cells import Index, cell_name
from attncalc.pipelines.symbols import GIVEN
from attncalc.practice.discriminating import Coincidence
from attncalc.practice.exercise import MORE, Exercise, short
from attncalc.practice.worksheet import Wrong, row_of, wrong_answers

BLANK = "____"
LINE = "_" * 30
BETWEEN_CHINESE = re.compile("(?<=[\u4e00-\u9fff]) (?=[\u4e00-\u9fff])")

TextAt = Callable[[Index], str]


class Printing:
    """An exercise as it is printed: in a view of all heads, with the version and the command that make it again."""

    def __init__(self, made: Exercise, view: View, version: str, command: str) -> None:
        self.made, self.version, self.command = made, version, command
        self.view = view._replace(heads=tuple(range(made.scenario.heads)), queries=None)
        self.say = view.say
        calculated = [step.name for step in made.trace if not step.stage.given]
        self.number = {name: str(number) for number, name in enumerate(calculated, 1)}

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

    def about(self) -> Iterator[Block]:
        """Version, and the command that makes this sheet and its key again."""
        text = self.say("worksheet-made-by", version=self.version, command=self.command)
        yield Prose(text, self.say("lead.made-by"))

    def title(self, code: str = "") -> Heading:
        """The title, with level and seed."""
        title, order = title_of(self.made.scenario, self.view), self.made.order
        aside = self.say("worksheet-aside", level=order.level, seed=order.seed)
        return Heading(self.say(code, title=title) if code else title, aside=aside)


# --- the sheet ------------------------------------------------------------------------------------


def sheet(printing: Printing) -> Iterator[Block]:
    """What a learner gets: the given numbers, the steps with their formulas, and cells to fill in."""
    made, view = printing.made, printing.view
    yield printing.title()
    yield Prose(LINE, view.say("lead.name"))
    yield Prose(view.say("list-comma").join(labels(made.scenario.tokens)), view.say("lead.tokens"))
    yield from list(opening(made.trace, view))[1:]
    yield from _task(printing)
    for step in made.trace:
        if step.stage.given:
            yield step_heading(made.trace, step, view, "")
            yield from matrices(made.trace, step, view)
            yield from _weight_matrices(printing) if step.name == "x" else ()
        elif step in (*made.filled, *made.to_do):
            yield from _step(printing, step)
    yield from printing.about()


def _task(printing: Printing) -> Iterator[Block]:
    say, order = printing.say, printing.made.order
    steps = _listed([say(f"name.{name}") for name in order.blank], printing.view)
    yield Prose(say("worksheet-task", blank=BLANK, steps=steps), say("lead.to-do"))
    if len(printing.made.to_do) > len(order.blank):
        yield Prose(say("worksheet-on-the-way", blank=BLANK))
    more = order.places + MORE
    text = say("worksheet-rounding", places=order.places, more=more)
    yield Prose(text, say("lead.rounding"))
    if printing.made.filled:
        yield Prose(say("worksheet-filled", more=more))


def _weight_matrices(printing: Printing) -> Iterator[Block]:
    """W_Q, W_K, …, as the scenario has them."""
    view, given = printing.view, printing.made.document
    names = [name for name in given if name.startswith("w_")]
    if names:
        yield Heading(view.say("worksheet-matrices"))
    for name in names:
        rows: Any = given[name]
        cells = tuple(tuple(Figure(view.number(_as_given(cell))) for cell in row) for row in rows)
        places = tuple(map(str, range(max(len(rows), len(rows[0])))))
        caption, axis = view.notation().symbol_text(GIVEN[name].text), view.say("axis.feature")
        yield Matrix(caption, axis, axis, places[: len(rows)], places[: len(rows[0])], cells)


def _as_given(number: Any) -> str:
    return number.text if isinstance(number, Literal) else str(number)


def _step(printing: Printing, step: Step) -> Iterator[Block]:
    """A step that is filled in, left blank, or, on the way, only named."""
    made, view = printing.made, printing.view
    yield step_heading(made.trace, step, view, printing.number[step.name])
    yield from head_columns(made.trace, step, view)
    if step.name == "masked":
        yield from mask_picture(made.trace, view, None, range(len(made.scenario.tokens)))
        yield Prose(view.say("worksheet-mask", seen=view.signs.seen, hidden=view.signs.hidden))
    if step in made.filled:
        closer = made.closer[step.name]
        yield from _tables(made.closer, closer, view, lambda index: _number(made.closer, closer, view, index))
    elif step.name in made.order.blank:
        yield from _tables(made.trace, step, view, lambda index: BLANK)


def _tables(trace: Trace, step: Step, view: View, text: TextAt) -> Iterator[Matrix]:
    """The tables of a step with other texts in their cells."""
    places = dict.fromkeys(own_place(trace, step, batch, head) for batch, head in view.places(trace.scenario))
    for place, matrix in zip(places, matrices(trace, step, view), strict=True):
        columns = range(len(matrix.columns))
        rows = (tuple(Figure(text((*place, row, column))) for column in columns) for row in range(len(matrix.rows)))
        yield matrix._replace(cells=tuple(rows))


def _number(trace: Trace, step: Step, view: View, index: Index) -> str:
    """A number of a step, without the zeros at its end where it is exact."""
    value = step.cells[index]
    return view.number(short(value, figure_of(trace, step, value)))


# --- the key --------------------------------------------------------------------------------------


def key(printing: Printing) -> Iterator[Block]:
    """What a teacher gets: the right answers, one row worked, and what the common mistakes give."""
    yield printing.title("key-title")
    yield from printing.about()
    yield from coincident(printing.made, printing.view)
    yield from _answers(printing)
    yield from _worked(printing)
    yield from _wrong(printing)


def coincident(made: Exercise, view: View) -> Iterator[Block]:
    """What the numbers do not tell apart, if anything."""
    if made.coincidences:
        yield Remark("coincident", view.say("key-coincident", pairs=pairs_of(made.coincidences, view)))


def pairs_of(coincidences: Sequence[Coincidence], view: View) -> str:
    """`base-3 and the right way`: the mistakes of each pair, with semicolons between the pairs."""
    named = [[name or view.say("key-right-way") for name in sorted(pair, reverse=True)] for pair in coincidences]
    return view.say("list-semicolon").join(_listed(names, view) for names in named)


def _listed(words: Sequence[str], view: View) -> str:
    """`scores, weights and context`; between Chinese words there are no blanks."""
    return BETWEEN_CHINESE.sub("", view.listed(words))


def _answers(printing: Printing) -> Iterator[Block]:
    made, view = printing.made, printing.view
    rounded = made.texts(made.rounded) if made.rounded is not None else made.answers
    yield Heading(view.say("key-answers"))
    yield Prose(view.say("key-decimals", places=made.order.places))
    if any((rounded[name] != made.answers[name]).any() for name in rounded):
        yield Prose(view.say("key-accepted", places=made.order.places))
    for name, answers in made.answers.items():
        step, also = made.trace[name], rounded[name]

        def text(index: Index, step: Step = step, answers: Any = answers, also: Any = also) -> str:
            right = printing.shown(step, answers[index])
            return right if also[index] == answers[index] else f"{right} ({printing.shown(step, also[index])})"

        for matrix in _tables(made.trace, step, view, text):
            parts = [part for part in (view.say(f"name.{name}"), matrix.caption) if part]
            yield matrix._replace(caption=view.say("list-comma").join(parts))


def _worked(printing: Printing) -> Iterator[Block]:
    """The steps to do for one query, with the decimals that are kept on the way."""
    made, view = printing.made, printing.view
    yield Heading(view.say("key-worked", query=printing.query))
    yield Prose(view.say("key-worked-decimals", more=made.order.places + MORE))
    if made.scenario.heads > 1:
        yield Prose(view.say("key-worked-head"))
    for step in (made.closer[step.name] for step in made.to_do):
        title = view.say(f"title.{step.stage.texts()}")
        yield Prose(view.say(f"why.{why_code(made.scenario, step)}"), f"{printing.number[step.name]} {title}")
        yield Derivation(tuple(_lines(printing, step)), formula(made.closer, step))
        if step.stage.layout[2] == "key" and step.name not in made.order.blank:  # the scores need every key
            tables = _tables(made.closer, step, view, lambda at, step=step: _number(made.closer, step, view, at))  # type: ignore[misc]
            yield from tables


def _lines(printing: Printing, step: Step) -> Iterator[Line]:
    """A line for each number of the query's row; of keys and values, of its token's row."""
    made, trace = printing.made, printing.made.closer
    place = own_place(trace, step, 0, 0)
    columns = step.cells.shape[3]
    axis = step.stage.layout[3]
    names = axis_labels(trace, axis, columns) if axis != "one" else ("",)
    hidden = hidden_cells(trace, step, place)
    for column in range(columns):
        index = (*place, made.query, column)
        covered = hidden is not None and bool(hidden[made.query, column])
        yield _line(printing, step, index, names[column], covered)


def _line(printing: Printing, step: Step, index: Index, label: str, hidden: bool) -> Line:
    trace, view = printing.made.closer, printing.view
    value, tree = step.cells[index], derivation(trace, step, index)
    shown = figure_of(trace, step, value)
    comment = view.say("hidden") if hidden or value == MINUS_INFINITY else ""
    sign = relation(trace, tree, shown, view.signs)
    put_in, result = _short_tree(trace, tree), view.number(short(value, shown))
    return Line(cell_name(trace, Cell(step.name, index)), label, put_in, sign, result, comment=comment)


def _short_tree(trace: Trace, tree: Expression) -> Expression:
    """The derivation with the text of every number, without zeros at the end of an exact one."""
    if isinstance(tree, Number):
        return Number(short(tree.value, operand(trace, tree)), tree.cell)
    if isinstance(tree, Operation):
        return Operation(tree.kind, tuple(_short_tree(trace, argument) for argument in tree.arguments))
    return tree


def _wrong(printing: Printing) -> Iterator[Block]:
    """A table for each step in which a mistake may show first, with the right row on top."""
    made, view = printing.made, printing.view
    lines = wrong_answers(made)
    yield Heading(view.say("key-wrong"))
    if not lines:
        yield Prose(view.say("key-wrong-none"))
        return
    yield Prose(view.say("key-wrong-how", query=printing.query))
    if any(len(line.names) > 1 for line in lines):
        yield Prose(view.say("key-wrong-shared"))
    for name in dict.fromkeys(line.step for line in lines):
        yield _wrong_table(printing, name, [line for line in lines if line.step == name])


def _wrong_table(printing: Printing, first: str, lines: Sequence[Wrong]) -> Matrix:
    made, say = printing.made, printing.say
    steps = made.order.blank[made.order.blank.index(first) :]
    rows = [(say("key-right"), ("", *_row(printing, steps, made.answers)))]
    also = _row(printing, steps, made.texts(made.rounded)) if made.rounded is not None else rows[0][1][1:]
    if also != rows[0][1][1:]:
        rows.append((say("key-rounded"), (say("key-rounded-how", places=made.order.places), *also)))
    rows += [_wrong_row(printing, steps, line) for line in lines]
    names, cells = zip(*rows, strict=True)
    return Matrix(
        say("key-first-wrong", step=say(f"name.{first}")), say("column.mistake"), "", names,
        (say("column.done"), *(say(f"name.{step}") for step in steps)),
        tuple(tuple(map(Figure, row)) for row in cells), False,
    )  # fmt: skip


def _row(printing: Printing, steps: Sequence[str], answers: Any) -> tuple[str, ...]:
    return tuple(_vectors(printing, step, row_of(answers[step], printing.made.query)) for step in steps)


def _wrong_row(printing: Printing, steps: Sequence[str], line: Wrong) -> tuple[str, tuple[str, ...]]:
    """The names of the mistakes, then what was done and the rows that it gives."""
    say = printing.say
    name = say("list-comma").join(line.names)
    if line.query != printing.made.query:
        name += say("in-brackets", text=say("key-row-of", query=printing.token(line.query)))
    done = " / ".join(say(f"mistake.{mistake}") for mistake in line.names)
    return name, (done, *(_vectors(printing, step, line.rows[step]) for step in steps))


def _vectors(printing: Printing, name: str, rows: Sequence[Sequence[str]]) -> str:
    """`0.62, 0.12`; a row for each head with a semicolon between them."""
    step = printing.made.trace[name]
    return "; ".join(", ".join(printing.shown(step, text) for text in row) for row in rows)
