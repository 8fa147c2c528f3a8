"""The kind of value that is an array of numbers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

from attncalc.scenario_files.json_text import NotANumber
from attncalc.scenario_files.kinds import Report, found, is_number


class Numbers(NamedTuple):
    """An array of numbers with one of the given numbers of axes; `hiding` allows "-Infinity", `gaps` null."""

    ranks: tuple[int, ...]
    hiding: bool = False
    gaps: bool = False
    whole: bool = False
    word: str = ""  # a name that may stand instead, such as "identity"

    def check(self, value: Any, path: str, report: Report) -> None:
        """A rectangular list of numbers."""
        if self.word and value == self.word:
            return
        if not isinstance(value, list) and 0 not in self.ranks:
            return report(path, "not-an-array", found=found(value), axes=self._axes())
        shape = self._shape(value, path, report)
        if shape is not None and len(shape) not in self.ranks:
            report(path, "wrong-rank", found=len(shape), axes=self._axes())

    def _axes(self) -> str:
        return "/".join(map(str, self.ranks))

    def _shape(self, value: Any, path: str, report: Report) -> tuple[int, ...] | None:
        """The shape, or None after a report. Every faulty number of a list is reported."""
        if not isinstance(value, list):
            return () if self._check_cell(value, path, report) else None
        if not value:
            report(path, "empty-list")
            return None
        if path.count("[") >= max(self.ranks):
            report(path, "too-many-axes", axes=self._axes())
            return None
        shapes = [self._shape(part, f"{path}[{i}]", report) for i, part in enumerate(value)]
        for position, shape in enumerate(shapes):
            if None not in (shape, shapes[0]) and shape != shapes[0]:
                self._report_ragged(path, position, shape or (), shapes[0] or (), report)
                return None
        return None if None in shapes else (len(value), *(shapes[0] or ()))

    @staticmethod
    def _report_ragged(
        path: str, position: int, shape: tuple[int, ...], first: tuple[int, ...], report: Report
    ) -> None:
        if len(shape) == len(first):
            report(f"{path}[{position}]", "ragged", found=shape[0], wanted=first[0], first=f"{path}[0]")
        else:
            report(f"{path}[{position}]", "ragged-depth", first=f"{path}[0]")

    def _check_cell(self, value: Any, path: str, report: Report) -> bool:
        if self.gaps and value is None:
            return True
        if self.hiding and value == "-Infinity" and not isinstance(value, NotANumber):
            return True
        if not is_number(value, path, report):
            return False
        if self.whole and value != value.to_integral_value():
            report(path, "not-whole", found=found(value))
            return False
        return True

    def schema(self) -> dict[str, Any]:
        """Nested arrays of numbers."""
        cells: list[dict[str, Any]] = [{"type": "integer" if self.whole else "number"}]
        cells += [{"const": "-Infinity"}] if self.hiding else []
        cells += [{"type": "null"}] if self.gaps else []
        cell = cells[0] if len(cells) == 1 else {"anyOf": cells}
        levels = [cell]
        for _ in range(max(self.ranks)):
            levels.append({"type": "array", "items": levels[-1], "minItems": 1})
        options = [levels[rank] for rank in self.ranks] + ([{"const": self.word}] if self.word else [])
        return options[0] if len(options) == 1 else {"anyOf": options}


def as_decimal(value: Any) -> Decimal:
    """A checked cell of an array as a decimal."""
    return value if isinstance(value, Decimal) else Decimal("-Infinity")
