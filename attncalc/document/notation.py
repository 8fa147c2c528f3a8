"""Formulas and derivations as text: one method an operation, and brackets where the binding asks for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from attncalc.core.expression import Expression, Number, Operation, Symbol
from attncalc.document.signs import TO_ASCII, UNICODE, Signs
from attncalc.messages import Say

SUM, PRODUCT, POWER, ATOM = 1, 2, 3, 4

Part = TypeVar("Part")
Operand = Callable[[Number], str]
"""The text of a number."""


def as_put_in(number: Number) -> str:
    """The text of a number that is a text already, as in a derivation whose numbers are those that its steps show."""
    return str(number.value)


class Written(NamedTuple):
    """A piece of notation and how tightly it binds."""

    text: str
    binding: int


class Notation:
    """Prints an expression; `operand` gives the text of a number, `most` the terms shown of a long sum."""

    def __init__(self, operand: Operand, say: Say, most: int = 12) -> None:
        self.operand, self.say, self.most = operand, say, most

    def print(self, tree: Expression) -> str:
        """The expression as one line."""
        return self.write(tree).text

    def write(self, tree: Expression) -> Written:
        """The expression and how tightly it binds."""
        if isinstance(tree, Symbol):
            return Written(self.symbol(tree), ATOM)
        if isinstance(tree, Number):
            return self.number(self.operand(tree))
        if isinstance(tree, Operation):
            return getattr(self, tree.kind, self.function)(tree)
        raise TypeError(f"not an expression: {tree!r}")

    def inside(self, tree: Expression, binding: int) -> str:
        """An operand, in parentheses where it binds less tightly than its place asks."""
        written = self.write(tree)
        return written.text if written.binding >= binding else self.bracketed(written.text)

    def terms(self, parts: Sequence[Part], write: Callable[[Part], str]) -> list[str]:
        """The terms of a long sum; the middle is left out, and not even written."""
        if len(parts) <= self.most:
            return list(map(write, parts))
        return [*map(write, parts[: self.most - 2]), self.ellipsis, write(parts[-1])]

    ellipsis, minus, times = "…", "−", "·"

    def symbol(self, symbol: Symbol) -> str:
        """A letter."""
        raise NotImplementedError

    def number(self, text: str) -> Written:
        """A number; a negative one is bracketed inside products."""
        raise NotImplementedError

    def bracketed(self, text: str) -> str:
        """Text in parentheses."""
        return f"({text})"

    def function(self, tree: Operation) -> Written:
        """A named function of its arguments."""
        return Written(f"{tree.kind}({', '.join(self.print(argument) for argument in tree.arguments)})", ATOM)

    def symbol_text(self, letter: str) -> str:
        """A letter by itself."""
        return self.symbol(Symbol(letter))

    def add(self, tree: Operation) -> Written:
        """a + b + …; a sum within a sum needs no brackets."""
        return Written(" + ".join(self.terms(tree.arguments, self._term)), SUM)

    def _term(self, tree: Expression) -> str:
        nested = isinstance(tree, Operation) and tree.kind in ("add", "sum", "dot")
        return self.print(tree) if nested else self.inside(tree, PRODUCT)

    sum = add

    def subtract(self, tree: Operation) -> Written:
        """a − b."""
        left, right = tree.arguments
        return Written(f"{self.print(left)} {self.minus} {self.inside(right, PRODUCT)}", SUM)

    def negate(self, tree: Operation) -> Written:
        """−a."""
        return Written(f"{self.minus}{self.inside(tree.arguments[0], POWER)}", SUM)

    def multiply(self, tree: Operation) -> Written:
        """a·b."""
        return Written(self.times.join(self.inside(a, PRODUCT) for a in tree.arguments), PRODUCT)

    def product(self, tree: Operation) -> Written:
        """A matrix product, side by side."""
        return Written(" ".join(self.inside(a, PRODUCT) for a in tree.arguments), PRODUCT)

    def dot(self, tree: Operation) -> Written:
        """Every product written out, zeros too."""
        products = self._products(tree)
        return Written(" + ".join(products), SUM if len(products) > 1 else PRODUCT)

    def _products(self, tree: Operation) -> list[str]:
        """The products of a dot product, of which the first half are the left factors."""
        half = len(tree.arguments) // 2
        pairs = list(zip(tree.arguments[:half], tree.arguments[half:], strict=True))
        return self.terms(pairs, lambda pair: self.times.join(self.inside(factor, PRODUCT) for factor in pair))


class TextNotation(Notation):
    """One line for a terminal, in Unicode or ASCII signs."""

    def __init__(self, operand: Operand, say: Say, signs: Signs = UNICODE, most: int = 12) -> None:
        super().__init__(operand, say, most)
        self.signs = signs
        self.ellipsis, self.minus, self.times = signs.dots, signs.minus, signs.times

    def symbol(self, symbol: Symbol) -> str:
        """The letter, Greek and infinity as the signs have it."""
        text = symbol.text.replace("Σ", self.signs.sum).replace("∞", self.signs.infinity).replace("−", self.signs.minus)
        return text.translate(TO_ASCII) if self.signs.ascii else text

    def number(self, text: str) -> Written:
        """The number with the sign set's minus."""
        return Written(self.signs.number(text), SUM if text.startswith("-") else ATOM)

    def divide(self, tree: Operation) -> Written:
        """a / b; a denominator that is itself a product or a quotient is bracketed."""
        top, bottom = tree.arguments
        return Written(f"{self.inside(top, PRODUCT)} / {self.inside(bottom, POWER)}", PRODUCT)

    def exp(self, tree: Operation) -> Written:
        """e^x."""
        return Written(f"e^{self._exponent(tree.arguments[0])}", POWER)

    def power(self, tree: Operation) -> Written:
        """base^x."""
        base, exponent = tree.arguments
        return Written(f"{self.inside(base, ATOM)}^{self._exponent(exponent)}", POWER)

    def _exponent(self, tree: Expression) -> str:
        return self.print(tree) if isinstance(tree, Number) else self.inside(tree, ATOM)

    def sqrt(self, tree: Operation) -> Written:
        """√x."""
        if self.signs.root == "√":
            return Written(f"√{self.inside(tree.arguments[0], ATOM)}", ATOM)
        return Written(f"{self.signs.root}({self.print(tree.arguments[0])})", ATOM)

    def maximum(self, tree: Operation) -> Written:
        """max(a, b, …)."""
        return Written(f"max({', '.join(self.terms(tree.arguments, self.print))})", ATOM)

    def transpose(self, tree: Operation) -> Written:
        """Kᵀ."""
        return Written(self.inside(tree.arguments[0], ATOM) + self.signs.raised_t, ATOM)

    def row_sum(self, tree: Operation) -> Written:
        """E₁ + … + Eₙ."""
        first, last = tuple(self.signs.subscripts)
        term = self.inside(tree.arguments[0], ATOM)
        return Written(f"{term}{first} + {self.signs.dots} + {term}{last}", SUM)

    def row_maximum(self, tree: Operation) -> Written:
        """max(Z₁, …, Zₙ)."""
        first, last = tuple(self.signs.subscripts)
        term, *more = (self.inside(argument, ATOM) for argument in tree.arguments)
        return Written(f"max({', '.join((f'{term}{first}', self.signs.dots, f'{term}{last}', *more))})", ATOM)

    def feature_mean(self, tree: Operation) -> Written:
        """The mean over the features."""
        return Written(self.say("formula.mean", value=self.print(tree.arguments[0])), ATOM)

    def rotation(self, tree: Operation) -> Written:
        """Each pair of features turned by its position's angle."""
        x, place = (self.print(a) for a in tree.arguments)
        return Written(self.say("formula.rotation", value=x, place=place), SUM)

    def beside(self, tree: Operation) -> Written:
        """The heads side by side."""
        return Written(self.say("formula.heads", value=self.print(tree.arguments[0])), ATOM)

    def below(self, tree: Operation) -> Written:
        """Rows put under each other."""
        return Written("[" + "; ".join(self.print(a) for a in tree.arguments) + "]", ATOM)

    def where_itself(self, tree: Operation) -> Written:
        """1 for the token itself, else 0."""
        value, other = (self.print(a) for a in tree.arguments)
        return Written(self.say("formula.where-itself", value=value, other=other), SUM)

    def where_visible(self, tree: Operation) -> Written:
        """The value where visible, else the other."""
        value, other = (self.print(a) for a in tree.arguments)
        return Written(self.say("formula.where-visible", value=value, other=other), SUM)
