"""Reads printed arithmetic (`6.05 / 9.83`, `e^−0.3`, `(−0.1) + 0.27`) and says what it is worth, as a fraction.

A reader of its own, so that what stands on the screen is judged by what stands there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

TOKEN = re.compile(r"\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|max|cos|sin|tanh|[e√()^·/+−,])")


class NoFraction(Exception):
    """The worth is no fraction: a power of e, a root, a division by zero, infinity."""


def worth(text: str) -> Fraction | None:
    """The exact worth of printed arithmetic; None where it is no fraction. ValueError where it cannot be read."""
    reader = _Reader(_tokens(text))
    try:
        return reader.everything()
    except NoFraction:
        return None


def _tokens(text: str) -> list[str]:
    tokens, end = [], 0
    while match := TOKEN.match(text, end):
        tokens.append(match[1])
        end = match.end()
    if text[end:].strip():
        raise ValueError(f"cannot be read from {text[end:]!r} on, in {text!r}")
    return tokens


class _Reader:
    """sum = product {+ − product}, product = power {· / power}, power = atom [^ exponent]."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens

    def everything(self) -> Fraction:
        value = self.sum()
        if self.tokens:
            raise ValueError(f"left over: {self.tokens}")
        return value

    def taken(self, *wanted: str) -> str:
        """The next token if it is one of those."""
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else ""

    def needed(self, wanted: str) -> None:
        if not self.taken(wanted):
            raise ValueError(f"{wanted} is missing before {self.tokens}")

    def sum(self) -> Fraction:
        value = -self.product() if self.taken("−") else self.product()
        while sign := self.taken("+", "−"):
            value += self.product() if sign == "+" else -self.product()
        return value

    def product(self) -> Fraction:
        value = self.power()
        while sign := self.taken("·", "/"):
            try:
                other = self.power()
            except NoFraction:
                if value:
                    raise
                other = Fraction(1)  # nothing of whatever it is is nothing
            if sign == "/" and not other:
                raise NoFraction
            value = value * other if sign == "·" else value / other
        return value

    def power(self) -> Fraction:
        if self.taken("e"):
            self.needed("^")
            if self.exponent() == 0:
                return Fraction(1)
            raise NoFraction
        value = self.atom()
        return _to_the_power(value, self.exponent()) if self.taken("^") else value

    def exponent(self) -> Fraction:
        return -self.atom() if self.taken("−") else self.atom()

    def atom(self) -> Fraction:
        if self.taken("("):
            value = self.sum()
            self.needed(")")
            return value
        if name := self.taken("cos", "sin", "tanh"):
            if self.atom():
                raise NoFraction
            return Fraction(name == "cos")
        if self.taken("√"):
            return _root(self.atom())
        if self.taken("max"):
            return self.listed(max)
        return Fraction(self.tokens.pop(0))

    def listed(self, function: Callable[[list[Fraction]], Fraction]) -> Fraction:
        self.needed("(")
        values = [self.sum()]
        while self.taken(","):
            values.append(self.sum())
        self.needed(")")
        return function(values)


def _to_the_power(base: Fraction, exponent: Fraction) -> Fraction:
    if exponent.denominator != 1:
        raise NoFraction
    return base ** int(exponent)


def _root(value: Fraction) -> Fraction:
    root = Fraction(math.isqrt(value.numerator), math.isqrt(value.denominator))
    if root * root != value:
        raise NoFraction
    return root
