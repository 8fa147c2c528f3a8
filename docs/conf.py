"""The site of the documentation: English at the root, Chinese under zh/. CONTRIBUTING.md has the lines that build it.

The pages are those that GitHub shows, with nothing in them for Sphinx: what it needs besides, a table of contents and
links from one language to the other, is made here while they are read.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.search.en import SearchEnglish

PACKAGE = Path(__file__).parents[1] / "attncalc/__init__.py"

project = "attncalc"
author = "attncalc contributors"
release = re.findall(r'__version__ = "(.+?)"', PACKAGE.read_text(encoding="utf-8"))[0]
language = "en"

extensions = ["myst_parser"]
exclude_patterns = ["zh"]
myst_heading_anchors = 4
highlight_language = "none"
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

html_theme = "furo"
html_title = f"attncalc {release}"
html_show_copyright = False
html_copy_source = False
html_permalinks_icon = "#"

html_static_path = ["_static"]
html_css_files = ["screens.css"]
MONOSPACE = '"screen Chinese", "SF Mono", Menlo, "DejaVu Sans Mono", "Liberation Mono", "Lucida Console", monospace'
html_theme_options = {"light_css_variables": {"font-stack--monospace": MONOSPACE}}

CONTENTS = ("index", "commands", "scenarios")
"""The pages whose lists of links are the table of contents."""


class SearchChinese(SearchEnglish):
    """Words for the search: Chinese ones by one sign and by two, which needs no dictionary (掩码 finds 因果掩码)."""

    lang = "zh"
    js_splitter_code = """
function splitQuery(query) {
  return (query.match(/[一-鿿]+|(?:(?![一-鿿])[\\p{L}\\p{N}_])+/gu) || []).flatMap((word) =>
    word.length > 2 && /[一-鿿]/.test(word) ? [...word].slice(1).map((sign, i) => word[i] + sign) : [word]);
}
"""

    def split(self, input: str) -> list[str]:
        """The words of a text, and of Chinese ones each sign and each pair of them."""
        words = re.findall(r"[一-鿿]+|(?:(?![一-鿿])\w)+", input)
        chinese = (word for word in words if "一" <= word[0] <= "鿿")
        return words + [part for word in chinese for part in (*word, *map("".join, pairwise(word)))]


def contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Adds the pages that the list of a page leads to as its table of contents."""
    if name in CONTENTS:
        pages = re.findall(r"^- \[[^\]]+\]\(([^)#:]+\.md)\)", source[0], re.MULTILINE)
        source[0] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def other_language(app: Sphinx, name: str, source: list[str]) -> None:
    """Leads the link to the same page in the other language to that page of the site."""
    source[0] = re.sub(r"\[(English|中文)\]\(([^)]+)\.md\)", r'<a href="\2.html">\1</a>', source[0], count=1)


def setup(app: Sphinx) -> None:
    """Joins the above to Sphinx."""
    app.add_search_language(SearchChinese)
    app.connect("source-read", contents)
    app.connect("source-read", other_language)
