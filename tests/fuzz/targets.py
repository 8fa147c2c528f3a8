"""What is fuzzed: one row a reader, how bytes become its input, where they start, how they are changed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypeVar
from zlib import crc32

import numpy as np
from hostile import keys_document, queries_document
from rivals.random_options import documents
from rivals.random_scenarios import as_json
from samples import DRAW

from attncalc import load, run
from attncalc.core.labels import WORD, known, places_named
from attncalc.core.stage import Row, Trace
from attncalc.errors import AttncalcError
from attncalc.explore.cells import cell_name, find_cell
from attncalc.explore.values import decimal_of
from attncalc.practice.answer_files import kind_of, read_answers
from attncalc.practice.answer_texts import from_text
from attncalc.practice.answered import Answered
from attncalc.practice.diagnose import diagnose
from attncalc.practice.judging import as_asked
from attncalc.practice.numbers_typed import number_said, row_typed, typed, unlabelled
from attncalc.practice.quiz import Quiz, quiz_of
from attncalc.practice.quiz_answers import answered
from attncalc.practice.quiz_file import Setting, as_text, quiz_in, saved, state_in
from attncalc.practice.quiz_state import State
from attncalc.renderers.check_json import as_document
from attncalc.scenario_files import builtin
from attncalc.scenario_files.array_files import load_array
from attncalc.scenario_files.edits import edited, segments_of, value_at, value_of
from attncalc.scenario_files.json_text import parse, written
from attncalc.scenario_files.load import scenario_of
from attncalc.scenario_files.opened_arrays import NotRead, opened
from attncalc.scenario_files.sources import Source

from .array_seeds import arrays_changed, npy, npz
from .array_seeds import seeds as array_seeds
from .judging import Lie, check_refusal, must
from .lies import check_number, check_scenario
from .mutating import Mutate, bytes_changed, crossed, json_changed, text_changed, text_of

NAME = "scenario.json"
CORPUS = Path(__file__).parent / "corpus"
Chosen = TypeVar("Chosen")

ONE_IN = 32
"""Of the answers that are accepted, one in so many is judged as `check` does."""


class Target(NamedTuple):
    """A reader: what it makes of bytes, the changes that go with it, the seeds besides those of the corpus."""

    name: str
    run: Callable[[bytes], None]
    mutate: Mutate
    more: Callable[[], Iterable[bytes]] = tuple

    def seeds(self) -> list[bytes]:
        """What is changed: the files of its corpus first."""
        files = sorted((CORPUS / self.name).glob("*"))
        return [*(seed for path in files for seed in _seeds_in(path)), *self.more()]


def _seeds_in(path: Path) -> list[bytes]:
    """A file is a seed; one of `.lines` has a seed in each line, as a JSON string."""
    data = path.read_bytes()
    if path.suffix != ".lines":
        return [data]
    return [json.loads(line).encode("utf-8", "surrogatepass") for line in data.splitlines()]


# --- what inputs are put to -----------------------------------------------------------------------


@cache
def small_scenarios() -> tuple[bytes, ...]:
    """Scenarios over all the options: built-in ones and random ones."""
    texts = [path.read_bytes() for path in sorted(builtin.folder().glob("*.json")) if path.stat().st_size < 2600]
    return (*texts, *(as_json(document).encode() for document in documents(5, 120)))


@cache
def traces() -> tuple[Trace, ...]:
    """One with words, one with heads and repeated labels, two with labels that a terminal would obey."""
    hostile = [parse(make(), NAME) for make in (keys_document, queries_document)]
    plain = [run(load(name)) for name in ("draw", "grouped", "gpt2-block")]
    return (*plain, *(run(scenario_of(document, NAME)) for document in hostile))


def _lot(choices: Sequence[Chosen], data: bytes) -> Chosen:
    """One of several things that an input may be put to, the same for the same input."""
    return choices[crc32(data) % len(choices)]


def attempt(function: Callable[..., Any], *args: Any) -> Any:
    """The result, or None after a refusal that is as it should be."""
    try:
        return function(*args)
    except AttncalcError as error:
        check_refusal(error)
        return None


# --- scenarios ------------------------------------------------------------------------------------


def _json(data: bytes) -> None:
    value = parse(data, NAME)
    try:
        json.loads(data.decode("utf-8-sig"), parse_int=str)
    except ValueError as error:
        raise Lie(f"no JSON was read as JSON: {error}") from None
    text = written(value)
    must(written(parse(text.encode("utf-8", "surrogatepass"), NAME)) == text, "JSON written is read as another", text)


def _scenario(data: bytes) -> None:
    document = parse(data, NAME)
    check_scenario(document, scenario_of(document, NAME, folder=builtin.folder()), data)


def _scenario_changed(data: bytes, random: Random) -> bytes:
    return json_changed(crossed(data, small_scenarios(), random) if random.random() < 0.3 else data, random)


def _set(data: bytes) -> None:
    change = text_of(data)
    for document in _editable():
        before = written(document)
        result = attempt(edited, document, [change])
        must(written(document) == before, "a change is made in the document it was made from", change)
        if result is not None:
            _check_set(result, change)
            attempt(scenario_of, result, NAME)


def _check_set(document: Any, change: str) -> None:
    """What was put in stands there."""
    _, end = segments_of(change)
    value = value_of(change[end + 1 :])
    if change[end + 1 :]:
        found = value_at(document, change[:end])
        must(found == value or found is value, "what was set is not there", f"{change!r} {found!r}")


@cache
def _editable() -> tuple[Any, ...]:
    heads = {"q": [[[1, 2]], [[3, 4]]], "k": [[[1, 2]], [[3, 4]]], "tokens": ["the"], "mask": {"causal": True}}
    return tuple(parse(json.dumps(document).encode(), NAME) for document in (DRAW, heads))


# --- cells and numbers ----------------------------------------------------------------------------


def _cell(data: bytes) -> None:
    text = text_of(data)
    trace = _lot(traces(), data)
    for words in (WORD.findall(text), [text]):
        cell = attempt(find_cell, trace, words, 0, 0)
        if cell is not None:
            said = cell_name(trace, cell)
            must(find_cell(trace, WORD.findall(said)) == cell, "a cell's name means another", f"{text!r} {said!r}")
    labels = traces()[3].scenario.tokens
    must(len(places_named(labels, text)) <= len(labels), "more places than labels")
    known(labels)


def _number(data: bytes) -> None:
    text = text_of(data)
    if (number := typed(text)) is not None:
        check_number(text, number)
    from attncalc.practice.arithmetic_typed import NoNumber

    try:
        number_said(text)
    except NoNumber as wrong:
        attempt_word(wrong.code)
    attempt(row_typed, text, "row")
    attempt(decimal_of, text, "FROM")
    attempt(row_typed, unlabelled(text, ["I", "like", "to", "draw", "the", "the"]), "row")


def attempt_word(code: str) -> None:
    """The words for what is wanted are in both catalogues."""
    from attncalc.messages import LANGUAGES, catalogue

    must(all(catalogue(language).get(code) for language in LANGUAGES), "no words for what is wanted", code)


# --- answers --------------------------------------------------------------------------------------


def _answers(data: bytes) -> None:
    file = _scratch() / "answers"
    file.write_bytes(data)
    trace = _lot(traces()[:2], data)
    for step in (None, "weights", "context"):
        _judge(trace, attempt(read_answers, trace, str(file), step), data)


def _typed_answers(data: bytes) -> None:
    trace = _lot(traces()[:2], data)
    _judge(trace, attempt(from_text, trace, [text_of(data)]), data)


def _judge(trace: Trace, answers: Sequence[Answered] | None, data: bytes) -> None:
    """Answers that were read can be judged, and the verdict written."""
    if not answers or crc32(data) % ONE_IN:
        return
    from attncalc.document.view import view_in

    found = attempt(diagnose, as_asked(trace, answers), answers)
    if found is not None:
        for language in ("en", "zh"):
            must(json.dumps(as_document(found, view_in(language, "json")), default=str), "no verdict")


@cache
def _scratch() -> Path:
    """A folder that goes with the process."""
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="attncalc-fuzz-")
    _KEPT.append(folder)
    return Path(folder.name)


_KEPT: list[Any] = []


def _answer_seeds() -> list[bytes]:
    weights = np.array([[0.62, 0.12, 0.19, 0.08]])
    return [npy(weights), npz(weights=weights, context=np.ones((1, 3))), array_seeds()[-2]]


def _answers_changed(data: bytes, random: Random) -> bytes:
    if data[:1] in b"{[":
        return json_changed(data, random)
    if data[:6] == b"\x93NUMPY" or data[:2] == b"PK":
        return arrays_changed(data, random)
    return (text_changed if random.random() < 0.8 else bytes_changed)(data, random)


@cache
def _quizzes() -> tuple[Quiz, ...]:
    return tuple(quiz_of(trace, Row(0, 0, trace.scenario.queries[0])) for trace in (traces()[0], traces()[1]))


def _quiz_line(data: bytes) -> None:
    quiz = _lot(_quizzes(), data)
    attempt(answered, quiz, _lot(quiz.questions, data[1:]), text_of(data))


def _resume(data: bytes) -> None:
    found = saved(data, "quiz.json")
    quiz = quiz_in(found.setting, Source("quiz.json", builtin.folder(), found.setting.document))
    state = state_in(found, quiz, "quiz.json")
    text = as_text(found.setting, state)
    again = saved(text.encode("utf-8", "surrogatepass"), "quiz.json")
    must(as_text(again.setting, state_in(again, quiz, "quiz.json")) == text, "a quiz read back is another")


def _resume_seeds() -> list[bytes]:
    source = Source("draw", builtin.folder(), parse(json.dumps(DRAW).encode(), "draw"))
    setting = Setting("draw", source.document, ("scale=none",), None, Row(0, 0, 0), 2)
    return [as_text(setting, State(quiz_in(setting, source), ())).encode()]


# --- arrays in files ------------------------------------------------------------------------------


def _arrays(data: bytes) -> None:
    kind = kind_of(data) if kind_of(data) in ("npy", "npz", "safetensors") else "npy"
    name = f"array.{kind}"
    (_scratch() / name).write_bytes(data)
    keys: Sequence[str] = ("weights",)
    try:
        file = opened(kind, io.BytesIO(data))
        keys = file.keys
    except NotRead:
        pass
    for key in keys[:3]:
        reference = {kind: name, **({} if kind == "npy" else {"key": key})}
        values = attempt(load_array, reference, _scratch(), "q")
        if values is not None:
            must(values.dtype == np.float64 and values.size <= 8 * len(data) + 64, "an array larger than its file")


# --- the table ------------------------------------------------------------------------------------

TARGETS: tuple[Target, ...] = (
    Target("json", _json, json_changed, small_scenarios),
    Target("scenario", _scenario, _scenario_changed, small_scenarios),
    Target("set", _set, text_changed),
    Target("cell", _cell, text_changed),
    Target("number", _number, text_changed),
    Target("answers", _answers, _answers_changed, _answer_seeds),
    Target("typed-answers", _typed_answers, text_changed),
    Target("quiz-line", _quiz_line, text_changed),
    Target("resume", _resume, json_changed, _resume_seeds),
    Target("arrays", _arrays, arrays_changed, array_seeds),
)
"""Every reader of what strangers write; whole command lines are in `commands`."""
