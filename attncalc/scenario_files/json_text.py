"""JSON as it is written: every number keeps its digits, and what JSON does not allow is not let through."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, repeat
from typing import Any, NamedTuple

from attncalc.core.figures import Literal
from attncalc.errors import AttncalcError, ScenarioError
from attncalc.messages import Lines

MOST_BYTES = 64 * 1024 * 1024
MOST_LEVELS = 64
MOST_INDENTED = 8
"""Levels that are indented: as many as a scenario has, with heads of a batch that are expected, in a trace."""

NOT_FINITE = {"-inf": '"-Infinity"', "inf": '"Infinity"', "nan": '"NaN"'}
"""What Python writes for a float that JSON does not have, and what stands there for it; no name is in a later one."""

CONSTANTS = {True: "true", False: "false", None: "null"}
BLANKS = " \t\r\n"  # what JSON calls blank; a no-break space is not


TRACE = "attncalc-trace/1"

AS_JSON = json.JSONEncoder(ensure_ascii=False).encode

LISTS = (list, tuple)

PLAIN = {float, int, str, bool, type(None), Literal}
"""The types of most of what stands in a row."""

AS_PYTHON = {int, str, bool, type(None)}
"""Those that Python's own writer writes as they are written here, but for signs that a terminal would obey."""

FEW = 16
"""Keys of an object that is written in one piece."""

TOGETHER = 100
"""Pieces that are handed on at once."""


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
    place = _comma_too_many(text, error.pos)
    line, column = text.count("\n", 0, place) + first_line, place - text.rfind("\n", 0, place)
    return ScenarioError.of("json-wrong", name, line=line, column=column, found=Lines(repr(text[place])))


def _comma_too_many(text: str, place: int) -> int:
    """The comma before a bracket that closes, which Pythons before 3.13 do not blame; else the place itself."""
    before = text[:place].rstrip(BLANKS)
    return len(before) - 1 if text[place] in "]}" and before.endswith(",") else place


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


def written(value: Any, indent: int | None = None) -> str:
    """The JSON text of a document, numbers with the digits they have; one line, or indented for people.

    With an indent, a list of numbers stays on one line, so that a matrix looks like one, and so does what stands inside
    more lists and objects than a scenario has.
    """
    return "".join(pieces(value, indent))


def pieces(value: Any, indent: int | None = None) -> Iterator[str]:
    """The same text piece by piece; a function stands for what it gives, and is called when its turn comes."""
    layers = [Layer(iter((("", value),)), "", "")]
    lead = ""
    while layers:
        items, comma, closing = layers[-1]
        for name, part in items:
            part = part() if callable(part) else part
            line = _line(part)
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
    step = None if level > MOST_INDENTED else indent
    gap, end = ("", "") if step is None else ("\n" + " " * step * level, "\n" + " " * step * (level - 1))
    if isinstance(value, dict):
        items: Iterator[tuple[str, Any]] = ((f"{quoted(name)}: ", part) for name, part in value.items())
    else:
        items = zip(repeat(""), value)
    return opening + gap, Layer(items, ", " if step is None else "," + gap, end + closing)


def _object(value: Any, indent: int | None, level: int) -> str | None:
    """An object of a few scalars in one piece, as long lists are made of; None for anything else."""
    if not isinstance(value, dict) or len(value) > FEW:
        return None
    kinds = set(map(type, value.values()))
    if kinds <= AS_PYTHON and (indent is None or level > MOST_INDENTED):
        return printable(AS_JSON(value))
    if not kinds <= PLAIN:
        return None
    opening, layer = _layer(value, indent, level)
    return opening + layer.comma.join(name + scalar(part) for name, part in layer.items) + layer.closing


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
    if not kinds <= PLAIN and any(issubclass(kind, (dict, *LISTS)) for kind in kinds - PLAIN):
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
        return str(value)
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
