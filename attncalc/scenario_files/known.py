"""What is known of a document that is read again: what was right, and is the same, is not looked at twice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attncalc.core.bounded import Values


class Known:
    """The values of a document that was last read without a fault, and the arrays they hold, by path.

    A change copies what it walks through, so that a value that is the same object is unchanged.
    """

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._arrays: dict[str, tuple[Any, Values]] = {}

    def unlike(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The part of a document that has to be looked at."""
        known = self._values
        return {key: value for key, value in document.items() if key not in known or known[key] is not value}

    def array(self, path: str, value: Any) -> Values | None:
        """The array that a value, or the file it refers to, was found to hold."""
        written, array = self._arrays.get(path, (None, None))
        return array if written is value else None

    def keep(self, document: Mapping[str, Any], arrays: Mapping[str, tuple[Any, Values]]) -> None:
        """Takes note of a document without a fault, and of its arrays with what they were written as."""
        self._values, self._arrays = dict(document), dict(arrays)
