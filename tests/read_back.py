"""The numbers of a run, read back from every format that shows them: lists of texts in the order of the steps."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from calling import call
from markdown_read import tables
from rivals.settings import Case
from running import Finished
from samples import flat
from svg_read import read

HIDDEN = "·"
GIVEN = "Given numbers"
BARS = "█▓▒░"
Table = list[str]
FLAGS = ("--head", "all", "--batch", "all", "--all", "--quiet", "--width", "100000")
"""All that there is, on lines that are long enough."""

SIGNS = str.maketrans({"−": "-"})


def asked(case: Case, folder: Path, *more: str) -> Finished:
    """`attncalc run` of a case."""
    options = [word for key, value in case.options.items() for word in (f"--{key}", value)]
    return call("run", "-", *options, *FLAGS, *more, stdin=case.text.encode(), cwd=folder)


def plain_sign(text: str) -> str:
    """A number with the signs of data."""
    return text.translate(SIGNS).strip()


# --- tables as texts --------------------------------------------------------------------------


def of_plain(text: str) -> list[Table]:
    """What stands after the places: `query 0, key 1: 0.30`. A place that was there or of other axes begins a table."""
    found: list[dict[str, str]] = [{}]
    axis = ""
    for line in text.splitlines():
        match = re.fullmatch(r"((?:.*, )?(?:batch|head|query|key|feature) .*): (\S+)", line)
        if not match or match[1] in found[-1] or match[1].split()[0] != axis:
            found.append({})
        if match:
            axis = match[1].split()[0]
            found[-1][match[1]] = HIDDEN if match[2] == "hidden" else plain_sign(match[2])
    return [list(table.values()) for table in found]


def of_table(text: str) -> list[Table]:
    """The lines under a rule, without their labels and bars; the names of the columns stand over one."""
    found: list[Table] = []
    inside = False
    lines = [line.rstrip() for line in text.splitlines()]
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if _is_rule(line):
            inside = True
            found.append([])
        elif _is_rule(below) or not re.match(r"    \S.*?\s{2,}\S", line):
            inside = False
        elif inside:
            cells = re.split(r"\s{2,}", line.strip())[1:]
            found[-1] += [plain_sign(cell.split()[0]) for cell in cells if cell[0] not in BARS]
    return found


def _is_rule(line: str) -> bool:
    return set(line.strip()) == {"─"}


def of_markdown(text: str) -> list[Table]:
    """The cells of the tables of steps, as a Markdown parser sees them."""
    steps = tables(re.sub(rf"^## {GIVEN}\n.*?(?=^## )", "", text, flags=re.MULTILINE | re.DOTALL))
    return [[plain_sign(re.sub(r"[*\\]", "", cell)) for row in table[1:] for cell in row[1:]] for table in steps]


def of_latex(text: str) -> list[Table]:
    """The cells between the rules. A wide table is in parts, each with some of the columns."""
    text = re.sub(r"\\paragraph\{" + GIVEN + r"\}.*?(?=\\paragraph)", "", text, flags=re.DOTALL)
    bodies = re.findall(r"\\midrule\n(.*?)\\bottomrule", text, re.DOTALL)
    rows = [[line.removesuffix(r"\\").split("&")[1:] for line in body.splitlines() if "&" in line] for body in bodies]
    return [[_of_tex(cell) for row in body for cell in row] for body in rows]


def _of_tex(cell: str) -> str:
    cell = (
        cell.replace(r"\blacksquare", "■").replace("$", "").replace(" ", "").replace(r"\infty", "∞").replace("{}", "")
    )
    cell = re.sub(r"\\cdot10\^\{?(-?\d+)\}?", r"e\1", cell)
    return HIDDEN if cell == r"\cdot" else plain_sign(cell)


class _Cells(HTMLParser):
    """The texts of the cells of a page's tables, from its first step on."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[str]] = []
        self.inside = self.begun = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.inside = tag == "td" or (self.inside and tag != "th")
        if tag == "section":
            self.tables = self.tables if self.begun else []
            self.begun = True
        if tag == "table":
            self.tables.append([])
        if tag == "td":
            self.tables[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.tables[-1][-1] += data


def of_html(text: str) -> list[Table]:
    """The cells of the tables, as a parser of HTML sees them."""
    cells = _Cells()
    cells.feed(text)
    return [[plain_sign(cell) for cell in table] for table in cells.tables]


def numbers(found: list[Table], count: int) -> Table | None:
    """So many numbers of the tables, drawings of masks left out; None where there is no such choice.

    A drawing that hides all looks like weights that are all hidden, which come after it.
    """
    tables = [table for table in found if not ("■" in table and set(table) <= {"■", HIDDEN})]
    dark = [place for place, table in enumerate(tables) if set(table) == {HIDDEN}]
    for left_out in range(len(dark) + 1):
        chosen = [table for place, table in enumerate(tables) if place not in dark[:left_out]]
        if sum(map(len, chosen)) == count:
            return [cell for table in chosen for cell in table]
    return None


TEXTS: dict[str, Callable[[str], list[Table]]] = {
    "plain": of_plain, "table": of_table, "markdown": of_markdown, "latex": of_latex, "html": of_html,
}  # fmt: skip


# --- data -------------------------------------------------------------------------------------


def of_json(text: str) -> dict[str, list[str]]:
    """The numbers by step, as they are written."""
    steps = json.loads(text, parse_float=str, parse_int=str)["steps"]
    return {step["name"]: list(map(str, flat(step["values"]))) for step in steps}


def of_csv(text: str) -> dict[str, list[str]]:
    """The last column, by step."""
    found: dict[str, list[str]] = {}
    for row in list(csv.reader(io.StringIO(text)))[1:]:
        found.setdefault(row[0], []).append(row[-1])
    return found


def of_npz(path: Path, names: list[str]) -> dict[str, list[float]]:
    """The arrays of the steps as doubles."""
    with np.load(path) as arrays:
        return {name: arrays[name].astype(np.float64).ravel().tolist() for name in names}


class Shown(NamedTuple):
    """A number of a picture, and where it stands in the trace."""

    step: str
    place: tuple[int, ...]
    text: str


def of_svg(text: str) -> Iterator[Shown]:
    """The numbers of a picture by their places."""
    for cell, shown in read(text).cells().items():
        yield Shown(cell.name, cell.place, plain_sign(shown))


def is_shown(text: str, number: str, rounding: str) -> bool:
    """Whether a text is a number at its own digits; what is hidden is 0 or −∞."""
    words = {"∞": "Infinity", "-∞": "-Infinity", "NaN": "NaN"}
    if text == HIDDEN:
        return number in ("0", "0.0", "-Infinity") or Decimal(number) == 0
    if text in words or number in words.values():
        return words.get(text) == number
    if not re.fullmatch(r"-?[\d.]+(e-?\d+)?", text):
        return False
    shown, exact = Decimal(text), Decimal(number)
    unit = Decimal((0, (1,), int(shown.as_tuple().exponent)))
    return abs(shown - exact) <= (unit if rounding == "truncate" else unit / 2) + abs(exact) * Decimal("1e-15")
