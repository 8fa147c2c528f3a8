"""The site of the documentation: it builds without a warning, in both languages, and needs no other host."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from pages import PAGES, ROOT, blocks

NEEDED = ("sphinx", "myst_parser", "furo")
REQUEST = re.compile(
    r"""<(?:script|link|img|iframe|source|object|embed|video|audio)\b[^>]*?(?:src|href|data)="([^"]*)\""""
)
FROM_CSS = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
LINK = re.compile(r'<a\b[^>]*? href="([^"]*)"')
ANCHOR = re.compile(r'\bid="([^"]*)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, built by the lines of CONTRIBUTING.md, a warning being an error."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        reason = f"needs {', '.join(missing)}: pip install '.[docs]'"
        (pytest.fail if os.environ.get("ATTNCALC_ALL_TESTS") == "1" else pytest.skip)(reason)
    folder = tmp_path_factory.mktemp("site")
    for line in build_lines():
        words = [word.replace("build/site", str(folder / "site")) for word in shlex.split(line)]
        options = ["-q", "-W", "--keep-going", "-n", "-d", str(folder / f"trees-{len(words)}")]
        command = [sys.executable, "-m", "sphinx", *options, *words[1:]]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


def build_lines() -> list[str]:
    """The lines that build the site."""
    lines = [line for body in blocks("CONTRIBUTING.md", "sh") for line in body.splitlines()]
    return [line for line in lines if line.startswith("sphinx-build ")]


@cache
def text_of(path: Path) -> str:
    """The text of a file of the site."""
    return path.read_text(encoding="utf-8")


def documents(site: Path) -> Iterator[Path]:
    """The pages of the site."""
    return site.rglob("*.html")


def test_every_page_is_there_and_in_the_contents(site: Path) -> None:
    """Each page of docs/ has a page of the site, to which the contents of its language lead."""
    for page in (page for page in PAGES if page.startswith("docs/")):
        place = page.removeprefix("docs/").removesuffix(".md") + ".html"
        start = site / ("zh" if place.startswith("zh/") else "") / "index.html"
        tree = text_of(start).partition('class="sidebar-tree"')[2].partition("</aside>")[0]
        assert (site / place).is_file()
        assert place.endswith("index.html") or f'href="{os.path.relpath(site / place, start.parent)}"' in tree, place


def test_nothing_comes_from_another_host(site: Path) -> None:
    """No script, style, font or picture; a reader without a network misses nothing."""
    found = {address for page in documents(site) for address in REQUEST.findall(text_of(page))}
    for style in site.rglob("*.css"):
        found |= {one or other for one, other in FROM_CSS.findall(text_of(style))}
    assert [address for address in found if re.match(r"(?:https?:)?//", address)] == []
    assert any(address.endswith(".js") for address in found)


def test_every_link_and_every_anchor_is_there(site: Path) -> None:
    """Between pages and inside one, from one language to the other too."""
    broken = []
    for page in documents(site):
        for address in LINK.findall(text_of(page)):
            target, _, anchor = unquote(address).partition("#")
            if re.match(r"\w+:", target):
                continue
            path = (page.parent / target).resolve() if target else page
            if not path.is_file() or (anchor and anchor not in ANCHOR.findall(text_of(path))):
                broken.append(f"{page.relative_to(site)}: {address}")
    assert broken == []


@pytest.mark.parametrize(("folder", "language"), [("", "en"), ("zh", "zh-CN")])
def test_pages_say_their_language(site: Path, folder: str, language: str) -> None:
    """To a browser and a screen reader."""
    assert f'lang="{language}"' in text_of(site / folder / "tour.html").partition(">")[2].partition(">")[0]


@pytest.mark.parametrize(("folder", "word"), [("", "softmax"), ("zh", "掩码"), ("zh", "softmax"), ("zh", "因果")])
def test_the_search_knows_the_words(site: Path, folder: str, word: str) -> None:
    """The index that is searched without a network has English words, and Chinese ones by their signs."""
    index = json.loads(text_of(site / folder / "searchindex.js").removeprefix("Search.setIndex(").removesuffix(")"))
    assert len(index["terms"][word]) > 3
