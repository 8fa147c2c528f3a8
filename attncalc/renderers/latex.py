"""LaTeX: a fragment for an article, or a whole document; formulas, aligned derivations, and tables that fit."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from attncalc.document.blocks import Block, Derivation, Heading, Line, Matrix, Plot, Prose, Remark, Tree
from attncalc.document.latex import equation, letter
from attncalc.document.view import View
from attncalc.renderers import latex_preamble
from attncalc.renderers.latex_lines import Lines
from attncalc.renderers.latex_page import DOCUMENT, FRAGMENT
from attncalc.renderers.latex_tables import Part, Plan, parts_of, tabular
from attncalc.renderers.latex_text import breakable, escaped, sentence

WORD = re.compile("[A-Za-z]+")
UNEVEN = re.compile(r"[!-~]{16,}|\w_\w")
BY_NUMBER = re.compile(r"\\anytext|\\texttt")
WORDS_IN_LABEL = 4


def render(blocks: Sequence[Block], view: View, standalone: bool = False) -> str:
    """The blocks as a fragment, or as a whole document; a plot says nothing that the tables do not say."""
    writer = _Writer(view, standalone)
    text = "\n".join(writer.lines(blocks))
    return (latex_preamble.document if standalone else latex_preamble.fragment)(text, view)


class _Writer:
    """Writes block by block, and knows under which heading it is."""

    def __init__(self, view: View, standalone: bool) -> None:
        self.view, self.standalone, self.chinese = view, standalone, view.language == "zh"
        self.page = DOCUMENT if standalone else FRAGMENT
        self.mathematics = Lines(view, self.page)
        self.heading: Heading | None = None
        self.title = ""
        self.before: Block | None = None
        self.labels: Counter[str] = Counter()

    def lines(self, blocks: Sequence[Block]) -> Iterator[str]:
        """The lines of the document; an empty one between blocks, but not before what belongs to the text above."""
        for block in blocks:
            for number, line in enumerate(self._block(block)):
                if number == 0 and not (isinstance(block, Derivation | Tree) or isinstance(self.before, Heading)):
                    yield ""
                yield line
            if not isinstance(block, Plot):
                self.before = block

    def _block(self, block: Block) -> Iterator[str]:
        match block:
            case Heading():
                yield from self._heading(block)
            case Prose(text, lead):
                yield self._paragraph(text, lead)
            case Remark(_, text):
                yield self._paragraph(text, self.view.say("lead.note"))
            case Matrix():
                yield from self._matrix(block)
            case Derivation(lines, formula):
                yield from self._derivation(lines, formula is not None)
            case Tree(branches):
                yield from self.mathematics.tree(branches)

    def _heading(self, block: Heading) -> Iterator[str]:
        """A title and what is said of it, or a step with its formula."""
        is_title = self.heading is None or block.is_title
        self.title = block.text if is_title else self.title
        self.heading = block
        if block.new_page:
            yield r"\clearpage"
        words = breakable(f"{block.number} {block.text}".strip(), self.chinese)
        beside = equation(block.formula, self.view) if block.formula else ""
        beside = self._escaped(block.aside) if block.aside and not is_title else beside
        words += rf"\quad {{\normalfont {beside}}}" if beside else ""
        yield f"{self.page.title if is_title else self.page.part}{{{words}}}"
        if block.aside and is_title:
            yield rf"{{\small {self._escaped(block.aside)}\par}}"

    def _escaped(self, text: str) -> str:
        return escaped(text, self.chinese)

    def _paragraph(self, text: str, lead: str) -> str:
        """A paragraph; where its words make it hard to fill the lines, they are not filled."""
        words = sentence(text, self.chinese)
        uneven = UNEVEN.search(text) or BY_NUMBER.search(words)
        if lead:
            words = self.view.say("with-lead", lead=rf"\textbf{{{self._escaped(lead)}}}", text=words)
        return rf"{{\raggedright {words}\par}}" if uneven else words

    def _derivation(self, lines: Sequence[Line], filled_in: bool) -> Iterator[str]:
        """Lines that fill in the formula of the heading begin with its letter."""
        if isinstance(self.before, Matrix):
            yield r"\vspace{-\baselineskip}"  # else a display that follows a table begins with an empty line
        formula = self.heading.formula if self.heading and filled_in else None
        yield from self.mathematics.derivation(lines, letter(formula.left) if formula else "")

    def _matrix(self, block: Matrix) -> Iterator[str]:
        """A table, or as many as its parts."""
        if not self.standalone and isinstance(self.before, Heading):
            yield r"\leavevmode"  # a heading of a fragment waits for text to stand in front of
        planned, parts = parts_of(block, self.page)
        for number, part in enumerate(parts, 1):
            yield from self._table(block, planned, part, self._caption(block, number, len(parts)))

    def _table(self, block: Matrix, planned: Plan, part: Part, caption: str) -> Iterator[str]:
        lines = list(tabular(block, planned, part, self.chinese))
        if not caption:
            yield from (r"\begin{center}", *lines, r"\end{center}")
            return
        label = "" if self.standalone else rf"\label{{{self._label(block)}}}"
        yield from (r"\begin{table}[H]", r"\centering", rf"\caption{{{caption}}}{label}", *lines, r"\end{table}")

    def _caption(self, block: Matrix, number: int, count: int) -> str:
        part = self.view.say("table-part", number=number, count=count) if count > 1 else ""
        more = self.view.say("list-comma").join(filter(None, (block.caption, part)))
        title = self.heading.text if self.heading else ""
        both = title + self.view.say("in-brackets", text=more) if title and more else title or more
        return breakable(both, self.chinese)

    def _label(self, block: Matrix) -> str:
        """`tab:i-like-to-draw-weights`: the title and the step, with a number where it would stand twice."""
        steps = [figure.cell.name for row in block.cells for figure in row if figure.cell is not None]
        words = [word.lower() for word in WORD.findall(self.title)][:WORDS_IN_LABEL]
        name = "-".join([*words, *(steps[:1] or ["table"])]).replace("_", "-")
        self.labels[name] += 1
        return f"tab:{name}" + (f"-{self.labels[name]}" if self.labels[name] > 1 else "")
