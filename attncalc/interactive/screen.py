"""`step`: a walk on the full screen – steps, the current table with its cursor, the cell's derivation, its sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Key as KeyPress
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Static

from attncalc.core.expression import Number
from attncalc.core.numbers import operand
from attncalc.document.blocks import Block
from attncalc.document.view import View
from attncalc.errors import AttncalcError
from attncalc.explore.keys import BY_KEY, press
from attncalc.explore.walk import Walk, go, move_to, to_step
from attncalc.explore.what_if import change, edit, path_of
from attncalc.interactive.over import Over
from attncalc.interactive.panes import Grid, StepList, footer_text, header_text, help_blocks, told_text
from attncalc.interactive.tables import source_tables, step_table

Save = Callable[[Walk, str, bool], None]
Change = Callable[[Walk, str], Walk]

FORCE = " --force"


class Board(Screen[None]):
    """The screen below all questions and pages: every key is one of the walk."""

    def on_key(self, event: KeyPress) -> None:
        """Hands the key on, before Textual's own keys see it."""
        event.stop()
        event.prevent_default()
        if isinstance(self.app, StepScreen):
            self.app.take_key(event)


class StepScreen(App[None]):
    """The program: it holds a walk, turns keys and clicks into another, and draws the one it holds."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-normal"), (120, "-wide")]  # noqa: RUF012 – as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-low"), (14, "-middle"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar = []
    CSS = """
    Screen { layout: vertical; overflow: hidden; background: $background; }
    #header, #footer, #title { height: 1; }
    #header { text-style: bold; }
    #message { height: auto; max-height: 3; color: $text-error; }
    #steps { width: 26; border-right: solid $primary; }
    #told { height: 9; border-top: solid $primary; }
    #title { text-style: bold; }
    #grid { height: 1fr; }
    #sources { width: 40%; border-left: solid $primary; display: none; }
    #sources Static { height: 1; }
    #sources Grid { height: 1fr; }
    .-narrow #steps, .-low #header, .-low #footer { display: none; }
    .-low #told { height: 2; border-top: none; }
    .-high #told { height: 14; }
    .-wide #sources { display: block; }
    """

    def __init__(self, walk: Walk, view: View, save: Save) -> None:
        super().__init__()
        self.walk, self.view, self.save = walk, view, save
        self.failure: Exception | None = None

    def get_default_screen(self) -> Screen[None]:
        """The board."""
        return Board()

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Static(id="header", markup=False)
        with Horizontal():
            yield StepList(self.go_to_step, id="steps")
            with Vertical():
                yield Static(id="title", markup=False)
                yield Grid(self.go_to_cell, self.turn, id="grid")
                with VerticalScroll(id="told", can_focus=False):
                    yield Static(id="text", markup=False)
            with Vertical(id="sources"):
                for number in range(2):
                    yield Static(id=f"source-title-{number}", markup=False)
                    yield Grid(id=f"source-{number}")
        yield Static(id="message", markup=False)
        yield Static(id="footer", markup=False)

    def on_resize(self, event: Resize) -> None:
        """The first size, or another: the texts are broken anew."""
        self.call_after_refresh(self.draw)

    # --- drawing ----------------------------------------------------------------------------------

    def draw(self, message: str = "") -> None:
        """Shows the walk as it is, with a message where something could not be done."""
        walk, view = self.walk, self.view
        self._put("#header", header_text(walk, view))
        self.query_one(StepList).show(walk, view)
        title, told = told_text(walk, view, max(self.query_one("#told").size.width - 1, 16))
        self._put("#title", title)
        self._put("#text", told)
        self.query_one("#grid", Grid).show(step_table(walk, view))
        self._draw_sources()
        self._put("#message", Text(message))
        self.query_one("#message").display = bool(message)
        self._put("#footer", footer_text(view.say, self.size.width))

    def _draw_sources(self) -> None:
        tables = source_tables(self.walk, self.view, 2)
        for number in range(2):
            title, grid = self.query_one(f"#source-title-{number}"), self.query_one(f"#source-{number}", Grid)
            title.display = grid.display = number < len(tables)
            if number < len(tables):
                step, table = tables[number]
                self._put(f"#source-title-{number}", Text(self.view.say(f"title.{step.stage.texts()}"), "bold"))
                grid.show(table)

    def _put(self, where: str, text: Text) -> None:
        text.no_wrap = where in ("#header", "#title", "#footer")
        self.query_one(where, Static).update(text)

    # --- moving -----------------------------------------------------------------------------------

    def take_key(self, event: KeyPress) -> None:
        """A key of the walk. One that was typed before a question stood there belongs to the question."""
        if isinstance(self.screen, Over):
            self.screen.take(event)
            return
        row = BY_KEY.get(event.key) or BY_KEY.get(event.character or "")
        if row is None:
            return
        if row.action is not None:
            self.turn(lambda walk: press(walk, row.keys[0]))
        else:
            getattr(self, f"ask_{row.name}")()

    def turn(self, action: Callable[[Walk], Walk]) -> bool:
        """The walk after an action; where it cannot be done, a message and the walk as it was."""
        try:
            self.walk = action(self.walk)
        except AttncalcError as error:
            self.draw(error.sentences(self.view.language)[0])
            return False
        self.draw()
        return True

    def go_to_step(self, name: str) -> None:
        """A step that was clicked."""
        self.turn(lambda walk: to_step(walk, name))

    def go_to_cell(self, row: int, column: int) -> None:
        """A cell that was clicked; a second click follows it."""
        here = self.walk.cell.place[-2:] == (row, column)
        self.turn(lambda walk: press(walk, "enter") if here else move_to(walk, row, column))

    # --- asking for a text ------------------------------------------------------------------------

    def ask_edit(self) -> None:
        """Another number for the given one under the cursor."""
        try:
            path = path_of(self.walk)
        except AttncalcError as error:
            return self.draw(error.sentences(self.view.language)[0])
        value = self.walk.step.cells[self.walk.cell.place]
        self._ask(f"{path} =", operand(self.walk.trace, Number(value, self.walk.cell)), edit)

    def ask_set(self) -> None:
        """A change anywhere in the scenario."""
        self._ask(self.view.say("walk-ask-set"), "", change)

    def ask_go(self) -> None:
        """A step or a cell by name."""
        self._ask(self.view.say("walk-ask-go"), "", lambda walk, text: go(walk, text.split()))

    def ask_save(self) -> None:
        """A file for the scenario as it is."""
        name = self.walk.origin.name
        self._ask(self.view.say("walk-ask-save"), "" if name.endswith(".json") else f"{name}-2.json", self._saved)

    def _saved(self, walk: Walk, text: str) -> Walk:
        file = text.removesuffix(FORCE).strip()
        self.save(walk, file, text.endswith(FORCE))
        return walk

    def _ask(self, question: str, start: str, answer: Change) -> None:
        """Opens the line of input; a bad entry is refused in place, and can be mended there."""

        def answered(text: str) -> str:
            try:
                self.walk = answer(self.walk, text)
            except AttncalcError as error:
                return error.sentences(self.view.language)[0]
            self.draw()
            return ""

        from attncalc.interactive.prompt import Prompt  # as the pages below: not for the first screen

        self.push_screen(Prompt(question, start, answered))

    # --- pages ------------------------------------------------------------------------------------

    def ask_help(self) -> None:
        """What the keys do."""
        self._page(help_blocks(self.view))

    def ask_diff(self) -> None:
        """What has changed since the start."""
        from attncalc.document.walking import change_blocks

        self._page(list(change_blocks(self.walk, self.view)))

    def ask_moves(self) -> None:
        """The given numbers that move the cell most."""
        from attncalc.document.influences import strongest

        self._page(list(strongest(self.walk.trace, self.walk.cell, self.view)))

    def ask_why(self) -> None:
        """The derivation of the cell down to the given numbers."""
        from attncalc.document.because import because

        self._page(list(because(self.walk.trace, self.walk.cell, self.view, None)))

    def _page(self, blocks: Sequence[Block]) -> None:
        from attncalc.interactive.page import Page

        self.push_screen(Page(blocks, self.view))

    def ask_quit(self) -> None:
        """Leaves."""
        self.exit()

    def _handle_exception(self, error: Exception) -> None:
        """A fault of the program: the terminal is given back first, then the error goes where all go."""
        self.failure = error
        self.exit()

    def finish(self) -> None:
        """Runs until it is left; raises what went wrong inside."""
        self.run()
        if self.failure is not None:
            raise self.failure
