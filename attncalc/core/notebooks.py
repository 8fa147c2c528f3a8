"""How an object of this room shows itself in a notebook."""

from __future__ import annotations

from importlib import import_module


class InNotebooks:
    """An object that a notebook shows as HTML, by `attncalc.notebook`."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        # A notebook asks the object itself, but what makes HTML stands far above this room. So the name is looked up
        # when it is asked for: nothing here needs those rooms, and a program without a notebook never loads them.
        html: str = import_module("attncalc.notebook").html_of(self)
        return html
