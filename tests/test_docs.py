"""The docs are run: every screen on a page is what its command prints, and nothing that there is goes unsaid.

A block marked `console` holds commands, each after `$ `, with what they print under them; `json NAME` holds a file
that the commands after it read. `UPDATE_DOCS=1 pytest tests/test_docs.py` writes the screens anew: read the diff.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import attncalc
from attncalc.cli.app import COMMANDS
from attncalc.cli.options import OPTIONS
from attncalc.cli.report import Status
from attncalc.messages import catalogue
from attncalc.pipelines.standard import STEP_NAMES
from attncalc.renderers import FORMATS
from attncalc.scenario_files.keys import KEYS

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"^```(?P<language>\S*)[ ]?(?P<name>\S*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]\n]*\]\((?P<target>[^)\s]+)\)")

PAGES = [str(path.relative_to(ROOT)) for path in sorted((*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))]
PAIRS = [("README.md", "README.zh.md")]
PAIRS += [(page, page.replace("docs/", "docs/zh/")) for page in PAGES if page.startswith("docs/") and "zh/" not in page]


def text_of(page: str) -> str:
    """The text of a page of the repository."""
    return (ROOT / page).read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return [match["body"] for match in BLOCK.finditer(text_of(page)) if match["language"] == language]


def commands(page: str) -> list[str]:
    """The commands of a page's screens."""
    lines = [line for body in blocks(page, "console") for line in body.splitlines()]
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


class Shell:
    """A folder with nothing in it, where `attncalc` is the program under test and a screen has 80 columns."""

    def __init__(self, folder: Path, chinese: bool) -> None:
        self.folder = folder / "here"
        self.folder.mkdir()
        programs = folder / "bin"
        programs.mkdir()
        program = programs / "attncalc"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m attncalc "$@"\n')
        program.chmod(0o755)
        self.environment = {
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(self.folder),
            "LANG": "zh_CN.UTF-8" if chinese else "C.UTF-8",
            "COLUMNS": "80",
            "PYTHONPATH": str(Path(attncalc.__file__).parents[1]),
        }

    def printed(self, command: str) -> str:
        """What a command line prints on both streams, without blanks at the ends of lines."""
        done = subprocess.run(
            ["sh", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
        )  # fmt: skip
        return "".join(f"{line.rstrip()}\n" for line in done.stdout.decode().splitlines())


def refreshed(page: str, shell: Shell) -> str:
    """The page with every screen as it is printed now."""

    def again(match: re.Match[str]) -> str:
        if match["language"] == "json" and match["name"]:
            (shell.folder / match["name"]).write_text(match["body"], encoding="utf-8")
        if match["language"] != "console":
            return match[0]
        return f"```console\n{''.join(screens(match['body'], shell))}```"

    return BLOCK.sub(again, text_of(page))


def screens(body: str, shell: Shell) -> Iterator[str]:
    """Each command of a block and what it prints; where jq is wanted and missing, what stands there already."""
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        command = part.partition("\n")[0]
        if not command.startswith("$ "):
            yield part
        elif "jq " in command and shutil.which("jq") is None:
            warnings.warn(f"jq is missing, so this was not run: {command}", stacklevel=2)
            yield part
        else:
            yield f"{command}\n{shell.printed(command.removeprefix('$ '))}"


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_every_screen_is_what_its_command_prints(page: str, tmp_path: Path) -> None:
    """A reader who types the commands of a page, in order, sees the page's screens."""
    expected = refreshed(page, Shell(tmp_path, chinese="zh" in page))
    if os.environ.get("UPDATE_DOCS"):
        (ROOT / page).write_text(expected, encoding="utf-8")
    assert text_of(page) == expected


def test_a_changed_screen_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison itself: a wrong digit under a command does not survive, files and pipes work."""
    page = '```json a.json\n[1]\n```\nText\n```console\n$ cat a.json | tr 1 2\n[3]\n$ echo "b  "\n```\n'
    monkeypatch.setattr(sys.modules[__name__], "text_of", lambda name: page)
    assert refreshed("any", Shell(tmp_path, chinese=False)) == page.replace("[3]", "[2]").replace('  "\n', '  "\nb\n')


@pytest.mark.parametrize(("english", "chinese"), PAIRS)
def test_both_languages_show_the_same(english: str, chinese: str) -> None:
    """The Chinese page has the commands, the example files and the sections of the English one."""
    assert commands(chinese) == commands(english)
    assert blocks(chinese, "sh") == blocks(english, "sh")
    headings = [re.findall(r"^(#+) ", BLOCK.sub("", text_of(page)), re.MULTILINE) for page in (english, chinese)]
    assert headings[1] == headings[0]


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_readme_has_the_two_commands_that_ci_runs(page: str) -> None:
    """One line sets up and explains, one sets up and tests; .ci/run takes exactly these lines from README.md."""
    assert re.findall(r"^python3 -m venv .*$", text_of(page), re.MULTILINE) == [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/attncalc explain draw",
        "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_python_lines_run(page: str) -> None:
    """What stands after >>> gives what stands under it."""
    for body in blocks(page, "pycon"):
        test = doctest.DocTestParser().get_doctest(body, {}, page, page, 0)
        assert doctest.DocTestRunner().run(test).failed == 0


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    """Every link to a page, and to a section of it, finds it."""
    broken = []
    for match in LINK.finditer(BLOCK.sub("", text_of(page))):
        target, _, anchor = match["target"].partition("#")
        path = (ROOT / page).parent / target if target else ROOT / page
        if "://" not in target and not (path.exists() and (not anchor or anchor in anchors(path))):
            broken.append(match["target"])
    assert broken == []


def anchors(path: Path) -> list[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings]


def sections(page: str, level: str = "## ") -> dict[str, str]:
    """The sections of a page under their headings."""
    parts = re.split(rf"^{level}", text_of(page), flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0]: part.partition("\n")[2] for part in parts}


def first_cells(text: str) -> list[str]:
    """What stands as code in the first cell of each table row."""
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return [code for row in rows for code in re.findall(r"`([^`]+)`", row)]


@pytest.mark.parametrize("page", ["docs/commands.md", "docs/zh/commands.md"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_each_command_has_a_section_with_its_options(page: str, command: object) -> None:
    """A section a command, with a screen and a line that names exactly the options it takes."""
    section = sections(page)[command.name]  # type: ignore[attr-defined]
    flags = {flag for name in command.options for flag in OPTIONS[name].flags}  # type: ignore[attr-defined]
    line = next(line for line in section.splitlines() if line.startswith(("Options:", "选项：")))
    assert set(re.findall(r"`([^`]+)`", line)) == flags | {"--help"}
    assert f"$ attncalc {command.name}" in section  # type: ignore[attr-defined]


@pytest.mark.parametrize("page", ["docs/commands.md", "docs/zh/commands.md"])
def test_each_option_is_explained_once(page: str) -> None:
    """The tables of options have a row for every option, and none for another."""
    told = [cell.split(" ")[0] for cell in first_cells(text_of(page)) if cell.startswith("-")]
    assert sorted(told) == sorted([*(flag for o in OPTIONS.values() for flag in o.flags), "--help", "--version"])


@pytest.mark.parametrize("page", PAGES)
def test_no_page_names_an_option_that_is_not_there(page: str) -> None:
    """What looks like an option of attncalc, in a command or in the text, is one."""
    spoken = re.findall(r"`(--[a-z-]+)", BLOCK.sub("", text_of(page)))
    typed = [word for line in commands(page) if line.startswith("attncalc") for word in options_typed(line)]
    known = {part for o in OPTIONS.values() for flag in o.flags for part in flag.split("/")}
    assert {*spoken, *typed} <= known | {"--help", "--version", "--install-completion", "--show-completion"}


def options_typed(line: str) -> list[str]:
    """The long options of the attncalc commands of a shell line."""
    return [
        word for part in re.split(r"[|;&]", line) if "attncalc" in part for word in re.findall(r" (--[a-z-]+)", part)
    ]


@pytest.mark.parametrize("page", ["docs/scenario-file.md", "docs/zh/scenario-file.md"])
def test_each_key_of_a_scenario_is_explained_once(page: str) -> None:
    """The tables of keys have a row for every key that the reader knows, and none for another."""
    assert sorted(first_cells(text_of(page))) == sorted(KEYS)


@pytest.mark.parametrize("page", ["docs/json.md", "docs/zh/json.md"])
def test_each_step_and_each_note_is_listed(page: str) -> None:
    """The page on JSON names every step and every code that a note can have."""
    wordings = r"-(all|many|zero|nan|uniform|one|float)$|-batch(-and-head)?$"
    messages = (code[5:] for code in catalogue("en") if code.startswith("note."))
    codes = {re.sub(wordings, lambda m: "-head" if "batch" in m[0] else "", code) for code in messages}
    assert codes | set(STEP_NAMES) <= set(first_cells(text_of(page)))


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_exit_codes_are_those_of_the_program(page: str) -> None:
    """The table of exit codes has a row for every one."""
    assert [int(cell) for cell in first_cells(text_of(page)) if cell.isdigit()] == [int(status) for status in Status]


@pytest.mark.parametrize("page", ["docs/commands.md", "docs/zh/commands.md"])
def test_every_format_is_named(page: str) -> None:
    """The page on commands says which formats there are."""
    assert [name for name in FORMATS if f"`{name}`" not in text_of(page)] == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_stand_alone(page: str) -> None:
    """No page leads to a folder outside the repository, or to one machine."""
    assert re.findall(r"/work/|/root/|/home/|\.\./shared|localhost", text_of(page)) == []
