"""The table of bad input: rows of `data/bad_input.toml`, and the files that are too large or too odd to stand there."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from attncalc.pipelines.standard import STEP_NAMES
from attncalc.scenario_files import builtin
from attncalc.scenario_files.keys import KEYS

TABLE = Path(__file__).parent / "data" / "bad_input.toml"
NAME = "scenario.json"
RUN = ["run", NAME]


class Row(NamedTuple):
    """One case: what is given, and the sentences that answer it in each language.

    `schema` is true where the JSON Schema has to refuse the file too, else a word for why it cannot; `real` asks for
    a process of its own; `bare` says that the row has an `-o` already.
    """

    kind: str
    name: str
    sentences: dict[str, list[str]]
    args: list[str]
    text: str | None
    data: bytes | None
    made: str
    stdin: bytes
    schema: bool | str | None
    real: bool
    bare: bool

    def prepare(self, folder: Path) -> bytes:
        """Writes the file into an empty folder; returns what standard input holds."""
        path = folder / NAME
        if self.data is not None:
            path.write_bytes(self.data)
        return (MAKERS[self.made](path) if self.made in MAKERS else None) or self.stdin

    def answer(self, language: str) -> str:
        """All that standard error says."""
        return "".join(f"attncalc: {_with_names(sentence)}\n" for sentence in self.sentences[language])


def _with_names(sentence: str) -> str:
    """The sentence with the lists that grow with the program in place of their names."""
    lists = {"{builtins}": builtin.names(), "{keys}": list(KEYS), "{steps}": STEP_NAMES}
    for name, words in lists.items():
        sentence = sentence.replace(name, ", ".join(words))
    return sentence


def rows() -> Iterator[Row]:
    """Every row of the table."""
    for kind, entries in tomllib.loads(TABLE.read_text(encoding="utf-8")).items():
        yield from (_row(kind, entry) for entry in entries)


def _row(kind: str, entry: dict[str, Any]) -> Row:
    made = entry.get("made", "")
    text = MADE_TEXTS[made]() if made in MADE_TEXTS else entry.get("file")
    data = entry["bytes"].encode("latin-1") if "bytes" in entry else None
    return Row(
        kind, entry["name"], {language: _listed(entry[language]) for language in ("en", "zh")},
        args=shlex.split(entry["args"]) if "args" in entry else RUN, text=text,
        data=data if text is None else text.encode(), made=made, stdin=entry.get("stdin", "").encode(),
        schema=entry.get("schema"), real=entry.get("real", False), bare=entry.get("bare", False),
    )  # fmt: skip


def _listed(sentences: str | list[str]) -> list[str]:
    return [sentences] if isinstance(sentences, str) else sentences


SIZE = 100 * 1000 * 1000
MANY = 100_000


def _hundred_megabytes(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"[" * (SIZE // 100))


def _keys() -> str:
    return "{" + ", ".join(f'"{i}": 1' for i in [*range(MANY), 0]) + "}"


MADE_TEXTS: dict[str, Callable[[], str]] = {
    "100,000 brackets": lambda: '{"scores": ' + "[" * MANY + "]" * MANY + "}",
    "100,000 objects": lambda: '{"source": ' * MANY + "1" + "}" * MANY,
    "900 brackets": lambda: '{"scores": ' + "[" * 900 + "1" + "]" * 900 + "}",
    "100,000 nulls": lambda: '{"scores": [' + ", ".join(["null"] * MANY) + "]}",
    "100,000 keys": lambda: f'{{"format": "attncalc-trace/1", "scenario": {{"scores": [1, "2"]}}, "notes": {_keys()}}}',
    "5,000 digits": lambda: '{"scores": [1, ' + "1" * 5000 + "]}",
    "5,000 decimals": lambda: '{"scores": [1, 0.' + "1" * 5000 + "]}",
}

VALID = '{"scores": [1, 2]}'

MAKERS: dict[str, Callable[[Path], bytes | None]] = {
    "directory": lambda path: path.mkdir(),
    "link to itself": lambda path: path.symlink_to(path.name),
    "utf-16": lambda path: _wrote(path, VALID.encode("utf-16")),
    "utf-16-le": lambda path: _wrote(path, VALID.encode("utf-16-le")),
    "100 MB of brackets": _hundred_megabytes,
    "100 MB of brackets in a pipe": lambda path: b"[" * SIZE,
}


def _wrote(path: Path, data: bytes) -> None:
    path.write_bytes(data)
