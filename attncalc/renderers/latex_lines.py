"""Derivations and trees as aligned mathematics, broken into lines that fit; a number is never cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from attncalc.core.expression import Expression, Operation
from attncalc.core.wrapping import wrapped
from attncalc.document.blocks import Branch, Line
from attncalc.document.latex import AS_READ, PageNotation, printer
from attncalc.document.notation import ATOM, POWER, PRODUCT, Written, as_put_in
from attncalc.document.view import View
from attncalc.renderers.branches import is_copy
from attncalc.renderers.latex_page import SIZES, Page, Size
from attncalc.renderers.latex_text import escaped
from attncalc.renderers.latex_width import TOKEN, math_width, text_width

INDENT = 1.5
FURTHER = 2.5
DEEPEST = 6
CELLS_OF_TEXT = 36
LONG = 12
MARGIN = 1.5
UNBROKEN = 0.75
"""How much of a line a part of a formula may take before it is broken itself."""

NEVER = 1000
NESTING = {"(": 1, ")": -1, "{": NEVER, "}": -NEVER, r"\left": NEVER, r"\right": -NEVER}
"""How much deeper a sign leads; in a group nothing is broken."""


SIGNS = re.compile(r"(?<= )(?:[+/]|- )|(?<=,) ")
SIGNS_AND_TIMES = re.compile(rf"{SIGNS.pattern}|(?<= )\\cdot (?!10\^)")
"""Before what a formula may be broken: a sign with blanks around it (of no power of ten), the blank of a list."""


class Piece(NamedTuple):
    """What is not broken, and its width in em."""

    latex: str
    width: float


class Row(NamedTuple):
    """An equation: what stands before the place where all are aligned, how far it is set in, and its pieces."""

    head: Piece
    depth: int
    pieces: list[Piece]


class BreakableNotation(PageNotation):
    """Formulas in which nothing is wider than a line: a long fraction is written with a slash."""

    def __init__(self, *common: Any, room: float) -> None:
        super().__init__(*common)
        self.room = room

    def divide(self, tree: Operation) -> Written:
        """A fraction, or a quotient in one line."""
        top, bottom = tree.arguments
        if max(math_width(self.print(top)), math_width(self.print(bottom))) <= self.room:
            return super().divide(tree)
        return Written(f"{self.inside(top, PRODUCT)} / {self.inside(bottom, POWER)}", PRODUCT)

    def sqrt(self, tree: Operation) -> Written:
        """A root, or a power of one half."""
        if math_width(self.print(tree.arguments[0])) <= self.room:
            return super().sqrt(tree)
        return Written(f"{self.inside(tree.arguments[0], ATOM)}^{{1/2}}", POWER)


class Lines:
    """Writes derivations and trees for a page."""

    def __init__(self, view: View, page: Page) -> None:
        self.view, self.page, self.chinese = view, page, view.language == "zh"
        self.room = UNBROKEN * page.width
        self.print = printer(view, BreakableNotation, room=self.room)
        self.number = PageNotation(as_put_in, view.say).number

    def derivation(self, lines: Sequence[Line], letter: str) -> Iterator[str]:
        """Each line an equation; its label is an index of the step's letter, where there is one."""
        rows = [Row(self._head(line.label, letter), 0, self._equals(line.tree, line)) for line in lines]
        yield from aligned(rows, self.page)

    def tree(self, branches: Sequence[Branch]) -> Iterator[str]:
        """Each cell an equation, set in under the cell that is made from it."""
        rows = [Row(Piece("", 0.0), min(branch.depth, DEEPEST), self._branch(branch)) for branch in branches]
        yield from aligned(rows, self.page)

    def _head(self, label: str, letter: str) -> Piece:
        if not label:
            return Piece(letter, math_width(letter))
        text, width = label if label.isdecimal() else self._text(label), text_width(label)
        if not letter:
            return Piece(f"[{text}]" if label.isdecimal() else text, width + 1)
        index = re.fullmatch(r"(.*)_\{(.*)\}", letter)
        latex = f"{index[1]}_{{{index[2]},{text}}}" if index else f"{letter}_{{{text}}}"
        return Piece(latex, math_width(letter) + 0.8 * width)

    def _branch(self, branch: Branch) -> list[Piece]:
        if not branch.name:
            return self._sentence(branch.result)
        pieces = [Piece(self._text(branch.name), text_width(branch.name))]
        pieces += equal(self.print(branch.formula.right), self.room) if branch.formula else []
        tree = None if branch.tree is None or is_copy(branch, self.view) else branch.tree
        return [*pieces, *self._equals(tree, branch)]

    def _equals(self, tree: Expression | None, line: Line | Branch) -> list[Piece]:
        """What is put in, the result, a word more."""
        result = self.number(line.result.translate(AS_READ)).text
        put_in = self.print(tree) if tree is not None else result
        pieces = equal(put_in, self.room) if put_in != result else []
        pieces += equal(result, self.room, r"\approx" if line.relation == self.view.signs.nearly else "=")
        if not line.comment:
            return pieces
        first, *rest = self._sentence(self.view.say("in-brackets", text=line.comment).strip())
        return [*pieces, Piece(rf"\quad {first.latex}", first.width + 1), *rest]

    def _sentence(self, text: str) -> list[Piece]:
        """A text in pieces that fit a line."""
        parts = wrapped(text, CELLS_OF_TEXT)
        spaced = [part + " " if part[-1:].isascii() else part for part in parts[:-1]] + parts[-1:]
        return [Piece(self._text(part), text_width(part)) for part in spaced]

    def _text(self, text: str) -> str:
        return rf"\text{{{escaped(text, self.chinese)}}}"


def equal(formula: str, room: float, relation: str = "=") -> list[Piece]:
    """A formula after its sign, in pieces that fit, as far as it may be broken: in as few parentheses as can be."""
    whole = f"{relation} {formula}".replace(r"+ \dots", r"+ \cdots")  # TeX looks at the next sign, and a line may end
    return [Piece(part, math_width(part)) for part in _fitting(whole, room, 0)]


def _fitting(formula: str, room: float, depth: int) -> Iterator[str]:
    for part in split(formula, depth):
        if depth < DEEPEST and math_width(part) > room:
            yield from _fitting(part, room, depth + 1)
        else:
            yield part


def split(formula: str, depth: int) -> list[str]:
    """The parts of a formula, broken before signs and after commas that stand in at most so many parentheses.

    At the greatest depth also before the sign of a product.
    """
    parts, inside = [""], 0
    signs = SIGNS_AND_TIMES if depth == DEEPEST else SIGNS
    for match in TOKEN.finditer(formula):
        inside += NESTING.get(match[0], 0)
        if inside <= depth and signs.match(formula, match.start()):
            parts.append("")
        parts[-1] += match[0]
    return [part.strip() for part in parts]


def aligned(rows: Sequence[Row], page: Page) -> Iterator[str]:
    """The equations in an alignment, in letters small enough that no piece is wider than a line."""
    heads = max(row.head.width for row in rows)
    widest = max(piece.width + INDENT * row.depth + FURTHER for row in rows for piece in row.pieces)
    size = next((s for s in SIZES if (heads + widest) * s.ratio <= page.width - MARGIN), SIZES[-1])
    room = (page.width - MARGIN) / size.ratio - heads
    lines = [line for row in rows for line in _broken(row, room)]
    before, after = _group(size, len(lines) > LONG)
    yield before + r"\begin{align*}"
    yield from (line + r" \\" for line in lines[:-1])
    yield lines[-1]
    yield r"\end{align*}" + after


def _group(size: Size, long: bool) -> tuple[str, str]:
    r"""What stands around: letters of a size, and leave to go on on the next page."""
    commands = [size.command, r"\allowdisplaybreaks" if long else ""]
    return (f"{{{''.join(commands)}", "}") if any(commands) else ("", "")


def _broken(row: Row, room: float) -> Iterator[str]:
    """The lines of an equation; those after the first are set in further."""
    inset = INDENT * row.depth
    line, used = f"{row.head.latex} &{_space(inset)}".lstrip(), inset
    for number, piece in enumerate(row.pieces):
        if number and used + piece.width > room:
            yield line
            line, used = f"&{_space(inset + FURTHER)}", inset + FURTHER
        line += f" {piece.latex}"
        used += piece.width
    yield line


def _space(width: float) -> str:
    return rf"\hspace{{{width:g}em}}" if width else ""
