"""The keys of a walk: which key does what, in one table for the full screen, its help, and the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from attncalc.explore.walk import Walk, back, beside, choose, follow, move, other
from attncalc.explore.what_if import redo, toggle, undo

FAR = 1_000_000_000
PAGE = 10


class Key(NamedTuple):
    """Some keys with one meaning; `name` is its code in the catalogue, `action` None where the face asks for a text."""

    name: str
    keys: tuple[str, ...]
    action: Callable[[Walk], Walk] | None = None
    in_footer: bool = False


KEYS: tuple[Key, ...] = (
    Key("next", ("n", "greater_than_sign"), lambda walk: beside(walk, 1), True),
    Key("previous", ("p", "less_than_sign"), lambda walk: beside(walk, -1), True),
    Key("up", ("up", "k"), lambda walk: move(walk, -1, 0)),
    Key("down", ("down", "j"), lambda walk: move(walk, 1, 0)),
    Key("left", ("left",), lambda walk: move(walk, 0, -1)),
    Key("right", ("right", "l"), lambda walk: move(walk, 0, 1)),
    Key("page-up", ("pageup",), lambda walk: move(walk, -PAGE, 0)),
    Key("page-down", ("pagedown",), lambda walk: move(walk, PAGE, 0)),
    Key("first", ("home",), lambda walk: move(walk, 0, -FAR)),
    Key("last", ("end",), lambda walk: move(walk, 0, FAR)),
    Key("top", ("ctrl+home",), lambda walk: move(walk, -FAR, 0)),
    Key("bottom", ("ctrl+end",), lambda walk: move(walk, FAR, 0)),
    Key("follow", ("enter", "f"), follow, True),
    Key("back", ("backspace", "escape"), back, True),
    Key("choose-next", ("tab",), lambda walk: choose(walk, 1)),
    Key("choose-previous", ("shift+tab",), lambda walk: choose(walk, -1)),
    Key("query", ("t",), lambda walk: other(walk, "query", 1)),
    Key("query-before", ("T",), lambda walk: other(walk, "query", -1)),
    Key("head", ("h",), lambda walk: other(walk, "head", 1)),
    Key("head-before", ("H",), lambda walk: other(walk, "head", -1)),
    Key("batch", ("b",), lambda walk: other(walk, "batch", 1)),
    Key("batch-before", ("B",), lambda walk: other(walk, "batch", -1)),
    Key("edit", ("e",), None, True),
    Key("set", ("s",)),
    Key("go", ("g",)),
    Key("mask", ("m",), lambda walk: toggle(walk, "mask")),
    Key("scale", ("c",), lambda walk: toggle(walk, "scale")),
    Key("arithmetic", ("a",), lambda walk: toggle(walk, "arithmetic")),
    Key("undo", ("u", "ctrl+z"), undo, True),
    Key("redo", ("r", "ctrl+y"), redo),
    Key("diff", ("d",)),
    Key("moves", ("i",)),
    Key("why", ("y",)),
    Key("save", ("w", "ctrl+s")),
    Key("help", ("question_mark", "f1"), None, True),
    Key("quit", ("q", "ctrl+c", "ctrl+q"), None, True),
)

BY_KEY = {key: row for row in KEYS for key in row.keys}


def press(walk: Walk, key: str) -> Walk:
    """The walk after one key that needs no text; a KeyError for any other."""
    action = BY_KEY[key].action
    if action is None:
        raise KeyError(key)
    return action(walk)


def pressed(walk: Walk, keys: Iterable[str]) -> Walk:
    """The walk after several keys."""
    for key in keys:
        walk = press(walk, key)
    return walk
