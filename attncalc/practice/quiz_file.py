"""A quiz in a file: which quiz it is, and how far one has come, so that it can go on from there.

The file holds the scenario as it was read and what was typed, in no language. What it says is checked as any input is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from attncalc.core.figures import Literal
from attncalc.core.names import MOST_PLACES
from attncalc.core.stage import Row
from attncalc.errors import AttncalcError, UsageError
from attncalc.messages import catalogue
from attncalc.practice.quiz import Question, Quiz, quiz_of, right_trace
from attncalc.practice.quiz_answers import answered
from attncalc.practice.quiz_state import MOST_HINTS, OUTCOMES, SHOWN, SKIPPED, WRONG_ANSWERS, Done, State
from attncalc.practice.recipes import LEVELS
from attncalc.practice.scenario_questions import MOST_SEED
from attncalc.practice.working_out import within_reason
from attncalc.scenario_files.folding import changed
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.json_writing import written
from attncalc.scenario_files.sources import Source

FORMAT = "attncalc-quiz/1"
MOST_LINES = 10_000


class Setting(NamedTuple):
    """Which quiz it is: the scenario as it was read, what was changed in it, the row, the places, the only steps.

    `level` and `seed` are those of a random scenario.
    """

    name: str
    document: Mapping[str, Any]
    changes: tuple[str, ...]
    shift: bool | None
    row: Row
    places: int
    steps: tuple[str, ...] = ()
    level: int | None = None
    seed: int | None = None

    def same(self, other: Setting) -> bool:
        """Whether another quiz asks the same; how the scenario was called does not matter."""
        ours, theirs = ((written(s.document), s.changes, s.shift, s.row, s.places, s.steps) for s in (self, other))
        return ours == theirs


def quiz_in(setting: Setting, source: Source) -> Quiz:
    """The quiz of a setting; the source is its document, and where its arrays are."""
    changed_source = changed(source._replace(document=setting.document), setting.changes)
    trace = right_trace(changed_source, {"places": str(setting.places), "shift": setting.shift})
    if any(place >= count for place, count in zip(setting.row, trace.scenario.grid, strict=False)):
        raise UsageError.of("quiz-file-broken", f"{source.name}: query")
    return quiz_of(trace, setting.row, setting.steps)


# --- writing --------------------------------------------------------------------------------------


def as_text(setting: Setting, state: State) -> str:
    """The text of the file."""
    here = {"answers": list(state.answers), "hints": state.hints, "mistakes": list(state.mistakes)}
    document = {
        "format": FORMAT, "name": setting.name, "scenario": setting.document, "changes": list(setting.changes),
        "shift": setting.shift, "batch": setting.row.batch, "head": setting.row.head, "query": setting.row.query,
        "places": setting.places, "steps": list(setting.steps), "level": setting.level, "seed": setting.seed,
        "done": [_done_as_value(done) for done in state.done],
        "now": {**here, "outcome": state.verdict or None},
    }  # fmt: skip
    return written(document, 2) + "\n"


def _done_as_value(done: Done) -> dict[str, Any]:
    return {
        "step": done.step, "outcome": done.outcome, "answers": list(done.answers), "hints": done.hints,
        "mistakes": list(done.mistakes),
    }  # fmt: skip


# --- reading --------------------------------------------------------------------------------------


class Saved(NamedTuple):
    """What a file says, its form checked: the quiz, and what is to be checked against its questions."""

    setting: Setting
    done: list[dict[str, Any]]
    now: dict[str, Any]


def saved(data: bytes, name: str) -> Saved:
    """The quiz that a file holds; a UsageError where it is none, or not as this program writes them."""
    document = parse(data, name)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError.of("quiz-file-foreign", name, format=FORMAT)
    _check(document, FIELDS, name, "")
    for number, done in enumerate(document["done"]):
        _check(done, DONE, name, f"done[{number}].")
    _check(document["now"], NOW, name, "now.")
    row = Row(*(int(document[axis]) for axis in ("batch", "head", "query")))
    level, seed = (None if document[key] is None else int(document[key]) for key in ("level", "seed"))
    setting = Setting(
        document["name"], document["scenario"], tuple(document["changes"]), document["shift"], row,
        int(document["places"]), tuple(document["steps"]), level, seed,
    )  # fmt: skip
    return Saved(setting, document["done"], document["now"])


@within_reason()
def state_in(found: Saved, quiz: Quiz, name: str) -> State:
    """The state that a file says; a UsageError where it does not go with the questions."""
    if len(found.done) > len(quiz.questions):
        raise UsageError.of("quiz-file-broken", f"{name}: done")
    pairs = enumerate(zip(quiz.questions, found.done, strict=False))
    done = tuple(_done_of(quiz, question, value, f"{name}: done[{number}]") for number, (question, value) in pairs)
    state = State(quiz, done)
    if state.question is None:
        return state
    now = found.now
    answers = _lines(quiz, state.question, now["answers"], f"{name}: now")
    if bool(answers) != (now["outcome"] in WRONG_ANSWERS) or int(now["hints"]) == MOST_HINTS:
        raise UsageError.of("quiz-file-broken", f"{name}: now")
    return State(quiz, done, answers, int(now["hints"]), tuple(now["mistakes"]), now["outcome"] or "")


def _done_of(quiz: Quiz, question: Question, value: Mapping[str, Any], place: str) -> Done:
    answers = _lines(quiz, question, value["answers"], place)
    outcome, hints = value["outcome"], int(value["hints"])
    answerless = outcome not in (SKIPPED, SHOWN) and not answers
    if value["step"] != question.step or answerless or (outcome == SHOWN) != (hints == MOST_HINTS):
        raise UsageError.of("quiz-file-broken", place)
    return Done(question.step, outcome, answers, hints, tuple(value["mistakes"]))


def _lines(quiz: Quiz, question: Question, lines: list[str], place: str) -> tuple[str, ...]:
    """The lines that were typed, if each is an answer to the question."""
    try:
        for line in lines:
            answered(quiz, question, line)
    except AttncalcError:
        raise UsageError.of("quiz-file-broken", place) from None
    return tuple(lines)


Holds = Callable[[Any], bool]


def _whole(most: int) -> Holds:
    return lambda value: isinstance(value, Literal) and value.text.isdigit() and 0 <= value <= most


def _texts(known: Holds = lambda text: True) -> Holds:
    return lambda value: (
        isinstance(value, list) and len(value) <= MOST_LINES
        and all(isinstance(text, str) and known(text) for text in value)
    )  # fmt: skip


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_mistake(text: str) -> bool:
    return f"mistake.{text}" in catalogue("en")


def _or_none(holds: Holds) -> Holds:
    return lambda value: value is None or holds(value)


NOW: dict[str, Holds] = {
    "answers": _texts(), "hints": _whole(MOST_HINTS), "mistakes": _texts(_is_mistake),
    "outcome": _or_none(lambda value: value in OUTCOMES),
}  # fmt: skip
DONE: dict[str, Holds] = {**NOW, "step": _is_text, "outcome": lambda value: value in OUTCOMES}
INDEX = _whole(1_000_000)
FIELDS: dict[str, Holds] = {
    "name": _is_text, "scenario": lambda value: isinstance(value, dict),
    "changes": _texts(), "shift": lambda value: value is None or isinstance(value, bool),
    "batch": INDEX, "head": INDEX, "query": INDEX, "places": _whole(MOST_PLACES), "steps": _texts(),
    "level": _or_none(_whole(len(LEVELS))), "seed": _or_none(_whole(MOST_SEED)),
    "done": lambda value: isinstance(value, list), "now": lambda value: isinstance(value, dict),
}  # fmt: skip
"""What each key of the file may hold."""


def _check(value: Any, fields: Mapping[str, Holds], name: str, path: str) -> None:
    """Refuses an object in which a key is missing or holds something else."""
    if not isinstance(value, dict):
        raise UsageError.of("quiz-file-broken", f"{name}: {path.rstrip('.')}")
    for key in _broken(value, fields):
        raise UsageError.of("quiz-file-broken", f"{name}: {path}{key}")


def _broken(value: Mapping[str, Any], fields: Mapping[str, Holds]) -> Iterator[str]:
    return (key for key, holds in fields.items() if key not in value or not holds(value[key]))
