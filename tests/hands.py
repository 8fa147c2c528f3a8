"""The full screen of `step` without a terminal: keys and clicks, and waiting for what comes of them.

Textual's Pilot waits until its process uses no time, which on a busy machine is long before anything has happened.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import pytest
from running import SECONDS
from textual.events import Key
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Static

from attncalc.cli.stepping import save
from attncalc.document.view import View, say_in
from attncalc.explore.walk import Walk
from attncalc.interactive import work
from attncalc.interactive.panes import Grid, StepList
from attncalc.interactive.screen import StepScreen

ROUNDS = 8
"""More than any key is handed from queue to queue before all that it does is drawn."""

CHARACTERS = {"space": " ", "question_mark": "?"}


class Hands:
    """What a person does at the screen, and then waits to see."""

    def __init__(self, pilot: Pilot[None]) -> None:
        self.pilot = pilot

    async def press(self, *keys: str) -> None:
        """Keys one after another, each after what the one before did."""
        for key in keys:
            await self.hold(key)

    async def hold(self, key: str, times: int = 1) -> None:
        """A key so many times at once, as fast as a program can type."""
        for _ in range(times):
            self.pilot.app.post_message(Key(key, CHARACTERS.get(key, key if len(key) == 1 else None)))
        await self.settle()

    async def click(self, where: str | type[Widget], offset: Offset) -> None:
        """A click of the mouse."""
        await self.pilot.click(where, offset)
        await self.settle()

    async def resize(self, *size: int) -> None:
        """Another size of the window."""
        await self.pilot.resize_terminal(*size)
        await self.settle()

    async def settle(self) -> None:
        """Until all that was typed is done and drawn."""
        for _ in range(ROUNDS):
            await self.pilot.pause(0)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Until something holds that takes its time."""
        end = time.monotonic() + SECONDS
        while not holds():
            assert time.monotonic() < end, "it does not come"
            await self.pilot.pause(0.01)


Story = Callable[[StepScreen, Hands], Awaitable[None]]


class Outcome(NamedTuple):
    """What the screen shows at the end of a story, and where the walk is."""

    walk: Walk
    message: str
    text: str
    steps: list[str]
    tables: list[list[str]]


def played(
    walk: Walk, story: Story, size: tuple[int, int] = (80, 24), view: View | None = None
) -> Outcome:  # fmt: skip
    """The program after a story, run without a terminal; a fault inside it is raised.

    However long an action takes on a busy machine, it is waited for.
    """
    app = StepScreen(walk, view or View(say_in("en")), save)
    seen: list[Outcome] = []

    async def tell() -> None:
        async with app.run_test(size=size) as pilot:
            hands = Hands(pilot)
            await hands.settle()
            await story(app, hands)
            await hands.settle()
            if app.is_running and app.screen_stack:
                seen.append(looked(app))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "PATIENCE", SECONDS)
        asyncio.run(tell())
    if app.failure is not None:
        raise app.failure
    return seen[0] if seen else Outcome(app.walk, "", "", [], [])


def looked(app: StepScreen) -> Outcome:
    """The texts of the screen."""
    grids = [app.board.query_one(f"#{name}", Grid).seen for name in ("grid", "source-0", "source-1")]
    tables = [["".join(piece.text for piece in line) for line in seen.lines] if seen else [] for seen in grids]
    steps = [line.plain for line in app.board.query_one(StepList).lines]
    return Outcome(app.walk, text_of(app, "#message"), text_of(app, "#text"), steps, tables)


def text_of(app: StepScreen, where: str) -> str:
    """What a text of the screen says."""
    over = app.screen if where in ("#page", "#why-not") else app.board
    return str(over.query_one(where, Static).visual)


def typed(*keys: str) -> Story:
    """A story of keys alone."""

    async def story(app: StepScreen, hands: Hands) -> None:
        await hands.press(*keys)

    return story
