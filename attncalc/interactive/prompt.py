"""The line of input over the full screen: a question, what is typed, and why it cannot be taken."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable

from textual.app import ComposeResult
from textual.events import Key
from textual.widgets import Input, Static

from attncalc.interactive.over import Over

Answered = Callable[["Prompt", str], None]
"""Takes the question and what was typed, and closes the question or has it say why not."""


ACTIONS = {
    "enter": "submit", "backspace": "delete_left", "delete": "delete_right", "left": "cursor_left",
    "right": "cursor_right", "home": "home", "end": "end", "ctrl+u": "delete_left_all",
}  # fmt: skip


LEAVE = ("escape", "ctrl+c")


class Line(Input):
    """An input that acts on its keys in the order in which they are typed.

    Textual takes letters at once and the other keys a round later, which turns fast typing upside down.
    """

    async def on_key(self, event: Key) -> None:
        """Acts on a key that is no letter now; one that comes while or after the line is taken is kept for later."""
        prompt = self.screen
        kept = isinstance(prompt, Prompt) and prompt.keeps(event)
        if kept or event.key in ACTIONS:
            event.stop()
            event.prevent_default()
        if not kept and event.key in ACTIONS:
            done = getattr(self, f"action_{ACTIONS[event.key]}")()
            if isawaitable(done):
                await done


class Prompt(Over):
    """Asks for one line; a bad one is refused in place."""

    CSS = """
    Prompt { align: left bottom; background: $background 40%; }
    Prompt Static { height: auto; max-height: 4; }
    Prompt #why-not { color: $text-error; }
    Prompt.-tiny #question { display: none; }
    Prompt Input { border: none; height: 1; padding: 0; }
    """

    def __init__(self, question: str, start: str, answered: Answered, left: Callable[[], None]) -> None:
        super().__init__()
        self.question, self.start, self.answered, self.left = question, start, answered, left
        self.early: list[Key] = []  # typed before there was a line to take it
        self.later: list[Key] = []  # typed while it is not known yet whether the line is taken
        self.waiting = self.ready = False

    def compose(self) -> ComposeResult:
        """The question, what was wrong, the line."""
        yield Static(self.question, id="question", markup=False)
        yield Static("", id="why-not", markup=False)
        yield Line(self.start, select_on_focus=True)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one("#why-not").display = False
        self.query_one(Input).focus()

    def take(self, key: Key) -> None:
        """A key that was typed before the line stood there; it is taken in its turn."""
        if not self.takes(key):
            self.query_one(Input).post_message(Key(key.key, key.character))

    def takes(self, key: Key) -> bool:
        """A key that comes before the line can take it; the others are the line's."""
        if not self.ready:
            self.early.append(key)
        return not self.ready

    def on_descendant_focus(self) -> None:
        """The line takes keys now: first those that came before."""
        self.ready = True
        early, self.early = self.early, []
        for key in early:
            self.query_one(Input).post_message(Key(key.key, key.character))

    def keeps(self, key: Key) -> bool:
        """Whether a key is not for the line: it leaves, it comes too late, or it has to wait."""
        if self.closed:
            self.hand_on(key)
        elif key.key in LEAVE:
            self.leave()
        elif self.waiting:
            self.later.append(key)
        else:
            self.waiting = key.key == "enter"
            return False
        return True

    def close(self) -> None:
        """Gives way, and hands on what was typed meanwhile."""
        super().close()
        later, self.later = self.later, []
        for key in later:
            self.hand_on(key)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the line; one that was left as it stood changes nothing."""
        if event.value == self.start and self.start:
            self.leave()
        elif not self.closed:
            self.answered(self, event.value)

    def refuse(self, sentence: str) -> None:
        """Says above the line why it was not taken; what was typed meanwhile goes into it."""
        self.tell(sentence)
        self.waiting = False
        later, self.later = self.later, []
        for key in later:
            self.query_one(Input).post_message(Key(key.key, key.character))

    def tell(self, sentence: str) -> None:
        """Says something above the line."""
        said = self.query_one("#why-not", Static)
        said.update(sentence)
        said.display = True

    def leave(self) -> None:
        """As if it had not been opened."""
        self.left()
        self.close()
