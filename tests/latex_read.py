"""Runs LaTeX on documents and reads the pages back as text."""

from __future__ import annotations

import re
import subprocess
import unicodedata
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from programs import needed

AT_ONCE = 2
WORTH_SAYING = re.compile(r"warning|missing character|(?:over|under)full|^!", re.IGNORECASE)
CHINESE = "[\u3001-\u30ff\u4e00-\u9fff\uff01-\uff5e]"
CHINESE_BLANK = re.compile(f"(?<={CHINESE}) | (?={CHINESE})")
SIGNS = str.maketrans({"−": "-", "⋯": "…", "’": "'", "∼": "~", "µ": "μ", "\u202a": "", "\u202b": "", "\u202c": ""})
"""Of a page that are other characters in a block, and the marks of direction that are put around Hebrew."""


class Printed(NamedTuple):
    """What came of a document: whether it was set, what the log complains of, the text in the order it was set."""

    made: bool
    complaints: list[str]
    text: str


def printed(documents: Mapping[str, str], folder: Path) -> dict[str, Printed]:
    """Each document set once by XeTeX, several at a time, and read back."""
    programs = needed("xelatex"), needed("pdftotext")
    return _each(documents, folder, programs)


def drafts(documents: Mapping[str, str], folder: Path, engine: str) -> dict[str, Printed]:
    """Each document set once, without pages."""
    return _each(documents, folder, (needed("xelatex").with_name(engine), None))


def _each(documents: Mapping[str, str], folder: Path, programs: tuple[Path, Path | None]) -> dict[str, Printed]:

    def one(name: str) -> Printed:
        (folder / f"{name}.tex").write_text(documents[name], encoding="utf-8")
        return _printed(folder, name, *programs)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return dict(zip(documents, pool.map(one, documents), strict=True))


def _printed(folder: Path, name: str, latex: Path, reader: Path | None) -> Printed:
    command = [str(latex), "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    command += [] if reader else ["-draftmode" if latex.name == "pdflatex" else "-no-pdf"]
    run = subprocess.run([*command, f"{name}.tex"], cwd=folder, capture_output=True, timeout=120)
    log = (folder / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    complaints = [line for line in log.splitlines() if WORTH_SAYING.search(line) and "draftmode" not in line]
    text = ""
    if reader and run.returncode == 0:
        read = subprocess.run([str(reader), "-raw", f"{name}.pdf", "-"], cwd=folder, capture_output=True)
        text = read.stdout.decode()
    return Printed(run.returncode == 0, complaints, text)


def in_a_line(text: str) -> str:
    """The text of pages without their numbers, in one line: no blanks beside Chinese characters, marks in order."""
    pages = (re.sub(r"\n\d+\n*$", "\n", page) for page in text.split("\f"))
    line = unicodedata.normalize("NFD", " ".join(" ".join(pages).translate(SIGNS).split()))
    return CHINESE_BLANK.sub("", line)
