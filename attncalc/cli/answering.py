"""What the commands share: checks of what a call names, and writing what was made of it."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from attncalc.cli import output
from attncalc.cli.choices import Options, format_of, settings_of
from attncalc.cli.session import Session
from attncalc.core import names
from attncalc.errors import MANY_FAULTS, AttncalcError, Fault, UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.document.blocks import Block
    from attncalc.document.view import View

Item = TypeVar("Item")
Answer = TypeVar("Answer")

Compose = Callable[["View"], Iterable["Block"]]
"""What makes a document for a reader: in the reader's language, with as much as was asked for."""


def asked_for(sources: str | Sequence[str] | None) -> None:
    """Refuses a call that names no scenario."""
    if not sources:
        raise UsageError.of("no-scenario", known=", ".join(builtin.names()))


def answer_format(options: Options, known: Sequence[str]) -> str:
    """The format that is asked for; a file that cannot be written is refused before anything is calculated."""
    format = format_of(options, known)
    settings_of(options, format)
    output.check_target(options["output"], options["force"])
    return format


def all_of(function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    """The function of each item, all their faults at once; of very many no more are looked for."""
    results: list[Answer] = []
    faults: list[Fault] = []
    partial, left = False, iter(items)
    for item in left:
        try:
            results.append(function(item))
        except AttncalcError as error:
            faults += error.faults
            partial |= error.partial or (len(faults) > MANY_FAULTS and any(True for _ in left))
    if faults:
        raise UsageError(faults, partial)
    return results


def as_typed(text: str) -> str:
    """A text of the user's as a shell takes it, on one line."""
    from attncalc.messages.safe_text import escaped

    return escaped(shlex.quote(text))


def write_text(options: Options, text: output.Result) -> None:
    """Writes a text, or the bytes of a file, where the options say."""
    output.write(text, options["output"], options["force"])


def write_json(options: Options, *documents: Any) -> None:
    """Writes JSON values, one a line."""
    from attncalc.scenario_files.json_writing import gathered, pieces

    write_text(options, (part for document in documents for part in chain(gathered(pieces(document)), ("\n",))))


def write_blocks(session: Session, options: Options, compose: Compose, view: View, format: str) -> None:
    """Writes what `compose` makes of a view in a document format; without notes where quiet is asked for."""
    from attncalc.document.blocks import without_remarks
    from attncalc.renderers import block_renderer

    settings = settings_of(options, format)
    if format == "table":
        settings |= {"width": session.width, "color": session.color}
    if format == "html":
        views = map(view.in_language, names.languages_from(view.language))
        documents = [(one, without_remarks(compose(one), session.quiet)) for one in views]
        write_text(options, block_renderer(format)(documents, **settings))
    else:
        blocks = without_remarks(compose(view), session.quiet)
        write_text(options, block_renderer(format)(blocks, view, **settings).lstrip("\n"))
