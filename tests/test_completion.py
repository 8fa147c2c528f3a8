"""Completion as the shell asks for it: steps, labels, paths and their values, quickly, and never an error."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from calling import call
from hostile import TOKENS, unsafe
from running import Finished, run_program
from samples import LANGUAGES
from test_startup import HEAVY, NAMES, loaded

from attncalc import load
from attncalc.core.names import STEPS
from attncalc.explore.cells import find_cell
from attncalc.messages import speaker
from attncalc.running import run

ODD = {
    "tokens": ["[CLS]", "the cat", "the", "3", "a.b", "the", "$x", "苹果", "don't", "-x", "", "#a"],
    "scores": list(range(12)), "v": [[1, 2]] * 12, "query": 7,
}  # fmt: skip
BROKEN = {
    "cut.json": b'{"tokens": ["a", "b"', "list.json": b"[1, 2]", "number.json": b"7", "empty.json": b"", "binary.json": b"\x00\xff",
    "wrong.json": b'{"tokens": {"a": 1}, "scores": 5, "v": [], "title": null, "mask": {"hide": [[]]}}', "half.json": b'{"tokens": ["\\ud800"]}',
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scenarios that a line may name, good and bad."""
    here = tmp_path_factory.mktemp("completion")
    (here / "odd.json").write_text(json.dumps(ODD), encoding="utf-8")
    (here / "hostile.json").write_text(
        json.dumps({"tokens": TOKENS, "scores": list(range(len(TOKENS)))}), encoding="utf-8"
    )
    (here / "a folder").mkdir()
    (here / "a folder" / "my file.json").write_text('{"tokens": ["x", "y"], "scores": [1, 2]}', encoding="utf-8")
    for name, data in BROKEN.items():
        (here / name).write_bytes(data)
    return here


def asked(folder: Path, line: str, shell: str = "bash", program: Callable[..., Finished] = call) -> Finished:
    """What the shell is told when the key is pressed at the end of the line."""
    words = shlex.split(line) + ([""] if line.endswith(" ") else [])
    ways = {
        "bash": {
            "COMP_WORDS": "\n".join(line.split(" ") if "'" not in line else [line]),
            "COMP_CWORD": str(len(words) - 1),
        },
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }
    return program(env={"_ATTNCALC_COMPLETE": f"complete_{shell}", **ways[shell]}, cwd=folder)


def offered(folder: Path, line: str) -> list[str]:
    """The words that are offered; nothing else is said."""
    done = asked(folder, line)
    assert (done.code, done.err) == (0, ""), line
    return done.out.split("\n")[:-1] if done.out.strip() else []


DRAW_KEYS = ["title.", "about.", "source.", "made_up.", "tokens.", "query=", "scores.", "v.", "residual.", "by_hand=",
             "places=", "expect.", "mask=", "weighting=", "shift=", "algorithm=", "scale=", "empty_rows=", "layout=", "arithmetic=", "rounding="]  # fmt: skip

OFFERED = [
    # cells
    ("why draw wei", ["weights"]),
    ("why draw ex", ["exponentials"]),
    ("why draw ", list(STEPS)),
    ("why draw weights ", ["I", "like", "to", "draw"]),
    ("why draw weights d", ["draw"]),
    ("why draw weights draw t", ["to"]),
    ("why draw total d", ["draw"]),
    ("why draw v l", ["like"]),
    ("why draw context draw ", []),
    ("why draw weights draw I ", []),
    ("why --head 0 draw weights d", ["draw"]),
    ("why draw --depth 2 weights d", ["draw"]),
    ("--lang zh why draw weights d", ["draw"]),
    ("why bought-apple weights 苹果 ", ["我", "买", "了", "一个"]),
    ("why cross weights ", ["红", "苹果"]),
    ("why cross weights 苹果 ", ["the", "red", "apple", "3"]),
    ("why cross k r", ["red"]),
    ("why gpt2-block weights ", []),
    # paths
    ("why draw --set ", DRAW_KEYS),
    ("why draw --set sc", ["scores.", "scale="]),
    ("why draw --set scores.", ["scores.0=", "scores.1=", "scores.2=", "scores.3="]),
    ("why draw --set scores.3", ["scores.3="]),
    ("why draw --set scores.dr", ["scores.draw="]),
    ("why draw --set v.", ["v.0.", "v.1.", "v.2.", "v.3."]),
    ("why draw --set v.t", ["v.to."]),
    ("why draw --set v.to.", ["v.to.0=", "v.to.1=", "v.to.2="]),
    ("why draw --set tokens.1", ["tokens.1="]),
    ("why draw --set title.e", ["title.en="]),
    ("why draw --set nothing.", []),
    ("why draw --set v.to.0.", []),
    ("why draw weights draw I --set sc", ["scores.", "scale="]),
    ("why draw --set mask=causal --set sc", ["scores.", "scale="]),
    ("run draw --set sc", ["scores.", "scale="]),
    ("explain draw --set sc", ["scores.", "scale="]),
    ("verify draw --set sc", ["scores.", "scale="]),
    ("show draw --set sc", ["scores.", "scale="]),
    ("compare draw --set sc", ["scores.", "scale="]),
    ("sweep draw --set sc", ["scores.", "scale="]),
    ("run mini-head --set w_q.0.", ["w_q.0.0=", "w_q.0.1=", "w_q.0.2="]),
    ("run gpt2-block --set norm.w", ["norm.where="]),
    ("run --set ma", ["mask="]),
    # values
    ("why draw --set mask=", ["mask=none", "mask=causal"]),
    ("why draw --set mask=c", ["mask=causal"]),
    ("why draw --set weighting=s", ["weighting=softmax", "weighting=self"]),
    ("why draw --set scale=sqrt_d_m", ["scale=sqrt_d_model"]),
    ("why draw --set shift=", ["shift=true", "shift=false"]),
    ("why draw --set rounding=half", ["rounding=half-up", "rounding=half-even"]),
    ("run mini-head --set layout=", ["layout=in_out", "layout=out_in"]),
    ("why draw --set scores.0=", []),
    # files
    ("why odd.json weights 苹", ["苹果"]),
    ("why odd.json weights ", ["0", "1", "the#1", "3", "a.b", "the#2", "6", "苹果", "8", "9", "10", "11"]),
    ("why odd.json --set scores.a", []),
    ("why odd.json --set scores.1", ["scores.1=", "scores.10=", "scores.11="]),
    ("why 'a folder/my file.json' weights ", ["x", "y"]),
    ("why 'a folder/my file.json' --set ", ["tokens.", "scores.", *DRAW_KEYS[-9:]]),
    ("why - weights ", []),
    ("why missing.json weights ", []),
    ("why nobody weights ", []),
]  # fmt: skip


@pytest.mark.parametrize(("line", "words"), OFFERED)
def test_the_next_word_is_offered(line: str, words: list[str], folder: Path) -> None:
    """What fits the scenario that the line names so far; nothing where there is nothing."""
    assert offered(folder, f"attncalc {line}") == words


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize(
    "rest",
    ["weights ", "weights 0 ", "--set tokens.", "--set scores.", "--set v.", "--set mask.hide.", "--set mask.hide.0."],
)
def test_a_broken_file_is_no_error(name: str, rest: str, folder: Path) -> None:
    """Nothing of it is offered, at most what a path can go through; no traceback."""
    words = offered(folder, f"attncalc why {name} {rest}")
    assert [word for word in words if word not in ("tokens.a=", "tokens.0=", "mask.hide.0.", "0")] == []


@pytest.mark.parametrize("name", ["a folder", "missing/a.json", "cut.json", "-"])
def test_without_a_scenario_the_options_are_offered_still(name: str, folder: Path) -> None:
    """The keys that take words."""
    assert offered(folder, f"attncalc why '{name}' --set ") == DRAW_KEYS[-9:]


def test_what_is_offered_is_what_no_shell_changes_and_finds_its_token(folder: Path) -> None:
    """A token that a shell would take apart is offered as its position; each word typed as it is finds its cell."""
    words = offered(folder, "attncalc why hostile.json weights ")
    assert len(words) == len(TOKENS)
    assert unsafe("".join(words)) == []
    trace = run(load(str(folder / "hostile.json")))
    for place, word in enumerate(words):
        assert shlex.split(word) == [word]
        assert not set(word) & set("*?[]{}$&|;<>()!`\\\"'~")
        assert find_cell(trace, ["weights", word]).place[3] == place


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_answered(shell: str, folder: Path) -> None:
    """Each in its own form, with the same words."""
    done = asked(folder, "attncalc why draw weights draw t", shell, run_program)
    assert (done.code, done.err) == (0, "")
    assert "to" in done.out.replace('"', " ").split()
    assert "draw" not in done.out


def completing(words: Sequence[str]) -> dict[str, str]:
    """The environment that bash sets."""
    return {"_ATTNCALC_COMPLETE": "complete_bash", "COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)}


@pytest.mark.parametrize(
    ("words", "prints"),
    [
        (["attncalc", "why", "draw", "weights", "dr"], "draw"),
        (["attncalc", "why", "draw", "--set", "scores."], "scores.0="),
        (["attncalc", "why", "draw", "--set", "mask="], "mask=causal"),
        (["attncalc", "run", "draw", "--set", "v.to."], "v.to.2="),
        (["attncalc", "wor"], "worksheet"),
        (["attncalc", "show", "dr"], "draw"),
        *((["attncalc", command, "--"], "--lang") for command in NAMES),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_the_key_loads_nothing_slow(words: list[str], prints: str) -> None:
    """No NumPy and no Rich, though the scenario is read."""
    modules, out = loaded([], completing(words))
    assert prints in out
    assert modules & HEAVY == set()


def test_the_script_for_the_shell_is_printed() -> None:
    """`--show-completion` gives what `--install-completion` writes."""
    done = run_program(
        "--show-completion",
        "bash",
        env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1", "PATH": os.environ["PATH"]},
    )
    assert done.code == 0
    assert "_ATTNCALC_COMPLETE=complete_bash" in done.out


@pytest.mark.parametrize("flag", ["--show-completion", "--install-completion"])
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("shell", "code"), [(None, "completion-no-shell"), ("tcsh", "completion-other-shell")])
def test_a_shell_without_completion_is_refused_in_a_sentence(
    shell: str | None, code: str, language: str, flag: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where none is found, or one that is not served, the answer is ours and names those that are."""
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: shell)
    done = call(flag, language=language)
    said = speaker(language)(code, found=shell, known="bash, zsh, fish, powershell, pwsh")
    assert (done.code, done.out, done.err) == (2, "", f"attncalc: {flag}: {said}\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_installed_is_said_in_the_language(
    language: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The shell and the file; the file is there."""
    monkeypatch.setattr("typer._completion_shared._get_shell_name", lambda: "bash")
    done = call("--install-completion", env={"ATTNCALC_LANG": language, "HOME": str(tmp_path)})
    file = tmp_path / ".bash_completions" / "attncalc.sh"
    assert file.exists()
    said = speaker(language)("completion-installed", shell="bash", file=file)
    assert (done.code, done.out, done.err) == (0, f"{said}\n", "")
