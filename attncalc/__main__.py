"""`attncalc` and `python -m attncalc`."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from typing import NoReturn


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    try:
        code = _code()
    except KeyboardInterrupt:  # before anything could be said, or while it was
        code = 130
    _end(code)


def _code() -> int:
    """The exit code of the command line, after it was carried out."""
    # A short run makes few cycles: collecting them while the libraries load would cost a tenth of the start-up.
    gc.set_threshold(100_000)
    _occupy_closed()
    from attncalc.cli.one_thread import with_one_thread
    from attncalc.cli.report import ended, silence_stdout
    from attncalc.cli.session import asked_language

    with_one_thread()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    language = asked_language(sys.argv[1:])
    try:
        from attncalc.cli.app import build

        if "COMP_WORDS" in os.environ:
            from attncalc.cli.completion import join_words

            join_words()
        for flag in ("--install-completion", "--show-completion"):
            if any(word.partition("=")[0] == flag for word in sys.argv):
                from attncalc.cli.installing import prepare

                prepare(flag, language)
        code = build(language, sys.argv[1:])(prog_name="attncalc", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BaseException as error:
        code = ended(error, language, "--debug" in sys.argv)
        if code:
            silence_stdout()
    return int(code or 0)


def _occupy_closed() -> None:
    """Where a standard stream was closed, none of our files takes its number: a library's warning would go into it."""
    if None in (sys.stdin, sys.stdout, sys.stderr):
        with contextlib.suppress(OSError):
            while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
                pass
            os.close(descriptor)


def _end(code: int) -> NoReturn:
    """Ends the process at once: everything is written, and taking NumPy and Rich apart would take a sixth of a run."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
