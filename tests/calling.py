"""Running the program inside the test process: the same `main`, faster than a process of its own."""

from __future__ import annotations

import gc
import io
import json
import os
import sys
from contextlib import chdir
from pathlib import Path
from typing import Any, NoReturn

import pytest
from running import Environment, Finished, environment

import attncalc.__main__ as program


class _Ended(BaseException):
    """What the end of the process becomes."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


def call(
    *args: str | bytes,
    stdin: bytes = b"",
    language: str = "en",
    env: Environment | None = None,
    cwd: Path | None = None,
) -> Finished:
    """`attncalc ARGS` with pipes on all sides, as `main` runs it, in the language; with `env` in that environment."""
    written = {"stdout": io.BytesIO(), "stderr": io.BytesIO()}
    with pytest.MonkeyPatch.context() as patch, chdir(cwd or "."):
        for name, stream in written.items():
            patch.setattr(sys, name, io.TextIOWrapper(stream, write_through=True))
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "argv", ["attncalc", *map(os.fsdecode, args)])
        patch.setattr(program, "_end", _end)
        patch.setattr(gc, "set_threshold", lambda *_: None)
        _fill_environment(patch, environment({"ATTNCALC_LANG": language} if env is None else env))
        return Finished(_code(), *(stream.getvalue().decode("utf-8") for stream in written.values()))


def out(*args: str, language: str = "en", stdin: bytes = b"") -> str:
    """What a call prints that goes well."""
    done = call(*args, language=language, stdin=stdin)
    assert (done.code, done.err) == (0, "")
    return done.out


def notices(*args: str, language: str = "en", stdin: bytes = b"") -> str:
    """What a call says that goes well and writes into files, on standard error."""
    done = call(*args, language=language, stdin=stdin)
    assert (done.code, done.out) == (0, "")
    return done.err


def document(*args: str, stdin: bytes = b"") -> dict[str, Any]:
    """The JSON object that such a call prints."""
    found: dict[str, Any] = json.loads(out(*args, "--json", stdin=stdin))
    return found


def _fill_environment(patch: pytest.MonkeyPatch, wanted: Environment) -> None:
    for name in os.environ.keys() - wanted.keys():
        patch.delenv(name)
    for name, value in wanted.items():
        patch.setenv(name, value)


def _code() -> int:
    try:
        program.main()
    except _Ended as end:
        return end.code
    raise AssertionError("main came back without ending the process")


def _end(code: int) -> NoReturn:
    raise _Ended(code)
