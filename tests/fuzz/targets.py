"""What is fuzzed: one row a reader, how bytes become its input, where they start, how they are changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from . import of_answers, of_scenarios, of_walks
from .array_seeds import arrays_changed
from .array_seeds import seeds as array_seeds
from .mutating import Mutate, json_changed, text_changed
from .shared import small_scenarios

CORPUS = Path(__file__).parent / "corpus"


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


TARGETS: tuple[Target, ...] = (
    Target("json", of_scenarios.read_json, json_changed, small_scenarios),
    Target("scenario", of_scenarios.read_scenario, of_scenarios.scenario_changed, small_scenarios),
    Target("set", of_scenarios.make_change, text_changed),
    Target("cell", of_scenarios.find_a_cell, text_changed),
    Target("number", of_scenarios.read_numbers, text_changed),
    Target("answers", of_answers.read_answer_file, of_answers.answers_changed, of_answers.answer_seeds),
    Target("typed-answers", of_answers.read_typed_answers, text_changed),
    Target("quiz-line", of_answers.read_quiz_line, text_changed),
    Target("resume", of_answers.read_quiz, json_changed, of_answers.quiz_seeds),
    Target("walk", of_walks.walk_on, text_changed),
    Target("arrays", of_scenarios.read_arrays, arrays_changed, array_seeds),
)
"""Every reader of what strangers write; whole command lines are in `commands`."""
