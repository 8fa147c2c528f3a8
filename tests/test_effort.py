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
from attncalc.core.tokens import labels

ROW: dict[str, Any] = {"scores": [1] * 40_000}
SQUARE: dict[str, Any] = {"scores": [[1] * 300] * 300}
BATCHES: dict[str, Any] = {"scores": [[[[1]]]] * 60_000}
WIDE: dict[str, Any] = {"q": [[1] * 40_000], "k": [[1] * 40_000]}
LONG_NUMBERS: dict[str, Any] = {"scores": [0.5] * 700, "arithmetic": "exact"}
BLOCKS: dict[str, Any] = {"scores": [1] * 12_000, "algorithm": "online", "block": 1}
WIDE_OUTPUT: dict[str, Any] = {"scores": [[1] * 30] * 30, "v": [[1]] * 30, "w_o": [[1] * 9000]}
WIDE_KEYS: dict[str, Any] = {"x": [[1]] * 30, **{name: [[1] * 3000] for name in ("w_q", "w_k", "w_v")}}
FLOATS, EXACT = {"arithmetic": "float64"}, {"arithmetic": "exact"}
CHANGE = ("--set", "temperature=2")

REFUSED: list[tuple[dict[str, Any], tuple[str, ...], str]] = [
    (ROW, ("why", "-", "weights", "0", "0"), "40,000 scores in rows of 40,000 keys, from 40,000 numbers, would take about 3 s"),
    (ROW, ("why", "-", "weights", "0", "0", "--json"), "would take about 11 s"),
    (ROW, ("step", "-", "--plain"), "take a part of the scenario, or `attncalc run --summary` for the figures of all"),
    (ROW, ("sweep", "-", "temperature", "1", "4"), "would take about"),
    (SQUARE, ("compare", "-", *CHANGE), "or --force to do it all the same"),
    (SQUARE, ("compare", "-", *CHANGE, "--lang", "zh"), "一定要做就加 --force"),
    (BATCHES, ("run", "-", "--json"), "60,000 scores in rows of 1 key,"),
    (BATCHES, ("check", "-", "--answer", "weights=1"), "would take about"),
    (WIDE, ("why", "-", "scores", "0", "0"), "from 80,000 numbers"),
    (LONG_NUMBERS, ("run", "-", "--json"), "700 numbers in decimals would take about 5 s; add --arithmetic float64"),
    (LONG_NUMBERS, ("quiz", "-"), "give the numbers with fewer digits"),
    (BLOCKS, ("verify", "-"), "would take about"),
    (WIDE_OUTPUT | FLOATS, ("compare", "-", *CHANGE), "would take about 5 s"),
    (WIDE_OUTPUT | FLOATS, ("sweep", "-", "temperature", "1", "4"), "would take about 3 s"),
    (WIDE_OUTPUT | EXACT, ("run", "-", "--json"), "add --arithmetic float64"),
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
    from attncalc.long.loading import steps

    return steps(load(document))


def test_faults_of_answers_have_an_end(tmp_path: Path) -> None:
    """A file of very many unknown steps is compared with the known ones a thousand times, not more."""
    (tmp_path / "a.json").write_text(json.dumps({f"step{i}": 1 for i in range(3000)}))
    done = call("check", "draw", str(tmp_path / "a.json"))
    assert done.code == 2
    assert "980 more" in done.err


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
    ({"scores": [1, 2], "v": [[1] * 250_000] * 2}, ("run", "-", "--step", "context"), 2),
    (WIDE_KEYS | FLOATS, ("run", "-"), 2),
    (WIDE_KEYS | FLOATS, ("run", "-", "--step", "weights"), 0),
    (WIDE_OUTPUT | FLOATS, ("run", "-"), 2),
]


@pytest.mark.parametrize(("document", "words", "code"), TOLD)
def test_tables_are_counted_as_they_are_shown(document: dict[str, Any], words: tuple[str, ...], code: int) -> None:
    """The rows that are told, with what is given for all of them; a step alone shows nothing that is given."""
    assert call(*words, stdin=json.dumps(document).encode()).code == code


def test_more_numbers_may_take_longer(tmp_path: Path) -> None:
    """The bound grows with what is given: the same scores from wider queries and keys are not refused."""
    for width, code in ((1, 2), (1200, 0)):
        for name in "qk":
            np.save(tmp_path / f"{name}.npy", np.random.default_rng(8).standard_normal((640, width)))
        (tmp_path / "a.json").write_text('{"q": {"npy": "q.npy"}, "k": {"npy": "k.npy"}}', encoding="utf-8")
        assert call("check", str(tmp_path / "a.json"), "--answer", "weights 0 0=1").code == code


def test_a_row_with_very_many_numbers_is_told_in_short(tmp_path: Path) -> None:
    """Unless a step of it or, by force, all is asked for; as data it is whole."""
    for name in "qkv":
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(8).standard_normal((4096, 32)))
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
