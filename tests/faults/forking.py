"""The program in a fork of this process, which has loaded it already: thousands of runs in a minute."""

from __future__ import annotations

import io
import os
import pickle
import pkgutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from running import Finished, environment

import attncalc
import attncalc.__main__ as program

SECONDS = 20.0

SENT = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGINT)
"""Held back until the fork has the program's own handlers, not those of the process that injects."""


def warm() -> None:
    """Loads every module of the program, so that a fork has them."""
    for module in pkgutil.walk_packages(attncalc.__path__, "attncalc."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


class Run:
    """A run that goes on beside this process; what it reads and writes are files in memory."""

    def __init__(
        self,
        args: Sequence[str],
        folder: Path,
        stdin: bytes = b"",
        before: Callable[[], object] = lambda: None,
        **extra: str,
    ) -> None:
        self.files = [os.memfd_create(name) for name in ("stdin", "stdout", "stderr")]
        os.write(self.files[0], stdin)
        os.lseek(self.files[0], 0, os.SEEK_SET)
        held = signal.pthread_sigmask(signal.SIG_BLOCK, SENT)
        self.pid = os.fork()
        if self.pid == 0:
            _live(args, folder, self.files, before, extra)
        signal.pthread_sigmask(signal.SIG_SETMASK, held)

    def end(self, number: int) -> None:
        """Sends a signal."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> Finished:
        """The end, which a run that hangs finds by force: its code is then 124."""
        until, code = time.monotonic() + SECONDS, None
        while (found := os.waitpid(self.pid, os.WNOHANG)) == (0, 0):
            if time.monotonic() > until:
                self.end(signal.SIGKILL)
                code = 124
            time.sleep(0.0005)
        out, err = (self._text(file) for file in self.files[1:])
        for file in self.files:
            os.close(file)
        return Finished(os.waitstatus_to_exitcode(found[1]) if code is None else code, out, err)

    def _text(self, file: int) -> str:
        os.lseek(file, 0, os.SEEK_SET)
        with open(file, "rb", closefd=False) as data:
            return data.read().decode("utf-8", "replace")


def _live(
    args: Sequence[str], folder: Path, files: Sequence[int], before: Callable[[], object], extra: dict[str, str]
) -> NoReturn:
    """The whole life of the fork."""
    try:
        os.chdir(folder)
        for number, file in enumerate(files):
            os.dup2(file, number)
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(open(number, mode, closefd=False), write_through=mode == "wb")  # noqa: SIM115
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        sys.argv = ["attncalc", *args]
        os.environ.clear()
        os.environ.update(environment({"ATTNCALC_LANG": "en", **extra}))
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        before()
        _release()
        program.main()
    except BaseException:
        os.write(2, traceback.format_exc().encode())
    finally:
        os._exit(99)


def _release() -> None:
    """Lets in what was sent before the program began, which such a signal ends as it ends an interpreter that loads."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SENT)
    except KeyboardInterrupt:
        os._exit(128 + signal.SIGINT)


def aside(function: Callable[[], Any]) -> Any:
    """What a function gives in a fork of its own, which may change whatever it likes."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(reading)
            with open(writing, "wb") as file:
                pickle.dump(function(), file)
            os._exit(0)
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(1)
    os.close(writing)
    with open(reading, "rb") as file:
        data = file.read()
    os.waitpid(pid, 0)
    return pickle.loads(data) if data else None
