"""What can be done on a walk: one table for both faces. Each row has its keys, its word in lines, and what it does.

The keys are called as Textual calls them; nothing here needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from attncalc.explore.walk import Walk, beside, choose, come_back, follow, move, other
from attncalc.explore.what_if import redo, toggle, undo

Save = Callable[[Walk, str, bool], None]
"""Writes the scenario of a walk into a file; true lets an old file go."""

FAR = 1_000_000_000
PAGE = 10


class Move(NamedTuple):
    """One thing to do.

    `name` is its code in the catalogue and its word in lines (`word` False: it has none there); `takes` is what may
    follow the word. Where `action` is None the face asks for a text, or shows a page.
    """

    name: str
    keys: tuple[str, ...]
    action: Callable[[Walk], Walk] | None = None
    takes: str = ""
    word: bool = True
    in_footer: bool = False


MOVES: tuple[Move, ...] = (
    Move("next", ("n", "greater_than_sign"), lambda walk: beside(walk, 1), in_footer=True),
    Move("back", ("p", "less_than_sign"), lambda walk: beside(walk, -1), in_footer=True),
    Move("go", ("g",), takes="CELL"),
    Move("up", ("up", "k"), lambda walk: move(walk, -1, 0)),
    Move("down", ("down", "j"), lambda walk: move(walk, 1, 0)),
    Move("left", ("left",), lambda walk: move(walk, 0, -1)),
    Move("right", ("right", "l"), lambda walk: move(walk, 0, 1)),
    Move("page-up", ("pageup",), lambda walk: move(walk, -PAGE, 0), word=False),
    Move("page-down", ("pagedown",), lambda walk: move(walk, PAGE, 0), word=False),
    Move("first", ("home",), lambda walk: move(walk, 0, -FAR), word=False),
    Move("last", ("end",), lambda walk: move(walk, 0, FAR), word=False),
    Move("top", ("ctrl+home",), lambda walk: move(walk, -FAR, 0), word=False),
    Move("bottom", ("ctrl+end",), lambda walk: move(walk, FAR, 0), word=False),
    Move("follow", ("enter", "f"), follow, takes="[N]", in_footer=True),
    Move("return", ("backspace", "escape"), come_back, in_footer=True),
    Move("choose-next", ("tab",), lambda walk: choose(walk, 1), word=False),
    Move("choose-previous", ("shift+tab",), lambda walk: choose(walk, -1), word=False),
    Move("token", ("t",), lambda walk: other(walk, "query", 1)),
    Move("token-before", ("T",), lambda walk: other(walk, "query", -1), word=False),
    Move("head", ("h",), lambda walk: other(walk, "head", 1)),
    Move("head-before", ("H",), lambda walk: other(walk, "head", -1), word=False),
    Move("batch", ("b",), lambda walk: other(walk, "batch", 1)),
    Move("batch-before", ("B",), lambda walk: other(walk, "batch", -1), word=False),
    Move("why", ("y",), takes="[CELL]"),
    Move("moves", ("i",)),
    Move("show", (), takes="[STEP]"),
    Move("edit", ("e",), takes="NUMBER", in_footer=True),
    Move("set", ("s",), takes="PATH VALUE"),
    Move("mask", ("m",), lambda walk: toggle(walk, "mask")),
    Move("scale", ("c",), lambda walk: toggle(walk, "scale")),
    Move("arithmetic", ("a",), lambda walk: toggle(walk, "arithmetic")),
    Move("undo", ("u", "ctrl+z"), undo, in_footer=True),
    Move("redo", ("r", "ctrl+y"), redo),
    Move("diff", ("d",)),
    Move("save", ("w", "ctrl+s"), takes="FILE [--force]"),
    Move("help", ("question_mark", "f1"), in_footer=True),
    Move("quit", ("q", "ctrl+c", "ctrl+q"), in_footer=True),
)

BY_KEY = {key: row for row in MOVES for key in row.keys}
BY_WORD = {row.name: row for row in MOVES if row.word}


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
