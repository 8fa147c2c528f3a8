"""Worksheets: every copy is right by itself, its wrong answers are the mistakes they name, and a seed gives it again."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, notices, out
from markdown_read import paragraphs, tables
from running import run_in_terminal
from samples import LANGUAGES, flat, softmax, view_in

from attncalc import __version__
from attncalc.cli import folders
from attncalc.document.answer_keys import key
from attncalc.document.printing import Printing
from attncalc.messages import catalogue
from attncalc.practice.answer_json import answers_of
from attncalc.practice.diagnose import diagnose
from attncalc.practice.exercise import BLANKS, Exercise, Order, blanks, exercise, short
from attncalc.practice.exercise import written as written_by_hand
from attncalc.practice.recipes import LEVELS
from attncalc.practice.verdicts import Diagnosis
from attncalc.practice.worksheet import answers_document, empty_document, wrong_answers
from attncalc.renderers.markdown import render
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written

levels = pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
SEEDS = (11, 12)
MANY = range(500, 550)


@cache
def made(level: int, seed: int, *words: str, places: int = 2) -> Exercise:
    """The exercise of an order."""
    return exercise(Order(level, seed, blanks(level, words), places))


def judged(one: Exercise, answers: Any) -> Diagnosis:
    """What the diagnosis says to answers that went through a file."""
    document = parse(written(answers_document(one, answers)).encode(), "answers.json")
    return diagnose(one.trace, answers_of(one.trace, document, "answers.json"))


def named(diagnosis: Diagnosis) -> set[str]:
    """The mistakes that a diagnosis names."""
    return {finding.name for finding in diagnosis.mistakes}


def key_of(one: Exercise, language: str = "en") -> str:
    """The key as Markdown."""
    return render(list(key(Printing(one, view_in(language), "1", "command"))), view_in(language))


def assert_holds(one: Exercise) -> None:
    """The right answers are right, those rounded on the way are accepted, each wrong one is named as its line says."""
    assert judged(one, one.answers).verdict == "right"
    assert one.rounded is not None
    assert judged(one, one.texts(one.rounded)).accepted
    assert one.coincidences == ()
    together = {name: set(line.names) for line in wrong_answers(one) for name in line.names}
    assert set(together) == {mistaken.row.name for mistaken in one.mistaken} != set()
    for line in wrong_answers(one):
        answers = next(mistaken.answers for mistaken in one.mistaken if mistaken.row.name == line.names[0])
        rows = [(answers[name][0, :, one.query], one.answers[name][0, :, one.query]) for name in one.answers]
        assert (line.query == one.query) == any((wrong != right).any() for wrong, right in rows)
    for mistaken in one.mistaken:
        found = judged(one, mistaken.answers)
        assert found.verdict == "mistake"
        assert mistaken.row.name in named(found) <= together[mistaken.row.name]


# --- what is true of every copy -------------------------------------------------------------------


@levels
@pytest.mark.parametrize("seed", SEEDS)
def test_each_wrong_answer_is_the_mistake_that_it_names(level: int, seed: int) -> None:
    """Or one that stands on the same line; what the key calls right is right, also with each step rounded."""
    assert_holds(made(level, seed))


def test_fifty_copies_have_fifty_keys() -> None:
    """And all of them hold."""
    copies = [made(1, seed) for seed in MANY]
    assert len({key_of(one).partition("##")[2] for one in copies}) == len({key_of(one) for one in copies}) == 50
    for one in copies:
        assert_holds(one)


@pytest.mark.parametrize("words", [("weights", "context"), ("context",), ("scores",), ("masked", "total")])
def test_what_is_filled_in_leaves_no_room_for_its_mistakes(words: tuple[str, ...]) -> None:
    """A mistake is listed only if the numbers that the sheet shows are as the mistake leaves them."""
    one = made(3, 11, *words)
    assert_holds(one)
    names = {mistaken.row.name for mistaken in one.mistaken}
    shown = {step.name for step in one.filled}
    assert ("no-scale" in names) == ("scaled" not in shown and words != ("scores",))
    assert ("weights-times-k" in names) == ("context" in words)


@pytest.mark.parametrize("places", [2, 3])
def test_the_right_answers_are_those_of_numpy(places: int) -> None:
    """Scores, weights and context of a head with a causal mask, from the numbers that the sheet shows."""
    _, sheets = parts("--seed", "5", "--level", "3", "--places", str(places))
    q, k, v = (numbers(table) for table in sheets[:3])
    right = tables_after("key", "--seed", "5", "--level", "3", "--places", str(places))
    scores = q @ k.T
    weights = softmax(np.where(numbers(sheets[4]) == 1, scores / np.sqrt(q.shape[1]), -np.inf))
    for table, wanted in zip(right[:3], (scores, weights, weights @ v), strict=True):
        assert np.abs(numbers(table) - wanted).max() <= 0.5000001 * 10.0**-places


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("no-scale", lambda q, k, v: softmax(hide(q @ k.T)) @ v),
        ("scale-by-d_k", lambda q, k, v: softmax(hide(q @ k.T / q.shape[1])) @ v),
        ("mask-with-zero", lambda q, k, v: softmax(np.tril(q @ k.T / np.sqrt(q.shape[1]))) @ v),
        ("weights-times-k", lambda q, k, v: softmax(hide(q @ k.T / np.sqrt(q.shape[1]))) @ k),
        ("swapped-k-v", lambda q, k, v: softmax(hide(q @ v.T / np.sqrt(q.shape[1]))) @ k),
    ],
)
def test_wrong_answers_are_those_of_numpy(name: str, wrong: Any) -> None:
    """The last column of a line is what the mistake makes of the inputs, in the row of the query."""
    one = made(3, 5)
    line = next(line for line in wrong_answers(one) if name in line.names)
    q, k, v = (one.trace[step].values for step in ("q", "k", "v"))
    shown = [float(text) for text in line.rows["context"][0]]
    assert np.abs(shown - wrong(q, k, v)[line.query]).max() <= 0.5000001e-2


def hide(scores: Any) -> Any:
    """Scores of what comes later out of sight."""
    return np.where(np.tril(np.ones(scores.shape)) > 0, scores, -np.inf)


# --- what stands on the sheet ---------------------------------------------------------------------


@cache
def parts(*args: str, language: str = "en") -> tuple[list[str], list[list[list[str]]]]:
    """Paragraphs and tables of the sheet that a call prints."""
    text = out("worksheet", *args, "--part", "sheet", language=language)
    return paragraphs(text), tables(text)


def tables_after(part: str, *args: str, language: str = "en") -> list[list[list[str]]]:
    """The tables of a part."""
    return tables(out("worksheet", *args, "--part", part, language=language))


def numbers(table: list[list[str]]) -> Any:
    """The cells of a table without its labels, as numbers; signs of the mask as 1 and 0, brackets left out."""
    signs = {"■": "1", "·": "0"}
    rows = [[signs.get(cell, cell.partition(" (")[0]).replace("−", "-") for cell in row[1:]] for row in table[1:]]
    return np.array(rows, dtype=float)


@levels
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_inputs_are_those_that_are_used(level: int, language: str, tmp_path: Path) -> None:
    """The given tables hold exactly the numbers of the scenario file, digit for digit, and nothing else is filled in."""
    args = ("--seed", "3", "--level", str(level))
    notices("worksheet", *args, "-o", str(tmp_path / "all"), language=language)
    document = json.loads((tmp_path / "all" / "scenario-01.json").read_text("utf-8"), parse_float=str, parse_int=str)
    _, sheets = parts(*args, language=language)
    shown = [cell for table in sheets for row in table[1:] for cell in row[1:]]
    given = [cell.replace("−", "-") for cell in shown if cell not in ("____", "■", "·")]
    arrays = [document[name] for name in ("x", "w_q", "w_k", "w_v", "w_o", "q", "k", "v", "scores") if name in document]
    assert sorted(given) == sorted(flat(arrays))
    assert shown.count("____") == sum(np.size(cells) for cells in made(level, 3).answers.values())


@levels
def test_both_languages_have_the_same_numbers(level: int) -> None:
    """On the sheet and in the key, table by table."""
    args = ("--seed", "3", "--level", str(level))
    pairs = zip(*(tables_after("both", *args, language=language) for language in LANGUAGES), strict=True)
    for english, chinese in pairs:
        assert [re.findall(r"[−0-9.]+", " ".join(row[-1:])) for row in english] == [
            re.findall(r"[−0-9.]+", " ".join(row[-1:])) for row in chinese
        ]
        assert len(english) == len(chinese)


def test_steps_before_the_first_blank_are_filled_in_with_more_decimals() -> None:
    """Exact numbers without zeros at their end, the others with two decimals more than the answers."""
    said, sheets = parts("--seed", "5", "--level", "3", "--blank", "weights,context")
    filled = [cell for table in sheets for row in table[1:] for cell in row[1:] if cell != "____"]
    assert {len(cell.partition(".")[2]) for cell in filled} == {0, 4}
    assert any("filled in already" in text for text in said)
    scores, scaled = numbers(sheets[3]), numbers(sheets[4])
    assert np.abs(scaled - scores / np.sqrt(3)).max() < 0.5000001e-4


NUMBERS = [
    ("0.125", 2, "half-up", "0.13"), ("0.125", 2, "half-even", "0.12"), ("2", 2, "half-up", "2.00"), ("1e-9", 3, "half-up", "0.000"),
    ("NaN", 2, "half-up", "NaN"), ("Infinity", 2, "half-up", "inf"), ("-Infinity", 2, "half-up", "-inf"),
]  # fmt: skip
SHORT = [
    ("0.5", "0.50", "0.5"), ("2", "2.00", "2"), ("200", "200", "200"), ("0.333333", "0.330", "0.330"), ("0", "0.00", "0"),
    ("-1.5", "-1.50", "-1.5"), ("1.50e10", "1.50e10", "1.50e10"), ("1.5e-10", "1.5e-10", "1.5e-10"),
]  # fmt: skip


def test_numbers_are_written_as_learners_write_them() -> None:
    """With all their decimals, or without zeros at the end where nothing else is lost."""
    assert [written_by_hand(Decimal(value), places, how) for value, places, how, _ in NUMBERS] == [
        row[3] for row in NUMBERS
    ]
    assert [short(Decimal(value), text) for value, text, _ in SHORT] == [row[2] for row in SHORT]


def test_steps_between_blanks_are_on_the_way() -> None:
    """Named with their formula, without a table; nothing stands after the last blank."""
    said, sheets = parts("--seed", "5", "--level", "3", "--blank", "scores,total")
    steps = [text for text in said if re.match(r"\d ", text)]
    assert [step[0] for step in steps] == list("12345")
    assert len(sheets) == 3 + 1 + 2  # q, k, v; the mask; scores and total
    assert any(text.startswith("The steps without ____") for text in said)


def test_a_mistake_may_show_in_another_row_only() -> None:
    """Then its line gives that row and says whose it is."""
    found = [
        (one, line)
        for one in (made(level, seed) for level in (3, 4) for seed in range(5, 11))
        for line in wrong_answers(one)
        if line.query != one.query
    ]
    assert found
    one, line = found[0]
    assert f"(row of {one.scenario.query_tokens[line.query]})" in key_of(one)


# --- again, and many at once ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [("--level", "1"), ("--level", "3", "--blank", "weights,context", "--places", "3"), ("--level", "5")]
)
def test_the_command_on_the_sheet_makes_it_again(options: tuple[str, ...], tmp_path: Path) -> None:
    """Of every copy; seed and version stand on the sheet and on the key, and both are those of the scenario file."""
    folder = tmp_path / "class"
    assert (
        notices("worksheet", "--seed", "40", "--copies", "2", *options, "-o", str(folder)) == f"2 copies in {folder}/\n"
    )
    for number, seed in (("01", 40), ("02", 41)):
        texts = [(folder / f"{part}-{number}.md").read_text("utf-8") for part in ("sheet", "key")]
        command = f"attncalc worksheet --seed {seed} {' '.join(options)}"
        about = json.loads((folder / f"scenario-{number}.json").read_text("utf-8"))["about"]["en"]
        for text in texts:
            assert f"seed {seed}*" in text
            assert f"attncalc {__version__}. This sheet and its key again: {command}\n" in text
        assert about == f"From a worksheet of attncalc {__version__}: {command}."
        assert out(*command.split()[1:]) == "\n".join(texts)


def test_the_files_of_a_copy_go_together(tmp_path: Path) -> None:
    """The answers are right for the scenario, and the empty file has their shape; filled in, it is right too."""
    folder = tmp_path / "class"
    notices("worksheet", "--seed", "9", "--level", "5", "--copies", "2", "-o", str(folder))
    for number in ("01", "02"):
        scenario, answers, empty = (str(folder / f"{name}-{number}.json") for name in ("scenario", "answers", "blank"))
        assert "right" in out("check", scenario, answers)
        filled, nothing = (json.loads(Path(path).read_text("utf-8")) for path in (answers, empty))
        assert set(flat([*nothing.values()])) == {None}
        assert {n: np.shape(v) for n, v in nothing.items()} == {n: np.shape(v) for n, v in filled.items()}
        assert call("check", scenario, empty).code == 2
    other = str(folder / "scenario-01.json")
    assert call("check", other, str(folder / "answers-02.json")).code == 1


def test_without_a_seed_one_is_drawn() -> None:
    """And printed, so that the sheet can be made again."""
    text = out("worksheet", "--level", "1")
    command = re.search(r"attncalc (worksheet --seed \d+ --level 1)", text)
    assert command is not None
    assert out(*command[1].split()) == text


def test_numbers_that_do_not_tell_all_apart_are_said() -> None:
    """On the key, on standard error, and not where quiet is asked for."""
    args = ("worksheet", "--seed", "5", "--level", "3", "--blank", "scores,weights")
    done, quiet = call(*args), call(*args, "--quiet")
    assert made(3, 5, "scores", "weights").coincidences == (("", "base-3"),)
    assert done.code == 0
    assert "tell apart: base-3 and the right way" in done.err
    assert "> **Note**: At this precision these numbers hardly tell apart: base-3 and the right way." in done.out
    assert (quiet.code, quiet.err) == (0, "")
    assert "Note" not in quiet.out


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--blank", "weigths"), "--blank: weigths is not a step of this scenario; did you mean weights?"),
        (("--blank", "weights,residual"), "--blank: residual is not a step of this scenario; there are scores, scaled"),
        (("--blank", "q,weights"), "--blank: q is given on the sheet and cannot be blank; possible are scores, scaled"),
        (("--blank", "terms"), "--blank: terms is not a step"),
        (("--blank", ""), '--blank: "" is not a step'),
        (("--level", "6"), "--level: 6 is not a whole number from 1 to 5"),
        (("--seed", "x"), "--seed: x is not a whole number"),
        (("--seed", "999999999", "--copies", "2", "-o", "f"), "--seed: 999999999 is not a whole number from 0 to 999999998"),
        (("--places", "0"), "--places: 0 is not a whole number from 1 to 6"),
        (("--copies", "0"), "--copies: 0 is not a whole number from 1 to 200"),
        (("--copies", "2"), "--copies: 2 copies need a folder: -o FOLDER"),
        (("--copies", "2", "-o", "a.md"), "--copies: 2 copies need a folder: -o FOLDER"),
        (("--part", "keys"), "--part: is keys; did you mean key?"),
        (("--part", "key", "-o", "f"), "--part: is for one sheet"),
        (("--format", "csv"), "--format: is csv; wanted is one of markdown, latex, html, xlsx"),
        (("-o", "a.csv"), "a.csv: .csv is not a suffix"),
        (("-o", "no/a.md"), "no/a.md: cannot be written: there is no folder no"),
        (("-o", "no/f"), "no/f: cannot be written: there is no folder no"),
        (("-o", "file/"), "file: is a file, not a folder"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_said(
    args: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a sentence, before anything is calculated or written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("mine")
    done = call("worksheet", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {said}")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_all_words_of_blank_are_judged_at_once() -> None:
    """Two that are wrong are two sentences; names may stand in several options, in any order."""
    assert call("worksheet", "--blank", "weigths,q").err.count("attncalc: --blank: ") == 2
    one, other = (out("worksheet", "--seed", "4", *words) for words in (
        ("--blank", "context", "--blank", "weights"), ("--blank", "weights, context"),
    ))  # fmt: skip
    assert one == other
    assert blanks(3, []) == BLANKS[2]


@levels
def test_the_blanks_of_a_level_are_steps_of_it(level: int) -> None:
    """In their order, the last step of the calculation among them."""
    assert blanks(level, []) == BLANKS[level - 1]
    assert made(level, 11).trace.steps[-1].name == BLANKS[level - 1][-1]
    assert made(level, 11).filled == ()


def test_a_folder_is_written_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that fills up leaves the old files and nothing new, no temporary file either."""
    old = tmp_path / "old"
    args = ("--seed", "4", "--level", "1", "--copies", "2")
    notices("worksheet", *args, "-o", str(old))
    (old / "mine.txt").write_text("mine")
    before = {path.name: path.read_bytes() for path in old.iterdir()}
    written: list[Path] = []

    def full(path: Path, data: bytes) -> None:
        if len(written) == 7:
            raise OSError(28, "No space left on device")
        written.append(path)

    monkeypatch.setattr(folders, "_write", full)
    monkeypatch.chdir(tmp_path)
    for folder in ("new", "old"):
        written.clear()
        done = call("worksheet", *args, "-o", folder, "--force")
        assert (done.code, done.err) == (2, f"attncalc: {folder}: cannot be written: No space left on device\n")
    assert [path.name for path in tmp_path.iterdir()] == ["old"]
    assert {path.name: path.read_bytes() for path in old.iterdir()} == before


def test_nothing_is_overwritten_unless_it_is_asked_for(tmp_path: Path) -> None:
    """A file that is in the way is named; with --force it is replaced, and what else is there stays."""
    folder = tmp_path / "class"
    args = ("worksheet", "--seed", "4", "--level", "1")
    folder.mkdir()
    (folder / "key-01.md").write_text("mine")
    done = call(*args, "-o", str(folder))
    assert (done.code, done.err) == (2, f"attncalc: {folder}/key-01.md: is there already; --force overwrites it\n")
    assert [path.name for path in folder.iterdir()] == ["key-01.md"]
    notices(*args, "-o", str(folder), "--force")
    assert (folder / "key-01.md").read_text("utf-8").startswith("# Practice")
    out(*args, "--part", "key", "-o", str(tmp_path / "key.md"))
    assert (tmp_path / "key.md").read_bytes() == (folder / "key-01.md").read_bytes()


@pytest.mark.parametrize("language", LANGUAGES)
def test_many_files_in_the_way_are_one_sentence(language: str, tmp_path: Path) -> None:
    """With how many there are, and the first."""
    folder = tmp_path / "class"
    args = ("worksheet", "--seed", "4", "--level", "1", "--copies", "2", "-o", str(folder))
    notices(*args)
    done = call(*args, language=language)
    said = catalogue(language)["files-exist"].format(count=10, first="sheet-01.md")
    assert (done.code, done.out, done.err) == (2, "", f"attncalc: {folder}: {said}\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_was_made_is_said(language: str, tmp_path: Path) -> None:
    """How many copies and where, on standard error; with --quiet nothing."""
    args = ("worksheet", "--seed", "4", "--level", "1", "-o")
    said = {"en": "1 copy in", "zh": "1 份练习卷在"}[language]
    assert notices(*args, str(tmp_path / "one"), language=language) == f"{said} {tmp_path}/one/\n"
    assert notices(*args, f"{tmp_path}/two/", "--quiet") == ""


def test_one_who_waits_sees_how_far_it_is(tmp_path: Path) -> None:
    """At a terminal: a counter, and in the end only what was made."""
    args = ("worksheet", "--seed", "4", "--level", "1", "--copies", "2", "-o", str(tmp_path / "class"))
    seen = run_in_terminal(*args, columns=200)
    assert "0 of 2" in seen.raw
    assert "1 of 2" in seen.raw
    assert seen.lines == [f"2 copies in {tmp_path}/class/"]


def test_the_help_says_what_a_worksheet_takes() -> None:
    """One to six decimals, and markdown alone."""
    for language in LANGUAGES:
        page, messages = flowing(out("worksheet", "--help", language=language)), catalogue(language)
        for name in ("places", "format"):
            assert flowing(messages[f"help.worksheet-{name}"]) in page
            assert flowing(messages[f"help.{name}"]) not in page


def flowing(text: str) -> str:
    """A text without its blanks and line ends."""
    return "".join(text.split())


def test_chinese_words_have_no_blanks_between_them() -> None:
    """`分数、权重和上下文向量`."""
    sheet = out("worksheet", "--seed", "4", "--level", "1", "--blank", "weights,context", language="zh")
    assert "权重和上下文向量" in sheet


def test_many_copies_are_numbered_in_order(tmp_path: Path) -> None:
    """With as many digits as the last number needs, at least two."""
    folder = tmp_path / "class"
    notices("worksheet", "--seed", "4", "--level", "1", "--copies", "100", "-o", str(folder))
    names = sorted(path.name for path in folder.glob("sheet-*"))
    assert (len(names), names[0], names[-1]) == (100, "sheet-001.md", "sheet-100.md")
    assert empty_document(made(1, 4)) == json.loads((folder / "blank-001.json").read_text("utf-8"))


@pytest.mark.parametrize(("language", "said"), [("en", "(equal ones share it)"), ("zh", "（并列的平分）")])
def test_what_a_row_of_equal_largest_scores_shows_is_what_is_said(language: str, said: str) -> None:
    """Where two scores of the row are the largest, the mistake gives each a half, and its sentence says so."""
    key = out("worksheet", "--seed", "23", "--level", "2", "--part", "key", language=language)
    line = next(line for line in key.splitlines() if "argmax" in line)
    assert "0.50, 0.00, 0.50" in line
    assert said in line
