"""The questions from whose answers a scenario is made: a table in the order in which they are asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from attncalc.core.figures import Literal
from attncalc.core.labels import WHOLE, unquoted
from attncalc.errors import UsageError, nearest, shortened
from attncalc.practice.generator import parts, random_document
from attncalc.practice.recipes import Recipe, coincident_sizes, shapes
from attncalc.scenario_files.kinds import is_number

Answers = dict[str, Any]

MOST_TOKENS = 128
WIDEST = 512
MOST_SEED = 999_999_999

NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
BETWEEN = re.compile(r"[\s,;，；、]+")
CHINESE = {
    "是": "yes", "否": "no", "分数": "scores", "查询": "q", "一个": "one", "所有": "all",
    "随机": "random", "输入": "type",
}  # fmt: skip
"""Words that stand beside the answers in the Chinese questions."""


class Question(NamedTuple):
    """One question: its name, how an answer is read, what an empty answer means, and when it is asked at all.

    Its sentence is the message `new-ask-NAME`; reading raises a UsageError that says why an answer does not do.
    """

    name: str
    read: Callable[[Answers, str], Any]
    default: Callable[[Answers], str]
    asked: Callable[[Answers], bool] = lambda answers: True


def whole(least: int, most: int) -> Callable[[Answers, str], int]:
    """Reads a whole number in a range."""

    def read(answers: Answers, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10 and least <= int(text) <= most):
            raise UsageError.of("not-a-whole-number", found=shortened(text), least=least, most=most)
        return int(text)

    return read


def one_of(*words: str) -> Callable[[Answers, str], str]:
    """Reads one of some words, or its beginning."""

    def read(answers: Answers, text: str) -> str:
        meant = CHINESE.get(text, text.lower())
        begun = [word for word in words if word.startswith(meant)]
        if len(begun) != 1:
            fields = {"known": ", ".join(words), "near": nearest(text, words)}
            raise UsageError.of("new-choice", found=shortened(text), **fields)
        return begun[0]

    return read


def yes_or_no(answers: Answers, text: str) -> bool:
    """Reads yes or no, or the first letter."""
    return one_of("yes", "no")(answers, text) == "yes"


def _tokens(answers: Answers, text: str) -> list[str]:
    words = [unquoted(word) for word in WHOLE.findall(text)]
    if len(words) > MOST_TOKENS:
        raise UsageError.of("new-too-many", found=len(words), most=MOST_TOKENS)
    return words


def _heads(answers: Answers, text: str) -> int:
    return shared(whole(1, WIDEST)(answers, text), answers["d_model"])


def shared(heads: int, width: int) -> int:
    """The number of heads if they can share the width, else a UsageError that says which can."""
    if width % heads:
        legal = ", ".join(str(n) for n in range(1, width + 1) if width % n == 0)
        raise UsageError.of("new-heads-divide", found=heads, width=width, legal=legal)
    return heads


def _width(answers: Answers) -> str:
    """A width whose divisors are all different numbers beside that many tokens."""
    recipes = (Recipe("q", len(answers["tokens"]), d_k=width, d_v=width) for width in range(2, 9))
    return str(next(recipe.d_k for recipe in recipes if not coincident_sizes(recipe)))


def _starts(*names: str) -> Callable[[Answers], bool]:
    return lambda answers: answers["start"] in names


def _always(text: str) -> Callable[[Answers], str]:
    return lambda answers: text


QUESTIONS: tuple[Question, ...] = (
    Question("tokens", _tokens, _always("I like to draw")),
    Question("start", one_of("scores", "q", "x"), _always("q")),
    Question("rows", one_of("one", "all"), _always("one"), _starts("scores")),
    Question("d_v", whole(1, WIDEST), _always("3"), _starts("scores")),
    Question("d_k", whole(1, WIDEST), _width, _starts("q")),
    Question("d_model", whole(1, WIDEST), _always("6"), _starts("x")),
    Question("heads", _heads, lambda a: "2" if a["d_model"] % 2 == 0 else "1", _starts("x")),
    Question("causal", yes_or_no, _always("yes"), lambda a: a.get("rows") != "one"),
    Question("w_o", yes_or_no, _always("yes"), _starts("x")),
    Question("residual", yes_or_no, lambda a: "yes" if a["start"] == "x" else "no"),
    Question("fill", one_of("random", "type"), _always("random")),
    Question("seed", whole(0, MOST_SEED), _always("1"), lambda a: a["fill"] == "random"),
)


def recipe_of(answers: Answers) -> Recipe:
    """What the answers ask for."""
    heads = answers.get("heads", 1)
    width = answers.get("d_k", answers.get("d_model", 0) // heads)
    return Recipe(
        answers["start"], len(answers["tokens"]), answers.get("d_model", 0), heads, width,
        d_v=answers.get("d_v", width), one_row=answers.get("rows") == "one", causal=answers.get("causal", False),
        w_o=answers.get("w_o", False), residual=answers["residual"],
    )  # fmt: skip


class Row(NamedTuple):
    """A row of numbers to type: where it will stand, and how many there are."""

    array: str
    path: str
    length: int


def rows_to_type(recipe: Recipe, tokens: Sequence[str]) -> Iterator[Row]:
    """Every row of every array, in order; those of tokens under their labels."""
    for name, shape in shapes(recipe).items():
        if len(shape) == 1:
            yield Row(name, name, shape[0])
            continue
        labels = [str(row) for row in range(shape[0])] if name.startswith("w_") else tokens
        yield from (Row(name, f"{name}.{label}", shape[1]) for label in labels)


def numbers_in(count: int, text: str) -> list[Literal]:
    """The numbers of a row as they are typed, with blanks or commas between them."""
    words = [word for word in BETWEEN.split(text) if word]
    numbers = [_number(word) for word in words]
    if len(numbers) != count:
        raise UsageError.of("numbers-wanted", found=len(numbers), count=count)
    return numbers


def _number(word: str) -> Literal:
    plain = re.sub(r"^(-?)\.", r"\g<1>0.", word.replace("−", "-").removeprefix("+"))
    if not NUMBER.fullmatch(plain):
        raise UsageError.of("not-a-number", found=shortened(word))
    number = Literal(plain)
    is_number(number, "", _refuse)
    return number


def _refuse(path: str, code: str, **fields: Any) -> None:
    raise UsageError.of(code, **fields)


def document_of(answers: Answers, typed: Mapping[str, Any]) -> dict[str, Any]:
    """The scenario of the answers, with the arrays that were typed, or random ones."""
    recipe, tokens = recipe_of(answers), {"tokens": answers["tokens"]}
    if answers["fill"] == "type":
        return tokens | parts(recipe, typed)
    made = random_document(recipe, answers["seed"])
    kept = {name: made[name] for name in parts(recipe, shapes(recipe))}
    return {"made_up": True, **tokens, **kept}
