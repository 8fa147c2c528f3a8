"""The kind of value that is an array of numbers: nested lists, or a reference to a file beside the scenario."""

from __future__ import annotations

from decimal import Decimal
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.figures import Literal
from attncalc.scenario_files.json_text import NotANumber, each_once
from attncalc.scenario_files.kinds import Fields, Kind, Name, Number, Report, found, is_number
from attncalc.scenario_files.many_numbers import all_fit

FILES = ("npy", "npz", "safetensors")
"""The kinds of file that hold arrays."""

KINDS = (*FILES, "zarr")
"""What a reference may name: a file of those kinds, or a folder of chunks."""

SINGLE = ("npy", "zarr")
"""Those that hold one array, without a key."""

POSITION = Number(least=0, whole=True)


class Positions(NamedTuple):
    """A list of whole numbers from 0, of a given length if one is wanted."""

    length: int | None = None

    def check(self, value: Any, path: str, report: Report) -> None:
        """Whole numbers from 0."""
        if not isinstance(value, list) or (self.length is not None and len(value) != self.length):
            code = "not-positions" if self.length is None else "not-two-positions"
            return report(path, code, found=found(value), count=self.length)
        for place, part in enumerate(value):
            POSITION.check(part, f"{path}[{place}]", report)

    def schema(self) -> dict[str, Any]:
        """An array of integers."""
        size = {} if self.length is None else {"minItems": self.length, "maxItems": self.length}
        return {"type": "array", "items": POSITION.schema(), **size}


class Reference(NamedTuple):
    """An array in a file: which file, which key in it, which part of it."""

    def check(self, value: Any, path: str, report: Report) -> None:
        """One file of a known kind; a key where the kind holds several arrays."""
        fields: dict[str, Kind] = {name: Name() for name in (*KINDS, "key")}
        Fields(fields | {"index": Positions(), "columns": Positions(2)}).check(value, path, report)
        kinds = [name for name in KINDS if name in value]
        if len(kinds) != 1:
            report(path, "reference-one-file", known=", ".join(KINDS))
        elif ("key" in value) == (kinds[0] in SINGLE):
            needed = "reference-needs-key-npz" if kinds[0] == "npz" else "reference-needs-key-safetensors"
            report(path, "reference-key-unread" if "key" in value else needed, kind=kinds[0])

    def schema(self) -> dict[str, Any]:
        """An object with one of the file kinds."""
        text = {"type": "string"}
        part = {"index": Positions().schema(), "columns": Positions(2).schema()}
        kinds = [
            {"type": "object", "properties": {kind: text, **({} if kind in SINGLE else {"key": text}), **part},
             "required": [kind] if kind in SINGLE else [kind, "key"], "additionalProperties": False}
            for kind in KINDS
        ]  # fmt: skip
        return {"anyOf": kinds}


REFERENCE = Reference()


class Numbers(NamedTuple):
    """An array of numbers with one of the given numbers of axes.

    `hiding` allows "-Infinity", `gaps` null, `flags` true and false; `whole` wants whole numbers.
    """

    ranks: tuple[int, ...]
    hiding: bool = False
    gaps: bool = False
    whole: bool = False
    flags: bool = False
    references: bool = True
    word: str = ""  # a name that may stand instead, such as "identity"

    def check(self, value: Any, path: str, report: Report) -> None:
        """A rectangular list of numbers."""
        if self.word and value == self.word:
            return
        if self.references and isinstance(value, dict) and {*KINDS, "key"} & set(value):
            return REFERENCE.check(value, path, report)
        if not isinstance(value, list) and 0 not in self.ranks:
            code = "not-an-array-or-word" if self.word else "not-an-array"
            return report(path, code, found=found(value), axes=self._axes(), word=self.word)
        shape = self._plain_shape(value) or self._shape(value, path, report, 0)
        if shape is not None and len(shape) not in self.ranks:
            code = "a-row-alone" if len(shape) == 1 < min(self.ranks) else "wrong-rank"
            report(path, code, found=len(shape), axes=self._axes())

    def check_loaded(self, values: Values, path: str, report: Report) -> None:
        """The same for an array from a file."""
        if values.ndim not in self.ranks:
            report(path, "wrong-rank", found=values.ndim, axes=self._axes())
        elif values.size == 0:
            report(path, "empty-list")
        elif self.whole and (values != np.floor(values)).any():
            report(path, "not-whole", found=str(values[values != np.floor(values)][0]))
        elif self.flags and not np.isin(values, (0, 1)).all():
            report(path, "not-a-mask-cell", found=str(values[~np.isin(values, (0, 1))][0]))

    def _axes(self) -> str:
        low, high = min(self.ranks), max(self.ranks)
        return str(low) if low == high else f"{low}–{high}"

    def _plain_shape(self, value: Any) -> tuple[int, ...] | None:
        """The shape of a rectangular list in which nothing is wrong; None where each number has to be looked at."""
        shape: tuple[int, ...] = ()
        flat = [value]
        while len(shape) < max(self.ranks) and flat and set(map(type, flat)) == {list}:
            lengths = set(map(len, flat))
            if len(lengths) > 1:
                return None
            shape, flat = (*shape, lengths.pop()), list(chain.from_iterable(flat))
        return shape if shape and all_fit(flat) and all(map(self._is_right, each_once(flat))) else None

    def _is_right(self, number: Literal) -> bool:
        """Whether a number that a double can hold is one of those wanted."""
        if self.flags:
            return number in (0, 1)
        return not self.whole or number == number.to_integral_value()

    def _shape(self, value: Any, path: str, report: Report, depth: int) -> tuple[int, ...] | None:
        """The shape, or None after a report. Every faulty number of a list is reported."""
        if not isinstance(value, list):
            return () if self._is_seen(value) or self._check_cell(value, path, report) else None
        if not value:
            report(path, "empty-list")
            return None
        if depth >= max(self.ranks):
            report(path, "too-many-axes", axes=self._axes())
            return None
        shapes = [self._shape(part, f"{path}[{i}]", report, depth + 1) for i, part in enumerate(value)]
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

    def _is_seen(self, value: Any) -> bool:
        """Whether a number as written was looked at before, and is no matter of 0 and 1 or of whole numbers."""
        return type(value) is Literal and value.fits and not (self.whole or self.flags)

    def _check_cell(self, value: Any, path: str, report: Report) -> bool:
        if self.gaps and value is None:
            return True
        if self.hiding and value == "-Infinity" and not isinstance(value, NotANumber):
            return True
        if self.flags:
            if isinstance(value, bool) or value in (0, 1):
                return True
            report(path, "not-a-mask-cell", found=found(value))
            return False
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
        cells = [{"enum": [True, False, 0, 1]}] if self.flags else cells
        cell = cells[0] if len(cells) == 1 else {"anyOf": cells}
        levels = [cell]
        for _ in range(max(self.ranks)):
            levels.append({"type": "array", "items": levels[-1], "minItems": 1})
        options = [levels[rank] for rank in self.ranks] + ([{"const": self.word}] if self.word else [])
        options += [REFERENCE.schema()] if self.references else []
        return options[0] if len(options) == 1 else {"anyOf": options}


def as_decimal(value: Any) -> Decimal:
    """A checked cell of an array as a decimal."""
    if isinstance(value, bool):
        return Decimal(value)
    return value if isinstance(value, Decimal) else Decimal("-Infinity")
