"""`--install-completion` writes into files of the user's shell: each is the old one or the new one, never half."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer._completion_shared as shared

from attncalc.cli.output import write_file


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


def write_whole_files() -> None:
    """From now on what Typer installs is written so; by itself it empties the file first."""
    vars(shared)["Path"] = WholeFile
