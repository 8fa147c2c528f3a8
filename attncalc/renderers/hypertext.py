"""Blocks as what a template of HTML shows: the texts of all languages together, tables and numbers once."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from string import ascii_uppercase
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from attncalc.core.expression import Expression
from attncalc.core.names import TAGS
from attncalc.document.blocks import (
    TOGETHER,
    Block,
    Branch,
    Derivation,
    Equation,
    Figure,
    Heading,
    HeatMap,
    Line,
    Matrix,
    Plot,
    Prose,
    Remark,
    Tree,
)
from attncalc.document.mathml import MathmlNotation, letter, math, operator
from attncalc.document.raised import RAISED, raised
from attncalc.document.view import View
from attncalc.renderers.branches import is_copy

FOLDER = Path(__file__).parent / "templates"


@cache
def environment() -> Environment:
    """The templates: everything that is put into them is escaped, and a name that is missing is an error."""
    return Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, auto_reload=False, keep_trailing_newline=True,
    )  # fmt: skip


@cache
def asset(name: str) -> Markup:
    """A file that stands in a page as it is: a style or a script."""
    return Markup((FOLDER / name).read_text(encoding="utf-8"))


class Piece(NamedTuple):
    """A block for the template: which macro shows it, and what that needs."""

    kind: str
    fields: dict[str, Any]


class Speech(NamedTuple):
    """The views of a page, one a language, and what tells the script which cells a table or a line holds."""

    views: tuple[View, ...]
    cells: Callable[[Sequence[Figure | Line]], str] = lambda _: ""

    def said(self, texts: Sequence[str]) -> Markup:
        """A text in every language; once where it is the same in all of them."""
        return self.each([escape(text.replace(TOGETHER, " ")) for text in texts])

    def each(self, texts: Sequence[Markup]) -> Markup:
        """The same of texts that are HTML already."""
        if len(set(texts)) == 1:
            return texts[0]
        tags = (TAGS[view.language] for view in self.views)
        return Markup("").join(
            Markup('<span lang="{}">{}</span>').format(tag, text) for tag, text in zip(tags, texts, strict=True)
        )

    def say(self, code: str, **fields: Any) -> Markup:
        """A sentence of the catalogue in every language."""
        return self.said([view.say(code, **fields) for view in self.views])

    def equation(self, equations: Sequence[Equation]) -> Markup:
        """A formula in every language, whose words may differ."""
        return self.each([_equation(one, view) for one, view in zip(equations, self.views, strict=True)])

    def formula(self, trees: Sequence[Expression]) -> Markup:
        """The right side of one."""
        written = (_mathml(view).print(tree) for tree, view in zip(trees, self.views, strict=True))
        return self.each([Markup(math(text)) for text in written])

    def tree(self, tree: Expression) -> Markup:
        """What is put into a number, its exponents raised."""
        return raised_markup(raised(self.views[0]).print(tree))


def raised_markup(text: str) -> Markup:
    """A derivation as HTML."""
    parts = RAISED.split(text.replace(TOGETHER, " "))
    return Markup("").join(
        Markup("<sup>{}</sup>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def _mathml(view: View) -> MathmlNotation:
    return MathmlNotation(lambda number: view.number(str(number.value)), view.say, view.notation().most)


def _equation(equation: Equation, view: View) -> Markup:
    return Markup(math(letter(equation.left) + operator("=") + _mathml(view).print(equation.right)))


def pieces(
    speech: Speech, documents: Sequence[Sequence[Block]], levels: tuple[int, int] = (1, 2),
    heading: Sequence[Heading] = (),
) -> Iterator[Piece]:  # fmt: skip
    """The blocks of all languages as pieces, with the levels of the first heading and of the others.

    `heading` is the one that they stand under already.
    """
    for blocks in zip(*documents, strict=True):
        match blocks[0]:
            case Heading():
                yield _heading(speech, blocks, levels[bool(heading) and not blocks[0].new_page])
                heading = blocks
            case Prose() | Remark():
                yield _prose(speech, blocks)
            case Matrix():
                yield table(speech, blocks, [one.text for one in heading])
            case Derivation():
                yield _derivation(speech, blocks, bool(heading and heading[0].formula))
            case Tree():
                yield _tree(speech, blocks)
            case HeatMap():
                yield Piece("map", map_fields(speech, blocks))
            case Plot():
                yield Piece("plot", plot_fields(speech, blocks))


def parallel(documents: Sequence[Sequence[Block]]) -> bool:
    """Whether the blocks of all languages are the same, in other words."""
    return len({tuple(map(_shape, blocks)) for blocks in documents}) == 1


def _shape(block: Block) -> tuple[Any, ...]:
    match block:
        case Matrix():
            return Matrix, len(block.rows), len(block.columns)
        case Derivation(lines):
            return Derivation, len(lines)
        case Tree(branches):
            return Tree, tuple(branch.depth for branch in branches)
        case _:
            return (type(block),)


def _heading(speech: Speech, blocks: Sequence[Heading], level: int) -> Piece:
    formulas = [one.formula for one in blocks if one.formula]
    return Piece("heading", {
        "level": level, "number": blocks[0].number, "text": speech.said([one.text for one in blocks]),
        "formula": speech.equation(formulas) if formulas else "", "aside": speech.said([one.aside for one in blocks]),
        "new_page": blocks[0].new_page,
    })  # fmt: skip


def _prose(speech: Speech, blocks: Sequence[Prose | Remark]) -> Piece:
    leads = [_lead(one, view) for one, view in zip(blocks, speech.views, strict=True)]
    note = isinstance(blocks[0], Remark)
    return Piece("prose", {
        "note": note, "lead": speech.said(leads) if any(leads) else "", "text": speech.said([b.text for b in blocks]),
    })  # fmt: skip


def _lead(block: Prose | Remark, view: View) -> str:
    """The word in front of a paragraph, with the colon of its language."""
    lead = view.say("lead.note") if isinstance(block, Remark) else block.lead
    return view.say("with-lead", lead=lead, text="") if lead else ""


def table(speech: Speech, blocks: Sequence[Matrix], about: Sequence[str] = ()) -> Piece:
    """A table: what it is about, for those who hear it alone, and its caption."""
    first = blocks[0]
    corners = [one.corner("/") for one in blocks]
    lines = zip(*(one.rows for one in blocks), first.cells, *(one.cells for one in blocks[1:]), strict=True)
    count = len(blocks)
    rows = [(speech.said(line[:count]), _cells(speech, line[count:])) for line in lines]
    columns = [speech.said(names) for names in zip(*(one.columns for one in blocks), strict=True)]
    return Piece("table", {
        "about": speech.said(about) if about else "", "caption": speech.said([one.caption for one in blocks]),
        "corner": speech.said(corners), "columns": columns, "rows": rows, "numeric": first.numeric,
        "cells": speech.cells([cell for row in first.cells for cell in row]) if first.cells else "",
        "batch": first.batch, "heads": " ".join(map(str, first.heads)),
        "signs": None if first.numeric else speech.views[0].signs,
    })  # fmt: skip


def _cells(speech: Speech, rows: Sequence[Sequence[Figure]]) -> Sequence[Figure]:
    """The cells of a row; those with words in them in every language."""
    first, *others = rows
    if all(row is first or row == first for row in others):
        return first
    said = (speech.said([cell.text for cell in cells]) for cells in zip(*rows, strict=True))
    return [cell._replace(text=text) for cell, text in zip(first, said, strict=True)]


def _derivation(speech: Speech, blocks: Sequence[Derivation], has_formula: bool) -> Piece:
    formulas = [one.formula for one in blocks if one.formula is not None]
    rows = [_line(speech, lines) for lines in zip(*(one.lines for one in blocks), strict=True)]
    return Piece("lines", {
        "formula": speech.formula(formulas) if formulas and not has_formula else "", "rows": rows,
        "bars": any(row["share"] is not None for row in rows), "comments": any(row["comment"] for row in rows),
    })  # fmt: skip


def _line(speech: Speech, lines: Sequence[Line]) -> dict[str, Any]:
    first = lines[0]
    return {
        "label": speech.said([line.label for line in lines]), "tree": speech.tree(first.tree),
        "relation": first.relation, "result": first.result, "share": first.share,
        "comment": speech.said([line.comment for line in lines]), "cells": speech.cells([first]),
    }  # fmt: skip


def _tree(speech: Speech, blocks: Sequence[Tree]) -> Piece:
    """Each branch, with how many lists begin before it and how many end."""
    branches, depth = [], -1
    for same in zip(*(one.branches for one in blocks), strict=True):
        first = same[0]
        branches.append(_branch(speech, same) | {
            "opens": first.depth - depth if first.depth > depth else 0, "closes": max(depth - first.depth, 0),
        })  # fmt: skip
        depth = first.depth
    return Piece("tree", {"branches": branches, "closes": depth + 1})


def _branch(speech: Speech, same: Sequence[Branch]) -> dict[str, Any]:
    first = same[0]
    formulas = [branch.formula.right for branch in same if branch.formula]
    return {
        "name": speech.said([branch.name for branch in same]), "formula": speech.formula(formulas) if formulas else "",
        "tree": speech.tree(first.tree) if first.tree is not None and not is_copy(first, speech.views[0]) else "",
        "relation": first.relation, "result": speech.said([branch.result for branch in same]),
        "comment": speech.said([branch.comment for branch in same]),
    }  # fmt: skip


WIDTH, HEIGHT = 640, 240


def map_fields(speech: Speech, blocks: Sequence[HeatMap]) -> dict[str, Any]:
    """A map as a picture of its own in each language, with what it says as the text instead."""
    from attncalc.document.pictures.drawing import Picture
    from attncalc.document.pictures.frame import with_margin
    from attncalc.document.pictures.weights_map import weights_map
    from attncalc.renderers.svg_writing import written

    pictures = []
    for block, view in zip(blocks, speech.views, strict=True):
        svg = written(Picture(block.caption, block.said, with_margin(weights_map(block, view))), view.language)
        data = b64encode(svg.encode()).decode()
        pictures.append(Markup('<img src="data:image/svg+xml;base64,{}" alt="{}">').format(data, block.said))
    return {"picture": speech.each(pictures)}


def plot_fields(speech: Speech, blocks: Sequence[Plot]) -> dict[str, Any]:
    """The curves as points of a picture whose corner is 0, 0; a gap ends a line."""
    plot = blocks[0]
    curves = []
    for number, curve in enumerate(plot.curves):
        runs = [[(round(WIDTH * x, 1), round(HEIGHT * (1 - y), 1)) for x, y in run] for run in plot.pieces(curve)]
        name = speech.said([one.curves[number].name for one in blocks])
        points = [point for run in runs for point in run]
        mark = points[(number + 1) * len(points) // (len(plot.curves) + 1)] if points else None  # none above another
        sign = ascii_uppercase[number % len(ascii_uppercase)]
        curves.append({"name": name, "letter": sign, "runs": runs, "mark": mark})
    return {
        "curves": curves, "axis": speech.said([one.axis for one in blocks]), "first": plot.points[0],
        "last": plot.points[-1], "lowest": plot.lowest, "highest": plot.highest, "width": WIDTH, "height": HEIGHT,
        "own": round(WIDTH * plot.own, 1) if plot.own is not None else None,
    }  # fmt: skip
