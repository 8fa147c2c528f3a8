"""The lines of `step --plain`: moves, cells, changes, as a script that strangers wrote."""

from __future__ import annotations

from functools import cache

from hostile import unsafe

from attncalc.document.signs import PLAIN
from attncalc.document.view import View, say_in
from attncalc.errors import AttncalcError
from attncalc.explore.walk import Walk, begin
from attncalc.explore.what_if import undo
from attncalc.interactive.dialogue import answer
from attncalc.interactive.typed import words_of
from attncalc.renderers.plain import render
from attncalc.scenario_files.sources import source_at

from .judging import check_refusal, must
from .mutating import text_of
from .shared import lot

MOST_LINES = 12


def walk_on(data: bytes) -> None:
    """Each line is answered or refused; what is shown can be shown; what is undone is as it was."""
    walk, view = lot(_walks(), data), View(say_in(lot(("en", "zh"), data)), PLAIN)
    for line in text_of(data).split("\n")[:MOST_LINES]:
        try:
            reply = answer(walk, line, view, _save)
        except AttncalcError as error:
            check_refusal(error)
            continue
        shown = render(reply.blocks, view)
        must(not unsafe(shown), "unsafe characters in a dialogue", repr(shown))
        if len(reply.walk.past) > len(walk.past) and words_of(line)[0] != "redo":
            must(undo(reply.walk).now is walk.now, "undoing leads elsewhere", line)
        walk = reply.walk
        if reply.ended:
            return


def _save(walk: Walk, file: str, force: bool) -> None:
    """Writes nothing: what a file may be called is tried by whole command lines."""


@cache
def _walks() -> tuple[Walk, ...]:
    return tuple(begin(source_at(name), (), {}) for name in ("draw", "grouped", "mini-head"))
