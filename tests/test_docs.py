"""The docs are run: every screen on a page is what its command prints, and nothing that there is goes unsaid.

A block marked `console` holds commands, each after `$ `, with what they print under them; `sh` holds commands alone;
`json NAME` holds a file that the commands after it read. A number in the text must stand in a block of its page, or be
printed by a line of `sh` there, or be listed in `data/numbers.toml` with what says it.
`UPDATE_DOCS=1 pytest tests/test_docs.py` writes the screens anew: read the diff.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest
from made_pages import made_pages
from pages import (
    BLOCK,
    CALL,
    ENGLISH,
    LINK,
    LISTED,
    PAGES,
    PAIRS,
    ROOT,
    Shell,
    anchors,
    blocks,
    brought_up_to_date,
    commands,
    first_cells,
    language_of,
    numbers,
    numbers_without_a_source,
    prose,
    refreshed,
    spoken,
    text_of,
    twin_in_english,
)

from attncalc.cli.options import OPTIONS
from attncalc.cli.report import Status
from attncalc.core.names import SUFFIXES
from attncalc.messages import catalogue
from attncalc.pipelines.standard import ROWS, STEP_NAMES
from attncalc.renderers import FORMATS
from attncalc.scenario_files.keys import KEYS

RUN_BY = {
    "python3 -m venv": ".ci/run", ".ci/run": ".ci/run", "ruff check": ".ci/run", "pytest tests/": ".ci/run",
    "sphinx-build": "tests/test_site.py", "python -m tests.fuzz": "tests/test_fuzz.py",
    "python tests/faults": "tests/test_faults.py", "python benchmarks/mutants": "benchmarks/README.md",
    "python tests/differential.py": "tests/test_differential.py",
}  # fmt: skip
"""How the other lines of `sh` begin, and the file that runs them."""


@pytest.mark.parametrize("page", [page for page in PAGES if page not in made_pages()])
def test_a_page_says_what_the_program_says(page: str, tmp_path: Path) -> None:
    """A reader who types the commands of a page, in order, sees its screens and finds its numbers."""
    shell = Shell(tmp_path, language_of(page))
    expected = refreshed(page, shell)
    assert shell.refused == []
    assert brought_up_to_date(ROOT / page, expected) == expected
    assert numbers_without_a_source(page, expected, shell) == []


def test_a_changed_screen_is_noticed(tmp_path: Path) -> None:
    """The comparison itself: a wrong digit under a command does not survive, files and pipes work."""
    page = '```json a.json\n[1]\n```\nText\n```console\n$ cat a.json | tr 1 2\n[3]\n$ echo "b  "\n```\n'
    right = page.replace("[3]", "[2]").replace('  "\n', '  "\nb\n')
    assert refreshed("any", Shell(tmp_path, "en"), page) == right


def test_a_line_that_cannot_be_done_is_noticed(tmp_path: Path) -> None:
    """Of a block without screens, too."""
    shell = Shell(tmp_path, "en")
    refreshed("any", shell, "```sh\nattncalc explain draw\nattncalc explain drwa\n```\n")
    assert shell.refused == ["attncalc explain drwa"]


def test_a_number_that_nothing_says_is_noticed(tmp_path: Path) -> None:
    """A number of a block, of what `sh` prints, a percentage of one of them: held; any other is not."""
    shell = Shell(tmp_path, "en")
    text = "Weights 0.62, 0.615177, 61.5 % and 0.63, 1,024.\n```console\n$ echo 0.62\n0.62\n```\n"
    text += "```sh\nattncalc run draw --arithmetic exact --places 6\n```\n"
    assert numbers_without_a_source("any", refreshed("any", shell, text), shell) == ["0.63", "1,024"]
    assert [number for number, _ in numbers("1.5e-24, v2.13, 3 tokens, 100, page-4.5, 7.")] == [
        "1.5e-24",
        "2.13",
        "100",
        "4.5",
    ]


@pytest.mark.parametrize("page", PAGES)
def test_every_line_of_shell_is_run(page: str) -> None:
    """With its page where it calls attncalc, else by the file that the table names."""
    others = [line for body in blocks(page, "sh") for line in body.splitlines() if not CALL.match(line)]
    for line in others:
        home = next((home for beginning, home in RUN_BY.items() if line.startswith(beginning)), None)
        assert home, line


@pytest.mark.parametrize(("page", "number"), [(page, n) for page, listed in LISTED.items() for n in listed])
def test_a_number_that_is_listed_is_there(page: str, number: str) -> None:
    """On its page, in one of the languages; and where a file is said to have it, that file does."""
    twins = [other for other in PAGES if twin_in_english(other) == page]
    assert number in {found for twin in twins for found, _ in numbers(spoken(text_of(twin)))}
    home = LISTED[page][number].partition(":")[0]
    if re.fullmatch(r"[\w/.]+\.(py|toml|json)", home):
        assert number.replace(",", "") in text_of(home).replace("_", "")


@pytest.mark.parametrize(("english", "chinese"), PAIRS)
def test_both_languages_show_the_same(english: str, chinese: str) -> None:
    """The Chinese page has the commands, the example files and the sections of the English one."""
    assert commands(chinese) == commands(english)
    for language in ("sh", "pycon", "python", "diff"):
        assert blocks(chinese, language) == blocks(english, language)
    headings = [re.findall(r"^(#+) ", prose(page), re.MULTILINE) for page in (english, chinese)]
    assert headings[1] == headings[0]


@pytest.mark.parametrize("page", [page for page in PAGES if page.startswith("docs/")])
def test_a_page_begins_with_its_title_and_ways_out(page: str) -> None:
    """To the same page in the other language, and to the contents."""
    title, blank, ways = text_of(page).splitlines()[:3]
    assert title.startswith("# ")
    assert blank == ""
    targets = [match["target"] for match in LINK.finditer(ways)]
    twin = page.replace("docs/zh/", "docs/") if language_of(page) == "zh" else page.replace("docs/", "docs/zh/")
    assert ((ROOT / page).parent / targets[0]).resolve() == ROOT / twin
    assert page.endswith("/index.md") or targets[-1].endswith("index.md")


def test_what_the_pages_add_keeps_the_rules(tmp_path: Path) -> None:
    """The package, changed as the pages say, passes the tests of its structure and of its messages."""
    shell = Shell(tmp_path, "en")
    shell.change_the_package("".join(map(text_of, ENGLISH)))
    tests = [str(ROOT / "tests" / f"test_{name}.py") for name in ("structure", "messages")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", *tests],
        cwd=shell.package.parent, env=shell.environment, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-3000:]


@pytest.mark.parametrize("page", ["README.md", "README.zh.md"])
def test_readme_has_the_two_commands_that_ci_runs(page: str) -> None:
    """One line sets up and explains, one sets up and tests; .ci/run takes exactly these lines from README.md."""
    assert re.findall(r"^python3 -m venv .*$", text_of(page), re.MULTILINE) == [
        "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/attncalc explain draw",
        "python3 -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/pytest",
    ]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_python_lines_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What stands after >>> gives what stands under it; a file that it reads, a line of the page has made."""
    shell = Shell(tmp_path, language_of(page))
    monkeypatch.chdir(shell.folder)
    lines = [line for body in blocks(page, "sh") for line in body.splitlines()]
    for body in blocks(page, "pycon"):
        shell.run_all(line for line in lines if any(f'"{name}"' in body for name in re.findall(r" -o (\S+)", line)))
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
    wordings = r"-(all|many|zero|nan|uniform|one|float)$|-batch(-and-head)?$|(?<=^cropped)-.*"
    spoken_of = (code[5:] for code in catalogue("en") if code.startswith("note."))
    messages = (re.sub(r"-here(-one)?$", "", code) for code in spoken_of)
    codes = {re.sub(wordings, lambda m: "-head" if "batch" in m[0] else "", code) for code in messages}
    assert codes | set(STEP_NAMES) <= set(first_cells(text_of(page)))


@pytest.mark.parametrize("page", ["docs/index.md", "docs/zh/index.md"])
def test_the_table_of_the_calculation_names_its_steps(page: str) -> None:
    """In their order, every one that is not made on demand, with the letter of one of them before the formula."""
    letters = {row.name: row.symbol for row in ROWS}
    rows = re.findall(r"^\| (`.+?) \| (\S+) = ", text_of(page), re.MULTILINE)
    steps = [re.findall(r"`(\w+)`", names) for names, _ in rows]
    assert [name for names in steps for name in names] == [name for name in STEP_NAMES if name != "terms"]
    assert all(letter in map(letters.get, names) for names, (_, letter) in zip(steps, rows, strict=True))


@pytest.mark.parametrize("page", ["README.md", "README.zh.md", "docs/commands.md", "docs/zh/commands.md"])
def test_exit_codes_are_those_of_the_program(page: str) -> None:
    """The table of exit codes has a row for every one."""
    assert [int(cell) for cell in first_cells(text_of(page)) if cell.isdigit()] == [int(status) for status in Status]


@pytest.mark.parametrize("page", ["docs/formats.md", "docs/zh/formats.md"])
def test_every_format_has_a_section(page: str) -> None:
    """The page on formats says of each what it is, and has none for another."""
    assert [name for name in re.findall(r"^## (.*)$", prose(page), re.MULTILINE)] == list(FORMATS)


@pytest.mark.parametrize("page", ["docs/formats.md", "docs/zh/formats.md"])
def test_every_suffix_is_listed(page: str) -> None:
    """With its format, in the table at the top of the page on formats."""
    rows = re.findall(r"^\| `(\.\w+)` \| \[`(\w+)`\]", prose(page), re.MULTILINE)
    assert dict(rows) == SUFFIXES


@pytest.mark.parametrize("page", PAGES)
def test_pages_stand_alone(page: str) -> None:
    """No page leads to a folder outside the repository, or to one machine."""
    assert re.findall(r"/work/|/root/|/home/|\.\./shared|localhost", text_of(page)) == []
