"""What stands on a worksheet and its key besides the exercise: lines of wrong answers, and the answers as documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.practice.exercise import Exercise

Rows = Mapping[str, tuple[tuple[str, ...], ...]]
"""By blank step, the texts of a row for each head."""


class Wrong(NamedTuple):
    """A line of wrong answers: the mistakes that give it, the query whose row it is, the first step that is wrong."""

    names: tuple[str, ...]
    query: int
    step: str
    rows: Rows


def wrong_answers(made: Exercise) -> tuple[Wrong, ...]:
    """A line for all mistakes that give the same row, in the order of the first wrong step.

    It is the row of the query that is worked through; of a mistake that does not show there, the first that shows it.
    """
    lines: dict[tuple[Any, ...], list[str]] = {}
    for mistaken in made.mistaken:
        query = next(q for q in _queries(made) if _rows(mistaken.answers, q) != _rows(made.answers, q))
        lines.setdefault((query, *_rows(mistaken.answers, query).items()), []).append(mistaken.row.name)
    found = [_line(made, names, query, dict(rows)) for (query, *rows), names in lines.items()]
    return tuple(sorted(found, key=lambda line: made.order.blank.index(line.step)))


def _line(made: Exercise, names: Sequence[str], query: int, rows: Rows) -> Wrong:
    right = _rows(made.answers, query)
    return Wrong(tuple(names), query, next(name for name in rows if rows[name] != right[name]), rows)


def _queries(made: Exercise) -> list[int]:
    rows = max(answers.shape[2] for answers in made.answers.values())
    return sorted(range(rows), key=lambda query: query != made.query)


def _rows(answers: Mapping[str, Values], query: int) -> Rows:
    return {name: row_of(texts, query) for name, texts in answers.items()}


def row_of(texts: Values, query: int) -> tuple[tuple[str, ...], ...]:
    """The row of a query (of keys and values: of the token that asks), for each head."""
    return tuple(tuple(row) for row in texts[0, :, query])


def answers_document(made: Exercise, answers: Mapping[str, Values]) -> dict[str, Any]:
    """Answers as `check` reads them: by step, nested lists of numbers with the digits they are written with."""
    return {name: _nested(texts.reshape(made.trace[name].shape), _as_json) for name, texts in answers.items()}


def empty_document(made: Exercise) -> dict[str, Any]:
    """The same with no answer anywhere, to be filled in."""
    answers = made.answers.items()
    return {name: _nested(texts.reshape(made.trace[name].shape), lambda text: None) for name, texts in answers}


def _nested(texts: Any, leaf: Callable[[str], Any]) -> Any:
    return [_nested(part, leaf) for part in texts] if isinstance(texts, np.ndarray) else leaf(texts)


def _as_json(text: str) -> Any:
    number = Literal(text)
    return number if number.is_finite() else text
