"""The full screen of `step`, driven without a terminal: every key, every question, odd sizes, much input."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from hands import Hands, played, text_of, typed
from rich.cells import cell_len
from running import SECONDS
from samples import LANGUAGES
from test_walk import here, walk_in
from textual.geometry import Offset
from textual.widgets import Input, Static

from attncalc import load, run
from attncalc.document.signs import ASCII, UNICODE
from attncalc.document.view import View, say_in
from attncalc.explore.walk import Walk, begin
from attncalc.explore.what_if import edit
from attncalc.interactive import work
from attncalc.interactive.moves import MOVES, pressed
from attncalc.interactive.page import Page
from attncalc.interactive.panes import Grid, StepList
from attncalc.interactive.prompt import Prompt
from attncalc.interactive.screen import ASKS, StepScreen
from attncalc.scenario_files.beside import HERE
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.sources import Source

PURE = [(key, row) for row in MOVES if row.action is not None for key in row.keys]


@pytest.mark.parametrize(("key", "row"), PURE, ids=[key for key, _ in PURE])
def test_every_key_does_what_it_does_in_the_walk(key: str, row: Any) -> None:
    """From a place where each of them does something, the screen and the walk in plain Python agree."""
    way = {"redo": ["m", "u"], "undo": ["m"], "return": ["enter"], "batch": [], "batch-before": []}.get(row.name, [])
    name = "causal-head" if row.name.startswith("batch") else "grouped"
    start = pressed(walk_in(name), ["n"] * 5 + way)
    app = played(start, typed(key))
    wanted = pressed(start, [row.keys[0]])
    assert app.message == ""
    assert (here(app.walk), app.walk.now.changes, app.walk.choice) == (here(wanted), wanted.now.changes, wanted.choice)


@pytest.mark.parametrize(
    ("key", "screen"),
    [
        ("e", Prompt),
        ("s", Prompt),
        ("g", Prompt),
        ("w", Prompt),
        ("ctrl+s", Prompt),
        ("d", Page),
        ("i", Page),
        ("y", Page),
        ("question_mark", Page),
        ("f1", Page),
    ],
)
def test_every_key_that_asks_or_tells_opens_its_screen_and_escape_leaves_it(key: str, screen: type) -> None:
    """The walk is as it was."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n", key)
        assert isinstance(app.screen, screen)
        await hands.press("escape")
        assert len(app.screen_stack) == 1

    app = played(walk_in("draw"), story)
    assert here(app.walk) == "(0, 0) scores draw I"
    assert not app.walk.past


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
def test_quit(key: str) -> None:
    """Each of the keys ends the program."""
    app = played(walk_in("draw"), typed("n", key, "n", "n"))
    assert here(app.walk) == "(0, 0) scores draw I"


def test_the_keys_tested_here_are_all_there_are() -> None:
    """Moves above, questions, pages and quit: no key of the table is left out."""
    assert set(ASKS) == {row.name for row in MOVES if row.action is None and row.keys}
    asking = {"e", "s", "g", "w", "ctrl+s", "d", "i", "y", "question_mark", "f1", "q", "ctrl+c", "ctrl+q"}
    assert {key for row in MOVES if row.action is None for key in row.keys} == asking


# --- questions ------------------------------------------------------------------------------------


def test_a_number_is_edited_in_place() -> None:
    """The old number stands in the field, is replaced by what is typed, and the cell shows the new one."""
    app = played(walk_in("draw"), typed("n", "e", "0", "enter"))
    assert app.walk.now.changes == ("scores.0=0",)
    assert "scores draw I = 0" in app.text
    assert [line[-1] for line in app.steps] == [" ", *"******"]


def test_a_bad_entry_is_refused_in_place_and_can_be_mended() -> None:
    """The sentence stands above the line, the line keeps what was typed."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n", "e", "x", "enter")
        assert 'draw: scores[0]: is "x"; wanted is a number' in str(app.screen.query_one("#why-not", Static).visual)
        assert app.screen.query_one(Input).value == "x"
        await hands.press("backspace", "2", "enter")

    app = played(walk_in("draw"), story)
    assert app.walk.now.changes == ("scores.0=2",)


def test_a_calculated_number_is_not_edited() -> None:
    """No line opens; a sentence says what to do."""
    app = played(walk_in("draw"), typed("n", "n", "e"))
    assert app.message == "exponentials: these numbers are calculated; change one that they are made from"


def test_a_paste_of_ten_thousand_letters_is_refused_like_any_other_text() -> None:
    """The field takes it, the scenario does not, nothing breaks."""

    async def story(app: StepScreen, hands: Hands) -> None:
        from textual.events import Paste

        await hands.press("n", "e")
        app.screen.query_one(Input).post_message(Paste("9" * 5_000 + "\n" + "z" * 5_000))
        await hands.press("enter")
        assert "digits" in str(app.screen.query_one("#why-not", Static).visual)
        await hands.press("escape")

    app = played(walk_in("draw"), story)
    assert not app.walk.past


def test_set_and_go_take_what_the_command_line_takes() -> None:
    """A path with a value; a cell by its labels."""
    app = played(
        walk_in("draw"), typed("s", *"mask=causal", "enter", "g", *"weights", "space", *"draw", "space", *"to", "enter")
    )
    assert app.walk.now.changes == ("mask=causal",)
    assert here(app.walk) == "(0, 0) weights draw to"


def test_saving_and_opening_again(tmp_path: Path) -> None:
    """What is saved gives the same numbers; an old file is kept unless --force stands behind its name."""
    file = tmp_path / "mine.json"

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n", "e", "0", "enter")
        for text in (str(file), str(file), f"{file} --force"):
            await hands.press("w")
            app.screen.query_one(Input).value = text
            await hands.press("enter")
            refused = len(app.screen_stack) > 1
            assert refused == (text == str(file) and file.exists() and refusals == [False])
            refusals.append(refused)
            if refused:
                await hands.press("escape")

    refusals: list[bool] = []
    app = played(walk_in("draw"), story)
    assert refusals == [False, True, False]
    again = run(load(str(file)))
    assert all(step.values.tobytes() == app.walk.trace[step.name].values.tobytes() for step in again)


# --- mouse ----------------------------------------------------------------------------------------


def test_the_mouse_picks_steps_and_cells_and_follows() -> None:
    """A click on a step goes there, on a cell puts the cursor on it, on the cursor follows it; the wheel moves it."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.click(StepList, Offset(5, 4))
        places.append(here(app.walk))
        grid = app.query_one("#grid", Grid)
        assert grid.seen is not None
        spot = Offset(grid.seen.spans[2][0] + 1, 1)
        await hands.click("#grid", spot)
        places.append(here(app.walk))
        await asyncio.sleep(0.6)  # not a double click
        await hands.click("#grid", spot)
        places.append(here(app.walk))

    places: list[str] = []
    played(walk_in("draw"), story)
    assert places == ["(0, 0) weights draw I", "(0, 0) weights draw to", "(0, 0) exponentials draw to"]


# --- sizes ----------------------------------------------------------------------------------------

LARGE = begin(
    Source("large", HERE, parse(
        b'{"scores": [%s], "arithmetic": "float64"}' % b",".join(b"[" + b",".join(b"%d.5" % ((i * j) % 7) for j in range(300)) + b"]" for i in range(300)),
        "large",
    )),
)  # fmt: skip


def cursor_seen(app: StepScreen) -> bool:
    """Whether the bracket of the cursor is drawn."""
    seen = app.query_one("#grid", Grid).seen
    return seen is not None and any(piece.look == "cursor" for line in seen.lines for piece in line)


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (80, 24), (200, 50), (119, 13), (7, 3)])
def test_a_large_table_scrolls_and_the_cursor_stays_in_sight(size: tuple[int, int]) -> None:
    """To the far corner and back, wherever the window is cut, no line is wider than its pane."""

    async def story(app: StepScreen, hands: Hands) -> None:
        for keys in (["n", "n", "n"], ["end", "ctrl+end"], ["left", "up"], ["home", "ctrl+home"], ["pagedown"] * 5):
            await hands.press(*keys)
            grid = app.query_one("#grid", Grid)
            assert grid.size.height == 0 or cursor_seen(app), keys
            seen = grid.seen
            assert seen is not None
            first_column_only = len(seen.spans) == 1
            assert first_column_only or all(
                cell_len("".join(p.text for p in line)) <= grid.size.width for line in seen.lines
            )

    played(LARGE, story, size)


def test_resizing_while_it_runs() -> None:
    """From large to tiny and back: the place stays, and so does the cursor."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n", "n", "n", "n")
        for size in ((200, 50), (20, 5), (3, 2), (80, 24), (60, 14)):
            await hands.resize(*size)
        assert cursor_seen(app)

    assert here(played(walk_in("draw"), story).walk) == "(0, 0) weights draw I"


def test_a_key_held_down_for_long() -> None:
    """Hundreds of times down and right: at the last cell, nothing lost."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n")
        for key in ("down", "right"):
            await hands.hold(key, 320)

    assert played(LARGE, story).walk.cell.place[-2:] == (299, 299)


# --- what is drawn --------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("signs", [UNICODE, ASCII])
def test_the_cells_a_cell_is_made_from_are_marked_in_their_table(language: str, signs: Any) -> None:
    """After following the context to the weights, all four weights have the arrow and one the cursor, without colour."""
    view = View(say_in(language, signs is ASCII), signs, language)
    app = played(walk_in("draw"), typed("n", "n", "n", "n", "n", "enter"), view=view)
    row = app.tables[0][1]
    arrow = ">" if signs is ASCII else "→"
    assert (row.count("["), row.count(arrow)) == (1, 3)
    assert signs is not ASCII or row.isascii()


def test_the_wide_screen_shows_the_tables_behind_a_cell() -> None:
    """At 150 columns the weights and the values stand beside the context, the cells in it marked."""
    app = played(walk_in("draw"), typed("n", "n", "n", "n", "n"), (150, 40))
    weights, values = app.tables[1:]
    assert "".join(weights).count("→") == 4
    assert [line.count("→") for line in values] == [0, 1, 1, 1, 1]
    assert "→0.62" in weights[1]


def test_a_cell_whose_number_changed_says_what_it_was() -> None:
    """Beside its derivation."""
    walk = edit(pressed(walk_in("draw"), ["n"]), "0")
    app = played(walk, typed("n", "n", "n"))
    assert "At the start it was 0.62." in app.text


HOSTILE = b'{"tokens": ["[/b]", "[red]x", ":smile:", "\\u001b[31m"], "scores": [1, 2, 3, 4]}'


def test_tokens_are_text_and_never_markup() -> None:
    """Brackets, emoji codes and escapes are shown as they are written."""
    app = played(begin(Source("hostile", HERE, parse(HOSTILE, "hostile"))), typed("right"))
    header = app.tables[0][0]
    assert "[/b]" in header
    assert "[red]x" in header
    assert ":smile:" in header
    assert "\x1b" not in header


# --- saying what happened -------------------------------------------------------------------------


def test_saving_says_so_and_leaving_asks_once_for_what_is_not_saved(tmp_path: Path) -> None:
    """q with changes says how to leave, a second q leaves; after saving the first does."""

    async def unsaved(app: StepScreen, hands: Hands) -> None:
        await hands.press("m", "q")
        assert text_of(app, "#message").startswith("There are changes that are not saved")
        assert app.is_running
        await hands.press("n", "q")
        assert app.is_running  # another key came between
        await hands.press("q")

    assert here(played(walk_in("draw"), unsaved).walk) == "(0, 0) scores draw I"

    async def saved(app: StepScreen, hands: Hands) -> None:
        await hands.press("m", "w")
        app.screen.query_one(Input).value = str(tmp_path / "mine.json")
        await hands.press("enter")
        assert text_of(app, "#message") == f"Saved as {tmp_path / 'mine.json'}."
        await hands.press("q")

    played(walk_in("draw"), saved)
    document = parse((tmp_path / "mine.json").read_bytes(), "mine")
    assert "expect" not in document
    assert document["about"]["en"] == "Changed from draw: mask=causal."


def test_all_shows_every_given_number_on_the_page() -> None:
    """`--all` counts on the full screen too."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("end", "n", "n", "n", "n", "n", "i")
        pages.append(text_of(app, "#page"))

    pages: list[str] = []
    for everything in (False, True):
        view = View(say_in("en"), everything=everything, options=False)
        played(walk_in("mini-head"), story, view=view)
    assert "given numbers shown." in pages[0]
    assert "given numbers shown." not in pages[1]
    assert "--all" not in pages[0]
    assert pages[1].count("\n") > pages[0].count("\n")


def test_the_text_is_broken_anew_after_a_resize() -> None:
    """Narrow and wide again: as if it had never been narrow."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n", "n", "n", "n", "n")
        before = text_of(app, "#text")
        for size in ((22, 6), (80, 24)):
            await hands.resize(*size)
        assert text_of(app, "#text") == before

    played(walk_in("draw"), story)


@pytest.mark.parametrize("size", [(80, 24), (80, 12), (100, 30), (130, 40)], ids=str)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_the_text_is_broken_twice(size: tuple[int, int], language: str) -> None:
    """A scroll bar takes its room from the text before the text is broken: only the sentence of why may run over."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.resize(*size)
        for _ in app.walk.trace:
            *told, _why = text_of(app, "#text").split("\n")
            room = app.board.query_one("#text").size.width
            assert all(cell_len(line) <= room for line in told), (here(app.walk), room, told)
            await hands.press("n")

    played(walk_in("draw"), story, view=View(say_in(language, False), UNICODE))


@pytest.mark.parametrize(("name", "steps", "said"), [
    ("draw", 6, "given: residual.0 = 0.4"),
    ("draw", 5, ""),
    ("draw", 0, ""),
    ("mini-head", 1, "given: w_q.0.0 = 0, w_q.1.0 = 0, w_q.2.0 = 1,"),
])  # fmt: skip
def test_the_numbers_that_stand_in_the_scenario_alone_are_named(name: str, steps: int, said: str) -> None:
    """No step shows them, so Enter cannot go there; a number put in without a place would come from nowhere."""
    app = played(walk_in(name), typed(*["n"] * steps))
    assert [line for line in app.text.split("\n") if line.startswith("given")] == ([said] if said else [])


def test_ascii_draws_nothing_else() -> None:
    """Titles, lines, headers and the help page."""
    view = View(say_in("en", True), ASCII)

    async def story(app: StepScreen, hands: Hands) -> None:
        for _ in range(7):
            await hands.press("n")
            strips = [strip.text for strip in app.screen._compositor.render_strips()]
            assert all(line.isascii() for line in strips), strips

    played(walk_in("mini-head"), story, view=view)


def test_keys_typed_while_it_calculates_wait_for_what_comes_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the board's where the line is taken, and the line's where it is refused; none gets lost or too early."""

    done = threading.Event()

    def slow(walk: Walk, text: str) -> Walk:
        done.wait(SECONDS)
        return edit(walk, text)

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press("n")
        app._ask("?", "", slow)
        await hands.settle()
        with monkeypatch.context() as patch:
            patch.setattr(work, "PATIENCE", 0.01)
            await hands.press("x", "enter")
        assert "Calculating" in text_of(app, "#why-not")
        await hands.press("7")
        assert app.screen.query_one(Input).value == "x"
        done.set()
        await hands.until(lambda: app.screen.query_one(Input).value == "x7")
        assert "wanted is a number" in text_of(app, "#why-not")
        await hands.press("backspace", "backspace", "2", "enter", "n", "n")

    outcome = played(walk_in("draw"), story)
    assert outcome.walk.now.changes == ("scores.0=2",)
    assert here(outcome.walk) == "(0, 0) total draw"
