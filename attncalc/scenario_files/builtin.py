"""The built-in scenarios: the JSON files of `scenarios/`, found beside the package or in the checkout."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".json"


def folder() -> Path:
    """Where the built-in scenarios are."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "scenarios"
    return installed if installed.is_dir() else package.parent / "scenarios"


def names() -> list[str]:
    """The names of the built-in scenarios, in alphabetical order."""
    return sorted(path.stem for path in folder().glob(f"*{SUFFIX}"))


def path_of(name: str) -> Path:
    """The file of a built-in scenario."""
    return folder() / f"{name}{SUFFIX}"


def is_name(source: str) -> bool:
    """Whether a source is written as a name: neither a suffix nor a separator."""
    return bool(source) and "/" not in source and "\\" not in source and not Path(source).suffix
