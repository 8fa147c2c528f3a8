"""`why` over random scenarios: every cell has an answer, in every form, and no number of it is lost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

import pytest
from calling import call
from rivals import random_options, random_scenarios
from samples import trace_of_text

from attncalc.core.expression import Cell
from attncalc.core.stage import Trace
from attncalc.errors import AttncalcError
from attncalc.explore.cells import find_cell

CHUNKS = 12
DOCUMENTS = 5  # of each of the three makers
FORMS: tuple[tuple[str, ...], ...] = (
    (), ("--plain",), ("--format", "latex"), ("--width", "40", "--ascii"), ("--lang", "zh", "--depth", "2"),
    ("--sensitivity", "--all"), ("--arithmetic", "float64"), ("--by-hand", "3"), ("--places", "0", "--depth", "1"),
)  # fmt: skip


def texts(chunk: int) -> Iterator[str]:
    """Documents of one head, the same by hand, and those over all the options."""
    makers = (random_scenarios.documents, random_scenarios.documents_by_hand, random_options.documents)
    for maker in makers:
        yield from map(random_scenarios.as_json, maker(7000 + chunk, DOCUMENTS))


class Asked(NamedTuple):
    """A cell of a document, and the words that ask why it is what it is."""

    data: bytes
    trace: Trace
    cell: Cell
    words: list[str]


def asked(chunk: int) -> Iterator[Asked]:
    """A random cell of each document; documents without a result are left out."""
    rng = Random(chunk)
    for text in texts(chunk):
        try:
            trace = trace_of_text(text)
        except AttncalcError:  # by hand, a total may round to 0
            continue
        step = rng.choice(list(trace))
        cell = Cell(step.name, tuple(map(rng.randrange, step.cells.shape)))
        head = trace.scenario.first_reader(cell.place[1], step.cells.shape[1])
        axes = trace.scenario.axes
        options = ["--batch", str(cell.place[0])] * ("batch" in axes) + ["--head", str(head)] * ("head" in axes)
        places = zip(step.stage.layout[2:], cell.place[2:], strict=True)
        words = [step.name, *(str(i) for axis, i in places if axis != "one"), *options]
        yield Asked(text.encode(), trace, cell, words)


@pytest.fixture(scope="module", params=range(CHUNKS))
def chunk(request: pytest.FixtureRequest) -> tuple[list[Asked], int]:
    """The cells of a chunk, calculated once for all that is asked of them, and its number."""
    return list(asked(request.param)), request.param


def test_every_cell_has_an_answer_in_every_form(chunk: tuple[list[Asked], int]) -> None:
    """Exit code 0 and nothing on standard error; 2 and a sentence where another arithmetic has no result."""
    rng = Random(chunk[1])
    for data, _, _, words in chunk[0]:
        form = rng.choice(FORMS)
        done = call("why", "-", *words, *form, stdin=data)
        assert done.code == 0 or (done.code == 2 and done.out == "" and form[:1] in (("--by-hand",), ("--arithmetic",))), (data, words, form, done)  # fmt: skip
        assert (done.err == "") == (done.code == 0)
        assert "fault of attncalc" not in done.err


def test_no_number_is_lost(chunk: tuple[list[Asked], int]) -> None:
    """All that the JSON shows stands on a screen of 40 columns; all it has of the cell is the trace's."""
    for data, trace, cell, words in chunk[0]:
        found = json.loads(call("why", "-", *words, "--json", stdin=data).out)["cell"]
        step = trace[cell.name]
        assert (
            find_cell(trace, words[: 1 + len([axis for axis in step.stage.layout[2:] if axis != "one"])]).name
            == found["step"]
        )
        places = {axis: cell.place[step.stage.layout.index(axis)] for axis in step.axes}
        assert found["place"] == places
        screen = call("why", "-", *words, "--all", "--width", "40", "--plain", stdin=data).out.split()
        wanted = [node["shown"].replace("−", "-") for node in nodes(found)]
        assert set(wanted) <= {word.rstrip(",") for word in screen}, (data, words)


def nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A cell of the JSON and those it comes from."""
    yield node
    for cause in node.get("from", ()):
        yield from nodes(cause)


def test_wrong_words_are_an_error_of_the_user(chunk: tuple[list[Asked], int]) -> None:
    """A place left out, added, or beyond its axis: exit code 2, one sentence."""
    rng = Random(chunk[1])
    for data, trace, cell, words in chunk[0]:
        axes = [axis for axis in trace[cell.name].stage.layout[2:] if axis != "one"]
        place = rng.randrange(len(axes))
        wrong = [*words[: 1 + place], "99", *words[2 + place :]]
        for args in (wrong, [f"{words[0]}s", *words[1:]], [*words, "0"], [*words[:1], *["0"] * 4]):
            done = call("why", "-", *args, stdin=data)
            assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), (data, args)
            assert re.match(r"attncalc: \w+", done.err)
