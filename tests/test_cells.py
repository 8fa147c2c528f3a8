"""Cells by name: which words mean which cell, what is said where they mean none, and names that lead back."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hostile import COUNT, HOSTILE, TOKENS, every_token, keys_document, unsafe
from samples import BUILT_IN, LANGUAGES, trace_of

from attncalc import load, run
from attncalc.core.expression import Cell
from attncalc.core.labels import Numbered, places_of
from attncalc.core.stage import Step, Trace
from attncalc.errors import UsageError
from attncalc.explore.cells import cell_name, find_cell, name_in, typed_name
from attncalc.interactive.typed import words_of

LABELS = ["[CLS]", "the cat", "the", "1", "0", "a.b", "the", "x=y", '"q"', "²", "the#2x"]
ODD: dict[str, Any] = {"tokens": LABELS, "query": 2, "scores": list(range(11)), "v": [[i, -i] for i in range(11)]}
SMALL: dict[str, Any] = {"tokens": ["a", "b"], "scores": [1, 2], "v": [[3], [4]], "query": "b"}
SAME: dict[str, Any] = {"tokens": ["x", "y", "x"], "x": [[1, 2], [3, 4], [5, 6]]}
SCENARIOS = {"odd": ODD, "small": SMALL, "same": SAME}


def trace_at(name: str) -> Trace:
    """The trace of one of the scenarios above, or of a built-in one."""
    return trace_of(SCENARIOS[name], terms="v" in SCENARIOS[name]) if name in SCENARIOS else run(load(name))


FOUND = [
    # labels and positions
    ("draw", "weights draw I", 0, 0, (0, 0, 0, 0)),
    ("draw", "weights 0 3", 0, 0, (0, 0, 0, 3)),
    ("draw", "weights I", 0, 0, (0, 0, 0, 0)),
    ("draw", "context draw 0", 0, 0, (0, 0, 0, 0)),
    ("draw", "context 2", 0, 0, (0, 0, 0, 2)),
    ("draw", "total draw", 0, 0, (0, 0, 0, 0)),
    ("draw", "total", 0, 0, (0, 0, 0, 0)),
    ("draw", "v to 1", 0, 0, (0, 0, 2, 1)),
    ("mini-head", "weights 3 1", 0, 0, (0, 0, 3, 1)),
    ("mini-head", "weights saw 0", 0, 0, (0, 0, 1, 0)),
    ("mini-head", "k saw 2", 0, 0, (0, 0, 1, 2)),
    ("cross", "weights 苹果 red", 0, 0, (0, 0, 1, 1)),
    ("cached", "weights daily I", 0, 0, (0, 0, 1, 0)),
    # brackets and dots
    ("draw", "weights[draw][I]", 0, 0, (0, 0, 0, 0)),
    ("draw", "weights[I]", 0, 0, (0, 0, 0, 0)),
    ("draw", "weights.draw.to", 0, 0, (0, 0, 0, 2)),
    ("draw", "weights[draw] to", 0, 0, (0, 0, 0, 2)),
    ("draw", "total[draw]", 0, 0, (0, 0, 0, 0)),
    ("odd", "weights[the cat]", 0, 0, (0, 0, 0, 1)),
    ("odd", 'weights["the cat"]', 0, 0, (0, 0, 0, 1)),
    ("odd", 'weights[0]["1"]', 0, 0, (0, 0, 0, 3)),
    # labels that look like something else
    ("odd", "weights 1", 0, 0, (0, 0, 0, 1)),
    ("odd", 'weights "1"', 0, 0, (0, 0, 0, 3)),
    ("odd", 'weights "0"', 0, 0, (0, 0, 0, 4)),
    ("odd", "weights 0 3", 0, 0, (0, 0, 0, 3)),
    ("odd", "weights [CLS]", 0, 0, (0, 0, 0, 0)),
    ("odd", "weights [3]", 0, 0, (0, 0, 0, 3)),
    ("odd", "weights[[CLS]]", 0, 0, (0, 0, 0, 0)),
    ("odd", "weights[0][[CLS]]", 0, 0, (0, 0, 0, 0)),
    ("odd", 'weights[0]["[CLS]"]', 0, 0, (0, 0, 0, 0)),
    ("odd", "weights a.b", 0, 0, (0, 0, 0, 5)),
    ("odd", "weights[a.b]", 0, 0, (0, 0, 0, 5)),
    ("odd", "weights x=y", 0, 0, (0, 0, 0, 7)),
    ("odd", 'weights "q"', 0, 0, (0, 0, 0, 8)),
    ("odd", "weights ²", 0, 0, (0, 0, 0, 9)),
    ("odd", "weights the#1", 0, 0, (0, 0, 0, 2)),
    ("odd", "weights the#2", 0, 0, (0, 0, 0, 6)),
    ("odd", 'weights "the#2"', 0, 0, (0, 0, 0, 6)),
    ("odd", "weights[the#2]", 0, 0, (0, 0, 0, 6)),
    ("odd", "weights the#2x", 0, 0, (0, 0, 0, 10)),
    ("same", "weights x#2 y", 0, 0, (0, 0, 2, 1)),
    # axes of length 1
    ("small", "context", 0, 0, (0, 0, 0, 0)),
    ("small", "context 0", 0, 0, (0, 0, 0, 0)),
    ("small", "context b 0", 0, 0, (0, 0, 0, 0)),
    ("small", "terms b", 0, 0, (0, 0, 0, 1, 0)),
    ("small", "terms b 0", 0, 0, (0, 0, 0, 1, 0)),
    ("small", "terms b b 0", 0, 0, (0, 0, 0, 1, 0)),
    ("small", "v a", 0, 0, (0, 0, 0, 0)),
    # heads and batch entries
    ("grouped", "weights runs red", 0, 2, (0, 2, 2, 0)),
    ("grouped", "q runs 1", 0, 3, (0, 3, 2, 1)),
    ("grouped", "k runs 1", 0, 3, (0, 1, 2, 1)),
    ("grouped", "joined runs 7", 0, 3, (0, 0, 2, 7)),
    ("gpt2-block", "weights 3 1", 0, 11, (0, 11, 3, 1)),
    ("padding", "weights 3 1", 1, 0, (1, 0, 3, 1)),
]


def split(words: str) -> list[str]:
    """The words as a shell hands them over: the one with a blank is not split."""
    return [words] if "the cat" in words else words.split(" ")


@pytest.mark.parametrize(("scenario", "words", "batch", "head", "place"), FOUND)
def test_words_mean_a_cell(scenario: str, words: str, batch: int, head: int, place: tuple[int, ...]) -> None:
    """A step and a place on each axis, by label or position."""
    cell = find_cell(trace_at(scenario), split(words), batch, head)
    assert (cell.place, cell.given) == (place, False)
    assert words.startswith(cell.name)


ODD_KEYS = '[CLS], the cat, the, 1, 0, a.b, the#2, x=y, "q", ²'
WRONG = [
    (
        "draw", "",
        "no cell is named; write a step and a place, for example weights 0 0; the steps are v, scores, exponentials, "
        "total, weights, context, residual",
        "没有指明单元格；请写出步骤和位置，例如 weights 0 0；步骤有 v, scores, exponentials, total, weights, context, "
        "residual",
    ),
    (
        "draw", "weight draw I",
        "weight draw I: weight is not a step of this scenario; did you mean weights?",
        "weight draw I: weight 不是这个算例的步骤；是不是想写 weights？",
    ),
    (
        "draw", "foo",
        "foo: foo is not a step of this scenario; there are v, scores, exponentials, total, weights, context, residual",
        "foo: foo 不是这个算例的步骤；可用的有 v, scores, exponentials, total, weights, context, residual",
    ),
    (
        "draw", "weights",
        "weights: a place is wanted on each axis, for example weights draw I (query: draw; key: I, like, to, draw)",
        "weights: 每个轴上都要给出位置，例如 weights draw I（查询：draw；键：I, like, to, draw）",
    ),
    (
        "draw", "weights draw I 0",
        "weights draw I 0: a place is wanted on each axis, for example weights draw I "
        "(query: draw; key: I, like, to, draw)",
        "weights draw I 0: 每个轴上都要给出位置，例如 weights draw I（查询：draw；键：I, like, to, draw）",
    ),
    (
        "draw", "v I",
        "v I: a place is wanted on each axis, for example v I 0 (key: I, like, to, draw; feature: 0 to 2)",
        "v I: 每个轴上都要给出位置，例如 v I 0（键：I, like, to, draw；特征：0 到 2）",
    ),
    (
        "draw", "context",
        "context: a place is wanted on each axis, for example context draw 0 (query: draw; feature: 0 to 2)",
        "context: 每个轴上都要给出位置，例如 context draw 0（查询：draw；特征：0 到 2）",
    ),
    (
        "mini-head", "total",
        "total: a place is wanted on each axis, for example total We (query: We, saw, birds, fly, south)",
        "total: 每个轴上都要给出位置，例如 total We（查询：We, saw, birds, fly, south）",
    ),
    (
        "small", "terms",
        "terms: a place is wanted on each axis, for example terms b a 0 (query: b; key: a, b; feature: 0 to 0)",
        "terms: 每个轴上都要给出位置，例如 terms b a 0（查询：b；键：a, b；特征：0 到 0）",
    ),
    (
        "draw", "weights draw x",
        "weights draw x: x is not a label or position of the axis key; wanted is one of: I, like, to, draw",
        "weights draw x: x 不是键轴上的标签或位置；可用的有 I, like, to, draw",
    ),
    (
        "draw", "weights like I",
        "weights like I: like is not a label or position of the axis query; wanted is one of: draw",
        "weights like I: like 不是查询轴上的标签或位置；可用的有 draw",
    ),
    (
        "draw", "weights draw 4",
        "weights draw 4: 4 is not a label or position of the axis key; wanted is one of: I, like, to, draw",
        "weights draw 4: 4 不是键轴上的标签或位置；可用的有 I, like, to, draw",
    ),
    (
        "draw", "weights[draw][]",
        'weights[draw][]: "" is not a label or position of the axis key; wanted is one of: I, like, to, draw',
        'weights[draw][]: "" 不是键轴上的标签或位置；可用的有 I, like, to, draw',
    ),
    (
        "draw", "context draw 3",
        "context draw 3: 3 is not a position of the axis feature; it goes from 0 to 2",
        "context draw 3: 3 不是特征轴上的位置；位置从 0 到 2",
    ),
    (
        "draw", "context draw I",
        "context draw I: I is not a position of the axis feature; it goes from 0 to 2",
        "context draw I: I 不是特征轴上的位置；位置从 0 到 2",
    ),
    (
        "odd", "weights the",
        "weights the: the stands 2 times; write the#2 for the second, or its position",
        "weights the: the 出现了 2 次；第二个写作 the#2，也可以写位置",
    ),
    (
        "odd", 'weights["the"]',
        'weights["the"]: the stands 2 times; write the#2 for the second, or its position',
        'weights["the"]: the 出现了 2 次；第二个写作 the#2，也可以写位置',
    ),
    (
        "odd", "weights the#3",
        f"weights the#3: the#3 is not a label or position of the axis key; wanted is one of: {ODD_KEYS}, the#2x",
        f"weights the#3: the#3 不是键轴上的标签或位置；可用的有 {ODD_KEYS}, the#2x",
    ),
    (
        "odd", 'weights "2"',
        f'weights "2": "2" is not a label or position of the axis key; wanted is one of: {ODD_KEYS}, the#2x',
        f'weights "2": "2" 不是键轴上的标签或位置；可用的有 {ODD_KEYS}, the#2x',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "words", "english", "chinese"), WRONG)
def test_words_that_mean_no_cell_are_told_what_there_is(scenario: str, words: str, english: str, chinese: str) -> None:
    """The axes and their labels, or the word that was meant."""
    with pytest.raises(UsageError) as caught:
        find_cell(trace_at(scenario), words.split())
    assert [caught.value.sentences(language) for language in LANGUAGES] == [[english], [chinese]]


# --- names that lead back -------------------------------------------------------------------------


def some_cells(trace: Trace, most: int) -> Iterator[tuple[Step, Cell]]:
    """Every cell of every step, or so many of each step, chosen alike on every run."""
    rng = Random(1)
    for step in trace:
        shape = step.cells.shape
        for number in rng.sample(range(step.cells.size), min(most, step.cells.size)):
            place = []
            for length in reversed(shape):
                number, last = divmod(number, length)
                place.append(last)
            yield step, Cell(step.name, tuple(reversed(place)))


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_name_of_a_cell_leads_back_to_it(name: str) -> None:
    """The words of its name, with its batch entry and a query head that reads it, find every cell again."""
    trace = run(load(name), terms="v" in run(load(name)))
    for step, cell in some_cells(trace, 1000):
        head = trace.scenario.first_reader(cell.place[1], step.cells.shape[1])
        assert find_cell(trace, words_of(cell_name(trace, cell)), cell.place[0], head) == cell


@pytest.mark.parametrize("name", ["odd", "small", "same"])
def test_odd_labels_lead_back(name: str) -> None:
    """Every name as it stands, split as the dialogue splits a line."""
    trace = trace_at(name)
    for _, cell in some_cells(trace, 100):
        assert find_cell(trace, words_of(cell_name(trace, cell))) == cell


ODD_NAMES = ["[CLS]", '"the cat"', "the#1", '"1"', '"0"', "a.b", "the#2", "x=y", '"q"', "²", "the#2x"]


def test_only_what_would_not_come_back_stands_in_quotes() -> None:
    """Blanks, positions of other labels; the first of several has its number."""
    trace = trace_at("odd")
    named = [cell_name(trace, Cell("weights", (0, 0, 0, place))) for place in range(len(LABELS))]
    assert named == [f"weights the {name}" for name in ODD_NAMES]


def any_labels(seed: int) -> list[str]:
    """Labels of few characters that mean something to a line, a shell, JSON or a path; many of them alike."""
    rng = Random(seed)
    return ["".join(rng.choices('"\\#1203 a[].=-\u00e9\t', k=rng.choice((0, 1, 1, 2, 3, 30)))) for _ in range(30)]


@pytest.mark.parametrize("seed", range(40))
def test_any_labels_lead_back(seed: int) -> None:
    """However much alike: the word that is said is one word, safe to show, no option, and means its place."""
    trace = trace_of({"tokens": any_labels(seed), "scores": list(range(30)), "query": 0})
    for _, cell in some_cells(trace, 30):
        name = cell_name(trace, cell)
        words = words_of(name)
        assert find_cell(trace, words) == cell
        assert len(words) == 2 + (cell.name != "total")
        assert unsafe(name) == []
        assert not [word for word in words if word.startswith("-") and len(word) > 1]


def test_a_label_with_blanks_is_one_word_of_a_shell_too() -> None:
    """The quotes of the name are those of the shell."""
    trace = trace_of({"tokens": ["New York", "a  b", 'a "b" \\'], "scores": [1, 2, 3]})
    for _, cell in some_cells(trace, 3):
        assert find_cell(trace, shlex.split(cell_name(trace, cell))) == cell


TYPED = [
    ("draw", Cell("weights", (0, 0, 0, 1)), "weights draw like"),
    ("mini-head", Cell("w_q", (0, 0, 0, 1), given=True), "w_q.0.1"),
    ("grouped", Cell("k", (0, 1, 2, 1)), "k runs 1 --head 2"),
    ("grouped", Cell("joined", (0, 0, 2, 7)), "joined runs 7"),
    ("padding", Cell("weights", (1, 0, 3, 1)), "weights 3 1 --batch 1"),
]


@pytest.mark.parametrize(("name", "cell", "typed"), TYPED)
def test_a_typed_name_says_batch_entry_and_head(name: str, cell: Cell, typed: str) -> None:
    """As the options of `why`, in every language; of a shared head its first query head."""
    assert typed_name(trace_at(name), cell) == typed


def test_the_example_of_an_error_can_be_typed() -> None:
    """Where the first label is not enough, the example has its number."""
    with pytest.raises(UsageError, match="for example q x#1 0 "):
        find_cell(trace_at("same"), ["q"])


@every_token
@pytest.mark.parametrize("form", ["argument", "quoted", "in brackets", "position"])
def test_hostile_labels_are_found(place: int, form: str) -> None:
    """As the label itself, as JSON in quotes, as JSON in brackets, and by position."""
    hostile = HOSTILE[place]
    if hostile.token == "the":
        word = hostile.shown if hostile.shown != "the" else str(place)
        forms = {"argument": word, "quoted": word, "in brackets": f"weights[0][{word}]"}
    else:
        quoted = json.dumps(hostile.token)
        forms = {"argument": hostile.argument, "quoted": quoted, "in brackets": f"weights[0][{quoted}]"}
    forms["position"] = str(place)
    words = [forms[form]] if form == "in brackets" else ["weights", "?", forms[form]]
    assert find_cell(HOSTILE_TRACE, words) == Cell("weights", (0, 0, 0, place))


@every_token
def test_hostile_labels_make_no_hostile_names(place: int) -> None:
    """A cell is called as the tables call its labels, or in quotes where that would not come back; it leads back."""
    cell = Cell("weights", (0, 0, 0, place))
    name = cell_name(HOSTILE_TRACE, cell)
    assert name == f"weights ? {HOSTILE[place].said}"
    assert find_cell(HOSTILE_TRACE, words_of(name)) == cell


HOSTILE_TRACE = trace_of(json.loads(keys_document()))


def test_every_hostile_label_was_there() -> None:
    """The test itself: as many keys as hostile tokens, in their order."""
    assert HOSTILE_TRACE.scenario.tokens == tuple(TOKENS)
    assert HOSTILE_TRACE["weights"].cells.shape == (1, 1, 1, COUNT)


@pytest.mark.parametrize(
    ("label", "places"), [("5", [0]), ("6", [1]), ("4", []), ("05", []), ("-5", []), ("x", []), ("²", []), ("5#1", [])]
)
def test_labels_that_nobody_wrote_are_their_numbers(label: str, places: list[int]) -> None:
    """Those of very many tokens, here from 5 on: none is made before it is asked for, a part of them is like them."""
    labels = Numbered(range(10**12))[5:]
    assert places_of(labels, label) == places
    assert (labels[1], labels[-1], len(labels[:3])) == ("6", str(10**12 - 1), 3)


@pytest.mark.parametrize("first", [0, 5])
def test_tokens_that_nobody_named_are_said_by_their_numbers(first: int) -> None:
    """By label as far as that leads back, here where they count from 0; else by position."""
    step = run(load({"scores": [[1, 2], [3, 4]]}))["weights"]
    step = replace(step, labels={axis: Numbered(range(9))[first : first + 2] for axis in ("query", "key")})
    assert [name_in(step, (0, 0, 0, key)) for key in (0, 1)] == [f"weights {first} {key + first}" for key in (0, 1)]
    written = replace(step, labels={axis: tuple(names) for axis, names in step.labels.items()})
    assert [name_in(written, (0, 0, 0, key)) for key in (0, 1)] == [name_in(step, (0, 0, 0, key)) for key in (0, 1)]
