"""A scenario as it was given: its words and its numbers, nothing calculated."""

from __future__ import annotations

from collections.abc import Iterator

from attncalc.core.bounded import Values
from attncalc.core.numbers import figure_with
from attncalc.core.scenario import Scenario
from attncalc.core.stage import Trace
from attncalc.core.tokens import labels
from attncalc.document.blocks import Block, Figure, Heading, Matrix, Prose
from attncalc.document.heading import title_of
from attncalc.document.matrices import crops
from attncalc.document.view import View
from attncalc.messages import text_in
from attncalc.messages.safe_text import visible
from attncalc.pipelines.symbols import GIVEN

AXES = {"x": ("query", "feature"), "q": ("query", "feature"), "k": ("key", "feature"), "v": ("key", "feature"),
        "scores": ("query", "key"), "weights": ("query", "key"), "bias": ("query", "key"),
        "residual": ("query", "feature")}  # fmt: skip
"""What the rows and columns of given arrays are, where they are tokens."""


def given(scenario: Scenario, view: View) -> Iterator[Block]:
    """The title, what is said of it, and a table for each array that the file gives; of several heads the first."""
    yield Heading(title_of(scenario, view))
    about = text_in(scenario.document.get("about"), view.language)
    if about:
        yield Prose(visible(about))
    for name in scenario.origins:
        if name in scenario.arrays and scenario.arrays[name].ndim >= 2:
            yield Heading(_title(name, view))
            yield _table(scenario, name, view)


def other_numbers(trace: Trace, view: View) -> Iterator[Block]:
    """The given arrays that are no step, such as weight matrices: a page has no scenario file beside it."""
    scenario = trace.scenario
    steps = {step.name for step in trace if step.stage.given}
    shown = [name for name in scenario.origins if name in GIVEN and name in scenario.arrays and name not in steps]
    if not shown or view.steps:
        return
    yield Heading(view.say("given-others"))
    for name in shown:
        table = _table(scenario, name, view)
        letter = view.notation().symbol_text(GIVEN[name].text)
        parts = [f"{letter}{view.say('in-brackets', text=name)}", table.caption]
        yield table._replace(caption=view.say("list-comma").join(part for part in parts if part))


def _title(name: str, view: View) -> str:
    """A step's title where there is one, with the name in the file."""
    if name not in AXES or name == "bias":
        return name
    title = view.say("title.weights-given" if name == "weights" else f"title.{name}")
    return title + view.say("in-brackets", text=name)


def _table(scenario: Scenario, name: str, view: View) -> Matrix:
    array: Values = scenario.arrays[name]
    cells = array[(0,) * (array.ndim - 2)]
    axes = AXES.get(name, ("", ""))
    names = [_labels(scenario, axis, length)[: view.most_side] for axis, length in zip(axes, cells.shape, strict=True)]
    rows = tuple(
        tuple(Figure(view.number(figure_with(x, scenario.places, scenario.rounding))) for x in row[: len(names[1])])
        for row in cells[: len(names[0])]
    )
    captions = crops(view, [len(shown) for shown in names], cells.shape)
    if max(array.shape[:-2], default=1) > 1:
        captions.insert(0, view.say("given-shape", shape=" × ".join(map(str, array.shape))))
    said = [view.say(f"axis.{axis}") if axis else "" for axis in axes]
    return Matrix(view.say("list-comma").join(captions), said[0], said[1], names[0], names[1], rows)


def _labels(scenario: Scenario, axis: str, length: int) -> tuple[str, ...]:
    tokens = {"query": scenario.query_tokens, "key": scenario.tokens}.get(axis)
    found = labels(tokens)[-length:] if tokens is not None else ()
    return found if len(found) == length else tuple(map(str, range(length)))
