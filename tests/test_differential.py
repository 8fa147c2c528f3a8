"""Small counts of what `python tests/differential.py` does for hours, and what it found, as rows."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from random import Random

import differential
import numpy as np
import pytest
from against_rivals import digit_disagreements, disagreements, far_disagreements
from agreement import Document, steps_of, trace_of
from formats_differ import format_disagreements
from metamorphic import EVERY
from office import values
from rivals.every_digit import exact_texts, hand_numbers, strange
from rivals.far_apart import far_apart
from rivals.random_scenarios import as_json, documents
from rivals.settings import KIND_OF, cases, every_pair, told
from test_xlsx import file_of, wrong

from attncalc.core.figures import figure
from attncalc.errors import CalculationError

SEED = 7
SCENARIOS, FORMATS, DIGITS, FAR_APART, RELATIONS = 200, 2, 60, 60, 42
CHUNKS = 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_scenarios_are_what_the_rivals_say(chunk: int, tmp_path: Path) -> None:
    """Every arithmetic, rounding and algorithm, arrays in files, options said either way."""
    count = SCENARIOS // CHUNKS
    for case in cases(SEED, chunk * count, count, tmp_path):
        assert list(disagreements(case, tmp_path)) == [], told(case)


def test_a_round_of_cases_holds_every_pair(tmp_path: Path) -> None:
    """Those that are wished for are there, and every setting meets every other and an option at least."""
    for number, case in enumerate(cases(SEED, 0, 60, tmp_path)):
        assert every_pair()[number] <= case.names
    met = Counter(name for pair in every_pair() for name in pair)
    assert len(every_pair()) > 4000
    assert min(met[setting] for setting in KIND_OF) > 50
    assert (
        len(
            {frozenset(two) for two in combinations(KIND_OF, 2) if KIND_OF[two[0]] != KIND_OF[two[1]]} - {*every_pair()}
        )
        == 0
    )


def test_random_scenarios_in_all_formats(tmp_path: Path) -> None:
    """The same numbers read back from table, plain, JSON, CSV, npz, Markdown, LaTeX, HTML, SVG and xlsx."""
    for case in cases(SEED, 1000, FORMATS, tmp_path):
        assert list(format_disagreements(case, tmp_path)) == [], told(case)


def test_exact_digits_with_more_places() -> None:
    """2 to 30 of them, with ties."""
    for number in range(DIGITS):
        (document,) = documents(f"{SEED} {number}", 1, (2, 30))
        assert list(digit_disagreements(document)) == [], as_json(document)


def test_exponentials_hundreds_of_digits_apart() -> None:
    """Exact and by hand, behind caps, biases and sinks, in blocks or not."""
    for number in range(FAR_APART):
        document = far_apart(Random(f"{SEED} {number}"))
        assert list(far_disagreements(document)) == [], as_json(document)


@pytest.mark.parametrize("name", EVERY)
def test_a_scenario_written_otherwise(name: str) -> None:
    """Each relation a few times."""
    for number in range(RELATIONS // len(EVERY)):
        found, on = EVERY[name](Random(f"{SEED} {number}"))
        assert found == [], on


def test_the_command_compares_a_few(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Says how many, keeps the figures, goes on from there."""
    for first in ("0", "3"):
        asked = ["--scenarios", "3", "--digits", "2", "--first", first, "--tally", str(tmp_path / "tally.json")]
        monkeypatch.setattr("sys.argv", ["differential.py", *asked])
        assert differential.main() == 0
    last = capsys.readouterr().out.splitlines()
    assert "4 exact digits" in last[-4]
    assert last[-2] == "0 disagree"


# --- that the rivals see a fault ------------------------------------------------------------------


def test_a_wrong_last_digit_is_seen() -> None:
    """A number of float16 moved by a few units of its last place, in every step."""
    document = {"q": [[1.1, 0.3]], "k": [[0.7, 2], [1, 0.1]], "v": [[1.5, 2], [3, 0.5]], "softcap": 2, "temperature": 3}
    cells = {step.name: step.cells.copy() for step in trace_of(document, "float16")}
    assert list(strange(document, cells, "float16")) == []
    for name in ("scores", "scaled", "capped", "exponentials", "total", "weights", "context"):
        moved = {**cells, name: cells[name] * (1 + 2**-6)}
        assert name in {found.step for found in strange(document, moved, "float16")}


# --- what was found -------------------------------------------------------------------------------

FAR = {"scores": [[0]], "sink": -400}
ALMOST: list[tuple[Document, str, list[str]]] = [
    # what lies inside a step and so far below the rest that only hundreds of digits tell it from nothing
    (FAR, "weights", ["0.9999"]),
    ({"scores": [[1000, 0, -1000]], "softcap": 5}, "capped", ["4.9999", "0.0000", "-4.9999"]),
    ({"scores": [[0, -400]], "v": [[-1], [2]], "algorithm": "online"}, "context", ["-0.9999"]),
    ({"scores": [[0, -400]], "v": [[-1], [2]], "algorithm": "online", "base": 2}, "output_1", ["-0.9999"]),
    # one bound serves an array: what is small in one row is nothing beside another row
    ({"scores": [[-549], [1241]], "v": [[-2]], "sink": -833}, "context", ["-1.9999", "-1.9999"]),
    ({"scores": [[813, -40]], "sink": -709, "v": [[1], [1]]}, "context", ["0.9999"]),
    # three exponentials are multiplied
    (
        {"scores": [[-274, 279]], "v": [[-3], [1]], "sink": -25, "algorithm": "online", "block": 1},
        "output_2",
        ["0.9999"],
    ),
]


@pytest.mark.parametrize(("document", "step", "wanted"), ALMOST)
def test_almost_a_round_number_is_not_called_one(document: Document, step: str, wanted: list[str]) -> None:
    """Cut off, 1 − e^−400 shows nines; so say the balls."""
    document = {**document, "rounding": "truncate", "places": 4}
    found = [figure(cell, 4, "truncate") for cell in trace_of(document)[step].cells.flat]
    assert found == wanted == exact_texts(document)[step].ravel().tolist()


def test_by_hand_a_block_far_below_is_not_nothing() -> None:
    """−1 and a hair, cut off, is 0."""
    document = {"scores": [[0, -400]], "v": [[-1], [2]], "algorithm": "online", "by_hand": 0, "rounding": "truncate"}
    assert trace_of(document, "by-hand")["output_1"].exact.tolist() == [[Decimal(0)]]
    assert hand_numbers(document)["output_1"].ravel().tolist() == [Decimal(0)]


LOST: list[tuple[Document, str]] = [
    # by hand, what is divided by rounds to 0
    ({"scores": [["-Infinity"]], "sink": -2}, "every exponential of the row of 0 rounds to 0; keep 1 place"),
    ({"scores": [[-9]], "sink": -12}, "every exponential of the row of 0 rounds to 0; keep 4 places"),
    ({"scores": [[-0.6]], "rounding": "truncate", "algorithm": "online", "v": [[1]]}, "because the maximum is rounded too; keep 1 place "),
    ({"scores": [["-Infinity"]], "sink": -0.9, "rounding": "truncate", "shift": True}, "because the maximum is rounded too; keep 1 place "),
]  # fmt: skip


@pytest.mark.parametrize(("document", "sentence"), LOST)
def test_by_hand_nothing_is_divided_by_0(document: Document, sentence: str) -> None:
    """With a sink and in blocks too: an error that says how many places are needed, and these are enough."""
    with pytest.raises(CalculationError) as refused:
        trace_of({**document, "by_hand": 0}, "by-hand")
    (said,) = refused.value.sentences("en")
    assert sentence in said
    with pytest.raises(ZeroDivisionError):
        hand_numbers({**document, "by_hand": 0})
    places = int(said.partition("keep ")[2].split()[0])
    assert not np.isnan(list(trace_of({**document, "by_hand": places}, "by-hand"))[-1].values).any()


@pytest.mark.parametrize(("kind", "sink"), [("float16", -20), ("float32", -110), ("float64", -800)])
def test_a_sink_alone_in_its_row_does_not_vanish(kind: str, sink: int) -> None:
    """A row that sees nothing gives all its weight to the sink, however small its exponential."""
    steps = steps_of({"scores": [["-Infinity", "-Infinity"], [1, 0]], "sink": sink}, kind)
    assert steps["weights"][0].tolist() == [0, 0]
    assert "shifted" in steps


def test_by_hand_an_enormous_exponential_takes_no_minutes() -> None:
    """e^300123 with two places has 130,000 digits: more than are ever used, which is said and not tried."""
    trace = trace_of({"scores": [[300123.456, 1, 2]] * 4, "by_hand": 2}, "by-hand")
    assert "undecided" in {note.code for note in trace.notes}
    assert figure(trace["exponentials"].cells[0, 0, 0, 0], 2) == "9.14e130341"


@pytest.mark.parametrize(
    "more", [{}, {"by_hand": 2}, {"mask": {"keep": [[0, 1, 0, 1]]}}, {"arithmetic": "float64"}, {"sink": 1}]
)
def test_the_online_algorithm_has_a_workbook(more: Document) -> None:
    """Every number in its cell, most of them live formulas; there is no message about a fault."""
    document = {
        "scores": [[1.8, 0.2, 0.6, -0.3]],
        "v": [[0.9], [0.2], [0.5], [0.3]],
        "algorithm": "online",
        "block": 3,
        **more,
    }
    trace = trace_of(document, str(document.get("arithmetic", "by-hand" if "by_hand" in more else "exact")))
    assert wrong(trace, values(file_of(trace))) == []
