"""Every sentence a user reads, in English and Chinese, found by its code."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any

LANGUAGES = ("en", "zh")
SUBJECTS = (
    "faults", "screens", "exploring", "full_screen", "comparing", "help", "mistakes", "mistakes_weights", "slips",
    "making", "answering", "checking", "worksheets", "quiz", "pages", "pictures", "workbooks", "costs", "long",
)  # fmt: skip
"""The files of a language."""

COUNTED = re.compile(r"\{(\w+):([^{}|]*)\|([^{}|]*)\}")
"""`{count:row|rows}` in a sentence: the word that goes with the number, one for 1 and another for the rest."""

SPACED = re.compile(r"\{(\w+)\} (?=[一-鿿])")
"""A space between what is put in and Chinese words, which a bracket of full width brings along itself."""

Say = Callable[..., str]


class Word(str):
    """A message code used as a field of another message: it is translated, and filled, before it is put in."""


class Lines(str):
    """A drawing of several lines that the program made, put into a sentence as it is."""


@cache  # asked for by every sentence
def catalogue(language: str) -> dict[str, str]:
    """Message code to sentence, with `{fields}` to fill."""
    files = (import_module(f"attncalc.messages.{language}.{subject}") for subject in SUBJECTS)
    return {code: sentence for file in files for code, sentence in file.MESSAGES.items()}


def speaker(language: str) -> Say:
    """A function that turns a code and its fields into a sentence of the language."""
    return speaker_of(catalogue(language))


def speaker_of(messages: dict[str, str]) -> Say:
    """The same over a catalogue at hand."""

    def say(code: str, /, **fields: Any) -> str:
        words = {
            name: filled(messages[str(value)], fields) for name, value in fields.items() if isinstance(value, Word)
        }
        # A sentence may have a form of its own where a near word was found, and for one where more than a word differs.
        forms = [f"{code}-near"] if fields.get("near") else []
        forms += [f"{code}-one"] if 1 in (fields.get("places"), fields.get("count")) else []
        form = next((form for form in forms if form in messages), code) if forms else code
        return filled(messages[form], fields | words if words else fields)

    return say


def filled(sentence: str, fields: Mapping[str, Any]) -> str:
    """The sentence with its fields, and the words that go with them, put in."""
    if "|" in sentence:
        sentence = COUNTED.sub(lambda found: found[2] if str(fields[found[1]]) == "1" else found[3], sentence)
    text = sentence.format(**fields)
    if "） " in text:
        sentence = SPACED.sub(
            lambda found: found[0].rstrip() if str(fields[found[1]]).endswith("）") else found[0], sentence
        )
        text = sentence.format(**fields)
    return text


def text_in(value: Any, language: str) -> str:
    """A text of a scenario (a string, or `{"en": …, "zh": …}`) in the language, or in the one there is."""
    if isinstance(value, dict):
        return str(value.get(language) or next(iter(value.values()), ""))
    return str(value or "")
