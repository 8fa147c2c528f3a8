"""Hostile words: labels as arguments, in `verify`, titles, file names and complaints are as safe as in the tables."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from calling import call
from hostile import (
    COUNT,
    HOSTILE,
    LONG,
    NASTY,
    NASTY_SHOWN,
    SCORES,
    TOKENS,
    as_bytes,
    cells_before,
    every_command,
    every_format,
    every_token,
    keys_document,
    loaded,
    queries_document,
    shown,
    unsafe,
)
from running import Finished, widest


def said(place: int) -> str:
    """A pattern for how the name of a cell says the label."""
    return re.escape(HOSTILE[place].said)


class TestVerify:
    """`verify` names the cells of `expect` as the other commands do."""

    @every_token
    @pytest.mark.parametrize("format", ["table", "plain"])
    def test_a_cell_of_a_key(self, place: int, format: str) -> None:
        """The cell is named by the key's safe label."""
        expected = {"scores": [[json.loads(score) for score in SCORES]]}
        out = shown(keys_document(expect=expected), "verify", "-", "--format", format)
        assert re.search(rf"scores \? ({said(place)})\D+{SCORES[place]}\b", out)

    @every_token
    def test_a_row_by_its_label(self, place: int) -> None:
        """`expect` finds a row by the query's label, whatever it holds."""
        labels = [token for token in TOKENS if TOKENS.count(token) == 1] + ["the#2"]
        rows = {label: [json.loads(SCORES[-1 - TOKENS[::-1].index(label.partition("#")[0])]), 0.5] for label in labels}
        out = shown(queries_document(expect={"scores": rows}), "verify", "-", "--plain")
        if HOSTILE[place].name != "first of a pair":
            assert re.search(rf"scores ({said(place)}) one\D+{SCORES[place]}\b", out)

    def test_rows_are_aligned(self) -> None:
        """The verdicts stand under each other."""
        expected = {"scores": [[json.loads(score) for score in SCORES]]}
        lines = shown(keys_document(expect=expected), "verify", "-").split("\n")
        rows = [line for line in lines if line.startswith("    scores")]
        assert len(rows) == COUNT
        assert len({cells_before(row, " right$") for row in rows}) == 1

    def test_a_long_label_does_not_overrun(self) -> None:
        """With a label of 2,000 characters the lines still fit 80 columns, and the label is there in full."""
        document = as_bytes(tokens=["a", LONG], scores=[[1, 2]], expect={"scores": [[1, 2]]})
        out = shown(document, "verify", "-", "--width", "80")
        assert widest(out.split("\n")) <= 80
        assert LONG in re.sub(r"\s", "", out)


class TestAskedFor:
    """A label finds its token wherever a user writes it."""

    @every_token
    def test_by_query(self, place: int) -> None:
        """`query` names a token by its label, `the#2` the second of two."""
        out = shown(queries_document(query=asked_labels(written=False)), "explain", "-", "--plain")
        assert_told(out, place)

    @every_token
    def test_by_option(self, place: int) -> None:
        """`--token` names it: as it is, or quoted as in JSON."""
        options = [part for label in asked_labels(written=True) for part in ("--token", label)]
        out = shown(queries_document(), "explain", "-", "--plain", *options)
        assert_told(out, place)

    @every_token
    def test_by_change(self, place: int) -> None:
        """`--set tokens.0=…` puts it in: as it is, or quoted as in JSON."""
        options = [part for i, hostile in enumerate(HOSTILE) for part in ("--set", f"tokens.{i}={hostile.argument}")]
        document = json.loads(keys_document())
        document["tokens"] = [f"t{i}" for i in range(COUNT)]
        trace = loaded(shown(json.dumps(document).encode(), "run", "-", "--json", *options))
        assert trace["scenario"]["tokens"][place] == TOKENS[place]

    def test_a_path_by_label(self) -> None:
        """A label in a path, quoted as in JSON, names its place."""
        out = shown(keys_document(), "run", "-", "--json", "--set", 'v["\\u001b[31m"].0=7')
        assert loaded(out)["scenario"]["v"][TOKENS.index("\x1b[31m")] == [7]


class TestTexts:
    """Title, about and source are safe too."""

    DOCUMENT = as_bytes(
        title=f"T{NASTY}", about=f"A{NASTY}", source={"title": f"S{NASTY}", "url": f"https://a/{NASTY}"},
        tokens=["a", "b"], scores=[[1, 2]],
    )  # fmt: skip

    @every_command
    @every_format
    def test_nothing_raw_comes_out(self, command: str, format: str) -> None:
        """No format writes a text's control characters."""
        assert unsafe(shown(self.DOCUMENT, command, "-", "--format", format)) == []

    @every_command
    @pytest.mark.parametrize("start", ["T", "A", "S", "https://a/"])
    @pytest.mark.parametrize("format", ["table", "plain"])
    def test_the_text_is_there(self, command: str, start: str, format: str) -> None:
        """The text stands there with what is unsafe written out, and breaks no line."""
        out = shown(self.DOCUMENT, command, "-", "--format", format)
        assert (start + NASTY_SHOWN).replace(" ", "") in re.sub(r"\s", "", out)
        assert "\nattncalc: done" not in out

    @pytest.mark.parametrize("markup", ["[/b]", "[red]x[/red]", ":smile:", "a  b", "\\"])
    @pytest.mark.parametrize("format", ["table", "plain"])
    def test_nothing_is_swallowed(self, markup: str, format: str) -> None:
        """What looks like markup stands in a title and a text as it is."""
        document = as_bytes(title=f"T {markup}", about=f"A {markup} z", tokens=["a"], scores=[1])
        out = shown(document, "explain", "-", "--format", format)
        assert f"T {markup}" in out
        assert f"A {markup} z" in out

    @pytest.mark.parametrize("command", ["explain", "run", "verify"])
    def test_a_file_name(self, command: str, tmp_path: Path) -> None:
        """A scenario without a title is called by its file, whose name is safe."""
        path = tmp_path / f"{NASTY}.json"
        path.write_bytes(as_bytes(tokens=["a", "b"], scores=[[1, 2]], expect={"scores": [[1, 2]]}))
        done = call(command, str(path))
        assert (done.code, done.err, unsafe(done.out)) == (0, "", [])
        assert NASTY_SHOWN.replace(" ", "") in re.sub(r"\s", "", done.out)


class TestErrors:
    """What went wrong is said safely: a line for each fault, begun by the program's name, nothing forged."""

    DOCUMENTS = (
        ("unknown key", {NASTY: 1, "tokens": ["a"], "scores": [1]}),
        ("unknown key inside", {"tokens": ["a"], "scores": [1], "source": {NASTY: 1}}),
        ("value of a choice", {"tokens": ["a"], "scores": [1], "weighting": NASTY}),
        ("value that is no number", {"tokens": ["a"], "scores": [NASTY]}),
        ("unknown query", {"tokens": ["a"], "scores": [[1]], "query": NASTY}),
        ("unknown query, tokens listed", {"tokens": [NASTY], "scores": [[1]], "query": "b"}),
        ("ambiguous query", {"tokens": [NASTY, NASTY], "scores": [[1, 2], [3, 4]], "query": NASTY}),
        ("step of expect", {"tokens": ["a"], "scores": [1], "expect": {NASTY: [1]}}),
        ("row of expect", {"tokens": ["a"], "scores": [[1]], "expect": {"scores": {NASTY: [1]}}}),
        ("step by hand", {"tokens": ["a"], "scores": [1], "by_hand": {NASTY: 2}}),
        ("made up", {"tokens": ["a"], "scores": [1], "made_up": [NASTY]}),
        ("empty row", {"tokens": [NASTY], "scores": [["-Infinity"]], "empty_rows": "error"}),
        ("lost total", {"tokens": [NASTY], "scores": [[-99]], "by_hand": 2}),
    )  # fmt: skip
    OPTIONS = (
        ("token", ("explain", "draw", "--token", NASTY)),
        ("token with a bad quote", ("explain", "draw", "--token", '"\\x"')),
        ("token of broken UTF-8", ("explain", "draw", "--token", b"a\xff\x9b")),
        ("step", ("run", "draw", "--step", NASTY)),
        ("set without a value", ("run", "draw", "--set", NASTY)),
        ("set of an unknown place", ("run", "draw", "--set", f"v.{NASTY}.0=1")),
        ("set of an unknown key", ("run", "draw", "--set", f"{NASTY}=1")),
        ("set with a bad quote", ("run", "draw", "--set", '["\\x"]=1')),
        ("set of broken UTF-8", ("run", "draw", "--set", b"tokens.0=a\xff\x9b")),
        ("scenario", ("run", NASTY)),
        ("file", ("run", f"{NASTY}.json")),
        ("folder of a result", ("run", "draw", "-o", f"/nowhere/{NASTY}/x")),
        ("format", ("run", "draw", "--format", NASTY)),
        ("language", ("run", "draw", "--lang", NASTY)),
        ("color", ("run", "draw", "--color", NASTY)),
        ("width", ("run", "draw", "--width", NASTY)),
        ("places", ("run", "draw", "--places", NASTY)),
        ("command", (NASTY,)),
        ("option", ("run", "draw", f"--{NASTY}")),
        ("argument too many", ("explain", "draw", NASTY)),
        ("value of a flag", ("run", "draw", f"--json={NASTY}")),
    )  # fmt: skip

    @pytest.mark.parametrize("language", ["en", "zh"])
    @pytest.mark.parametrize(("name", "document"), DOCUMENTS, ids=[name for name, _ in DOCUMENTS])
    def test_in_a_scenario(self, name: str, document: dict[str, Any], language: str) -> None:
        """A scenario's own words do not reach the terminal raw when they are complained about."""
        command = "verify" if name.endswith("of expect") else "explain"
        assert_refused(call(command, "-", stdin=as_bytes(**document), language=language))

    @pytest.mark.parametrize(("name", "arguments"), OPTIONS, ids=[name for name, _ in OPTIONS])
    def test_on_the_command_line(self, name: str, arguments: tuple[str | bytes, ...]) -> None:
        """Neither do the words of the command line."""
        assert_refused(call(*arguments))

    @pytest.mark.parametrize("option", ["--token", "--set"])
    def test_where_it_arose(self, option: str) -> None:
        """`--debug` shows the place in the program, and the words as safely."""
        done = call("explain", "draw", option, NASTY, "--debug")
        assert (done.code, done.out, unsafe(done.err)) == (2, "", [])
        assert "Traceback" in done.err
        assert "\nattncalc: done" not in done.err

    def test_the_word_is_there(self) -> None:
        """What was asked for stands in the complaint, in its safe form."""
        assert NASTY_SHOWN in call("explain", "draw", "--token", NASTY).err

    def test_the_argument_too_many_is_there(self) -> None:
        """The argument too many is named as it is."""
        done = call("explain", "draw", "a(b)")
        assert done.err == "attncalc: there are more arguments than the command takes: a(b)\n"

    def test_known_labels_are_shown_as_elsewhere(self) -> None:
        """The labels there are stand in the complaint as the tables show them: an empty one is seen."""
        done = call("explain", "-", "--token", "z", stdin=as_bytes(tokens=["", " ", "a"], scores=[[1] * 3] * 3))
        assert done.err.endswith('wanted is one of: "", " ", a\n')


def asked_labels(written: bool) -> list[str]:
    """What asks for each token: its label, as it is typed if `written`; of a pair the second as `the#2`."""
    asked = [hostile for hostile in HOSTILE if hostile.name != "first of a pair"]
    return [h.shown if h.name == "second of a pair" else h.argument if written else h.token for h in asked]


def assert_told(out: str, place: int) -> None:
    """The query is told under its safe label, once, with its own score; the one that was not asked for is not."""
    line = f"query {HOSTILE[place].shown}, key one: {SCORES[place]}"
    assert out.split("\n").count(line) == (HOSTILE[place].name != "first of a pair")


def assert_refused(done: Finished) -> None:
    """It ends with 2 and nothing on standard output; each line of complaint is safe and begins as all do."""
    lines = done.err.removesuffix("\n").split("\n")
    assert (done.code, done.out, unsafe(done.err)) == (2, "", [])
    assert [line for line in lines if not line.startswith("attncalc: ")] == []
    assert [line for line in lines if line.startswith("attncalc: done")] == []
