"""`step --plain`: a walk as a dialogue of lines, for screen readers, slow lines and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from attncalc.document.because import because
from attncalc.document.blocks import Block, Prose
from attncalc.document.heading import notes_on
from attncalc.document.influences import strongest
from attncalc.document.view import View
from attncalc.document.walking import (
    cell_blocks,
    change_blocks,
    given_blocks,
    place,
    source_texts,
    step_blocks,
    why_line,
)
from attncalc.errors import UsageError, nearest, shortened
from attncalc.explore.walk import Walk, follow, go, to_step
from attncalc.explore.what_if import change, edit, path_of
from attncalc.interactive.moves import BY_WORD, Move, Save
from attncalc.interactive.typed import target_of, words_of
from attncalc.messages.safe_text import visible

OTHER_WORDS = {"?": "help", "exit": "quit", "previous": "back"}
MOST_SOURCES = 24


class Asked(NamedTuple):
    """One line of the dialogue: the walk it is asked in, its words after the first, the rest as it stands."""

    walk: Walk
    words: list[str]
    rest: str
    view: View
    save: Save


class Reply(NamedTuple):
    """What a line leads to: where one is then, what is said, whether the dialogue ends."""

    walk: Walk
    blocks: list[Block]
    ended: bool = False


def answer(walk: Walk, line: str, view: View, save: Save) -> Reply:
    """The reply to a line; an AttncalcError where it cannot be done, and the walk is as it was."""
    words = words_of(line)
    if not words:
        return Reply(walk, [])
    row = _named(words[0])
    asked = Asked(walk, words[1:], line.strip()[len(words[0]) :].strip(), view, save)
    if row.name in ANSWERS:
        return ANSWERS[row.name](asked)
    if row.action is None:
        raise KeyError(row.name)
    return _at(asked, row.action(walk))


def _news(before: Walk, after: Walk, view: View) -> list[Block]:
    """What a line has changed, or taken back."""
    if before.now is after.now:
        return []
    if not after.now.changes:
        return [Prose(view.say("walk-as-at-start"))]
    changes = visible(view.say("list-comma").join(after.now.changes))
    if len(after.past) < len(before.past):
        return [Prose(view.say("walk-undone", changes=changes))]
    return [Prose(view.say("walk-changed", change=changes))]


def _named(word: str) -> Move:
    """The row of a word, or of its beginning where only one word begins so."""
    wanted = OTHER_WORDS.get(word.lower(), word.lower())
    begins = [name for name in BY_WORD if name.startswith(wanted)]
    if wanted not in BY_WORD and len(begins) > 1:
        raise UsageError.of("walk-several", found=shortened(word), known=", ".join(begins))
    if wanted not in BY_WORD and not begins:
        near = nearest(wanted, BY_WORD)
        raise UsageError.of("walk-no-command", found=shortened(word), known=", ".join(BY_WORD), near=near)
    return BY_WORD[wanted if wanted in BY_WORD else begins[0]]


def greeting(walk: Walk, view: View) -> list[Block]:
    """The first lines of the dialogue."""
    return [Prose(view.say("walk-hello", known=", ".join(BY_WORD))), *here(walk, view)]


def here(walk: Walk, view: View) -> list[Block]:
    """Where one is: step, formula, why, the cell with its numbers, what it is made from."""
    at = place(walk, view)
    title = f"{at.title}{view.say('in-brackets', text=at.formula)}" if at.formula else at.title
    blocks: list[Block] = [Prose(title, at.position), Prose(why_line(walk, view)), *cell_blocks(walk, view)]
    made_from = [f"{number} {text}" for number, text in enumerate(source_texts(walk, view), 1)]
    if made_from:
        shown = made_from if view.everything else made_from[:MOST_SOURCES]
        shown += [view.signs.dots] if len(shown) < len(made_from) else []
        blocks.append(Prose(view.say("list-semicolon").join(shown), view.say("lead.made-from")))
    return [*blocks, *given_blocks(walk, view), *notes_on(walk.trace, walk.cell, view)]


def _at(asked: Asked, walk: Walk) -> Reply:
    return Reply(walk, [*_news(asked.walk, walk, asked.view), *here(walk, asked.view)])


def _go(asked: Asked) -> Reply:
    return _at(asked, go(asked.walk, asked.words))


def _follow(asked: Asked) -> Reply:
    if not asked.words:
        return _at(asked, follow(asked.walk))
    number, count = asked.words[0], len(asked.walk.sources)
    if not (number.isascii() and number.isdigit() and len(number) < 9 and 1 <= int(number) <= count):
        code = "walk-no-source" if count else "walk-given"
        raise UsageError.of(code, found=shortened(number), count=count)
    return _at(asked, follow(asked.walk, int(number) - 1))


def _why(asked: Asked) -> Reply:
    walk = go(asked.walk, asked.words) if asked.words else asked.walk
    return Reply(walk, list(because(walk.trace, walk.cell, asked.view)))


def _moves(asked: Asked) -> Reply:
    return Reply(asked.walk, list(strongest(asked.walk.trace, asked.walk.cell, asked.view)))


def _show(asked: Asked) -> Reply:
    walk = asked.walk
    if asked.words:
        walk = to_step(walk, asked.words[0]) if asked.words[0] in walk.trace else go(walk, asked.words)
    return Reply(walk, list(step_blocks(walk, asked.view)))


def _edit(asked: Asked) -> Reply:
    return _at(asked, edit(asked.walk, asked.rest))


def _set(asked: Asked) -> Reply:
    text = asked.rest
    if len(asked.words) > 2 and asked.words[0] in asked.walk.trace:  # a cell by its name: set scores draw I 0
        there = go(asked.walk, asked.words[:-1])
        return _at(asked, change(asked.walk, f"{path_of(there)}={asked.words[-1]}"))
    if not asked.words or "=" not in re.sub(r'"(?:[^"\\]|\\.)*"', "", asked.words[0]):
        path = asked.words[0] if asked.words else ""
        value = text[len(path) :].strip()
        if not value:
            raise UsageError.of("walk-set-what")
        text = f"{path}={value.removeprefix('=').strip()}"
    return _at(asked, change(asked.walk, text))


def _diff(asked: Asked) -> Reply:
    return Reply(asked.walk, list(change_blocks(asked.walk, asked.view)))


def _save(asked: Asked) -> Reply:
    target = target_of(asked.rest)
    asked.save(asked.walk, *target)
    return Reply(asked.walk, [Prose(asked.view.say("walk-saved", file=visible(target.file)))])


def _help(asked: Asked) -> Reply:
    say = asked.view.say
    lines = ((f"{row.name} {row.takes}".strip(), say(f"walk-do.{row.name}")) for row in BY_WORD.values())
    return Reply(asked.walk, [Prose(say("with-lead", lead=lead, text=text)) for lead, text in lines])


def _quit(asked: Asked) -> Reply:
    return Reply(asked.walk, [], ended=True)


ANSWERS: dict[str, Callable[[Asked], Reply]] = {
    "go": _go, "follow": _follow, "why": _why, "moves": _moves, "show": _show, "edit": _edit, "set": _set,
    "diff": _diff, "save": _save, "help": _help, "quit": _quit,
}  # fmt: skip
"""The words that take something or say more than where one is; the others are moves."""
