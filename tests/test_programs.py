"""Programs of other makers: found, or a skip with a reason, or a failure where all tests are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import programs
import pytest

Asked = Callable[[], Path]


@pytest.fixture(autouse=True)
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """A machine with an empty PATH, no Node packages, and no wish for all tests."""
    programs._program.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("ATTNCALC_NODE_MODULES", str(tmp_path))
    monkeypatch.delenv("ATTNCALC_ALL_TESTS", raising=False)
    yield tmp_path
    programs._program.cache_clear()


def put_program(folder: Path, name: str, line: str = "echo here") -> Path:
    """A program of one line in the folder."""
    path = folder / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


missing = pytest.mark.parametrize(
    ("asked", "reason"),
    [(lambda name=name: programs.needed(name), f"needs {name}: apt install {row.packages}")
     for name, row in programs.PROGRAMS.items()]
    + [(lambda: programs.node_package("axe-core"), "needs axe-core: npm install axe-core")],
)  # fmt: skip


@missing
def test_what_is_missing_skips(asked: Asked, reason: str) -> None:
    """A test whose program is missing is skipped, and the reason says what to install."""
    with pytest.raises(pytest.skip.Exception) as skipped:
        asked()
    assert str(skipped.value) == reason


@missing
def test_nothing_is_skipped_where_all_tests_are_asked_for(
    asked: Asked, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With ATTNCALC_ALL_TESTS=1 the same test fails with the same words."""
    monkeypatch.setenv("ATTNCALC_ALL_TESTS", "1")
    with pytest.raises(pytest.fail.Exception) as failed:
        asked()
    assert str(failed.value) == reason


@pytest.mark.parametrize("name", ["chromium", "google-chrome"])
def test_a_program_is_found_by_any_of_its_names(name: str, nothing_installed: Path) -> None:
    """The path is that of the first name on PATH."""
    path = put_program(nothing_installed, name)
    assert programs.needed("chromium") == path


@pytest.mark.parametrize(("fonts", "whole"), [("echo font", True), ("true", False)])
def test_a_program_is_whole(fonts: str, whole: bool, nothing_installed: Path) -> None:
    """XeLaTeX without the fonts for Chinese counts as missing."""
    for name, line in (("xelatex", "true"), ("kpsewhich", "echo here"), ("fc-list", fonts)):
        put_program(nothing_installed, name, line)
    assert (programs._program("xelatex") is not None) == whole


def test_a_node_package_is_found(nothing_installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In $ATTNCALC_NODE_MODULES if that is set, else in node_modules/ of the repository."""
    folder = nothing_installed / "node_modules" / "vnu-jar"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    monkeypatch.setattr(programs, "REPOSITORY", nothing_installed)
    monkeypatch.setenv("ATTNCALC_NODE_MODULES", str(folder.parent))
    assert programs.node_package("vnu-jar") == folder
    monkeypatch.delenv("ATTNCALC_NODE_MODULES")
    assert programs.node_package("vnu-jar") == folder
