"""Lines of input: typed at a terminal, or out of a pipe."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from io import TextIOWrapper
from itertools import count

from attncalc.errors import UsageError

TERMINAL = "/dev/tty"
MOST_IN_A_LINE = 1024 * 1024


def there_is_input() -> bool:
    """Whether there is a standard input to read from."""
    return sys.stdin is not None and not sys.stdin.closed


def lines(typed: bool) -> Iterator[str]:
    """The lines of standard input; one who types is asked for each, can edit it, and gets the terminal back."""
    if not typed:
        for number in count(1):
            if not (line := read_line(number)):
                return
            yield line
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 – editing and history for input()
    from attncalc.cli.terminal_state import given_back

    with given_back(drawn=False), contextlib.suppress(EOFError):
        while True:
            yield input("> ")


def read_line(number: int) -> str:
    """The next line of standard input, the one with this number, as text; empty at the end.

    One that does not end is refused before it takes the memory.
    """
    data = sys.stdin.buffer.readline(MOST_IN_A_LINE + 1)
    if len(data) > MOST_IN_A_LINE:
        raise UsageError.of("line-too-long", f"stdin:{number}", most=MOST_IN_A_LINE)
    return data.decode("utf-8", "replace").removeprefix("\ufeff")


def keys_from_the_terminal() -> None:
    """After a scenario on standard input, the lines come from the terminal."""
    try:
        os.dup2(os.open(TERMINAL, os.O_RDWR), 0)
    except OSError:
        raise UsageError.of("step-no-commands") from None
    sys.stdin = open(0, encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115 – for the whole process
