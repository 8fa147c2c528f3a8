"""`step`: a walk on the full screen – steps, the current table with its cursor, the cell's derivation, its sources."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len
from rich.text import Text
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.events import Event, Resize
from textual.events import Key as KeyPress
from textual.screen import Screen
from textual.widgets import Static

from attncalc.document.blocks import Block
from attncalc.document.view import View
from attncalc.errors import AttncalcError
from attncalc.explore.walk import Walk, go, move_to, to_step
from attncalc.explore.what_if import as_typed, change, edit, path_of
from attncalc.interactive.moves import BY_KEY, Save, press
from attncalc.interactive.over import Over
from attncalc.interactive.panes import Grid, StepList, Told, footer_text, header_text, help_blocks, told_text
from attncalc.interactive.style import CSS
from attncalc.interactive.tables import source_tables, step_table
from attncalc.interactive.typed import target_of, words_of
from attncalc.interactive.work import Switch, Work
from attncalc.messages.safe_text import visible

Change = Callable[[Walk, str], Walk]


WIDE = 120
"""From so many columns on the tables behind a cell stand beside it."""


class StepScreen(App[None]):
    """The program: it holds a walk, turns keys and clicks into another, and draws the one it holds."""

    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (60, "-normal"), (WIDE, "-wide")]  # noqa: RUF012 – as Textual declares it
    VERTICAL_BREAKPOINTS = [(0, "-tiny"), (8, "-low"), (16, "-middle"), (30, "-high")]  # noqa: RUF012
    BINDINGS: ClassVar = []
    CSS = CSS

    def __init__(self, walk: Walk, view: View, save: Save, interruptible: Switch | None = None) -> None:
        super().__init__()
        self.walk, self.view, self.save = walk, view, save
        self.failure: Exception | None = None
        self.message = ""
        self.waiting = False
        self.work = Work(self, interruptible or (lambda on: None))
        self.saved = walk.now  # what need not be asked about before leaving
        self.asked_to_leave = False

    def get_default_screen(self) -> Screen[None]:
        """The board; in ASCII without lines."""
        return Screen(classes="-ascii" if self.view.signs.ascii else None)

    @property
    def board(self) -> Screen[object]:
        """The screen below all others, whatever stands over it."""
        return self.screen_stack[0]

    def compose(self) -> ComposeResult:
        """The panes."""
        yield Static(id="header", markup=False)
        with Horizontal():
            yield StepList(self.go_to_step, id="steps")
            with Vertical():
                yield Static(id="title", markup=False)
                yield Grid(self.go_to_cell, self.turn, id="grid")
                with Told(self.request_draw, id="told", can_focus=False):
                    yield Static(id="text", markup=False)
            with Vertical(id="sources"):
                for number in range(2):
                    yield Static(id=f"source-title-{number}", markup=False)
                    yield Grid(id=f"source-{number}")
        yield Static(id="message", markup=False)
        yield Static(id="footer", markup=False)

    def on_resize(self, event: Resize) -> None:
        """The first size, or another: the texts are broken anew."""
        self.request_draw()

    # --- drawing ----------------------------------------------------------------------------------

    def request_draw(self, message: str = "") -> None:
        """Draws once all that is waiting is done: keys that are held down are drawn together."""
        self.message = message
        if not self.waiting:
            self.waiting = True
            self.call_later(self.draw)

    def draw(self) -> None:
        """Shows the walk as it is, with a message where something could not be done or was done unseen."""
        self.waiting = False
        walk, view, message = self.walk, self.view, self.message
        self._put("#header", header_text(walk, view))
        self.board.query_one(StepList).show(walk, view)
        self._draw_told()
        self.board.query_one("#grid", Grid).show(step_table(walk, view))
        self._draw_sources()
        self._put("#message", Text(message))
        self.board.query_one("#message").display = bool(message)
        self._put("#footer", footer_text(view.say, self.size.width))

    def _draw_told(self) -> None:
        """What does not fit gets a scroll bar and is broken beside it, so that no line is broken twice."""
        pane = self.board.query_one("#told", Told)
        width, bar = max(pane.size.width - 1, 16), pane.styles.scrollbar_size_vertical
        title, told = told_text(self.walk, self.view, width)
        room = width - bar if pane.show_vertical_scrollbar else width
        if sum(max(1, -(-cell_len(line) // room)) for line in told.plain.split("\n")) > pane.size.height:
            _, told = told_text(self.walk, self.view, max(width - bar, 16))
        self._put("#title", title)
        self._put("#text", told)

    def _draw_sources(self) -> None:
        tables = source_tables(self.walk, self.view, 2) if self.size.width >= WIDE else []
        for number in range(2):
            title, grid = (
                self.board.query_one(f"#source-title-{number}"),
                self.board.query_one(f"#source-{number}", Grid),
            )
            title.display = grid.display = number < len(tables)
            if number < len(tables):
                step, table = tables[number]
                self._put(f"#source-title-{number}", Text(self.view.say(f"title.{step.stage.texts()}"), "bold"))
                grid.show(table)

    def _put(self, where: str, text: Text) -> None:
        text.no_wrap = where in ("#header", "#title", "#footer")
        self.board.query_one(where, Static).update(text)

    # --- moving -----------------------------------------------------------------------------------

    async def on_event(self, event: Event) -> None:
        """Every key in the order in which it was typed, before it can wait in the queue of a page that is closing."""
        if not (isinstance(event, KeyPress) and not event.is_forwarded and self._taken(event)):
            await super().on_event(event)

    def _taken(self, key: KeyPress) -> bool:
        """Whether a key is one of the walk, or what stands over the board has taken it."""
        over = self.screen
        if isinstance(over, Over) and not over.closed:
            return over.takes(key)
        self.take_key(key)
        return True

    def take_key(self, event: KeyPress) -> None:
        """A key of the walk. One that was typed before a question stood there belongs to the question."""
        if isinstance(self.screen, Over) and not self.screen.closed:
            self.screen.take(event)
            return
        row = BY_KEY.get(event.key) or BY_KEY.get(event.character or "")
        if row is None:
            return
        self.asked_to_leave = self.asked_to_leave and row.name == "quit"
        if self.work.busy and row.name == "return":
            self.work.abandon()
            self.request_draw()
            return
        if row.action is not None:
            self.turn(lambda walk: press(walk, row.keys[0]))
        else:
            ASKS[row.name](self) if event.key != "ctrl+c" else self.exit()

    def turn(self, action: Callable[[Walk], Walk]) -> None:
        """The walk after an action; where it cannot be done, a message and the walk as it was."""
        if self.work.busy:
            self.request_draw(self.view.say("walk-busy"))
            return
        walk = self.walk
        self.work.start(lambda: action(walk), self._arrive, self._refuse, self._wait)

    def _arrive(self, walk: Walk) -> None:
        self.walk = walk
        self.request_draw()

    def _refuse(self, error: AttncalcError) -> None:
        self.request_draw(error.sentences(self.view.language)[0])

    def _wait(self) -> None:
        self.request_draw(self.view.say("walk-busy"))

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
            return self.request_draw(error.sentences(self.view.language)[0])
        self._ask(f"{path} =", as_typed(self.walk), edit)

    def ask_set(self) -> None:
        """A change anywhere in the scenario."""
        self._ask(self.view.say("walk-ask-set"), "", change)

    def ask_go(self) -> None:
        """A step or a cell by name."""
        self._ask(self.view.say("walk-ask-go"), "", lambda walk, text: go(walk, words_of(text)))

    def ask_save(self) -> None:
        """A file for the scenario as it is."""
        name = self.walk.source.name.removesuffix(".json")
        self._ask(self.view.say("walk-ask-save"), f"{name}-2.json", self._saved)

    def _saved(self, walk: Walk, text: str) -> Walk:
        target = target_of(text)
        self.save(walk, *target)
        self.saved = walk.now
        self.message = self.view.say("walk-saved", file=visible(target.file))
        return walk

    def _ask(self, question: str, start: str, answer: Change) -> None:
        """Opens the line of input; a bad entry is refused in place, and can be mended there."""
        from attncalc.interactive.prompt import Prompt  # as the pages below: not for the first screen

        def answered(prompt: Prompt, text: str) -> None:
            def arrive(walk: Walk) -> None:
                self.walk = walk
                prompt.close()
                self.request_draw(self.message)

            def refuse(error: AttncalcError) -> None:
                prompt.refuse(error.sentences(self.view.language)[0])

            walk, self.message = self.walk, ""
            busy = self.view.say("walk-busy")
            self.work.start(lambda: answer(walk, text), arrive, refuse, lambda: prompt.tell(busy))

        self.push_screen(Prompt(question, start, answered, self.work.abandon))

    # --- pages ------------------------------------------------------------------------------------

    def ask_help(self) -> None:
        """What the keys do."""
        self._page(help_blocks(self.view), "help")

    def ask_diff(self) -> None:
        """What has changed since the start."""
        from attncalc.document.walking import change_blocks

        self._page(list(change_blocks(self.walk, self.view)), "diff")

    def ask_moves(self) -> None:
        """The given numbers that move the cell most."""
        from attncalc.document.influences import strongest

        self._page(list(strongest(self.walk.trace, self.walk.cell, self.view)), "moves")

    def ask_why(self) -> None:
        """The derivation of the cell down to the given numbers."""
        from attncalc.document.because import because

        self._page(list(because(self.walk.trace, self.walk.cell, self.view)), "why")

    def _page(self, blocks: Sequence[Block], name: str) -> None:
        from attncalc.interactive.page import Page

        self.push_screen(Page(blocks, self.view, name))

    def ask_quit(self) -> None:
        """Leaves; with changes that are not saved, at the second time."""
        if self.asked_to_leave or self.walk.now is self.saved or not self.walk.now.changes:
            self.exit()
        else:
            self.asked_to_leave = True
            self.request_draw(self.view.say("walk-unsaved"))

    def _handle_exception(self, error: Exception) -> None:
        """A fault of the program: the terminal is given back first, then the error goes where all go."""
        self.failure = error
        self.exit()

    def finish(self) -> None:
        """Runs until it is left; raises what went wrong inside."""
        self.run()
        if self.failure is not None:
            raise self.failure


ASKS: dict[str, Callable[[StepScreen], None]] = {
    "edit": StepScreen.ask_edit, "set": StepScreen.ask_set, "go": StepScreen.ask_go, "save": StepScreen.ask_save,
    "help": StepScreen.ask_help, "diff": StepScreen.ask_diff, "moves": StepScreen.ask_moves, "why": StepScreen.ask_why,
    "quit": StepScreen.ask_quit,
}  # fmt: skip
"""What asks for a text or shows a page; the other rows of the table are moves."""
