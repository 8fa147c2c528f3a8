"""`step`: a walk through a calculation, on the full screen or line by line."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attncalc.cli import output
from attncalc.cli.answering import asked_for
from attncalc.cli.choices import Options, calculation, plain_view
from attncalc.cli.lines import TERMINAL, keys_from_the_terminal, lines, there_is_input
from attncalc.cli.report import Status, complain
from attncalc.cli.session import Session
from attncalc.cli.watching import is_watched
from attncalc.errors import AttncalcError, UsageError
from attncalc.messages import LANGUAGES, speaker

if TYPE_CHECKING:
    from attncalc.document.view import View
    from attncalc.explore.walk import Walk


def step(session: Session, options: Options) -> int:
    """Moves through one scenario."""
    asked_for(options["scenario"])
    if not options["plain"]:
        _need_a_terminal()
    walk = _begun(options)
    if options["scenario"] == "-" or not (options["plain"] or sys.stdin.isatty()):
        keys_from_the_terminal()
    view = plain_view(session, "plain" if options["plain"] else "table")
    view = view._replace(everything=bool(options["all"]), options=False)
    if options["plain"]:
        return _dialogue(session, walk, view)
    from attncalc.cli.terminal_state import given_back, interruptible
    from attncalc.interactive.screen import StepScreen

    if not session.color:
        os.environ["NO_COLOR"] = "1"
    with given_back():
        StepScreen(walk, view, save, interruptible()).finish()
    return Status.DONE


def _begun(options: Options) -> Walk:
    from attncalc.explore.walk import begin
    from attncalc.scenario_files.sources import source_at

    return begin(source_at(options["scenario"], options["allow_outside"]), options["set"], calculation(options))


def save(walk: Walk, file: str, force: bool) -> None:
    """Writes the scenario as it is now; raises an OutputError where that cannot be done."""
    from attncalc.scenario_files.inlining import moved
    from attncalc.scenario_files.json_writing import written

    if file in output.STANDARD_OUTPUT:
        raise UsageError.of("walk-save-where")
    output.check_target(file, force)
    document = moved(_retold(walk), walk.source.folder, Path(file).parent)
    output.write_file((written(document, 2) + "\n").encode("utf-8", "backslashreplace"), Path(file), force)


def _retold(walk: Walk) -> dict[str, Any]:
    """The document as it is now; after changes without what was said of the numbers before them."""
    document = dict(walk.now.document)
    if walk.now.changes:
        changes = ", ".join(walk.now.changes)
        document.pop("expect", None)
        told = {lang: speaker(lang)("walk-saved-about", name=walk.source.name, changes=changes) for lang in LANGUAGES}
        document["about"] = told
    return document


def _dialogue(session: Session, walk: Walk, view: View) -> int:
    """Line by line until quit or the end of the input; a script in which a line failed ends with 2."""
    from attncalc.interactive.dialogue import answer, greeting
    from attncalc.renderers.plain import render

    if not there_is_input():
        raise UsageError.of("step-no-commands")
    typed, failed = sys.stdin.isatty(), False
    output.write(render(greeting(walk, view), view))
    for line in lines(typed):
        try:
            walk, blocks, ended = answer(walk, line, view, save)
        except AttncalcError as error:
            complain(error.sentences(session.language), session.language)
            failed = True
            continue
        if ended:
            break
        output.write("\n" * bool(blocks) + render(blocks, view).lstrip("\n"))
    return Status.REFUSED if failed and not typed else Status.DONE


def _need_a_terminal() -> None:
    """Refuses the full screen where there is none; the program draws on standard error."""
    keys = there_is_input() and (sys.stdin.isatty() or _has_a_terminal())
    if not (is_watched() and keys) or os.environ.get("TERM") in ("dumb", "unknown"):
        raise UsageError.of("step-needs-terminal")


def _has_a_terminal() -> bool:
    try:
        os.close(os.open(TERMINAL, os.O_RDWR))
    except OSError:
        return False
    return True
