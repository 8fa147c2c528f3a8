"""Screens: colour and width follow the options, the environment and the terminal, and no digit is ever lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from calling import call
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from running import run_in_terminal, widest
from surroundings import COLOR, ESCAPE, Table, assert_one_sentence, every_command, numbers_in, usual

from attncalc.core.numbers import figures
from attncalc.core.stage import Trace
from attncalc.core.wrapping import wrapped
from attncalc.document.explain import explain
from attncalc.document.tables import tables
from attncalc.document.view import View, say_in
from attncalc.renderers.terminal import render
from attncalc.running import run
from attncalc.scenario_files import builtin
from attncalc.scenario_files.load import load

WRAPPED = [
    ("one two three", 7, ["one two", "three"]),
    ("abcdefghij k", 4, ["abcd", "efgh", "ij k"]),
    ("a 1234567 b", 4, ["a", "1234567", "b"]),  # half a number is another number
    ("一二三四五六", 8, ["一二三四", "五六"]),
    ("一二三四。五", 8, ["一二三", "四。五"]),
    ("一二三（四五）", 8, ["一二三", "（四五）"]),
    ("用softmax算出权重", 9, ["用softmax", "算出权重"]),
    ("ab cd", 0, ["ab", "cd"]),
    ("", 4, [""]),
]


@pytest.mark.parametrize(("text", "width", "lines"), WRAPPED)
def test_lines_break_where_a_reader_expects_it(text: str, width: int, lines: list[str]) -> None:
    """At blanks and between Chinese characters, never before a full stop or after an opening bracket."""
    assert wrapped(text, width) == lines


class TestColor:
    """Colour where it is wanted, and no escape code where it is off."""

    PIPES: Table = (
        ({}, (), False),
        ({"NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": ""}, (), False),
        ({"FORCE_COLOR": "0"}, (), False),
        ({"FORCE_COLOR": ""}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "3"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, (), True),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "0"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
        ({}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--color", "auto"), True),
        ({"TTY_COMPATIBLE": "1"}, (), False),
        ({"PY_COLORS": "1"}, (), False),
        ({"CLICOLOR_FORCE": "1"}, (), False),
        ({"GITHUB_ACTIONS": "true"}, (), False),
        ({"TERM": "dumb"}, (), False),
        ({"TERM": "xterm-256color", "COLORTERM": "truecolor"}, (), False),
    )
    TERMINALS: Table = (
        ({}, (), True),
        ({"NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": ""}, (), True),
        ({"FORCE_COLOR": "0"}, (), False),
        ({"FORCE_COLOR": ""}, (), True),
        ({"TERM": "dumb"}, (), False),
        ({"TERM": ""}, (), True),
        ({}, ("--color", "never"), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"TERM": "dumb"}, ("--color", "always"), True),
    )

    @every_command
    @pytest.mark.parametrize(("env", "options", "colored"), PIPES, ids=str)
    def test_in_a_pipe(self, command: str, env: dict[str, str], options: tuple[str, ...], colored: bool) -> None:
        """In a pipe there is colour only where it is forced; apart from it the text is the same."""
        done = call(command, "draw", *options, env=env)
        assert (done.code, done.err, ESCAPE in done.out) == (0, "", colored)
        assert COLOR.sub("", done.out) == usual(command, "draw")

    @pytest.mark.parametrize(("env", "options", "colored"), TERMINALS, ids=str)
    def test_in_a_terminal(self, env: dict[str, str], options: tuple[str, ...], colored: bool) -> None:
        """In a terminal there is colour unless it is off; no other escape code is ever sent."""
        seen = run_in_terminal("run", "draw", *options, env=env)
        assert (seen.code, ESCAPE in seen.raw) == (0, colored)
        assert ESCAPE not in COLOR.sub("", seen.raw)

    @pytest.mark.parametrize("env", [{"FORCE_COLOR": "1"}, {"GITHUB_ACTIONS": "true"}, {"PY_COLORS": "1"}], ids=str)
    @pytest.mark.parametrize(
        "args",
        [
            ("--help",),
            ("run", "--help"),
            ("--version",),
            ("run", "nope"),
            ("--nope",),
            ("run", "draw", "--json"),
            ("run", "draw", "--format", "csv"),
            ("run", "draw", "--plain"),
            ("show", "draw"),
        ],
        ids=" ".join,
    )
    def test_never_colored(self, args: tuple[str, ...], env: dict[str, str]) -> None:
        """Help, complaints and data have no colour, whatever the environment forces."""
        done = call(*args, env=env)
        assert ESCAPE not in done.out + done.err

    def test_a_file_is_not_colored(self, tmp_path: Path) -> None:
        """A file asked for from a terminal has no escape codes, and the width of its content."""
        path = tmp_path / "result.txt"
        assert run_in_terminal("run", "mini-head", "-o", str(path), columns=40).code == 0
        assert path.read_text(encoding="utf-8") == usual("run", "mini-head")


class TestWidth:
    """The width: the option, else ATTNCALC_WIDTH, COLUMNS, the terminal; nonsense is no width."""

    SAME = (
        ({"COLUMNS": "20"}, (), "20"),
        ({"COLUMNS": "50"}, (), "50"),
        ({"ATTNCALC_WIDTH": "50"}, (), "50"),
        ({"ATTNCALC_WIDTH": "50", "COLUMNS": "20"}, (), "50"),
        ({"COLUMNS": "20"}, ("--width", "50"), "50"),
        ({"ATTNCALC_WIDTH": "20"}, ("--width", "50"), "50"),
        ({"COLUMNS": "0"}, (), None),
        ({"COLUMNS": "abc"}, (), None),
        ({"COLUMNS": ""}, (), None),
        ({"COLUMNS": "-5"}, (), None),
        ({"COLUMNS": "1e9"}, (), None),
        ({"COLUMNS": "9" * 5000}, (), None),
        ({"COLUMNS": "５０"}, (), None),
        ({"ATTNCALC_WIDTH": "abc"}, (), None),
        ({"ATTNCALC_WIDTH": "0", "COLUMNS": "50"}, (), "50"),
        ({"LINES": "5"}, (), None),
        ({"LINES": "abc"}, (), None),
        ({"TERMINAL_WIDTH": "abc"}, (), None),
    )

    @every_command
    @pytest.mark.parametrize(("env", "options", "width"), SAME, ids=lambda part: str(part)[:50])
    def test_in_a_pipe(self, command: str, env: dict[str, str], options: tuple[str, ...], width: str | None) -> None:
        """The output is the one that `--width` of that width gives, or the natural one."""
        done = call(command, "mini-head", *options, env=env)
        wanted = usual(command, "mini-head", *(("--width", width) if width else ()))
        assert (done.code, done.err, done.out) == (0, "", wanted)

    @pytest.mark.parametrize("columns", ["0", "abc"])
    def test_nonsense_in_a_terminal(self, columns: str) -> None:
        """In a terminal a nonsensical COLUMNS leaves the terminal's own width."""
        seen = run_in_terminal("run", "mini-head", columns=60, env={"COLUMNS": columns, "TERM": "dumb"})
        assert seen.raw.replace("\r\n", "\n") == usual("run", "mini-head", "--width", "60")

    @pytest.mark.parametrize("width", ["0", "abc", "-5", "1.5", "", "１２", "9" * 5000])
    def test_a_wrong_option(self, width: str) -> None:
        """A wrong `--width` is a mistake of the command line."""
        done = call("run", "draw", "--width", width)
        assert (done.code, done.out) == (2, "")
        assert_one_sentence(done.err)

    @pytest.mark.parametrize("width", ["1", "5", "20"])
    def test_very_narrow(self, width: str) -> None:
        """However narrow, it ends, and no number is lost."""
        done = call("run", "draw", "--width", width)
        assert (done.code, done.err) == (0, "")
        assert not numbers_in(usual("run", "draw")) - numbers_in(done.out)

    @every_command
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_sixty_columns(self, command: str, language: str) -> None:
        """In sixty columns every line of every built-in scenario fits, titles, formulas and asides included."""
        found = {
            name: widest(call(command, name, "--lang", language, "--width", "60").out.split("\n"))
            for name in builtin.names()
        }
        assert {name: width for name, width in found.items() if width > 60} == {}

    @every_command
    @pytest.mark.parametrize("name", ["draw", "mini-head", "apple-chars"])
    @pytest.mark.parametrize(("columns", "rows"), [(80, 24), (200, 50)])
    @pytest.mark.parametrize("language", ["en", "zh"])
    def test_a_real_terminal(self, command: str, name: str, columns: int, rows: int, language: str) -> None:
        """In a real terminal every line fits: what is drawn is what was written, line by line; colour is on."""
        seen = run_in_terminal(command, name, "--all", "--lang", language, columns=columns, rows=rows)
        text = COLOR.sub("", seen.raw)
        assert (seen.code, ESCAPE in seen.raw) == (0, True)
        assert widest(text.split("\r\n")) <= columns
        assert len(seen.lines) == len(text.rstrip().split("\r\n"))
        assert not numbers_in(usual(command, name, "--lang", language)) - numbers_in(text)


class TestDigits:
    """No digit of the trace is lost, whatever the width."""

    @settings(max_examples=150, deadline=None)
    @given(
        name=st.sampled_from(builtin.names()), width=st.integers(20, 200), language=st.sampled_from(["en", "zh"]),
        places=st.sampled_from([None, 0, 4, 17]),
    )  # fmt: skip
    @example(name="alibi", width=20, language="en", places=17)
    def test_tables(self, name: str, width: int, language: str, places: int | None) -> None:
        """Every number of every step stands in the tables, as often as in the trace."""
        assert not figures_of(name, places) - numbers_in(in_tables(trace_of(name, places), width, language))

    @settings(max_examples=100, deadline=None)
    @given(name=st.sampled_from(builtin.names()), width=st.integers(20, 200), places=st.sampled_from([4, 17, 50]))
    def test_notes(self, name: str, width: int, places: int) -> None:
        """A number in a sentence is not broken either: half of it would look like a number."""
        narrow = numbers_in(in_tables(trace_of(name, places), width, "en"))
        assert not numbers_with_room(in_tables, name, places, "en") - narrow

    @settings(max_examples=150, deadline=None)
    @given(name=st.sampled_from(builtin.names()), width=st.integers(20, 200), language=st.sampled_from(["en", "zh"]))
    def test_explanations(self, name: str, width: int, language: str) -> None:
        """An explanation holds at any width the numbers that it holds where there is room for everything."""
        wide = numbers_with_room(in_words, name, None, language)
        narrow = numbers_in(in_words(trace_of(name, None), width, language))
        assert not wide - narrow
        assert set(narrow) == set(wide)

    @settings(max_examples=100, deadline=None)
    @given(name=st.sampled_from(builtin.names()), width=st.integers(60, 300), language=st.sampled_from(["en", "zh"]))
    def test_lines_fit(self, name: str, width: int, language: str) -> None:
        """From 60 columns on no line of a built-in scenario is wider than the screen."""
        for text in (in_tables(trace_of(name, None), width, language), in_words(trace_of(name, None), width, language)):
            assert [line for line in text.split("\n") if cell_len(line) > width] == []


@cache
def trace_of(name: str, places: int | None) -> Trace:
    """The trace of a built-in scenario; with `places` calculated exactly and shown so."""
    options: dict[str, Any] = {} if places is None else {"places": str(places), "by_hand": "off"}
    scenario = load(name, [], options)
    return run(scenario, terms=scenario.has_values)


def in_tables(trace: Trace, width: int | None, language: str) -> str:
    """`run` at that width, all heads and batch entries."""
    batches, heads = (tuple(range(count)) for count in trace.scenario.grid[:2])
    view = View(say_in(language), language=language, batches=batches, heads=heads)
    return render(list(tables(trace, view)), view, width=width)


def in_words(trace: Trace, width: int | None, language: str) -> str:
    """`explain` at that width."""
    view = View(say_in(language), language=language)
    return render(list(explain(trace, view)), view, width=width)


@cache
def numbers_with_room(shown: Callable[..., str], name: str, places: int | None, language: str) -> Counter[str]:
    """The numbers of `run` or `explain` where there is room for everything."""
    return numbers_in(shown(trace_of(name, places), None, language))


@cache
def figures_of(name: str, places: int | None) -> Counter[str]:
    """Every number of a trace as it is shown; the zeros of hidden cells have a sign of their own."""
    return Counter(_figures(trace_of(name, places)))


def _figures(trace: Trace) -> Iterator[str]:
    for step in trace:
        hides = step.name in ("exponentials", "weights")
        for text in figures(trace, step.name).ravel():
            if not (hides and float(text) == 0):
                yield text.replace("inf", "∞")
