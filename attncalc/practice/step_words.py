"""The step that a word means: its name, its letter in the formulas, or what the screens call it in any language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from attncalc.core.names import LANGUAGES
from attncalc.core.stage import Stage
from attncalc.messages import catalogue


def step_meant(stages: Sequence[Stage], word: str) -> str:
    """The name of the one step that a word means; the word itself where it means none, or several.

    Names of steps come first, then the letters of the formulas (A is weights), then names and titles on the screens.
    """
    names = {stage.name for stage in stages}
    if word in names:
        return word
    by_letter = {stage.name for stage in stages if stage.symbol == word}
    plain = _plain(word)
    found = by_letter or {stage.name for stage in stages if plain in _called(stage.name, stage.texts())}
    return next(iter(found)) if len(found) == 1 else word


@cache
def _called(name: str, texts: str) -> frozenset[str]:
    """What the screens call a step: its name there and its title, in each language."""
    codes = (f"name.{name}", f"title.{texts}")
    found = (catalogue(language).get(code) for language in LANGUAGES for code in codes)
    return frozenset(_plain(said) for said in found if said is not None)


def _plain(text: str) -> str:
    """A text whatever its case and blanks."""
    return "".join(text.split()).casefold()
