"""`new`: scenarios by questions, of random numbers, from the arrays of files; whatever it makes can be run."""

from __future__ import annotations

import json
import os
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pexpect  # type: ignore[import-untyped]
import pytest
from calling import call, notices, out
from hostile import TOKENS, unsafe
from running import PROGRAM, SECONDS, Finished, environment
from safetensors.numpy import save_file
from samples import DATA, LANGUAGES, flat

from attncalc import load, run
from attncalc.practice.generator import LEVELS, random_document
from attncalc.practice.scenario_questions import MOST_TOKENS, QUESTIONS, WIDEST
from attncalc.scenario_files import builtin
from attncalc.scenario_files.json_writing import written

RANDOM = ("new", "--random", "--seed", "7")


@pytest.fixture(autouse=True)
def _stands_in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test writes into a folder of its own."""
    monkeypatch.chdir(tmp_path)


def made(*args: str, stdin: str = "") -> dict[str, Any]:
    """The scenario that a call prints, after it was run."""
    text = out("new", *args, stdin=stdin.encode())
    ran(text)
    document: dict[str, Any] = json.loads(text)
    return document


def ran(text: str) -> dict[str, Any]:
    """What `run` calculates from a scenario's text in the folder at hand: its steps by name."""
    Path("made.json").write_text(text, encoding="utf-8")
    steps = json.loads(out("run", "made.json", "--json"))["steps"]
    return {step["name"]: np.array(step["values"], dtype=float) for step in steps}


# --- random numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize("level", range(1, len(LEVELS) + 1))
def test_a_level_is_that_of_the_generator(level: int) -> None:
    """The same document, and what makes it again."""
    document = made("--random", "--seed", "7", "--level", str(level))
    about = document.pop("about")
    assert document == json.loads(written(random_document(LEVELS[level - 1], 7)))
    assert about["en"].endswith(f"attncalc new --random --level {level} --seed 7.")


SIZES = [
    (("--tokens", "4", "--d-model", "6", "--heads", "2"), (4, 6, 2)), ((), (4, 6, 2)), (("--d-model", "5"), (4, 5, 1)),
    (("--tokens", "7", "--heads", "3"), (7, 6, 3)), (("--tokens", "1", "--d-model", "2"), (1, 2, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("args", "sizes"), SIZES)
def test_sizes_are_those_asked_for(args: tuple[str, ...], sizes: tuple[int, int, int]) -> None:
    """Tokens, width of x, heads; two where the width is even and nothing is said."""
    document = json.loads(call(*RANDOM, *args).out)
    assert (len(document["tokens"]), len(document["x"][0]), document.get("heads", 1)) == sizes


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("args", [(), ("--level", "2"), ("--tokens", "5"), ("--places", "3", "--set", "mask=none")])
def test_what_it_says_of_itself_makes_it_again(args: tuple[str, ...], language: str) -> None:
    """Without a seed one is drawn; the command in `about` gives the same numbers."""
    first = json.loads(out("new", "--random", *args))
    command = shlex.split(first["about"][language].partition("attncalc ")[2].rstrip(".。"))
    again = json.loads(out(*command))
    assert {key: again[key] for key in ("tokens", "query", "v") if key in again} == {
        key: first[key] for key in ("tokens", "query", "v") if key in first
    }
    assert {key: first[key] for key in first if key.startswith("w_")} == {
        key: again[key] for key in again if key.startswith("w_")
    }


def test_without_a_seed_another_is_drawn_each_time() -> None:
    """Ten calls are not all alike."""
    assert len({out("new", "--random", "--level", "1") for _ in range(10)}) > 5


def test_sizes_that_hide_mistakes_are_said() -> None:
    """On standard error, so that the scenario can go through a pipe; not with --quiet."""
    args = (*RANDOM, "--tokens", "3", "--d-model", "6", "--heads", "2")
    done = call(*args)
    assert done.code == 0
    assert done.err.startswith("attncalc: √n = √d_k: these are the same number here")
    assert call(*args, "--quiet") == Finished(0, done.out, "")


def test_changes_and_options_are_put_in() -> None:
    """As `show` puts them in."""
    document = made("--random", "--level", "3", "--set", "mask=", "--by-hand", "2", "--set", "tokens.0=first")
    assert ("mask" in document, document["by_hand"], document["tokens"][0]) == (False, 2, "first")


# --- where it goes ------------------------------------------------------------------------------------


def test_it_writes_a_file_and_never_over_one() -> None:
    """The bytes that it prints; --force overwrites."""
    text = out(*RANDOM)
    assert notices(*RANDOM, "-o", "mine.json") == "Next  attncalc explain mine.json\n"
    assert Path("mine.json").read_bytes() == text.encode()
    done = call("new", "--random", "--seed", "8", "-o", "mine.json")
    assert (done.code, done.out, done.err) == (2, "", "attncalc: mine.json: is there already; --force overwrites it\n")
    assert Path("mine.json").read_bytes() == text.encode()
    assert notices("new", "--random", "--seed", "8", "-o", "mine.json", "--force", "--quiet") == ""
    assert Path("mine.json").read_bytes() == out("new", "--random", "--seed", "8").encode()


def test_a_file_in_the_way_is_said_before_anything_is_asked() -> None:
    """No answer is typed in vain."""
    Path("mine.json").write_text("mine", encoding="utf-8")
    done = call("new", "-o", "mine.json", stdin=b"\n")
    assert (done.code, done.err) == (2, "attncalc: mine.json: is there already; --force overwrites it\n")


NAMES = [
    # a name, what is said of it
    ("a.csv", {"en": "a.csv: .csv is not a suffix of a scenario; a scenario is written as .json",
               "zh": "a.csv: .csv 不是算例的后缀；算例写成 .json 文件"}),
    ("a.json.txt", {"en": "a.json.txt: .txt is not a suffix of a scenario; a scenario is written as .json",
                    "zh": "a.json.txt: .txt 不是算例的后缀；算例写成 .json 文件"}),
    ("", {"en": "-o: is empty; name a file, or leave it out to write to standard output",
          "zh": "-o: 后面是空的；请写文件名，或者去掉它，写到标准输出"}),
]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("name", "said"), NAMES)
def test_a_name_that_no_scenario_has_is_refused(name: str, said: dict[str, str], language: str) -> None:
    """Before anything is asked or made; --force does not help."""
    for how in (RANDOM, ("new",), (*RANDOM, "--force")):
        done = call(*how, "-o", name, language=language)
        assert (done.code, done.out, done.err) == (2, "", f"attncalc: {said[language]}\n")
    assert os.listdir() == []


@pytest.mark.parametrize("name", ["mine.json", "MINE.JSON", "mine", ".mine"])
def test_json_or_no_suffix_is_a_name_for_a_scenario(name: str) -> None:
    """As for the other commands."""
    out(*RANDOM, "-o", name, "--quiet")
    assert Path(name).read_bytes() == out(*RANDOM).encode()


# --- questions ----------------------------------------------------------------------------------------

Answers = dict[str, Any]

ASKED: list[tuple[str, Answers]] = [
    # answers, a line each; what stands in the scenario
    ("\n" * 7, {"tokens": ["I", "like", "to", "draw"], "mask": "causal", "shapes": {"q": (4, 3), "k": (4, 3), "v": (4, 3)}}),
    ("a b c\nq\n4\nno\nno\nrandom\n5", {"tokens": ["a", "b", "c"], "mask": None, "residual": None, "shapes": {"q": (3, 4), "v": (3, 4)}}),
    ("a b\nq\n2\nn\nyes\nr\n5\n", {"shapes": {"q": (2, 2), "residual": (2, 2)}}),
    ("a b c\nscores\none\n2\nyes\n\n\n", {"mask": None, "heads": None, "shapes": {"scores": (3,), "v": (3, 2), "residual": (2,)}}),
    ("a b c\ns\nall\n2\nyes\n\n\n9\n", {"mask": "causal", "shapes": {"scores": (3, 3), "v": (3, 2)}}),
    ("a b c\nx\n6\n2\n是\n否\n\n\n\n",
     {"heads": 2, "mask": "causal", "w_o": None, "residual": True, "shapes": {"x": (3, 6), "w_q": (6, 6), "w_v": (6, 6)}}),
    ("a b c\nX\n5\n\nNO\nYES\nN\n\n\n", {"mask": None, "heads": None, "residual": None, "shapes": {"x": (3, 5), "w_q": (5, 5), "w_o": (5, 5)}}),
    ('the "New York" the\nq\n\n\n\n\n\n', {"tokens": ["the", "New York", "the"]}),
    ("苹果 很 甜\nq\n2\n\n\n\n\n", {"tokens": ["苹果", "很", "甜"]}),
    ("one\nx\n1\n1\n\n\n\n\n\n", {"tokens": ["one"], "shapes": {"x": (1, 1), "w_o": (1, 1)}}),
    ("\ufeffa b\nq\r\n2\r\n\r\n\r\n\r\n\r\n", {"tokens": ["a", "b"], "shapes": {"q": (2, 2)}}),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "wanted"), ASKED)
def test_answers_make_the_scenario(answers: str, wanted: Answers) -> None:
    """From a pipe a line each; an empty one takes the default, a beginning is enough."""
    document = made(stdin=answers)
    shapes = wanted.get("shapes", {})
    assert {name: np.shape(document[name]) for name in shapes} == shapes
    assert {key: document.get(key) for key in wanted} | {"shapes": shapes} == wanted | {"shapes": shapes}


def test_the_seed_is_what_makes_the_numbers() -> None:
    """The same answers give the same scenario, another seed another."""
    first, same, other, largest = (made(stdin=f"a b c\nq\n2\n\n\n\n{seed}\n") for seed in (3, 3, 4, 999_999_999))
    assert first == same != other != largest
    assert first["made_up"] is True


TYPED = """a b
q
2
no
yes
type
1 0
-0.50, 2
1;1
0，1e0
.5 −.5
+1 2.50
0 0
0 3
"""

TYPED_JSON = """{
  "tokens": ["a", "b"],
  "q": [
    [1, 0],
    [-0.50, 2]
  ],
  "k": [
    [1, 1],
    [0, 1e0]
  ],
  "v": [
    [0.5, -0.5],
    [1, 2.50]
  ],
  "residual": [
    [0, 0],
    [0, 3]
  ]
}
"""


def test_typed_numbers_keep_their_digits() -> None:
    """Blanks and commas of both sorts stand between them; signs and points as people type them."""
    assert out("new", stdin=TYPED.encode()) == TYPED_JSON
    ran(TYPED_JSON)


def test_typed_scores_of_one_query_are_a_single_row() -> None:
    """As in `draw`."""
    document = made(stdin="I draw\nscores\none\n1\nno\ntype\n1.5 -0.30\n1\n2\n")
    assert document == {"tokens": ["I", "draw"], "scores": [1.5, -0.3], "v": [[1], [2]]}


def test_tokens_of_all_sorts_are_written_safely() -> None:
    """What a terminal would obey is escaped, and comes back as it was."""
    tokens = [token for token in TOKENS if token and "\n" not in token and "\r" not in token]
    answers = " ".join(json.dumps(token, ensure_ascii=False) for token in tokens) + "\nq\n2\n" + "\n" * 5
    text = out("new", stdin=answers.encode("utf-8", "replace"))
    assert unsafe(text) == []
    assert len(json.loads(text)["tokens"]) == len(tokens)


def too_many() -> str:
    """More tokens than there may be."""
    return " ".join(map(str, range(MOST_TOKENS + 1)))


def test_the_chinese_words_of_a_question_are_answers() -> None:
    """Those that stand beside the English ones."""
    for chinese, english in (
        ("分数\n一个\n2\n否\n随机", "scores\none\n2\nno\nrandom"),
        ("查询\n2\n是\n否", "q\n2\nyes\nno"),
        ("分数\n所有\n2\n是\n否\n输入\n1 2\n3 4\n5 6\n7 8", "scores\nall\n2\nyes\nno\ntype\n1 2\n3 4\n5 6\n7 8"),
    ):
        texts = [out("new", stdin=f"a b\n{words}\n\n\n".encode(), language="zh") for words in (chinese, english)]
        assert texts[0] == texts[1]
    done = call("new", stdin="a b\n向量\n".encode(), language="zh")
    assert done.err == "attncalc: stdin:2: “向量”不在可选之列；应为以下之一：scores, q, x\n"


def test_the_width_that_is_proposed_tells_divisors_apart() -> None:
    """The least from 2 on that is neither the number of tokens nor its root: then √n is neither √d_k nor d_k."""
    width = next(question for question in QUESTIONS if question.name == "d_k")
    for n in range(1, MOST_TOKENS + 1):
        wanted = next(d_k for d_k in range(2, 9) if n not in (d_k, d_k**2))
        assert width.default({"tokens": ["a"] * n}) == str(wanted)


WRONG = [
    ("a b\nz\n", "stdin:2: z is none of the choices; wanted is one of scores, q, x"),
    ("a b\nscore\nfew\n", "stdin:3: few is none of the choices; wanted is one of one, all"),
    ("a b\nq\n0\n", f"stdin:3: 0 is not a whole number from 1 to {WIDEST}"),
    ("a b\nq\ntwo\n", f"stdin:3: two is not a whole number from 1 to {WIDEST}"),
    ("a b\nx\n6\n4\n", "stdin:4: 4 heads cannot share 6 numbers equally; possible are 1, 2, 3, 6"),
    ("a b\nq\n2\nperhaps\n", "stdin:4: perhaps is none of the choices; wanted is one of yes, no"),
    *((f"a b\nq\n2\n\n\n\n{seed}\n", f"stdin:7: {seed} is not a whole number from 0 to 999999999") for seed in (-1, 10**9)),
    ("a b\nq\n2\n\n\ntype\n1\n", "stdin:7: 1 given, 2 numbers wanted"),
    ("a b\nq\n2\n\n\ntype\n1 x\n", "stdin:7: is x; wanted is a number"),
    ("a b\nq\n2\n\n\ntype\n1 nan\n", "stdin:7: is nan; wanted is a number"),
    ("a b\nq\n2\n\n\ntype\n1 1e999\n", "stdin:7: is 1e999, too large for any arithmetic here"),
    ("a b\nq\n1\n\n\ntype\n1 2\n", "stdin:7: 2 given, 1 number wanted"),
    (f"{too_many()}\n", f"stdin:1: names {MOST_TOKENS + 1} tokens; at most {MOST_TOKENS} are made"),
    ("a b\nq\n", "stdin: the answers end before this one: Numbers in each query, key and value (d_k)"),
    ("a b\nq\n2\n\n\ntype\n1 1\n", "stdin: the answers end before this one: q.b (2 numbers)"),
    ("", "new: asks its questions in a terminal, and there is none here"),
]  # fmt: skip


@pytest.mark.parametrize(("answers", "said"), WRONG)
def test_a_wrong_answer_in_a_pipe_is_refused(answers: str, said: str) -> None:
    """With its line; nobody is there to answer again."""
    done = call("new", "-o", "mine.json", stdin=answers.encode())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {said}")
    assert done.err.count("\n") == 1
    assert os.listdir() == []


# --- in a terminal ------------------------------------------------------------------------------------

PROMPT = {"en": b": $", "zh": "：$".encode()}


@pytest.fixture
def asked() -> Iterator[Any]:
    """Starts `new` in a terminal, answers its questions; ends what a failed test leaves running."""
    children: list[Any] = []

    def start(language: str, *answers: str) -> tuple[int, str]:
        args = [*PROGRAM[1:], "new", "-o", "mine.json"]
        env = environment({"TERM": "xterm", "ATTNCALC_LANG": language})
        child = pexpect.spawn(PROGRAM[0], args, env=env, timeout=SECONDS, dimensions=(24, 120))
        children.append(child)
        seen = b""
        for answer in answers:
            child.expect(PROMPT[language])
            seen += child.before + child.after
            child.send(answer.encode())
        child.expect(pexpect.EOF)
        seen += child.before
        child.close()
        return child.exitstatus, seen.decode().replace("\r\n", "\n")

    yield start
    for child in children:
        child.close(force=True)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_answer_is_asked_for_again(asked: Any, language: str) -> None:
    """With the reason, until it does; the scenario is written at the end."""
    code, seen = asked(language, "a b c\r", "x\r", "7\r", "2\r", "7\r", "no\r", "\r", "\r", "\r", "oops\r", "4\r")
    assert code == 0
    reason = {"en": "2 heads cannot share 7 numbers equally", "zh": "2 个头无法平分 7 个数"}[language]
    assert [line.startswith(reason) for line in seen.splitlines()].count(True) == 1
    assert seen.count("oops") == 2
    document = json.loads(Path("mine.json").read_text(encoding="utf-8"))
    assert (document["heads"], np.shape(document["x"])) == (7, (3, 7))
    assert run(load("mine.json"))["output"].values.shape == (3, 7)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("key", "code"), [("\x04", 2), ("\x03", 130)])
def test_leaving_writes_nothing(asked: Any, key: str, code: int, language: str) -> None:
    """Ctrl-D and Ctrl-C end politely, with a sentence; Ctrl-C with its own exit code."""
    words = {
        "en": "attncalc: ended before the last question; nothing is written\n",
        "zh": "attncalc: 还没答完就结束了；没有写出任何内容\n",
    }
    ended, seen = asked(language, "a b c\r", "q\r", key)
    assert (ended, seen.endswith(words[language])) == (code, True)
    assert os.listdir() == []


# --- arrays in files ------------------------------------------------------------------------------------


def arrays(**shapes: tuple[int, ...]) -> dict[str, Any]:
    """Arrays of small numbers."""
    random = np.random.default_rng(3)
    return {name: random.integers(-3, 4, shape).astype(np.float64) for name, shape in shapes.items()}


QKV = {"q": (3, 4), "k": (3, 4), "v": (3, 2)}
WHOLE = {"x": (3, 4), "w_q": (4, 6), "w_k": (4, 6), "w_v": (4, 6)}

FROM: list[tuple[dict[str, tuple[int, ...]], tuple[str, ...], dict[str, str], str]] = [
    # the arrays, options, which key each is used for, what is left aside
    (QKV, (), {"q": "q", "k": "k", "v": "v"}, ""),
    ({"Q": (3, 4), "K": (3, 4), "V": (3, 2)}, (), {"q": "Q", "k": "K", "v": "V"}, ""),
    ({"query": (3, 4), "keys": (3, 4), "Value": (3, 2)}, (), {"q": "query", "k": "keys", "v": "Value"}, ""),
    ({"Q": (3, 4)} | QKV | {"K": (3, 4)}, (), {"q": "q", "k": "k", "v": "v"}, "Q, K"),
    ({"Query": (3, 4), "Q": (3, 4), "k": (3, 4)}, (), {"q": "Query", "k": "k"}, "Q"),
    (QKV | {"weights": (3, 3), "out": (3, 2)}, (), {"q": "q", "k": "k", "v": "v"}, "weights, out"),
    (WHOLE, (), {name: name for name in WHOLE}, ""),
    ({"X": (3, 4), "wq": (4, 6), "WK": (4, 6), "W_V": (4, 6), "bq": (6,), "w_o": (6, 4)}, ("--heads", "2"),
     {"x": "X", "w_q": "wq", "w_k": "WK", "w_v": "W_V", "b_q": "bq", "w_o": "w_o"}, ""),
    (WHOLE | QKV, (), {name: name for name in WHOLE}, "q, k, v"),
    ({"x": (3, 4), "wq": (4, 6)} | QKV, (), {"q": "q", "k": "k", "v": "v"}, "x, wq"),
    ({"scores": (3, 3), "v": (3, 2)}, ("--set", "mask=causal"), {"scores": "scores", "v": "v"}, ""),
    ({"scores": (3, 3), "w_o": (2, 2)}, (), {"scores": "scores"}, "w_o"),
    ({"x": (3, 4), "b_o": (4,)}, (), {"x": "x"}, "b_o"),
    ({"query_states": (2, 3, 4), "key_states": (2, 3, 4), "other": (1,)},
     ("--map", "q=query_states", "--map", "k=key_states"), {"q": "query_states", "k": "key_states"}, "other"),
    (QKV | {"attn": (3, 3)}, ("--map", "scores=attn"), {"scores": "attn", "v": "v"}, "q, k"),
    (QKV | {"dv": (3, 2)}, ("--map", "v=dv"), {"q": "q", "k": "k", "v": "dv"}, "v"),
    (QKV | {"old_k": (2, 4), "old_v": (2, 2)}, ("--map", "past.k=old_k", "--map", "past.v=old_v"),
     {"q": "q", "k": "k", "v": "v", "past.k": "old_k", "past.v": "old_v"}, ""),
    (QKV | {"b": (3, 3)}, ("--map", "bias=b"), {"q": "q", "k": "k", "v": "v", "bias": "b"}, ""),
]  # fmt: skip


def references(document: dict[str, Any], before: str = "") -> dict[str, str]:
    """Which array each key refers to."""
    found: dict[str, str] = {}
    for key, value in document.items():
        if isinstance(value, dict) and "npz" in value:
            assert value["npz"] == "run.npz"
            found[before + key] = value["key"]
        elif isinstance(value, dict):
            found |= references(value, f"{before}{key}.")
    return found


@pytest.mark.parametrize(("shapes", "options", "wanted", "unused"), FROM)
def test_arrays_are_found_by_their_names(
    shapes: dict[str, tuple[int, ...]], options: tuple[str, ...], wanted: dict[str, str], unused: str
) -> None:
    """What the calculation starts from first is used, what --map names always; the rest is said to be left aside."""
    np.savez("run.npz", **arrays(**shapes))
    done = call("new", "--from", "run.npz", *options)
    assert done.code == 0
    assert references(json.loads(done.out)) == wanted
    assert done.err == (f"attncalc: not used: {unused}; --map KEY=NAME uses one\n" if unused else "")
    ran(done.out)


def test_what_is_made_calculates_with_the_arrays() -> None:
    """The numbers of `run` are those of NumPy."""
    given = arrays(**QKV)
    np.savez("run.npz", **given)
    scores = given["q"] @ given["k"].T / 2
    steps = ran(out("new", "--from", "run.npz"))
    weights = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert np.allclose(steps["context"], weights @ given["v"], atol=1e-12)


def test_safetensors_and_npy_files_are_read_too() -> None:
    """The array of an npy has the name of its file; several files make one scenario."""
    given = arrays(**QKV)
    np.savez("run.npz", **given)
    save_file(given, "run.safetensors")
    for name, values in given.items():
        np.save(f"{name}.npy", values)
    steps = [
        ran(out("new", *args))
        for args in (
            ("--from", "run.npz"), ("--from", "run.safetensors"),
            ("--from", "q.npy", "--from", "k.npy", "--from", "v.npy"),
        )
    ]  # fmt: skip
    assert all(np.array_equal(other["context"], steps[0]["context"]) for other in steps[1:])


def test_matrices_that_fit_only_the_other_way_are_taken_so() -> None:
    """As `nn.Linear` stores them, with a word; where they fit as they are, they stay."""
    given = arrays(x=(3, 4), w_q=(6, 4), w_k=(6, 4), w_v=(6, 4))
    np.savez("run.npz", **given)
    done = call("new", "--from", "run.npz")
    assert json.loads(done.out)["layout"] == "out_in"
    assert done.err.startswith("attncalc: the weight matrices fit only as nn.Linear stores them")
    assert np.allclose(ran(done.out)["q"], given["x"] @ given["w_q"].T)
    np.savez("run.npz", **arrays(x=(3, 4), w_q=(4, 4), w_k=(4, 4), w_v=(4, 4)))
    assert "layout" not in made("--from", "run.npz")


def test_the_reference_is_from_where_the_scenario_stands() -> None:
    """Whatever folder the program is called in."""
    Path("runs/deep").mkdir(parents=True)
    np.savez("runs/deep/run.npz", **arrays(**QKV))
    notices("new", "--from", "runs/deep/run.npz", "-o", "runs/mine.json")
    assert json.loads(Path("runs/mine.json").read_text(encoding="utf-8"))["q"] == {"npz": "deep/run.npz", "key": "q"}
    assert made("--from", "runs/../runs/deep/run.npz")["q"]["npz"] == "runs/deep/run.npz"
    out("run", "runs/mine.json")
    done = call("new", "--from", "runs/deep/run.npz", "-o", "runs/deep/../../runs/deep/mine.json")
    assert (done.code, json.loads(Path("runs/deep/mine.json").read_text(encoding="utf-8"))["k"]["npz"]) == (
        0,
        "run.npz",
    )


def test_arrays_of_a_real_run() -> None:
    """Those of published files, which hold much more than a scenario reads."""
    for file in (DATA / "grads.npz", DATA / "cross_3x5.npz", builtin.folder() / "causal_head_1337.npz"):
        Path(file.name).write_bytes(file.read_bytes())
    assert np.allclose(ran(call("new", "--from", "grads.npz").out)["weights"], np.load("grads.npz")["weights"])
    cross = call("new", "--from", "cross_3x5.npz", "--map", "x=x_query", "--map", "memory=x_context").out
    assert np.allclose(ran(cross)["q"], np.load("cross_3x5.npz")["q"])
    assert len(set(np.shape(ran(call("new", "--from", "causal_head_1337.npz").out)["context"]))) == 3


def _bad_files() -> None:
    np.savez("run.npz", **arrays(**QKV))
    np.savez("odd.npz", **arrays(a=(2, 2), b=(2, 2)))
    np.savez("wrong.npz", **arrays(q=(3, 4), k=(3, 5), v=(3, 2)))
    np.savez("objects.npz", scores=np.array([{}], dtype=object))
    np.savez("empty.npz")
    Path("broken.npz").write_bytes(b"PK no zip")
    Path("broken.safetensors").write_bytes(b"x")
    Path("broken.npy").write_text("1 2")
    np.save("cut.npy", np.zeros((2, 2)))
    Path("cut.npy").write_bytes(Path("cut.npy").read_bytes()[:-8])
    np.save("objects.npy", np.array([{}], dtype=object), allow_pickle=True)
    np.save("single.npy", np.zeros((2, 2)))
    Path("single.npy").rename("single.npz")
    Path("text.txt").write_text("1 2")
    Path("folder.npz").mkdir()
    Path("sub").mkdir()


BAD = [
    (("--from", "nothing.npz"), "nothing.npz: there is no such file"),
    (("--from", "nothing.npy"), "nothing.npy: there is no such file"),
    (("--from", "text.txt"), "text.txt: is not a file of arrays; known are .npy, .npz, .safetensors"),
    (("--from", "folder.npz"), "folder.npz: is a directory, and only plain files are read"),
    (("--from", "broken.npz"), "broken.npz: the file broken.npz is not a sound npz file: it does not begin as one\n"),
    (("--from", "broken.safetensors"),
     "broken.safetensors: the file broken.safetensors is not a sound safetensors file: it is cut short\n"),
    (("--from", "broken.npy"), "broken.npy: the file broken.npy is not a sound npy file: it does not begin as one\n"),
    (("--from", "cut.npy"), "cut.npy: the file cut.npy is not a sound npy file: it is cut short\n"),
    (("--from", "objects.npy"),
     "objects.npy: the file objects.npy is not a sound npy file: it holds Python objects, which are never read\n"),
    (("--from", "single.npz"), "single.npz: the file single.npz is not a sound npz file: it does not begin as one\n"),
    (("--from", "odd.npz"), "odd.npz: no array has the name of a starting point; there are a, b."),
    (("--from", "empty.npz"), "empty.npz: holds no arrays\n"),
    (("--from", "run.npz", "--from", "empty.npz"), "empty.npz: holds no arrays\n"),
    (("--from", "wrong.npz"), "wrong.npz: k: has rows of 5 numbers, but q has rows of 4"),
    (("--from", "objects.npz"),
     "objects.npz: scores: the file objects.npz is not a sound npz file: it holds Python objects, which are never read\n"),
    (("--from", "run.npz", "--from", "run.npz"), "run.npz: has an array q, as run.npz has; give one of them"),
    (("--from", "run.npz", "-o", "sub/mine.json"), "run.npz: lies outside "),
    (("--from", "run.npz", "--heads", "x"), f"--heads: x is not a whole number from 1 to {WIDEST}"),
    (("--from", "run.npz", "--heads", "3"), "run.npz: q: has rows of 4 numbers, which 3 heads cannot share out equally"),
    (("--from", "run.npz", "--set", "mask"), "--set mask: is not PATH=VALUE"),
    (("--from", "run.npz", "--set", "residual=x"), '--set residual=x: is "x"; wanted is true'),
    (("--from", "run.npz", "--set", "mask.window=0"), "--set mask.window=0: is 0; wanted is a whole number"),
    (("--from", "run.npz", "--set", "q.0.0=x", "--set", "mask=causal"), '--set q.0.0=x: is "x"; wanted is a number'),
    (("--from", "run.npz", "--set", "heads=3"), "run.npz: q: has rows of 4 numbers, which 3 heads cannot share out equally"),
    (("--from", "run.npz", "--map", "scores=q"), "run.npz: "),
    (("--from", "run.npz", "--map", "residual=v"), "run.npz: residual: nothing would read this"),
]  # fmt: skip


@pytest.mark.parametrize(("args", "said"), BAD)
def test_files_that_give_no_scenario_are_refused(args: tuple[str, ...], said: str) -> None:
    """Whatever the reader of a foreign format meets, it is a sentence, and nothing is written."""
    _bad_files()
    before = sorted(str(path) for path in Path().rglob("*"))
    done = call("new", *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"attncalc: {said}")
    assert sorted(str(path) for path in Path().rglob("*")) == before


HALF = [
    # the arrays, options, those that are there, those missing, the key of the advice
    ({"q": (3, 4), "v": (3, 2)}, (), "q", "k", "k"),
    ({"Keys": (3, 4)}, (), "Keys", "q", "q"),
    ({"queries_of_a_run": (3, 4)}, ("--map", "q=queries_of_a_run"), "queries_of_a_run", "k", "k"),
    ({"embedding": (3, 4)}, (), "embedding", "ids", "ids"),
    ({"w_q": (4, 4), "wk": (4, 4)}, (), "w_q, wk", "x, w_v", "x"),
]  # fmt: skip


@pytest.mark.parametrize(("shapes", "options", "found", "missing", "key"), HALF)
def test_half_of_a_start_is_told_what_is_missing(
    shapes: dict[str, tuple[int, ...]], options: tuple[str, ...], found: str, missing: str, key: str
) -> None:
    """What is there, what belongs beside it, and the two ways to give it."""
    np.savez("run.npz", **arrays(**shapes))
    known = ", ".join(shapes)
    wanted = {
        "en": f"starting from {found} also takes {missing}, missing here; there are {known}. "
        f"Say which array it is, --map {key}=NAME, or give its file with another --from",
        "zh": f"从 {found} 起算，还需要 {missing}，这里没有；可用的有 {known}。"
        f"请用 --map {key}=NAME 指明是哪一个，或者再用一个 --from 给出它所在的文件",
    }
    for language in LANGUAGES:
        done = call("new", "--from", "run.npz", *options, language=language)
        assert (done.code, done.out, done.err) == (2, "", f"attncalc: run.npz: {wanted[language]}\n")


def test_a_file_without_arrays_is_said_to_have_none() -> None:
    """An empty archive, one of other files, a safetensors without tensors."""
    np.savez("empty.npz")
    with zipfile.ZipFile("texts.npz", "w") as archive:
        archive.writestr("read.me", "text")
    save_file({}, "empty.safetensors")
    for name in ("empty.npz", "texts.npz", "empty.safetensors"):
        assert call("new", "--from", name).err == f"attncalc: {name}: holds no arrays\n"
        assert call("new", "--from", name, language="zh").err == f"attncalc: {name}: 里面没有数组\n"


def test_names_of_arrays_are_shown_safely() -> None:
    """A name in a foreign file may hold what a terminal obeys."""
    names = [f"a{number}{token}" for number, token in enumerate(TOKENS) if "\0" not in token]
    save_file({"scores": np.zeros((2, 2)), **{name: np.zeros(1) for name in names}}, "run.safetensors")
    done = call("new", "--from", "run.safetensors")
    assert done.code == 0
    assert unsafe(done.err.replace("\n", "")) == []
    assert flat(json.loads(done.out)["scores"]["key"]) == ["scores"]
