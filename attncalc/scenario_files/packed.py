"""Compressed arrays of an `.npz`, read in parts: nothing is unpacked that is not asked for or lies before it."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any, BinaryIO

from attncalc.core.bounded import Values
from attncalc.scenario_files.npy_files import archive_of, member_of
from attncalc.scenario_files.plain_files import Seen, plain, unchanged
from attncalc.scenario_files.stored_arrays import AT_ONCE, fill


class Packed:
    """A compressed entry of a zip: read on from where the last part ended, or once more from its beginning."""

    def __init__(self, path: Path, seen: Seen, entry: str) -> None:
        self.path, self.seen, self.entry = path, seen, entry
        self.file: BinaryIO | None = None
        self.data: IO[bytes] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Packed, (self.path, self.seen, self.entry)

    def fill(self, offset: int, values: Values) -> None:
        """Reads the numbers from an offset on; raises NotRead where they are not there, or the file has changed."""
        if self.file is None:
            self.file = plain(self.path)  # it stays open for the next part
        with unchanged(self.file, self.seen):
            if self.data is None:
                archive = archive_of(self.file)
                self.data = member_of(archive, archive.getinfo(self.entry))
            if offset < self.data.tell():
                self.data.seek(0)
            while (ahead := offset - self.data.tell()) > 0 and self.data.read(min(AT_ONCE, ahead)):
                pass  # seeking would unpack sixteen times as much at once
            fill(self.data, values)
