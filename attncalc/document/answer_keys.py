"""The blocks of a worksheet's key: the right answers, one row worked, and what the common mistakes give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell, Expression, with_numbers
from attncalc.core.numbers import figure_of, operand
from attncalc.core.rows import hidden_cells, own_place
from attncalc.core.stage import Step, Trace
from attncalc.derive import derivation, formula
from attncalc.document.blocks import Block, Derivation, Figure, Heading, Line, Matrix, Prose, Remark
from attncalc.document.heading import why_code
from attncalc.document.matrices import axis_labels
from attncalc.document.printing import Printing, listed, number_at, tables_with
from attncalc.document.relation import relation
from attncalc.document.view import View
from attncalc.explore.cells import Index, cell_name
from attncalc.practice.discriminating import Coincidence
from attncalc.practice.exercise import MORE, Exercise, short
from attncalc.practice.worksheet import Wrong, row_of, wrong_answers


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
    return view.say("list-semicolon").join(listed(names, view) for names in named)


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

        for matrix in tables_with(made.trace, step, view, text):
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
            tables = tables_with(made.closer, step, view, lambda at, step=step: number_at(made.closer, step, view, at))  # type: ignore[misc]
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
    put_in, result = _short_tree(trace, tree), view.number(short(value, shown))
    sign = relation(tree, put_in, shown, view.signs)
    return Line(cell_name(trace, Cell(step.name, index)), label, put_in, sign, result, comment=comment)


def _short_tree(trace: Trace, tree: Expression) -> Expression:
    """The derivation with the text of every number, without zeros at the end of an exact one."""
    return with_numbers(tree, lambda number: short(number.value, operand(trace, number)))


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
