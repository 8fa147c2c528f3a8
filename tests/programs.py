"""Programs of other makers that some tests call: where they are, or a skip that says what to install.

With ATTNCALC_ALL_TESTS=1 nothing is skipped: a test whose program is missing fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple, NoReturn

import pytest

REPOSITORY = Path(__file__).parents[1]


class Program(NamedTuple):
    """A program: names it goes by, the Debian packages it comes from, commands that print something if it is whole."""

    names: tuple[str, ...]
    packages: str
    whole: tuple[tuple[str, ...], ...] = ()


PROGRAMS = {
    "chromium": Program(("chromium", "chromium-browser", "google-chrome"), "chromium"),
    "chromedriver": Program(("chromedriver",), "chromium-driver"),
    "soffice": Program(("soffice", "libreoffice"), "libreoffice-calc-nogui"),
    "xelatex": Program(
        ("xelatex",),
        "texlive-xetex texlive-lang-cjk fonts-noto-cjk",
        (("kpsewhich", "xeCJK.sty"), ("fc-list", "Noto Serif CJK SC")),
    ),
    "pdftotext": Program(("pdftotext",), "poppler-utils"),
    "pdftoppm": Program(("pdftoppm",), "poppler-utils"),
    "java": Program(("java",), "default-jre-headless"),
    "node": Program(("node", "nodejs"), "nodejs"),
}


def needed(name: str) -> Path:
    """The path of a program of PROGRAMS; where it is missing or not whole, the test is skipped."""
    found = _program(name)
    return found or _without(f"needs {name}: apt install {PROGRAMS[name].packages}")


def node_package(name: str) -> Path:
    """The folder of a package in $ATTNCALC_NODE_MODULES, else in node_modules/; where it is missing, a skip."""
    folder = Path(os.environ.get("ATTNCALC_NODE_MODULES") or REPOSITORY / "node_modules") / name
    return folder if (folder / "package.json").is_file() else _without(f"needs {name}: npm install {name}")


@cache
def _program(name: str) -> Path | None:
    row = PROGRAMS[name]
    path = next(filter(None, map(shutil.which, row.names)), None)
    return Path(path) if path and all(map(_prints, row.whole)) else None


def _prints(command: tuple[str, ...]) -> bool:
    return shutil.which(command[0]) is not None and subprocess.run(command, capture_output=True).stdout != b""


def _without(reason: str) -> NoReturn:
    if os.environ.get("ATTNCALC_ALL_TESTS") == "1":
        pytest.fail(reason)
    pytest.skip(reason, allow_module_level=True)
