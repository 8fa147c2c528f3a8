"""What the commands share: reading the scenarios that a call names, and writing what was made of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from attncalc.cli import output
from attncalc.cli.choices import Options, calculation
from attncalc.cli.session import Session
from attncalc.errors import AttncalcError, Fault, UsageError
from attncalc.scenario_files import builtin

if TYPE_CHECKING:
    from attncalc.core.scenario import Scenario
    from attncalc.document.view import View

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def asked_for(sources: str | Sequence[str] | None) -> None:
    """Refuses a call that names no scenario."""
    if not sources:
        raise UsageError.of("no-scenario", known=", ".join(builtin.names()))


def scenario_at(source: str, options: Options, changes: Sequence[str] = ()) -> Scenario:
    """The scenario of a source with the changes of --set, then these, and the options of the calculation."""
    from attncalc.scenario_files.load import load

    return load(source, [*options["set"], *changes], calculation(options))


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


def write_blocks(session: Session, options: Options, blocks: Sequence[Any], view: View, format: str) -> None:
    """Writes blocks in a document format, where the options say."""
    from attncalc.renderers import renderer

    if format == "table":
        text = renderer(format)(blocks, view, width=session.width, color=session.color)
    else:
        text = renderer(format)(blocks, view)
    output.write(text.lstrip("\n"), options.get("output"), bool(options.get("force")))
