"""Reads Markdown back with a parser of its own (markdown-it, CommonMark with GitHub's tables and strikethrough)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

READER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
MATHEMATICS = re.compile(r"\$(?P<inside>[^$\n]+)\$")

Table = list[list[str]]


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


def formulas(text: str) -> list[str]:
    """What stands between dollar signs that are not escaped."""
    return [match["inside"] for match in MATHEMATICS.finditer(text.replace(r"\$", ""))]
