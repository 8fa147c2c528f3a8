"""Where the files that a scenario refers to are looked for: beside it and below, elsewhere only if allowed."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import NamedTuple

from attncalc.errors import ScenarioError
from attncalc.scenario_files import builtin


class Folder(NamedTuple):
    """The folder of a scenario; `outside`: its references may lead out of it."""

    path: Path = Path()
    outside: bool = False

    def find(self, name: str) -> Path:
        """The path that a reference means, whether it may be read or not."""
        beside, built_in = self.path / name, builtin.folder() / name
        # The arrays of a built-in scenario are found from anywhere, so that what `show` prints can be run.
        return built_in if not beside.exists() and built_in.is_file() else beside

    def allowed(self, name: str, place: str) -> Path:
        """The path that a reference means; a ScenarioError where it leads out of the folder, and may not."""
        if self.outside:
            return self.find(name)
        if _leads_out(name):
            raise ScenarioError.of("array-file-outside", place, file=name, target=self._target(name))
        path = self.find(name)
        here, there = os.path.realpath(self.path), os.path.realpath(path)
        if not (Path(there).is_relative_to(here) or path.is_relative_to(builtin.folder())):
            raise ScenarioError.of("array-link-outside", place, file=name, target=there)
        return Path(there)

    def _target(self, name: str) -> str:
        return name if PureWindowsPath(name).drive else os.path.normpath(os.path.abspath(self.path / name))


def _leads_out(name: str) -> bool:
    """Whether a name is absolute, on another drive or goes upwards, on any system."""
    windows = PureWindowsPath(name)
    return bool(PurePosixPath(name).is_absolute() or windows.root or windows.drive or ".." in windows.parts)


HERE = Folder()
"""The current folder."""
