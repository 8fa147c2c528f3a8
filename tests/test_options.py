"""All the options, alone and in pairs, against a straight-line NumPy calculation that shares no code with attncalc."""

from __future__ import annotations

from functools import cache

import pytest
from agreement import Document, assert_close, steps_of
from rivals.random_options import Names, documents, pairs, possible_pairs
from rivals.random_scenarios import as_json
from rivals.straight_line import calculate

from attncalc.errors import CalculationError

KINDS = ("float64", "exact")
CHUNKS = 10
RANDOM = 500
BY_HAND = 60
SHIFT = {"maximum", "shifted"}


@cache
def random_documents() -> tuple[Document, ...]:
    """Made once; a chunk is every tenth, so that a failure names few."""
    return tuple(documents(1, RANDOM))


@cache
def documents_of_pairs() -> tuple[tuple[Names, Document], ...]:
    """Made once, each with the names of its options."""
    return tuple(pairs(2))


def assert_agrees(document: Document, kind: str) -> None:
    """The same steps with the same numbers to 1e-12; floating point may shift by itself."""
    got, wanted, text = steps_of(document, kind), calculate(document), as_json(document)
    may_differ = SHIFT if "shift" not in document else set()
    assert set(got) - may_differ == set(wanted) - may_differ, text
    for name in set(got) & set(wanted):
        assert_close(got[name], wanted[name], 1e-12, f"{name} of {text}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_random_options_give_what_numpy_gives(chunk: int, kind: str) -> None:
    """500 documents over the options."""
    for document in random_documents()[chunk::CHUNKS]:
        assert_agrees(document, kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_pair_of_options_gives_what_numpy_gives(chunk: int, kind: str) -> None:
    """Every two options that can stand together, each pair twice."""
    for _, document in documents_of_pairs()[chunk::CHUNKS]:
        assert_agrees(document, kind)


def test_the_pairs_are_all_of_them() -> None:
    """Counted in the documents themselves, and many enough to be the table of the contract."""
    held = [names for names, _ in documents_of_pairs()]
    wanted = possible_pairs()
    assert len(wanted) > 1000
    assert not [pair for pair in wanted if sum(pair <= names for names in held) < 2]


def test_thirty_places_by_hand_give_what_numpy_gives() -> None:
    """Rounding each step to 30 places moves nothing that a double shows; a row that vanishes then is refused."""
    codes = []
    for document in documents(3, BY_HAND):
        try:
            assert_agrees({**document, "by_hand": 30}, "by-hand")
        except CalculationError as error:
            codes.append(error.faults[0].code)
    assert set(codes) <= {"lost-total", "lost-total-shift"}
    assert len(codes) < BY_HAND / 20
