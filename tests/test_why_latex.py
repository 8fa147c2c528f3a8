"""The LaTeX of `why`: a fragment that balances, in which no token is a command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from calling import call
from hostile import keys_document, unsafe
from samples import BUILT_IN

from attncalc import load, run

NASTY = ["\\input{x}", "$", "100%", "a_b", "R&D", "#1", "x^y~", "{", "<s>", "[CLS]", "*", "苹果"]
NASTY_TEXT = [
    r"\textbackslash{}input\{x\}", r"\$", r"100\%", r"a\_b", r"R\&D", r"\#1", r"x\textasciicircum{}y\textasciitilde{}", r"\{",
    r"\textless{}s\textgreater{}", "[CLS]", "*", "苹果",
]  # fmt: skip


def assert_latex(text: str) -> None:
    """Braces, environments and dollars balance, and no sign is there that mathematics would not know."""
    comment, _, text = text.partition("\n")
    assert comment.startswith("% ")
    bare = re.sub(r"\\[\\{}$%&#_]", "", text)
    depth = 0
    for character in bare:
        depth += {"{": 1, "}": -1}.get(character, 0)
        assert depth >= 0
    assert depth == 0
    open_: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\S+?)\}", text):
        assert kind == "begin" or open_.pop() == name
        open_ += [name] if kind == "begin" else []
    assert open_ == []
    assert bare.count("$") % 2 == 0
    assert "#" not in bare
    assert all(line.endswith("%") for line in bare.splitlines() if "%" in line)
    assert not set("−≈·√∞Σᵀ₁ₙμσ²ᵣₐ") & set(text)


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_step_is_latex(name: str) -> None:
    """A fragment that balances, with a line for each computed cell."""
    trace = run(load(name))
    for step in trace:
        words = ["0"] * len([axis for axis in step.stage.layout[2:] if axis != "one"])
        done = call("why", name, step.name, *words, "--format", "latex", "--depth", "2", "--sensitivity")
        assert (done.code, done.err) == (0, "")
        assert_latex(done.out)
        assert done.out.splitlines()[2].startswith(rf"\paragraph{{{step.name}".replace("_", r"\_"))


def test_tokens_are_text() -> None:
    """What LaTeX would obey is written out; a token can be no command."""
    text = json.dumps({"tokens": NASTY, "scores": list(range(len(NASTY))), "v": [[1]] * len(NASTY)})
    done = call("why", "-", "context", "0", "--format", "latex", "--sensitivity", stdin=text.encode())
    assert done.code == 0
    assert_latex(done.out)
    for shown in NASTY_TEXT:
        assert rf"\text{{exponentials 苹果 {shown}}} = e^" in done.out
    assert r"\input" not in done.out
    assert r"\\" + "\n[" not in done.out


def test_hostile_tokens_are_text_too() -> None:
    """What a terminal or an editor would obey is written out."""
    done = call("why", "-", "context", "0", "--format", "latex", stdin=keys_document())
    assert done.code == 0
    assert unsafe(done.out) == []


def test_a_suffix_picks_latex(tmp_path: Path) -> None:
    """`-o tree.tex` is the same fragment."""
    target = tmp_path / "tree.tex"
    assert call("why", "draw", "total", "-o", str(target)) == (0, "", "")
    assert target.read_text(encoding="utf-8") == call("why", "draw", "total", "--format", "latex").out
