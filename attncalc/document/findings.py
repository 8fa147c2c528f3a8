"""What a diagnosis found, as sentences: what was done, why that is wrong, how to do it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from attncalc.core.expression import Cell, Expression
from attncalc.core.figures import Literal, figure
from attncalc.document.diagnosis_cells import Shown, apart, named
from attncalc.document.view import View, shown_tree
from attncalc.messages.safe_text import visible
from attncalc.practice.verdicts import ACCEPTED, Diagnosis, Finding, StepVerdict

NUMBERS = ("value", "divisor", "right", "rate", "units")
"""Fields that hold a number as text."""


class Told(NamedTuple):
    """A finding in sentences; only a mistake has a why and a how."""

    what: str
    why: str = ""
    how: str = ""


def told(found: Diagnosis, step: StepVerdict, finding: Finding, view: View) -> Told:
    """The sentences of something that was found in the answers to a step."""
    fields = _fields(found, step, finding, view)
    if finding.kind != "mistake":
        return Told(view.say(_code(finding), **fields))
    name = finding.name
    what = view.say(f"mistake.{name}", **fields)
    if finding.places is not None:
        what = together((what, view.say("check-rounded-too", places=finding.places)), view)
    return Told(what, view.say(f"mistake-why.{name}", **fields), view.say(f"mistake-how.{name}", **fields))


def note_of(found: Diagnosis, step: StepVerdict, finding: Finding, view: View) -> str:
    """The sentence of a way of rounding, or of a convention; with its step where there are several."""
    if finding.kind == "rounded" and step.verdict not in ACCEPTED:
        text = view.say("check-precision", kind=finding.name)
    else:
        text = told(found, step, finding, view).what
    return view.say("with-lead", lead=step.name, text=text) if len(found.steps) > 1 else text


def together(sentences: Iterable[str], view: View) -> str:
    """Sentences one after the other, as the language sets them."""
    return view.say("sentence-gap").join(sentence for sentence in sentences if sentence)


def _code(finding: Finding) -> str:
    """The message of a finding that is no mistake."""
    name = finding.name
    codes = {
        "slip": f"slip.{name}", "slip-inside": f"slip-inside.{name}", "rounded": f"rounded.{name}",
        "convention": f"convention.{name}",
    }  # fmt: skip
    return codes[finding.kind]


def _fields(found: Diagnosis, step: StepVerdict, finding: Finding, view: View) -> dict[str, Any]:
    """The fields of a sentence as they are read: cells by name, terms as they are printed, numbers with places."""
    fields = {**finding.fields, **_numbers(found, step, finding)}
    return {name: _said(found, name, value, view) for name, value in fields.items()}


def _said(found: Diagnosis, name: str, value: Any, view: View) -> Any:
    if isinstance(value, Cell):
        return named(found, value, view)
    if isinstance(value, Expression):
        return view.notation().print(shown_tree(found.trace, value))
    if isinstance(value, str):
        return view.number(value) if name in (*NUMBERS, "given") else visible(value.replace("√", view.signs.root))
    return value


def _numbers(found: Diagnosis, step: StepVerdict, finding: Finding) -> Mapping[str, str]:
    """What was given and what is right, beside each other."""
    fields, shown = finding.fields, Shown(found.trace, step.sheet)
    if finding.kind == "slip":
        return {"given": shown.given(fields["cell"].place), "right": shown.right(fields["cell"].place)}
    if finding.kind == "slip-inside":
        places = apart(fields["given"], fields["right"], shown.places, shown.rounding)
        return {name: _text(fields[name], places, shown.rounding) for name in ("given", "right")}
    return {}


def _text(number: Decimal, places: int, rounding: str) -> str:
    """A number as it was given, or with so many places."""
    return number.text if isinstance(number, Literal) else figure(number, places, rounding)
