"""LaTeX before it is set: escaped texts, widths, lines that fit, tables that fit, the frame around them."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from calling import call, out
from hostile import HOSTILE
from latex_read import drafts
from samples import DRAW, LANGUAGES

from attncalc.core.expression import Number, Operation, Symbol
from attncalc.document.blocks import (
    Block,
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
)
from attncalc.document.view import view_in
from attncalc.renderers.latex import render
from attncalc.renderers.latex_lines import Piece, Row, aligned, equal, split
from attncalc.renderers.latex_page import DOCUMENT, FRAGMENT, SIZES
from attncalc.renderers.latex_tables import parts_of, plan
from attncalc.renderers.latex_text import ESCAPES, SIGNS, breakable, escaped, figure, sentence
from attncalc.renderers.latex_width import math_width, text_width

VIEW = view_in("en", "latex")

TEXTS = (
    (r"\input{x}", r"\textbackslash{}input\{x\}"), ("50% & $5", r"50\% \& \$5"), ("a_b#1^2~", r"a\_b\#1\textasciicircum{}2\textasciitilde{}"),
    ("<s>|", r"\textless{}s\textgreater{}\textbar{}"), ("--", "-{}-"), ("---", "-{}-{}-"), (",,", ",{},"), ("a  b", r"a \ b"),
    ("``a''", r"\textasciigrave{}\textasciigrave{}a\textquotesingle{}\textquotesingle{}"), ("it’s “so” – …", r"it's ``so'' -- \dots{}"),
    ("a\u00a0b", "a~b"), ("−0.3 ≈ √2", r"$-$0.3 $\approx$ $\surd$2"), ("苹果", "苹果"), ("naïve", "naïve"),
    ("год", r"\anytext{год}{0433,043E,0434}"), ("aש", r"a\anytext{ש}{05E9}"), ("e\u0301%", r"\anytext{e" + "\u0301" + r"}{0065,0301}\%"),
    ("%\u0301", r"\%\anytext{" + "\u0301" + "}{0301}"), ("\u202e", r"\texttt{U+202E}"), ("a\nb", "a b"), ("🤗", r"\anytext{🤗}{1F917}"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "latex"), TEXTS)
def test_a_text_is_escaped(text: str, latex: str) -> None:
    """What TeX would obey by a command, what few fonts have as it is and by its numbers."""
    assert escaped(text) == latex


def test_chinese_marks_stay_chinese() -> None:
    """Quotation marks and dots of a Chinese sentence are full-width characters."""
    assert escaped("“词”——……", chinese=True) == "“词”——……"


@pytest.mark.parametrize("hostile", HOSTILE, ids=[hostile.name for hostile in HOSTILE])
def test_no_token_is_a_command(hostile: object) -> None:
    """Only commands that the table has, and no sign that TeX obeys outside them."""
    known = {
        *re.findall(r"\\[A-Za-z]+", "".join((*ESCAPES.values(), *SIGNS.values()))),
        r"\anytext",
        r"\texttt",
        r"\dots",
    }
    latex = escaped(hostile.token)  # type: ignore[attr-defined]
    assert set(re.findall(r"\\[A-Za-z]+", latex)) <= known
    bare = re.sub(
        r"\\[A-Za-z]+(\{\})?|\\[\\{}$&#%_ ]", "", latex.replace("~", "" if "\u00a0" in hostile.token else "~")
    )  # type: ignore[attr-defined]
    assert not re.search(r"[\\%#&^~_\x00-\x1f]", bare)
    assert bare.count("{") == bare.count("}")


def test_long_words_may_be_broken_but_numbers_not() -> None:
    """A word longer than 24 letters, at its signs or after eight."""
    assert breakable("x" * 30) == r"xxxxxxxx\allowbreak{}xxxxxxxx\allowbreak{}xxxxxxxx\allowbreak{}xxxxxx"
    assert breakable("https://example.com/a/b?c=d").count(r"\allowbreak{}") >= 3
    for number in ("0." + "3" * 50, "(0." + "3" * 50 + ","):
        assert breakable(number) == number


FIGURES = (
    ("0.62", "0.62"), ("−0.30", "$-0.30$"), ("−∞", r"$-\infty$"), ("∞", r"$\infty$"), ("1.8e41", r"$1.8 \cdot 10^{41}$"),
    ("−1.3e-24", r"$-1.3 \cdot 10^{-24}$"), ("NaN", "NaN"), ("·", r"$\cdot$"), ("(−1, 2)", "($-$1, 2)"), ("____", r"\rule{3em}{0.4pt}"),
)  # fmt: skip


@pytest.mark.parametrize(("text", "latex"), FIGURES)
def test_a_figure_is_mathematics(text: str, latex: str) -> None:
    """Its minus sign, infinity and power of ten; a blank is a line to write on."""
    assert figure(text) == latex


def test_a_sentence_has_lines_to_write_on() -> None:
    """Underscores that stand alone, but not those of a name."""
    assert sentence("Fill in ____ here: d_k, __init__") == r"Fill in \rule{3em}{0.4pt} here: d\_k, \_\_init\_\_"


MEASURED = (
    "query / key", "draw", "0.6234", "-1.5", "WRONG", "Weighted value sum", "MMMM", "weights[draw][I]", "iiii", "(0.1, 0.2)",
    "苹果", "Ünïcödé", "année", "e-24", "{x}_y^z", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "#%&$@!?",
)  # fmt: skip
FORMULAS = (
    "= 6.05 + 1.22 - 0.3", r"\frac{0.7408}{9.8340}", r"\sqrt{0.7801 + 1 \cdot 10^{-5}}", r"e^{-0.3} \approx 0.74", r"E_{0} = 1",
    r"(-0.5) \cdot 0.39 + 0.81 \cdot (-0.1)", r"\max(1.5, 2.5, \dots, 3)", r"\frac{-0.3497 - (-0.0364)}{\sqrt{0.78 + 1}}",
    r"\tanh(0.5) \cdot 2", r"\left(\frac{1}{2}\right) \cdot 3", r"-\infty", r"\cos(1) - \sin(2)",
)  # fmt: skip


def test_widths_are_those_that_tex_finds(tmp_path: Path) -> None:
    """Never less than 2 % too small, and not far too large: of texts and formulas, in the letters of a fragment."""
    boxes = [*map(escaped, MEASURED), *(rf"$\displaystyle {formula}$" for formula in FORMULAS)]
    lines = "".join(rf"\setbox0\hbox{{{box}}}\typeout{{WIDE \the\wd0}}" + "\n" for box in boxes)
    text = render([Prose("".join(MEASURED))], VIEW, standalone=True).replace("11pt", "10pt")
    text = text.replace("\\begin{document}\n", "\\begin{document}\n" + lines)
    assert drafts({"widths": text}, tmp_path, "xelatex")["widths"].made
    found = re.findall(r"WIDE ([\d.]+)pt", (tmp_path / "widths.log").read_text(encoding="utf-8", errors="replace"))
    estimated = [*map(text_width, MEASURED), *map(math_width, FORMULAS)]
    assert len(found) == len(estimated)
    for box, wide, width in zip(boxes, found, estimated, strict=True):
        assert 0.98 * float(wide) / 10 <= width <= 1.5 * float(wide) / 10 + 0.5, (box, float(wide) / 10, width)


SPLIT = (
    ("= 1 + 2 - 3", 0, ["= 1", "+ 2", "- 3"]), ("= (1 + 2) / 3", 0, ["= (1 + 2)", "/ 3"]), ("= (1 + 2) / 3", 1, ["= (1", "+ 2)", "/ 3"]),
    (r"\frac{1 + 2}{3}", 9, [r"\frac{1 + 2}{3}"]), (r"\max(1, 2)", 1, [r"\max(1,", "2)"]), ("= -1 + (-2)", 0, ["= -1", "+ (-2)"]),
    (r"1.5 \cdot 2", 6, ["1.5", r"\cdot 2"]), (r"1 \cdot 10^{-5}", 6, [r"1 \cdot 10^{-5}"]), (r"\left(1 + \frac{1}{2}\right)", 6, [r"\left(1 + \frac{1}{2}\right)"]),
)  # fmt: skip


@pytest.mark.parametrize(("formula", "depth", "parts"), SPLIT)
def test_a_formula_is_broken_at_its_signs(formula: str, depth: int, parts: list[str]) -> None:
    """In few parentheses first, never in a group, never in a number."""
    assert split(formula, depth) == parts


def test_pieces_are_the_whole_formula_and_fit() -> None:
    """A sum of products in parentheses is broken inside only where it has to be."""
    formula = "(" + " + ".join([r"0.1234 \cdot (-0.5678)"] * 12) + ") / 48"
    pieces = equal(formula, 30.0)
    assert " ".join(piece.latex for piece in pieces) == f"= {formula}"
    assert all(piece.width <= 30 for piece in pieces)
    assert len(equal("1 + 2", 30.0)) == 2


@pytest.mark.parametrize("page", [DOCUMENT, FRAGMENT], ids=["document", "fragment"])
def test_lines_fit_the_page(page: object) -> None:
    """Each as full as it can be; a piece that is too wide makes the letters smaller."""
    piece = Piece("+ 0.1234", math_width("+ 0.1234"))
    lines = list(aligned([Row(Piece("x", 0.6), 0, [piece] * 40)], page))[1:-1]  # type: ignore[arg-type]
    widths = [
        math_width(line.replace("&", "").replace(r" \\", "").replace(r"\hspace{2.5em}", r"\qquad")) for line in lines
    ]
    assert max(widths) <= page.width  # type: ignore[attr-defined]
    assert all(width > page.width - 8 for width in widths[:-1])  # type: ignore[attr-defined]
    for width, command in ((20, ""), (31, r"{\small"), (33, r"{\footnotesize"), (60, r"{\scriptsize")):
        rows = [Row(Piece("x", 0.6), 0, [Piece("9", width)])]
        assert next(iter(aligned(rows, FRAGMENT))) == command + r"\begin{align*}"


def matrix(rows: int, columns: int, text: str = "0.1234") -> Matrix:
    """A table of the same number."""
    names = tuple(f"token{n}" for n in range(max(rows, columns)))
    return Matrix("", "query", "key", names[:rows], names[:columns], ((Figure(text),) * columns,) * rows)


PARTS = ((4, 4, 1, ""), (8, 9, 1, r"\small"), (6, 48, 5, r"\scriptsize"), (64, 64, 12, r"\scriptsize"), (100, 2, 3, ""))


@pytest.mark.parametrize(("rows", "columns", "count", "size"), PARTS)
def test_a_table_is_set_in_parts_that_fit(rows: int, columns: int, count: int, size: str) -> None:
    """Every cell in one part, and no part wider or longer than a page."""
    planned, parts = parts_of(matrix(rows, columns), DOCUMENT)
    assert (len(parts), planned.size.command) == (count, size)
    cells = [(row, column) for part in parts for row in part.rows for column in part.columns]
    assert sorted(cells) == [(row, column) for row in range(rows) for column in range(1, columns + 1)]
    for part in parts:
        wide = sum(planned.widths[column] for column in (0, *part.columns)) * planned.size.ratio
        assert wide + 0.2 * planned.size.gap * (len(part.columns) + 1) <= DOCUMENT.width
        assert len(part.rows) <= planned.size.lines
    assert all(
        before.columns.stop == after.columns.start for before, after in pairwise(parts) if before.rows == after.rows
    )


def test_long_texts_are_broken_into_lines() -> None:
    """A column of sentences takes what is left of the line."""
    planned = plan([10.0, 80.0, 5.0], [10.0, 6.0, 5.0], DOCUMENT)
    assert (planned.broken(0), planned.broken(1), planned.broken(2)) == (False, True, False)
    assert planned.parts == (range(1, 3),)
    assert plan([10.0, 80.0], [10.0, 80.0], DOCUMENT).widths[1] == 80.0  # a word is not broken
    assert SIZES[-1].ratio < planned.size.ratio < 1


# --- the frame --------------------------------------------------------------------------------------

CALLS = {
    "explain": "explain causal-head", "run": "run mini-head", "why": "why gpt2-block output 5 0 --depth 3 --sensitivity",
    "compare": "compare draw --with mask=causal --with scores.0=1", "check": "check draw --answer weights=0.62_0.12_0.19_0.18",
    "verify": "verify draw bigram", "sweep": "sweep draw scores.0 -2 2", "two": "run draw padding", "hostile": "run -",
}  # fmt: skip


def test_a_fragment_is_set_in_an_article(tmp_path: Path) -> None:
    """With the packages that its first line names, by pdfTeX, and with nothing that is too wide."""
    documents = {}
    for name, line in CALLS.items():
        words = [word.replace("_", " ") if "=" in word else word for word in line.split()]
        text = call(
            *words, "--format", "latex", stdin=json.dumps(DRAW | {"tokens": ["<s>", "--", "год", "🤗"]}).encode()
        ).out
        assert not re.search("[\u4e00-\u9fff]", text)
        packages = "".join(re.findall(r"\\usepackage\S*?\{[^}]*\}", text.splitlines()[0]))
        documents[name] = (
            rf"\documentclass{{article}}{packages}\begin{{document}}{text[text.index(chr(10)) :]}\end{{document}}"
        )
    found = drafts(documents, tmp_path, "pdflatex")
    complaints = {name: [line for line in page.complaints if "Rerun" not in line] for name, page in found.items()}
    assert {name: lines for name, lines in complaints.items() if lines or not found[name].made} == {}


def test_a_fragment_says_what_it_needs() -> None:
    """In its first line, in the language of its reader; Chinese characters ask for a package for them."""
    first = {
        lang: [out_of("explain", name, lang).splitlines()[0] for name in ("draw", "apple-fruit")] for lang in LANGUAGES
    }
    packages = r"\usepackage{amsmath,booktabs,float}"
    assert first["en"] == [
        f"% Part of a document; in the preamble: {packages}, with pdflatex also \\usepackage[T1]{{fontenc}}",
        f"% Part of a document; in the preamble: {packages}, and for the Chinese characters xeCJK or ctex; compile with xelatex",
    ]
    assert all(
        line.startswith(f"% 文档的一部分；导言区需要：{packages}，中文还需要 xeCJK 或 ctex") for line in first["zh"]
    )
    assert "amssymb" in out_of("run", "padding", "en").splitlines()[0]


def out_of(command: str, name: str, language: str) -> str:
    """The fragment of a command."""
    return out(command, name, "--format", "latex", language=language)


def test_labels_are_those_of_the_title_and_the_step() -> None:
    """None stands twice, in several scenarios neither; a document needs none."""
    text = out("run", "draw", "draw", "--format", "latex")
    labels = re.findall(r"\\label\{([^}]*)\}", text)
    assert labels[1:4] == ["tab:i-like-to-draw-v", "tab:i-like-to-draw-scores", "tab:i-like-to-draw-exponentials"]
    assert len(set(labels)) == len(labels)
    assert r"\label" not in out("run", "draw", "--format", "latex", "--standalone")


STEP = Heading("Divide", "3", Equation("A", Operation("divide", (Symbol("E"), Symbol("Σ")))))
SUM = Derivation(
    (Line("", "I", Operation("add", (Number("1"), Number("2"))), "=", "3", comment="hidden"),), Symbol("E")
)

FRAMES = (
    ([Heading("Title", aside="exact"), Prose("Text.", "Lead")], True, "\\section*{Title}\n{\\small exact\\par}\n\\textbf{Lead}: Text."),
    ([STEP, SUM], False, "\\paragraph{3 Divide\\quad {\\normalfont $A = \\frac{E}{\\Sigma}$}}\n\\begin{align*}\n"
     "A_{\\text{I}} & = 1 + 2 = 3 \\quad \\text{(hidden)}\n\\end{align*}"),
    ([Heading("One"), Heading("Sum", aside="total", below=True)], True, "\\section*{One}\n\\subsection*{Sum\\quad {\\normalfont total}}"),
    ([Heading("One"), Heading("Two", aside="a", new_page=True)], True, "\\section*{One}\n\\clearpage\n\\section*{Two}\n{\\small a\\par}"),
    ([Prose("a"), Plot("x", ("0",), (0.0,), (Curve("c", (0.1,)),), 0.1, 0.1, "0.1", "0.1"), Prose("b")], True, "a\n\nb"),
    ([Remark("x", "y")], False, r"\textbf{Note}: y"),
)  # fmt: skip


@pytest.mark.parametrize(("blocks", "standalone", "text"), FRAMES)
def test_blocks_and_their_frame(blocks: list[Block], standalone: bool, text: str) -> None:
    """Titles and steps, a lead, a derivation with its letter; a plot is left out."""
    rendered = render(blocks, VIEW, standalone)
    body = (
        rendered.partition("\\begin{document}")[2].partition("\\end{document}")[0]
        if standalone
        else rendered.partition("\n")[2]
    )
    assert body.strip() == text


def test_a_caption_is_the_heading_and_the_part() -> None:
    """A table that is set in parts says which part each is."""
    text = render([Heading("Scores"), matrix(6, 48)._replace(caption="head 1")], VIEW)
    captions = re.findall(r"\\caption\{([^}]*)\}", text)
    assert captions[0] == f"Scores (head 1, part 1 of {len(captions)})"
    assert "caption" not in render([matrix(2, 2)], VIEW)
