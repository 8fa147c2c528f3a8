"""Formulas as MathML: the elements of MathML Core, which browsers draw by themselves."""

from __future__ import annotations

import re
from html import escape

from attncalc.core.expression import Operation, Symbol
from attncalc.document.notation import ATOM, POWER, PRODUCT, SUM, Notation, Written

RAISED_AND_LOWERED = {"²": ("msup", "2"), "ᵣ": ("msub", "r"), "ₐ": ("msub", "a"), "ₙ": ("msub", "n")}
"""The last character of a letter that Unicode writes small, and what it is."""


def math(equation: str) -> str:
    """A whole formula, as one element in a line of text."""
    return f"<math><mrow>{equation}</mrow></math>"


def letter(text: str) -> str:
    """A letter of a formula: `W_Q` with its index, `σ²` with its power, a word upright."""
    if text in ("−∞", "∞"):
        return f"{operator('−', 'prefix')}<mi>∞</mi>" if text == "−∞" else "<mi>∞</mi>"
    base, underscore, index = text.partition("_")
    if underscore:
        return f"<msub>{_identifier(base)}{_identifier(index)}</msub>"
    if text[-1:] in RAISED_AND_LOWERED:
        element, small = RAISED_AND_LOWERED[text[-1]]
        return f"<{element}>{_identifier(text[:-1])}{_identifier(small)}</{element}>"
    if match := re.fullmatch(r"\|(.+) − (.+)\|", text):
        return "".join((operator("|"), _identifier(match[1]), operator("−"), _identifier(match[2]), operator("|")))
    return _identifier(text)


def operator(sign: str, form: str = "") -> str:
    """A sign between or around operands."""
    return f'<mo form="{form}">{sign}</mo>' if form else f"<mo>{sign}</mo>"


def words(text: str) -> str:
    """Words inside a formula."""
    return f"<mtext>{escape(text.replace(chr(32), chr(160)))}</mtext>"


def _identifier(text: str) -> str:
    return f"<mn>{text}</mn>" if text.isdigit() else f"<mi>{escape(text)}</mi>"


def _row(*parts: str) -> str:
    return f"<mrow>{''.join(parts)}</mrow>"


COMMA, DOTS = operator(","), "<mo>…</mo>"


class MathmlNotation(Notation):
    """Elements of MathML Core; every text in them is escaped."""

    ellipsis, minus, times = DOTS, operator("−"), operator("·")

    def symbol(self, symbol: Symbol) -> str:
        """The letter as an identifier, with its index or power."""
        return letter(symbol.text)

    def number(self, text: str) -> Written:
        """The number; an exponent as a power of ten."""
        if "e" in text:
            mantissa, exponent = text.split("e")
            raised = f"<msup><mn>10</mn><mn>{escape(exponent)}</mn></msup>"
            return Written(f"<mn>{escape(mantissa)}</mn>{self.times}{raised}", PRODUCT)
        return Written(f"<mn>{escape(text)}</mn>", SUM if text.startswith(("-", "−")) else ATOM)

    def bracketed(self, text: str) -> str:
        """Parentheses, which grow by themselves."""
        return _row(operator("("), text, operator(")"))

    def function(self, tree: Operation) -> Written:
        """A named function."""
        arguments = COMMA.join(self.print(argument) for argument in tree.arguments)
        return Written(f"<mi>{escape(tree.kind)}</mi>{self.bracketed(arguments)}", ATOM)

    def add(self, tree: Operation) -> Written:
        """a + b + …"""
        parts = self.terms(tree.arguments, lambda term: self.inside(term, PRODUCT))
        return Written(operator("+").join(parts), SUM)

    sum = add

    def subtract(self, tree: Operation) -> Written:
        """a − b."""
        left, right = tree.arguments
        return Written(self.print(left) + self.minus + self.inside(right, PRODUCT), SUM)

    def negate(self, tree: Operation) -> Written:
        """−a."""
        return Written(operator("−", "prefix") + self.inside(tree.arguments[0], POWER), SUM)

    def product(self, tree: Operation) -> Written:
        """A matrix product, side by side."""
        return Written(operator("\u2062").join(self.inside(a, PRODUCT) for a in tree.arguments), PRODUCT)

    def dot(self, tree: Operation) -> Written:
        """Every product written out, zeros too."""
        products = self._products(tree)
        return Written(operator("+").join(products), SUM if len(products) > 1 else PRODUCT)

    def divide(self, tree: Operation) -> Written:
        """A fraction."""
        return Written(f"<mfrac>{''.join(_row(self.print(a)) for a in tree.arguments)}</mfrac>", ATOM)

    def exp(self, tree: Operation) -> Written:
        """e to the power of x."""
        return Written(f"<msup><mi>e</mi>{_row(self.print(tree.arguments[0]))}</msup>", POWER)

    def power(self, tree: Operation) -> Written:
        """base to the power of x."""
        base, exponent = tree.arguments
        return Written(f"<msup>{_row(self.inside(base, ATOM))}{_row(self.print(exponent))}</msup>", POWER)

    def sqrt(self, tree: Operation) -> Written:
        """A root."""
        return Written(f"<msqrt>{self.print(tree.arguments[0])}</msqrt>", ATOM)

    def maximum(self, tree: Operation) -> Written:
        """max(a, b, …)."""
        return Written(f"<mi>max</mi>{self.bracketed(COMMA.join(self.terms(tree.arguments, self.print)))}", ATOM)

    def transpose(self, tree: Operation) -> Written:
        """K to the power of T."""
        return Written(f"<msup>{_row(self.inside(tree.arguments[0], ATOM))}<mi>T</mi></msup>", POWER)

    def row_sum(self, tree: Operation) -> Written:
        """A sum over the keys."""
        term = f"<msub>{_row(self.inside(tree.arguments[0], ATOM))}<mi>j</mi></msub>"
        return Written(f"<munder><mo>∑</mo><mi>j</mi></munder>{term}", SUM)

    def row_maximum(self, tree: Operation) -> Written:
        """A maximum over the keys."""
        term, *more = (self.inside(argument, ATOM) for argument in tree.arguments)
        largest = f"<munder><mi>max</mi><mi>j</mi></munder><msub>{_row(term)}<mi>j</mi></msub>"
        if more:
            largest = f"<mi>max</mi>{self.bracketed(COMMA.join((_row(largest), *more)))}"
        return Written(largest, ATOM)

    def feature_mean(self, tree: Operation) -> Written:
        """The mean over the features."""
        return self._worded("formula.mean", value=tree.arguments[0])

    def rotation(self, tree: Operation) -> Written:
        """Each pair of features turned by its position's angle."""
        x, place = tree.arguments
        return Written(f"<msub><mi>R</mi>{_row(self.print(place))}</msub>{self.print(x)}", PRODUCT)

    def beside(self, tree: Operation) -> Written:
        """The heads side by side."""
        term = _row(self.print(tree.arguments[0]))
        ends = (f"<msub>{term}<mn>1</mn></msub>", DOTS, f"<msub>{term}<mi>h</mi></msub>")
        return Written(_row(operator("["), COMMA.join(ends), operator("]")), ATOM)

    def below(self, tree: Operation) -> Written:
        """Rows put under each other."""
        rows = "".join(f"<mtr><mtd>{self.print(a)}</mtd></mtr>" for a in tree.arguments)
        return Written(_row(operator("["), f"<mtable>{rows}</mtable>", operator("]")), ATOM)

    def where_itself(self, tree: Operation) -> Written:
        """1 for the token itself, else 0."""
        value, other = tree.arguments
        return self._worded("formula.where-itself", value=value, other=other)

    def where_visible(self, tree: Operation) -> Written:
        """The value where visible, else the other."""
        value, other = tree.arguments
        return self._worded("formula.where-visible", value=value, other=other)

    def _worded(self, code: str, **operands: object) -> Written:
        """A sentence of the catalogue as words, with the operands between them."""
        marks = {name: f"\0{name}\0" for name in operands}
        parts = self.say(code, **marks).split("\0")
        named = {name: self.print(tree) for name, tree in operands.items()}  # type: ignore[arg-type]
        return Written(_row(*(named.get(part) or words(part) for part in parts if part)), SUM)
