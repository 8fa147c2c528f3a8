"""The pictures of README and docs are those that the program makes.

`UPDATE_DOCS=1 pytest tests/test_pictures_docs.py` writes them anew: look at them.
"""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from doc_pictures import FOLDERS, all_pictures, made, path_of
from pages import PAGES, ROOT, brought_up_to_date, text_of
from rich.segment import Segment
from screen_svg import PAINTS, lines_of, screen_svg

from attncalc.renderers.svg_style import contrast


@pytest.mark.parametrize(("name", "language"), all_pictures())
def test_a_picture_is_what_the_program_makes(name: str, language: str) -> None:
    """Every file in docs/pictures and docs/zh/pictures."""
    expected = made(name, language)
    assert brought_up_to_date(path_of(name, language), expected) == expected


def test_there_is_no_other_picture_and_a_page_shows_each() -> None:
    """None is left over, and none is made for nothing."""
    there = {path for folder in FOLDERS.values() for path in (ROOT / folder).iterdir()}
    assert there == {path_of(*picture) for picture in all_pictures()}
    pages = "".join(map(text_of, PAGES))
    assert [path for path in there if f"pictures/{path.name})" not in pages] == []


def test_a_screen_keeps_its_text() -> None:
    """Every letter of it stands in the picture in its order; signs that are drawn, controls and XML do no harm."""
    text = "\x1b[1mA\x1b[0m & <b> ]]>\n\x1b[36m██\x1b[0m ─┼ 苹果 ⣿\n"
    root = ElementTree.fromstring(screen_svg(lines_of(text), "attncalc </title>", "en"))
    said = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert said == ["$ attncalc </title>", "A", "&", "<b>", "]]>", "苹果"]
    assert screen_svg([[Segment("x")]], "a", "en") == screen_svg([[Segment("x")]], "a", "en")


@pytest.mark.parametrize("mode", [0, 1])
def test_a_screen_is_legible_in_light_and_dark(mode: int) -> None:
    """Every colour against the ground it stands on."""
    grounds = {"on-cursor": ("cursor",), "ink": ("paper", "mark")}
    for name, paint in PAINTS.items():
        for ground in grounds.get(name, ("paper",) if name not in ("paper", "mark", "cursor") else ()):
            assert contrast(paint[mode], PAINTS[ground][mode]) >= 4.5, (name, ground)


def test_a_picture_that_is_out_of_date_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison reads the file."""
    monkeypatch.delenv("UPDATE_DOCS", raising=False)
    (tmp_path / "a.svg").write_text("<svg/>", encoding="utf-8")
    assert brought_up_to_date(tmp_path / "a.svg", "<svg></svg>") == "<svg/>"
