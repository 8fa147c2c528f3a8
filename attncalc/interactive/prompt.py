"""The line of input over the full screen: a question, what is typed, and why it cannot be taken."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable

from textual.app import ComposeResult
from textual.events import Key
from textual.widgets import Input, Static

from attncalc.interactive.over import Over

Answered = Callable[[str], str]
"""Takes what was typed; returns an empty text where it was taken, else the sentence that says why not."""


ACTIONS = {
    "enter": "submit", "backspace": "delete_left", "delete": "delete_right", "left": "cursor_left",
    "right": "cursor_right", "home": "home", "end": "end", "ctrl+u": "delete_left_all",
}  # fmt: skip


class Line(Input):
    """An input that acts on its keys in the order in which they are typed.

    Textual takes letters at once and the other keys a round later, which turns fast typing upside down.
    """

    async def on_key(self, event: Key) -> None:
        """Acts on a key that is no letter now."""
        if event.key in ACTIONS:
            event.stop()
            event.prevent_default()
            done = getattr(self, f"action_{ACTIONS[event.key]}")()
            if isawaitable(done):
                await done


class Prompt(Over):
    """Asks for one line; a bad one is refused in place."""

    CSS = """
    Prompt { align: left bottom; background: $background 40%; }
    Prompt Static { height: auto; max-height: 4; }
    Prompt #why-not { color: $text-error; }
    Prompt Input { border: none; height: 1; padding: 0; }
    """

    def __init__(self, question: str, start: str, answered: Answered) -> None:
        super().__init__()
        self.question, self.start, self.answered = question, start, answered
        self.early: list[Key] = []  # typed before there was a line to take it

    def compose(self) -> ComposeResult:
        """The question, what was wrong, the line."""
        yield Static(self.question, markup=False)
        yield Static("", id="why-not", markup=False)
        yield Line(self.start, select_on_focus=True)

    def on_mount(self) -> None:
        """Ready to type."""
        self.query_one("#why-not").display = False
        self.query_one(Input).focus()

    def take(self, key: Key) -> None:
        """A key that was typed before the line stood there; it is taken in its turn."""
        if self.focused is None:
            self.early.append(key)
        else:
            self.query_one(Input).post_message(Key(key.key, key.character))

    def on_descendant_focus(self) -> None:
        """The line takes keys now: first those that came before."""
        early, self.early = self.early, []
        for key in early:
            self.query_one(Input).post_message(Key(key.key, key.character))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Takes the line, or says why not."""
        why_not = self.answered(event.value)
        if not why_not:
            self.dismiss()
            return
        refusal = self.query_one("#why-not", Static)
        refusal.update(why_not)
        refusal.display = True

    def on_key(self, event: Key) -> None:
        """Escape and Ctrl-C leave the line as if it had not been opened."""
        if event.key in ("escape", "ctrl+c"):
            event.stop()
            self.dismiss()
