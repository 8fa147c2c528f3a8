"""Compressed arrays of an `.npz`, read in parts: nothing is unpacked that is not asked for or lies before it."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

from attncalc.errors import ScenarioError
from attncalc.messages import Word

PIECE = 1024**2
"""Bytes that are unpacked at a time."""


class Packed:
    """A compressed entry of a zip: read on from where the last part ended, or once more from its beginning."""

    def __init__(self, path: Path, entry: str) -> None:
        self.path, self.entry = path, entry
        self.file: IO[bytes] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self.path, self.entry)

    def read_into(self, offset: int, buffer: memoryview) -> int:
        """Fills the buffer with the bytes from an offset on; a ScenarioError where they are damaged."""
        try:
            if self.file is None:
                self.file = ZipFile(self.path).open(self.entry)  # noqa: SIM115 - it stays open for the next part
            if offset < self.file.tell():
                self.file.seek(0)
            while (ahead := offset - self.file.tell()) > 0 and self.file.read(min(PIECE, ahead)):
                pass  # seeking would unpack sixteen times as much at once
            for start in range(0, len(buffer), PIECE):
                piece = self.file.read(min(PIECE, len(buffer) - start))
                buffer[start : start + len(piece)] = piece
            return len(buffer)
        except (BadZipFile, zlib.error, EOFError):
            fields = {"file": self.path.name, "kind": "npz", "reason": Word("array-broken-damaged")}
            raise ScenarioError.of("array-file-broken", self.path.name, **fields) from None
