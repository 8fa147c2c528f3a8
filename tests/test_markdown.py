"""Markdown, read back by another program: the numbers are those of the tables, and no text becomes a mark."""

from __future__ import annotations

import re
from itertools import pairwise
from random import Random

import pytest
from calling import call
from hostile import HOSTILE, every_token, keys_document, queries_document
from markdown_read import CALLS, formulas, items, kinds, nodes, paragraphs, tables, unread
from samples import BUILT_IN, LANGUAGES, view_in

from attncalc import load, run
from attncalc.core.expression import Cell, Number
from attncalc.core.stage import Trace
from attncalc.document.because import because
from attncalc.document.blocks import (
    TOGETHER,
    Block,
    Branch,
    Curve,
    Derivation,
    Equation,
    Figure,
    Heading,
    Line,
    Matrix,
    Plot,
    Prose,
    Remark,
    Tree,
)
from attncalc.document.explain import explain
from attncalc.document.tables import tables as whole
from attncalc.renderers.markdown import LINKS, NAMED, UNDERSCORES, render
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

ALLOWED = {"heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "text", "strong_open",
           "strong_close", "em_open", "em_close", "blockquote_open", "blockquote_close", "table_open", "table_close",
           "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close", "th_open", "th_close",
           "td_open", "td_close", "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
           "html_inline"}  # fmt: skip
"""What the renderer means to write: no link, no picture, no code, no rule; of HTML only what `assert_marks` allows."""


def assert_marks(text: str) -> None:
    """Nothing became a mark that is not meant, and the only tags are those around a sign that GitHub would obey."""
    assert kinds(text) <= ALLOWED
    assert set(re.findall("<[^>]*>", re.sub(r"<span>(\\?[$#@:-])</span>", r"\1", text))) == set()


def assert_as_github(text: str) -> None:
    """GitHub finds the formulas, and no other, and none of what it makes links and pictures of."""
    found = []
    for piece in nodes(text):
        found += re.findall(r"(?<![^\s])\$([^$]+)\$(?![A-Za-z0-9])", piece)
        assert piece.count("$") == 2 * len(re.findall(r"\$[^$]+\$", piece)) or piece == "$", piece
        assert not re.search(r"@\w|(?<!\w)#\d|:\w*[a-z]\w*:|\bGH-\d", re.sub(r"\$[^$]+\$", "", piece)), piece
    assert found == formulas(text)


def blocks_of(trace: Trace, language: str = "en") -> list[Block]:
    """Everything that explain and run say of a trace."""
    view = view_in(language)
    return [*explain(trace, view), *whole(trace, view)]


def rows_of(block: Block) -> list[list[str]]:
    """The texts that a block puts into a table, its heads left out; of a derivation label and result."""
    if isinstance(block, Matrix):
        rows = zip(block.rows, block.cells, strict=True)
        return [[name, *(cell.text for cell in cells)] for name, cells in rows]
    if isinstance(block, Derivation):
        return [[line.label, f"{line.relation} {line.result}"] for line in block.lines]
    return []


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_every_table_reads_back(name: str, language: str) -> None:
    """Label by label and number by number, of every built-in scenario in both languages."""
    blocks = blocks_of(run(load(name), terms=False), language)
    wanted = [block for block in blocks if rows_of(block)]
    read = tables(render(blocks, view_in(language)))
    assert len(read) == len(wanted)
    for block, (_, *rows) in zip(wanted, read, strict=True):
        if isinstance(block, Matrix):
            assert rows == rows_of(block)
        else:
            assert [[row[0], row[2].partition(" (")[0].partition("（")[0]] for row in rows] == rows_of(block)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_nothing_becomes_a_mark(name: str, language: str) -> None:
    """Headings, paragraphs, tables, quotes, bold and italic, as the renderer means them, and nothing else."""
    text = render(blocks_of(run(load(name)), language), view_in(language))
    assert_marks(text)
    assert_as_github(text)


MACROS = {
    r"\Sigma", r"\beta", r"\cdot", r"\cos", r"\dots", r"\frac", r"\gamma", r"\infty", r"\left", r"\mathrm", r"\max", r"\mu",
    r"\right", r"\sigma", r"\sin", r"\sqrt", r"\sum", r"\tanh", r"\text", r"\top", r"\varepsilon", r"\vert",
}  # fmt: skip
"""What GitHub draws; `operatorname`, for one, it refuses."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_formula_is_left_as_it_is(name: str, language: str) -> None:
    """By a reader that knows no mathematics: no underscore, star or bracket of it becomes a mark."""
    text = render(blocks_of(run(load(name)), language), view_in(language))
    unchanged = [formula for words in unread(text) for formula in re.findall(r"\$([^$]+)\$", words)]
    assert unchanged == formulas(text)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_formulas_keep_their_backslashes(name: str, language: str) -> None:
    """Braces are paired, every backslash begins a word, and no pipe or angle would end a cell or open a tag."""
    text = render(blocks_of(run(load(name)), language), view_in(language))
    found = formulas(text)
    assert found
    for formula in found:
        assert formula.count("{") == formula.count("}"), formula
        assert not re.search(r"\\[^A-Za-z]|[|<>#]", formula), formula
        assert formula == formula.strip()
        assert formula.count(r"\left") == formula.count(r"\right"), formula
        assert set(re.findall(r"\\[A-Za-z]+", formula)) <= MACROS
    assert text.replace(r"\$", "").count("$") == 2 * len(found)


@every_token
@pytest.mark.parametrize("document", [keys_document(), queries_document()], ids=["keys", "queries"])
def test_a_hostile_token_is_text(document: bytes, place: int) -> None:
    """A label comes back from its table as it is shown."""
    trace = run(scenario_of(parse(document, "hostile"), "hostile"))
    text = render([block for block in whole(trace, view_in()) if isinstance(block, Matrix)], view_in())
    labels = {row[0] for table in tables(text) for row in table}
    assert HOSTILE[place].shown in labels
    assert_marks(text)
    assert_as_github(text)


MARKS = (
    "|", "a|b", "*a*", "**a**", "_a_", "__a__", "a_b_c", "_", "_a b_", "`a`", "``", "~~a~~", "$a$", "$$", "<b>a</b>",
    "<!-- a", "<script>", "</td>", "&lt;", "&amp;", "[a](b)", "![a](b)", "[a]", "<https://a.b>", "https://a.b",
    "www.a.b", "a\\", "\\|", "\\`", "# a", "## a", "a #", "- a", "+ a", "* a", "1. a", "12) a", "> a", "---", "***",
    "___", "===", "```", "~~~", "|-|", ":-", "::: a", "a\nb", "\\(a\\)", "{{a}}", "{% a %}", "#1", "@a", ":a:",
    ":+1:", "12:30:45", "the#2", "GH-7", "a@b.de", "$x_0$", "\\$x$", "a$b", "=HYPERLINK(1)", "]]>", "\\input{/etc/passwd}",
    "</style>", "[^1]", "[!NOTE]", "a<!--b-->",
)  # fmt: skip


@pytest.mark.parametrize("text", MARKS)
def test_marks_are_text_wherever_they_stand(text: str) -> None:
    """In a heading, a paragraph with a lead or without, a note, a caption, a label, a cell, a derivation, a tree."""
    tree = Number("1")
    blocks: list[Block] = [
        Heading(text, text, aside=text), Heading(text), Prose(text), Prose(text, text), Remark("x", text),
        Matrix(text, text, text, (text,), (text,), ((Figure(text),),)),
        Derivation((Line(text, text, tree, "=", text, comment=text),)),
        Tree((Branch(0, text, tree, "=", text, text), Branch(1, "", None, "", text))),
    ]  # fmt: skip
    rendered = render(blocks, view_in())
    shown = " ".join(text.split())
    assert_marks(rendered)
    assert_as_github(rendered)
    assert [" ".join(words.split()) for words in paragraphs(rendered)] == [
        f"{shown} {shown}", shown, shown, shown, f"{shown}: {shown}", f"Note: {shown}", shown,
        f"{shown} = $1$ = {shown} ({shown})", shown,
    ]  # fmt: skip
    (matrix, derivation) = tables(rendered)
    assert [[" ".join(cell.split()) for cell in row] for row in matrix] == [[f"{shown} / {shown}", shown], [shown] * 2]
    assert [" ".join(cell.split()) for cell in derivation[1]] == [shown, "$1$", f"= {shown} ({shown})"]


LOOKED_FOR = {
    UNDERSCORES: r"(?<!\w)_+(?=[^\s_])",
    LINKS: r"(?<=[A-Za-z]):(?=//)|(?<=\b[wW]{3})\.",
    NAMED: r"@(?=\w)|(?<!\w)#(?=[0-9])|:(?=[0-9_+-]*[a-z][a-z0-9_+-]*:)|(?<=\bGH)-(?=[0-9])",
}
"""What stands before the signs looked for first, as it is said in words; to look so takes long in a long text."""


@pytest.mark.parametrize(("quick", "plain"), LOOKED_FOR.items(), ids=["underscores", "links", "names"])
def test_signs_are_found_by_themselves_first(quick: re.Pattern[str], plain: str) -> None:
    """And then by what stands around them: the same ones in random texts."""
    draws = Random(20)
    found = 0
    for _ in range(20_000):
        text = "".join(draws.choices(["_", "@", "#", ":", "//", "www", "W", ".", "GH", "-", "1", "a", " ", "é"], k=9))
        wanted = [match.span() for match in re.finditer(plain, text)]
        assert [match.span() for match in quick.finditer(text)] == wanted
        found += len(wanted)
    assert found > 500


def test_a_line_to_write_on_stays_a_line() -> None:
    """Underscores that stand alone are not written out, in a cell and after a lead."""
    cells = ((Figure("____"), Figure("____")),)
    text = render([Matrix("", "query", "key", ("a",), ("b", "c"), cells), Prose("____", "Name")], view_in())
    assert text == "| query / key | b | c |\n| --- | ---: | ---: |\n| a | ____ | ____ |\n\n**Name**: ____\n"


def test_the_first_heading_is_the_title() -> None:
    """As is every heading that says more at the end of its line, such as that of a second scenario; steps are below."""
    step, named = Heading("Divide", "3", Equation("A", Number("1"))), Heading("Sum", aside="total", below=True)
    text = render([Prose("a"), Heading("One"), step, named, Heading("Two", aside="exact")], view_in())
    assert text == "a\n\n# One\n\n## 3 Divide $A = 1$\n\n## Sum\n\n*total*\n\n# Two\n\n*exact*\n"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("words", CALLS.values(), ids=CALLS)
def test_every_command_says_what_the_screen_says(words: list[str], language: str) -> None:
    """Row by row of every table, cell by cell, and branch by branch of every tree."""
    page = call(*words, "--format", "markdown", language=language).out
    screen = call(*words, "--width", "1000", "--color", "never", language=language).out.splitlines()
    assert_marks(page)
    assert_as_github(page)
    rows = [[cell for cell in row if cell] for table in tables(page) for row in table[1:]]
    on_screen = [re.split(r"\s{2,}", line.strip()) for line in screen]
    assert rows == [row for row in on_screen if row in rows]
    branches = [ends(words) for words in items(page)]
    assert branches == [found for found in map(ends, (line.lstrip(" │├└─") for line in screen)) if found in branches]


def ends(line: str) -> tuple[str, str]:
    """The name of a cell and its number, what stands between left out."""
    parts = re.split(r" [=≈] ", line)
    return parts[0], parts[-1]


def test_a_page_has_one_title_a_scenario() -> None:
    """Steps stand below it, in a comparison and a diagnosis too, where they have a name at the end of their line."""
    compared = call("compare", "draw", "--set", "scores.0=1", "--format", "markdown").out
    checked = call("check", "draw", "--answer", "weights=1 1 1 1", "--format", "markdown").out
    for text in (compared, checked):
        assert len(re.findall("^# ", text, re.MULTILINE)) == 1
        assert len(re.findall("^## ", text, re.MULTILINE)) >= 1


def test_a_plot_is_left_out() -> None:
    """The tables beside it say the same."""
    plot = Plot("x", ("0", "1"), (0.0, 1.0), (Curve("a", (0.1, 0.2)),), 0.1, 0.2, "0.1", "0.2")
    assert render([Prose("a"), plot, Prose("b")], view_in()) == "a\n\nb\n"


def test_a_tree_is_a_list_in_a_list() -> None:
    """A cell under the cell that is made from it, each with formula, numbers and result; blanks are blanks."""
    trace = run(load("draw"))
    text = render(list(because(trace, Cell("weights", (0, 0, 0, 0)), view_in())), view_in())
    lines = [line for line in text.splitlines() if line.lstrip().startswith("- ")]
    assert lines[0] == r"- **weights draw I** = $\frac{E}{\Sigma}$ = $\frac{6.05}{9.83}$ ≈ 0.62"
    assert lines[1] == r"  - **exponentials draw I** = $e^{S}$ = $e^{1.8}$ ≈ 6.05"
    assert TOGETHER not in text
    depths = [len(line) - len(line.lstrip()) for line in lines]
    assert max(depths) >= 4
    assert all(after - before <= 2 for before, after in pairwise(depths))
