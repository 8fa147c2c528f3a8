"""`check`: the verdict as a sentence, every mistake named with its why and how, each number beside the right one."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calling import call, out
from hostile import COUNT, SCORES, TOKENS, unsafe
from running import Finished, run_in_terminal, widest
from samples import DATA, LANGUAGES, softmax
from test_answers import MADE

from attncalc.messages import catalogue, speaker

SCENARIOS = Path(__file__).parent.parent / "scenarios"
WEIGHTS = "weights[draw]=0.62 0.12 0.19 0.08"
CONTEXT = "context=0.70 0.27 0.47"


def check(*args: str, language: str = "en", stdin: bytes = b"") -> Finished:
    """`attncalc check ARGS`, 80 columns wide."""
    return call("check", *args, "--width", "80", language=language, stdin=stdin)


def typed(*texts: str) -> list[str]:
    """The options that type answers."""
    return [f"--answer={text}" for text in texts]


def answers(name: str, cells: Any) -> str:
    """A table of numbers as it is typed, two decimals."""
    return f"{name}=" + "; ".join(" ".join(f"{x:.2f}" for x in row) for row in np.atleast_2d(cells))


def flowing(text: str) -> str:
    """A screen with its lines joined, so that a sentence can be found; Chinese lines join without a blank."""
    joined = re.sub(r"\s+", " ", text)
    return re.sub(r"(?<=[^\x00-\x7f]) | (?=[^\x00-\x7f])", "", joined)


def says(text: str, sentence: str) -> bool:
    """Whether a screen has a sentence, wherever its lines end."""
    return flowing(sentence) in flowing(text)


# --- what it must show ----------------------------------------------------------------------------


def mini_head() -> dict[str, np.ndarray[Any, Any]]:
    """The arrays of mini-head, read as a JSON file."""
    document = json.loads((SCENARIOS / "mini-head.json").read_text(encoding="utf-8"))
    return {name: np.array(document[name], dtype=float) for name in ("x", "w_q", "w_k", "w_v", "w_o")}


def straight() -> dict[str, tuple[str, Any]]:
    """What somebody gets who makes one mistake: mistake → step and its numbers, straight from the formulas."""
    m = mini_head()
    q, k, v = (m["x"] @ m[name] for name in ("w_q", "w_k", "w_v"))
    hidden = np.triu(np.ones((5, 5)), 1) == 1

    def masked(scores: Any) -> Any:
        return np.where(hidden, -np.inf, scores)

    def whole(weights: Any, values: Any) -> Any:
        return weights @ values @ m["w_o"] + m["x"]

    root = np.sqrt(3)
    right = softmax(masked(q @ k.T / root))
    columns = np.exp(masked(q @ k.T / root))
    columns = columns / columns.sum(axis=0)
    return {
        "no-scale": ("weights", softmax(masked(q @ k.T))),
        "scale-by-d_k": ("weights", softmax(masked(q @ k.T / 3))),
        "mask-with-zero": ("weights", softmax(np.where(hidden, 0, q @ k.T / root))),
        "weights-times-k": ("context", right @ k),
        "softmax-over-queries": ("weights", columns),
        "no-scale at the end": ("residual", whole(softmax(masked(q @ k.T)), v)),
        "scale-by-d_k at the end": ("residual", whole(softmax(masked(q @ k.T / 3)), v)),
        "mask-with-zero at the end": ("residual", whole(softmax(np.where(hidden, 0, q @ k.T / root)), v)),
        "weights-times-k at the end": ("residual", whole(right, k)),
        "softmax-over-queries at the end": ("residual", whole(columns, v)),
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mistake", straight())
def test_mini_head_names_the_common_mistakes(mistake: str, language: str) -> None:
    """From the weights, from the context, or from the last step alone: what was done, why it is wrong, how to do it."""
    step, cells = straight()[mistake]
    done = check("mini-head", *typed(answers(step, cells)), language=language)
    name, messages = mistake.split(" ")[0], catalogue(language)
    assert (done.code, done.err) == (1, "")
    assert says(done.out, f"{messages['check-lead.mistake']} {messages[f'mistake.{name}']}")
    assert says(done.out, messages[f"mistake-why.{name}"])
    assert says(done.out, messages[f"mistake-how.{name}"])
    assert done.out.startswith(messages["check-lead.mistake"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("given", [(WEIGHTS, CONTEXT), (CONTEXT,), (WEIGHTS, CONTEXT, "residual=1.10 0.17 0.67")])
def test_the_numbers_of_the_article_are_right_by_hand(given: tuple[str, ...], language: str) -> None:
    """draw: the method is right, each step rounded to two places."""
    done = check("draw", *typed(*given), language=language)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(catalogue(language)["check-lead.rounding"])
    assert says(done.out, speaker(language)("rounded.on-the-way", places=2))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_forgotten_residual_is_named(language: str) -> None:
    """draw: the context handed in as the result."""
    done = check("draw", *typed(WEIGHTS, CONTEXT, CONTEXT.replace("context", "residual")), language=language)
    assert done.code == 1
    assert says(done.out, catalogue(language)["mistake.residual-forgotten"])


# --- the verdicts ---------------------------------------------------------------------------------

PUBLISHED = b'{"tokens": ["a", "b", "c"], "q": [[0.3, 0.7]], "k": [[0.9, 0.2], [0.1, 0.4], [0.8, 0.6]], "query": "c"}'

VERDICTS: list[tuple[str, tuple[str, ...], int, str, str]] = [
    # scenario, answers, exit code, the first line, a line of the table of steps
    ("draw", (WEIGHTS,), 0, "Right  All 4 numbers are right.", "weights right 4 of 4"),
    ("draw", ("weights[draw][I]=0.615",), 0, "Right  The number is right.", "weights right 1 of 1"),
    ("draw", ("weights=2/3 _ _ _",), 1, "Not recognised", "weights not recognised 0 of 1"),
    ("draw", ("weights=0.61 0.12 0.18 0.07",), 0, "Rounding  The method is right;", "weights rounding 1 of 4"),
    ("draw", ("weights=0.62 0.21 0.19 0.08", "context=0.71 0.34 0.50"), 1, "A slip  Two digits of weights draw like",
     "context follows 0 of 3"),
    ("draw", ("weights=0.62 0.12 0.19 -0.08",), 1, "A slip  The sign of weights draw draw is turned", "weights slip 3 of 4"),
    ("draw", ("weights=0.3 0.3 0.2 0.2",), 1, "Not recognised", "weights not recognised 1 of 4"),
    ("draw", ("weights=62 12 19 8",), 0, "Right  All 4 numbers are right.", "weights right 4 of 4"),
    ("mini-head", (answers("weights", straight()["no-scale"][1]),), 1, "A mistake  The scores were not divided by √d_k.",
     "weights mistake 11 of 25"),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "given", "code", "first", "step"), VERDICTS)
def test_the_first_line_is_the_verdict(
    scenario: str, given: tuple[str, ...], code: int, first: str, step: str
) -> None:  # fmt: skip
    """And each step has its own, with how many of its numbers are right; 0 where the method is right."""
    done = check(scenario, *typed(*given))
    assert (done.code, done.err) == (code, "")
    assert done.out.startswith(first)
    assert step in [" ".join(line.split()) for line in done.out.splitlines()]


def test_a_single_number_proves_nothing() -> None:
    """One number alone is consistent with a mistake, or with each of several."""
    one = check("mini-head", *typed("weights[birds][We]=0.26")).out
    assert one.startswith("Wrong  The single number is consistent with this: The scores were not divided by")
    several = flowing(check("mini-head", *typed("weights[We][We]=0")).out)
    assert several.startswith(
        "Wrong The single number is consistent with each of these mistakes, the likeliest first: 1 "
    )
    assert says(several, "2 The diagonal was hidden too")
    rounded = check("draw", *typed("context[draw][0]=0.70"))
    assert (rounded.code, rounded.out.startswith("Rounding  The single number is consistent with this:")) == (0, True)
    row = check("mini-head", *typed("weights[birds]=0.26 0.04 0.71 0 0")).out
    assert row.startswith("A mistake  The scores were not divided")


def test_all_mistakes_that_give_the_numbers_are_told(tmp_path: Path) -> None:
    """Where T = d_model = 4 and d_k = 2, dividing by d_k, by √d_model and by √T are one; each has its why and how."""
    rng = np.random.default_rng(5)
    matrices = {name: rng.integers(-2, 3, (4, 4)).tolist() for name in ("x", "w_q", "w_k", "w_v")}
    x, w_q, w_k, _ = (np.array(m) for m in matrices.values())
    weights = np.stack([softmax((x @ w_q)[:, h] @ (x @ w_k)[:, h].T / 2) for h in (slice(0, 2), slice(2, 4))])
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps({**matrices, "heads": 2}), encoding="utf-8")
    done = check(str(path), "-", stdin=json.dumps({"weights": np.round(weights, 3).tolist()}).encode())
    messages = catalogue("en")
    names = ("scale-by-d_k", "scale-by-sqrt-d_model", "scale-by-sqrt-n")
    assert done.code == 1
    assert says(done.out, "A mistake " + messages["check-mistakes-all"])
    for name in names:
        assert says(done.out, messages[f"mistake.{name}"])
        assert says(done.out, messages[f"mistake-why.{name}"] + " " + messages[f"mistake-how.{name}"])


def test_a_second_mistake_in_a_later_step_is_told_too() -> None:
    """Under the name of its step, after the first."""
    m, no_scale = mini_head(), straight()["no-scale"][1]
    context = np.round(no_scale, 2) @ (m["x"] @ m["w_v"])
    done = check("mini-head", *typed(answers("weights", no_scale), answers("residual", context @ m["w_o"])))
    assert done.out.startswith("A mistake  The scores were not divided by √d_k.")
    assert says(done.out, "A mistake in the residual sum The residual was not added.")


# --- the first number that is off -----------------------------------------------------------------


def test_the_first_wrong_number_is_derived_from_the_right_ones() -> None:
    """With the numbers put in, and a command that goes on from there."""
    text = check("draw", *typed("weights=0.62 0.21 0.19 0.08")).out
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("The first number that is off: weights draw like")
    assert lines[start + 1 : start + 3] == [
        "weights draw like = E / Σ = 1.2214 / 9.8340 ≈ 0.1242", "Given is 0.21; right is 0.12.",
    ]  # fmt: skip
    assert "Next  attncalc why draw weights draw like --by-hand off" in lines


@pytest.mark.parametrize(
    ("scenario", "given"),
    [
        ("draw", typed("weights=0.62 0.21 0.19 0.08")),
        ("grouped", ["--head", "2", *typed("weights[fox][red]=0.5", "weights[fox][fox]=0.7")]),
        ("padding", ["--batch", "1", *typed("weights[0][0]=0.1")]),
        ("draw", typed("v=0.9 0.1 0.4; 0.2 0.8 0.3; 0.5 0.5 0.6; 0.3 0.2 0.7")),
    ],
)  # fmt: skip
def test_the_command_that_is_offered_works(scenario: str, given: list[str]) -> None:
    """It takes apart the very cell, in its head and batch entry."""
    text = check(scenario, *given).out
    (line,) = (line for line in text.splitlines() if line.startswith("Next  attncalc "))
    cell = re.search(r"The first number that is off: (.*)", text)
    assert cell is not None
    shown = out(*line.removeprefix("Next  attncalc ").split(" "))
    assert shown.startswith(f"{cell[1]} = ")
    assert "by hand" not in shown


def test_no_command_is_offered_where_there_is_none() -> None:
    """For a scenario from standard input, for right answers, or in quiet."""
    scenario = (SCENARIOS / "draw.json").read_bytes()
    assert "Next" not in check("-", *typed("weights=1 0 0 0"), stdin=scenario).out
    assert "Next" not in check("draw", *typed(WEIGHTS)).out
    assert "Next" not in check("draw", "--quiet", *typed("weights=1 0 0 0")).out


def test_a_change_of_the_scenario_is_in_the_command() -> None:
    """So that it shows the same calculation."""
    text = check("draw", "--set", "scores.0=1.5", *typed("weights=0.9 0.05 0.03 0.02")).out
    assert "Next  attncalc why draw weights draw I --set scores.0=1.5 --by-hand off" in text
    assert out("why", "draw", "weights", "draw", "I", "--set", "scores.0=1.5").startswith("weights draw I = 0.54")


# --- the numbers ----------------------------------------------------------------------------------


def rows(text: str, heading: str) -> list[list[str]]:
    """The rows of the table under a heading."""
    part = text.split(f"\n{heading}", 1)[1].split("\n\n", 1)[0]
    return [line.split() for line in part.split("─\n", 1)[1].splitlines()]


def test_each_number_stands_beside_the_right_one() -> None:
    """As it was written, the right one with as many places; beside fractions alone with those of the scenario."""
    text = check("draw", *typed("weights=0.620 0.21 .19 2/9")).out
    assert rows(text, "Divide") == [
        ["draw", "I", "0.620", "0.615", "WRONG"], ["draw", "like", "0.21", "0.124", "WRONG"],
        ["draw", "to", ".19", "0.185", "right"], ["draw", "draw", "2/9", "0.075", "WRONG"],
    ]  # fmt: skip
    for given, right in (
        ("total=7", "Given is 7; right is 10."),
        ("weights=2/9 1/9 1/3 1/3", "Given is 2/9; right is 0.62."),
    ):
        assert f"{right}\n" in check("draw", *typed(given), "--format", "plain").out


def test_what_is_cut_off_is_right_where_the_scenario_cuts() -> None:
    """Number by number: one that is wrong does not make the others wrong."""
    text = check("draw", "--rounding", "truncate", *typed("weights=0.61 0.21 0.18 0.07")).out
    assert rows(text, "Divide") == [
        ["draw", "I", "0.61", "0.61", "right"], ["draw", "like", "0.21", "0.12", "WRONG"],
        ["draw", "to", "0.18", "0.18", "right"], ["draw", "draw", "0.07", "0.07", "right"],
    ]  # fmt: skip
    cut = check("draw", "--rounding", "truncate", *typed("weights=0.61 0.12 0.18 0.07"))
    assert (cut.code, cut.out.splitlines()[0]) == (0, "Right  All 4 numbers are right.")


def test_of_many_numbers_the_first_that_are_off_are_shown() -> None:
    """Twelve, and how many there are; --all shows every number of every step that is off."""
    given = typed(answers("weights", straight()["no-scale"][1]))
    text = check("mini-head", *given).out
    assert says(text, "14 of 25 numbers are off; here are the first 12. --all shows every number.")
    assert [row[:2] for row in rows(text, "Divide")][:2] == [["saw", "We"], ["saw", "saw"]]
    assert len(rows(text, "Divide")) == 12
    everything = check("mini-head", "--all", *given).out
    assert len(rows(everything, "Divide")) == 25
    assert "here are the first" not in everything


def test_places_and_rounding_are_those_that_are_asked_for() -> None:
    """The derivation has the places of --places, the right numbers those of the answers."""
    text = check("draw", "--places", "6", *typed("weights=0.62 0.21 0.19 0.08")).out
    assert "1.221403 / 9.833987 ≈ 0.124202" in text
    assert ["draw", "like", "0.21", "0.12", "WRONG"] in rows(text, "Divide")


def test_the_largest_differences_and_where_they_are() -> None:
    """In itself and in relation to the right number; the same cell is said once."""
    text = check("mini-head", *typed(answers("weights", straight()["no-scale"][1]))).out
    assert says(
        text,
        "Difference The largest is 0.20, at weights fly fly; in relation to the right number it is 0.78, at weights south fly.",
    )
    slip = check(
        "mini-head", *typed("context=-1 3 1; -1.36 2.64 1.00; 0.05 2.90 0.42; -2.36 2.19 -1.31; -0.77 2.78 0.14")
    ).out
    assert says(slip, "Difference The largest is 0.18, at context fly 2: 0.16 times the right number.")


# --- conventions, notes ---------------------------------------------------------------------------

CONVENTIONS: list[tuple[str, tuple[str, ...], str]] = [
    ("draw", ("weights=62 12 19 8",), "The weights are written in percent."),
    ("cross", ("weights=0.6 0.2; 0.1 0.1",), ""),
    ("mini-head", (answers("weights", softmax(np.where(np.triu(np.ones((5, 5)), 1) == 1, -np.inf, (
        mini_head()["x"] @ mini_head()["w_q"]) @ (mini_head()["x"] @ mini_head()["w_k"]).T / np.sqrt(3))).T),),
     "The tables are in column notation: transposed, they are right."),
]  # fmt: skip


@pytest.mark.parametrize(("scenario", "given", "note"), [row for row in CONVENTIONS if row[2]])
def test_a_convention_is_said_as_a_note(scenario: str, given: tuple[str, ...], note: str) -> None:
    """The answers are right; --quiet leaves the note out."""
    done = check(scenario, *typed(*given))
    assert (done.code, done.out.split("\n")[0][:5]) == (0, "Right")
    assert says(done.out, f"Note {note}")
    quiet = check(scenario, "--quiet", *typed(*given))
    assert (quiet.code, "Note" in quiet.out) == (0, False)


def test_rounding_beside_a_mistake_is_a_note_on_its_step() -> None:
    """The verdict is the mistake; how the step before was rounded is said under its name."""
    text = check("draw", *typed(WEIGHTS, CONTEXT, CONTEXT.replace("context", "residual"))).out
    assert says(text, "Note context: The method is right; each step was rounded to 2 places.")


def large(folder: Path) -> tuple[Path, dict[str, Any]]:
    """A scenario that exact arithmetic would take long for, and its arrays."""
    rng = np.random.default_rng(1)
    arrays = {name: rng.normal(size=(4, 48, 16)) for name in "qkv"}
    np.savez(folder / "run.npz", **arrays)
    document = {name: {"npz": "run.npz", "key": name} for name in "qkv"} | {"heads": 4, "mask": "causal"}
    path = folder / "large.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path, arrays


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_large_is_judged_in_float64_and_says_so(tmp_path: Path, language: str) -> None:
    """A note, and the largest differences though all is right; unmasked weights are named."""
    path, arrays = large(tmp_path)
    scores = arrays["q"] @ arrays["k"].swapaxes(-1, -2) / 4
    visible = np.tril(np.ones((48, 48))) == 1
    messages = catalogue(language)
    np.savez(tmp_path / "right.npz", weights=softmax(np.where(visible, scores, -np.inf)).astype(np.float32))
    done = check(str(path), str(tmp_path / "right.npz"), language=language)
    assert done.code == 0
    assert says(done.out, messages["check-float64"])
    assert messages["lead.difference"] in done.out
    np.savez(tmp_path / "wrong.npz", weights=softmax(scores).astype(np.float32))
    wrong = check(str(path), str(tmp_path / "wrong.npz"), language=language)
    assert wrong.code == 1
    assert says(wrong.out, messages["mistake.mask-forgotten"])


# --- arrays of a real run -------------------------------------------------------------------------


def gpt2() -> dict[str, Any]:
    """The scores, weights and values of gpt2-block, calculated here."""
    with np.load(SCENARIOS / "gpt2_block.npz") as file:
        a = {name: file[name].astype(np.float64) for name in file.files}
    x = a["x"][0]
    normed = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    qkv = (normed * a["ln_1_weight"] + a["ln_1_bias"]) @ a["c_attn_weight"] + a["c_attn_bias"]
    q, k, v = (part.reshape(6, 12, 4).swapaxes(0, 1) for part in np.split(qkv, 3, axis=-1))
    scores = q @ k.swapaxes(-1, -2) / 2
    weights = softmax(np.where(np.tril(np.ones((6, 6))) == 1, scores, -np.inf))
    return {"scores": scores, "weights": weights, "v": v, "context": weights @ v}


def test_tensors_of_a_run_are_judged_with_their_noise(tmp_path: Path) -> None:
    """float32 and float16 are right, each with its largest difference."""
    run = gpt2()
    for kind in (np.float32, np.float16):
        path = tmp_path / "run.npz"
        np.savez(path, weights=run["weights"].astype(kind), context=run["context"].astype(kind))
        done = check("gpt2-block", str(path))
        assert (done.code, done.out.split("\n")[0]) == (0, "Right  All 720 numbers are right.")
        assert "Difference  The largest is" in done.out


RUNS: list[tuple[str, Any]] = [
    ("mask-forgotten", lambda run: {"weights": softmax(run["scores"]), "context": softmax(run["scores"]) @ run["v"]}),
    ("dropout", lambda run: {"weights": run["weights"] * (np.random.default_rng(0).random((12, 6, 6)) > 0.1) / 0.9}),
    ("merge-by-reshape", lambda run: {"context": run["context"], "joined": run["context"].reshape(6, 48)}),
    ("no-scale", lambda run: {"weights": softmax(np.where(np.tril(np.ones((6, 6))) == 1, run["scores"] * 2, -np.inf))}),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "made"), RUNS)
def test_what_went_wrong_in_a_run_is_named(name: str, made: Any, language: str, tmp_path: Path) -> None:
    """From an .npz in float32."""
    arrays = {step: array.astype(np.float32) for step, array in made(gpt2()).items()}
    np.savez(tmp_path / "run.npz", **arrays)
    done = check("gpt2-block", str(tmp_path / "run.npz"), language=language)
    sentence = catalogue(language)[f"mistake.{name}"].format(rate="0.1")
    assert done.code == 1
    assert says(done.out, sentence)


@pytest.mark.parametrize("rounding", ["half-up", "truncate"])
@pytest.mark.parametrize("kind", ["float64", "float32", "float16"])
def test_a_large_wrong_number_makes_no_room_for_those_beside_it(kind: str, rounding: str, tmp_path: Path) -> None:
    """Noise is a share of the right numbers: a number that is far off is wrong, whatever stands beside it."""
    np.save(tmp_path / "a.npy", np.array([6.05e4 if kind == "float16" else 6.05e10, np.exp(0.2), 1.9, 0.6], kind))
    done = check("draw", str(tmp_path / "a.npy"), "--step", "exponentials", "--rounding", rounding, "--json")
    found = json.loads(done.out)
    assert found["steps"][0]["right"] == 1
    assert found["verdict"] == "unknown"


LARGE: list[tuple[int, str, str, str]] = [
    (10, "[[12, 0], [0.5, -1]]", "1000000000000.0000 1.0000; 3.1623 0.1000", "1000000000000.0000 1.0000; 3.1623 0.1003"),
    (3, "[[15, -1, -9], [11, 10, -5], [9, 2, -6]]", "14348907.0000 0.3333 0.0001; 177147.0000 59049.0000 0.0041; 19683.0000 9.0000 0.0014",
     "14348907.0000 0.3333 0.2001; 177147.0000 59049.0000 0.0041; 19683.0000 9.0000 0.0014"),
]  # fmt: skip


@pytest.mark.parametrize(("base", "scores", "right", "wrong"), LARGE)
def test_numbers_that_are_rounded_to_places_are_no_programs_however_large(
    base: int, scores: str, right: str, wrong: str
) -> None:
    """Long ones beside short ones with as many decimals: each is right within half a unit of its last digit."""
    scenario = b'{"scores": %s, "base": %d}' % (scores.encode(), base)
    done = call("check", "-", "--answer", f"exponentials={right}", stdin=scenario)
    assert (done.code, done.out.split()[0]) == (0, "Right")
    off = json.loads(call("check", "-", "--json", "--answer", f"exponentials={wrong}", stdin=scenario).out)
    assert off["steps"][0]["right"] == off["steps"][0]["all"] - 1


@pytest.mark.parametrize("places", [2, 4, 8, 15, 16, 17, 20])
@pytest.mark.parametrize("largest", [2.5, 12.5, 26.25, 30.5])
def test_what_a_program_prints_with_fixed_places_is_right(places: int, largest: float) -> None:
    """Its last digits are noise where they are more than a double has, in large numbers and behind many places."""
    scores = np.array([[largest, 0.3], [0.7, -1.1]])
    document = json.dumps({"scores": scores.tolist()}).encode()
    found = np.exp(scores), np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    for step, cells in zip(("exponentials", "weights"), found, strict=True):
        answer = ";".join(" ".join(f"{cell:.{places}f}" for cell in row) for row in cells)
        said = out("check", "-", "--answer", f"{step}={answer}", stdin=document)
        assert said.startswith("Right  All 4 numbers are right.")


def test_an_average_over_heads_is_recognised(tmp_path: Path) -> None:
    """What nn.MultiheadAttention gives; no cell of it has a head."""
    np.save(tmp_path / "mean.npy", gpt2()["weights"].mean(axis=0).astype(np.float32))
    done = check("gpt2-block", str(tmp_path / "mean.npy"), "--step", "weights")
    assert (done.code, "(head" in done.out) == (0, False)
    assert says(done.out, "Note The weights are averaged over the heads")


def test_arrays_with_other_names_are_mapped(tmp_path: Path) -> None:
    """--map weights=attn; without it the message says how."""
    np.savez(tmp_path / "run.npz", attn=gpt2()["weights"])
    assert check("gpt2-block", str(tmp_path / "run.npz"), "--map", "weights=attn").code == 0
    refused = check("gpt2-block", str(tmp_path / "run.npz"))
    assert (refused.code, "--map weights=attn" in refused.err) == (2, True)


# --- where answers come from ----------------------------------------------------------------------


def test_answers_come_from_files_standard_input_and_the_command_line(tmp_path: Path) -> None:
    """Each by itself, and a file with what is typed beside it."""
    path = tmp_path / "answers.json"
    path.write_text('{"weights": [0.62, 0.12, 0.19, 0.08]}', encoding="utf-8")
    assert check("draw", str(path)).out == check("draw", *typed(WEIGHTS)).out
    assert check("draw", "-", stdin=path.read_bytes()).out == check("draw", str(path)).out
    both = check("draw", str(path), *typed(CONTEXT))
    assert both.out == check("draw", *typed(CONTEXT, WEIGHTS)).out
    scenario = (SCENARIOS / "draw.json").read_bytes()
    assert check("-", str(path), stdin=scenario).out.replace("stdin", "draw ") == check("draw", str(path)).out


def test_typed_answers_belong_to_the_head_that_is_asked_for() -> None:
    """--head says which."""
    given = typed("weights[red]=0.5760 0.1400 0.2840")
    assert check("grouped", *given).code == 0
    assert check("grouped", "--head", "1", *given).code == 1
    assert check("grouped", "--head", "1", *typed("weights[red]=0.0134 0.9316 0.0551")).code == 0


REFUSED: list[tuple[tuple[str, ...], list[str]]] = [
    ((), ["name a scenario"]),
    (("draw",), ["no answers to check; name a file after draw, or write --answer 'weights[LABEL]="]),
    (("draw", ""), ["check: there are no answers to check"]),
    (("-", "-"), ["cannot both come from standard input"]),
    (("draw", "--step", "weights", f"--answer={WEIGHTS}"), ["--step: says how a file of answers is read"]),
    (("draw", "--map", "weights=a", f"--answer={WEIGHTS}"), ["--map: says how a file of answers is read"]),
    (("draw", "nowhere.json", "--head", "0"), ["--head: says where the numbers after --answer belong"]),
    (("draw", "nowhere.json", "--step", "weights", "--step", "context"), ["one step at a time is read from a file"]),
    (("draw", "nowhere.json"), ["nowhere.json: there is no such file"]),
    (("drwa", "nowhere.json"), ["did you mean draw?"]),
    (("draw", "--answer=weights=0.6 0.1 0.2"), ["has the shape 3, but weights has 4"]),
    (("mini-head", "--answer=weights=1 0 0"), ["has the shape 1×3, but weights has 5×5 in this scenario; for a single row say which it is, weights[south]=…, for several put semicolons between them: weights=… …; … …"]),
    (("draw", "--answer=weihgts=0.6 0.1 0.2 0.1"), ["weihgts is not a step of this scenario; did you mean weights?"]),
    (("draw", "--answer=weights=a 0.1 0.2 0.1"), ["entry 1 of the row is a; wanted is a number"]),
    (("draw", "--answer=weights=nan 0.1 0.2 0.1"), ["entry 1 of the row is nan; wanted is a number"]),
    (("draw", "--answer=weights"), ["is not STEP[PLACE]=NUMBERS"]),
    (("draw", "--answer=weights=_ _ _ _"), ["holds no answer"]),
    (("draw", f"--answer={WEIGHTS}", "--head", "1"), ["--head: this scenario has a single head"]),
    (("draw", f"--answer={WEIGHTS}", "--format", "csv"), ["--format: is csv; wanted is one of table, plain, json"]),
    (("draw", f"--answer={WEIGHTS}", "-o", "x.csv"), [".csv is not a suffix"]),
    (("draw", "--code", f"--answer={WEIGHTS}"), ["--code: prints a program and checks nothing; leave out --answer"]),
    (("draw", "x.json", "--code", "--json"), ["--code: prints a program and checks nothing; leave out x.json, --json"]),
    (("draw", "nowhere.json", "--answer=weights=1 2", "--answer=context=x 0 0"),
     ["nowhere.json: there is no such file", "has the shape 2, but weights has 4", "entry 1 of the row is x"]),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words"), REFUSED)
def test_what_cannot_be_checked_is_refused(args: tuple[str, ...], words: list[str]) -> None:
    """2, all faults at once, nothing on standard output."""
    done = call("check", *args)
    assert (done.code, done.out) == (2, "")
    sentences = done.err.splitlines()
    assert len(sentences) == len(words)
    assert [word for word, sentence in zip(words, sentences, strict=True) if word not in sentence] == []
    chinese = call("check", *args, language="zh")
    assert (chinese.code, chinese.out, len(chinese.err.splitlines())) == (2, "", len(words))


BAD = tomllib.loads((DATA / "bad_answers.toml").read_text(encoding="utf-8"))["row"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", BAD, ids=lambda row: row["name"])
def test_bad_answers_are_refused_in_full(
    row: dict[str, Any], language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every sentence of the table on standard error, exit code 2, nothing else."""
    monkeypatch.chdir(tmp_path)
    if row.get("made") == "directory":
        Path(row["file"]).mkdir()
    elif held := {"made", "text", "bytes"} & set(row):
        Path(row["file"]).write_bytes(content(row, held.pop()))
    args = [row["file"]] if "file" in row else typed(*map(expanded, row["answers"]))
    args += [f"--step={row['step']}"] if "step" in row else []
    done = call(
        "check",
        row.get("scenario", "draw"),
        *args,
        *(f"--map={text}" for text in row.get("map", ())),
        language=language,
    )
    wanted = [row[language]] if isinstance(row[language], str) else row[language]
    found = done.err.splitlines()
    assert (done.code, done.out) == (2, "")
    assert len(found) == len(wanted)
    for sentence, line in zip(wanted, found, strict=True):
        start, foreign, _ = sentence.partition("…" if sentence.endswith("…") else "\0")
        assert line.startswith(f"attncalc: {start}") if foreign else line == f"attncalc: {sentence}"


def content(row: dict[str, Any], kind: str) -> bytes:
    """What the file of a row holds."""
    if kind == "made":
        return MADE[row["made"]]()
    return expanded(row["text"]).encode() if kind == "text" else row["bytes"].encode("latin-1")


def expanded(text: str) -> str:
    """A text of the table with many(x,n) at its end as n times x."""
    return re.sub(r"many\((.+),(\d+)\)$", lambda match: match[1] * int(match[2]), text)


def test_a_step_is_answered_in_one_place(tmp_path: Path) -> None:
    """In the file or after --answer."""
    path = tmp_path / "a.json"
    path.write_text('{"weights": [0.62, 0.12, 0.19, 0.08]}', encoding="utf-8")
    done = check("draw", str(path), *typed("weights[draw][I]=0.62"))
    assert (done.code, f"the answers to weights stand in {path} and after --answer" in done.err) == (2, True)


def test_answers_to_another_scenario_are_refused() -> None:
    """A trace of other tokens is that of another calculation."""
    trace = out("run", "bought-apple", "--json").encode()
    done = check("draw", "-", stdin=trace)
    assert (done.code, done.out) == (2, "")
    assert "is the trace of another scenario" in done.err


# --- several files --------------------------------------------------------------------------------

CLASS = {
    "ann.json": '{"weights": [0.62, 0.12, 0.19, 0.08]}', "bob.json": '{"weights": [6.05, 1.22, 1.82, 0.74]}',
    "cy.json": '{"weights": [0.62, 0.12, 0.19, 0.08], "context": [0.69, 0.27, 0.64]}',
    "dee.json": '{"weights": [0.5, 0.4, 0.3, 0.2]}',
}  # fmt: skip
"""Of a class: one is right, one forgot to divide, one swapped two digits, of one nothing is known."""


@pytest.fixture
def answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files of a class, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, text in CLASS.items():
        Path(name).write_text(text, encoding="utf-8")
    return list(CLASS)


def test_several_files_are_judged_each_by_itself(answered: list[str]) -> None:
    """A line for each, then how many are right and what was found how often."""
    done = check("draw", *answered, "--plain")
    assert (done.code, done.err) == (1, "")
    assert done.out.splitlines()[1:] == [
        "file ann.json: verdict right, first wrong -, mistakes -",
        "file bob.json: verdict mistake, first wrong weights, mistakes not-divided",
        "file cy.json: verdict slip, first wrong context, mistakes slip-swapped-digits",
        "file dee.json: verdict not recognised, first wrong weights, mistakes -",
        "Right: 1 of 4 files. Found: not-divided (1), slip-swapped-digits (1).",
    ]
    assert check("draw", "ann.json", "ann.json").code == 0
    for language in LANGUAGES:
        assert widest(check("draw", *answered, language=language).out.splitlines()) <= 80


def test_each_of_several_is_an_object_with_its_file(answered: list[str]) -> None:
    """As it is alone, one a line; standard input may be one of them."""
    lines = check("draw", *answered, "-", "--json", stdin=b'{"total": 9.83}').out.splitlines()
    assert [json.loads(line)["answers"] for line in lines] == [*answered, "-"]
    for name, line in zip(answered, lines, strict=False):
        alone = json.loads(check("draw", name, "--json").out)
        assert "answers" not in alone
        assert {"answers": name, **alone} == json.loads(line)


MANY_REFUSED: list[tuple[tuple[str, ...], list[str]]] = [
    (("ann.json", "no.json", "none.json"), ["no.json: there is no such file", "none.json: there is no such file"]),
    (("ann.json", ""), ["there are no answers to check"]),
    (("ann.json", "bob.json", f"--answer={WEIGHTS}"), ["--answer: judges numbers beside one file; here are 2"]),
    (("-", "-"), ["stdin: standard input can be read once; here it is named 2 times"]),
    (("ann.json", "bob.json", "--code"), ["leave out ann.json, bob.json"]),
]  # fmt: skip


@pytest.mark.parametrize(("args", "words"), MANY_REFUSED)
def test_of_several_files_none_is_judged_if_one_cannot_be_read(
    answered: list[str], args: tuple[str, ...], words: list[str]
) -> None:
    """Every fault at once, nothing on standard output."""
    done = check("draw", *args)
    assert (done.code, done.out) == (2, "")
    sentences = done.err.splitlines()
    assert [word in line for word, line in zip(words, sentences, strict=True)] == [True] * len(words)


@pytest.mark.parametrize("language", LANGUAGES)
def test_wrong_numbers_that_come_first_are_called_wrong(language: str) -> None:
    """Not an earlier number: the weights themselves, and what follows from them is right."""
    done = check("draw", *typed("weights=0.5 0.4 0.3 0.2", "context=0.74 0.56 0.68"), language=language)
    messages = catalogue(language)
    assert done.out.startswith(messages["check-lead.follow-through"])
    assert says(done.out, messages["check-follows"].format(step=messages["name.weights"]))


# --- the screen -----------------------------------------------------------------------------------

SCREENS = [
    ("draw", *typed("weights=0.62 0.21 0.19 0.08", "context=0.71 0.34 0.50")),
    ("mini-head", *typed("weights[We][We]=0")),
    ("mini-head", "--all", *typed(answers("residual", straight()["softmax-over-queries at the end"][1]))),
    ("grouped", "--head", "2", *typed("weights[fox]=0.4 0.4 0.2")),
]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("args", SCREENS)
@pytest.mark.parametrize("columns", [80, 50, 140])
def test_a_screen_fits_its_terminal(args: tuple[str, ...], language: str, columns: int) -> None:
    """No line is cut by the edge, in either language."""
    seen = run_in_terminal("check", *args, columns=columns, env={"ATTNCALC_LANG": language})
    assert seen.code == 1
    assert 0 < widest(seen.lines) <= columns


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("args", SCREENS)
@pytest.mark.parametrize("columns", [80, 60, 140])
def test_no_line_of_a_screen_is_wider(args: tuple[str, ...], language: str, columns: int) -> None:
    """Before a terminal folds it, in either language."""
    done = call("check", *args, "--width", str(columns), language=language)
    assert done.code == 1
    assert 0 < widest(done.out.splitlines()) <= columns


def test_plain_says_one_thing_a_line() -> None:
    """The verdict, then each number by name, nothing side by side."""
    lines = call("check", "draw", "--plain", *typed("weights=0.62 0.21 0.19 0.08")).out.splitlines()
    assert lines[0] == "A slip: Two digits of weights draw like are swapped: 0.21 instead of 0.12."
    assert "step weights: verdict slip, right 3 of 4" in lines
    assert "weights draw like = E / Σ = 1.2214 / 9.8340 ≈ 0.1242" in lines
    assert "cell draw like: given 0.21, right 0.12, verdict WRONG" in lines
    ascii_only = call("check", "draw", "--ascii", *typed("weights=0.62 0.21 0.19 0.08")).out
    assert ascii_only.isascii()


def test_hostile_labels_are_shown_safely() -> None:
    """Whatever the tokens are, no control code reaches the terminal."""
    scenario = json.dumps({"tokens": TOKENS, "scores": SCORES}).encode()
    given = ", ".join(["0.9", *["0"] * (COUNT - 1)])
    for form in ("table", "plain"):
        text = call("check", "-", "--format", form, "--all", *typed(f"weights={given}"), stdin=scenario).out
        assert unsafe(text) == []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("answer", ["context[draw][0]=e^700.8/9.83", "exponentials[draw]=1e300 1e308 -1e308 1e-308"])
def test_answers_near_the_end_of_doubles_are_judged_and_no_library_warns(answer: str) -> None:
    """Whatever overflows while they are compared."""
    done = check("draw", *typed(answer))
    assert (done.code, done.err) == (1, "")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("number", ["17976931348623159080e289", "1999999999999999999998e308", "-2e308", "1e999999"])
def test_a_number_beyond_a_double_is_refused_and_no_library_warns_of_it(number: str) -> None:
    """Typed or in a file: one sentence on standard error."""
    places = ["--answer: weights draw I", "stdin: weights draw I"]
    typed_in = check("draw", *typed(f"weights[draw]={number} 0.1 0.1 0.1"))
    in_a_file = check("draw", "-", stdin=json.dumps({"weights": [[number, "0.1", "0.1", "0.1"]]}).encode())
    for place, done in zip(places, (typed_in, in_a_file), strict=True):
        assert (done.code, done.out) == (2, "")
        assert done.err.splitlines() == [
            f"attncalc: {place}: is {number}, too large for any arithmetic here (a double ends near 1.8e308)"
        ]
