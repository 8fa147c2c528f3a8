"""Token labels: telling repeated ones apart, finding the place that a word means."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from typing import overload

from attncalc.core.keeping import kept
from attncalc.messages.safe_text import visible

WHOLE = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+')
"""A word of a line that stays one between any others: blanks end it, in quotes they do not."""

WORD = re.compile(f'{WHOLE.pattern}|"')
"""A word of a line that is typed; a quote that nothing closes is one."""

NUMBERED = re.compile(r"(.*)#([1-9][0-9]*)", re.DOTALL)


def distinct(labels: Sequence[str]) -> tuple[str, ...]:
    """The labels, `#2` and so on after a repeated one."""
    if isinstance(labels, Numbered):
        return tuple(labels)
    seen: dict[str, int] = {}
    result = []
    for label in labels:
        seen[label] = seen.get(label, 0) + 1
        result.append(f"{label}#{seen[label]}" if seen[label] > 1 else label)
    return tuple(result)


def places_of(labels: Sequence[str], word: str) -> list[int]:
    """The positions a word may mean: those of the label, or the one of `the#2`, the second `the`."""
    if isinstance(labels, Numbered):
        return labels.places(word)
    index = places_by_label(labels)
    if word in index:
        return index[word]
    numbered = NUMBERED.fullmatch(word)
    if not numbered:
        return []
    number = int(numbered[2])
    return index.get(numbered[1], [])[number - 1 : number]


@kept
def places_by_label(labels: Sequence[str]) -> dict[str, list[int]]:
    """The places of every label."""
    index: dict[str, list[int]] = {}
    for place, label in enumerate(labels):
        index.setdefault(label, []).append(place)
    return index


def places_named(labels: Sequence[str], word: str) -> list[int]:
    """The positions a word of the command line may mean: a position from 0, a label, a label in quotes."""
    if word.isascii() and word.isdigit() and len(word) < 10 and int(word) < len(labels):
        return [int(word)]
    return places_of(labels, word) or places_of(labels, unquoted(word))


def unquoted(word: str) -> str:
    """A word without the quotes that make it a label whatever it looks like."""
    if len(word) > 1 and word[0] == word[-1] == '"':
        with contextlib.suppress(ValueError):
            return str(json.loads(word))
    return word


def known(labels: Sequence[str]) -> str:
    """The labels there are, for a sentence: as the tables show them, the first twenty."""
    return ", ".join(visible(label) for label in distinct(labels[:20]))


class Numbered(Sequence[str]):
    """The labels `0`, `1`, `2`, … of very many tokens, none of which is made before it is asked for."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Numbered: ...
    def __getitem__(self, place: int | slice) -> str | Numbered:
        found = self.numbers[place]
        return Numbered(found) if isinstance(found, range) else str(found)

    def __iter__(self) -> Iterator[str]:
        return map(str, self.numbers)

    def places(self, label: str) -> list[int]:
        """The position of a label, if it is one."""
        number = int(label) if label.isascii() and label.isdigit() and len(label) < 19 else -1
        return [self.numbers.index(number)] if number in self.numbers and label == str(number) else []
