"""A quiz as a dialogue of lines: each is an answer or a command."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attncalc.document.blocks import Block, Prose
from attncalc.document.findings import together
from attncalc.document.quiz_task import question, table_again, task
from attncalc.document.quizzing import hinted, judged, skipped, so_far
from attncalc.document.view import View
from attncalc.errors import AttncalcError, Fault, UsageError, nearest, shortened
from attncalc.practice.quiz_state import RIGHT_ANSWERS, State, answer, go_on, go_on_short, hint, skip


class Reply(NamedTuple):
    """What a line leads to: where the quiz stands then, what is said, whether it is left."""

    state: State
    blocks: list[Block]
    left: bool = False


Act = Callable[[State, View], Reply]


class Command(NamedTuple):
    """A command: its name, the words for it in every language, and what it does."""

    name: str
    words: tuple[str, ...]
    act: Act


def _hint(state: State, view: View) -> Reply:
    return _next(state, hint(state), list(hinted(state, view)), view)


def _skip(state: State, view: View) -> Reply:
    return _next(state, skip(state), list(skipped(state, view)), view)


def _mine(state: State, view: View) -> Reply:
    return _next(state, go_on(state), [Prose(view.say("quiz-mine"))], view)


def _show(state: State, view: View) -> Reply:
    return Reply(state, [*task(state.quiz, view), *_here(state, view)])


def _here(state: State, view: View) -> list[Block]:
    """What was answered so far, and the question with every number that it needs."""
    tried = state.hints or state.answers
    before = [Prose(view.say("quiz-here", hints=state.hints, wrong=len(state.answers)))] if tried else []
    return [*so_far(state, view), *question(state, view, again=True), *before]


def _help(state: State, view: View) -> Reply:
    say = view.say
    return Reply(
        state, [Prose(say(f"quiz-do.{row.name}"), say(f"quiz-word.{row.name}")) for row in COMMANDS]
    )  # fmt: skip


def _quit(state: State, view: View) -> Reply:
    return Reply(state, [], left=True)


COMMANDS: tuple[Command, ...] = (
    Command("hint", ("hint", "h", "i don't know", "i dont know", "don't know", "提示", "不会", "不知道"), _hint),
    Command(
        "skip",
        ("skip", "s", "next", "answer", "give up", "i give up", "跳过", "下一题", "答案", "看答案", "放弃"),
        _skip,
    ),
    Command("mine", ("mine", "m", "我的", "沿用"), _mine),
    Command("show", ("show", "题目", "显示"), _show),
    Command("help", ("help", "?", "帮助"), _help),
    Command("quit", ("quit", "q", "exit", "bye", "退出", "离开", "再见"), _quit),
)
BY_WORD = {word: command for command in COMMANDS for word in command.words}
DIGIT = re.compile(r"\d")
LETTERS = re.compile(r"[^\W\d_]{2,}")
"""A word that can be no number."""
NUMBERS_IN_LETTERS = {"inf", "infinity", "nan"}


def greeting(state: State, view: View, paper: bool = False) -> list[Block]:
    """The task, how to answer (where that is not done already, on paper), and the question at hand."""
    quiz = state.quiz
    if paper:
        return [*task(quiz, view), *_here(state, view)]
    count, places = len(quiz.questions), quiz.places
    texts = [view.say("quiz-count-of", count=count), view.say("quiz-intro", places=places)]
    if any(any(asked.hidden) for asked in quiz.questions):
        texts.append(view.say("quiz-intro-hidden"))
    lines = [Prose(together(texts, view)), Prose(view.say("quiz-commands"))]
    return [*task(quiz, view), *lines, *_here(state, view)]


def reply(state: State, line: str, view: View) -> Reply:
    """The reply to a line; a UsageError where it is neither an answer nor a command, and then it counts as nothing."""
    text = line.strip()
    if not text:
        return Reply(state, [])
    if found_command := _command(text):
        return found_command.act(state, view)
    if name := _table_named(text):
        return Reply(state, table_again(state, name, view))
    _refuse_words(text)
    found = answer(state, text)
    blocks = list(judged(state, found, view))
    if not found.accepted:
        blocks.append(Prose(view.say("quiz-again")))
    return _next(state, found.state, blocks, view)


def _as_words(text: str) -> str:
    """A line as commands are spelled."""
    plain = text.lower().replace("’", "'").replace("？", "?")
    return " ".join(plain.split()).rstrip(".!。！")


def _command(text: str) -> Command | None:
    return BY_WORD.get(_as_words(text))


def _table_named(text: str) -> str:
    """`x` of `show x`; nothing where a line is not that."""
    first, _, name = _as_words(text).partition(" ")
    command = BY_WORD.get(first)
    return name if command is not None and command.name == "show" else ""


def _refuse_words(text: str) -> None:
    """Refuses a line of words without a number, which is meant as a command."""
    words = set(LETTERS.findall(text.lower()))
    if words - NUMBERS_IN_LETTERS and not DIGIT.search(text):
        raise UsageError.of("quiz-no-word", found=shortened(text), near=nearest(_as_words(text), BY_WORD))


def _next(before: State, after: State, blocks: Sequence[Block], view: View) -> Reply:
    """The reply with the next question, where the one at hand is behind."""
    following = question(after, view) if len(after.done) > len(before.done) else ()
    return Reply(after, [*blocks, *following])


# --- an answer sheet ------------------------------------------------------------------------------


class Sheet(NamedTuple):
    """What the lines of an answer sheet lead to: where the quiz stands then, and each line with what is said to it."""

    state: State
    told: tuple[tuple[str, list[Block]], ...]


def sheet(state: State, lines: Iterable[tuple[int, str]], name: str, view: View) -> Sheet:
    """The replies to numbered lines, one for each question: a wrong answer stands, and later ones are judged from it.

    Raises a UsageError that names every line that is neither an answer nor a command.
    """
    told: list[tuple[str, list[Block]]] = []
    faults: list[Fault] = []
    for number, line in lines:
        try:
            if state.question is None:
                raise UsageError.of("quiz-too-many", count=len(state.quiz.questions))
            found = _on_paper(state, line, view)
        except AttncalcError as error:
            faults += [fault._replace(place=f"{name}:{number}") for fault in error.faults]
            state = skip(state) if state.question is not None else state
            continue
        told.append((line, found.blocks))
        state = found.state
        if found.left:
            break
    if faults:
        raise UsageError(faults)
    return Sheet(state, tuple(told))


def _on_paper(state: State, line: str, view: View) -> Reply:
    """The reply to a line of a sheet, on which nobody can try again."""
    command = _command(line)
    if command is not None and command.name == "mine" and _stands(state):
        return Reply(state, [])
    if command is not None:
        return command.act(state, view)
    _refuse_words(line)
    found = answer(state, line)
    blocks = list(judged(state, found, view))
    if found.short:
        return _next(state, go_on_short(state, line), blocks, view)
    if found.accepted:
        return _next(state, found.state, blocks, view)
    return _next(state, go_on(found.state), blocks, view)


def _stands(state: State) -> bool:
    """Whether the answer before was wrong, and later ones are judged from it anyway."""
    return bool(state.done) and state.done[-1].outcome not in RIGHT_ANSWERS
