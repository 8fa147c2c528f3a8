"""What completion offers for cells and paths, from the scenario's JSON alone: NumPy would make the key slow."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import typer

from attncalc.core import names
from attncalc.core.labels import distinct
from attncalc.errors import AttncalcError
from attncalc.scenario_files.edits import value_at

SAFE = re.compile(r"[^\W_][\w#.+-]*")
"""Labels that every shell takes as they are; the others are offered as positions."""


BASH = "_ATTNCALC_COMPLETE", "complete_bash"


def join_words() -> None:
    """Puts the words together again that bash takes apart at `=`, before Typer reads them from the environment.

    Of the word at hand bash then wants only what follows the `=`.
    """
    if os.environ.get(BASH[0]) != BASH[1] or "\n=" not in os.environ.get("COMP_WORDS", ""):
        return
    words: list[str] = []
    current = at = int(os.environ.get("COMP_CWORD", "0"))
    for number, word in enumerate(os.environ["COMP_WORDS"].split("\n")):
        glued = bool(words) and (word == "=" or words[-1].endswith("="))
        if glued:
            words[-1] += word
        else:
            words.append(word)
        if number == current:
            at = len(words) - 1
            if glued:
                sys.stdout = _Without(words[-1][: words[-1].rindex("=") + 1], sys.stdout)
    os.environ |= {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(at)}


class _Without(io.TextIOBase):
    """Writes what is written to it, each line without a beginning."""

    def __init__(self, beginning: str, stream: TextIO) -> None:
        self.beginning, self.stream = beginning, stream

    def write(self, text: str) -> int:
        """The lines, shortened."""
        self.stream.write("\n".join(line.removeprefix(self.beginning) for line in text.split("\n")))
        return len(text)

    def flush(self) -> None:
        """What was written is out."""
        self.stream.flush()


def number_paths(context: typer.Context, incomplete: str) -> list[str]:
    """Paths as `sweep` takes them, without the sign."""
    return [word.removesuffix("=") for word in path_words(context, incomplete)]


def cell_words(context: typer.Context, incomplete: str) -> list[str]:
    """The next word of a cell: a step, then labels of its queries and keys."""
    words: Sequence[str] = context.params.get("cell") or []
    document = _document(context)
    if not words:
        return _starting(names.STEPS, incomplete)
    tokens = document.get("tokens")
    asking = document.get("query_tokens") or tokens
    by_key = words[0] in names.KEY_COLUMNS
    labels = tokens if words[0] in names.KEY_ROWS or (len(words) == 2 and by_key) else asking
    places = 2 if by_key else 1  # features are numbers
    return _starting(_words(labels), incomplete) if len(words) <= places else []


def path_words(context: typer.Context, incomplete: str) -> list[str]:
    """Paths of the scenario, `scores.0=`, and after the sign the words that a key takes."""
    document = _document(context)
    path, equals, _ = incomplete.partition("=")
    if equals:
        return _starting([f"{path}={value}" for value in names.CHOICES.get(path, ())], incomplete)
    *before, begun = path.split(".")
    return _starting(_paths(document, before, begun), incomplete)


def _paths(document: dict[str, Any], before: Sequence[str], begun: str) -> Iterator[str]:
    """The paths that go on from some segments: keys, or positions; labels where one is begun."""
    value = _held(document, before) if before else document
    inside = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    labels = (*_words(document.get("query_tokens")), *_words(document.get("tokens"))) if before and begun else ()
    named = [label for label in labels if isinstance(value, list) and "." not in label]
    known = [*inside, *named, *(() if before else names.CHOICES)]
    for key in dict.fromkeys(map(str, known)):
        held = _held(document, (*before, key))
        if held is not None or not before:
            yield ".".join((*before, key)) + ("." if isinstance(held, list | dict) else "=")


def _held(document: dict[str, Any], path: Sequence[str]) -> Any:
    """What stands at a path as `--set` would find it, None where it would not."""
    try:
        return value_at(document, ".".join(path))
    except AttncalcError:
        return None


def _words(labels: Any) -> list[str]:
    """Labels as a shell takes them: the first of several alike is `the#1`."""
    if not isinstance(labels, list) or not all(isinstance(label, str) for label in labels):
        return []
    shown = [f"{label}#1" if labels.count(label) > 1 else label for label in distinct(labels)]
    return [label if SAFE.fullmatch(label) and not label.isdigit() else str(i) for i, label in enumerate(shown)]


def _document(context: typer.Context) -> dict[str, Any]:
    """The scenario that the line names so far, or nothing where it cannot be read."""
    from attncalc.scenario_files.json_text import inside_a_trace
    from attncalc.scenario_files.sources import source_at

    named = next(filter(None, map(context.params.get, ("scenario", "scenarios", "source", "name"))), None)
    named = named or context.args  # behind an option that waits for its value the arguments are not taken apart
    source = named[0] if isinstance(named, list | tuple) and named else named or ""
    if not source or source == "-" or _waits(source):
        return {}
    try:
        document = source_at(source).document
    except AttncalcError:
        return {}
    inside = inside_a_trace(document) if isinstance(document, dict) else None
    found = inside if isinstance(inside, dict) else document
    return found if isinstance(found, dict) else {}


def _waits(source: str) -> bool:
    """Whether reading the source could wait for ever, as a pipe does."""
    try:
        path = Path(source)
        return path.exists() and not path.is_file()
    except (OSError, ValueError):
        return True


def _starting(words: Iterator[str] | Sequence[str], incomplete: str) -> list[str]:
    return [word for word in words if word.startswith(incomplete)]
