"""A tree as lines of text: its guides, and each cell with its formula, the numbers put in and the result."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from attncalc.core.expression import Number
from attncalc.core.wrapping import cells
from attncalc.document.blocks import TOGETHER, Branch, Tree
from attncalc.document.view import View

NARROWEST = 24
"""Room for the text of a branch, however deep it hangs."""


class TreeLine(NamedTuple):
    """A line: the guides, a name that may be set off, and the rest."""

    guides: str
    name: str
    rest: str


def branch_text(branch: Branch, view: View) -> str:
    """The whole line of a branch: `weights draw I = E / Σ = 6.05 / 9.83 ≈ 0.62`."""
    print_, result = view.notation().print, branch.result
    parts = [branch.name] if branch.name else []
    parts += [view.signs.equals, print_(branch.formula.right)] if branch.formula else []
    if branch.tree is not None and not is_copy(branch, view):
        parts += [view.signs.equals, print_(branch.tree)]
    parts += [branch.relation] if branch.relation else []
    comment = view.say("in-brackets", text=branch.comment) if branch.comment else ""
    return " ".join([*parts, result]) + comment


def is_copy(branch: Branch, view: View) -> bool:
    """Whether a number is taken over as it is, so that it need not be written twice."""
    return isinstance(branch.tree, Number) and view.number(str(branch.tree.value)) == branch.result


def tree_lines(tree: Tree, view: View, room: int) -> Iterator[TreeLine]:
    """The lines of a tree, broken between words where the room ends; a number is never cut."""
    guides = _guides([branch.depth for branch in tree.branches], view.signs.ascii)
    for branch, (first, further) in zip(tree.branches, guides, strict=True):
        rooms = max(room - len(first), NARROWEST), max(room - len(further) - 2, NARROWEST - 5)
        head, *tail = (part.replace(TOGETHER, " ") for part in _broken(branch_text(branch, view), *rooms))
        name = branch.name if head.startswith(branch.name) else head
        yield TreeLine(first, name, head[len(name) :])
        for part in tail:
            yield TreeLine(further, "", f"  {part}")


def _guides(depths: Sequence[int], ascii_only: bool) -> list[tuple[str, str]]:
    """What stands before the first line of each branch, and before its further lines."""
    fork, last, line = ("|- ", "`- ", "|  ") if ascii_only else ("├─ ", "└─ ", "│  ")
    guides = []
    open_: set[int] = set()  # the levels at which a later branch hangs
    for depth, below in zip(reversed(depths), (0, *reversed(depths)), strict=False):
        before = "".join(line if level in open_ else "   " for level in range(1, depth))
        goes_on = depth in open_
        own = (fork if goes_on else last, line if goes_on else "   ") if depth else ("", "")
        guides.append((before + own[0], before + own[1] + (line if below > depth else "   ")))
        open_ = {level for level in open_ if level < depth} | {depth}
    return guides[::-1]


def _broken(text: str, first: int, further: int) -> list[str]:
    """The text in parts of at most that many cells, the first and the others, broken at blanks and after 、 and ：."""
    parts = [""]
    for word in re.findall(r" ?[^ 、：]*[、：]?", text):
        room = first if len(parts) == 1 else further
        if parts[-1] and cells(parts[-1]) + cells(word) > room:
            parts.append(word.lstrip(" "))
        else:
            parts[-1] += word
    return parts
