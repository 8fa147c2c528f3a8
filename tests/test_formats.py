"""Which command gives which format, by name and by suffix, and what is said where it does not."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from calling import call, notices, out

from attncalc.core import names
from attncalc.renderers import FORMATS

TRACE = names.FORMATS
DOCUMENT = names.DOCUMENTS
COMMANDS = {
    "explain": (("explain", "draw"), TRACE),
    "run": (("run", "draw"), TRACE),
    "why": (("why", "draw", "weights", "draw", "I"), DOCUMENT),
    "compare": (("compare", "draw", "--set", "scores.0=1"), DOCUMENT),
    "check": (("check", "draw", "--answer", "weights=0.62 0.12 0.19 0.08"), DOCUMENT),
    "sweep": (("sweep", "draw", "scores.0", "0", "2"), (*DOCUMENT, "csv", "svg")),
    "verify": (("verify", "draw"), DOCUMENT),
    "list": (("list",), DOCUMENT),
    "worksheet": (("worksheet", "--seed", "7", "--level", "1", "--part", "sheet"), ("markdown", "latex", "html")),
}
"""A call of each command that shows something, and the formats that it gives."""

CALLS = [
    pytest.param(args, format, id=f"{name}-{format}") for name, (args, all_) in COMMANDS.items() for format in all_
]
"""Each command with each of its formats."""

BEGINS = {
    "json": b"{", "csv": b"step,", "npz": b"pk", "latex": b"%", "html": b"<!doctype html>",
    "svg": b"<", "xlsx": b"pk", "png": b"\x89png",
}  # fmt: skip
"""How a file of a format begins, where that says something."""


@pytest.mark.parametrize(("args", "format"), CALLS)
def test_a_command_gives_its_formats(args: tuple[str, ...], format: str, tmp_path: Path) -> None:
    """By name and by suffix the same bytes, which begin as that format does."""
    named = tmp_path / "named"
    assert notices(*args, "--format", format, "-o", f"{named}.{'md' if args[0] == 'worksheet' else 'txt'}") == ""
    written = next(tmp_path.iterdir()).read_bytes()
    beginning = BEGINS.get(format, b"")
    if (args[0], format) not in (("list", "json"), ("sweep", "csv")):  # a list of names; columns of its own
        assert written.lower().startswith(beginning)
    if suffix := {format: suffix for suffix, format in names.SUFFIXES.items()}.get(format):
        suffixed = tmp_path / f"suffixed{suffix}"
        assert notices(*args, "-o", str(suffixed)) == ""
        assert suffixed.read_bytes() == written


@pytest.mark.parametrize(("args", "given"), COMMANDS.values(), ids=COMMANDS)
def test_any_other_format_is_refused(args: tuple[str, ...], given: tuple[str, ...]) -> None:
    """In a sentence that names those that there are, with nothing on standard output."""
    for format in {*names.FORMATS, "pdf"} - {*given} - ({"xlsx"} if args[0] == "worksheet" else set()):
        done = call(*args, "--format", format)
        assert (done.code, done.out) == (2, "")
        assert done.err.startswith(f"attncalc: --format: is {format}; wanted is one of ")
        assert all(name in done.err for name in given)


@pytest.mark.parametrize(
    ("option", "format"), [("--standalone", "latex"), ("--picture=bars", "svg, png"), ("--indent=2", "json")]
)
def test_an_option_of_one_format_is_refused_with_others(option: str, format: str) -> None:
    """And named with the format that it belongs to."""
    for other in {*names.FORMATS} - {*format.split(", ")}:
        done = call("run", "draw", option, "--format", other)
        flag = option.partition("=")[0]
        assert (done.code, done.out, done.err) == (2, "", f"attncalc: {flag}: works with --format {format} only\n")


@pytest.mark.parametrize("format", [name for name in names.FORMATS if not FORMATS[name].several])
def test_a_format_of_one_trace_takes_one_scenario(format: str, tmp_path: Path) -> None:
    """Two scenarios are refused before a file is written."""
    done = call("run", "draw", "cross", "--format", format, "-o", str(tmp_path / "a"))
    assert (done.code, done.err) == (
        2,
        "attncalc: this format takes one scenario; those that take several are table, plain, json, markdown, latex\n",
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_a_page_names_no_command_or_option(format: str) -> None:
    """Its reader can type none."""
    for command in ("explain", "run"):
        for name in ("draw", "grouped", "gpt2-block"):
            text = out(command, name, "--format", format)
            assert "attncalc " not in text
            assert re.findall(r" --[a-z]", text) == []


def test_a_sheet_with_its_key_says_so(tmp_path: Path) -> None:
    """Whoever passes it on should know."""
    for suffix in (".md", ".tex", ".html"):
        target = tmp_path / f"sheet{suffix}"
        said = f"{target} holds the sheet and after it the key; --part sheet leaves the key out\n"
        assert notices("worksheet", "--seed", "7", "--level", "1", "-o", str(target)) == said


def test_pdf_is_refused_with_the_way_there() -> None:
    """No folder of a user's is left without a word on how a page is printed."""
    done = call("run", "draw", "-o", "a.pdf")
    assert (done.code, done.out) == (2, "")
    assert "-o FILE.html" in done.err
    assert "--standalone" in done.err


def test_two_scenarios_in_a_document_have_a_title_each() -> None:
    """One after the other, as in a table."""
    text = out("run", "draw", "cross", "--format", "markdown")
    titles = [json.loads(out("show", name))["title"]["en"] for name in ("draw", "cross")]
    assert [line for line in text.splitlines() if line.startswith("# ")] == [f"# {title}" for title in titles]
