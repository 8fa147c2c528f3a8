"""Derivations as text whose exponents stand in marks, for formats that can raise them: `e^{1.8}`."""

from __future__ import annotations

import re

from attncalc.core.expression import Operation
from attncalc.document.notation import ATOM, POWER, TextNotation, Written, as_put_in
from attncalc.document.view import View

RAISED = re.compile(r"\^\{([^{}]*)\}")
"""An exponent in a text of this notation; none stands inside another."""


class RaisedNotation(TextNotation):
    """The notation of a terminal, with exponents that need no brackets since they are raised."""

    def exp(self, tree: Operation) -> Written:
        """e to the power of x."""
        return Written(f"e^{{{self.print(tree.arguments[0])}}}", POWER)

    def power(self, tree: Operation) -> Written:
        """base to the power of x."""
        base, exponent = tree.arguments
        return Written(f"{self.inside(base, ATOM)}^{{{self.print(exponent)}}}", POWER)


def raised(view: View) -> RaisedNotation:
    """The notation of a view, for derivations whose numbers are texts already."""
    return RaisedNotation(as_put_in, view.say, view.signs, view.notation().most)
