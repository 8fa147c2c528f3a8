"""Live formulas as a spreadsheet writes them: numbers become the addresses of their cells."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.expression import Cell, Expression, Number, Operation, Symbol
from attncalc.core.figures import as_decimal
from attncalc.document.live_formulas import LONG, Line
from attncalc.document.live_values import MOST_SPARE
from attncalc.document.notation import ATOM, PRODUCT, SUM, Notation, Written
from attncalc.messages import Say

LONGEST = 8000
"""Characters of a formula; Excel takes 8,192."""

ELEMENTWISE = ("add", "subtract", "multiply", "divide", "negate", "power")
"""What a product of ranges does number by number."""


class Address(NamedTuple):
    """A cell of a workbook: its sheet, row and column, from 0; one that stays when a formula is copied is fixed."""

    sheet: str
    row: int
    column: int
    fixed: bool = False


class NoFormulaError(Exception):
    """A number that cannot be read from a cell, or a formula that a spreadsheet cannot take."""


class SheetNotation(Notation):
    """Formulas of one sheet; `find` gives the address of a number's cell, `hidden` is the text of minus infinity."""

    minus, times = "-", "*"

    def __init__(self, find: Callable[[Cell], Address | None], sheet: str, say: Say, hidden: str) -> None:
        super().__init__(self._written, say, most=1_000_000)
        self.find, self.sheet, self.hidden_text = find, sheet, hidden
        self.places, self.rounding, self.spare = 0, "half-up", 0
        self._references: dict[Cell, str] = {}
        self._columns: dict[int, bool] = {}
        self._known: dict[int, tuple[Expression, str]] = {}  # by identity; the parts are kept so that it stays theirs

    def formula(self, tree: Expression, places: int = 0, rounding: str = "half-up", spare: int = 0) -> str:
        """`=…` of a cell, rounded to places where its tree rounds, first to some more; raises NoFormulaError."""
        self.places, self.rounding, self.spare = places, rounding, spare
        text = f"={self.print(tree)}"
        if len(text) > LONGEST:
            raise NoFormulaError
        return text

    def forget(self) -> None:
        """Forgets the parts that the cells of a step share."""
        self._known.clear()
        self._references.clear()
        self._columns.clear()

    # --- numbers and ranges ---

    def _written(self, number: Number) -> str:
        if number.cell is None:
            return self._constant(number)
        text = self._references.get(number.cell)
        if text is None:
            text = self._references[number.cell] = self._reference(self._address(number))
        return text

    def _constant(self, number: Number) -> str:
        value = as_decimal(number.value)
        if value == MINUS_INFINITY:
            return f'"{self.hidden_text}"'
        if not value.is_finite():
            return "NA()"
        return repr(float(value)).removesuffix(".0").replace("e", "E")

    def _address(self, number: Expression) -> Address:
        address = self.find(number.cell) if isinstance(number, Number) and number.cell is not None else None
        if address is None:
            raise NoFormulaError
        return address

    def _reference(self, first: Address, last: Address | None = None) -> str:
        """`B5`, `$B$5`, `B5:E5`, with the sheet where it is another one."""
        text = a1(first) if last is None or last == first else f"{a1(first)}:{a1(last)}"
        return text if first.sheet == self.sheet else f"'{first.sheet}'!{text}"

    def _range(self, numbers: Sequence[Expression]) -> str:
        """The range of numbers that follow each other in a row or a column; raises NoFormulaError."""
        addresses = [self._address(number) for number in numbers]
        steps = {(b.row - a.row, b.column - a.column, a.sheet == b.sheet) for a, b in pairwise(addresses)}
        if steps - {(0, 1, True)} and steps - {(1, 0, True)}:
            raise NoFormulaError
        return self._reference(addresses[0], addresses[-1])

    def _line(self, line: Line) -> str:
        """The range of a line."""
        first, last = (self._address(line.numbers[end]) for end in (0, -1))
        if last.row - first.row + last.column - first.column != line.length - 1:
            raise NoFormulaError
        return self._reference(first, last)

    def _upright(self, line: Line) -> bool:
        """Whether a line is a column of its sheet."""
        known = self._columns.get(id(line))
        if known is None:
            first, last = (self._address(line.numbers[end]) for end in (0, -1))
            known = self._columns[id(line)] = first.column == last.column
        return known

    def write(self, tree: Expression) -> Written:
        """The expression; a line is a range."""
        if isinstance(tree, Line):
            return Written(self._shared(tree, lambda: self._line(tree)), ATOM)
        return super().write(tree)

    def _shared(self, tree: Expression, write: Callable[[], str]) -> str:
        """The text of a part that many cells share, written once."""
        known = self._known.get(id(tree))
        if known is None:
            known = self._known[id(tree)] = (tree, write())
        return known[1]

    def symbol(self, symbol: Symbol) -> str:
        """There are no letters in a live formula."""
        raise NoFormulaError

    def number(self, text: str) -> Written:
        """An address or a constant."""
        return Written(text, SUM if text.startswith("-") else ATOM)

    # --- operations ---

    def function(self, tree: Operation) -> Written:
        """EXP(x), POWER(a, b), …"""
        return _call(tree.kind.upper(), *(self.print(argument) for argument in tree.arguments))

    def divide(self, tree: Operation) -> Written:
        """a/b."""
        top, bottom = tree.arguments
        return Written(f"{self.inside(top, PRODUCT)}/{self.inside(bottom, ATOM)}", PRODUCT)

    def sum(self, tree: Operation) -> Written:
        """SUM of a range, of many like terms SUMPRODUCT of ranges, else one term plus the other."""
        return Written(self._shared(tree, lambda: self._sum(list(map(_without_hidden, tree.arguments)))), ATOM)

    def _sum(self, terms: list[Expression]) -> str:
        if all(isinstance(term, Number) for term in terms):
            return f"SUM({self._range(terms)})"
        together = _together(terms) if len(terms) >= LONG else None
        if together is not None:
            return f"SUMPRODUCT({self.print(together)})"
        return f"({self.add(Operation('add', tuple(terms))).text})"

    def dot(self, tree: Operation) -> Written:
        """Products added up where they are few, else the product of two ranges."""
        left, right = tree.arguments[0], tree.arguments[-1]
        if not isinstance(left, Line) or not isinstance(right, Line):
            return super().dot(tree)
        if left.length < LONG:
            return super().dot(Operation("dot", (*left.numbers, *right.numbers)))
        ranges = self.print(left), self.print(right)
        # MMULT takes a row and a column; SUMPRODUCT takes lines of one direction and makes a number of the 1 by 1.
        lie_otherwise = self._upright(left) != self._upright(right)
        return _call("SUMPRODUCT", *([f"MMULT({','.join(ranges)})"] if lie_otherwise else ranges))

    def maximum(self, tree: Operation) -> Written:
        """MAX, which leaves out text; a sink stands apart from the row."""
        row, last = tree.arguments[:-1], tree.arguments[-1]
        try:
            return Written(self._shared(tree, lambda: f"MAX({self._range(tree.arguments)})"), ATOM)
        except NoFormulaError:
            return _call("MAX", self._range(row), self.print(last))

    def round(self, tree: Operation) -> Written:
        """Rounded as by hand: what hardly ever lies halfway between two figures."""
        return self._rounded(self.print(tree.arguments[0]))

    def round_ties(self, tree: Operation) -> Written:
        """Rounded as by hand, to more places first: in binary, a half may lie below a half."""
        text = self.print(tree.arguments[0])
        return self._rounded(f"ROUND({text},{self.places + self.spare})" if self.spare else text)

    def _rounded(self, text: str) -> Written:
        half_up = f"ROUND({text},{self.places})"
        if self.rounding == "half-up":
            return Written(half_up, ATOM)
        cut = f"TRUNC({text},{self.places})"
        if self.rounding == "half-even":
            below = f"ROUND(MOD(ABS({text})*{10**self.places},2),6)=0.5"  # halfway, and the figure below is even
            return _call("IF", below, cut, half_up)
        if self.spare == MOST_SPARE:
            return Written(cut, ATOM)
        # LibreOffice's TRUNC sees 12 digits only; half a unit less, rounded, is the same.
        return Written(f"SIGN({text})*ROUND(MAX(ABS({text})-0.5E-{self.places},0),{self.places})", PRODUCT)

    # --- choices ---

    def choice(self, tree: Operation) -> Written:
        """IF(test, a, b)."""
        condition, x, otherwise = tree.arguments
        test, holds = self._test(condition)
        texts = self.print(x), self.print(otherwise)
        return _call("IF", test, *(texts if holds else reversed(texts)))

    def _test(self, condition: Expression) -> tuple[str, bool]:
        """A test, and whether it holds where the condition does or where it does not."""
        if not isinstance(condition, Operation):
            raise NoFormulaError
        if condition.kind == "not":
            test, holds = self._test(condition.arguments[0])
            return test, not holds
        if condition.kind == "hidden":
            return f"ISNUMBER({self.print(condition.arguments[0])})", False
        if condition.kind in ROW_TESTS:
            name = ROW_TESTS[condition.kind]
            return self._shared(condition, lambda: f"{name}({self._range(condition.arguments)})=0"), True
        return f"{self.print(condition.arguments[0])}={NUMBER_TESTS[condition.kind]}", True


ROW_TESTS = {"all_hidden": "COUNT", "none_seen": "SUM"}
NUMBER_TESTS = {"seen": 1, "zero": 0}


def _call(name: str, *arguments: str) -> Written:
    return Written(f"{name}({','.join(arguments)})", ATOM)


def _without_hidden(term: Expression) -> Expression:
    """A term of a sum, 0 where it is hidden: SUM leaves out text by itself."""
    if isinstance(term, Operation) and term.kind == "choice":
        condition, x, otherwise = term.arguments
        nothing = isinstance(x, Number) and x.cell is None and x.value == 0
        if isinstance(condition, Operation) and condition.kind == "hidden" and nothing:
            return otherwise if isinstance(otherwise, Number) else term
    return term


def _together(terms: Sequence[Expression]) -> Expression | None:
    """Terms of the same form as one of lines: (a₁ − m)·b₁, (a₂ − m)·b₂, … as (a − m)·b; None where they differ."""
    first = terms[0]
    if all(isinstance(term, Number) for term in terms):
        same = len({_identity(term) for term in terms if isinstance(term, Number)}) == 1
        return first if same else Line(tuple(terms), len(terms))
    if not isinstance(first, Operation) or first.kind not in ELEMENTWISE:
        return None
    kinds = {(term.kind, len(term.arguments)) if isinstance(term, Operation) else None for term in terms}
    if kinds != {(first.kind, len(first.arguments))}:
        return None
    columns = zip(*(term.arguments for term in terms if isinstance(term, Operation)), strict=True)
    parts = [_together(column) for column in columns]
    return None if None in parts else Operation(first.kind, tuple(part for part in parts if part is not None))


def _identity(number: Number) -> tuple[object, object]:
    return number.cell, number.value if number.cell is None else None


def a1(address: Address) -> str:
    """`B5`, or `$B$5`."""
    sign = "$" if address.fixed else ""
    return f"{sign}{letters(address.column)}{sign}{address.row + 1}"


def letters(column: int) -> str:
    """The letters of a column: A, …, Z, AA, …"""
    text, rest = "", column + 1
    while rest:
        rest, letter = divmod(rest - 1, 26)
        text = chr(ord("A") + letter) + text
    return text
