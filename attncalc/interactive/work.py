"""One calculation at a time, beside the screen: a quick one is waited for, a slow one does not freeze the keys."""

from __future__ import annotations

from collections.abc import Callable
from decimal import getcontext, setcontext
from threading import Thread
from typing import Any

from textual.app import App

from attncalc.errors import AttncalcError
from attncalc.explore.walk import Walk

PATIENCE = 0.15
"""Seconds that are waited for at once: less than a person notices."""
GLANCE = 0.1

Switch = Callable[[bool], None]
Arrive = Callable[[Walk], None]
Refuse = Callable[[AttncalcError], None]


class Work:
    """Runs actions of a program; `busy` while one is not done, and then no other is begun.

    `interruptible` is switched on meanwhile: numbers of thousands of digits leave no time to read a key.
    """

    def __init__(self, app: App[Any], interruptible: Switch) -> None:
        self.app, self.interruptible = app, interruptible
        self.busy = False
        self.round = 0

    def start(self, action: Callable[[], Walk], arrive: Arrive, refuse: Refuse, wait: Callable[[], None]) -> None:
        """Begins an action; `arrive` or `refuse` follows, at once or after `wait` was called."""
        self.round += 1
        task = _Task(action)
        task.start()
        task.join(PATIENCE)
        if task.is_alive():
            self.busy = True
            self.interruptible(True)
            wait()
            self.app.set_timer(GLANCE, lambda: self._look(task, self.round, arrive, refuse))
        else:
            self._deliver(task, arrive, refuse)

    def abandon(self) -> None:
        """Waits no longer; what comes of it counts no more."""
        self.round += 1
        self._done()

    def _done(self) -> None:
        if self.busy:
            self.busy = False
            self.interruptible(False)

    def _look(self, task: _Task, round_: int, arrive: Arrive, refuse: Refuse) -> None:
        if round_ != self.round:
            return
        if task.is_alive():
            self.app.set_timer(GLANCE, lambda: self._look(task, round_, arrive, refuse))
            return
        self._done()
        self._deliver(task, arrive, refuse)

    @staticmethod
    def _deliver(task: _Task, arrive: Arrive, refuse: Refuse) -> None:
        if isinstance(task.error, AttncalcError):
            refuse(task.error)
        elif task.error is not None:
            raise task.error
        elif task.walk is not None:
            arrive(task.walk)


class _Task(Thread):
    """An action in a thread that does not keep the program alive, in the decimal context of the one who began it."""

    def __init__(self, action: Callable[[], Walk]) -> None:
        super().__init__(daemon=True)
        self.action, self.context = action, getcontext().copy()
        self.walk: Walk | None = None
        self.error: BaseException | None = None

    def run(self) -> None:
        """Keeps what comes of it."""
        setcontext(self.context)
        try:
            self.walk = self.action()
        except BaseException as error:  # handed on by the one who asked
            self.error = error
