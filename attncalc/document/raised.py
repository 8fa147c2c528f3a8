"""Derivations as text whose exponents stand in marks, for formats that can raise them: `e^{1.8}`."""

from __future__ import annotations

import re
from collections.abc import Callable

from attncalc.core.expression import Operation
from attncalc.document.notation import ATOM, POWER, PRODUCT, SUM, TextNotation, Written, as_put_in
from attncalc.document.view import View

RAISED = re.compile(r"\^\{([^{}]*)\}")
"""An exponent in a text of this notation; none stands inside another."""


class RaisedNotation(TextNotation):
    """The notation of a terminal, with exponents that need no brackets since they are raised.

    What a long sum leaves out is not even written, so that thousands of cells can be told.
    """

    def exp(self, tree: Operation) -> Written:
        """e to the power of x."""
        return Written(f"e^{{{self.print(tree.arguments[0])}}}", POWER)

    def power(self, tree: Operation) -> Written:
        """base to the power of x."""
        base, exponent = tree.arguments
        return Written(f"{self.inside(base, ATOM)}^{{{self.print(exponent)}}}", POWER)

    def sum(self, tree: Operation) -> Written:
        """a + b + …"""
        parts = self._some(len(tree.arguments), lambda n: self.inside(tree.arguments[n], PRODUCT))
        return Written(" + ".join(parts), SUM)

    def dot(self, tree: Operation) -> Written:
        """Every product written out, zeros too."""
        half = len(tree.arguments) // 2
        pairs = list(zip(tree.arguments[:half], tree.arguments[half:], strict=True))
        parts = self._some(half, lambda n: self.times.join(self.inside(a, PRODUCT) for a in pairs[n]))
        return Written(" + ".join(parts), SUM if half > 1 else PRODUCT)

    def _some(self, count: int, part: Callable[[int], str]) -> list[str]:
        """The parts of a long sum, the middle left out."""
        if count <= self.most:
            return [part(n) for n in range(count)]
        return [*(part(n) for n in range(self.most - 2)), self.ellipsis, part(count - 1)]


def raised(view: View) -> RaisedNotation:
    """The notation of a view, for derivations whose numbers are texts already."""
    return RaisedNotation(as_put_in, view.say, view.signs, view.notation().most)
