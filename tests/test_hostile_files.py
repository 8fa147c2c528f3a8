"""Files from strangers: what they claim is checked before memory is taken, and what is no plain file is not read."""

from __future__ import annotations

import json
import os
import sys
import tomllib
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest
from calling import call
from hostile_files import FILES, SPECIAL, made, scenario
from running import run_shell

from attncalc import load
from attncalc.errors import AttncalcError
from attncalc.long.loading import load_long
from attncalc.scenario_files.plain_files import NotRead, opened_file
from attncalc.scenario_files.sources import source_at

TABLE = tomllib.loads((Path(__file__).parent / "data" / "hostile_files.toml").read_text(encoding="utf-8"))["file"]
NAMES = [row["name"] for row in TABLE]
LANGUAGES = ("en", "zh")

WAYS = {
    "run": ("run", "scenario.json"), "explain": ("explain", "scenario.json"), "verify": ("verify", "scenario.json"),
    "summary": ("run", "scenario.json", "--summary"), "why": ("why", "scenario.json", "weights", "0", "0"),
    "step": ("step", "scenario.json", "--plain"), "set": ("show", "scenario.json", "--set", "scores.0.0=1"),
    "compare": ("compare", "scenario.json", "--set", "scale=2"), "sweep": ("sweep", "scenario.json", "softcap", "1", "2"),
    "quiz": ("quiz", "scenario.json"),
}  # fmt: skip
"""Every command that reads what a scenario refers to."""


def test_the_table_has_every_hostile_file() -> None:
    """And no other."""
    assert sorted(NAMES) == sorted([*FILES, *SPECIAL])


@pytest.mark.parametrize("row", TABLE, ids=NAMES)
def test_a_hostile_file_is_answered_or_refused_in_a_sentence(row: dict[str, str], tmp_path: Path) -> None:
    """In both languages, and by every command alike."""
    scenario(made(row["name"], tmp_path))
    for language in LANGUAGES:
        done = call("run", "scenario.json", language=language, cwd=tmp_path)
        said = f"attncalc: scenario.json: scores: {row[language]}\n" if language in row else ""
        assert (done.code, done.err) == (2 if said else 0, said)
    for words in WAYS.values():
        done = call(*words, cwd=tmp_path)
        assert done.code in ((2,) if "en" in row else (0, 1, 2)), words
        assert done.err.count("\n") <= 1


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_file_of_answers_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    """Or judged; by `check` and by `new` it is opened as it is by the others."""
    path = made(name, tmp_path)
    named = ("--step", "scores") if path.suffix == ".npy" else ("--map", "scores=a")
    for words in (("check", "draw", path.name, *named), ("new", "--from", path.name, "--map", "scores=a")):
        done = call(*words, cwd=tmp_path)
        assert done.code in (0, 1, 2), (words, done.err)
        assert done.err.count("\n") <= 1


LIMITED = ["terabytes", "header of gigabytes", "bomb", "bomb of flags", "many entries", "deep json", "fifo", "device"]


@pytest.mark.skipif(sys.platform == "win32", reason="there is no ulimit")
@pytest.mark.parametrize("name", LIMITED)
def test_a_hostile_file_is_refused_in_little_memory(name: str, tmp_path: Path) -> None:
    """Within 300 MB of addresses and 10 s of calculation, by a process of its own."""
    scenario(made(name, tmp_path))
    lines = (f"attncalc {' '.join(words)}; test $? = 2" for words in (WAYS["run"], WAYS["summary"], WAYS["verify"]))
    done = run_shell(f"ulimit -v 300000; ulimit -t 10; {' && '.join(lines)}", cwd=tmp_path)
    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("attncalc: scenario.json: scores: ")


@pytest.mark.parametrize(
    "words", ["--help", "list", "explain draw", "run mini-head", "verify draw", "why draw weights 0 0"]
)
def test_the_program_works_in_little_memory(words: str) -> None:
    """Whatever number of processors there is: 300 MB of addresses are enough."""
    done = run_shell(f"ulimit -v 300000; attncalc {words}", env={"OMP_NUM_THREADS": "64"})
    assert (done.code, done.err) == (0, "")
    assert done.out


# --- out of the folder ----------------------------------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder above that of the scenario, with an array."""
    np.save(tmp_path / "a.npy", [[1.0, 3.0]])
    (tmp_path / "here").mkdir()
    return tmp_path


def referring(folder: Path, name: str) -> None:
    """A scenario in the folder that reads a file of that name."""
    (folder / "scenario.json").write_text(json.dumps({"scores": {"npy": name}}))


@pytest.mark.parametrize("way", ["up", "absolute", "link", "folder that is a link"])
def test_what_leads_out_of_the_folder_is_read_only_where_that_is_allowed(way: str, outside: Path) -> None:
    """Upwards, absolute, or through a link, by every command; with --allow-outside, and with it only."""
    here = outside / "here"
    names = {"up": "../a.npy", "absolute": str(outside / "a.npy"), "link": "b.npy", "folder that is a link": "up/a.npy"}
    (here / "b.npy").symlink_to("../a.npy")
    (here / "up").symlink_to("..")
    referring(here, names[way])
    for words in WAYS.values():
        refused = call(*words, cwd=here)
        assert refused.code == 2, words
        assert str(outside / "a.npy") in refused.err
        assert "--allow-outside" in refused.err
        allowed = call(*words, "--allow-outside", cwd=here)
        assert "--allow-outside" not in allowed.err
        assert allowed.code == (words[0] == "quiz"), words  # a quiz without answers is not right


def test_a_link_that_stays_in_the_folder_is_followed(outside: Path) -> None:
    """Also where the folder itself is reached through one."""
    here = outside / "here"
    np.save(here / "a.npy", [[1.0, 3.0]])
    (here / "b.npy").symlink_to("a.npy")
    referring(here, "b.npy")
    (outside / "there").symlink_to("here")
    assert call("run", "there/scenario.json", cwd=outside).code == 0


def test_the_library_reads_outside_only_where_that_is_allowed(outside: Path) -> None:
    """`load(path, allow_outside=True)`."""
    referring(outside / "here", "../a.npy")
    path = outside / "here" / "scenario.json"
    with pytest.raises(AttncalcError, match="--allow-outside"):
        load(path)
    assert load(path, allow_outside=True).grid == (1, 1, 1, 2)


def test_a_file_that_is_named_on_the_command_line_may_lie_anywhere(outside: Path) -> None:
    """Through a link too: the user says which."""
    (outside / "here" / "s.json").symlink_to("../s.json")
    (outside / "s.json").write_text('{"scores": [1, 3]}')
    np.save(outside / "a.npy", [0.11920292202211755, 0.8807970779778823])
    (outside / "here" / "link.npy").symlink_to("../a.npy")
    done = call("check", "s.json", "link.npy", "--step", "weights", cwd=outside / "here")
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("standing", ["pipe", "device"])
@pytest.mark.parametrize("words", [("run", "it"), ("check", "draw", "it"), ("quiz", "draw", "--answers", "it")])
def test_what_is_no_plain_file_is_not_waited_for(standing: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """A named pipe and a device in a folder that was sent; nothing is read from them."""
    name = tmp_path / "it.json"
    os.mkfifo(name) if standing == "pipe" else name.symlink_to("/dev/zero")
    done = call(*[word.replace("it", "it.json") if word == "it" else word for word in words], cwd=tmp_path)
    assert (done.code, done.err) == (2, f"attncalc: it.json: is a {standing}, and only plain files are read\n")


def test_what_the_shell_has_opened_is_read(tmp_path: Path) -> None:
    """`<(…)` and /dev/stdin are pipes that somebody writes into."""
    (tmp_path / "s.json").write_text('{"scores": [1, 3]}')
    wanted = run_shell("attncalc run s.json --json", cwd=tmp_path).out
    done = run_shell("cat s.json | attncalc run /dev/stdin --json", cwd=tmp_path)
    assert (done.code, done.out) == (0, wanted)


# --- changes while it is read ---------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b"other", b"longer than it was"])
def test_a_file_that_changes_while_it_is_read_is_refused(data: bytes, tmp_path: Path) -> None:
    """Cut, of the same length, or longer; whatever the reader makes of it."""
    path = tmp_path / "a"
    path.write_bytes(b"first")
    with pytest.raises(NotRead, match="file-changed"), opened_file(path) as file:
        _read_while_it_changes(file, path, data)


def _read_while_it_changes(file: BinaryIO, path: Path, data: bytes) -> None:
    file.read(1)
    path.write_bytes(data)
    os.utime(path, ns=(0, 0))
    raise ValueError("half a file")


def test_a_large_array_that_changes_after_its_outline_was_read_is_refused(tmp_path: Path) -> None:
    """Its rows are read later, from the same file or not at all."""
    np.save(tmp_path / "a.npy", np.ones((1500, 1500)))
    referring(tmp_path, "a.npy")
    long = load_long(source_at(tmp_path / "scenario.json"))
    table = long.table("scores")
    assert table is not None
    assert table.rows(0, 0, 1, slice(0, 2)).shape == (2, 1500)
    np.save(tmp_path / "a.npy", np.ones((3, 2)))
    with pytest.raises(AttncalcError, match="changed while it was read"):
        table.rows(0, 0, 1, slice(0, 2))


LARGE = {
    "a token": {"tokens": ["x" * 1_000_000, "b"], "scores": [1, 2]},
    "a token of points": {"tokens": ["." * 1_000_000 + "x", "b"], "scores": [1, 2]},
    "a title of words": {"title": "ab " * 330_000, "scores": [1, 2]},
    "unknown keys": {**{f"k{i}": 1 for i in range(100_000)}, "scores": [1, 2]},
}
"""Documents of a megabyte that took minutes where anything was quadratic in them."""


@pytest.mark.parametrize("name", LARGE)
def test_a_document_of_a_megabyte_is_answered(name: str, tmp_path: Path) -> None:
    """Or refused, within the 10 s after which a run counts as hanging."""
    (tmp_path / "s.json").write_text(json.dumps(LARGE[name]))
    done = run_shell(
        "ulimit -t 10; ulimit -v 600000; attncalc run s.json --plain && attncalc explain s.json", cwd=tmp_path
    )
    assert done.code == (2 if name == "unknown keys" else 0), done.err[:300]


def numbers(key: int, query: int = 1, **more: object) -> dict[str, object]:
    """A scenario of so many scores."""
    return {"scores": [[1] * key] * query, **more}


TOO_LARGE = {
    "a row": (numbers(333_000), (), True),
    "queries": (numbers(1, 160_000), (), True),
    "values": ({"scores": [1, 2], "v": [[1] * 200_000] * 2}, (), True),
    "decimals": (numbers(100_000, arithmetic="exact"), ("--json",), True),
    "some rows": (numbers(200, 400), ("--token", "3"), False),
    "a step": (numbers(1, 15_000), ("--step", "scores"), False),
    "a square": (numbers(200, 150), (), False),
    "by force": (numbers(400, 200), ("--force",), False),
    "data": (numbers(400, 200), ("--json",), False),
}
"""Documents, options, and whether what they show is too large to be laid out without force."""


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_takes_long_to_lay_out_is_refused_ahead(name: str, tmp_path: Path) -> None:
    """With how to ask for less, in every format that is laid out; data and single rows are not held up."""
    document, options, refused = TOO_LARGE[name]
    (tmp_path / "s.json").write_text(json.dumps(document))
    for language in LANGUAGES:
        done = call("run", "s.json", *options, language=language, cwd=tmp_path)
        assert (done.code, bool(done.out)) == ((2, False) if refused else (0, True)), done.err
        assert ("--force" in done.err) is refused
