"""The task of a quiz in words and tables: what is given, and what each question asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from attncalc.core.expression import Cell, Number
from attncalc.core.figures import Literal
from attncalc.core.numbers import operand
from attncalc.core.rows import own_place
from attncalc.core.stage import Source, Step
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose, Remark
from attncalc.document.heading import name_of, title_of
from attncalc.document.matrices import axis_labels, mask_picture, matrices
from attncalc.document.view import View
from attncalc.errors import UsageError, shortened
from attncalc.messages.safe_text import visible
from attncalc.pipelines.symbols import GIVEN
from attncalc.practice.quiz import OTHER_HEADS, Question, Quiz
from attncalc.practice.quiz_own import own_numbers
from attncalc.practice.quiz_state import QUARTERS, State
from attncalc.scenario_files.json_writing import written

MOST_NUMBERS = 150
"""A larger table helps nobody who calculates by hand."""

LONGEST_RULE = 60
ROWS_ARE = {"memory": "key", "residual": "query", "positions": "query", "embedding": "query"}
"""What the rows of an array are; of the others features."""

RULES = (
    "scale", "d_k", "d_model", "temperature", "softcap", "alibi", "mask", "sink", "weighting", "base", "shift",
    "empty_rows", "rope", "qk_norm", "norm",
)  # fmt: skip
"""The keys that say how it is calculated."""

USUAL = {"temperature": "1", "mask": "none", "weighting": "softmax", "empty_rows": "zero"}


def here(quiz: Quiz, view: View) -> View:
    """The view of the quiz's own head and batch entry."""
    return view._replace(batches=(quiz.row.batch,), heads=(quiz.row.head,))


def query_of(quiz: Quiz) -> str:
    """The token that is asked about."""
    return labels(quiz.trace.scenario.query_tokens)[quiz.row.query]


def task(quiz: Quiz, view: View) -> Iterator[Block]:
    """Title, query, sizes, and the rules that are not the usual ones."""
    trace, view = quiz.trace, here(quiz, view)
    yield Heading(title_of(trace.scenario, view), aside=view.say("quiz-aside", places=quiz.places))
    if trace.scenario.changes:
        yield Prose(visible(view.say("list-comma").join(trace.scenario.changes)), view.say("lead.changed"))
    yield from _sizes(quiz, view)
    yield from _mask(quiz, view)


def _sizes(quiz: Quiz, view: View) -> Iterator[Block]:
    """The query, the sizes, the rules."""
    scenario = quiz.trace.scenario
    where = view.place_name(scenario, quiz.row.batch, quiz.row.head)
    if len(scenario.query_tokens) > 1 or where:
        query = query_of(quiz) + (view.say("in-brackets", text=where) if where else "")
        yield Prose(query, view.say("quiz-lead-query"))
    sizes = [f"{name} = {scenario.sizes[name]}" for name in ("d_model", "d_k") if name in scenario.sizes]
    if sizes and scenario.needs_scores and scenario.start != "scores":
        yield Prose(view.say("list-comma").join(sizes), view.say("lead.sizes"))
    rules = [rule for key in RULES for rule in _rule(scenario.document, key, scenario.start)]
    if rules:
        yield Prose(visible(view.say("list-comma").join(rules)), view.say("quiz-lead-rules"))


def _rule(document: Mapping[str, Any], key: str, start: str) -> Iterator[str]:
    """`mask=causal`, `mask.window=3`, as `--set` would spell it; nothing where it is as usual."""
    usual = {**USUAL, "scale": "none" if start == "scores" else "sqrt_d_k"}.get(key)
    value = document.get(key)
    if isinstance(value, dict):
        for name, part in value.items():
            if not isinstance(part, dict) and len(_text(part)) <= LONGEST_RULE:
                yield f"{key}.{name}={_text(part)}"
    elif value is not None and _text(value) != usual:
        yield f"{key}={_text(value)}"


def _text(value: Any) -> str:
    return value.text if isinstance(value, Literal) else written(value).strip('"')


def _mask(quiz: Quiz, view: View) -> Iterator[Block]:
    """A mask that stands in the file cell by cell, as a picture of the row."""
    mask, scenario = quiz.trace.scenario.document.get("mask"), quiz.trace.scenario
    if isinstance(mask, dict) and ("keep" in mask or "drop" in mask):
        yield Heading(view.say("title.masked"))
        yield from mask_picture(quiz.trace, view, [quiz.row.query], range(len(scenario.tokens)))


def points(quarters: int) -> str:
    """A number of quarters as it is said: 3.25."""
    text = format(Decimal(quarters) / QUARTERS, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


# --- given arrays ---------------------------------------------------------------------------------


def _own_part(quiz: Quiz, name: str) -> tuple[tuple[int, int], Any]:
    """Where an array keeps what the asked head and batch entry read, and these numbers."""
    values = quiz.trace.scenario.arrays[name]
    batch = min(quiz.row.batch, values.shape[0] - 1)
    place = batch, quiz.trace.scenario.shared_head(quiz.row.head, values.shape[1])
    return place, values[place]


def _array(quiz: Quiz, name: str, view: View) -> Iterator[Block]:
    """A given array under its letter: a table, or in one line."""
    place, values = _own_part(quiz, name)
    texts = [
        [view.number(operand(quiz.trace, Number(x, Cell(name, (*place, i, j), True)))) for j, x in enumerate(row)]
        for i, row in enumerate(values)
    ]
    symbol = view.notation().symbol_text(GIVEN[name].text)
    symbol = view.say("quiz-residual", symbol=symbol) if name == "residual" else symbol
    if len(texts) == 1:
        yield Prose(view.say("list-comma").join(texts[0]), symbol)
        return
    yield Heading(symbol)
    rows_are = "key" if name.startswith("past.") else ROWS_ARE.get(name, "feature")
    cells = tuple(tuple(map(Figure, row)) for row in texts)
    columns = tuple(map(str, range(len(texts[0]))))
    yield Matrix(
        "", view.say(f"axis.{rows_are}"), view.say("axis.feature"), _row_names(quiz, name, rows_are, len(texts)),
        columns, cells,
    )  # fmt: skip


def _row_names(quiz: Quiz, name: str, axis: str, count: int) -> tuple[str, ...]:
    """The labels of an array's rows; the keys of a cache come first."""
    if name.startswith("past."):
        return labels(quiz.trace.scenario.tokens)[:count]
    return axis_labels(quiz.trace, axis, count)


# --- a question -----------------------------------------------------------------------------------


def question(state: State, view: View, again: bool = False) -> Iterator[Block]:
    """Where one is, the numbers that are needed and were not shown yet (or `again`), and what is asked for."""
    quiz, asked = state.quiz, state.question
    if asked is None:
        return
    view = here(quiz, view)
    lead = view.say("quiz-position", number=len(state.done) + 1, all=len(quiz.questions))
    yield Heading(view.say("with-lead", lead=lead, text=name_of(quiz.trace[asked.step], view)))
    left_out = []
    for table in asked.reads if again else asked.new:
        if not (view.everything or _size(quiz, table) <= MOST_NUMBERS):
            left_out.append(GIVEN[table.name].text if table.given else quiz.trace[table.name].stage.symbol)
        else:
            yield from _shown(state, asked, table, view)
    if left_out:
        yield Remark("large", view.say("quiz-large", names=view.listed(left_out)))
    yield Prose(_asked_for(quiz, asked, view), view.say("quiz-lead-wanted"))


def table_names(state: State) -> tuple[str, ...]:
    """What the tables that the question at hand needs are called after `show`."""
    return tuple(dict.fromkeys(table.name for table in state.question.reads)) if state.question else ()


def table_again(state: State, name: str, view: View) -> list[Block]:
    """One table that the question at hand needs, however large; a UsageError where it needs none of that name."""
    asked, view = state.question, here(state.quiz, view)
    reads = asked.reads if asked else ()
    blocks = [
        block for table in reads if asked and table.name.lower() == name for block in _shown(state, asked, table, view)
    ]
    if not blocks:
        raise UsageError.of("quiz-no-table", found=shortened(name), known=", ".join(table_names(state)))
    return blocks


def _shown(state: State, asked: Question, table: Source, view: View) -> Iterator[Block]:
    return _array(state.quiz, table.name, view) if table.given else _table(state, asked, table, view)


def _size(quiz: Quiz, table: Source) -> int:
    """How many numbers a table has."""
    if table.given:
        return int(_own_part(quiz, table.name)[1].size)
    step = quiz.trace[table.name]
    return int(step.cells[quiz.place(step)].size)


def _asked_for(quiz: Quiz, asked: Question, view: View) -> str:
    """`The row of draw: 4 numbers, for I, like, to, draw.`"""
    layout, names = quiz.trace[asked.step].stage.layout, cell_labels(quiz, asked)
    fields = {"row": row_label(quiz, asked), "count": len(asked.cells), "all": asked.all}
    if layout[3] == "one":
        return view.say("quiz-ask-number", **fields)
    if len(asked.cells) < asked.all:
        key_names = view.say("list-comma").join(names)
        return view.say("quiz-ask-some" if layout[3] != "key" else "quiz-ask-keys", names=key_names, **fields)
    if layout[3] == "key":
        return view.say("quiz-ask-keys", names=view.say("list-comma").join(names), **fields)
    return view.say("quiz-ask-key-row" if layout[2] == "key" else "quiz-ask-row", **fields)


def row_label(quiz: Quiz, asked: Question) -> str:
    """The token whose row is asked for."""
    step = quiz.trace[asked.step]
    row = asked.cells[0][2]
    return axis_labels(quiz.trace, step.stage.layout[2], step.cells.shape[2])[row]


def cell_labels(quiz: Quiz, asked: Question) -> tuple[str, ...]:
    """The labels of the cells that are asked for: keys, or positions from 0."""
    step = quiz.trace[asked.step]
    if step.stage.layout[3] == "one":
        return ("",)
    names = axis_labels(quiz.trace, step.stage.layout[3], step.cells.shape[3])
    return tuple(names[cell[3]] for cell in asked.cells)


def _table(state: State, asked: Question, table: Source, view: View) -> Iterator[Block]:
    """The rows of a step that nobody was asked for, with the learner's own numbers where they went on from some."""
    quiz = state.quiz
    step, name = quiz.trace[table.name], table.name
    if table == OTHER_HEADS:
        yield from _other_heads(quiz, step, view)
        return
    reads_own_row = quiz.trace[asked.step].stage.layout[2] == "query" and not step.stage.given
    chosen = [quiz.row.query] if step.stage.layout[2] == "query" and reads_own_row else None
    yield Heading(view.say(f"title.{step.stage.texts()}"))
    own = own_numbers(state).texts
    place = quiz.place(step)
    for matrix in matrices(quiz.trace, step, view, chosen):
        rows = chosen if chosen is not None else range(len(matrix.rows))
        cells = tuple(
            tuple(
                Figure(view.number(own[name, (*place, row, column)])) if (name, (*place, row, column)) in own else cell
                for column, cell in enumerate(line)
            )
            for row, line in zip(rows, matrix.cells, strict=True)
        )
        yield matrix._replace(cells=cells)


def _other_heads(quiz: Quiz, context: Step, view: View) -> Iterator[Block]:
    """The row of the context in the heads that were not asked about."""
    others = [head for head in range(quiz.trace.scenario.heads) if head != quiz.row.head]
    rows = []
    for head in others:
        place = own_place(quiz.trace, context, quiz.row.batch, head)
        (matrix,) = matrices(quiz.trace, context, view._replace(batches=(place[0],), heads=(head,)), [quiz.row.query])
        rows.append(matrix.cells[0])
    names = tuple(view.say("place.head", number=head) for head in others)
    columns = axis_labels(quiz.trace, "feature", context.cells.shape[3])
    yield Prose(view.say("quiz-other-heads", row=query_of(quiz)))
    yield Matrix("", view.say("axis.head"), view.say("axis.feature"), names, columns, tuple(rows))
