"""The formats: one table, and `render` that walks it."""

from __future__ import annotations

from collections.abc import Callable
from decimal import localcontext
from importlib import import_module
from typing import NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.names import TRACE_FORMATS
from attncalc.core.stage import Trace


class Format(NamedTuple):
    """A format: the module that renders it, and what that takes."""

    module: str
    data: bool  # the trace itself, not blocks made of it
    whole: bool = True  # whole traces, not derivations alone


FORMATS: dict[str, Format] = {
    "table": Format("attncalc.renderers.terminal", False),
    "plain": Format("attncalc.renderers.plain", False),
    "json": Format("attncalc.renderers.json", True),
    "csv": Format("attncalc.renderers.csv", True),
    "latex": Format("attncalc.renderers.latex", False, whole=False),
}


def render(trace: Trace, format: str = "plain", language: str = "en") -> str:
    """A trace in a format, as text: `table`, `plain`, `json` or `csv`.

    >>> from attncalc import load, run, render
    >>> render(run(load("draw")), "csv").splitlines()[0]
    'step,batch,head,query,key,feature,value'
    """
    from attncalc.document.tables import tables
    from attncalc.document.view import View, say_in

    if format not in TRACE_FORMATS:
        raise ValueError(f"{format!r} is not a format of a trace; there are {', '.join(TRACE_FORMATS)}")
    view = View(say_in(language), language=language)
    with localcontext(OWN):
        return renderer(format)(trace if FORMATS[format].data else list(tables(trace, view)), view)


def renderer(format: str) -> Callable[..., str]:
    """The function of a format: the trace or its blocks, and a view → text."""
    function: Callable[..., str] = import_module(FORMATS[format].module).render
    return function
