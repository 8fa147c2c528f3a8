"""Several files into one folder: all of them, or none."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attncalc.cli import output
from attncalc.cli.half_made import end_if_told, forget_leftovers, making, new_folder
from attncalc.errors import Fault, OutputError, shortened


def check_folder(folder: Path, names: Iterable[str], force: bool) -> None:
    """Refuses a folder that these files cannot go into, before anything is calculated."""
    try:
        faults = list(_faults(folder, names, force))
    except output.UNREACHABLE as error:
        raise _cannot(folder, error) from None
    if faults:
        raise OutputError(faults)


def _faults(folder: Path, names: Iterable[str], force: bool) -> Iterator[Fault]:
    if not folder.exists():
        if not folder.parent.is_dir():
            yield Fault(str(folder), "no-folder", {"folder": str(folder.parent)})
    elif not folder.is_dir():
        yield Fault(str(folder), "target-no-folder", {})
    else:
        paths = [path for path in (folder / name for name in names) if os.path.lexists(path)]
        yield from (Fault(str(path), "target-is-directory", {}) for path in paths if path.is_dir())
        files = [path for path in paths if not path.is_dir()]
        if files and not force:
            yield _in_the_way(folder, files)


def _in_the_way(folder: Path, files: Sequence[Path]) -> Fault:
    """One file by its name, more by their number."""
    if len(files) == 1:
        return Fault(str(files[0]), "file-exists", {})
    return Fault(str(folder), "files-exist", {"count": len(files), "first": files[0].name})


def write_folder(folder: Path, files: Mapping[str, str | bytes], force: bool) -> None:
    """Writes the files beside their places first, and moves them there when all are written.

    The folder is made where there is none; one that is there keeps what else it holds.
    """
    check_folder(folder, files, force)
    try:
        _written(folder, files)
    except output.UNREACHABLE as error:
        raise _cannot(folder, error) from None


def _written(folder: Path, files: Mapping[str, str | bytes]) -> None:
    there = folder.is_dir()
    with making() as parts:
        forget_leftovers(folder)  # also of when it was not there
        part = new_folder(folder / folder.name if there else folder, parts)
        made = part.path / "files"  # has the rights of any new folder, which this one has not
        made.mkdir()
        for name, result in files.items():
            _write(made / name, output.as_bytes(result))
        end_if_told()
        if there:
            for name in files:
                os.replace(made / name, folder / name)
        else:
            made.rename(folder)


def _write(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _cannot(folder: Path, error: BaseException) -> OutputError:
    return OutputError([Fault(shortened(str(folder)), "cannot-write", {"reason": output.reason_of(error)})])
