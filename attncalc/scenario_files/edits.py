"""Changes such as `scores.0=1`, `v.to.2=0.9` or `mask=`, made in the document before it is checked."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from attncalc.core.labels import known, places_of
from attncalc.errors import AttncalcError, Fault, UsageError, nearest
from attncalc.scenario_files.json_text import NotANumber, inside_a_trace, parse

SEGMENT = re.compile(r"""\[("(?:[^"\\]|\\.)*"|[^\]"]*)\]|\.?("(?:[^"\\]|\\.)*")|\.?([^.\[\]="]+)""")

QUERY_AXES = {"scores", "weights", "q", "x", "ids", "positions", "residual"}
CELL_AXES = {"scores", "weights"}


MOST_DIGITS = 18  # a longer position is beyond any array, and int() refuses very long ones


class Segment(NamedTuple):
    """One part of a path: a key, a position or a token label; a quoted one is never a position."""

    text: str
    quoted: bool

    @property
    def position(self) -> int | None:
        """The position it names, if it is a whole number."""
        whole = not self.quoted and self.text.isascii() and self.text.isdigit()
        if not whole:
            return None
        return int(self.text) if len(self.text) <= MOST_DIGITS else 10**MOST_DIGITS


def edited(document: Any, changes: Iterable[str]) -> Any:
    """The document with all the changes, or a UsageError with every change that cannot be made."""
    changes = list(changes)
    if not changes or not isinstance(document, dict):
        return document
    document = copy.copy(document)  # what a change walks through is copied on the way, the rest is shared
    inside = inside_a_trace(document)
    target = document
    if isinstance(inside, dict):
        target = document["scenario"] = copy.copy(inside)
    faults: list[Fault] = []
    for change in changes:
        try:
            path, value = split(change)
            _Edit(target, path, change).make(value)
        except AttncalcError as error:
            faults += error.faults
    if faults:
        raise UsageError(faults)
    return document


def split(change: str) -> tuple[list[Segment], str]:
    """`PATH=VALUE` as the path's segments and the value's text."""
    segments, end = segments_of(change)
    if not segments or change[end : end + 1] != "=":
        raise UsageError.of("set-syntax", f"--set {change}")
    return segments, change[end + 1 :]


def value_at(document: Mapping[str, Any], path: str) -> Any:
    """What stands at a path, None where nothing does; a UsageError where no change could be made there."""
    segments, end = segments_of(path)
    if not segments or end != len(path):
        raise UsageError.of("not-a-path", path)
    return _Edit(dict(document), segments, path).found()


def segments_of(text: str) -> tuple[list[Segment], int]:
    """The segments at the start of a text, and where they end."""
    segments, end = [], 0
    while match := SEGMENT.match(text, end):
        part = next(group for group in match.groups() if group is not None)
        quoted = part.startswith('"')
        try:
            segments.append(Segment(json.loads(part) if quoted else part.strip(), quoted))
        except ValueError:  # a quoted part that JSON could not read
            break
        end = match.end()
    return segments, end


def value_of(text: str) -> Any:
    """The value as JSON where it is JSON, else as a string."""
    try:
        value = parse(text.encode("utf-8", "surrogatepass"), "")
    except AttncalcError:
        return text
    return text if isinstance(value, NotANumber) else value


class _Edit:
    """One change on its way through a document."""

    def __init__(self, document: dict[str, Any], path: Sequence[Segment], change: str) -> None:
        self.document, self.path, self.place = document, path, f"--set {change}"

    def make(self, text: str) -> None:
        """Walks to the last container and changes or removes its entry."""
        container: Any = self.document
        for depth, segment in enumerate(self.path[:-1]):
            container = self._step_into(container, segment, depth)
        last, depth = self.path[-1], len(self.path) - 1
        if isinstance(container, list):
            position = self._position(container, last, depth)
            if text:
                container[position] = value_of(text)
            else:
                del container[position]
        elif not isinstance(container, dict):
            self._fail("set-no-container", before=self._text(depth))
        elif text:
            container[last.text] = value_of(text)
        elif last.text in container:
            del container[last.text]
        else:
            self._fail("set-nothing-there", key=last.text, near=nearest(last.text, container))

    def found(self) -> Any:
        """Walks to the last container and reads its entry."""
        container: Any = self.document
        for depth, segment in enumerate(self.path[:-1]):
            container = self._step_into(container, segment, depth)
        last, depth = self.path[-1], len(self.path) - 1
        if isinstance(container, list):
            return container[self._position(container, last, depth)]
        if not isinstance(container, dict):
            self._fail("set-no-container", before=self._text(depth))
        return container.get(last.text)

    def _step_into(self, container: Any, segment: Segment, depth: int) -> Any:
        key: Any = segment.text
        if isinstance(container, list):
            key = self._position(container, segment, depth)
        elif not isinstance(container, dict):
            return self._fail("set-no-container", before=self._text(depth))
        elif segment.text not in container and self.path[depth + 1].position is not None:
            self._fail("set-nothing-there", key=segment.text, near=nearest(segment.text, container))
        container[key] = copy.copy(container[key]) if isinstance(container, list) or key in container else {}
        return container[key]

    def _position(self, container: list[Any], segment: Segment, depth: int) -> int:
        named = self._labels(depth)
        if 0 < len(container) < len(named) and "past" in self.document and self.path[0].text != "past":
            named = named[-len(container) :]  # the tokens of the past come first, and have no rows here
        places: list[int | None] = [segment.position]
        if segment.position is None:
            places = list(places_of(named, segment.text))
        if not places:
            labels = known(named)
            fields = {"found": segment.text, "known": labels, "before": self._text(depth), "last": len(container) - 1}
            self._fail("set-no-label" if labels else "set-no-position", **fields)
        if len(places) > 1:
            self._fail("ambiguous-token", found=segment.text, count=len(places))
        position = places[0]
        if position is None or position >= len(container):
            self._fail("set-no-position", found=segment.text, before=self._text(depth), last=len(container) - 1)
        return int(position or 0)

    def _labels(self, depth: int) -> list[str]:
        """The labels of the axis at this depth: queries or keys for rows, keys for the columns of scores."""
        key = self.path[0].text
        value = self.document.get(key)
        single = key in CELL_AXES and isinstance(value, list) and bool(value) and not isinstance(value[0], list)
        asks = key in QUERY_AXES and depth == 1 and not single
        labels = self.document.get("query_tokens") if asks else None
        labels = labels if isinstance(labels, list) else self.document.get("tokens")
        return [label for label in labels if isinstance(label, str)] if isinstance(labels, list) else []

    def _text(self, depth: int) -> str:
        return ".".join(segment.text for segment in self.path[:depth])

    def _fail(self, code: str, **fields: Any) -> Any:
        raise UsageError.of(code, self.place, **fields)
