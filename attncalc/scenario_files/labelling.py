"""The names of queries and keys, which query is meant, and which keys it may see."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from attncalc.core.bounded import Values
from attncalc.core.labels import distinct, places_of
from attncalc.scenario_files.kinds import Report


class Labelling:
    """The labels of one document and what depends on them; reports what does not fit."""

    def __init__(
        self, document: Mapping[str, Any], start: str, grid: tuple[int, int, int, int], single: bool, report: Report
    ) -> None:
        self.document, self.start, self.single, self.report = document, start, single, report
        self.queries_count, self.keys_count = grid[2:]
        self.tokens = self._labels("tokens", self.keys_count)
        self.place = self._place() if single else 0
        self.query_tokens = self._query_tokens()
        self.queries = self._queries()

    def _labels(self, key: str, count: int) -> tuple[str, ...]:
        numbers = tuple(map(str, range(count)))
        labels = self.document.get(key)
        if labels is None:
            return numbers
        if len(labels) != count:
            axis = "keys" if key == "tokens" else "queries"
            self.report(key, f"labels-{axis}", found=len(labels), wanted=count)
            return numbers
        return tuple(labels)

    def _query_tokens(self) -> tuple[str, ...]:
        if "query_tokens" in self.document:
            return self._labels("query_tokens", self.queries_count)
        if self.single:
            return (self.tokens[self.place],) if self.tokens else ()
        if self.queries_count == self.keys_count:
            return self.tokens
        return tuple(map(str, range(self.queries_count)))

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
            return tuple(self.find(q, self.query_tokens, f"query[{i}]") for i, q in enumerate(query))
        return (self.find(query, self.query_tokens, "query"),)

    def find(self, word: Any, labels: tuple[str, ...], path: str) -> int:
        """The position of a label, or of a position as it is written; reports one that is not there."""
        if isinstance(word, Decimal):
            if 0 <= word < len(labels):
                return int(word)
            self.report(path, "no-such-position", found=int(word), last=len(labels) - 1)
            return 0
        places = places_of(labels, word)
        if not places:
            self.report(path, "no-such-token", found=word, known=", ".join(distinct(labels)[:20]))
        elif len(places) > 1:
            self.report(path, "ambiguous-token", found=word, count=len(places))
        return places[0] if places else 0

    def masks(self) -> dict[str, Values]:
        """`visible`, true where a query may see a key, and `own`, where the key is the visible token itself."""
        queries = np.arange(self.queries_count)[:, None]
        if self.single:
            queries = queries + self.place
        keys = np.arange(self.keys_count)[None, :]
        visible = np.ones((self.queries_count, self.keys_count), dtype=bool)
        if self.document.get("mask") == "causal":
            if self.queries_count != self.keys_count and not self.single:
                self.report("mask", "causal-corner", queries=self.queries_count, keys=self.keys_count)
            visible = keys <= queries
        own = (keys == queries) & visible
        return {"visible": visible[None, None], "own": own[None, None]}
