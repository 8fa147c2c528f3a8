"""The one place where what went wrong becomes a sentence on standard error and an exit code."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import traceback
from collections.abc import Callable, Mapping
from decimal import Context, setcontext
from enum import IntEnum
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attncalc.errors import AttncalcError, nearest
from attncalc.messages import speaker
from attncalc.messages.safe_text import escaped, told
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.cli.app import Command
    from attncalc.cli.session import Session

MOST_FAULTS = 20

NO_ROOM = "failed to map segment"
"""What the system says where a library finds no room in memory."""


class Status(IntEnum):
    """The exit codes of the contract."""

    DONE = 0
    WRONG = 1  # an answer or an expectation is wrong
    REFUSED = 2  # it could not be done
    BUG = 70
    INTERRUPTED = 130
    PIPE_GONE = 141


def guarded(command: Command, values: Mapping[str, Any], language: str) -> int:
    """Runs a command; every way it can end is an exit code, and a sentence where it is not the good one."""
    debug = bool(values.get("debug"))
    try:
        from attncalc.cli.one_thread import within_limits

        within_limits()  # before anything that may load NumPy
        from attncalc.cli.effort import check_command
        from attncalc.cli.session import session
        from attncalc.core.effort import bounded_by

        setcontext(Context(prec=1000, traps=[]))  # sentences compare numbers, NaN among them
        here = session({**values, "lang": language if values.get("lang") is None else values["lang"]})
        language = here.language
        if command.negatives:
            _refuse_mistyped(command, values)
        complete = _complete(values)
        if complete["output"]:
            from attncalc.cli.inputs import keep_inputs

            keep_inputs(complete)
        with bounded_by(partial(check_command, command, complete)):
            code = _function(command.home)(here, complete)
        if sys.stdout is not None:
            sys.stdout.flush()
        return code
    except BaseException as error:
        return ended(error, language, debug)


def _function(home: str) -> Callable[[Session, Mapping[str, Any]], int]:
    """What carries a command out (`commands.run`), loaded when it is called."""
    file, name = home.split(".")
    function: Callable[[Session, Mapping[str, Any]], int] = getattr(import_module(f"attncalc.cli.{file}"), name)
    return function


def _refuse_mistyped(command: Command, values: Mapping[str, Any]) -> None:
    """Refuses an option that does not exist and was taken for an argument, as -1 is."""
    from attncalc.cli.options import OPTIONS, flags_of, mistyped, no_such_option

    if found := mistyped(values.get(name) for name in command.options if not OPTIONS[name].flags):
        raise no_such_option(found, flags_of(command.options))


def written(text: str, language: str) -> int:
    """Writes a text of the program itself (help, version); the exit code."""
    from attncalc.cli.output import write

    return _tried(lambda: write(text), language)


def checked_language(asked: str, language: str) -> int:
    """0 for a language that there is; else the exit code, after saying so."""
    from attncalc.cli.session import language as one_there_is

    return _tried(lambda: one_there_is(asked), language)


def _tried(action: Callable[[], object], language: str) -> int:
    """0 where the action goes well, else the exit code, after saying what went wrong."""
    try:
        action()
    except BaseException as error:
        return ended(error, language, False)
    return 0


def _complete(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a command with those it does not take as if they were left out."""
    from attncalc.cli.options import MANY, OPTIONS

    return {name: values.get(name, [] if option.type is MANY else option.default) for name, option in OPTIONS.items()}


def ended(error: BaseException, language: str, debug: bool) -> int:
    """The exit code of an exception, after saying what it means."""
    say = speaker(language)
    if debug and not isinstance(error, KeyboardInterrupt | BrokenPipeError):
        complain("".join(traceback.format_exception(error)).splitlines(), language, lead="")
    match error:
        case AttncalcError():
            complain(error.sentences(language, MOST_FAULTS), language, count=len(error.faults), partial=error.partial)
            return error.exit_code
        case SystemExit():  # completion ends so
            return int(error.code or 0)
        case KeyboardInterrupt():
            return Status.INTERRUPTED
        case BrokenPipeError():
            silence_stdout()
            return Status.PIPE_GONE
        case MemoryError() | ImportError() if isinstance(error, MemoryError) or NO_ROOM in str(error):
            error.__traceback__ = None  # what it holds is needed to say so
            complain([say("out-of-memory")], language)
            return Status.REFUSED
        case OSError():
            silence_stdout()
            complain([say("cannot-write-result", reason=error.strerror or str(error))], language)
            return Status.REFUSED
    if hasattr(error, "exit_code") and not hasattr(error, "format_message"):
        return int(error.exit_code)
    if hasattr(error, "format_message"):
        complain([usage_sentence(error, language)], language)
        return Status.REFUSED
    complain([say("bug", reason=f"{type(error).__name__}: {error}")], language)
    return Status.BUG


def complain(
    sentences: list[str], language: str, lead: str = "attncalc: ", count: int = 0, partial: bool = False
) -> None:  # fmt: skip
    """Writes sentences to standard error, which may be gone.

    `count` is how many there are where not all are given, `partial` whether there may be even more.
    """
    say = speaker(language)
    shown = sentences[:MOST_FAULTS] if lead else sentences
    if (more := max(count, len(sentences)) - len(shown)) > 0:
        shown.append(say("and-more-least" if partial else "and-more", count=more))
    with contextlib.suppress(OSError, ValueError, AttributeError):
        for sentence in shown:
            if sys.stderr is not None:  # print would take standard output instead
                print(f"{lead}{_safe(sentence)}", file=sys.stderr)


def _safe(sentence: str) -> str:
    """The sentence with what a terminal would obey written out; its own line ends stay."""
    return "\n".join(escaped(line) for line in sentence.split("\n"))


def usage_sentence(error: BaseException, language: str) -> str:
    """What the parser of the command line found, in the language."""
    say = speaker(language)
    name = type(error).__name__
    option = getattr(error, "option_name", "")
    if name == "NoSuchOption":
        return _no_such_option(error, option, language)
    if name == "BadOptionUsage":
        takes = "does not take" in str(getattr(error, "message", ""))
        return say("usage-takes-no-value" if takes else "usage-needs-value", found=option)
    message = str(error.format_message()).rstrip(".")  # type: ignore[attr-defined]
    if message.startswith("No such command"):
        found = message.split("'")[1] if "'" in message else message
        if found in builtin.names():
            return say("usage-scenario-not-command", found=found)
        known = list(error.ctx.command.commands)  # type: ignore[attr-defined]
        return say("usage-no-such-command", found=told(found), near=nearest(found, known), known=", ".join(known))
    if "unexpected extra argument" in message:
        extra = re.search(r"argument(?:\(s\)|s)? \((.*)\)$", message, re.DOTALL)
        found = extra[1] if extra else message
        option = _taken_for_an_argument(error, found)
        return _no_such_option(error, option, language) if option else say("usage-extra", found=told(found))
    return say("usage", text=told(message))


def _no_such_option(error: BaseException, option: str, language: str) -> str:
    from attncalc.cli.options import no_such_option

    command = getattr(getattr(error, "ctx", None), "command", None)
    known = [
        flag for o in getattr(command, "params", []) for flag in (*o.opts, *o.secondary_opts) if flag.startswith("--")
    ]
    return no_such_option(option, known).sentences(language)[0]


def _taken_for_an_argument(error: BaseException, extra: str) -> str:
    """A mistyped option of a command that takes arguments such as -1, and with them every word with a hyphen."""
    from attncalc.cli.options import mistyped

    context: Any = getattr(error, "ctx", None)
    if not getattr(context, "ignore_unknown_options", False):
        return ""
    return mistyped((*context.params.values(), *extra.split()))


def silence_stdout() -> None:
    """Lets Python's own flush at exit write into nothing, since the reader or the room is gone."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
