"""A page over the full screen: a text that scrolls and is left with any of the usual keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key, Resize
from textual.widgets import Static

from attncalc.document.blocks import Block
from attncalc.document.view import View
from attncalc.interactive.moves import MOVES
from attncalc.interactive.over import Over
from attncalc.renderers.terminal import render

LEAVE = ("follow", "return", "quit")


class Page(Over):
    """Blocks as a page, broken to the width there is; `name` is the move that opened it, whose key closes it too."""

    CSS = """
    Page { background: $background; }
    Page VerticalScroll { height: 1fr; }
    Page.-ascii VerticalScroll { scrollbar-size: 0 0; }
    Page #end { height: 1; text-style: reverse; }
    """
    BINDINGS: ClassVar[list[Any]] = []

    def __init__(self, blocks: Sequence[Block], view: View, name: str) -> None:
        super().__init__(classes="-ascii" if view.signs.ascii else None)
        self.blocks, self.view = blocks, view
        self.leave = {key for row in MOVES if row.name in (*LEAVE, name) for key in row.keys}

    def compose(self) -> ComposeResult:
        """The text and a line that says how to leave it."""
        with VerticalScroll():
            yield Static(id="page", markup=False)
        yield Static(self.view.say("walk-page-end"), id="end", markup=False)

    def on_mount(self) -> None:
        """The text at the width there is, ready to scroll."""
        self._draw()
        self.query_one(VerticalScroll).focus()

    def on_resize(self, event: Resize) -> None:
        """Broken anew."""
        self._draw()

    def _draw(self) -> None:
        text = render(self.blocks, self.view, max(self.size.width - 2, 20)).strip("\n")
        self.query_one("#page", Static).update(text)

    def take(self, key: Key) -> None:
        """A key that was typed before the page stood there."""
        if self.closed:
            self.hand_on(key)
        else:
            self.takes(key)

    def takes(self, key: Key) -> bool:
        """What leaves the page; what scrolls is left to it."""
        if key.key in self.leave:
            self.close()
        return self.closed

    def on_key(self, event: Key) -> None:
        """Leaves; what scrolls is left to the page."""
        if self.closed or event.key in self.leave:
            event.stop()
            event.prevent_default()
            self.take(event)
