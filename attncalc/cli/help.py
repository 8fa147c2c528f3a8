"""The help pages, in the language that was chosen."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

from attncalc.cli.options import OPTIONS
from attncalc.messages import Say

WIDTH = 80
COLUMN = 26


def command_help(command: str, chosen: Sequence[str], examples: Iterable[str], say: Say) -> str:
    """The page of one command: usage, what it does, examples, options."""
    arguments = " ".join(OPTIONS[name].metavar for name in chosen if not OPTIONS[name].flags)
    lines = [say("help-usage", text=" ".join(("attncalc", command, arguments, "[…]")).replace("  ", " ")), ""]
    lines += _paragraph(say(f"help.{command}"))
    lines += ["", say("help-examples"), *(f"  {example}" for example in examples)]
    named = [OPTIONS[name] for name in chosen]
    if arguments:
        lines += ["", say("help-arguments")]
        lines += [line for o in named if not o.flags for line in _entry(o.metavar, say(o.code()))]
    lines += ["", say("help-options")]
    for option in named:
        if option.flags:
            lines += _entry(f"{', '.join(option.flags)} {option.metavar}".strip(), say(option.code()))
    lines += _entry("--help", say("help.help"))
    return "\n".join(lines) + "\n"


def program_help(commands: Iterable[str], say: Say) -> str:
    """The page of the program: what it is, its commands, exit codes."""
    lines = [say("help-usage", text="attncalc COMMAND […]"), "", *_paragraph(say("help.app"))]
    lines += ["", say("help-commands")]
    for command in commands:
        lines += _entry(command, say(f"help.{command}"))
    lines += [
        "",
        say("help-options"),
        *_entry("--version", say("help.version")),
        *_entry("--lang en|zh", say("help.lang")),
    ]
    lines += _entry("--install-completion", say("help.install-completion"))
    lines += _entry("--show-completion", say("help.show-completion"))
    lines += [*_entry("--help", say("help.help")), "", *_paragraph(say("help.app-end"))]
    return "\n".join(lines) + "\n"


def _entry(left: str, text: str) -> list[str]:
    """A name and what it is, side by side."""
    wrapped = _wrap(text, WIDTH - COLUMN)
    first = f"  {left}".ljust(COLUMN) if len(left) <= COLUMN - 3 else None
    lines = [first + wrapped[0]] if first else [f"  {left}", " " * COLUMN + wrapped[0]]
    return lines + [" " * COLUMN + part for part in wrapped[1:]]


def _paragraph(text: str) -> list[str]:
    return _wrap(text, WIDTH)


def _wrap(text: str, width: int) -> list[str]:
    """Lines of at most that many cells; Chinese breaks anywhere, its characters being two cells wide."""
    if text.isascii():
        return textwrap.wrap(text, width) or [""]
    lines, used = [""], 0
    for word in _pieces(text):
        size = sum(1 if character < "ᄀ" else 2 for character in word)
        if used + size > width:
            lines, used = [*lines, ""], 0
            word = word.lstrip()
        lines[-1] += word
        used += size
    return lines


def _pieces(text: str) -> list[str]:
    """Where a line may break: after a blank, and around every wide character but before punctuation."""
    pieces: list[str] = []
    for character in text:
        joins = character in "，。；：、）》”？！" or (
            character < "ᄀ" and pieces and pieces[-1][-1] < "ᄀ" and pieces[-1][-1] != " "
        )
        if pieces and joins:
            pieces[-1] += character
        else:
            pieces.append(character)
    return pieces
