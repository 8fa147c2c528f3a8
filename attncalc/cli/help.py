"""The help pages, in the language that was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attncalc.cli.options import OPTIONS
from attncalc.core.wrapping import wrapped
from attncalc.messages import Say

WIDTH = 80
COLUMN = 26

OWN = {("worksheet", "places"): "help.worksheet-places", ("worksheet", "format"): "help.worksheet-format"}
"""Options that mean something else in one command, with their sentence there."""


def command_help(command: str, chosen: Sequence[str], examples: Iterable[str], say: Say) -> str:
    """The page of one command: usage, what it does, examples, options."""
    arguments = " ".join(OPTIONS[name].metavar for name in chosen if not OPTIONS[name].flags)
    lines = [say("help-usage", text=" ".join(("attncalc", command, arguments, "[…]")).replace("  ", " ")), ""]
    lines += _paragraph(say(f"help.{command}"))
    lines += ["", say("help-examples"), *(f"  {example}" for example in examples)]
    named = [OPTIONS[name] for name in chosen]
    codes = {option.name: OWN.get((command, option.name), option.code()) for option in named}
    if arguments:
        lines += ["", say("help-arguments")]
        lines += [line for o in named if not o.flags for line in _entry(o.metavar, say(codes[o.name]))]
    lines += ["", say("help-options")]
    for option in named:
        if option.flags:
            lines += _entry(f"{', '.join(option.flags)} {option.metavar}".strip(), say(codes[option.name]))
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
    lines_of_text = wrapped(text, WIDTH - COLUMN)
    first = f"  {left}".ljust(COLUMN) if len(left) <= COLUMN - 3 else None
    lines = [first + lines_of_text[0]] if first else [f"  {left}", " " * COLUMN + lines_of_text[0]]
    return lines + [" " * COLUMN + part for part in lines_of_text[1:]]


def _paragraph(text: str) -> list[str]:
    return wrapped(text, WIDTH)
