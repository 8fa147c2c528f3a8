"""What surrounds one call: language, width, colour, where the result goes."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from attncalc.cli.output import is_file
from attncalc.core import names
from attncalc.errors import UsageError, nearest, shortened


class Session(NamedTuple):
    """The surroundings of a call, decided once."""

    language: str
    width: int | None  # None: as wide as the content
    height: int | None  # None: not a terminal
    color: bool
    ascii: bool
    quiet: bool


def session(options: Mapping[str, Any]) -> Session:
    """The session that the options and the environment ask for."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    to_file = is_file(options.get("output"))
    size = _terminal_size() if terminal and not to_file else None
    return Session(
        language=language(options.get("lang")),
        width=_width(options.get("width"), size[0] if size else None, to_file),
        height=size[1] if size else None,
        color=_color("auto" if options.get("color") is None else options["color"], terminal) and not to_file,
        ascii=bool(options.get("ascii")),
        quiet=bool(options.get("quiet")),
    )


def language(asked: str | None = None) -> str:
    """The language: --lang, ATTNCALC_LANG, then the locale; English where none of them is one that there is."""
    if asked is not None:
        return one_of("--lang", asked, names.LANGUAGES)
    for variable in ("ATTNCALC_LANG", "LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def asked_language(arguments: list[str]) -> str:
    """The language before the options are parsed, for help and for errors in them."""
    for position, argument in enumerate(arguments):
        value = argument.removeprefix("--lang=") if argument.startswith("--lang=") else None
        if argument == "--lang" and position + 1 < len(arguments):
            value = arguments[position + 1]
        if value in names.LANGUAGES:
            return str(value)
    return language()


def one_of(place: str, value: str, known: tuple[str, ...]) -> str:
    """The value if it is one of the names, else a UsageError."""
    if value not in known:
        raise UsageError.of(
            "not-a-choice", place, found=shortened(value), known=", ".join(known), near=nearest(value, known)
        )
    return value


def whole(place: str, text: str, least: int, most: int, code: str = "not-a-whole-number") -> int:
    """A whole number in a range, else a UsageError."""
    if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
        raise UsageError.of(code, place, found=shortened(text), least=least, most=most)
    return int(text)


def _width(asked: str | None, terminal: int | None, to_file: bool) -> int | None:
    if asked is not None:
        return whole("--width", asked, 1, 100_000)
    for variable in ("ATTNCALC_WIDTH", "COLUMNS"):
        value = os.environ.get(variable, "")
        if value.isascii() and value.isdigit() and len(value) < 7 and int(value) >= 20 and not to_file:
            return int(value)
    return terminal


def _terminal_size() -> tuple[int, int] | None:
    try:
        size = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return None
    return (size.columns or 80, size.lines or 24)


def _color(asked: str, terminal: bool) -> bool:
    if one_of("--color", asked, names.COLORS) != "auto":
        return asked == "always"
    if os.environ.get("NO_COLOR"):
        return False
    forced = os.environ.get("FORCE_COLOR", "")
    if forced:
        return forced != "0"
    return terminal and os.environ.get("TERM") != "dumb"
