"""Changes such as `scores.0=1`, and how options of the command line are folded into a document."""

from __future__ import annotations

from typing import Any

import pytest
from samples import DRAW

from attncalc import load, run
from attncalc.errors import AttncalcError, UsageError
from attncalc.scenario_files.edits import edited, segments_of, value_of
from attncalc.scenario_files.folding import folded
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written

DOCUMENT = written(
    {
        "tokens": ["the", "cat", "the", "2"], "query_tokens": ["who", "what"], "source": {"title": "t"},
        "scores": [[1, 2, 3, 4], [5, 6, 7, 8]], "v": [[1, 2], [3, 4], [5, 6], [7, 8]], "by_hand": 2,
    }
)  # fmt: skip


def after(*changes: str) -> Any:
    """The document with the changes, numbers as their text."""
    return plain(edited(parse(DOCUMENT.encode(), "d"), changes))


def plain(value: Any) -> Any:
    """Numbers as text, all else as it is."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [plain(part) for part in value]
    return getattr(value, "text", value)


def at(document: Any, path: str) -> Any:
    """The place of a document that a path of keys and positions names."""
    for part in path.split("/"):
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


PATHS: list[tuple[str, str, Any]] = [
    # change, place, what stands there then
    ("scores.0.1=9", "scores/0/1", "9"),
    ("scores[0][1]=9", "scores/0/1", "9"),
    ("scores[0].1=9", "scores/0/1", "9"),
    ('"scores"[0].1=9', "scores/0/1", "9"),
    ("scores.who.cat=9", "scores/0/1", "9"),
    ("scores[what][cat]=9", "scores/1/1", "9"),
    ("scores.0.the#2=9", "scores/0/2", "9"),
    ('scores.0."the#2"=9', "scores/0/2", "9"),
    ('scores["what"]["2"]=9', "scores/1/3", "9"),  # a quoted number is a label
    ("scores.1.2=9", "scores/1/2", "9"),  # a bare one a position
    ("v.cat.1=0.90", "v/1/1", "0.90"),
    ('v."2".0=9', "v/3/0", "9"),
    ("v.2.0=9", "v/2/0", "9"),
    ("v.cat=[7, 8]", "v/1", ["7", "8"]),
    ("tokens.1=dog", "tokens/1", "dog"),
    ("mask=causal", "mask", "causal"),
    ("mask=\"causal\"", "mask", "causal"),
    ("temperature=1e2", "temperature", "1e2"),
    ("residual=true", "residual", True),
    ("made_up=[\"v\"]", "made_up/0", "v"),
    ("title=a = b", "title", "a = b"),
    ("title=[half", "title", "[half"),
    ("title=NaN", "title", "NaN"),
    ("title=null", "title", None),
    ("source.title=new", "source/title", "new"),
    ("source.url=http://x.y/?a=b", "source/url", "http://x.y/?a=b"),
    ("expect.total=9", "expect/total", "9"),  # made on the way
    ("title.zh=新", "title/zh", "新"),
    ("expect.weights.who=[1]", "expect/weights/who/0", "1"),
    (" title = spaced ", "title", " spaced "),
]  # fmt: skip


@pytest.mark.parametrize(("change", "place", "value"), PATHS)
def test_a_change_reaches_its_place(change: str, place: str, value: Any) -> None:
    """Keys, positions, labels and the#2; dots, brackets and quotes; JSON or else a text."""
    assert at(after(change), place) == value


@pytest.mark.parametrize(
    ("change", "key", "left"),
    [
        ("by_hand=", "", None), ("tokens.1=", "tokens", ["the", "the", "2"]), ("v.0=", "v", 3),
        ("source.title=", "source", {}),
    ],
)  # fmt: skip
def test_nothing_after_the_sign_removes(change: str, key: str, left: Any) -> None:
    """A key, an entry of a list, a key inside."""
    document = after(change)
    if not key:
        assert "by_hand" not in document
    elif isinstance(left, int):
        assert len(document[key]) == left
    else:
        assert document[key] == left


def test_changes_are_made_one_after_another_in_a_copy() -> None:
    """A later one sees what an earlier one made; the document given stays as it was."""
    document = parse(DOCUMENT.encode(), "d")
    changed = edited(document, ["tokens.0=a", "scores.0.a=9", "scores.0.a=10", "by_hand="])
    assert plain(changed["scores"][0]) == ["10", "2", "3", "4"]
    assert written(document) == DOCUMENT


def test_one_dimensional_scores_have_keys_as_their_axis() -> None:
    """`scores.to` of one query is the score for the key."""
    document = parse(written(DRAW).encode(), "d")
    assert plain(edited(document, ["scores.to=9"])["scores"]) == ["1.8", "0.2", "9", "-0.3"]


def test_the_scenario_inside_a_trace_is_changed() -> None:
    """A trace is edited as the scenario it holds."""
    trace = {"format": "attncalc-trace/1", "scenario": {"scores": [1]}, "steps": []}
    assert plain(edited(trace, ["scores.0=2"]))["scenario"] == {"scores": ["2"]}


FAULTS: list[tuple[str, str]] = [
    ("scores", "--set scores: is not PATH=VALUE, for example scores.0=1 or mask=causal"),
    ("=1", "--set =1: is not PATH=VALUE, for example scores.0=1 or mask=causal"),
    ("scores.0.9=1", "--set scores.0.9=1: 9 is not a position in scores.0; positions go from 0 to 3"),
    ("scores.0.dog=1", "--set scores.0.dog=1: dog is neither a position in scores.0 nor a token; there are the, cat"),
    ("scores.0.the=1", "--set scores.0.the=1: the stands 2 times; write the#2 for the second, or its position"),
    ("scores.0.0.0=1", "--set scores.0.0.0=1: scores.0.0 is a single value and has no parts"),
    ("by_hand.x=1", "--set by_hand.x=1: by_hand is a single value and has no parts"),
    ("mask=", "--set mask=: there is no mask here"),
    ("scroes.0=1", "--set scroes.0=1: there is no scroes here; did you mean scores?"),
    ("v.#2=1", "--set v.#2=1: #2 is neither a position in v nor a token"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_a_change_that_cannot_be_made_is_refused(change: str, message: str) -> None:
    """A sentence that names the change and, where one can be guessed, the mend."""
    with pytest.raises(UsageError) as caught:
        after(change)
    assert str(caught.value).startswith(message)


def test_all_faulty_changes_are_reported_together() -> None:
    """A sentence each, and nothing is changed."""
    with pytest.raises(UsageError) as caught:
        after("scores.9=1", "mask=causal", "nothing=")
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("a.b", [("a", False), ("b", False)]), ("a[b]", [("a", False), ("b", False)]),
        ('a["b.c"]', [("a", False), ("b.c", True)]), ('a."b]c"', [("a", False), ("b]c", True)]),
        ('a["\\u0041\\""]', [("a", False), ('A"', True)]),
        ("weights[draw][I]", [("weights", False), ("draw", False), ("I", False)]),
        ("a b.c", [("a b", False), ("c", False)]), ("苹.果", [("苹", False), ("果", False)]),
    ],
)  # fmt: skip
def test_a_path_has_segments(text: str, segments: list[tuple[str, bool]]) -> None:
    """Dots and brackets part it, quotes keep it together."""
    found, end = segments_of(text)
    assert ([tuple(segment) for segment in found], end) == (segments, len(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [("1", "1"), ("-0.70", "-0.70"), ("true", True), ("null", None), ("[1]", ["1"]), ("a", "a"), ('"1"', "1"),
     ("Infinity", "Infinity"), ("1 2", "1 2"), ('"-Infinity"', "-Infinity")],
)  # fmt: skip
def test_a_value_is_json_or_a_text(text: str, value: Any) -> None:
    """What is not JSON is taken as it stands."""
    assert plain(value_of(text)) == value


FOLDINGS: list[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = [
    # document, options, document afterwards
    ({}, {}, {}),
    ({"places": 2}, {"places": "3"}, {"places": "3"}),
    ({}, {"rounding": "truncate"}, {"rounding": "truncate"}),
    ({}, {"shift": True}, {"shift": True}),
    ({"shift": True}, {"shift": False}, {"shift": False}),
    ({"shift": True}, {"shift": None}, {"shift": True}),
    ({}, {"by_hand": "2"}, {"by_hand": "2"}),
    ({"by_hand": {"default": 1}}, {"by_hand": "2"}, {"by_hand": "2"}),
    ({"by_hand": 2}, {"by_hand": "off"}, {}),
    ({"by_hand": 2, "arithmetic": "by-hand"}, {"by_hand": "off"}, {}),
    ({"arithmetic": "float64"}, {"by_hand": "off"}, {"arithmetic": "float64"}),
    ({"arithmetic": "float64"}, {"by_hand": "2"}, {"by_hand": "2"}),
    ({"by_hand": 2}, {"arithmetic": "exact"}, {"by_hand": 2, "arithmetic": "exact"}),
    ({"arithmetic": "float64"}, {"arithmetic": "exact", "by_hand": "2"}, {"by_hand": "2", "arithmetic": "exact"}),
    ({"by_hand": 2}, {"arithmetic": "by-hand", "by_hand": "off"}, {"arithmetic": "by-hand"}),
]


@pytest.mark.parametrize(("document", "options", "wanted"), FOLDINGS)
def test_options_are_folded_in(document: dict[str, Any], options: dict[str, Any], wanted: dict[str, Any]) -> None:
    """--arithmetic goes before --by-hand, that before the scenario's; `off` undoes."""
    kept = dict(document)
    assert plain(folded(document, options)) == wanted
    assert document == kept
    trace = {"format": "attncalc-trace/1", "scenario": document, "steps": []}
    assert plain(folded(trace, options))["scenario"] == wanted


@pytest.mark.parametrize("document", [[1], "text", None, {"format": "attncalc-trace/1", "scenario": 3}])
def test_what_is_no_scenario_is_left_for_the_reader_to_refuse(document: Any) -> None:
    """Options change nothing there."""
    assert folded(document, {"places": "3"}) == document


BATCHED = {name: [[[[1]]], [[[2]]]] for name in "qkv"} | {"past": {name: [[[[1]]], [[[2]]]] for name in "kv"}}


@pytest.mark.parametrize("change", ["k.1=", "v.1=", "past.k.1=", "past.v.1="])
def test_one_batch_entry_of_keys_or_values_serves_all(change: str) -> None:
    """Whether the cache or the new rows have it alone."""
    trace = run(load(BATCHED, [change]))
    assert trace["context"].shape == (2, 1, 1, 1)


def test_a_bias_that_nothing_reads_need_not_fit() -> None:
    """It is refused for that alone, in a sentence."""
    with pytest.raises(AttncalcError) as error:
        load({"heads": 2, "scores": [[1, 2]], "v": [[1, 2], [3, 4]]}, ["b_q=[1]", "b_k=[1]"])
    assert [fault.code for fault in error.value.faults] == ["nothing-reads", "nothing-reads"]


CACHED = {
    "tokens": ["a", "b", "c", "d"],
    "past": {"k": [[1], [2]], "v": [[1], [2]]},
    "q": [[1], [2]],
    "k": [[3], [4]],
    "v": [[3], [4]],
}


@pytest.mark.parametrize(
    ("change", "array", "cells"),
    [
        ("q.c.0=9", "q", [9, 2]), ("q.d.0=9", "q", [1, 9]), ("k[d][0]=9", "k", [3, 9]), ("v.c.0=9", "v", [9, 4]),
        ("past.k.b.0=9", "past.k", [1, 9]), ("past.v.a.0=9", "past.v", [9, 2]),
    ],
)  # fmt: skip
def test_a_label_beside_a_cache_means_its_own_row(change: str, array: str, cells: list[int]) -> None:
    """The tokens of the past come first, and the new rows are those of the last."""
    assert [int(x) for x in load(CACHED, [change]).arrays[array].ravel()] == cells


@pytest.mark.parametrize("change", ["q.a.0=9", "k.b.0=9"])
def test_a_label_of_the_past_has_no_new_row(change: str) -> None:
    """It is refused, with the labels that there are."""
    with pytest.raises(UsageError) as error:
        load(CACHED, [change])
    assert [(fault.code, fault.fields["known"]) for fault in error.value.faults] == [("set-no-label", "c, d")]
