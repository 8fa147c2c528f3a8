"""`step --plain`: a walk as a dialogue of lines, for screen readers, slow lines and scripts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from attncalc.document.because import because
from attncalc.document.blocks import Block, Prose
from attncalc.document.influences import strongest
from attncalc.document.view import View
from attncalc.document.walking import cell_blocks, change_blocks, notes_here, place, source_texts, step_blocks, why_line
from attncalc.errors import UsageError, nearest, shortened
from attncalc.explore.walk import Walk, back, beside, chosen_number, follow, go, other, to_step
from attncalc.explore.what_if import change, redo, toggle, undo
from attncalc.messages import Say
from attncalc.messages.safe_text import visible

WORD = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+|"')

Save = Callable[[Walk, str, bool], None]

FORCE = " --force"


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


class Command(NamedTuple):
    """A command of the dialogue: its name, what it takes, what it does."""

    name: str
    takes: str
    answer: Callable[[Asked], Reply]


def answer(walk: Walk, line: str, view: View, save: Save) -> Reply:
    """The reply to a line; an AttncalcError where it cannot be done, and the walk is as it was."""
    words = WORD.findall(line)
    if not words:
        return Reply(walk, [])
    command = _command(words[0])
    return command.answer(Asked(walk, words[1:], line.strip()[len(words[0]) :].strip(), view, save))


def _command(word: str) -> Command:
    """The command of a name, of its beginning where only one begins so, or of a sign for help."""
    named = {"?": "help", "exit": "quit", "previous": "back"}.get(word.lower(), word.lower())
    begins = [name for name in COMMANDS if name.startswith(named)]
    if named not in COMMANDS and len(begins) != 1 and named not in SHORT:
        near = nearest(named, COMMANDS)
        raise UsageError.of("walk-no-command", found=shortened(word), known=", ".join(COMMANDS), near=near)
    return COMMANDS[named if named in COMMANDS else SHORT.get(named, begins[0] if begins else "")]


def greeting(walk: Walk, view: View) -> list[Block]:
    """The first lines of the dialogue."""
    return [Prose(view.say("walk-hello")), *here(walk, view)]


def here(walk: Walk, view: View) -> list[Block]:
    """Where one is: step, formula, why, the cell with its numbers, what it is made from."""
    at = place(walk, view)
    title = f"{at.title}{view.say('in-brackets', text=at.formula)}" if at.formula else at.title
    blocks: list[Block] = [Prose(title, at.position), Prose(why_line(walk, view)), *cell_blocks(walk, view)]
    made_from = [f"{number} {text}" for number, text in enumerate(source_texts(walk, view), 1)]
    if made_from:
        shown = (
            made_from
            if view.everything or len(made_from) <= MOST_SOURCES
            else [*made_from[:MOST_SOURCES], view.signs.dots]
        )
        blocks.append(Prose(view.say("list-semicolon").join(shown), view.say("lead.made-from")))
    return [*blocks, *notes_here(walk, view)]


MOST_SOURCES = 24


def _at(asked: Asked, walk: Walk) -> Reply:
    return Reply(walk, here(walk, asked.view))


def _next(asked: Asked) -> Reply:
    return _at(asked, beside(asked.walk, 1))


def _back(asked: Asked) -> Reply:
    return _at(asked, beside(asked.walk, -1))


def _follow(asked: Asked) -> Reply:
    walk = asked.walk
    if asked.words:
        number = asked.words[0]
        count = len(walk.sources)
        if not (number.isascii() and number.isdigit() and len(number) < 9 and 1 <= int(number) <= count):
            raise UsageError.of("walk-no-source", found=shortened(number), count=count)
        walk = chosen_number(walk, int(number) - 1)
    return _at(asked, follow(walk))


def _return(asked: Asked) -> Reply:
    return _at(asked, back(asked.walk))


def _go(asked: Asked) -> Reply:
    return _at(asked, go(asked.walk, asked.words))


def _why(asked: Asked) -> Reply:
    walk = go(asked.walk, asked.words) if asked.words else asked.walk
    return Reply(walk, list(because(walk.trace, walk.cell, asked.view, None)))


def _moves(asked: Asked) -> Reply:
    return Reply(asked.walk, list(strongest(asked.walk.trace, asked.walk.cell, asked.view)))


def _show(asked: Asked) -> Reply:
    walk = to_step(asked.walk, asked.words[0]) if asked.words and asked.words[0] in asked.walk.trace else asked.walk
    if asked.words and walk.cell.name != asked.words[0]:
        return _go(asked)
    return Reply(walk, list(step_blocks(walk, asked.view)))


def _set(asked: Asked) -> Reply:
    text = asked.rest
    if "=" not in (asked.words[0] if asked.words else ""):
        path, _, value = text.partition(" ")
        if not value.strip():
            raise UsageError.of("walk-set-what")
        text = f"{path}={value.strip().removeprefix('=').strip()}"
    return _at(asked, change(asked.walk, text))


def _undo(asked: Asked) -> Reply:
    return _at(asked, undo(asked.walk))


def _redo(asked: Asked) -> Reply:
    return _at(asked, redo(asked.walk))


def _toggle(key: str) -> Callable[[Asked], Reply]:
    return lambda asked: _at(asked, toggle(asked.walk, key))


def _other(axis: str) -> Callable[[Asked], Reply]:
    return lambda asked: _at(asked, other(asked.walk, axis, 1))


def _diff(asked: Asked) -> Reply:
    return Reply(asked.walk, list(change_blocks(asked.walk, asked.view)))


def _save(asked: Asked) -> Reply:
    if not asked.rest:
        raise UsageError.of("walk-save-where")
    file = asked.rest.removesuffix(FORCE).strip()
    asked.save(asked.walk, file, asked.rest.endswith(FORCE))
    return Reply(asked.walk, [Prose(asked.view.say("walk-saved", file=visible(file)))])


def _quit(asked: Asked) -> Reply:
    return Reply(asked.walk, [], ended=True)


def _help(asked: Asked) -> Reply:
    return Reply(asked.walk, [Prose(line) for line in help_lines(COMMANDS.values(), asked.view.say)])


def help_lines(commands: Iterable[Command], say: Say) -> list[str]:
    """A line for each command."""
    return [
        say("with-lead", lead=f"{command.name} {command.takes}".strip(), text=say(f"walk-help.{command.name}"))
        for command in commands
    ]


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("next", "", _next),
        Command("back", "", _back),
        Command("go", "CELL", _go),
        Command("follow", "[N]", _follow),
        Command("return", "", _return),
        Command("why", "[CELL]", _why),
        Command("moves", "", _moves),
        Command("show", "[STEP]", _show),
        Command("token", "", _other("query")),
        Command("head", "", _other("head")),
        Command("batch", "", _other("batch")),
        Command("set", "PATH VALUE", _set),
        Command("mask", "", _toggle("mask")),
        Command("scale", "", _toggle("scale")),
        Command("arithmetic", "", _toggle("arithmetic")),
        Command("undo", "", _undo),
        Command("redo", "", _redo),
        Command("diff", "", _diff),
        Command("save", "FILE [--force]", _save),
        Command("help", "", _help),
        Command("quit", "", _quit),
    )
}
SHORT = {"s": "show", "b": "back", "h": "help", "m": "moves", "r": "return"}
"""Short forms of names that begin like another."""
