"""HTML without a browser: formulas, the data of the script, what a page leaves out, and that nothing is outside it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from calling import out
from samples import BUILT_IN, LANGUAGES, computed

from attncalc import load, render, run
from attncalc.core.expression import Expression, Number, Operation, Symbol
from attncalc.core.rows import own_place
from attncalc.derive import derivation, formula
from attncalc.document.blocks import (
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
from attncalc.document.cell_stories import runs
from attncalc.document.extent import extent, windows
from attncalc.document.mathml import MathmlNotation, letter, math
from attncalc.document.raised import raised
from attncalc.document.view import view_in
from attncalc.document.windowed import derivations
from attncalc.renderers import html
from attncalc.renderers.page import script_json

CORE = {"math", "mrow", "mi", "mn", "mo", "mtext", "msup", "msub", "mfrac", "msqrt", "munder", "mtable", "mtr", "mtd"}
"""The elements of MathML Core that formulas are made of."""


def same(one: Expression, other: Expression) -> bool:
    """Whether two derivations are the same, number by number and cell by cell."""
    if isinstance(one, Number) and isinstance(other, Number):
        return one.cell == other.cell and bool(one.value == other.value or one.value != one.value)
    if isinstance(one, Operation) and isinstance(other, Operation):
        pairs = zip(one.arguments, other.arguments, strict=True)
        return one.kind == other.kind and all(same(*pair) for pair in pairs)
    return False


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_window_derives_as_its_cells_do(name: str) -> None:
    """All cells of a head at once are, cell by cell, what `derivation` gives; of large steps a part."""
    trace = run(load(name), terms=True)
    batch, head = (count - 1 for count in trace.scenario.grid[:2])
    for step in computed(trace):
        place = own_place(trace, step, batch, head)
        window = (*(slice(p, p + 1) for p in place), *(slice(n // 3, n) for n in step.cells.shape[2:]))
        trees = derivations(trace, step, window)
        assert trees.shape == tuple(part.stop - part.start for part in window)
        for offset in list(np.ndindex(trees.shape))[:: max(1, trees.size // 20)]:
            index = tuple(part.start + o for part, o in zip(window, offset, strict=True))
            assert same(trees[offset], derivation(trace, step, index)), (step.name, index)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", BUILT_IN)
def test_formulas_are_mathml(name: str, language: str) -> None:
    """Well-formed, of the elements of MathML Core, with as many children as each asks for."""
    view = view_in(language, "html")
    notation = MathmlNotation(lambda number: str(number.value), view.say)
    trace = run(load(name), terms=True)
    for step in computed(trace):
        tree = formula(trace, step)
        assert tree is not None
        root = ElementTree.fromstring(math(letter(step.stage.symbol) + notation.print(tree)))
        assert {element.tag for element in root.iter()} <= CORE
        for element in root.iter():
            if element.tag in ("msup", "msub", "mfrac", "munder"):
                assert len(element) == 2, ElementTree.tostring(element)
            assert element.tag not in ("mi", "mn", "mo", "mtext") or (len(element) == 0 and element.text)


A, B = Symbol("A"), Symbol("<b>")

MATHML: list[tuple[Expression, str]] = [
    (Number("-0.5"), "<mn>-0.5</mn>"),
    (Number("1.5e-9"), "<mn>1.5</mn><mo>·</mo><msup><mn>10</mn><mn>-9</mn></msup>"),
    (A / B, "<mfrac><mrow><mi>A</mi></mrow><mrow><mi>&lt;b&gt;</mi></mrow></mfrac>"),
    (Operation("exp", (A - B,)), "<msup><mi>e</mi><mrow><mi>A</mi><mo>−</mo><mi>&lt;b&gt;</mi></mrow></msup>"),
    (Operation("negate", (A + A,)),
     '<mo form="prefix">−</mo><mrow><mo>(</mo><mi>A</mi><mo>+</mo><mi>A</mi><mo>)</mo></mrow>'),
    (Operation("dot", (A, A, A, A)), "<mi>A</mi><mo>·</mo><mi>A</mi><mo>+</mo><mi>A</mi><mo>·</mo><mi>A</mi>"),
    (Operation("tanh", (A,)), "<mi>tanh</mi><mrow><mo>(</mo><mi>A</mi><mo>)</mo></mrow>"),
    (Operation("maximum", (A, B)), "<mi>max</mi><mrow><mo>(</mo><mi>A</mi><mo>,</mo><mi>&lt;b&gt;</mi><mo>)</mo></mrow>"),
    (Symbol("W_Q"), "<msub><mi>W</mi><mi>Q</mi></msub>"),
    (Symbol("σ²"), "<msup><mi>σ</mi><mn>2</mn></msup>"),
    (Symbol("−∞"), '<mo form="prefix">−</mo><mi>∞</mi>'),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "wanted"), MATHML, ids=[wanted for _, wanted in MATHML])
def test_an_expression_as_mathml(tree: Expression, wanted: str) -> None:
    """As written out by hand, with every text escaped."""
    assert MathmlNotation(lambda number: str(number.value), view_in("en", "html").say).print(tree) == wanted


def test_a_long_sum_is_cut_as_in_a_terminal() -> None:
    """The same terms and dots, whether or not those left out are written first."""
    view = view_in("en", "html")
    numbers = tuple(Number(str(n)) for n in range(40))
    for kind in ("sum", "dot"):
        tree = Operation(kind, numbers)
        assert raised(view).print(tree) == view.notation().print(tree)
        assert "…" in raised(view).print(tree)


RUNS = [([], ""), ([5], "5+1"), ([0, 1, 2, 3], "0+4"), ([3, 11, 19, 27], "3+4*8"), ([0, 1, 2, 9, 10], "0+3 9+2"),
        ([7, 3], "7+1 3+1"), ([4, 4], "4+1 4+1")]  # fmt: skip


@pytest.mark.parametrize(("numbers", "wanted"), RUNS)
def test_runs_of_numbers(numbers: list[int], wanted: str) -> None:
    """Runs of even distance in short; read back they are the numbers again."""
    assert runs(numbers) == wanted
    read: list[int] = []
    for start, count, by in re.findall(r"(\d+)\+(\d+)(?:\*(\d+))?", wanted):
        read += [int(start) + n * int(by or 1) for n in range(int(count))]
    assert read == numbers


def test_windows_are_runs_of_rows() -> None:
    """Neighbours together, rows that a step lacks left out."""
    assert list(windows([0, 1, 2, 5, 9], 8)) == [slice(0, 3), slice(5, 6)]


# --- what a page carries ------------------------------------------------------------------------------


def large(heads: int, tokens: int, width: int) -> dict[str, Any]:
    """Queries, keys and values of several heads, from a fixed seed."""
    numbers = np.random.default_rng(5)
    return {name: numbers.normal(size=(heads, tokens, width)).round(3).tolist() for name in "qkv"}


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_scenario_is_there_whole(name: str, told: bool) -> None:
    """Every head has its tables, and every cell says where it comes from."""
    trace = run(load(name), terms=told)
    carried = extent(trace, view_in("en", "html"), trace.scenario.queries, told)
    assert len(carried.places) == carried.of == trace.scenario.grid[0] * trace.scenario.grid[1]
    assert carried.all_told


def test_a_large_scenario_is_cut_and_says_so() -> None:
    """By heads first, then by the rows whose cells are told; in both languages, under the code `cropped`."""
    trace = run(load(large(12, 64, 64)))
    carried = extent(trace, view_in("en", "html"), trace.scenario.queries, False)
    assert carried.places == carried.told == ((0, 0),)
    assert 63 in carried.rows
    page = str(render(trace, "html"))
    assert len(page.encode()) < 2_000_000
    assert "Of 12 heads, batch entries included, this page carries the tables of 1, the first one." in page
    assert "本页只有 12 个头（含各批次）中第 1 个的表格。" in page
    assert f"Where a number comes from is told for {len(carried.rows)} of 64 rows, in 1 head, the first one." in page
    assert "The tables show at most 64 rows and columns." in page  # the joined heads have 768 columns


def test_a_long_context_is_cut_and_says_so() -> None:
    """64 rows and columns, and the query's own row told all the same."""
    scores = np.random.default_rng(6).normal(size=(400, 400)).round(2)
    trace = run(load({"scores": scores.tolist()}))
    page = str(render(trace, "html"))
    assert len(page.encode()) < 2_000_000
    assert "rows 1 to 64 of 400, columns 1 to 64 of 400" in page
    assert "表格最多显示 64 行、64 列。" in page
    assert "The tables show at most 64 rows and columns." in page
    assert data_of(page)["told"]["weights"]["at"].split()[-1].startswith("159600+")


def data_of(page: str) -> Any:
    """What the script of a page has."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_page_needs_nothing_else(name: str) -> None:
    """No address in an attribute, no import in a style, no call in the script; the source's address is text."""
    page = out("explain", name, "--format", "html")
    assert re.findall(r"""\b(?:src|href|action|data)=["'](?!#|data:,)[^"']*""", page) == []
    assert re.findall(r"@import|url\(|fetch\(|XMLHttpRequest|import\(|WebSocket|innerHTML|eval\(", page) == []
    assert "default-src 'none'" in page


def test_no_text_ends_the_data() -> None:
    """Angle brackets, ampersands and the two line ends of JavaScript are written out; what comes back is the same."""
    texts = ["</script>", "<!--", "&amp;", "\u2028\u2029", "查询"]
    written = script_json({"texts": texts})
    assert not re.search("[<>&\u2028\u2029]", written)
    assert json.loads(written) == {"texts": texts}


class Elements(HTMLParser):
    """The elements of a page, and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the name of an element and of what it has."""
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]

    def handle_data(self, data: str) -> None:
        """Keeps a text."""
        self.texts.append(data)


def everywhere(text: str) -> list[Block]:
    """A text in every place that a block has for one."""
    tree = Number("1")
    equation = Equation("A", Operation("add", (Symbol(text), tree)))
    return [
        Heading(text, text, equation, text), Prose(text), Prose(text, text), Remark("x", text),
        Matrix(text, text, text, (text,), (text,), ((Figure(text),),)),
        Matrix(text, text, text, (text,), (text,), ((Figure(text, hidden=True),),), numeric=False),
        Derivation((Line(text, text, Number(text), text, text, 0.5, text),), Symbol(text)),
        Tree((Branch(0, text, tree, text, text, text, equation), Branch(1, "", None, "", text))),
        Plot(text, (text, text), (0.0, 1.0), (Curve(text, (0.1, None)), Curve(text, (0.2, 0.3))), 0.1, 0.3, text, text, 0.5),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["<b>x</b>", "</td></table>", "<script>x</script>", '" onclick="x', "&lt;", "{{ 1 }}"])
def test_a_text_is_text_in_every_place(text: str) -> None:
    """No element and no attribute comes of one; the same elements stand there as for a harmless word."""
    views = [view_in(language, "html") for language in LANGUAGES]
    pages = [Elements(html.render([(view, everywhere(word)) for view in views])) for word in (text, "Qqq")]
    assert pages[0].tags == pages[1].tags
    assert pages[0].attributes == pages[1].attributes
    assert "".join(pages[0].texts).count(text) == "".join(pages[1].texts).count("Qqq") > 25
    parts = [Elements(html.fragment(views[0], everywhere(word))) for word in (text, "Qqq")]
    assert parts[0].tags == parts[1].tags


def test_documents_that_differ_stand_one_after_the_other() -> None:
    """Where the languages do not say the same in the same order, each has a part of its own."""
    page = html.render([(view_in("en", "html"), [Prose("a")]), (view_in("zh", "html"), [Prose("甲"), Prose("乙")])])
    assert re.findall(r'<div lang="(.*?)"', page) == ["en", "zh-Hans"]


@pytest.mark.parametrize("command", ["explain", "run"])
def test_quiet_leaves_the_notes_out(command: str) -> None:
    """The rounding of draw is a note; with --quiet there is none."""
    assert 'class="note"' in out(command, "draw", "--format", "html")
    assert 'class="note"' not in out(command, "draw", "--format", "html", "--quiet")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_language_of_the_call_comes_first(language: str) -> None:
    """It is the page's own; the other is in the same file."""
    for args in (("explain", "draw"), ("why", "draw", "total", "draw")):
        page = out(*args, "--format", "html", "--lang", language)
        tags = ["en", "zh-Hans"] if language == "en" else ["zh-Hans", "en"]
        assert re.findall(r'<html lang="(.*?)"', page) == tags[:1]
        assert re.findall(r'<label lang="(.*?)"', page) == tags


def test_parts_of_a_call_are_parts_of_the_page() -> None:
    """--step, --token and --head choose what is on it."""
    page = out("run", "grouped", "--format", "html", "--step", "weights", "--token", "fox", "--head", "2")
    assert re.findall(r'data-step="(.*?)"', page) == ["weights"]
    assert re.findall(r'data-cells="(.*?)"', page) == ["weights:21+3"]
