"""The kinds of value a key may have: each can check a value and say itself in JSON Schema.

The reader and the schema that `attncalc schema` prints walk the same records, so they cannot disagree.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from attncalc.core.figures import Literal
from attncalc.errors import nearest
from attncalc.messages import LANGUAGES, Word
from attncalc.scenario_files.json_text import NotANumber

Report = Callable[..., None]
"""report(path, code, **fields): notes a fault and goes on."""

MOST_GUESSED = 50  # unknown keys of which it is guessed what is meant: that takes time
MOST_DIGITS = 1200  # the exact value of the smallest double has 1,074 decimals


class Kind(Protocol):
    """What a value may be."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """Reports what is wrong with the value at the path."""

    def schema(self) -> dict[str, Any]:
        """The same in JSON Schema."""


def found(value: Any) -> str:
    """What stands there, as a message code or as itself, short enough for a sentence."""
    for types, word in ((dict, "found-object"), (list, "found-list"), (type(None), "found-null")):
        if isinstance(value, types):
            return Word(word)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, NotANumber):
        return str(value)
    text = value.text if isinstance(value, Literal) else f'"{value}"'
    return text if len(text) <= 40 else text[:37] + "…"


def is_number(value: Any, path: str, report: Report) -> bool:
    """Whether the value is a number that a double can hold; reports why not."""
    if not isinstance(value, Literal):
        report(path, "not-a-number", found=found(value))
    elif value.fits:
        return True
    elif sum(map(str.isdigit, value.text)) > MOST_DIGITS:
        report(path, "too-many-digits", digits=sum(map(str.isdigit, value.text)), most=MOST_DIGITS)
    elif not value.is_finite() or math.isinf(float(value)):
        report(path, "number-too-large", found=found(value))
    elif value and not float(value):
        report(path, "number-too-small", found=found(value))
    else:
        value.fits = True
    return isinstance(value, Literal) and value.fits


class Text(NamedTuple):
    """A string, or one for each language."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """A string or an object of strings under en and zh."""
        if isinstance(value, str) and not isinstance(value, NotANumber):
            return _check_characters(value, path, report)
        if not isinstance(value, dict):
            return report(path, "not-a-text", found=found(value))
        for key, part in value.items():
            if key not in LANGUAGES:
                report(f"{path}.{key}", "unknown-key", near=nearest(key, LANGUAGES), known=", ".join(LANGUAGES))
            elif not isinstance(part, str):
                report(f"{path}.{key}", "not-a-text", found=found(part))
            else:
                _check_characters(part, f"{path}.{key}", report)

    def schema(self) -> dict[str, Any]:
        """A string or an object."""
        language = {"type": "string"}
        return {
            "anyOf": [
                language,
                {"type": "object", "properties": dict.fromkeys(LANGUAGES, language), "additionalProperties": False},
            ]
        }


def _check_characters(text: str, path: str, report: Report) -> None:
    if re.search("[\ud800-\udfff]", text):
        report(path, "half-character")


class Name(NamedTuple):
    """A string that is the same in every language: of a file, of an array in it, of a token."""

    wanted: str = "not-a-name"  # the message for anything else

    def check(self, value: Any, path: str, report: Report) -> None:
        """A string."""
        if not isinstance(value, str) or isinstance(value, NotANumber):
            return report(path, self.wanted, found=found(value))
        _check_characters(value, path, report)

    def schema(self) -> dict[str, Any]:
        """A string."""
        return {"type": "string"}


class Keys(NamedTuple):
    """A list of names of keys."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """A list of strings, not empty; whether the keys are there is known later."""
        if not value:
            return report(path, "empty-list")
        for position, name in enumerate(value):
            if not isinstance(name, str) or isinstance(name, NotANumber):
                report(f"{path}[{position}]", "not-a-key", found=found(name))

    def schema(self) -> dict[str, Any]:
        """An array of strings."""
        return {"type": "array", "items": {"type": "string"}, "minItems": 1}


class Number(NamedTuple):
    """A number in a range; `above` excludes its end."""

    above: int | None = None
    least: int | None = None
    most: int | None = None
    whole: bool = False
    other_than: int | None = None

    def check(self, value: Any, path: str, report: Report) -> None:
        """A number, whole where asked, within the range."""
        if not is_number(value, path, report):
            return
        if self.whole and value != value.to_integral_value():
            return report(path, "not-whole", found=found(value))
        low = (self.above is not None and value <= self.above) or (self.least is not None and value < self.least)
        if low or (self.most is not None and value > self.most) or value == self.other_than:
            report(path, "out-of-range", found=found(value), wanted=Word(self._range()), **self._ends())

    def _range(self) -> str:
        """The message that says the range."""
        if self.whole:
            return "range-whole-to" if self.most is not None else "range-whole"
        if self.other_than is not None:
            return "range-above-other"
        return "range-above" if self.above is not None else "range-least"

    def _ends(self) -> dict[str, Any]:
        low = self.above if self.above is not None else self.least
        return {"low": low, "high": self.most, "other": self.other_than}

    def schema(self) -> dict[str, Any]:
        """A number with its bounds."""
        bounds = {"exclusiveMinimum": self.above, "minimum": self.least, "maximum": self.most}
        schema: dict[str, Any] = {"type": "integer" if self.whole else "number"}
        schema |= {name: bound for name, bound in bounds.items() if bound is not None}
        return schema | ({"not": {"const": self.other_than}} if self.other_than is not None else {})


class Flag(NamedTuple):
    """True or false; `only` allows just the one, `wanted` says what else the key takes."""

    only: bool | None = None
    wanted: str = ""

    def check(self, value: Any, path: str, report: Report) -> None:
        """A boolean."""
        if not isinstance(value, bool) or (self.only is not None and value is not self.only):
            code = "not-a-flag" if self.wanted in ("", "true") else "not-any"
            report(path, code, found=found(value), wanted=Word(self.wanted or "true-or-false"))

    def schema(self) -> dict[str, Any]:
        """A boolean."""
        return {"type": "boolean"} if self.only is None else {"const": self.only}


class Choice(NamedTuple):
    """One of a few names; `wanted` says what else the key takes."""

    names: tuple[str, ...]
    wanted: str = ""

    def check(self, value: Any, path: str, report: Report) -> None:
        """A known name."""
        if not isinstance(value, str) or value not in self.names:
            near = nearest(value, self.names) if isinstance(value, str) else ""
            if self.wanted and not near:
                return report(path, "not-any", found=found(value), wanted=Word(self.wanted))
            report(path, "not-a-choice", found=found(value), known=", ".join(self.names), near=near)

    def schema(self) -> dict[str, Any]:
        """An enumeration."""
        return {"enum": list(self.names)}


class Either(NamedTuple):
    """One kind or another: the first whose type fits the value checks it; `wanted` says them all where none fits."""

    kinds: tuple[tuple[tuple[type, ...], Kind], ...]
    wanted: str = ""

    def check(self, value: Any, path: str, report: Report) -> None:
        """By the kind whose JSON type the value has, else by the first."""
        fitting = [kind for types, kind in self.kinds if isinstance(value, types)]
        if not fitting and self.wanted:
            return report(path, "not-any", found=found(value), wanted=Word(self.wanted))
        (fitting[0] if fitting else self.kinds[0][1]).check(value, path, report)

    def schema(self) -> dict[str, Any]:
        """Any of them."""
        return {"anyOf": [kind.schema() for _, kind in self.kinds]}


SYNONYMS = {
    "queries": "q", "keys": "k", "values": "v", "value": "v", "embeddings": "x", "inputs": "x", "input": "x",
    "attention_mask": "mask", "attn_mask": "mask", "num_heads": "heads", "n_heads": "heads", "labels": "tokens",
}  # fmt: skip
"""Words that a person may try for a key."""


class Fields(NamedTuple):
    """An object with known keys."""

    fields: Mapping[str, Kind]

    def check(self, value: Any, path: str, report: Report) -> None:
        """Known keys only, each of its kind."""
        if not isinstance(value, dict):
            return report(path, "not-an-object", found=found(value))
        guessed = [key for key in value if key not in self.fields][:MOST_GUESSED]
        for key, part in value.items():
            place = f"{path}.{key}" if path else key
            if key in self.fields:
                self.fields[key].check(part, place, report)
            else:
                synonym = SYNONYMS.get(key, "")
                near = synonym if synonym in self.fields else nearest(key, self.fields) if key in guessed else ""
                report(place, "unknown-key", near=near, known=", ".join(self.fields))

    def schema(self) -> dict[str, Any]:
        """An object."""
        properties = {name: kind.schema() for name, kind in self.fields.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}


class Refused(NamedTuple):
    """A value of this JSON type is refused, with a message of its own."""

    code: str

    def check(self, value: Any, path: str, report: Report) -> None:
        """Never right."""
        report(path, self.code)

    def schema(self) -> dict[str, Any]:
        """Nothing fits."""
        return {"not": {}}
