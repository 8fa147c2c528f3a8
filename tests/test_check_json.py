"""The JSON of a check: the contract's keys in order, strict, the same bytes on every run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call
from samples import LANGUAGES, softmax

from attncalc.messages import catalogue, speaker

KEYS = ["format", "verdict", "steps", "mistakes", "first_wrong", "largest_difference", "notes"]
SLIP = ("draw", "weights=0.62 0.21 0.19 0.08", "context=0.71 0.34 0.50")


def check(scenario: str, *texts: str, language: str = "en", options: tuple[str, ...] = ()) -> tuple[int, str]:
    """The exit code and the JSON text of typed answers."""
    typed = [f"--answer={text}" for text in texts]
    done = call("check", scenario, *typed, *options, "--json", language=language)
    assert done.err == ""
    return done.code, done.out


def refuse(text: str) -> Any:
    """NaN and Infinity are not JSON."""
    raise AssertionError(text)


def document(scenario: str, *texts: str, language: str = "en", options: tuple[str, ...] = ()) -> dict[str, Any]:
    """The JSON object of typed answers, read strictly."""
    _, text = check(scenario, *texts, language=language, options=options)
    assert text.count("\n") == 1
    found: dict[str, Any] = json.loads(text, parse_constant=refuse)
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_keys_are_those_of_the_contract_in_order(language: str) -> None:
    """Texts follow the language, all else is the same in both."""
    found = document(*SLIP, language=language)
    assert list(found) == KEYS
    assert found["format"] == "attncalc-check/1"
    assert found["verdict"] == "slip"
    assert found["steps"] == [
        {"name": "weights", "verdict": "slip", "right": 3, "all": 4},
        {"name": "context", "verdict": "follow-through", "right": 0, "all": 3},
    ]
    sentence = catalogue(language)["slip.swapped-digits"].format(cell="weights draw like", given="0.21", right="0.12")
    assert found["mistakes"] == [{"name": "slip-swapped-digits", "step": "weights", "text": sentence}]
    assert found["first_wrong"] == {
        "cell": "weights draw like", "given": "0.21", "right": pytest.approx(0.12420219, abs=1e-8),
        "derivation": "weights draw like = E / Σ = 1.2214 / 9.8340 ≈ 0.1242",
    }  # fmt: skip
    assert found["largest_difference"] == {
        "cell": "weights draw like", "given": "0.21", "right": pytest.approx(0.12420219, abs=1e-8),
        "difference": pytest.approx(0.08579781, abs=1e-8), "relative": pytest.approx(0.6907914, abs=1e-7),
    }  # fmt: skip
    assert found["notes"] == []


def test_the_bytes_are_the_same_on_every_run() -> None:
    """Whatever was calculated before."""
    assert check(*SLIP) == check(*SLIP)
    assert check("mini-head", "weights[We][We]=0") == check("mini-head", "weights[We][We]=0")


VERDICTS: list[tuple[tuple[str, ...], int, str, list[str]]] = [
    (("draw", "weights=0.62 0.12 0.19 0.08"), 0, "right", []),
    (("draw", "context=0.70 0.27 0.47"), 0, "rounding", []),
    (("draw", "weights=62 12 19 8"), 0, "right", []),
    (("draw", "weights=0.62 0.12 0.19 0.08", "residual=0.70 0.27 0.47"), 1, "mistake", ["residual-forgotten"]),
    (("mini-head", "weights[saw]=0.73 0.27 0 0 0"), 1, "mistake", ["no-scale"]),
    (("mini-head", "weights[We][We]=0"), 1, "mistake", ["mask-inverted", "diagonal-hidden"]),
    (("draw", "weights=0.62 0.12 0.19 -0.08"), 1, "slip", ["slip-sign"]),
    (("draw", "weights=0.3 0.3 0.2 0.2"), 1, "unknown", []),
]  # fmt: skip


@pytest.mark.parametrize(("given", "code", "verdict", "mistakes"), VERDICTS)
def test_the_verdict_and_the_names_of_the_mistakes(
    given: tuple[str, ...], code: int, verdict: str, mistakes: list[str]
) -> None:
    """The exit code says the same; slips are named as such."""
    assert check(*given)[0] == code
    found = document(*given)
    assert (found["verdict"], [mistake["name"] for mistake in found["mistakes"]]) == (verdict, mistakes)


def test_what_there_is_not_is_null() -> None:
    """Answers that are exactly right have no first wrong number and no difference."""
    found = document("draw", "v=0.9 0.1 0.4; 0.2 0.8 0.3; 0.5 0.5 0.6; 0.3 0.2 0.9")
    assert (found["first_wrong"], found["largest_difference"], found["mistakes"], found["notes"]) == (
        None,
        None,
        [],
        [],
    )
    given = document("draw", "v=0.9 0.1 0.4; 0.2 0.8 0.3; 0.5 0.5 0.6; 0.3 0.2 0.6")
    assert given["first_wrong"]["derivation"] is None
    assert given["first_wrong"]["cell"] == "v draw 2"


@pytest.mark.parametrize("language", LANGUAGES)
def test_notes_have_a_code_and_a_sentence(language: str) -> None:
    """A convention, a way of rounding; --quiet does not empty JSON."""
    messages = catalogue(language)
    percent = document("draw", "weights=62 12 19 8", language=language)
    assert percent["notes"] == [{"code": "convention-percent", "text": messages["convention.percent"]}]
    rounded = document("draw", "context=0.70 0.27 0.47", language=language, options=("--quiet",))
    text = speaker(language)("rounded.on-the-way", places=2)
    assert rounded["notes"] == [{"code": "rounded-on-the-way", "text": text}]


def test_a_cell_is_named_as_why_takes_it(tmp_path: Path) -> None:
    """With its head and batch entry, in every language; infinite numbers are texts."""
    path, scenario = tmp_path / "answers.json", tmp_path / "masked.json"
    scenario.write_text('{"scores": [[[0, 1], [1, 0]], [[0, 1], [2, 0]]], "mask": "causal"}')
    path.write_text('{"masked": [[[0, "-Infinity"], [1, 0]], [[0, 1], [2, 0]]]}')
    for language in LANGUAGES:
        found = json.loads(
            call("check", str(scenario), str(path), "--json", language=language).out, parse_constant=refuse
        )
        assert found["first_wrong"]["cell"] == "masked 0 1 --head 1"
        assert (found["first_wrong"]["given"], found["first_wrong"]["right"]) == ("1", "-Infinity")
        assert found["largest_difference"]["difference"] == "Infinity"
        assert found["largest_difference"]["relative"] is None


def test_what_is_large_says_what_it_was_judged_in(tmp_path: Path) -> None:
    """A note with a code of its own."""
    rng = np.random.default_rng(3)
    np.savez(tmp_path / "run.npz", **{name: rng.normal(size=(64, 16)) for name in "qkv"})
    scenario = tmp_path / "large.json"
    scenario.write_text(json.dumps({name: {"npz": "run.npz", "key": name} for name in "qkv"} | {"heads": 8}))
    with np.load(tmp_path / "run.npz") as file:
        q, k = (file[name].reshape(64, 8, 2).swapaxes(0, 1) for name in "qk")
    np.savez(tmp_path / "answers.npz", weights=softmax(q @ k.swapaxes(-1, -2)))
    done = call("check", str(scenario), str(tmp_path / "answers.npz"), "--json")
    found = json.loads(done.out, parse_constant=refuse)
    assert (done.code, [mistake["name"] for mistake in found["mistakes"]]) == (1, ["no-scale"])
    assert [note["code"] for note in found["notes"]] == ["judged-in-float64"]


def test_json_goes_into_a_file(tmp_path: Path) -> None:
    """By its suffix, the exit code still the answer."""
    path = tmp_path / "verdict.json"
    done = call("check", SLIP[0], f"--answer={SLIP[1]}", f"--answer={SLIP[2]}", "-o", str(path))
    assert (done.code, done.out, done.err) == (1, "", "")
    assert path.read_text(encoding="utf-8") == check(*SLIP)[1]
