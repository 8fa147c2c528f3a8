"""JSON as it is written: every number with the digits it has, and no sign that a terminal would obey."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from itertools import islice, repeat
from typing import Any, NamedTuple

from attncalc.core.figures import Literal
from attncalc.scenario_files.json_text import LISTS

MOST_INDENTED = 8
"""Levels that are indented: as many as a scenario has, with heads of a batch that are expected, in a trace."""

NOT_FINITE = {"-inf": '"-Infinity"', "inf": '"Infinity"', "nan": '"NaN"'}
"""What Python writes for a float that JSON does not have, and what stands there for it; no name is in a later one."""

CONSTANTS = {True: "true", False: "false", None: "null"}

AS_JSON = json.JSONEncoder(ensure_ascii=False).encode

PLAIN = {float, int, str, bool, type(None), Literal}
"""The types of most of what stands in a row."""

AS_PYTHON = {str, bool, type(None)}
"""Those that Python's own writer writes as they are written here, but for signs that a terminal would obey."""

MOST_BITS = 2000
"""Whole numbers beyond may be more than Python itself writes as a text."""

FEW = 16
"""Keys of an object that is written in one piece."""

TOGETHER = 100
"""Pieces that are handed on at once."""


def written(value: Any, indent: int | None = None) -> str:
    """The JSON text of a document, numbers with the digits they have; one line, or indented for people.

    With an indent, a list of numbers stays on one line, so that a matrix looks like one, and so does what stands inside
    more lists and objects than a scenario has.
    """
    return _deep(value) if indent is None else "".join(pieces(value, indent))


def pieces(value: Any, indent: int | None = None) -> Iterator[str]:
    """The same text piece by piece; a function stands for what it gives, and is called when its turn comes."""
    layers = [Layer(iter((("", value),)), "", "")]
    lead = ""
    while layers:
        items, comma, closing = layers[-1]
        for name, part in items:
            part = part() if callable(part) else part
            line = _line(part)
            if line is None and len(layers) > MOST_INDENTED and indent is not None:
                line = _deep(part)
            if line is None and (line := _object(part, indent, len(layers))) is None:
                opening, layer = _layer(part, indent, len(layers))
                layers.append(layer)
                lead += name + opening
                break
            yield lead + name + line
            lead = comma
        else:
            layers.pop()
            yield closing
            lead = layers[-1].comma if layers else ""


class Layer(NamedTuple):
    """A list or an object that is being written: what is left of it, each with its name, and what stands around."""

    items: Iterator[tuple[str, Any]]
    comma: str
    closing: str


def _layer(value: Any, indent: int | None, level: int) -> tuple[str, Layer]:
    """The bracket that opens a list or an object, and the rest."""
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    gap, comma, end = _gaps(indent, level)
    if isinstance(value, dict):
        items: Iterator[tuple[str, Any]] = zip(map(_key, value), value.values(), strict=True)
    else:
        items = zip(repeat(""), value)
    return opening + gap, Layer(items, comma, end + closing)


@cache
def _gaps(indent: int | None, level: int) -> tuple[str, str, str]:
    """What stands after a bracket that opens, between two values, and before a bracket that closes."""
    if indent is None:
        return "", ", ", ""
    gap = "\n" + " " * indent * level
    return gap, "," + gap, gap[: len(gap) - indent]


@lru_cache(1000)
def _key(name: str) -> str:
    """The name of a value in its object: the same few stand in every object of a list."""
    return f"{quoted(name)}: "


def _object(value: Any, indent: int | None, level: int) -> str | None:
    """An object of a few scalars in one piece, as long lists are made of; None for anything else."""
    if not isinstance(value, dict) or len(value) > FEW:
        return None
    kinds = set(map(type, value.values()))
    if kinds <= AS_PYTHON and indent is None:
        return printable(AS_JSON(value))
    if not kinds <= PLAIN:
        return None
    opening, layer = _layer(value, indent, level)
    return opening + layer.comma.join(name + scalar(part) for name, part in layer.items) + layer.closing


def _deep(value: Any) -> str:
    """What has no indent, or stands inside more lists and objects than are indented, on one line."""
    value = value() if callable(value) else value
    if (line := _line(value)) is not None:
        return line
    if isinstance(value, dict):
        return "{" + ", ".join(_key(name) + _deep(part) for name, part in value.items()) + "}"
    return f"[{', '.join(map(_deep, value))}]"


def gathered(texts: Iterator[str]) -> Iterator[str]:
    """Many pieces together, so that few are written."""
    while text := "".join(islice(texts, TOGETHER)):
        yield text


def _line(value: Any) -> str | None:
    """What stands on one line whatever the indent: a scalar, or a list of scalars; None for anything else."""
    if isinstance(value, dict):
        return None if value else "{}"
    if not isinstance(value, LISTS):
        return scalar(value)
    kinds = set(map(type, value))
    if not kinds <= PLAIN and any(kind in LISTS or issubclass(kind, (dict, *LISTS)) for kind in kinds - PLAIN):
        return None
    return f"[{_row(value, kinds)}]"


def _row(row: Sequence[Any], kinds: set[type]) -> str:
    """Scalars in JSON with commas between them; a million floats or texts without a call of Python for each."""
    if kinds == {str}:
        return printable(AS_JSON(row))[1:-1]
    if kinds != {float}:
        return ", ".join(texts(row))
    text = ", ".join(map(float.__repr__, row))
    for name, quoted_name in NOT_FINITE.items():
        text = text.replace(name, quoted_name)
    return text


def texts(row: Sequence[Any]) -> list[str]:
    """Each scalar in JSON."""
    kinds = set(map(type, row))
    if kinds == {float}:
        return [NOT_FINITE.get(text, text) for text in map(float.__repr__, row)]
    if kinds == {Literal}:
        return [literal.text for literal in row]
    return list(map(scalar, row))


def scalar(value: Any) -> str:
    """A string, a number, true, false or null in JSON; a number outside JSON as a string."""
    if isinstance(value, Literal):
        return value.text
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, bool) or value is None:
        return CONSTANTS[value]
    if isinstance(value, int):
        return str(value) if value.bit_length() < MOST_BITS else format(Decimal(value), "f")
    return number(value)


def quoted(text: str) -> str:
    """A JSON string; what a terminal would obey, or could not show, is escaped."""
    if text.isascii() and text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'  # as most are, in a fifth of the time
    return printable(AS_JSON(text))


def printable(text: str) -> str:
    """A JSON text with the characters that a terminal would obey escaped, which JSON has only inside strings."""
    if text.isprintable():
        return text
    escaped = {c for c in set(text) if not (c.isprintable() or c in "\n\r\t")}
    return text.translate({ord(c): json.dumps(c)[1:-1] for c in escaped}) if escaped else text


def number(value: Any) -> str:
    """A decimal with its digits, a float with the shortest that give it back; non-finite ones as strings."""
    if value != value:
        return '"NaN"'
    if value in (float("inf"), float("-inf")):
        return '"Infinity"' if value > 0 else '"-Infinity"'
    if isinstance(value, float):
        return float.__repr__(value)  # NumPy's own says what type it is
    return format(value, "f") if -30 < value.adjusted() < 30 else str(value)
