"""Formulas and derivations as LaTeX for mathematics mode."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attncalc.core.expression import Expression, Number, Operation, Symbol
from attncalc.document.blocks import Equation
from attncalc.document.notation import ATOM, POWER, PRODUCT, SUM, Notation, Written
from attncalc.document.view import View

LETTERS = str.maketrans(
    {"μ": r"\mu ", "σ": r"\sigma ", "²": "^{2}", "ᵣ": "_{r}", "ₐ": "_{a}", "ₙ": "_{n}", "′": "'", "Σ": r"\Sigma ",
     "−": "-", "|": r"\vert "}
)  # fmt: skip
"""The letters of formulas that LaTeX writes otherwise, and the pipe, which would end the cell of a table."""

AS_READ = str.maketrans({"−": "-", "∞": "inf"})
"""The number of a derivation as its text was before the signs of a screen were put in."""


class LatexNotation(Notation):
    """LaTeX for mathematics mode."""

    ellipsis, minus, times = r"\dots", "-", r" \cdot "

    def symbol(self, symbol: Symbol) -> str:
        """The letter with its LaTeX name."""
        return symbol.latex or symbol.text.replace("Σ", r"\Sigma").replace("−∞", r"-\infty")

    def number(self, text: str) -> Written:
        """The number; an exponent as a power of ten."""
        if "e" in text:
            mantissa, exponent = text.split("e")
            return Written(rf"{mantissa} \cdot 10^{{{exponent}}}", PRODUCT if mantissa[0] != "-" else SUM)
        text = text.replace("inf", r"\infty").replace("NaN", r"\mathrm{NaN}")
        return Written(text, SUM if text.startswith("-") else ATOM)

    def bracketed(self, text: str) -> str:
        """Parentheses that grow."""
        return rf"\left({text}\right)"

    def function(self, tree: Operation) -> Written:
        """A named function."""
        arguments = ", ".join(self.print(argument) for argument in tree.arguments)
        return Written(rf"\operatorname{{{tree.kind}}}\left({arguments}\right)", ATOM)

    def divide(self, tree: Operation) -> Written:
        """A fraction."""
        top, bottom = (self.print(a) for a in tree.arguments)
        return Written(rf"\frac{{{top}}}{{{bottom}}}", ATOM)

    def exp(self, tree: Operation) -> Written:
        """e^{x}."""
        return Written(f"e^{{{self.print(tree.arguments[0])}}}", POWER)

    def power(self, tree: Operation) -> Written:
        """base^{x}."""
        base, exponent = tree.arguments
        return Written(f"{self.inside(base, ATOM)}^{{{self.print(exponent)}}}", POWER)

    def sqrt(self, tree: Operation) -> Written:
        """A root."""
        return Written(rf"\sqrt{{{self.print(tree.arguments[0])}}}", ATOM)

    def maximum(self, tree: Operation) -> Written:
        """max(a, b, …)."""
        return Written(rf"\max\left({', '.join(self.terms(tree.arguments, self.print))}\right)", ATOM)

    def transpose(self, tree: Operation) -> Written:
        """K^⊤."""
        return Written(self.inside(tree.arguments[0], ATOM) + r"^{\top}", POWER)

    def row_sum(self, tree: Operation) -> Written:
        """A sum over the keys."""
        return Written(rf"\sum_{{j}} {self.inside(tree.arguments[0], ATOM)}_{{j}}", SUM)

    def row_maximum(self, tree: Operation) -> Written:
        """A maximum over the keys."""
        term, *more = (self.inside(argument, ATOM) for argument in tree.arguments)
        if more:
            return Written(rf"\max\left(\max_{{j}} {term}_{{j}}, {', '.join(more)}\right)", ATOM)
        return Written(rf"\max_{{j}} {term}_{{j}}", ATOM)

    def feature_mean(self, tree: Operation) -> Written:
        """The mean over the features."""
        return Written(rf"\operatorname{{mean}}\left({self.print(tree.arguments[0])}\right)", ATOM)

    def rotation(self, tree: Operation) -> Written:
        """Each pair of features turned by its position's angle."""
        x, place = (self.print(a) for a in tree.arguments)
        return Written(rf"R_{{{place}}}\, {x}", PRODUCT)

    def beside(self, tree: Operation) -> Written:
        """The heads side by side."""
        term = self.print(tree.arguments[0])
        return Written(rf"\left[{term}_{{1}}, \dots, {term}_{{h}}\right]", ATOM)

    def below(self, tree: Operation) -> Written:
        """Rows put under each other."""
        rows = r" \\ ".join(self.print(a) for a in tree.arguments)
        return Written(rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}", ATOM)

    def where_itself(self, tree: Operation) -> Written:
        """The identity matrix."""
        return Written(r"\mathbf{1}", ATOM)

    def where_visible(self, tree: Operation) -> Written:
        """Cases."""
        value, other = (self.print(a) for a in tree.arguments)
        words = self.say("formula.visible"), self.say("formula.otherwise")
        return Written(
            rf"\begin{{cases}} {value} & \text{{{words[0]}}} \\ {other} & \text{{{words[1]}}} \end{{cases}}", ATOM
        )


class PageNotation(LatexNotation):
    r"""LaTeX that MathJax and KaTeX draw as well as TeX does, in one line.

    No `\operatorname`, which GitHub refuses, and no backslash before a sign, which a reader of Markdown without
    mathematics takes for the sign itself.
    """

    def function(self, tree: Operation) -> Written:
        """A named function: `\\tanh`, `\\cos`, `\\sin`."""
        return Written(rf"\{tree.kind}{self.bracketed(self._listed(tree.arguments))}", ATOM)

    def maximum(self, tree: Operation) -> Written:
        """max(a, b, …)."""
        return Written(rf"\max{self.bracketed(self._listed(tree.arguments))}", ATOM)

    def row_maximum(self, tree: Operation) -> Written:
        """A maximum over the keys, and over what else counts."""
        term, *more = (self.inside(argument, ATOM) for argument in tree.arguments)
        over = rf"\max_{{j}} {term}_{{j}}"
        return Written(rf"\max{self.bracketed(', '.join((over, *more)))}" if more else over, ATOM)

    def feature_mean(self, tree: Operation) -> Written:
        """The mean over the features."""
        return Written(rf"\mathrm{{mean}}{self.bracketed(self.print(tree.arguments[0]))}", ATOM)

    def where_visible(self, tree: Operation) -> Written:
        """The value where visible, else the other, in words."""
        return self._worded(tree, "formula.where-visible")

    def where_itself(self, tree: Operation) -> Written:
        """The value for the token itself, else the other, in words."""
        return self._worded(tree, "formula.where-itself")

    def bracketed(self, text: str) -> str:
        """Parentheses, which grow only around a fraction."""
        return super().bracketed(text) if r"\frac" in text else f"({text})"

    def below(self, tree: Operation) -> Written:
        """Rows put under each other, in one line."""
        return Written(rf"\left[{'; '.join(self.print(a) for a in tree.arguments)}\right]", ATOM)

    def rotation(self, tree: Operation) -> Written:
        """Each pair of features turned by its position's angle."""
        x, place = (self.print(a) for a in tree.arguments)
        return Written(rf"R_{{{place}}} {x}", PRODUCT)

    def _listed(self, arguments: Sequence[Expression]) -> str:
        return ", ".join(self.terms(arguments, self.print))

    def _worded(self, tree: Operation, code: str) -> Written:
        value, other = (f"}} {self._apart(self.print(argument))} \\text{{" for argument in tree.arguments)
        text = rf"\text{{{self.say(code, value=value, other=other)}}}"
        return Written(text.replace(r"\text{}", "").strip(), SUM)

    def _apart(self, text: str) -> str:
        """A minus sign after a word is no subtraction."""
        return f"{{{text}}}" if text.startswith("-") else text


def printer(view: View, notation: type[PageNotation] = PageNotation, **more: Any) -> Callable[[Expression], str]:
    """What prints formulas, and derivations whose numbers are texts with the signs of a screen, on a page."""
    written = notation(_operand, view.say, view.notation().most, **more)
    return lambda tree: written.print(tree).translate(LETTERS).strip()


def letter(text: str) -> str:
    """The letter on the left of a formula."""
    return text.translate(LETTERS).strip()


def math(tree: Expression, view: View) -> str:
    """A formula, or a derivation, between dollar signs."""
    return f"${printer(view)(tree)}$"


def equation(whole: Equation, view: View) -> str:
    """A formula with its letter, between dollar signs."""
    return f"${letter(whole.left)} = {printer(view)(whole.right)}$"


def _operand(number: Number) -> str:
    return str(number.value).translate(AS_READ)
