"""HTML: one page that needs nothing else, in every language; and a part for a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attncalc.core.names import TAGS
from attncalc.document.blocks import Block, Heading
from attncalc.document.view import View
from attncalc.renderers.hypertext import Piece, Speech, asset, environment, parallel, pieces

WORDS = (
    "hidden", "formula.visible", "page-language", "page-theme", "page-system", "page-light", "page-dark",
    "page-batch", "page-head", "page-query", "page-before", "page-after", "page-single", "page-steps", "page-ending",
    "page-others", "page-cell", "page-keys", "page-no-story",
)  # fmt: skip
"""What the templates say besides the blocks."""

Document = tuple[View, Sequence[Block]]


def render(documents: Sequence[Document]) -> str:
    """The same document in each language, the first of which is shown first, as a page."""
    speech = Speech(tuple(view for view, _ in documents))
    blocks = [list(found) for _, found in documents]
    title = next((block.text for block in blocks[0] if isinstance(block, Heading)), "")
    return page("page.html.j2", speech, title, {"parts": _parts(speech, blocks)})


def fragment(view: View, blocks: Sequence[Block]) -> str:
    """The blocks in one language as a part of another page: no script, no id, and a style that stays inside."""
    parts = list(pieces(Speech((view,)), [blocks], levels=(3, 4)))
    words = {"hidden": view.say("hidden"), "seen": view.say("formula.visible")}
    template = environment().get_template("fragment.html.j2")
    return template.render(pieces=parts, style=asset("blocks.css"), words=words, language=TAGS[view.language])


def page(template: str, speech: Speech, title: str, fields: dict[str, Any]) -> str:
    """A page around what is given, with its switches, its style and its script."""
    languages = [TAGS[view.language] for view in speech.views]
    return environment().get_template(template).render(
        title=title, word={code: speech.say(code) for code in WORDS}, languages=languages,
        style=asset("blocks.css") + asset("page.css"), **fields,
    )  # fmt: skip


def _parts(speech: Speech, documents: Sequence[Sequence[Block]]) -> list[tuple[str, list[Piece]]]:
    """One part for all languages, or a part for each where they do not say the same in the same order."""
    if parallel(documents):
        return [("", list(pieces(speech, documents)))]
    single = zip(speech.views, documents, strict=True)
    return [(TAGS[view.language], list(pieces(Speech((view,)), [blocks]))) for view, blocks in single]
