"""The pages that the program makes are up to date, in both languages.

`UPDATE_DOCS=1 pytest tests/test_made_pages.py` writes them anew: read the diff.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from made_pages import FOLDER, MADE, PARTS, made, made_pages
from pages import ROOT, Shell, brought_up_to_date, language_of, numbers_without_a_source, refreshed, text_of


@pytest.mark.parametrize("page", made_pages())
def test_a_page_is_what_the_program_makes(page: str, tmp_path: Path) -> None:
    """Words, options, files, screens and numbers; every line of it can be typed."""
    shell = Shell(tmp_path, language_of(page))
    expected = refreshed(page, shell, made(page))
    assert shell.refused == []
    assert brought_up_to_date(ROOT / page, expected) == expected
    assert "scenarios" in page or numbers_without_a_source(page, MADE.sub("", expected), shell) == []


@pytest.mark.parametrize("page", [page for page in made_pages() if "/commands/" in page])
def test_a_page_of_a_command_has_every_part(page: str) -> None:
    """What the command does, its examples and its options, in this order, around what is written by hand."""
    assert [match["name"] for match in MADE.finditer(text_of(page))] == list(PARTS)


def test_no_page_of_a_command_or_a_scenario_is_left_over() -> None:
    """There is a page for each that the program has, and none for another."""
    wanted = {*made_pages()}
    for folder in FOLDER.values():
        for kind in ("commands", "scenarios"):
            found = {str(path.relative_to(ROOT)) for path in (ROOT / folder / kind).glob("*.md")}
            assert found == {page for page in wanted if page.startswith(f"{folder}/{kind}/")}
