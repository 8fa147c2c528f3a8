"""What stands over the board for a while: it also takes the keys that were typed before it stood there."""

from __future__ import annotations

from textual.events import Key
from textual.screen import ModalScreen


class Over(ModalScreen[None]):
    """A question or a page."""

    def take(self, key: Key) -> None:
        """A key that was meant for it, but went to the board because it was typed so fast."""
        raise NotImplementedError
