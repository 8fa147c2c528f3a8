"""The page on checking: its tables are those of the program.

`UPDATE_DOCS=1 pytest tests/test_checking_docs.py` writes the table of mistakes anew.
"""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest
from pages import ROOT, brought_up_to_date

from attncalc.messages import catalogue
from attncalc.practice.answered import NOISE
from attncalc.practice.catalogue import CATALOGUE
from attncalc.practice.verdicts import ACCEPTED, VERDICTS

PAGES = [("en", ROOT / "docs/checking.md"), ("zh", ROOT / "docs/zh/checking.md")]


def table_of_mistakes(language: str) -> str:
    """A row for each mistake of the catalogue, then for those that are fitted to the answers."""
    messages = catalogue(language)
    fitted = [code.removeprefix("mistake.") for code in messages if code.startswith("mistake.")]
    names = dict.fromkeys([*(row.name for row in CATALOGUE), *fitted])
    return "".join(
        f"| `{name}` | {told(messages[f'mistake.{name}'])} | {told(messages[f'mistake-how.{name}'])} |\n"
        for name in names
    )


def told(sentence: str) -> str:
    """A sentence for a cell of a table, dots where the answers fill it."""
    parts = string.Formatter().parse(sentence)
    return "".join(text + ("…" if field is not None else "") for text, field, _, _ in parts).replace("|", "\\|")


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_every_mistake_that_is_known_is_listed(language: str, page: Path) -> None:
    """By its name, in the order of the calculation, in the words of the program."""
    text = page.read_text(encoding="utf-8")
    head, line, _ = text.rpartition("|---|---|---|\n")
    expected = head + line + table_of_mistakes(language)
    assert brought_up_to_date(page, expected) == expected
    assert len(CATALOGUE) >= 60


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_every_verdict_is_explained_with_its_exit_code(language: str, page: Path) -> None:
    """In order, 0 where the method is right."""
    rows = re.findall(r"^\| `([a-z-]+)` \|.*\| ([01]) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == [(verdict, "0" if verdict in ACCEPTED else "1") for verdict in VERDICTS]


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_the_noise_of_each_type_is_the_one_that_is_allowed(language: str, page: Path) -> None:
    """With two digits."""
    rows = re.findall(r"^\| `(\w+)` \| ([0-9.e-]+) \|$", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert [(kind, float(share)) for kind, share in rows] == [(kind, float(f"{x:.2g}")) for kind, x in NOISE.items()]
