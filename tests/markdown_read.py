"""Reads Markdown back with a parser of its own (markdown-it, CommonMark with GitHub's tables and strikethrough)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MATHEMATICS = re.compile(r"\$(?P<inside>[^$\n]+)\$")

Table = list[list[str]]

CALLS = {
    name: shlex.split(line)
    for name, line in {
        "why": "why draw residual 0 --sensitivity", "why-deep": "why mini-head residual 2 1",
        "compare": "compare draw --with mask=causal --with scores.0=1",
        "compare-two": "compare apple-fruit apple-company",
        "check": "check draw --answer 'weights=0.62 0.12 0.19 0.18'", "check-right": "check draw --answer total=9.83",
        "verify": "verify draw causal-head bigram", "sweep": "sweep draw scores.0 -2 2", "list": "list",
    }.items()
}  # fmt: skip
"""Calls of the commands that show something other than a trace."""


def tokens(text: str) -> list[Token]:
    """What the parser makes of a document, its formulas put aside as GitHub does."""
    return READER.parse(re.sub(r"(?<!\\)\$[^$\n]+(?<!\\)\$", lambda match: _kept(match[0]), text))


def _kept(formula: str) -> str:
    """A formula with every sign that could be a mark written out."""
    return re.sub(r"([\\`*_\[\]<>&|~^{}])", r"\\\1", formula)


def inlines(text: str) -> Iterator[tuple[str, Token]]:
    """Every inline token, with the tag of what it stands in."""
    for opening, token in pairwise(tokens(text)):
        if token.type == "inline":
            yield opening.tag, token


def words(token: Token) -> str:
    """The text of an inline token, marks left out."""
    return "".join(child.content for child in token.children or () if child.type == "text")


def kinds(text: str) -> set[str]:
    """Every kind of token that a document has."""
    found = {token.type for token in tokens(text)}
    return found | {child.type for _, token in inlines(text) for child in token.children or ()}


def tables(text: str) -> list[Table]:
    """The tables of a document: rows of cells, the names of the columns first."""
    found: list[Table] = []
    for opening, token in pairwise(tokens(text)):
        if opening.type == "table_open":
            found.append([])
        if opening.type == "tr_open":
            found[-1].append([])
        if opening.type in ("th_open", "td_open"):
            found[-1][-1].append(words(token))
    return found


def paragraphs(text: str) -> list[str]:
    """The texts of headings and paragraphs, quoted ones too, in order."""
    return [words(token) for tag, token in inlines(text) if tag in ("p", "h1", "h2", "h3")]


def unread(text: str) -> list[str]:
    """The texts of a document as a reader without mathematics makes them, a formula a text like any other."""
    found = (token for token in READER.parse(text) if token.type == "inline")
    return [words(token) for token in found]


def nodes(text: str) -> list[str]:
    """The pieces of text between tags, in which GitHub looks for formulas, persons, issues and names of pictures."""
    pieces: list[str] = []
    for token in READER.parse(text):
        before = ""
        for child in token.children or ():
            if child.type == "text" and before == "text":
                pieces[-1] += child.content
            elif child.type == "text":
                pieces.append(child.content)
            before = child.type
    return pieces


def items(text: str) -> list[str]:
    """The texts of the items of lists, in order."""
    found = tokens(text)
    return [
        words(after)
        for item, _, after in zip(found, found[1:], found[2:], strict=False)
        if item.type == "list_item_open"
    ]


def formulas(text: str) -> list[str]:
    """What stands between dollar signs that are not escaped."""
    return [match["inside"] for match in MATHEMATICS.finditer(text.replace(r"\$", ""))]
