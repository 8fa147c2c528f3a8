"""Numbers as people type them: 0.62, 62 %, 2/3, 1/√2, e^1.8, −∞, with full-width digits and signs as well."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from attncalc.core.arithmetic import MINUS_INFINITY
from attncalc.core.figures import READING, WIDE
from attncalc.core.labels import distinct
from attncalc.errors import Fault, UsageError, shortened
from attncalc.messages import Word
from attncalc.practice.arithmetic_typed import HALF, NoNumber
from attncalc.practice.working_out import within_reason, worked_out

LONGEST = 200
GAPS = ("", "_", "-", "—", "?", "·", "null")
"""What stands for "no answer"."""

EXACT = Decimal("1e-12")
"""How far a true result may be from an exact expression such as 2/3, as a share of it (of 1, where it is smaller)."""

PLAIN = re.compile(r"(?P<number>[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[+-]?[0-9]{1,17})?)\s*(?P<percent>%?)")
MINUS_INFINITIES = ("-inf", "-infinity", "-∞")

# Full-width forms of ASCII are ASCII, and each sign of mathematics has one form: one character for one.
ONE_FORM = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
ONE_FORM |= str.maketrans("\u3000−–×⋅∙÷⁄、。｡|&", " --***//,..;;")

ABOUT = re.compile(r"(?<![^\s,;\[(=:])(?:≈|≒|~|\\approx|大约|约等于|约)")
"""What says that a number is rounded, as the screens themselves do; every written number is."""

PER_CENT = re.compile(r"百分之\s*(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class TypedNumber:
    """A number as it was typed; the true result may be `within` that of it.

    `unit` is the unit of its last digit where it is a plain decimal number, None where it is an expression.
    """

    value: Decimal
    within: Decimal
    text: str
    unit: Decimal | None = None


def typed(text: str) -> TypedNumber | None:
    """The number that a text is, None where it is none.

    A plain number is right within half a unit of its last digit, exponent included. In an expression a whole number is
    exact, and what a number with a point leaves open is carried through; one without such numbers, 2/3 or √3, is right
    within 1e-12 of itself (of 1, where it is smaller).

    >>> typed("62 %")
    TypedNumber(value=Decimal('0.62'), within=Decimal('0.005'), text='62 %', unit=Decimal('0.01'))
    """
    try:
        return number_of(text)
    except NoNumber:
        return None


def number_of(text: str) -> TypedNumber:
    """The same; what is no number is a NoNumber that says what is wanted."""
    if len(text) > LONGEST:
        raise NoNumber("typed-long")
    form = PER_CENT.sub(r"\1%", one_form(text))
    if plain := PLAIN.fullmatch(form):
        return _plain(Decimal(plain["number"], READING), 2 if plain["percent"] else 0, text.strip())
    if form.replace(" ", "") in MINUS_INFINITIES:
        return TypedNumber(MINUS_INFINITY, Decimal(0), text.strip())
    interval = worked_out(form)
    least = WIDE.multiply(EXACT, max(Decimal(1), interval.value.copy_abs()))
    return TypedNumber(interval.value, max(interval.within, least), text.strip())


def plain_number(value: Decimal, text: str) -> TypedNumber:
    """A decimal number with its digits, as a file has it."""
    return _plain(value, 0, text)


def _plain(value: Decimal, percent: int, text: str) -> TypedNumber:
    value = value.scaleb(-percent, WIDE) if percent else value
    unit = Decimal((0, (1,), int(value.as_tuple().exponent)))
    return TypedNumber(value, WIDE.multiply(unit, HALF), text, unit)


def one_form(text: str) -> str:
    """A text in lower case with ASCII digits and signs, no blanks at its ends; a middle dot stays as it is."""
    return _as_long(text).strip().lower()


def _as_long(text: str) -> str:
    """A text with ASCII digits and signs, character by character; blanks for what says that a number is rounded."""
    return ABOUT.sub(lambda sign: " " * len(sign[0]), text.translate(ONE_FORM))


# --- a row ----------------------------------------------------------------------------------------

SEPARATORS = re.compile(r"[,;]")
WORDS = re.compile(r"\S+")
DECIMAL_WORDS = re.compile(r"[^\s;%]+(?:\s*%)?|%")
DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+\s*%?")
LEADS_ON = re.compile(r".*[/*·^√(+]|.+-|.*(?:sqrt|exp|百分之)", re.DOTALL)
"""A word after which its number goes on: `2/`, `(1.8`, `√`."""
GOES_ON = re.compile(r"[/*^%)].*|·.+|\+", re.DOTALL)
"""A word that goes on with the number before it: `/3`, `%`."""
ENDS = ",;|&()[]，；、 \t\n"
"""What may stand between a number and the label that follows."""
FRAME = "|& \\\t\n"
"""What stands around a row that is copied from a table in Markdown or LaTeX."""
TOTAL = re.compile(rf"([^=]+)=(?:\s*{DECIMAL_COMMA.pattern}|[^=,;]+)", re.DOTALL)
"""A row, and after `=` what its numbers add up to."""
SIGNED = re.compile(r"\S\s+[-+](?=[^\s])")
"""A blank and a sign that belongs to what follows: the next number begins."""


class Span(NamedTuple):
    """From where to where an entry stands in the text of its row."""

    start: int
    end: int


@within_reason()
def row_typed(text: str) -> list[TypedNumber | None]:
    """The entries of a row as people type it, None where there is no answer.

    Blanks, commas, semicolons, `|` or `&` separate them, and brackets may stand around all; a sum after `=` is left
    aside. A comma is a decimal one where blanks or semicolons separate, or commas with a blank, and every number has
    one. A number may have blanks inside where that leaves no doubt: `2 / 3`, `62 %`. Raises a UsageError that names
    every entry that is no number.
    """
    found: list[TypedNumber | None] = []
    faults: list[Fault] = []
    for number, entry in enumerate(entries_of(text), start=1):
        try:
            found.append(None if is_gap(entry) else number_of(entry))
        except NoNumber as wrong:
            fields = {"number": number, "found": shortened(entry.strip()), "wanted": Word(wrong.code)}
            faults.append(Fault("", "typed-entry", fields))
    if faults:
        raise UsageError(faults)
    return found


def unlabelled(text: str, labels: Sequence[str]) -> str:
    """A row whose numbers stand behind labels, `I=0.62 to: 0.19`, in the order of the labels; others as they are.

    `_` stands where a label is left out. A row that names a label twice stays as it is, for its reader to refuse.
    """
    names = {name: place for place, name in enumerate(distinct(labels))}
    fitting = (name for name in names if name.strip() and len(name) <= len(text))
    spelled = "|".join(map(re.escape, sorted(fitting, key=len, reverse=True)))
    found = list(re.finditer(rf'(?<![^\s,;|&\[(，；、])("?)({spelled})\1\s*[=:＝：]', text)) if spelled else []
    if not found or text[: found[0].start()].strip(" [("):
        return text
    entries = ["_"] * len(labels)
    for match, after in zip(found, [*found[1:], None], strict=True):
        if entries[names[match[2]]] != "_":
            return text
        entries[names[match[2]]] = text[match.end() : after.start() if after else None].strip(ENDS)
    return ", ".join(entries)


def is_gap(text: str) -> bool:
    """Whether an entry says that there is no answer."""
    return one_form(text) in GAPS


@within_reason()
def entries_of(text: str) -> list[str]:
    """The texts of a row's entries."""
    form = _as_long(text).lower()  # as long as the text, so that an entry can be cut out of it
    form = form if len(form) == len(text) else _as_long(text)
    whole = _inside(form, _without_ends(text, form))
    row = form[whole.start : whole.end]
    words = [_moved(m.span(), whole.start) for m in DECIMAL_WORDS.finditer(row)]
    words = [word._replace(end=word.end - form[word.start : word.end].endswith(",")) for word in words]
    if _has_decimal_commas([form[word.start : word.end] for word in words], row):
        return [form[word.start : word.end].replace(",", ".") for word in words]
    spans = _separated(form, whole) if SEPARATORS.search(row) else _spread(form, whole)
    return [_cut(text, form, span) for span in spans]


def _cut(text: str, form: str, span: Span) -> str:
    """An entry as it was typed, without what stands for blanks at its start."""
    part = _trimmed(form, span)
    return text[part.start : part.end].strip('"')


def _moved(ends: tuple[int, int], by: int) -> Span:
    return Span(ends[0] + by, ends[1] + by)


def _without_ends(text: str, form: str) -> Span:
    """A row without what frames it: pipes of a table, a line's end in LaTeX, a full stop, its sum after `=`."""
    start = len(text) - len(text.lstrip(FRAME))
    whole = _trimmed(form, Span(start, max(start, len(text.rstrip(FRAME)))))
    if (total := TOTAL.fullmatch(form, whole.start, whole.end)) and len(entries_of(total[1])) > 1:
        whole = _trimmed(form, Span(*total.span(1)))
    stop = form[whole.end - 1 : whole.end] == "." and whole.end - whole.start > 1
    return _trimmed(form, whole._replace(end=whole.end - stop))


def _has_decimal_commas(words: list[str], row: str) -> bool:
    """Whether every number has a comma between its digits; another one behind it separates."""
    numbers = [word for word in words if word not in GAPS]
    return len(words) > 1 and bool(numbers) and all(map(DECIMAL_COMMA.fullmatch, numbers)) and '"' not in row


def _trimmed(form: str, span: Span) -> Span:
    part = form[span.start : span.end]
    start = span.start + len(part) - len(part.lstrip())
    return Span(start, max(start, span.start + len(part.rstrip())))


def _inside(form: str, span: Span) -> Span:
    """What stands in the brackets around a whole row; those of a single expression are its own."""
    part = form[span.start : span.end]
    if len(part) < 2 or (part[0], part[-1]) not in (("[", "]"), ("(", ")")):
        return span
    if part[0] == "(" and (_is_number(part) or not _encloses(part)):
        return span
    return _trimmed(form, Span(span.start + 1, span.end - 1))


def _encloses(part: str) -> bool:
    """Whether the bracket that opens a text closes at its end."""
    depth = 0
    for place, character in enumerate(part):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return place == len(part) - 1
    return False


def _is_number(text: str) -> bool:
    try:
        number_of(text)
    except NoNumber:
        return False
    return True


def _separated(form: str, whole: Span) -> Iterator[Span]:
    """The entries between commas and semicolons, or blanks as well; nothing after the last separator is no entry."""
    start = whole.start
    ends = [whole.start + m.start() for m in SEPARATORS.finditer(form[whole.start : whole.end])]
    for end in (*ends, whole.end):
        part = form[start:end].strip()
        if part in GAPS or (not SIGNED.search(part) and _is_number(part.strip('"'))):
            if part or end < whole.end:
                yield Span(start, end)
        else:
            yield from _spread(form, Span(start, end))
        start = end + 1


def _spread(form: str, span: Span) -> Iterator[Span]:
    """The entries between blanks, a number with blanks inside kept whole."""
    last: Span | None = None
    for match in WORDS.finditer(form, span.start, span.end):
        word = Span(match.start(), match.end())
        if last is not None and _belongs(form[last.start : last.end], match[0]):
            last = Span(last.start, word.end)
            continue
        if last is not None:
            yield last
        last = word
    if last is not None:
        yield last


def _belongs(before: str, word: str) -> bool:
    """Whether a word goes on with the number before it."""
    if len(before) > LONGEST:
        return False
    if before.count("(") > before.count(")"):
        return True
    if before in GAPS or word in GAPS:
        return False
    return bool(GOES_ON.fullmatch(word) or LEADS_ON.fullmatch(before))
