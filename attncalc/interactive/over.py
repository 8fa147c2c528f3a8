"""What stands over the board for a while: it also takes the keys that were typed before it stood there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from textual.events import Key
from textual.screen import ModalScreen


class Over(ModalScreen[None]):
    """A question or a page."""

    closed = False

    def take(self, key: Key) -> None:
        """A key that was meant for it, but went to the board because it was typed so fast."""
        raise NotImplementedError

    def takes(self, key: Key) -> bool:
        """Whether it takes a key at once, or leaves it to what has the focus."""
        raise NotImplementedError

    def close(self) -> None:
        """Gives way to the board; keys that still come here are handed on to it."""
        if not self.closed:
            self.closed = True
            self.dismiss()

    def hand_on(self, key: Key) -> None:
        """A key that came after it was closed."""
        take_key: Callable[[Key], Any] | None = getattr(self.app, "take_key", None)
        if take_key is not None:
            take_key(key)
