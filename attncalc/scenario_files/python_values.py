"""A document that Python gives, in the types that JSON knows: arrays are lists, and what JSON lacks is refused."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from attncalc.errors import ScenarioError
from attncalc.scenario_files.json_text import LISTS, MOST_LEVELS
from attncalc.scenario_files.json_writing import PLAIN

SCALARS = (str, int, float, Decimal, type(None))  # a bool is an int, a Literal a Decimal

NUMBERS = tuple("biuf")
"""The kinds of NumPy's types whose lists hold what JSON knows."""


def as_lists(document: Mapping[str, Any], name: str) -> Any:
    """The document with the lists of its arrays (NumPy, PyTorch: what has `tolist`), and nothing of it changed.

    A TypeError names what JSON has no word for; a document that holds itself is nested too deeply.
    """
    return _as_lists(document, "", name, 0)


def _as_lists(value: Any, place: str, name: str, level: int) -> Any:
    if level > MOST_LEVELS:
        raise ScenarioError.of("json-too-deep", name)
    if isinstance(value, LISTS):
        if PLAIN.issuperset(map(type, value)):
            return value
        return [_as_lists(part, f"{place}[{at}]", name, level + 1) for at, part in enumerate(value)]
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{place or name}: the key {key!r} is no text; JSON has no other keys")
        parts = {key: (f"{place}.{key}" if place else key, part) for key, part in value.items()}
        return {key: _as_lists(part, path, name, level + 1) for key, (path, part) in parts.items()}
    if isinstance(value, SCALARS):
        return value
    if hasattr(value, "tolist"):
        lists = value.tolist()
        plain = getattr(getattr(value, "dtype", None), "kind", None) in NUMBERS
        return lists if plain else _as_lists(lists, place, name, level + 1)  # objects of an array may be anything
    raise TypeError(f"{place}: {type(value).__name__} is no type that JSON has; give numbers, texts, lists or arrays")
