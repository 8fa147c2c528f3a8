"""Notebooks: what objects show of themselves is safe there, and the notebooks in docs are what a run gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hostile import keys_document, queries_document
from html_pages import MARKUP
from samples import BUILT_IN, DRAW

import attncalc
from attncalc import Scenario, Trace, compare, load, run
from attncalc.core.stage import Step
from attncalc.scenario_files.json_text import parse
from attncalc.scenario_files.load import scenario_of

DOCS = Path(__file__).parents[1] / "docs"
NOTEBOOKS = ("notebook.ipynb", "zh/notebook.ipynb")
SAFE = {"div", "style", "h3", "h4", "p", "strong", "span", "table", "caption", "thead", "tbody", "tr", "th", "td", "sup",
        "math", "mrow", "mi", "mn", "mo", "mtext", "msup", "msub", "mfrac", "msqrt", "munder", "mtable", "mtr", "mtd"}  # fmt: skip


def shown(thing: object) -> str:
    """What a notebook shows."""
    html = thing._repr_html_()  # type: ignore[attr-defined]
    assert isinstance(html, str)
    return html


def assert_safe(html: str) -> None:
    """No script, no handler, no id, no address, and every rule of the style inside."""
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style
    rules = re.findall(r"([^{}]+)\{[^{}]*\}", style[1])
    assert rules
    assert all(selector.strip().startswith(".attncalc") for rule in rules for selector in rule.split(","))
    rest = html.replace(style[0], "")
    assert {tag.lower() for tag in re.findall(r"<([a-zA-Z][\w-]*)", rest)} <= SAFE
    assert re.findall(r"\s(?:id|src|href|on\w+)=(?=[^<]*>)", rest) == []


@pytest.mark.parametrize("name", BUILT_IN)
def test_everything_shows_itself_safely(name: str) -> None:
    """A scenario, a trace, and its last step."""
    scenario = load(name)
    trace = run(scenario)
    for thing in (scenario, trace, trace.steps[-1]):
        assert_safe(shown(thing))


def test_a_step_shows_the_numbers_of_its_trace() -> None:
    """By hand with two places, hidden cells too, even where its trace is gone."""
    html = shown(run(load("draw"))["weights"])
    assert re.findall(r"<td[^>]*>([^<]*)</td>", html) == ["0.62", "0.12", "0.19", "0.08"]
    hidden = shown(run(load("mini-head"))["weights"])
    assert hidden.count('aria-label="hidden"') == 10
    assert ">·<" in hidden


def test_a_trace_shows_what_run_shows() -> None:
    """Its title, its steps and its notes."""
    html = shown(run(load("draw")))
    for text in ("I like to draw", "Exponentiate", "Weighted value sum", "9.83", "Note:"):
        assert text in html


def test_a_scenario_shows_what_it_gives() -> None:
    """Numbers as they were written, a table for each array; nothing calculated."""
    html = shown(load(DRAW | {"scores": [1.80, 0.2, 0.6, -0.3]}))
    assert re.findall(r"<h4>(.*?)</h4>", html) == ["Scores (scores)", "Values (v)"]
    assert re.findall(r"<td>([^<]*)</td>", html)[:4] == ["1.8", "0.2", "0.6", "−0.3"]
    assert "6.05" not in html


def test_a_comparison_shows_what_differs() -> None:
    """The steps that differ, and which is the first."""
    found = compare(load("draw"), load("draw", ["scores.0=2"]))
    assert not found.same
    assert [step.name for step in found.steps if step.same] == ["v"]
    assert [variant.name for variant in found.variants] == ["draw", "scores.0=2"]
    html = shown(found)
    assert_safe(html)
    assert "The first step that differs: scores." in html
    assert compare(run(load("draw")), load("draw")).same


def test_a_comparison_takes_two_or_more() -> None:
    """One calculation is a programmer's slip."""
    with pytest.raises(ValueError, match="two scenarios or traces"):
        compare(load("draw"))


@pytest.mark.parametrize("document", [keys_document(), queries_document()], ids=["keys", "queries"])
def test_hostile_tokens_are_text(document: bytes) -> None:
    """In a scenario, a trace and a comparison."""
    scenario = scenario_of(parse(document, "hostile"), "hostile")
    trace = run(scenario)
    for thing in (scenario, trace, trace["weights"], compare(trace, trace)):
        assert_safe(shown(thing))


def test_markup_in_tokens_is_text() -> None:
    """Tags, ends of styles, handlers."""
    scenario = load({"tokens": list(MARKUP), "scores": [[1] * len(MARKUP)], "title": MARKUP[1], "about": MARKUP[5]})
    for thing in (scenario, run(scenario)):
        assert_safe(shown(thing))
        assert "&lt;script&gt;" in shown(thing)


def test_the_language_is_that_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """ATTNCALC_LANG, as for the program; English where it names no language that there is."""
    for value, word in (("zh", "除以总和"), ("zh_CN.UTF-8", "除以总和"), ("fr", "Divide"), ("", "Divide")):
        monkeypatch.setenv("ATTNCALC_LANG", value)
        assert word in shown(run(load("draw"))["weights"])


def test_the_hook_is_there_for_notebooks() -> None:
    """On the three public classes; nothing of HTML is loaded until it is asked for."""
    assert all(callable(cls._repr_html_) for cls in (Scenario, Trace, Step))
    assert "compare" in attncalc.__all__


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_of_the_docs_is_what_a_run_gives(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Executed afresh, every output is the one that is kept, and none is an error."""
    monkeypatch.delenv("ATTNCALC_LANG", raising=False)
    nbformat = pytest.importorskip("nbformat")
    client = pytest.importorskip("nbclient")
    kept = nbformat.read(DOCS / name, as_version=4)
    fresh = nbformat.from_dict(kept)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client.NotebookClient(
        fresh, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(DOCS)}}
    ).execute()
    found = [[output.get("data", output.get("text")) for output in cell.get("outputs", [])] for cell in fresh.cells]
    assert found == [
        [output.get("data", output.get("text")) for output in cell.get("outputs", [])] for cell in kept.cells
    ]
    assert sum("text/html" in (data or {}) for outputs in found for data in outputs) >= 4


def test_in_one_line_each_is_short() -> None:
    """What a terminal of Python shows: names and sizes, no arrays."""
    scenario = load("draw", ["scores.0=2"])
    trace = run(scenario)
    assert repr(scenario) == "<Scenario draw; scores.0=2>"
    assert repr(trace) == "<Trace of draw, by-hand: v, scores, exponentials, total, weights, context, residual>"
    assert repr(trace["weights"]) == "<Step weights: query=1, key=4>"
    assert repr(compare(load("draw"), trace)) == "<Comparison of draw, scores.0=2>"
