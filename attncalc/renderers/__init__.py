"""The formats: one table, and `render` that walks it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import localcontext
from importlib import import_module
from typing import Any, NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.names import FORMATS as NAMES
from attncalc.core.stage import Trace


class Format(NamedTuple):
    """A format: the file here that renders blocks, and the one that renders a trace itself, as far as it has them."""

    blocks: str = ""
    trace: str = ""
    binary: bool = False  # bytes, not text
    several: bool = False  # whether a result can hold several traces, one after the other
    settings: tuple[str, ...] = ()  # what the trace's renderer takes besides the view
    parts: bool = False  # whether the trace's renderer gives it in parts too


FORMATS: dict[str, Format] = {
    "table": Format("terminal", several=True),
    "plain": Format("plain", several=True),
    "json": Format(trace="json", several=True, parts=True),
    "csv": Format(trace="csv", parts=True),
    "npz": Format(trace="npz", binary=True, parts=True),
    "markdown": Format("markdown", several=True),
    "latex": Format("latex", several=True),
    "html": Format("html", "page", settings=("told", "quiet")),
    "svg": Format("plot_svg", "svg", settings=("told", "quiet")),
    "png": Format(trace="png", binary=True, settings=("told", "quiet")),
    "xlsx": Format(trace="xlsx", binary=True, settings=("quiet",)),
}


def render(trace: Trace, format: str = "plain", language: str = "en") -> str | bytes:
    """A trace in a format: text, or the bytes of a file for `npz`, `png` and `xlsx`.

    >>> from attncalc import load, run, render
    >>> render(run(load("draw")), "csv").splitlines()[0]
    'step,batch,head,query,key,feature,value'
    """
    from attncalc.document.tables import tables
    from attncalc.document.view import view_in

    if not isinstance(trace, Trace):
        raise TypeError(f"render takes a Trace, as run gives it, not {type(trace).__name__}")
    if format not in NAMES:
        raise ValueError(f"{format!r} is not a format of a trace; there are {', '.join(NAMES)}")
    view = view_in(language, format)
    with localcontext(OWN):
        if FORMATS[format].trace:
            rendered: str | bytes = trace_renderer(format)(trace, view)
        else:
            rendered = block_renderer(format)(list(tables(trace, view)), view)
        return rendered


def trace_renderer(format: str) -> Callable[..., Any]:
    """The function of a format: a trace and a view → text or bytes."""
    return _function(FORMATS[format].trace)


def trace_parts(format: str) -> Callable[..., Iterable[str | bytes]]:
    """The same for one who writes: what is large comes in parts, each made when the one before is written."""
    if FORMATS[format].parts:
        return _function(FORMATS[format].trace, "parts")
    whole = trace_renderer(format)
    return lambda *given, **settings: (whole(*given, **settings),)


def block_renderer(format: str) -> Callable[..., Any]:
    """The function of a format: blocks and their view → text; HTML takes them in every language (`renderers.html`)."""
    return _function(FORMATS[format].blocks)


def _function(file: str, name: str = "render") -> Callable[..., Any]:
    function: Callable[..., Any] = getattr(import_module(f"attncalc.renderers.{file}"), name)
    return function
