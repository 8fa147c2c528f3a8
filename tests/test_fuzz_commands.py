"""Whole command lines, made up by hypothesis: they end with a code of the contract and say why."""

from __future__ import annotations

import pytest
from fuzz.command_lines import Line
from fuzz.commands import COMMANDS, check
from fuzz.judging import Lie
from fuzz.runs import findings
from running import Finished
from test_fuzz import COUNTS, SEED


def test_a_command_line_ends_well_whatever_it_says() -> None:
    """No traceback, no warning, a sentence and no result where it is refused."""
    assert [f"{finding.kind}: {finding.story}" for finding in findings(COMMANDS, COUNTS[COMMANDS], SEED)] == []


ENDS: list[tuple[str, Finished]] = [
    ("exit code 70", Finished(70, "", "attncalc: a fault of its own")),
    ("traceback", Finished(2, "", "attncalc: Traceback (most recent call last)")),
    ("warning of a library", Finished(0, "", "x.py:1: RuntimeWarning: overflow")),
    ("refused without a sentence", Finished(2, "", "")),
    ("refused with a result", Finished(2, "Weights", "attncalc: no")),
    ("JSON has a number that is none", Finished(0, "[NaN]", "")),
]


@pytest.mark.parametrize(("kind", "done"), ENDS, ids=[kind for kind, _ in ENDS])
def test_the_judge_sees_a_bad_end(kind: str, done: Finished) -> None:
    """Else a run without findings would say nothing."""
    with pytest.raises(Lie, match=kind):
        check(Line(("explain", "draw", "--json"), b"", {}), done)
