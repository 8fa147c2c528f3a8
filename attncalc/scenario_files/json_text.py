"""JSON as it is read: every number keeps its digits, and what JSON does not allow is not let through."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from attncalc.core.figures import Literal
from attncalc.errors import AttncalcError, ScenarioError
from attncalc.messages import Lines, Word
from attncalc.scenario_files.json_faults import BLANKS, blamed

MOST_BYTES = 64 * 1024 * 1024
MOST_LEVELS = 64

TRACE = "attncalc-trace/1"

LISTS = (list, tuple)


class Entry(dict[str, Any]):
    """A JSON object that remembers the keys that stood twice."""

    repeated: tuple[str, ...] = ()


NESTING = {list, Entry}
"""The types of what a text is read as that hold others."""


class NotANumber(str):
    """NaN or Infinity, which Python's reader would let through."""


class Literals(dict[str, Literal]):
    """The numbers of a text by how they are written: one that stands there again is the same, and takes no room."""

    def __missing__(self, text: str) -> Literal:
        found = self[text] = Literal(text)
        return found


def each_once(values: Sequence[Any]) -> Iterable[Any]:
    """The objects in a list, each once: numbers of a file that are written alike are one."""
    return dict(zip(map(id, values), values, strict=True)).values()


def parse(data: bytes, name: str, first_line: int = 1) -> Any:
    """The JSON value of a text, numbers as `Literal`; raises a ScenarioError that names line and column."""
    if len(data) > MOST_BYTES:
        raise ScenarioError.of("file-too-large", name, size=len(data), most=MOST_BYTES)
    text = decoded(data, name)
    if not text.strip(BLANKS):
        raise ScenarioError.of("file-empty", name)
    number = Literals().__getitem__
    try:
        value = json.loads(
            text, object_pairs_hook=_entry, parse_float=number, parse_int=number, parse_constant=NotANumber
        )
    except json.JSONDecodeError as error:
        raise _syntax_error(error, text, name, first_line) from None
    except RecursionError:
        raise ScenarioError.of("json-too-deep", name) from None
    if _deeper_than(value, MOST_LEVELS):
        raise ScenarioError.of("json-too-deep", name)
    return value


def decoded(data: bytes, name: str) -> str:
    """The text of UTF-8 bytes, with or without a byte-order mark; a ScenarioError for anything else."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (len(data) > 3 and 0 in data[:2] and data[0] != data[1]):
        raise ScenarioError.of("file-utf16", name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        code = "file-binary" if 0 in data else "file-not-utf8"
        raise ScenarioError.of(code, name, position=error.start + 1) from None
    if "\0" in text:
        raise ScenarioError.of("file-binary", name, position=data.index(0) + 1)
    return text


def _syntax_error(error: json.JSONDecodeError, text: str, name: str, first_line: int) -> AttncalcError:
    """Where the text stops being JSON, or that it ends too early."""
    if error.pos >= len(text.rstrip(BLANKS)) or error.msg.startswith("Unterminated string"):
        line, column = text.count("\n") + first_line, len(text) - text.rfind("\n")
        return ScenarioError.of("json-truncated", name, line=line, column=column)
    place, mend = blamed(error, text)
    line, column = text.count("\n", 0, place) + first_line, place - text.rfind("\n", 0, place)
    fields = {"line": line, "column": column, "found": Lines(repr(text[place]))}
    if mend:
        return ScenarioError.of("json-wrong-mend", name, **fields, mend=Word(mend))
    return ScenarioError.of("json-wrong", name, **fields)


def _deeper_than(value: Any, levels: int) -> bool:
    """Whether lists and objects stand inside each other more deeply than that."""
    layer = [value] if type(value) in NESTING else []
    for _ in range(levels):
        parts = chain.from_iterable(part.values() if isinstance(part, dict) else part for part in layer)
        layer = [part for part in parts if type(part) in NESTING]
        if not layer:
            return False
    return True


def _entry(pairs: list[tuple[str, Any]]) -> Entry:
    entry = Entry(pairs)
    if len(entry) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        entry.repeated = tuple(name for name, count in counts.items() if count > 1)
    return entry


def repeated_keys(value: Any, path: str = "") -> Iterator[str]:
    """The paths of the keys that stand twice in their object."""
    if isinstance(value, Entry):
        for name in value.repeated:
            yield f"{path}.{name}".lstrip(".")
        for name, part in value.items():
            yield from repeated_keys(part, f"{path}.{name}")


def inside_a_trace(document: Mapping[str, Any]) -> Any:
    """What a trace holds as its scenario; None for a document that is no trace."""
    return document.get("scenario") if document.get("format") == TRACE else None
