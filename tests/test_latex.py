"""LaTeX, set by XeTeX and read back from the page: the numbers of the blocks in their order, and every token a text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

import pytest
from calling import call
from hostile import HOSTILE, keys_document, queries_document
from latex_read import CHINESE_BLANK, SIGNS, Printed, in_a_line, printed
from markdown_read import CALLS, items
from markdown_read import tables as markdown_tables
from samples import BUILT_IN, LANGUAGES

from attncalc import load, run
from attncalc.document.blocks import Block, Derivation, Figure, Heading, Line, Matrix
from attncalc.document.explain import explain
from attncalc.document.tables import tables
from attncalc.document.view import View, view_in
from attncalc.renderers.latex import render


@cache
def blocks_of(name: str, language: str) -> tuple[list[Block], View]:
    """Everything that explain and run say of a scenario on a page."""
    trace, view = run(load(name)), view_in(language, "latex")
    return [*explain(trace, view), *tables(trace, view)], view


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Printed]:
    """Every built-in scenario in both languages as a document, set and read back."""
    documents = {f"{n}-{lang}": render(*blocks_of(n, lang), standalone=True) for n in BUILT_IN for lang in LANGUAGES}
    return printed(documents, tmp_path_factory.mktemp("pages"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_scenario_is_set_without_a_complaint(pages: dict[str, Printed], name: str, language: str) -> None:
    """No warning, no line too long, no missing character."""
    page = pages[f"{name}-{language}"]
    assert (page.made, page.complaints) == (True, [])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_scenario_reads_back_from_its_pages(pages: dict[str, Printed], name: str, language: str) -> None:
    """Label by label and number by number, of every table and derivation, in their order."""
    blocks, view = blocks_of(name, language)
    text = in_a_line(pages[f"{name}-{language}"].text)
    place = 0
    for block in blocks:
        if isinstance(block, Matrix):
            place = after_table(text, block, place)
        elif isinstance(block, Derivation):
            for line in block.lines:
                found = re.compile(line_pattern(line, view)).search(text, place)
                assert found, (line, text[place : place + 400])
                place = found.end()


def after_rows(text: str, block: Matrix, place: int) -> int:
    """Where the last row of a table ends that goes on over pages, row after row."""
    for row in range(len(block.rows)):
        one = block._replace(rows=block.rows[row : row + 1], cells=block.cells[row : row + 1])
        wanted = part_of(one, 0, len(block.columns)).removeprefix(
            part_of(block._replace(rows=(), cells=()), 0, len(block.columns))
        )
        found = text.find(wanted.strip(), place)
        assert found >= 0, (block.caption, wanted, text[place : place + 300])
        place = found + len(wanted)
    return place


def after_table(text: str, block: Matrix, place: int) -> int:
    """Where a table ends, which stands there line by line; or where its parts do, each with some of the columns."""
    first, count = 0, len(block.columns)
    while first < count:
        wanted = {last: part_of(block, first, last) for last in range(count, first, -1)}
        last = next((last for last, part in wanted.items() if text.find(part, place) >= 0), first)
        if last == first == 0:
            return after_rows(text, block, place)
        assert last > first, (block.caption, wanted[count], text[place : place + 300])
        place, first = text.find(wanted[last], place) + len(wanted[last]), last
    return place


def part_of(block: Matrix, first: int, last: int) -> str:
    """Some columns of a table as they read on a page, with the names of the rows."""
    corner = " / ".join(part for part in (block.rows_are, block.columns_are) if part)
    rows = [(corner, *block.columns[first:last])]
    rows += [(name, *(c.text for c in cells[first:last])) for name, cells in zip(block.rows, block.cells, strict=True)]
    return in_a_line(" ".join(read(text) for row in rows for text in row))


def read(text: str) -> str:
    """A text of a block as it reads on a page: a power of ten in full."""
    return re.sub(r"^([−\d.]+)e(-?\d+)$", r"\1 · 10\2", text)


def line_pattern(line: Line, view: View) -> str:
    """The label, the numbers put in and the result, with the signs of mathematics between them."""
    put_in = view.notation().print(line.tree)
    shown = [put_in] if put_in != line.result else []
    numbers = re.findall(r"\d+(?:\.\d+)?|∞", re.sub(r"(?<=\d)e(-?\d)", r" 10 \1", " ".join((*shown, line.result))))
    label = re.escape(in_a_line(line.label)).replace(r"\ ", " ?")
    return label + r"[^\d]*?[=≈]" + "".join(rf"[^\d]*?{re.escape(number)}" for number in numbers)


LATEX = (
    r"\input{/etc/passwd}", r"\write18{ls}", r"\end{document}", r"\\", "^^5c", "^^M", "%", "a%b", "$", "$x_1^2$", "{", "}",
    "}{", "~", "#1", "&", "_", "^", "--", "---", "- -", "``a''", "?`", "!`", "<<a>>", ",,a", '"a"', "'a'", "|", "[CLS]", "*",
    "(a)", "ﬁ", "fi ffl", "é ß ł ą ő Ž", "год", "אב", "漢字", "한국", "ｆｕｌｌ", "😀", "a\u0301", "①", "½", "№", "€",
    r"\csname x\endcsname", r"\catcode`\%=0", r"\immediate\openout5=x", r"\begin{verbatim}", "</style>", "=HYPERLINK(1)",
    "]]>", "<script>", "`a`", "Ħ", "’", "“a”", "a — b", "…", "α", "→", "−1", "1.5", "1e5",
)  # fmt: skip
"""What TeX would obey, change or lack, each to come out as itself."""


INVISIBLE = "\ufe0f"
"""Asks for another picture of the character before, and is nothing by itself."""


def table_of(labels: Sequence[str]) -> list[Block]:
    """A heading, and a table with a row for each label and its number."""
    cells = tuple((Figure(f"{100 + number}.5"),) for number in range(len(labels)))
    return [Heading("Labels", aside="all"), Matrix("", "label", "", tuple(labels), ("number",), cells)]


@pytest.fixture(scope="module")
def hostile_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Printed]:
    """Hostile tokens in tables, derivations and trees, in both languages."""
    calls = {
        "keys": (("explain", "-"), keys_document()), "queries": (("run", "-"), queries_document()),
        "tree": (("why", "-", "context", "0", "0"), keys_document()),
    }  # fmt: skip
    documents = {
        f"{name}-{lang}": call(*args, "--format", "latex", "--standalone", stdin=stdin, language=lang).out
        for name, (args, stdin) in calls.items()
        for lang in LANGUAGES
    }
    for lang in LANGUAGES:
        documents[f"latex-{lang}"] = render(table_of(LATEX), view_in(lang, "latex"), standalone=True)
    return printed(documents, tmp_path_factory.mktemp("hostile"))


def test_hostile_tokens_are_set_without_a_complaint(hostile_pages: dict[str, Printed]) -> None:
    """Those that no font has come out by their numbers."""
    assert {name: page.complaints for name, page in hostile_pages.items() if page.complaints or not page.made} == {}


def as_read(label: str) -> str:
    """The pattern of a label on a page: as it is, or where a font lacks it, by its numbers."""
    ordered = unicodedata.normalize("NFC", " ".join(label.translate(SIGNS).split()))
    return CHINESE_BLANK.sub("", "".join(map(_as_read, ordered))).replace(r"\ ", " ?")


def _as_read(character: str) -> str:
    if character.isascii():
        return re.escape(character)
    as_it_is = "fi" if character == "ﬁ" else unicodedata.normalize("NFD", character)
    return f"(?:{as_it_is}|U\\+{ord(character):04X})" + ("?" if character == INVISIBLE else "")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_tex_would_obey_reads_back_as_itself(hostile_pages: dict[str, Printed], language: str) -> None:
    """Row by row: the label and the number beside it."""
    text = in_a_line(hostile_pages[f"latex-{language}"].text)
    for number, label in enumerate(LATEX):
        assert re.search(f"(?:^|[ 0-9]){as_read(label)} ?{100 + number}\\.5", text), (label, text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("place", range(len(HOSTILE)), ids=[hostile.name for hostile in HOSTILE])
def test_a_hostile_token_reads_back(hostile_pages: dict[str, Printed], place: int, language: str) -> None:
    """As it is shown everywhere, beside its number."""
    text = in_a_line(hostile_pages[f"keys-{language}"].text)
    assert re.search(f"{as_read(HOSTILE[place].shown)} ?{100 + place}\\.5", text)


@pytest.fixture(scope="module")
def command_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Printed]:
    """What the other commands say, as documents."""
    documents = {
        f"{name}-{lang}": call(*words, "--format", "latex", "--standalone", language=lang).out
        for name, words in CALLS.items()
        for lang in LANGUAGES
    }
    return printed(documents, tmp_path_factory.mktemp("commands"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", CALLS)
def test_every_command_reads_back_from_its_pages(command_pages: dict[str, Printed], name: str, language: str) -> None:
    """The rows of the tables that its Markdown has (which are those of the screen), and the branches of its trees."""
    page = command_pages[f"{name}-{language}"]
    assert (page.made, page.complaints) == (True, [])
    text, place = in_a_line(page.text), 0
    markdown = call(*CALLS[name], "--format", "markdown", language=language).out
    rows = [" ".join(filter(None, row)) for table in markdown_tables(markdown) for row in table[1:]]
    ends = [part for item in items(markdown) for part in (item.partition(" = ")[0], item.rpartition(" ")[2])]
    assert rows or ends
    for wanted in rows:
        place = text.find(in_a_line(wanted), place)
        assert place >= 0, (wanted, text)
    place = 0
    for wanted in ends:
        place = text.find(in_a_line(wanted), place)
        assert place >= 0, (wanted, text)
