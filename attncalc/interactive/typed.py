"""What people type into a question or a line: words of a cell, a file to save to."""

from __future__ import annotations

from typing import NamedTuple

from attncalc.core.labels import WORD
from attncalc.errors import UsageError

FORCE = "--force"


def words_of(text: str) -> list[str]:
    """The words of a line; a label with blanks stands in quotes, which stay."""
    return WORD.findall(text)


class Target(NamedTuple):
    """A file to write, and whether an old one may go."""

    file: str
    force: bool


def target_of(text: str) -> Target:
    """`mine.json` or `mine.json --force`; a UsageError where no file is named."""
    file, _, last = text.strip().rpartition(" ")
    target = Target(file.strip(), True) if last == FORCE else Target(text.strip(), False)
    if not target.file or target.file == FORCE:
        raise UsageError.of("walk-save-where")
    return target
