"""A case in every format: what the formats say differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from against_rivals import trace_of
from office import values
from read_back import HIDDEN, TEXTS, asked, is_shown, numbers, of_csv, of_json, of_npz, of_svg, plain_sign
from rivals.settings import Case
from test_xlsx import file_of, wrong

from attncalc.core.numbers import figure_of
from attncalc.errors import AttncalcError


def format_disagreements(case: Case, folder: Path) -> Iterator[str]:
    """What the formats of a run say differently: nothing, if all is well. A case that has no result has none in any."""
    first = asked(case, folder, "--json")
    if first.code:
        if any(asked(case, folder, "--format", name).code != first.code for name in ("plain", "csv")):
            yield "refused: not in all formats"
        return
    data = of_json(first.out)
    yield from _data(case, folder, data)
    yield from _texts(case, folder, [number for step in data.values() for number in step])
    yield from _places(case, folder)


def _data(case: Case, folder: Path, data: dict[str, list[str]]) -> Iterator[str]:
    """CSV digit for digit, the archive as doubles."""
    if of_csv(asked(case, folder, "--format", "csv").out) != data:
        yield "csv: other numbers"
    target = folder / "out.npz"
    asked(case, folder, "-o", str(target), "--force")
    for name, doubles in of_npz(target, list(data)).items():
        if not np.array_equal(doubles, [float(number) for number in data[name]], equal_nan=True):
            yield f"npz: other numbers in {name}"


def _texts(case: Case, folder: Path, data: list[str]) -> Iterator[str]:
    """The same texts in the same order (LaTeX has wide tables in parts), each that of its number."""
    texts: dict[str, Any] = {}
    for name, reader in TEXTS.items():
        texts[name] = numbers(reader(asked(case, folder, "--format", name).out), len(data))
    if None in texts.values():
        yield f"{[name for name in texts if texts[name] is None]}: not the {len(data)} numbers that there are"
        return
    for name, shown in texts.items():
        if (Counter(shown) != Counter(texts["plain"])) if name == "latex" else shown != texts["plain"]:
            first = next((two for two in zip(shown, texts["plain"], strict=False) if two[0] != two[1]), ())
            yield f"{name}: other numbers than plain, {first}"
    for text, number in zip(texts["plain"], data, strict=True):
        if not is_shown(text, number, str(case.meant["rounding"])):
            yield f"plain: shows {text} of {number}"
            return


def _places(case: Case, folder: Path) -> Iterator[str]:
    """The picture and the workbook, number by number in its place of the trace."""
    try:
        trace = trace_of(case, folder, notes=True)
    except AttncalcError as error:
        yield f"refused: only in Python, {error}"
        return
    for name, place, text in of_svg(asked(case, folder, "--format", "svg").out):
        right = plain_sign(figure_of(trace, trace[name], trace[name].cells[place])).replace("inf", "∞")
        if text != right and not (text == HIDDEN and float(trace[name].cells[place]) in (0, float("-inf"))):
            yield f"svg: {text} for {right} in {name} {place}"
    yield from (f"xlsx: {one}" for one in wrong(trace, values(file_of(trace)))[:1])
