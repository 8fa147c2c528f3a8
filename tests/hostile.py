"""Labels and texts that a terminal would obey, swallow or misalign, and how they are to be shown."""

from __future__ import annotations

import json
import re
import unicodedata
from functools import cache
from typing import Any, NamedTuple

import pytest
from calling import call
from rich.cells import cell_len

LONG = "x" * 2000
LONG_SHOWN = "x" * 23 + "…"


class Hostile(NamedTuple):
    """A label, how the screen shows it, how a CSV cell holds it (as the screen unless said), `#2` included."""

    name: str
    token: str
    shown: str
    in_csv: str | None = None
    cropped: bool = False  # the tables show only its beginning

    @property
    def cell(self) -> str:
        """How a CSV cell holds it."""
        return self.shown if self.in_csv is None else self.in_csv

    def named(self, in_full: bool) -> str:
        """The pattern of its name: as the tables show it, or in full where there is room."""
        return "|".join(map(re.escape, (self.shown, self.token) if in_full and self.cropped else (self.shown,)))

    @property
    def said(self) -> str:
        """How the name of a cell says it: as it is shown, or so that it may be typed."""
        return {"the": "the#1", 'a"b,c': r'"a\"b,c"', "-1": '"-1"'}.get(self.shown, self.shown)

    @property
    def argument(self) -> str:
        """The label as a user types it after an option: quoted where it could mean something else, or not be typed."""
        quoted = self.token in ("", "-1", "[]") or "\0" in self.token or self.token.startswith('"')
        return json.dumps(self.token) if quoted else self.token


HOSTILE = (
    Hostile("closing markup", "[/b]", "[/b]"),
    Hostile("markup", "[red]x", "[red]x"),
    Hostile("empty markup", "x[/]", "x[/]"),
    Hostile("link markup", "[link=x]y[/link]", "[link=x]y[/link]"),
    Hostile("instruction", "[/INST]", "[/INST]"),
    Hostile("unused", "[unused1]", "[unused1]"),
    Hostile("brackets", "[]", "[]"),
    Hostile("emoji code", ":x:", ":x:"),
    Hostile("backslash", "\\", "\\"),
    Hostile("backslash at the end", "a\\", "a\\"),
    Hostile("percent and braces", "{0}%s{x}", "{0}%s{x}"),
    Hostile("escape code", "\x1b[31m", "\\u{1b}[31m"),
    Hostile("escape code of eight bits", "\x9b31m", "\\u{9b}31m"),
    Hostile("window title", "\x1b]0;x\x07", "\\u{1b}]0;x\\u{7}"),
    Hostile("null", "\0", "\\u{0}"),
    Hostile("backspace", "ab\x08\x08c", "ab\\u{8}\\u{8}c"),
    Hostile("delete", "\x7f", "\\u{7f}"),
    Hostile("form feed", "a\x0cb", "a\\u{c}b"),
    Hostile("next line", "a\x85b", "a\\u{85}b"),
    Hostile("right to left override", "\u202eabc", "\\u{202e}abc"),
    Hostile("bidirectional isolate", "\u2066a\u2069", "\\u{2066}a\\u{2069}"),
    Hostile("hebrew", "שלום", "שלום"),
    Hostile("zero-width space", "\u200b", "\\u{200b}"),
    Hostile("byte-order mark", "\ufeffa", "\\u{feff}a"),
    Hostile("soft hyphen", "a\u00adb", "a\\u{ad}b"),
    Hostile("family", "👨\u200d👩\u200d👧", "👨\\u{200d}👩\\u{200d}👧"),
    Hostile("tag character", "\U000e0041", "\\u{e0041}"),
    Hostile("private use", "\ue000", "\\u{e000}"),
    Hostile("unassigned", "\u0378", "\\u{378}"),
    Hostile("combining mark alone", "\u0301", "◌\u0301", "\u0301"),
    Hostile("combining marks stacked", "\u0301\u0327\u0338", "◌\u0301\u0327\u0338", "\u0301\u0327\u0338"),
    Hostile("enclosing mark alone", "\u20dd", "◌\u20dd", "\u20dd"),
    Hostile("variation selector alone", "\ufe0f", "◌\ufe0f", "\ufe0f"),
    Hostile("thai vowel alone", "\u0e31", "◌\u0e31", "\u0e31"),
    Hostile("zalgo", "Z\u0337\u0327\u0321a\u0338\u0322", "Z\u0337\u0327\u0321a\u0338\u0322"),
    Hostile("wide", "苹果", "苹果"),
    Hostile("full width", "Ａ１", "Ａ１"),
    Hostile("emoji", "🤗", "🤗"),
    Hostile("skin tone", "👍🏽", "👍🏽"),
    Hostile("emoji by selector", "❤\ufe0f", "❤\ufe0f"),
    Hostile("flag", "🇩🇪", "🇩🇪"),
    Hostile("empty", "", '""', ""),
    Hostile("blank", " ", '" "', " "),
    Hostile("blanks at the edges", "  a b ", '"  a b "', "  a b "),
    Hostile("no-break space", "\u00a0", "\\u{a0}"),
    Hostile("wide space", "\u3000", "\\u{3000}"),
    Hostile("line feed", "a\nb", "a\\u{a}b"),
    Hostile("windows line end", "a\r\nb", "a\\u{d}\\u{a}b"),
    Hostile("line separator", "a\u2028b", "a\\u{2028}b"),
    Hostile("tab", "a\tb", "a\\u{9}b"),
    Hostile("formula", "=1+1", "=1+1", "'=1+1"),
    Hostile("plus", "+1", "+1", "'+1"),
    Hostile("minus", "-1", "-1", "'-1"),
    Hostile("at", "@x", "@x", "'@x"),
    Hostile("formula after a tab", "\t=1", "\\u{9}=1"),
    Hostile("quotes and comma", 'a"b,c', 'a"b,c'),
    Hostile("quotes around", '"q"', '"q"'),
    Hostile("first of a pair", "the", "the"),
    Hostile("second of a pair", "the", "the#2"),
    Hostile("long", LONG, LONG_SHOWN, LONG, True),
    Hostile("long and wide", "果" * 2000, "果" * 11 + "…", "果" * 2000, True),
)  # fmt: skip

COUNT = len(HOSTILE)
TOKENS = [hostile.token for hostile in HOSTILE]
SCORES = [f"1.{i:02d}" for i in range(COUNT)]  # each number stands for one token
VALUES = [f"{100 + i}.5" for i in range(COUNT)]

NASTY = "\x1b[31m\x9b1m\x07\u202e\u200b\ufeff\r\u2028\nattncalc: done"
NASTY_SHOWN = "\\u{1b}[31m\\u{9b}1m\\u{7}\\u{202e}\\u{200b}\\u{feff}\\u{d}\\u{2028}\\u{a}attncalc: done"

COLOR = re.compile(r"\x1b\[[0-9;]*m")
UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

every_token = pytest.mark.parametrize("place", range(COUNT), ids=[hostile.name for hostile in HOSTILE])
every_command = pytest.mark.parametrize("command", ["explain", "run"])
every_format = pytest.mark.parametrize("format", ["table", "plain", "json", "csv"])


def keys_document(**more: Any) -> bytes:
    """Every hostile token is a key, scored by one query."""
    scores, values = [[json.loads(s) for s in SCORES]], [[json.loads(v)] for v in VALUES]
    return as_bytes(tokens=TOKENS, query_tokens=["?"], scores=scores, v=values, **more)


def queries_document(**more: Any) -> bytes:
    """Every hostile token is a query, over two keys."""
    return as_bytes(tokens=["one", "two"], query_tokens=TOKENS, scores=[[json.loads(s), 0.5] for s in SCORES], **more)


def as_bytes(**document: Any) -> bytes:
    """The scenario, its digits kept: 1.10 is not written 1.1."""
    text = json.dumps(document)
    return re.sub(r"\b1\.(\d)(?=[],])", r"1.\g<1>0", text).encode()


@cache
def shown(document: bytes, *args: str) -> str:
    """What the program writes for a document on its standard input; it goes well and says nothing else."""
    done = call(*args, stdin=document)
    assert (done.code, done.err) == (0, "")
    return done.out


def unsafe(text: str) -> list[str]:
    """The characters a terminal would obey or swallow, by their numbers; the program's own line ends are none."""
    return [
        f"U+{ord(c):04X}"
        for c in text
        if c != "\n" and (unicodedata.category(c) in UNSAFE or (unicodedata.category(c) == "Zs" and c != " "))
    ]


def cells_before(line: str, pattern: str) -> int:
    """How many terminal cells stand before the last match."""
    return cell_len(line[: list(re.finditer(pattern, line))[-1].start()])


def loaded(text: str) -> Any:
    """Strict JSON: no NaN, no Infinity."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
