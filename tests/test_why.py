"""`why` as text: the tree is whole and says nothing twice, however wide the screen, in every form and language."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from calling import call
from hostile import COLOR
from running import run_in_terminal, run_program, widest
from samples import BUILT_IN, LANGUAGES, trace_of

from attncalc import load, run
from attncalc.core.expression import Cell
from attncalc.core.stage import Step, Trace
from attncalc.explore.cells import cell_name
from attncalc.explore.why import Because, cells_behind, fitting, levels, why

DRAW_TOTAL = """\
total draw = 9.83 (by hand, 2 places)
The total of the row, which the next step divides by.
level 0: total draw = E₁ + … + Eₙ = 6.05 + 1.22 + 1.82 + 0.74 = 9.83
level 1: exponentials draw I = e^S = e^1.8 ≈ 6.05
level 2: given: scores draw I = 1.8
level 1: exponentials draw like = e^0.2 ≈ 1.22
level 2: given: scores draw like = 0.2
level 1: exponentials draw to = e^0.6 ≈ 1.82
level 2: given: scores draw to = 0.6
level 1: exponentials draw draw = e^-0.3 ≈ 0.74
level 2: given: scores draw draw = -0.3
"""

DRAW_TOTAL_NARROW = """\
total draw = 9.83      by hand, 2 places
    The total of the row, which the next
    step divides by.
    total draw = E1 + ... + En = 6.05 +
    |    1.22 + 1.82 + 0.74 = 9.83
    |- exponentials draw I = e^S = e^1.8
    |  |    ~= 6.05
    |  `- given: scores draw I = 1.8
    |- exponentials draw like = e^0.2 ~=
    |  |    1.22
    |  `- given: scores draw like = 0.2
    |- exponentials draw to = e^0.6 ~=
    |  |    1.82
    |  `- given: scores draw to = 0.6
    `- exponentials draw draw = e^-0.3
       |    ~= 0.74
       `- given: scores draw draw = -0.3
"""

DRAW_WEIGHT_CHINESE = """\
weights draw I = 0.62                                             手算，2 位小数
    各占总和的几分之几：一行的权重之和为 1。
    weights draw I = E / Σ = 6.05 / 9.83 ≈ 0.62
    ├─ exponentials draw I = e^S = e^1.8 ≈ 6.05
    │  └─ 给定：scores draw I = 1.8
    └─ total draw = E₁ + … + Eₙ = 6.05 + 1.22 + 1.82 + 0.74 = 9.83
       ├─ exponentials draw I = 6.05（见上）
       ├─ exponentials draw like = e^0.2 ≈ 1.22
       │  └─ 给定：scores draw like = 0.2
       ├─ exponentials draw to = e^0.6 ≈ 1.82
       │  └─ 给定：scores draw to = 0.6
       └─ exponentials draw draw = e^−0.3 ≈ 0.74
          └─ 给定：scores draw draw = −0.3
"""

SCREENS = [
    ("total draw --plain", "en", DRAW_TOTAL),
    ("total --width 40 --ascii", "en", DRAW_TOTAL_NARROW),
    ("weights draw I --width 80", "zh", DRAW_WEIGHT_CHINESE),
    ("weights[draw][I] --width 80", "zh", DRAW_WEIGHT_CHINESE),
    (
        "context draw 0 --depth 1", "en",
        "context draw 0 = 0.70"
        + " " * 62 + "by hand, 2 places\n"
        "    Each value counts as much as its weight says.\n"
        "    context draw 0 = A V = 0.62·0.9 + 0.12·0.2 + 0.19·0.5 + 0.08·0.3 ≈ 0.70\n"
        "    ├─ given: v I 0 = 0.9, v like 0 = 0.2, v to 0 = 0.5, v draw 0 = 0.3\n"
        "    ├─ weights draw I = 0.62\n    ├─ weights draw like = 0.12\n"
        "    ├─ weights draw to = 0.19\n    └─ weights draw draw = 0.08\n",
    ),
    ("v to 1 --plain", "en", "v to 1 = 0.5 (by hand, 2 places)\nThis number is given: it stands at v.2.1 in the scenario.\n"),
    ("v to 1 --plain", "zh", "v to 1 = 0.5（手算，2 位小数）\n这个数是给定的：在算例中位于 v.2.1。\n"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "language", "screen"), SCREENS)
def test_a_cell_of_draw_is_told(words: str, language: str, screen: str) -> None:
    """The name and the number, why the step is taken, and the tree down to the given numbers."""
    assert call("why", "draw", *words.split(), "--quiet", language=language) == (0, screen, "")


def test_changes_are_made_first() -> None:
    """`--set` and its like, one of them a label, are heard before the cell is looked for."""
    done = call("why", "draw", "weights", "draw", "love", "--set", "tokens.1=love", "--set", "scores.love=1", "--plain")
    assert "level 0: weights draw love = E / Σ = 2.72 / 11.33 ≈ 0.24\n" in done.out
    assert "level 2: given: scores draw love = 1\n" in done.out


@pytest.mark.parametrize("scenario", ["grouped", "gpt2-block"])
def test_head_and_batch_entry_stand_in_the_name(scenario: str) -> None:
    """Of the cell itself in the title, of others where they differ; the first where none is asked for."""
    first, third = (call("why", scenario, *head, "weights", "2", "1", "--plain") for head in ((), ("--head", "2")))
    assert first.out.startswith("weights ")
    assert "(head 0) = " in first.out.splitlines()[0]
    assert "(head 2) = " in third.out.splitlines()[0]
    assert ("k fox 0 (head 1) = " in third.out) == (scenario == "grouped")  # the shared head
    assert "(head 2)" not in third.out.split("\n", 2)[2]


# --- the screen -----------------------------------------------------------------------------------

CELLS = [("draw", "residual", "0", "1"), ("mini-head", "output", "3", "2"), ("rope", "weights", "2", "1"),
         ("apple-fruit", "context", "5", "1"), ("padding", "weights", "2", "1"), ("sink", "total", "2")]  # fmt: skip


def words_of(text: str) -> list[str]:
    """What is said, without guides, indents and line ends."""
    return re.sub(r"[│├└─]|\|- |`- |\|", " ", COLOR.sub("", text)).split()


def guides(line: str) -> int:
    """How far a branch hangs: there is room for 24 cells beside the guides, however deep."""
    return len(line) - 4 - len(line[4:].lstrip(" │├└─|`-"))


@pytest.mark.parametrize("cell", CELLS, ids=" ".join)
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("signs", [(), ("--ascii",)], ids=["unicode", "ascii"])
def test_a_narrow_screen_says_the_same(cell: tuple[str, ...], language: str, signs: tuple[str, ...]) -> None:
    """No number is cut or lost at 80 and 40 columns; lines break between words, so that none goes beyond."""
    wide = call("why", *cell, *signs, "--width", "1000", language=language).out
    assert call("why", *cell, *signs, language=language).out == wide  # a pipe is as wide as the content
    for width in (80, 40):
        narrow = call("why", *cell, *signs, "--width", str(width), language=language).out
        assert "".join(words_of(narrow)) == "".join(words_of(wide))
        too_wide = [line for line in narrow.splitlines() if widest([line]) > max(width, 4 + guides(line) + 24)]
        assert too_wide == []
    assert not signs or language == "zh" or cell[0] in ("rope", "apple-fruit") or wide.isascii()


@pytest.mark.parametrize("cell", CELLS[:3], ids=" ".join)
def test_colour_changes_no_character(cell: tuple[str, ...]) -> None:
    """Names are bold; without the codes it is the screen without colour."""
    plain, colored = (call("why", *cell, "--width", "80", "--color", when).out for when in ("never", "always"))
    assert "\x1b[1m" in colored
    assert COLOR.sub("", colored) == plain
    assert "\x1b" not in plain


def test_a_terminal_shows_what_a_pipe_of_its_width_gets() -> None:
    """Nothing wraps by itself."""
    seen = run_in_terminal("why", "mini-head", "weights", "3", "1", columns=60)
    assert (seen.code, seen.lines) == (0, run_program("why", "mini-head", "weights", "3", "1", "--width", "60").out.rstrip().split("\n"))  # fmt: skip


# --- the tree -------------------------------------------------------------------------------------


def samples(name: str) -> tuple[Trace, list[tuple[Step, Cell]]]:
    """A trace with its terms, and a middle and the last cell of every step; of the weights where it is large."""
    trace = run(load(name), terms="v" in run(load(name)))
    cells = []
    for step in [trace["weights"]] if name in ("gpt2-block", "causal-head") else trace:
        for part in (2, 1):  # a middle and the last
            place = tuple((n - 1) // part for n in step.cells.shape)
            cells.append((step, Cell(step.name, place)))
    return trace, cells


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_cell_behind_is_taken_apart_once(name: str) -> None:
    """All that the cell depends on, none twice; `above` was told above, leaves are given."""
    trace, cells = samples(name)
    for step, cell in cells:
        parts = [part for _, part in levels(why(trace, cell))]
        opened = [part.cell for part in parts if not (part.given or part.above)]
        assert len(set(opened)) == len(opened)
        assert set(opened) == (set() if step.stage.given else behind(trace, cell))
        assert not any(part.cut or part.left_out for part in parts)
        for number, part in enumerate(parts):
            assert part.cell.given or part.value is trace[part.cell.name].cells[part.cell.place]
            assert not part.above or part.cell in [earlier.cell for earlier in parts[:number] if not earlier.above]
            assert part.given == (part.cell.given or trace[part.cell.name].stage.given)


def behind(trace: Trace, cell: Cell) -> set[Cell]:
    """The computed cells that a cell depends on, itself with them: a walk without a tree."""
    found, waiting = set(), [cell]
    while waiting:
        one = waiting.pop()
        if one not in found and not trace[one.name].stage.given:
            found.add(one)
            waiting += cells_behind(trace, one)
    return found


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 7, 1000])
def test_depth_is_the_number_of_levels(depth: int) -> None:
    """N levels below the cell, or all there are; what is cut has its number still."""
    trace = run(load("mini-head"))
    cell = Cell("residual", (0, 0, 3, 1))
    whole, tree = why(trace, cell), why(trace, cell, depth)
    deepest = max(level for level, _ in levels(whole))
    assert max(level for level, _ in levels(tree)) == min(depth, deepest)
    assert all(level == depth for level, part in levels(tree) if part.cut)
    assert {part.cell for _, part in levels(tree)} <= {part.cell for _, part in levels(whole)}
    assert any(part.cut for _, part in levels(tree)) == (depth < deepest)


def test_without_a_depth_the_tree_fits_a_screen_or_says_what_shows_more() -> None:
    """As many levels as 100 lines take; `--all` gives every one, and every number of a long sum."""
    short, deep, whole = (
        call("why", "gpt2-block", "context", "2", "1", "--plain", *more).out
        for more in ((), ("--depth", "4"), ("--depth", "4", "--all"))
    )
    assert re.search(r"^\d levels? (is|are) shown; --depth N shows more, --all every one\.$", short, re.MULTILINE)
    assert "--depth N shows more" not in deep + whole
    left_out = re.findall(r"^level \d: … and (\d+) more of (\w+); --all shows every one$", deep, re.MULTILINE)
    assert {("37", "w_v"), ("37", "gained")} <= set(left_out)
    assert "…" not in whole.replace("E₁ + … + Eₙ", "")
    assert len(set(re.findall(r"w_v\.\d+\.1 = ", whole))) == 48
    assert len(set(re.findall(r"w_v\.\d+\.1 = ", deep))) == 11


def test_a_tree_that_fits_is_whole() -> None:
    """Nothing is said of levels where there are no more."""
    trace = trace_of({"scores": [1, 2], "v": [[3], [4]]})
    cell = Cell("context", (0, 0, 0, 0))
    tree, shown = fitting(trace, cell, 12, 100)
    assert [part.cell for _, part in levels(tree)] == [part.cell for _, part in levels(why(trace, cell))]
    assert shown is None
    assert "levels" not in call("why", "draw", "weights", "draw", "I").out


def _name(trace: Trace, part: Because) -> str:
    return cell_name(trace, part.cell)


@pytest.mark.parametrize("name", ["draw", "mini-head", "cached", "cross", "window"])
def test_the_screen_has_every_line_of_the_tree(name: str) -> None:
    """Each cell of the tree is named as often on the screen as it stands in the tree."""
    trace, cells = samples(name)
    for step, cell in cells:
        words = [cell.name, *(str(i) for axis, i in zip(step.stage.layout[2:], cell.place[2:], strict=True) if axis != "one")]  # fmt: skip
        out = call("why", name, *words, "--plain", "--all").out
        tree = Counter(_name(trace, part) for _, part in levels(why(trace, cell)))
        for named, count in tree.items():
            found = len(re.findall(rf"(?:: |, ){re.escape(named)} = ", out))
            assert found == (0 if step.stage.given else count), (words, named)


# --- errors ---------------------------------------------------------------------------------------

REFUSED = [
    (("draw", "total", "--depth", "0"), "--depth: 0 is not a whole number from 1 to 1000"),
    (("draw", "total", "--depth", "x"), "--depth: x is not a whole number from 1 to 1000"),
    (("draw", "total", "--format", "csv"), "--format: is csv; wanted is one of table, plain, json, markdown, latex, html"),
    (("draw", "total", "-o", "a.csv"), "a.csv: .csv is not a suffix that is written here; known are .txt, .json, .md, .tex, .html, or say --format"),
    (("draw", "total", "--json", "--plain"), "ask for one format: json or plain"),
    (("draw", "total", "--head", "1"), "--head: this scenario has a single head, number 0"),
    (("grouped", "total", "0", "--head", "0-1"), "--head: a single head is wanted here, not 0-1"),
    (("grouped", "total", "0", "--head", "all"), "--head: a single head is wanted here, not all"),
    (("padding", "total", "0", "--batch", "all"), "--batch: a single batch is wanted here, not all"),
    (("grouped", "total", "0", "--head", "4"), "--head: 4 is not one of the 4; wanted is a number from 0 to 3, a range such as 0-3, or all"),
    (("draw", "totals"), "totals: totals is not a step of this scenario; did you mean total?"),
    (("drwa", "total"), "drwa: is neither a built-in scenario nor a file; did you mean draw?"),
    (("draw", "total", "--set", "scores.9=1"), "--set scores.9=1: 9 is not a position in scores; positions go from 0 to 3"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "sentence"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_what_cannot_be_done_is_said(args: tuple[str, ...], sentence: str) -> None:
    """One sentence on standard error, exit code 2, nothing on standard output."""
    assert call("why", *args) == (2, "", f"attncalc: {sentence}\n")
