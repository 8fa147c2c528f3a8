"""The pages that the tests of HTML read: written once for a whole run, with the traces behind them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from calling import call
from hostile import keys_document, queries_document
from samples import BUILT_IN

from attncalc import load, run
from attncalc.core.stage import Trace
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

MARKUP = (
    "<script>alert(1)</script>", "</script><script>alert(2)</script>", "</style>", "</title>", "<!--",
    "<img src=x onerror=alert(3)>", '=HYPERLINK("https://a.b")', r"\input{/etc/passwd}", "|", "`a`", "]]>",
    "{{ 7 * 7 }}", "{% raise %}", "&lt;", "&amp", '" onfocus="alert(4)', "'", "e^{1}", "\u202eabc",
    "\u2066a\u2069", "\u2028",
)  # fmt: skip
"""Tokens that mean something to a format that a page passes through."""

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "why": ("why", "mini-head", "context", "fly", "0"),
    "compare": ("compare", "draw", "--set", "scores.0=2"),
    "check": ("check", "draw", "--answer", "weights[draw]=0.12 0.62 0.19 0.09"),
    "verify": ("verify", "draw"),
    "list": ("list",),
    "sweep": ("sweep", "draw", "scores.0", "-1", "3"),
    "worksheet": ("worksheet", "--seed", "7", "--level", "3", "--part", "both"),
}
"""A call of each command that writes a page without a trace of its own."""


class Pages(NamedTuple):
    """Where the pages are: `explain draw`, `run draw`, `why`, `hostile keys`."""

    folder: Path

    def __getitem__(self, name: str) -> Path:  # type: ignore[override]
        return self.folder / f"{name.replace(' ', '-')}.html"

    def all(self) -> list[Path]:
        """Every page."""
        return sorted(self.folder.glob("*.html"))


def hostile_documents() -> dict[str, bytes]:
    """Scenarios whose tokens are hostile, as keys, as queries, and in titles."""
    import json

    numbers = [[round(0.1 * n, 1) for n in range(len(MARKUP))]]
    told = {"title": MARKUP[0], "about": MARKUP[1], "source": {"title": "</p><b>", "url": "javascript:alert(5)"}}
    markup = {"tokens": list(MARKUP), "query_tokens": [MARKUP[1]], "scores": numbers, **told}
    return {"keys": keys_document(), "queries": queries_document(), "markup": json.dumps(markup).encode()}


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """All pages, written by the program itself."""
    found = Pages(tmp_path_factory.mktemp("pages"))

    def write(name: str, *args: str, stdin: bytes = b"") -> None:
        done = call(*args, "-o", str(found[name]), stdin=stdin)
        assert (done.code, done.err) == (1 if name == "check" else 0, ""), name

    for name in BUILT_IN:
        write(f"explain {name}", "explain", name)
    for name in ("draw", "grouped", "rope"):
        write(f"run {name}", "run", name)
    for name, document in hostile_documents().items():
        write(f"hostile {name}", "explain", "-", stdin=document)
    for name, args in COMMANDS.items():
        write(name, *args)
    return found


@cache
def trace(name: str) -> Trace:
    """The trace behind a page: `explain draw`, `hostile keys`."""
    kind, scenario = name.split()
    if kind == "hostile":
        return run(scenario_of(parse(hostile_documents()[scenario], "stdin"), "stdin"))
    return run(load(scenario), terms=False)
