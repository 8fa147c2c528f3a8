"""`--install-completion` and `--show-completion`, which Typer answers: in our words, and files are written whole."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer._completion_shared as shared
import typer.completion

from attncalc.cli.output import write, write_file
from attncalc.errors import UsageError
from attncalc.messages import speaker


class WholeFile(type(Path())):  # type: ignore[misc]  # the path of this system
    """A path whose file is replaced as a whole, and whose text keeps the bytes that are no UTF-8."""

    def read_text(self, *_: Any, **__: Any) -> str:
        """The text, line ends as they are."""
        data: bytes = self.read_bytes()
        return data.decode("utf-8", "surrogateescape")

    def write_text(self, data: str, *_: Any, **__: Any) -> int:
        """Writes the text in the place of the old one."""
        write_file(data.encode("utf-8", "surrogateescape"), self, force=True)
        return len(data)


def prepare(flag: str, language: str) -> None:
    """Before Typer answers the flag: a UsageError for a shell that it has no completion for.

    From then on what it installs is written as a whole (by itself it empties the file first), told in the language, and
    a script that cannot be shown is a fault.
    """
    known = ", ".join(shared._completion_scripts)
    if "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION" not in os.environ:
        shell = shared._get_shell_name()
        if shell is None:
            raise UsageError.of("completion-no-shell", flag, known=known)
        if shell not in shared._completion_scripts:
            raise UsageError.of("completion-other-shell", flag, found=shell, known=known)

    def install(**asked: Any) -> None:
        shell, path = shared.install(**asked)
        write(speaker(language)("completion-installed", shell=shell, file=path) + "\n")
        raise typer.Exit

    def show(**asked: Any) -> None:
        write(shared.get_completion_script(**asked) + "\n")
        raise typer.Exit

    vars(shared)["Path"] = WholeFile
    vars(typer.completion).update(install=install, get_completion_script=show)
