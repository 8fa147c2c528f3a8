"""The kinds of value that name tokens: a label or a position, and lists of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from attncalc.core.figures import Literal
from attncalc.scenario_files.json_text import NotANumber, each_once
from attncalc.scenario_files.kinds import Kind, Number, Report, found


class Many(NamedTuple):
    """A list of values of one kind, not empty."""

    kind: Kind

    def check(self, value: Any, path: str, report: Report) -> None:
        """Each of them."""
        if not isinstance(value, list):
            return report(path, "not-labels", found=found(value))
        if not value:
            return report(path, "empty-list")
        if not self._all_right(value):
            for position, part in enumerate(value):
                self.kind.check(part, f"{path}[{position}]", report)

    def _all_right(self, values: Sequence[Any]) -> bool:
        """Whether nothing is wrong with any of them, of which one that stands there again is looked at once."""
        wrong: list[str] = []
        for value in each_once(values):
            self.kind.check(value, "", lambda path, code, **fields: wrong.append(code))
            if wrong:
                return False
        return True

    def schema(self) -> dict[str, Any]:
        """An array."""
        return {"type": "array", "items": self.kind.schema(), "minItems": 1}


class Label(NamedTuple):
    """A token: its label, or its position from 0."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """A string or a whole number; whether the token exists is known when the shapes are."""
        if isinstance(value, Literal):
            Number(whole=True).check(value, path, report)
        elif not isinstance(value, str) or isinstance(value, NotANumber):
            report(path, "not-a-token", found=found(value))

    def schema(self) -> dict[str, Any]:
        """A string or an integer."""
        return {"type": ["string", "integer"]}
