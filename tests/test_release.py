"""What a release says of itself: one version, who made it, which Pythons, a description without dead links."""

from __future__ import annotations

import re
import tomllib

import pytest
from calling import call
from pages import BLOCK, LINK, ROOT

import attncalc

WHOLE = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, HATCH = WHOLE["project"], WHOLE["tool"]["hatch"]
CITATION = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
SOURCES = HATCH["build"]["targets"]["sdist"]["only-include"]


def cited(key: str) -> str:
    """What CITATION.cff says under a key."""
    found = re.search(rf"^(?:  - )?{key}: (.+)$", CITATION, re.MULTILINE)
    assert found, key
    return found[1]


def described() -> str:
    """The description that an index shows: README.md as the build changes it."""
    hook = HATCH["metadata"]["hooks"]["fancy-pypi-readme"]
    assert [part["path"] for part in hook["fragments"]] == ["README.md"]
    text = README
    for change in hook["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    return text


def test_the_version_is_the_same_everywhere() -> None:
    """The package says it, `--version` prints it, the citation repeats it."""
    assert HATCH["version"] == {"path": "attncalc/__init__.py"}
    assert "version" in PROJECT["dynamic"]
    assert call("--version").out == f"attncalc {attncalc.__version__}\n"
    assert cited("version") == attncalc.__version__


def test_the_changelog_ends_at_this_version() -> None:
    """What is not released stands first, then the version of the package with the day that the citation has too."""
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[:2] == ["[Unreleased]", f"[{attncalc.__version__}] - {cited('date-released').strip(chr(39))}"]


def test_the_citation_says_what_the_package_says() -> None:
    """Name, authors, licence and keywords are those of the package; the licence names the same holders."""
    assert cited("title") == PROJECT["name"]
    assert [{"name": cited("name")}] == PROJECT["authors"]
    assert cited("license") == PROJECT["license"]
    assert re.findall(r"^  - (?!name)(.+)$", CITATION, re.MULTILINE) == PROJECT["keywords"]
    assert re.search(rf"^Copyright \(c\) \d{{4}} {cited('name')}$", (ROOT / "LICENSE").read_text(), re.MULTILINE)


@pytest.mark.parametrize(("page", "joined"), [("README.md", "{}, {} and {}"), ("README.zh.md", "{}、{} 和 {}")])
def test_the_pythons_of_the_readme_are_those_of_the_package(page: str, joined: str) -> None:
    """The versions that the classifiers name, the oldest of which is required."""
    named = [row.split(" :: ")[-1] for row in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", row)]
    assert f"Python {joined.format(*named)}" in (ROOT / page).read_text(encoding="utf-8")
    assert PROJECT["requires-python"] == f">={named[0]}"


def test_types_are_shipped_where_they_are_claimed() -> None:
    """The mark that lets a type checker read the package's annotations is there."""
    assert "Typing :: Typed" in PROJECT["classifiers"]
    assert (ROOT / "attncalc" / "py.typed").read_text() == ""


def test_the_description_leads_nowhere_that_is_not_there() -> None:
    """No picture and no link within the repository; the files named instead are in the source archive."""
    text = described()
    assert [match["target"] for match in LINK.finditer(text) if "://" not in match["target"]] == []
    names = {match["target"].partition("#")[0] for match in LINK.finditer(README)} - {""}
    inside = {name for name in names if "://" not in name}
    assert len(inside) > 20
    assert [name for name in inside if f"(`{name}" not in text or name.split("/")[0] not in SOURCES] == []


def test_the_description_has_every_example_unchanged() -> None:
    """What is typed and what is printed stays as README.md has it."""
    assert [match[0] for match in BLOCK.finditer(described())] == [match[0] for match in BLOCK.finditer(README)]


@pytest.mark.parametrize("group", ["dependencies", *PROJECT["optional-dependencies"]])
def test_every_library_has_an_oldest_version(group: str) -> None:
    """Each requirement names one, with `>=`, so that it can be installed and tried."""
    rows = PROJECT[group] if group in PROJECT else PROJECT["optional-dependencies"][group]
    ours = [row for row in rows if row.startswith("attncalc[")]
    assert [
        row for row in rows if row not in ours and not re.fullmatch(r"[\w-]+(\[\w+\])?>=[\d.]+(,<[\d.]+)?", row)
    ] == []
