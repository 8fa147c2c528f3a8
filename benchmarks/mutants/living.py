"""A function is changed where it lives: its code is replaced."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

from drawn import REPOSITORY
from learned import ROOMS

Functions = dict[tuple[Any, ...], list[FunctionType]]
"""Functions by what tells their code apart."""


def changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The pairs of code objects that differ by themselves, and functions around them."""
    inner = [[const for const in code.co_consts if isinstance(const, CodeType)] for code in (old, new)]
    names = [[code.co_name for code in codes] for codes in inner]
    if names[0] != names[1] or _own(old) != _own(new) or (old.co_flags & 2 and old != new):
        yield old, new
    for pair in zip(*inner, strict=False):
        yield from changed(*pair)


def _own(code: CodeType) -> tuple[Any, ...]:
    consts = tuple((type(const), const) for const in code.co_consts if not isinstance(const, CodeType))
    return code.co_code, repr(consts), code.co_names


def living() -> Functions:
    """All functions of the rooms, by their code; found once, since the search touches all memory."""
    for room in ROOMS:
        for path in (REPOSITORY / "attncalc" / room).glob("*.py"):
            import_module(f"attncalc.{room}.{path.stem}")
    gc.unfreeze()
    known: Functions = {}
    for found in gc.get_objects():
        if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(str(REPOSITORY / "attncalc")):
            known.setdefault(_key(found.__code__), []).append(found)
    gc.freeze()
    return known


def replaced(pairs: list[tuple[CodeType, CodeType]], functions: Functions) -> int:
    """Puts new code into the functions that live, and counts them."""
    changes = [(found, new) for old, new in pairs for found in functions.get(_key(old), ())]
    changes = [(found, new) for found, new in changes if len(new.co_freevars) == len(found.__code__.co_freevars)]
    for found, new in changes:
        found.__code__ = new
    return len(changes)


def _key(code: CodeType) -> tuple[Any, ...]:
    return code.co_filename, code.co_qualname, code.co_firstlineno, code.co_names, code.co_varnames
