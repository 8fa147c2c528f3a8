"""The names of queries and keys, and which query is meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from attncalc.core.labels import Numbered, known, places_of
from attncalc.scenario_files.json_text import each_once
from attncalc.scenario_files.kinds import Report, found

MOST_MADE = 10_000
"""Beyond, the labels 0, 1, 2, … are made when they are asked for."""


def _numbers(count: int) -> Sequence[str]:
    return tuple(map(str, range(count))) if count <= MOST_MADE else Numbered(range(count))


def _place_of(word: Any, labels: Sequence[str]) -> int | None:
    """The one position that a label, or a position as it is written, means; None where there is not just one."""
    if isinstance(word, Decimal):
        return int(word) if 0 <= word < len(labels) else None
    places = places_of(labels, word)
    return places[0] if len(places) == 1 else None


class Labelling:
    """The labels of one document and what depends on them; reports what does not fit."""

    def __init__(
        self, document: Mapping[str, Any], grid: tuple[int, int, int, int], past: int, single: bool, report: Report,
        unknown: bool = False,
    ) -> None:  # fmt: skip
        self.unknown = unknown  # the labels are faulty themselves, so none can be missed
        self.document, self.past, self.single, self.report = document, past, single, report
        self.queries_count, self.keys_count = grid[2:]
        self.tokens = self._labels("tokens", self.keys_count)
        self.place = self._place() if single else None
        self.query_tokens = self._query_tokens()
        self.queries = self._queries()

    def _labels(self, key: str, count: int) -> Sequence[str]:
        numbers = _numbers(count)
        labels = self.document.get(key)
        if labels is None:
            return numbers
        if len(labels) != count:
            axis = "keys" if key == "tokens" else "queries"
            self.report(key, f"labels-{axis}", found=len(labels), wanted=count)
            self.unknown = True
            return numbers
        return tuple(labels)

    def _query_tokens(self) -> Sequence[str]:
        if "query_tokens" in self.document:
            return self._labels("query_tokens", self.queries_count)
        if self.single:
            return (self.tokens[self.place],) if self.place is not None and self.place < len(self.tokens) else ("0",)
        if self.queries_count == self.keys_count - self.past:
            return self.tokens[self.past :]
        return _numbers(self.queries_count)

    def _place(self) -> int:
        """Where the query of one-dimensional scores stands among the keys; the last, unless it is said."""
        query = self.document.get("query")
        named = self.document.get("query_tokens") or [None]
        if named[0] is not None and query in (None, named[0]):
            # A query that is none of the keys comes after all of them.
            return self.tokens.index(named[0]) if named[0] in self.tokens else self.keys_count
        if query is None:
            return self.keys_count - 1
        if isinstance(query, list):
            self.report("query", "one-query-only", found=len(query))
            return 0
        return self.find(query, self.tokens, "query")

    def _queries(self) -> tuple[int, ...]:
        query = self.document.get("query")
        if self.single:
            return (0,)
        if query is None:
            return (self.queries_count - 1,)
        if isinstance(query, list):
            return tuple(self.find_all(query, self.query_tokens, "query"))  # one that is asked for twice is told once
        return (self.find(query, self.query_tokens, "query"),)

    def find_all(self, words: Sequence[Any], labels: Sequence[str], path: str) -> list[int]:
        """The positions of words, each once, in their order; reports every word that has none."""
        found = [_place_of(word, labels) for word in each_once(words)]
        if None in found:
            found = [self.find(word, labels, f"{path}[{place}]") for place, word in enumerate(words)]
        return list(dict.fromkeys(place for place in found if place is not None))

    def find(self, word: Any, labels: Sequence[str], path: str) -> int:
        """The position of a label, or of a position as it is written; reports one that is not there."""
        if (place := _place_of(word, labels)) is not None:
            return place
        if isinstance(word, Decimal):
            self.report(path, "no-such-position", found=found(word), last=len(labels) - 1)
            return 0
        places = places_of(labels, word)
        if not places and self.unknown:
            return 0
        if not places:
            self.report(path, "no-such-token", found=word, known=known(labels))
        elif len(places) > 1:
            self.report(path, "ambiguous-token", found=word, count=len(places))
        return places[0] if places else 0
