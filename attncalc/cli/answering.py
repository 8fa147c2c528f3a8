"""What the commands share: reading the scenarios that a call names, and writing what was made of them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attncalc.cli import output
from attncalc.cli.choices import Options, calculation, format_of
from attncalc.cli.session import Session
from attncalc.errors import AttncalcError, Fault, UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.document.blocks import Block
    from attncalc.document.view import View

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def asked_for(sources: str | Sequence[str] | None) -> None:
    """Refuses a call that names no scenario."""
    if not sources:
        raise UsageError.of("no-scenario", known=", ".join(builtin.names()))


def answer_format(options: Options, known: Sequence[str]) -> str:
    """The format that is asked for; a file that cannot be written is refused before anything is calculated."""
    format = format_of(options, known)
    output.check_target(options["output"], options["force"])
    return format


def scenario_at(source: str, options: Options) -> Scenario:
    """The scenario of a source with the changes of --set and the options of the calculation."""
    from attncalc.scenario_files.load import load

    return load(source, options["set"], calculation(options))


def all_of(function: Callable[[Item], Answer], items: Iterable[Item]) -> list[Answer]:
    """The function of each item, all their faults at once."""
    results: list[Answer] = []
    faults: list[Fault] = []
    for item in items:
        try:
            results.append(function(item))
        except AttncalcError as error:
            faults += error.faults
    if faults:
        raise UsageError(faults)
    return results


def as_typed(text: str) -> str:
    """A text of the user's as a shell takes it, on one line."""
    from attncalc.messages.safe_text import escaped

    return escaped(shlex.quote(text))


def write_text(options: Options, text: str) -> None:
    """Writes a text where the options say."""
    output.write(text, options["output"], options["force"])


def write_json(options: Options, *documents: Any) -> None:
    """Writes JSON values, one a line."""
    from attncalc.scenario_files.json_text import written

    write_text(options, "".join(f"{written(document)}\n" for document in documents))


def write_blocks(session: Session, options: Options, blocks: Iterable[Block], view: View, format: str) -> None:
    """Writes blocks in a document format; without notes where quiet is asked for."""
    from attncalc.document.blocks import Remark
    from attncalc.renderers import renderer

    kept = [block for block in blocks if not (session.quiet and isinstance(block, Remark))]
    settings: dict[str, Any] = {"width": session.width, "color": session.color} if format == "table" else {}
    write_text(options, renderer(format)(kept, view, **settings).lstrip("\n"))
