"""The errors a user can meet: what was found, where, and what was wanted, as data.

A sentence is made from the message catalogue when the error is shown, so that one error speaks every language.
Misuse by a programmer stays a built-in exception.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

MOST_NAMES, LONGEST_NAME, MOST_COMPARED = 20, 100, 2000


class Fault(NamedTuple):
    """One thing that is wrong: the place (`scenario.json: v[2]`), the message code, and what fills the sentence."""

    place: str
    code: str
    fields: dict[str, Any]


MANY_FAULTS = 1000
"""Faults after which no more are looked for: nobody mends so many at once."""


class AttncalcError(Exception):
    """It could not be done; carries every fault that was found. The exit code is 2.

    `partial`: whether they were so many that no more were looked for.
    """

    exit_code = 2

    def __init__(self, faults: Iterable[Fault], partial: bool = False) -> None:
        self.faults, self.partial = tuple(faults), partial
        super().__init__(self.faults)

    @classmethod
    def of(cls, code: str, place: str = "", **fields: Any) -> AttncalcError:
        """The error with a single fault."""
        return cls([Fault(place, code, fields)])

    def sentences(self, language: str = "en", most: int | None = None) -> list[str]:
        """One sentence a fault, the place in front of it; of so many faults at most."""
        from attncalc.messages import speaker

        say = speaker(language)
        return [(f"{_safe(fault.place)}: " if fault.place else "") + say(fault.code, **_safe_fields(fault.fields))
                for fault in self.faults[:most]]  # fmt: skip

    def __str__(self) -> str:
        return "\n".join(self.sentences())


def _safe(text: str) -> str:
    """A text of the user's in one line that has an end, with what a terminal would obey written out."""
    from attncalc.messages.safe_text import told

    return told(text)


def _safe_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """The fields with the user's texts made safe; what the program made itself stays."""
    return {name: _safe(value) if type(value) is str else value for name, value in fields.items()}


class ScenarioError(AttncalcError):
    """The scenario cannot be read, or contradicts itself."""


class CalculationError(AttncalcError):
    """The numbers lead nowhere: a zero sum, a total that rounds to 0."""


class UsageError(AttncalcError):
    """The command line asks for something that is not there."""


class OutputError(AttncalcError):
    """A result cannot be written."""


def by(shape: Iterable[int]) -> str:
    """A shape for a sentence: 2×3; a single number is 1."""
    return "×".join(map(str, shape)) or "1"


def shortened(text: str) -> str:
    """A word that was typed, for a sentence: quoted where it is empty, its beginning where it is long."""
    return (text if len(text) <= 40 else text[:37] + "…") if text else '""'


def some(names: Sequence[str]) -> str:
    """The names there are, for a sentence: the first twenty, the beginning of one that is very long."""
    shown = [name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…" for name in names[:MOST_NAMES]]
    return ", ".join((*shown, *(["…"] if len(names) > MOST_NAMES else []))) or "–"


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word most like the given one, or an empty string: of few words only, and none that is very long."""
    import difflib

    names = [name for name in known if len(name) <= LONGEST_NAME]
    if len(word) > LONGEST_NAME or len(names) > MOST_COMPARED:
        return ""
    if same := [name for name in names if _letters(name) == _letters(word)]:
        return same[0]
    matches = difflib.get_close_matches(word, names, n=1, cutoff=0.6) or difflib.get_close_matches(
        word.lower(), [name for name in names if name == name.lower()], n=1, cutoff=0.6
    )
    return matches[0] if matches else ""


def _letters(word: str) -> str:
    """Wq and W_Q are w_q but for the way they are written."""
    return word.lower().replace("_", "").replace("-", "")
