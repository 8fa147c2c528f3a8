"""What notebooks show: scenarios, traces, steps and comparisons as parts of HTML."""

from __future__ import annotations

import os
from collections.abc import Iterable
from decimal import localcontext
from typing import NamedTuple

from attncalc.core.certain import OWN
from attncalc.core.labels import distinct
from attncalc.core.names import LANGUAGES
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Step, Trace
from attncalc.document.blocks import Block
from attncalc.document.comparison import comparison
from attncalc.document.given import given
from attncalc.document.heading import step_heading
from attncalc.document.matrices import matrices
from attncalc.document.tables import tables
from attncalc.document.view import View, view_in
from attncalc.explore.compare import Compared, Part, Variant, compared
from attncalc.running import run

MOST_SIDE = 32
"""Rows and columns of a table in a notebook."""


class Comparison(NamedTuple):
    """Calculations side by side: the variants by name, and every step that any of them has."""

    variants: tuple[Variant, ...]
    steps: tuple[Compared, ...]

    @property
    def same(self) -> bool:
        """Whether all of them have the same steps with the same numbers."""
        return all(step.same for step in self.steps)

    def __repr__(self) -> str:
        return f"<Comparison of {', '.join(variant.name for variant in self.variants)}>"

    def _repr_html_(self) -> str:
        return _html(comparison(self.variants, self.steps, Part(), _view()))


def compare(*calculations: Scenario | Trace) -> Comparison:
    """Scenarios or traces side by side, step by step; a notebook shows what differs.

    >>> from attncalc import load, compare
    >>> found = compare(load("draw"), load("draw", ["scores.0=2"]))
    >>> [step.name for step in found.steps if step.differs]
    ['scores', 'exponentials', 'total', 'weights', 'context', 'residual']
    """
    if len(calculations) < 2:
        raise ValueError("compare takes two scenarios or traces, or more")
    traces = [one if isinstance(one, Trace) else run(one) for one in calculations]
    scenarios = [trace.scenario for trace in traces]
    names = distinct(["; ".join(scenario.changes) or scenario.name for scenario in scenarios])
    variants = [Variant(n, t.scenario.name, t.scenario.changes, t) for n, t in zip(names, traces, strict=True)]
    with localcontext(OWN):
        return Comparison(tuple(variants), tuple(compared(traces)))


def html_of(shown: object) -> str:
    """A scenario, a trace or a step as a part of HTML: no script, no id, and a style that stays inside.

    Its language is that of the environment variable ATTNCALC_LANG, English where it names none.
    """
    view = _view()
    if isinstance(shown, Scenario):
        return _html(given(shown, view))
    if isinstance(shown, Trace):
        return _html(tables(shown, view))
    if isinstance(shown, Step) and shown.scenario is not None:
        return _html(_step(shown, shown.scenario, view))
    raise TypeError(f"not shown in notebooks: {type(shown).__name__}")


def _step(step: Step, scenario: Scenario, view: View) -> Iterable[Block]:
    """One step with its own numbers; the calculation around it, which says how they are written, is run again."""
    trace = run(scenario, step.name == "terms")
    yield step_heading(trace, step, view, numbered=False)
    yield from matrices(trace, step, view)


def _view() -> View:
    language = os.environ.get("ATTNCALC_LANG", "").lower()[:2]
    view = view_in(language if language in LANGUAGES else LANGUAGES[0], "html")
    return view._replace(most_side=MOST_SIDE)


def _html(blocks: Iterable[Block]) -> str:
    from attncalc.renderers.html import fragment

    with localcontext(OWN):
        return fragment(_view(), list(blocks))
