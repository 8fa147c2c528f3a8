"""What would take a command very long is refused before it begins, with the estimate; what people do is not."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call

from attncalc import load, run
from attncalc.core.labels import Numbered
from attncalc.core.numbers import as_fraction
from attncalc.core.tokens import labels
from attncalc.errors import MANY_FAULTS, UsageError
from attncalc.practice.cells_typed import cell_typed
from attncalc.practice.numbers_typed import row_typed
from attncalc.practice.working_out import worked_out

ROW: dict[str, Any] = {"scores": [1] * 40_000}
SQUARE: dict[str, Any] = {"scores": [[1] * 300] * 300}
BATCHES: dict[str, Any] = {"scores": [[[[1]]]] * 60_000}
WIDE: dict[str, Any] = {"q": [[1] * 40_000], "k": [[1] * 40_000]}
LONG_NUMBERS: dict[str, Any] = {"scores": [0.5] * 700, "arithmetic": "exact"}
BLOCKS: dict[str, Any] = {"scores": [1] * 12_000, "algorithm": "online", "block": 1}
LONG: dict[str, Any] = {"q": [[1]] * 40_000, "k": [[1]] * 40_000}
MAP = ("--picture", "map", "--format", "svg")
PRINTED: dict[str, Any] = {"scores": [[1] * 500] * 250, "expect": {"weights": [[0] * 500] * 250}}
WIDE_OUTPUT: dict[str, Any] = {"scores": [[1] * 30] * 30, "v": [[1]] * 30, "w_o": [[1] * 9000]}
WIDE_KEYS: dict[str, Any] = {"x": [[1]] * 30, **{name: [[1] * 3000] for name in ("w_q", "w_k", "w_v")}}
WIDE_VALUES: dict[str, Any] = {"scores": [[1] * 40] * 40, "v": [[1] * 600] * 40}
FLOATS, EXACT = {"arithmetic": "float64"}, {"arithmetic": "exact"}
CHANGE = ("--set", "temperature=2")

REFUSED: list[tuple[dict[str, Any], tuple[str, ...], str]] = [
    (ROW, ("why", "-", "weights", "0", "0"), "40,000 scores in rows of 40,000 keys, from 40,000 numbers, would take about 3 s"),
    (ROW, ("why", "-", "weights", "0", "0", "--json"), "would take about 11 s"),
    (ROW, ("step", "-", "--plain"), "take a part of the scenario, or `attncalc run --summary` for the figures of all"),
    (ROW, ("sweep", "-", "temperature", "1", "4"), "would take about"),
    ({"scores": [[1] * 100] * 100} | FLOATS, ("sweep", "-", "temperature", "1", "4", "--points", "500"), "would take about 4 s"),
    ({"scores": [[1] * 30] * 30} | EXACT, ("sweep", "-", "temperature", "1", "4", "--points", "200"), "900 numbers in decimals"),
    (SQUARE, ("compare", "-", *CHANGE), "or --force to do it all the same"),
    (SQUARE, ("compare", "-", *CHANGE, "--lang", "zh"), "一定要做就加 --force"),
    (BATCHES, ("run", "-", "--json"), "60,000 scores in rows of 1 key,"),
    (BATCHES, ("check", "-", "--answer", "weights=1"), "would take about"),
    (WIDE, ("why", "-", "scores", "0", "0"), "from 80,000 numbers"),
    (LONG_NUMBERS, ("run", "-", "--json"), "700 numbers in decimals would take about 5 s; add --arithmetic float64"),
    (LONG_NUMBERS, ("quiz", "-"), "give the numbers with fewer digits"),
    (BLOCKS, ("verify", "-"), "12,000 scores in rows of 12,000 keys, from 12,000 numbers, would take about"),
    (LONG, ("run", "-", "--summary"), "1,600,000,000 scores in rows of 40,000 keys, from 80,000 numbers, would take about 7 s; take a part"),
    (LONG, ("run", "-", *MAP, "--lang", "zh"), "请只取算例的一部分，一定要做就加 --force"),
    (BATCHES, ("run", "-", "--summary"), "60,000 scores in rows of 1 key, from 60,000 numbers, would take about 25 s"),
    ({"scores": [[1] * 150] * 150}, ("run", "-", "--format", "xlsx"), "some 71,700 numbers as xlsx would take very long"),
    (PRINTED, ("verify", "-"), "125,000 scores in rows of 500 keys, from 250,000 numbers, would take about 3 s"),
    (WIDE_OUTPUT | FLOATS, ("compare", "-", *CHANGE), "would take about 5 s"),
    (WIDE_OUTPUT | FLOATS, ("sweep", "-", "temperature", "1", "4"), "would take about 3 s"),
    (WIDE_OUTPUT | EXACT, ("run", "-", "--json"), "add --arithmetic float64"),
    (WIDE_VALUES | EXACT, ("explain", "-"), "add --arithmetic float64"),
    ({"scores": [[1] * 70] * 70} | EXACT, ("sweep", "-", "temperature", "1", "4"), "4,900 numbers in decimals"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "words", "said"), REFUSED)
def test_what_takes_long_is_refused_with_the_estimate(
    document: dict[str, Any], words: tuple[str, ...], said: str
) -> None:
    """Once, in every command that calculates, whatever makes it long."""
    text = json.dumps(document).replace("0.5", "0." + "123456789" * 130)
    done = call(*words, stdin=text.encode())
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_force_does_it_all_the_same() -> None:
    """Where the command has the option."""
    assert (
        call("why", "-", "weights", "0", "0", "--force", stdin=json.dumps({"scores": [1] * 40_000}).encode()).code == 0
    )


def test_a_thousand_tokens_are_not_refused(tmp_path: Path) -> None:
    """All their numbers can be had without --force, and those of a row."""
    np.save(tmp_path / "q.npy", np.random.default_rng(8).standard_normal((1024, 8)))
    array = {"npy": "q.npy"}
    (tmp_path / "a.json").write_text(json.dumps({"q": array, "k": array, "v": array}), encoding="utf-8")
    for words in (("run", "-o", "{}/a.npz"), ("explain", "--token", "3"), ("verify",)):
        command, *rest = (word.format(tmp_path) for word in words)
        done = call(command, str(tmp_path / "a.json"), *rest)
        assert (done.code, done.err) == (0, "")


def test_blocks_of_a_long_context_are_its_own() -> None:
    """Very many keys with blocks of one each take what they take without; the rows are the same."""
    plain = {"scores": [1, 2, 3] * 20_000}
    told = [call("explain", "-", stdin=json.dumps({**plain, **more}).encode())
            for more in ({}, {"algorithm": "online", "block": 1})]  # fmt: skip
    assert told[0] == told[1]
    assert told[0].code == 0
    assert len(stages_of_long({**plain, "algorithm": "online", "block": 1})) < 20


def stages_of_long(document: dict[str, Any]) -> tuple[Any, ...]:
    """The stages with which a long context is calculated."""
    from attncalc.long.stages import steps

    return steps(load(document))


def test_faults_of_answers_have_an_end(tmp_path: Path) -> None:
    """A file of very many unknown steps is compared with the known ones a thousand times, not more."""
    (tmp_path / "a.json").write_text(json.dumps({f"step{i}": 1 for i in range(3000)}))
    done = call("check", "draw", str(tmp_path / "a.json"))
    assert done.code == 2
    assert "at least 980 more" in done.err


@pytest.mark.parametrize(("cell", "read", "said"), [
    ("word{}", MANY_FAULTS, "… and at least 980 more"),
    ("0.{}", 5000, "has the shape 5000, but scores has 1×4"),
])  # fmt: skip
def test_texts_of_answers_are_read_once_and_not_for_ever(cell: str, read: int, said: str, tmp_path: Path) -> None:
    """Up to the last fault that is told, and not again where they are no answer to the step."""
    (tmp_path / "a.json").write_text(json.dumps({"scores": [cell.format(i) for i in range(5000)]}))
    cell_typed.cache_clear()
    assert said in call("check", "draw", str(tmp_path / "a.json")).err
    assert cell_typed.cache_info().misses == read


def test_very_many_answers_are_not_told_one_by_one(tmp_path: Path) -> None:
    """But with --force; as JSON, or without --all, there is nothing to refuse."""
    scenario, answers = tmp_path / "a.json", tmp_path / "b.json"
    scenario.write_text(json.dumps({"scores": [[1] * 101] * 101}))
    answers.write_text(json.dumps({"weights": [[0.5] * 101] * 101}))
    words = ("check", str(scenario), str(answers))
    refused = call(*words, "--all")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("attncalc: --all: 10,201 numbers one by one would take about 2 s; leave --all out")
    assert [call(*words, *more).code for more in ((), ("--all", "--json"), ("--all", "--force"))] == [1, 1, 1]


def powers(count: int) -> list[str]:
    """So many powers of e, each another one."""
    return [f"e^1.{i:05d}" for i in range(count)]


MANY_POWERS: list[tuple[str, str, tuple[str, ...]]] = [
    ("a.json", json.dumps({"scores": powers(5000)}), ()),
    ("a.json", json.dumps({"scores": [powers(2500), powers(5000)]}), ()),
    ("a.csv", "\n".join(powers(5000)), ("--step", "scores")),
    ("a.csv", "step,query,key,value\n" + "".join(f"scores,0,{i},{x}\n" for i, x in enumerate(powers(5000))), ("--step", "scores")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "text", "words"), MANY_POWERS, ids=["list", "ragged", "matrix", "lines"])
def test_too_many_expressions_are_not_worked_out(name: str, text: str, words: tuple[str, ...], tmp_path: Path) -> None:
    """A file of thousands of different powers is refused, whatever holds them and whether they fit."""
    (tmp_path / name).write_text(text)
    source = json.dumps({"scores": [1] * 5000}).encode()
    done = call("check", "-", str(tmp_path / name), *words, "--force", stdin=source)
    assert done.code == 2
    assert f"{tmp_path / name}: there are too many expressions to work out: e^1.0" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("texts", [powers(1000), ["e^1.8"] * 5000], ids=["a thousand", "one"])
def test_a_thousand_expressions_are_worked_out(texts: list[str]) -> None:
    """As is the same one however often; with Python, and each row by itself."""
    assert len(row_typed(" ".join(texts))) == len(texts)


def test_a_row_of_too_many_expressions_is_refused() -> None:
    """Typed after `--answer` or in a quiz."""
    with pytest.raises(UsageError, match=r"^there are too many expressions to work out"):
        row_typed(" ".join(powers(5000)))


def test_answers_of_too_many_expressions_are_refused_once() -> None:
    """The first that is left is said, not one for each `--answer` after it."""
    worked_out.cache_clear()
    answers = [f"scores[{row}]={' '.join(powers(2500))}" for row in range(3)]
    source = json.dumps({"scores": [[1] * 2500] * 3}).encode()
    done = call("check", "-", *(word for one in answers for word in ("--answer", one)), "--force", stdin=source)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1


def test_rows_of_files_are_held_to_what_the_files_give(tmp_path: Path) -> None:
    """A row of a long context is read from its files, and takes as long as they are large."""
    np.save(tmp_path / "k.npy", np.ones((40_000, 16), np.float32))
    np.save(tmp_path / "q.npy", np.ones((40_000, 4), np.float32))
    for name in ("k", "q"):
        array = {"npy": f"{name}.npy"}
        (tmp_path / f"{name}.json").write_text(json.dumps({"q": array, "k": array, "v": array}), encoding="utf-8")
    done = call("why", str(tmp_path / "q.json"), "weights", "0", "0")
    assert (done.code, done.out) == (2, "")
    assert "in rows of 40,000 keys, from 320,004 numbers, would take about 3 s" in done.err
    assert call("why", str(tmp_path / "k.json"), "weights", "0", "0").code == 0


def test_what_is_asked_for_with_every_cell_is_made_once() -> None:
    """The layout of a step, its shape, and the fraction that a number states."""
    step = run(load("draw"))["weights"]
    assert step.shape is step.shape
    assert step.stage.layout is step.stage.layout
    assert as_fraction("0." + "3" * 99) is as_fraction("0." + "3" * 99)


def test_a_query_asked_for_twice_is_told_once() -> None:
    """However often it is named."""
    assert load({"scores": [[1], [2]], "query": [1, 0, 1, 1, 0]}).queries == (1, 0)


@pytest.mark.parametrize("tokens", [("the", "cat", "the"), Numbered(range(100_000))], ids=["given", "numbered"])
def test_labels_are_made_once_for_all_cells(tokens: Sequence[str]) -> None:
    """Not once more for each of them; of a list, which may change, they are made anew."""
    assert labels(tokens) is labels(tokens)
    assert labels(list(tokens[:3])) is not labels(list(tokens[:3]))


TOLD: list[tuple[dict[str, Any], tuple[str, ...], int]] = [
    ({"q": [[1] * 16] * 300, "k": [[1] * 16] * 300}, ("explain", "-"), 0),
    ({"q": [[1] * 16] * 300, "k": [[1] * 16] * 300}, ("run", "-"), 2),
    ({"q": [[1] * 16] * 300, "k": [[1] * 16] * 300}, ("run", "-", "--token", "7"), 0),
    ({"scores": [1, 2], "v": [[1] * 120_000] * 2}, ("run", "-", "--token", "0"), 2),
    ({"scores": [1, 2], "v": [[1] * 120_000] * 2}, ("run", "-", "--step", "weights"), 0),
    ({"scores": [1] * 30_000}, ("run", "-"), 2),
    ({"scores": [1] * 30_000}, ("run", "-", "--step", "weights"), 0),
    ({"scores": [1] * 30_000}, ("run", "-", "--format", "html"), 0),
    ({"scores": [1] * 210_000}, ("run", "-", "--format", "html"), 2),
    ({"scores": [1] * 30_000}, ("explain", "-"), 0),
    ({"scores": [1] * 15_000, "tokens": ["a" * 60 + str(i) for i in range(15_000)]}, ("run", "-"), 2),
    ({"scores": [1] * 15_000}, ("run", "-"), 0),
    ({"scores": [1] * 15_000, "tokens": ["a\u200b"] * 15_000}, ("run", "-"), 2),
    ({name: [[1] * 81] * 700 for name in "qkv"}, ("explain", "-"), 2),
    ({"scores": [[1]] * 700, "query": [*range(700)]}, ("explain", "-"), 2),
    ({"scores": [[1]] * 700, "query": [*range(700)]}, ("run", "-"), 0),
    ({"q": [[1] * 24_000] * 2, "k": [[1] * 24_000] * 2}, ("run", "-"), 2),
    ({"q": [[1] * 24_000] * 2, "k": [[1] * 24_000] * 2}, ("run", "-", "--step", "weights"), 0),
    ({"scores": [1, 2], "v": [[1] * 250_000] * 2}, ("run", "-", "--step", "context"), 2),
    (WIDE_KEYS | FLOATS, ("run", "-"), 2),
    (WIDE_KEYS | FLOATS, ("run", "-", "--step", "weights"), 0),
    (WIDE_OUTPUT | FLOATS, ("run", "-"), 2),
]


@pytest.mark.parametrize(("document", "words", "code"), TOLD)
def test_tables_are_counted_as_they_are_shown(document: dict[str, Any], words: tuple[str, ...], code: int) -> None:
    """The rows that are told, with what is given for all of them; a step alone shows nothing that is given."""
    assert call(*words, stdin=json.dumps(document).encode()).code == code


WORKBOOKS: list[tuple[Any, tuple[str, ...], int]] = [
    ([[1] * 30] * 30, ("explain", "-"), 0),
    ([[[1] * 30] * 30] * 20, ("explain", "-"), 2),
    ([[[1] * 30] * 30] * 20, ("run", "-", "--head", "1"), 0),
]


@pytest.mark.parametrize(("scores", "words", "code"), WORKBOOKS)
def test_a_workbook_is_counted_with_all_its_sheets(
    scores: Any, words: tuple[str, ...], code: int, tmp_path: Path
) -> None:
    """Every row and every head has a table there, whichever command writes it."""
    given = json.dumps({"scores": scores}).encode()
    assert call(*words, "-o", str(tmp_path / "a.xlsx"), stdin=given).code == code


def test_more_numbers_may_take_longer(tmp_path: Path) -> None:
    """The bound grows with what is given: the same scores from wider queries and keys are not refused."""
    for width, code in ((1, 2), (1200, 0)):
        for name in "qk":
            np.save(tmp_path / f"{name}.npy", np.random.default_rng(8).standard_normal((640, width)))
        (tmp_path / "a.json").write_text('{"q": {"npy": "q.npy"}, "k": {"npy": "k.npy"}}', encoding="utf-8")
        assert call("check", str(tmp_path / "a.json"), "--answer", "weights 0 0=1").code == code


def test_more_tokens_may_take_as_long_as_their_square(tmp_path: Path) -> None:
    """As many scores as are refused of narrow queries and keys, but for them forty numbers a token are given."""
    for name in "qk":
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(8).standard_normal((24_000, 40), dtype=np.float32))
    (tmp_path / "a.json").write_text('{"q": {"npy": "q.npy"}, "k": {"npy": "k.npy"}}', encoding="utf-8")
    assert call("run", str(tmp_path / "a.json"), "--summary").code == 0


def test_a_map_of_one_head_of_many_is_not_refused() -> None:
    """Only what is drawn is calculated."""
    assert call("run", "-", *MAP, stdin=json.dumps({"scores": [[[1]]] * 60_000}).encode()).code == 0


@pytest.mark.parametrize("shape", [(4096, 32), (12_000, 1)])
def test_a_row_with_very_many_numbers_is_told_in_short(shape: tuple[int, int], tmp_path: Path) -> None:
    """Unless a step of it or, by force, all is asked for; as data it is whole. Many short rows are as many as few."""
    for name in "qkv":
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(8).standard_normal(shape))
    array = {name: {"npy": f"{name}.npy"} for name in "qkv"}
    (tmp_path / "a.json").write_text(json.dumps(array), encoding="utf-8")
    for words, short in (
        ((), True),
        (("--force",), False),
        (("--step", "weights"), False),
        (("--format", "csv"), False),
    ):
        done = call("run", str(tmp_path / "a.json"), "--token", "0", *words)
        assert (done.code, done.err) == (0, "")
        assert ("all other keys" in done.out) is short


def test_python_sets_no_bound() -> None:
    """The bound is that of the program, not of the library."""
    assert run(load(ROW))["weights"].values.size == 40_000
