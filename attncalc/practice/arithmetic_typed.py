"""The arithmetic of a typed number such as `2/3`, `1/√2` or `e^1.8`: its value, and how far the true one may be off.

Whole numbers are exact; a number with a point stands for whatever rounds to it, and the doubt goes through every
operation as an interval. All of it is bounded: a text of 200 characters can neither hang nor overflow.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from decimal import ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation, Overflow
from typing import NamedTuple

HALF = Decimal("0.5")
DEEPEST = 24
LARGEST = 10_000  # as a power of ten, either way
DIGITS = Context(prec=60, traps=[InvalidOperation, DivisionByZero, Overflow])

TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,5})?)|(?P<name>sqrt|exp|e|√)|(?P<sign>\*\*|[-+*·/^%()])"
)


class NoNumber(Exception):
    """A text that is not a number; `code` is the message that says what is wanted."""

    def __init__(self, code: str = "typed-wanted") -> None:
        super().__init__(code)
        self.code = code


class Interval(NamedTuple):
    """A value and the ends between which the true one lies."""

    value: Decimal
    low: Decimal
    high: Decimal

    @property
    def within(self) -> Decimal:
        """How far the true value may be off."""
        return max(DIGITS.subtract(self.high, self.value), DIGITS.subtract(self.value, self.low))


class _Token(NamedTuple):
    kind: str
    text: str
    apart: bool  # a blank stands before it


def evaluated(text: str) -> Interval:
    """The value of an expression in lower case; NoNumber where it has none."""
    try:
        return _Reader(_tokens(text)).whole()
    except (DecimalException, ArithmeticError):
        raise NoNumber("typed-large") from None


def written(text: str) -> Interval:
    """A number as it stands in an expression: exact where it is whole, else right within half a unit of its end."""
    value = Decimal(text)
    doubt = Decimal((0, (5,), int(value.as_tuple().exponent) - 1)) if "." in text else Decimal(0)
    return Interval(value, DIGITS.subtract(value, doubt), DIGITS.add(value, doubt))


def _tokens(text: str) -> list[_Token]:
    tokens, end = [], 0
    while rest := text[end:].lstrip():
        start = len(text) - len(rest)
        match = TOKEN.match(text, start)
        if not match:
            raise NoNumber
        tokens.append(_Token(str(match.lastgroup), match[0].replace("**", "^").replace("·", "*"), start > end))
        end = match.end()
    return tokens


class _Reader:
    """One expression, read from left to right: sums of products of powers."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens, self.place, self.depth = tokens, 0, 0

    @property
    def _next(self) -> str:
        return self.tokens[self.place].text if self.place < len(self.tokens) else ""

    def _take(self, *texts: str) -> str:
        """The next token if it is one of these."""
        found = self._next if self._next in texts else ""
        self.place += bool(found)
        return found

    def whole(self) -> Interval:
        result = self._inside(self._sum)
        if self.place < len(self.tokens):
            raise NoNumber
        return result

    def _inside(self, read: Callable[[], Interval]) -> Interval:
        """What stands in brackets, under a root or in an exponent: not too many of them inside each other."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise NoNumber("typed-long")
        result = read()
        self.depth -= 1
        return result

    def _sum(self) -> Interval:
        result = self._product()
        while sign := self._take("+", "-"):
            result = (_plus if sign == "+" else _minus)(result, self._product())
        return result

    def _product(self) -> Interval:
        result = self._signed()
        while True:
            if sign := self._take("*", "/"):
                result = (_times if sign == "*" else _over)(result, self._signed())
                if sign == "/" and self._side_by_side():
                    raise NoNumber  # 1/2√3 may be either of two numbers
            elif self._side_by_side():
                result = _times(result, self._power())
            else:
                return result

    def _side_by_side(self) -> bool:
        """Whether a factor follows without a sign between: 2√3, 3(1-0.2)."""
        return bool(self.place) and self._next in ("√", "sqrt", "exp", "e", "(") and not self.tokens[self.place].apart

    def _signed(self) -> Interval:
        sign = 1
        while found := self._take("+", "-"):
            sign = -sign if found == "-" else sign
        result = self._power()
        return result if sign > 0 else _negative(result)

    def _power(self) -> Interval:
        base = self._atom()
        if self._take("^"):
            base = _raised(base, self._inside(self._exponent))
        while self._take("%"):
            base = _over(base, written("100"))
        return base

    def _exponent(self) -> Interval:
        sign = self._take("+", "-")
        exponent = self._atom()
        if self._take("^"):
            exponent = _raised(exponent, self._inside(self._exponent))
        return _negative(exponent) if sign == "-" else exponent

    def _atom(self) -> Interval:
        if self.place < len(self.tokens) and self.tokens[self.place].kind == "number":
            self.place += 1
            return _bounded(written(self.tokens[self.place - 1].text))
        if self._take("("):
            result = self._inside(self._sum)
            if not self._take(")"):
                raise NoNumber
            return result
        if name := self._take("√", "sqrt", "exp"):
            return self._function(name)
        if self._take("e"):
            return _exponential(written("1"))
        raise NoNumber

    def _function(self, name: str) -> Interval:
        argument = self._inside(self._atom)
        return _exponential(argument) if name == "exp" else _root(argument)


def _bounded(result: Interval) -> Interval:
    """The interval, if its ends are of a size that anything here may have."""
    for number in result:
        if not number.is_finite() or (number and abs(number.adjusted()) > LARGEST):
            raise NoNumber("typed-large")
    return result


def _from(operation: Callable[..., Decimal], *parts: Interval) -> Interval:
    """The result of an operation that is monotonic in each of its operands: the ends are among those of theirs."""
    value = operation(*(part.value for part in parts))
    if all(part.low == part.high for part in parts):
        return _bounded(Interval(value, value, value))
    ends = [operation(*ends) for ends in itertools.product(*({part.low, part.high} for part in parts))]
    return _bounded(Interval(value, min(ends), max(ends)))


def _plus(first: Interval, second: Interval) -> Interval:
    return _from(DIGITS.add, first, second)


def _minus(first: Interval, second: Interval) -> Interval:
    return _from(DIGITS.subtract, first, second)


def _times(first: Interval, second: Interval) -> Interval:
    return _from(DIGITS.multiply, first, second)


def _over(first: Interval, second: Interval) -> Interval:
    if second.low <= 0 <= second.high:
        raise NoNumber("typed-zero")
    return _from(DIGITS.divide, first, second)


def _negative(only: Interval) -> Interval:
    return Interval(only.value.copy_negate(), only.high.copy_negate(), only.low.copy_negate())


def _root(only: Interval) -> Interval:
    if only.value < 0:
        raise NoNumber("typed-root")
    return _from(DIGITS.sqrt, only._replace(low=max(only.low, Decimal(0))))


def _exponential(only: Interval) -> Interval:
    if max(abs(only.low), abs(only.high)) > LARGEST:
        raise NoNumber("typed-large")
    return _from(DIGITS.exp, only)


def _raised(base: Interval, exponent: Interval) -> Interval:
    """A power: any of a positive number, positive ones of 0, whole ones of every number."""
    power = exponent.value
    whole = power == power.to_integral_value(ROUND_FLOOR) and exponent.low == exponent.high
    if not base.value and power <= 0:
        raise NoNumber("typed-zero")
    if max(abs(exponent.low), abs(exponent.high)) * (abs(base.value.adjusted()) + 1 if base.value else 1) > LARGEST:
        raise NoNumber("typed-large")
    if not whole and base.value >= 0:  # as under a root
        base = base._replace(low=max(base.low, Decimal(0)))
    if base.low > 0 or (base.low == 0 and exponent.low > 0):
        return _from(DIGITS.power, base, exponent)
    if not whole:
        raise NoNumber("typed-root")
    if base.high >= 0 and power < 0:
        raise NoNumber("typed-zero")
    result = _from(DIGITS.power, base, exponent)
    crosses = base.low < 0 < base.high and power % 2 == 0
    return result._replace(low=Decimal(0)) if crosses else result
