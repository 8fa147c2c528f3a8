"""The two catalogues: complete, with the same fields, nothing unused and nothing missing."""

from __future__ import annotations

import ast
import re
import string
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from samples import LANGUAGES

import attncalc
from attncalc import load
from attncalc.cli.app import COMMANDS
from attncalc.cli.options import OPTIONS
from attncalc.core import names
from attncalc.messages import SUBJECTS, Word, catalogue, speaker, text_in
from attncalc.pipelines.rows_online import online_rows
from attncalc.pipelines.rows_weights import SHIFT
from attncalc.pipelines.standard import ROWS

PACKAGE = Path(attncalc.__file__).parent
ENGLISH, CHINESE = (catalogue(language) for language in LANGUAGES)
CODES = sorted(ENGLISH)
FORMS = ("-near", "-one", "-here")  # forms of a sentence that its speaker chooses
OWN_NAMES = ("reading-one", "quiz-here", "compare-none-here")  # end like forms, and are none

CODE_AT = {"say": 0, "aloud": 0, "of": 0, "report": 1, "Word": 0, "_fail": 0, "Note": 0, "NotRead": 0}
"""Where a call names a message: `view.say(code)`, `Error.of(code)`, `report(path, code)`, …"""


def plain(code: str) -> str:
    """The code of the sentence that a form belongs to."""
    return code.removesuffix("-near").removesuffix("-one").removesuffix("-here")


def fields(sentence: str) -> set[str]:
    """The names in braces."""
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def sources() -> Iterator[ast.Module]:
    """The package's files but the catalogues, read."""
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.parent.parent.name != "messages":
            yield ast.parse(path.read_text(encoding="utf-8"))


def texts_in(tree: ast.AST) -> Iterator[str]:
    """Strings, and the pattern of f-strings: `title.{…}` as `title.*`."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "*" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


WRITTEN = {text for tree in sources() for text in texts_in(tree)}
PATTERNS = [
    re.compile(re.escape(text).replace(r"\*", "[a-z0-9_.-]+"))
    for text in WRITTEN
    if re.fullmatch(r"[a-z]+-\*-\*|\*-out-in|[a-z]+(-[a-z]+)?[.-]\*(-short)?|[a-z]+\.[a-z]+-\*|labels-\*", text)
]


def called_with() -> Iterator[str]:
    """The message codes that calls name outright."""
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (code := _code_of(node)):
                yield code


def _code_of(call: ast.Call) -> str:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    name = "say" if name == "say" else name
    place = CODE_AT.get(name)
    if place is None or len(call.args) <= place:
        return ""
    found = call.args[place]
    text = found.value if isinstance(found, ast.Constant) and isinstance(found.value, str) else ""
    return f"note.{text}" if name == "Note" and text else text


def faults() -> Iterator[str]:
    """The codes of `Fault(place, code, fields)`."""
    for tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Fault" and len(node.args) > 1:
                code = node.args[1]
                if isinstance(code, ast.Constant):
                    yield str(code.value)


def test_both_languages_have_every_sentence() -> None:
    """The same codes."""
    assert set(ENGLISH) == set(CHINESE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_code_stands_in_two_files(language: str) -> None:
    """A sentence has one home: the later file would win, and the other be dead."""
    files = [import_module(f"attncalc.messages.{language}.{subject}").MESSAGES for subject in SUBJECTS]
    counts = Counter(code for messages in files for code in messages)
    assert [code for code, count in counts.items() if count > 1] == []


def test_no_code_stands_twice_in_a_file() -> None:
    """Of two keys alike in a dict Python keeps the last."""
    for path in sorted((PACKAGE / "messages").glob("*/*.py")):
        trees = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Dict)]
        counts = Counter(key.value for tree in trees for key in tree.keys if isinstance(key, ast.Constant))
        assert [code for code, count in counts.items() if count > 1] == [], path


def test_a_sentence_takes_the_same_fields_in_both() -> None:
    """Nothing that one language says is left out in the other."""
    assert [code for code in CODES if fields(ENGLISH[code]) != fields(CHINESE[code])] == []


@pytest.mark.parametrize("form", [code for code in CODES if code.endswith(FORMS) and code not in OWN_NAMES])
def test_a_form_belongs_to_a_sentence(form: str) -> None:
    """`x-near` and `x-one` are chosen for `x`, from its fields or from what makes the choice."""
    assert fields(ENGLISH[form]) <= fields(ENGLISH[plain(form)]) | {"near"}


NOT_TRANSLATED = {"true", "found-null", "formula.mean"}  # words of JSON and of mathematics


def has_words(sentence: str) -> bool:
    """Whether there is more in it than fields, signs and what is typed."""
    return bool(re.search(r"[a-z]{3}", re.sub(r"\{[^}]*\}|attncalc [a-zNAME]+|[A-Z_]{2,}|float64", "", sentence)))


def test_chinese_is_chinese_and_english_is_not() -> None:
    """Every sentence of more than fields and signs is translated."""
    chinese = re.compile(r"[一-鿿]")
    keys = [code for code in CODES if code.startswith("walk-key.")]  # PgUp stands on the key
    worded = [code for code in CODES if has_words(ENGLISH[code]) and code not in {*NOT_TRANSLATED, *keys}]
    assert [code for code in worded if not chinese.search(CHINESE[code])] == []
    assert [code for code in CODES if chinese.search(ENGLISH[code])] == []


def test_no_sentence_is_unused() -> None:
    """Every code stands in the source, as it is or by a pattern such as `title.…`."""
    unused = [
        code
        for code in CODES
        if code not in WRITTEN
        and plain(code) not in WRITTEN
        and not any(pattern.fullmatch(plain(code)) for pattern in PATTERNS)
    ]
    assert unused == []


def made_codes() -> set[str]:
    """The codes that are made of names: steps, commands, options, choices."""
    made = {f"title.{row.texts()}" for row in ROWS} | {f"name.{row.name}" for row in ROWS}
    made |= {f"why.{row.texts()}" for row in (*ROWS, *SHIFT) if not row.given}
    online = {row.words for row in online_rows(load("draw", options={"algorithm": "online"}))}
    made |= {f"{kind}.{words}" for kind in ("title", "why") for words in online}
    made |= {f"name.{words}" for words in online - {"online-context"}}
    made |= {f"help.{command.name}" for command in COMMANDS} | {option.code() for option in OPTIONS.values()}
    made |= {f"aside.{kind}" for kind in names.ARITHMETICS} | {f"rounding.{rounding}" for rounding in names.ROUNDINGS}
    made |= {f"axis.{axis}" for row in ROWS for axis in row.layout}
    return made


def test_no_sentence_of_a_name_is_unused() -> None:
    """Titles, reasons and help of things that are no more are gone too."""
    kinds = ("title.", "name.", "why.", "aside.", "rounding.", "axis.")
    also = {"aside.by-hand-mixed", "aside.rounding", "why.weights-sink", "why.variance-rms"}
    assert {plain(code) for code in CODES if code.startswith(kinds)} - made_codes() - also == set()


def test_no_code_is_missing() -> None:
    """Whatever the source names, or makes of names, has a sentence."""
    asked = {*called_with(), *faults(), *made_codes()}
    assert len(asked) > 150
    notes = {code for code in asked if code.startswith("note.")}
    bases = {code.rpartition("-")[0] for code in CODES if code.startswith("note.empty-row")} | {"note.made-up"}
    assert asked - set(CODES) - (notes & bases) == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_field_may_be_a_code_itself(language: str) -> None:
    """A `Word` is said in the language of its sentence."""
    say = speaker(language)
    assert catalogue(language)["found-null"] in say("not-a-number", found=Word("found-null"))


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"found": 1, "wanted": 2}, "has 1 label, but there are 2 keys"), ({"found": 3, "wanted": 1}, "has 3 labels, but there is 1 key"),
        ({"found": "1", "wanted": "1"}, "has 1 label, but there is 1 key"), ({"found": 0, "wanted": 10}, "has 0 labels, but there are 10 keys"),
    ],
)  # fmt: skip
def test_a_word_goes_with_its_number(fields: dict[str, object], said: str) -> None:
    """One row, two rows: `{count:row|rows}`."""
    assert speaker("en")("labels-keys", **fields) == said


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("a（头 1）", "a（头 1）这一行写的是 b 的那一行。"),
        ("a", "a 这一行写的是 b 的那一行。"),
        ("a） c", "a） c 这一行写的是 b 的那一行。"),
    ],
)
def test_no_space_stands_after_a_bracket_of_full_width(row: str, said: str) -> None:
    """The space that Chinese words keep from a label is left out there; the label itself stays as it is."""
    assert speaker("zh")("mistake.another-token", row=row, other="b") == said


@pytest.mark.parametrize(
    ("fields", "form"),
    [({"near": "scores"}, "unknown-key-near"), ({"near": ""}, "unknown-key"), ({}, "unknown-key")],
)
def test_a_near_word_has_a_sentence_of_its_own(fields: dict[str, str], form: str) -> None:
    """Did you mean is asked only where there is something to mean."""
    wanted = ENGLISH[form].format(known="a, b", **{"near": "", **fields})
    assert speaker("en")("unknown-key", known="a, b", **fields) == wanted


@pytest.mark.parametrize(
    ("value", "language", "text"),
    [
        ("t", "zh", "t"), ({"en": "e", "zh": "z"}, "zh", "z"), ({"en": "e", "zh": "z"}, "en", "e"),
        ({"zh": "z"}, "en", "z"), (None, "en", ""), ({}, "en", ""),
    ],
)  # fmt: skip
def test_a_text_of_a_scenario_is_in_the_language_or_the_one_there_is(value: object, language: str, text: str) -> None:
    """A string, or one for each language."""
    assert text_in(value, language) == text
