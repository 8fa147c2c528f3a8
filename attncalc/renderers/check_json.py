"""The JSON of a check (`attncalc-check/1`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attncalc.document.diagnoses import name_of
from attncalc.document.diagnosis import first_branch, groups, notes
from attncalc.document.diagnosis_cells import right_count
from attncalc.document.findings import told
from attncalc.document.view import View
from attncalc.explore.cells import typed_name
from attncalc.practice.verdicts import Diagnosis, WrongCell
from attncalc.renderers.branches import branch_text
from attncalc.renderers.json import number


def as_document(found: Diagnosis, view: View, answers: str | None = None) -> dict[str, Any]:
    """A diagnosis as JSON values, keys in the contract's order; null where there is nothing.

    `answers` is the file that was judged, where it is one of several.
    """
    view = view.in_data()
    return {
        **({"answers": answers} if answers is not None else {}),
        "format": "attncalc-check/1",
        "verdict": found.verdict,
        "steps": [
            {"name": step.name, "verdict": step.verdict, "right": right_count(step), "all": step.sheet.count}
            for step in found.steps
        ],
        "mistakes": list(_mistakes(found, view)),
        "first_wrong": _first_wrong(found, view),
        "largest_difference": _largest(found),
        "notes": [{"code": code, "text": text} for code, text in notes(found, view)],
    }


def _mistakes(found: Diagnosis, view: View) -> Iterator[dict[str, Any]]:
    """Every mistake once, slips too, in the order of the steps that show them."""
    for step, findings in groups(found):
        for finding in findings:
            yield {"name": name_of(finding), "step": finding.step, "text": told(found, step, finding, view).what}


def _first_wrong(found: Diagnosis, view: View) -> dict[str, Any] | None:
    if found.first_wrong is None:
        return None
    branch = first_branch(found, view)
    return {**_cell(found, found.first_wrong), "derivation": branch_text(branch, view) if branch else None}


def _largest(found: Diagnosis) -> dict[str, Any] | None:
    if found.largest is None:
        return None
    return {
        **_cell(found, found.largest), "difference": found.largest.difference, "relative": found.largest.relative,
    }  # fmt: skip


def _cell(found: Diagnosis, wrong: WrongCell) -> dict[str, Any]:
    """Its name as it may be typed, the answer as it was written, the right number."""
    cell = typed_name(found.trace, wrong.cell)
    return {"cell": cell, "given": wrong.given, "right": number(found.trace, wrong.right)}
