r"""LaTeX: a fragment for a document that loads amsmath; tokens are text, and cannot be commands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncalc.document.blocks import TOGETHER, Block, Branch, Derivation, Heading, Matrix, Prose, Remark, Tree
from attncalc.document.latex import LatexNotation
from attncalc.document.view import View
from attncalc.renderers.branches import is_copy

ESCAPES = str.maketrans(
    {"\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "^": r"\textasciicircum{}",
     "_": r"\_", "~": r"\textasciitilde{}", "%": r"\%", TOGETHER: "~", "−": "$-$", "≈": r"$\approx$", "·": r"$\cdot$",
     "√": r"$\surd$", "δ": r"$\delta$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
     "∞": r"$\infty$", "Σ": r"$\Sigma$", "×": r"$\times$", "→": r"$\to$"}
)  # fmt: skip

LETTERS = str.maketrans({"μ": r"\mu ", "σ": r"\sigma ", "²": "^{2}", "ᵣ": "_{r}", "ₐ": "_{a}"})
"""The letters of formulas that only Unicode has."""

AS_READ = str.maketrans({"−": "-", "∞": "inf"})
"""The number of a branch as its text was before the signs of a screen were put in."""


def escaped(text: str) -> str:
    """A text with what LaTeX would obey written out."""
    return text.translate(ESCAPES)


def render(blocks: Sequence[Block], view: View, standalone: bool = False) -> str:
    """The blocks as a fragment, or as a whole document."""
    return "".join(f"{line}\n" for block in blocks for line in _lines(block, view))


def _lines(block: Block, view: View) -> Iterator[str]:
    match block:
        case Heading(text, number, _, aside):
            yield rf"\paragraph{{{escaped(f'{number} {text}'.strip())}}} {escaped(aside)}".rstrip()
        case Prose(text, lead):
            yield escaped(view.say("with-lead", lead=lead, text=text) if lead else text) + r"\par"
        case Remark(_, text):
            yield escaped(view.say("with-lead", lead=view.say("lead.note"), text=text)) + r"\par"
        case Matrix():
            yield from _table(block)
        case Derivation(lines):
            yield from _aligned([Branch(0, n.cell, n.tree, n.relation, n.result, n.comment) for n in lines], view)
        case Tree(branches):
            yield from _aligned([branch for branch in branches if branch.name], view)


def _table(block: Matrix) -> Iterator[str]:
    corner = " / ".join(part for part in (block.rows_are, block.columns_are) if part)
    yield rf"\begin{{tabular}}{{l{'r' * len(block.columns)}}}"
    yield " & ".join(map(escaped, (corner, *block.columns))) + r" \\ \hline"
    for name, row in zip(block.rows, block.cells, strict=True):
        line = " & ".join(map(escaped, (name, *(cell.text for cell in row)))) + r" \\"
        yield "{}" + line if line.startswith(("[", "*")) else line  # not an argument of the \\ before
    yield r"\end{tabular}\par"


def _aligned(branches: Sequence[Branch], view: View) -> Iterator[str]:
    """Each computed cell as a line of an alignment; what is given stands in the numbers already."""
    yield r"\begin{align*}"
    for number, branch in enumerate(branches):
        yield _line(branch, view) + (r" \\" if number < len(branches) - 1 else "")
    yield r"\end{align*}"


def _line(branch: Branch, view: View) -> str:
    latex = LatexNotation(lambda number: str(number.value), view.say, view.notation().most)
    relation = r"\approx" if branch.relation == view.signs.nearly else "="
    parts = [r"\quad " * branch.depth + rf"\text{{{escaped(branch.name)}}} &"]
    parts += [f"= {latex.print(branch.formula.right).translate(LETTERS)}"] if branch.formula else []
    parts += [f"= {latex.print(branch.tree)}"] if branch.tree is not None and not is_copy(branch, view) else []
    parts += [f"{relation} {latex.number(branch.result.translate(AS_READ)).text}"]
    comment = escaped(view.say("in-brackets", text=branch.comment).strip()) if branch.comment else ""
    return " ".join([*parts, rf"\quad \text{{{comment}}}"] if comment else parts)
