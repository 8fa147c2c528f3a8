"""`attncalc` and `python -m attncalc`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    from attncalc.cli.report import ended, silence_stdout
    from attncalc.cli.session import asked_language

    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    language = asked_language(sys.argv[1:])
    try:
        from attncalc.cli.app import build

        code = build(language)(prog_name="attncalc", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except BaseException as error:
        code = ended(error, language, "--debug" in sys.argv)
        if code:
            silence_stdout()
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
