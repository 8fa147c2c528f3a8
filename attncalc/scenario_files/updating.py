"""Numbers of a JSON text put right where they stand; every other byte of the file stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncalc.core.figures import Literal, round_to, scientific
from attncalc.scenario_files.json_text import inside_a_trace

TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')
"""What JSON is made of, once it is known to be JSON."""

MOST_DIGITS = 20
"""A whole number of more digits is written with a power of ten."""

Path = tuple[str | int, ...]


class Span(NamedTuple):
    """Where a value stands in a text."""

    start: int
    end: int


class Standing(Literal):
    """A number that knows where it stands in the text of its file."""

    __slots__ = ("span",)
    span: Span


def spans(text: str, within: Path) -> Iterator[tuple[Path, Span]]:
    """Every single value of a JSON text, a string or a number, within a path: the rest of its path, and its place."""
    start, before = len(within), list(within)
    path: list[str | int] = []  # of the value that comes next
    objects: list[bool] = []  # of the lists and objects around it: whether it is an object
    key_next = False
    for match in TOKEN.finditer(text):
        token = match[0]
        if token in "{[":
            objects.append(token == "{")
            key_next = objects[-1]
            path.append("" if key_next else 0)
        elif token in "}]":
            objects.pop()
            path.pop()
            key_next = False
        elif token == ",":
            key_next = objects[-1]
            last = path[-1]
            path[-1] = last + 1 if isinstance(last, int) else last
        elif token != ":":
            if key_next:
                path[-1], key_next = json.loads(token), False
            elif path[:start] == before:
                yield tuple(path[start:]), Span(*match.span())


def standing(document: Mapping[str, Any], text: str) -> dict[str, Any]:
    """The printed numbers of a document (`expect`), each of them a Standing, as the text has them.

    A trace is read as the scenario it holds.
    """
    before: Path = ("scenario", "expect") if inside_a_trace(document) is not None else ("expect",)
    places = dict(spans(text, before))
    inside = inside_a_trace(document) or document
    return {name: _standing(printed, (name,), places) for name, printed in inside.get("expect", {}).items()}


def _standing(value: Any, path: Path, places: Mapping[Path, Span]) -> Any:
    if isinstance(value, dict):
        return {label: _standing(part, (*path, label), places) for label, part in value.items()}
    if isinstance(value, list):
        return [_standing(part, (*path, position), places) for position, part in enumerate(value)]
    if value is None:
        return None
    found = Standing(value.text if isinstance(value, Literal) else str(value))
    found.span = places[path]
    return found


def replaced(text: str, changes: Mapping[Span, str]) -> str:
    """The text with other values at some places."""
    parts, end = [], 0
    for span in sorted(changes):
        parts += [text[end : span.start], changes[span]]
        end = span.end
    return "".join([*parts, text[end:]])


def written_like(value: Decimal, printed: str, rounding: str) -> str:
    """A finite number with the decimals, or the digits before its power of ten, of one that was printed.

    An empty text where these digits would make 0 of a number that is not.
    """
    power = next((letter for letter in "eE" if letter in printed), "")
    mantissa = printed.partition(power)[0] if power else printed
    decimals = len(mantissa.partition(".")[2])
    if value and (power or value.adjusted() >= MOST_DIGITS):
        return scientific(value, decimals, rounding).replace("e", power or "e")
    rounded = round_to(value, decimals, rounding)
    return "" if value and not rounded else format(rounded, "f")
